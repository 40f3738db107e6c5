# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tries one mutant in a copy of the checkout, a lane. Sourced by mutate in the top folder; the
# functions run in a lane.

# objects_of FILE: a hash of the code that is compiled from it, without debug information, in each
# place where it is compiled
objects_of() {
	local object copy
	copy=$(mktemp)
	for object in build/kernels/*/source/"${1%.c}.o" build/lib/"${1#lib/}" build/tools/"${1#tools/}"; do
		object=${object%.c}
		object=${object%.o}.o
		[ -e "$object" ] || continue
		objcopy --strip-debug -R .comment -R __bug_table "$object" "$copy" && sha1sum <"$copy"
	done
	rm -f "$copy"
}

# build_for FILE KERNEL...: what the tests of this file run
build_for() {
	local file=$1 kernel
	shift
	case $file in
	kmod/*)
		for kernel; do
			tests/machine/module "$kernel" || return
		done
		;;
	*) make -s lib tools ;;
	esac
}

# run_units MAP UNIT...: the first that fails, or nothing. Programs of one step share a boot.
run_units() {
	local map=$1 unit log=build/mutate.log
	shift
	for unit; do
		if [ "$map" != - ]; then
			timeout -k 5 400 bash -c "$(cat "$map/$unit.command")"
		else
			timeout -k 5 900 tests/check "$unit"
		fi >"$log" 2>&1 </dev/null || {
			echo "$unit"
			return
		}
	done
}

# try_mutant MAP FILE LINE LINES NEW KERNELS UNIT...: prints the verdict and what it rests on:
#   killed UNIT    that test failed
#   survived N     all N tests that reach it passed
#   unbuilt        it does not compile
#   same           it compiles to the same code
#   unreached      no test reaches it
try_mutant() {
	local map=$1 file=$2 line=$3 lines=$4 new=$5 kernels=$6 before unit verdict
	shift 6
	# shellcheck disable=SC2086  # a list
	build_for "$file" $kernels >build/mutate.log 2>&1 || { echo 'broken lane'; return 1; }
	before=$(objects_of "$file")
	cp "$file" "$file.original"
	apply_mutant "$file" "$line" "$lines" "$new"
	# shellcheck disable=SC2086  # a list
	if ! build_for "$file" $kernels >build/mutate.log 2>&1; then
		verdict=unbuilt
	elif [ "$before" = "$(objects_of "$file")" ]; then
		verdict=same
	elif [ $# -eq 0 ]; then
		verdict=unreached
	else
		unit=$(run_units "$map" "$@")
		verdict=${unit:+killed $unit}
	fi
	mv "$file.original" "$file"
	touch "$file"
	echo "${verdict:-survived $#}"
}
