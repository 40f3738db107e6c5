# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Downloads Debian packages of any suite from the configured mirror, with a private sources list,
# lists and cache; the system's apt configuration is not touched. apt checks every signature and
# hash. Sourced after common.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# mirrors [OPTION...]: print the configured archives, a line LABEL|ADDRESS for each package list
# that apt has read.
mirrors() {
	# shellcheck disable=SC2016  # the dollar signs are apt's
	apt-get "$@" indextargets --format '$(LABEL)|$(REPO_URI)' 2>/dev/null || :
}

# mirror LABEL: print the address of the configured archive with this label (Debian,
# Debian-Security), or nothing. On a system where apt-get update has never run, its sources are
# read into the cache instead.
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

# apt_private SUITE...: set apt_options so that apt-get and apt-cache use only these suites, and
# ignore installed packages. Status 1 if the mirror has none of them.
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
	# Use lists up to an hour old: one command often needs them twice.
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

# apt_newest PACKAGE: print the version that apt would choose, or nothing if it is unknown.
apt_newest() {
	apt-cache "${apt_options[@]}" show "$1" 2>/dev/null |
		sed -n 's/^Version: //p' | head -n 1
}

# apt_depends PACKAGE: print the names of the packages it depends on. (sed reads all input:
# a closed pipe would kill apt-cache.)
apt_depends() {
	apt-cache "${apt_options[@]}" show "$1" 2>/dev/null |
		sed -n '0,/^Depends: /{s/ ([^)]*)//g;s/, /\n/g;s/^Depends: //p}'
}

# apt_with_libraries PACKAGE: print its name and those of the library packages it needs, however
# far down. The C library is the host's, also in the guest.
apt_with_libraries() {
	local -A printed=()
	local -a queue=("$1")
	local next
	while [ "${#queue[@]}" -gt 0 ]; do
		next=${queue[0]}
		queue=("${queue[@]:1}")
		case $next in
		libc6 | libgcc-s1 | *-stdlib | *-minimal | *-data | *-base) continue ;;
		esac
		[ -z "${printed[$next]:-}" ] || continue
		printed[$next]=yes
		echo "$next"
		mapfile -t -O "${#queue[@]}" queue < <(apt_depends "$next" | grep -E '^(lib|zlib)')
	done
}
