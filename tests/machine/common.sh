# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What every script of the machine shares: where the cache is, how to speak to
# the user, and how to work in the cache so that two runs at once, or one that
# was interrupted, never leave a half-made thing behind.

# shellcheck disable=SC2034  # used by the scripts that source this file
machine_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034
checkout_dir=$(cd "$machine_dir/../.." && pwd)
cache_dir=${XDG_CACHE_HOME:-${HOME:-~}/.cache}/pmcdrv

me=$(basename "$0")
# Other users of the guest must be able to read what is made here.
umask 022

# say WORDS...: progress, for people, on stderr.
say() {
	printf '%s: %s\n' "$me" "$*" >&2
}

# die WORDS...: a plain sentence on stderr, and the end.
die() {
	say "$*"
	exit "${die_status:-1}"
}

# timed WHAT COMMAND...: run a long command, saying before what is done and
# afterwards how long it took. Its output is shown only when it fails.
timed() {
	local what=$1 start=$SECONDS log status=0
	shift
	say "$what ..."
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	if [ "$status" -ne 0 ]; then
		tail -n 40 "$log" >&2
		rm -f "$log"
		say "$what: failed after $((SECONDS - start)) s"
		return "$status"
	fi
	rm -f "$log"
	say "$what: done in $((SECONDS - start)) s"
}

# locked NAME COMMAND...: run a function or command alone on this machine, as
# far as others lock the same NAME.
locked() (
	lock=$cache_dir/locks/$1
	shift
	mkdir -p "$cache_dir/locks"
	exec 9>"$lock"
	if ! flock -n 9; then
		say "waiting for another run that is preparing ${lock##*/}"
		flock 9
	fi
	"$@"
)

# hash_of: a short name for the content of stdin.
hash_of() {
	sha256sum | cut -c1-16
}

# hash_files FILE...: a short name for the content and base names of files.
hash_files() {
	local file
	for file in "$@"; do
		printf '%s ' "${file##*/}"
		sha256sum <"$file"
	done | hash_of
}

# fresh_dir DIRECTORY: an empty scratch folder beside DIRECTORY, to be filled
# and then put in its place by put_dir. Prints its path.
fresh_dir() {
	mkdir -p "$(dirname "$1")"
	mktemp -d "$1.new.XXXXXX"
}

# put_dir SCRATCH DIRECTORY: make SCRATCH be DIRECTORY in one step.
put_dir() {
	chmod 755 "$1"
	rm -rf "$2.old"
	if [ -e "$2" ]; then
		mv "$2" "$2.old"
	fi
	mv -T "$1" "$2"
	rm -rf "$2.old"
}
