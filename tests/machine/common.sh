# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions that all scripts of the emulator share: the cache folder, messages, and work in the
# cache that leaves no incomplete entry behind, even with concurrent or interrupted runs.

# shellcheck disable=SC2034  # used by the scripts that source this file
machine_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034
checkout_dir=$(cd "$machine_dir/../.." && pwd)
cache_dir=${XDG_CACHE_HOME:-${HOME:-~}/.cache}/pmcdrv

me=$(basename "$0")
# The guest's other users must be able to read the files.
umask 022

# say WORDS...: print progress or an error on stderr.
say() {
	printf '%s: %s\n' "$me" "$*" >&2
}

# die WORDS...: print an error on stderr and exit with $die_status or 1.
die() {
	say "$*"
	exit "${die_status:-1}"
}

# timed WHAT COMMAND...: run a long command; print WHAT before and the time it took after it.
# Its output is shown only if it fails.
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

# locked NAME COMMAND...: run a function or command under the lock NAME of this cache.
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

# hash_of: print a short hash of stdin.
hash_of() {
	sha256sum | cut -c1-16
}

# hash_files FILE...: print a short hash of the files' contents and base names.
hash_files() {
	local file
	for file in "$@"; do
		printf '%s ' "${file##*/}"
		sha256sum <"$file"
	done | hash_of
}

# fresh_dir DIRECTORY: create an empty scratch folder beside DIRECTORY and print its path.
# put_dir moves it into place.
fresh_dir() {
	mkdir -p "$(dirname "$1")"
	mktemp -d "$1.new.XXXXXX"
}

# put_dir SCRATCH DIRECTORY: rename SCRATCH to DIRECTORY.
put_dir() {
	chmod 755 "$1"
	rm -rf "$2.old"
	if [ -e "$2" ]; then
		mv "$2" "$2.old"
	fi
	mv -T "$1" "$2"
	rm -rf "$2.old"
}

# compiler_of KDIR: print the argument with which make compiles for this kernel if its compiler
# was a clang (kernel-build's LLVM=-16).
compiler_of() {
	sed -n 's/^CONFIG_CLANG_VERSION=\([1-9][0-9]*\)[0-9]\{4\}$/LLVM=-\1/p' "$1/.config"
}
