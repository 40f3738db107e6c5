# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Debian packages of any suite, from the mirror that this machine is configured
# for, without touching the system's apt configuration: a private sources list,
# lists and cache. apt checks every signature and hash. Sourced after common.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# mirrors [OPTION...]: the configured archives, one line LABEL|ADDRESS for each
# package list of theirs that apt has read.
mirrors() {
	# shellcheck disable=SC2016  # the dollar signs are apt's
	apt-get "$@" indextargets --format '$(LABEL)|$(REPO_URI)' 2>/dev/null || :
}

# mirror LABEL: the address of the configured archive that calls itself LABEL
# (Debian, Debian-Security). Empty when there is none. A system that has never
# run apt-get update has its sources read into the cache instead.
mirror() {
	local system=$cache_dir/apt/system all
	all=$(mirrors)
	if ! grep -q '^Debian|' <<<"$all"; then
		mkdir -p "$system/lists/partial" "$system/cache/archives/partial"
		set -- "$1" -o Dir::State::lists="$system/lists" \
			-o Dir::Cache="$system/cache" -o APT::Sandbox::User=root
		all=$(mirrors "${@:2}")
		if ! grep -q '^Debian|' <<<"$all"; then
			timed "asking apt for the configured mirror" \
				apt-get "${@:2}" update || :
			all=$(mirrors "${@:2}")
		fi
	fi
	sed -n "s/^$1|//p" <<<"$all" | head -n 1
}

# The packages' architecture, for a script that wants another
apt_architecture=amd64

# apt_private SUITE...: set apt_options so that apt-get and apt-cache know these
# suites and nothing else, not even what is installed here. Status 1 when the mirror has none of them.
apt_private() {
	local suite uri type home sources signed=''
	home=$cache_dir/apt/$(printf '%s+' "$@")
	home=${home%+}
	[ "$apt_architecture" = amd64 ] || home=$home-$apt_architecture
	sources=$home/sources.list
	mkdir -p "$home/lists/partial" "$home/cache/archives/partial"
	if [ -r "$keyring" ]; then
		signed="[signed-by=$keyring] "
	fi
	for suite in "$@"; do
		case $suite in
		*-security) uri=$(mirror Debian-Security) ;;
		*) uri=$(mirror Debian) ;;
		esac
		if [ -z "$uri" ]; then
			continue
		fi
		for type in deb deb-src; do
			printf '%s %s%s %s main\n' "$type" "$signed" "$uri" "$suite"
		done
	done >"$sources.new"
	if ! [ -s "$sources.new" ]; then
		rm -f "$sources.new"
		say "apt has no Debian mirror configured for $*"
		return 1
	fi
	mv "$sources.new" "$sources"
	apt_options=(
		-qq
		-o Dir::Etc::sourcelist="$sources"
		-o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferences=/dev/null
		-o Dir::Etc::preferencesparts=/dev/null
		-o Dir::State::lists="$home/lists"
		-o Dir::State::status=/dev/null
		-o Dir::Cache="$home/cache"
		-o APT::Architecture="$apt_architecture"
		-o APT::Architectures="$apt_architecture"
		-o APT::Sandbox::User=root
		-o APT::Get::List-Cleanup=true
		-o Acquire::Languages=none
	)
	# Lists an hour old are still good: one command often asks twice.
	if [ -z "$(find "$home/updated" -mmin -60 2>/dev/null)" ]; then
		timed "reading the package lists of $*" \
			apt-get "${apt_options[@]}" --error-on=any update || return 1
		touch "$home/updated"
	fi
}

# apt_fetch SCRATCH PACKAGE...: download binary packages into a folder.
apt_fetch() {
	local scratch=$1
	shift
	(cd "$scratch" && timed "downloading $*" \
		apt-get "${apt_options[@]}" download "$@")
}

# apt_fetch_source SCRATCH PACKAGE: download a package's original tarball.
apt_fetch_source() {
	(cd "$1" && timed "downloading the source of $2" \
		apt-get "${apt_options[@]}" source --download-only --tar-only "$2")
}

# apt_newest PACKAGE: the version that apt would choose; empty when it is
# unknown.
apt_newest() {
	apt-cache "${apt_options[@]}" show "$1" 2>/dev/null |
		sed -n 's/^Version: //p' | head -n 1
}

# apt_depends PACKAGE: the names of the packages it depends on. (Reads to the end,
# or apt-cache could be killed by the closed pipe.)
apt_depends() {
	apt-cache "${apt_options[@]}" show "$1" 2>/dev/null |
		sed -n '0,/^Depends: /{s/ ([^)]*)//g;s/, /\n/g;s/^Depends: //p}'
}
