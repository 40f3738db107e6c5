# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tries one mutant in a copy of the checkout, a lane. Sourced by mutate in the top folder; the
# functions run in a lane.

# objects_of FILE KERNEL: a hash of the code that is compiled from it, without debug information
objects_of() {
	local object copy
	copy=$(mktemp)
	for object in build/kernels/"$2"/source/"$1" build/lib/"${1#lib/}" build/tools/"${1#tools/}"; do
		object=${object%.c}.o
		[ -e "$object" ] || continue
		objcopy --strip-debug -R .comment -R __bug_table "$object" "$copy" && sha1sum <"$copy"
	done
	rm -f "$copy"
}

# build_for FILE KERNEL: build what the tests of this file run. The flags PMC_HAVE_... are those of
# the last build: a mutant does not change them.
build_for() {
	local flags=''
	case $1 in
	kmod/*)
		flags=$(grep -oE -m 1 -- '-DPMC_HAVE_.*' "build/kernels/$2/source/kmod/.main.o.cmd" |
			grep -oE -- '-DPMC_HAVE_[A-Z0-9_]+' | xargs)
		PMC_HAVE_FLAGS=$flags tests/machine/module "$2"
		;;
	*) make -s lib tools ;;
	esac
}

# boots: reads units and prints them in the same order, five of one step in a line: they share a
# boot. The others of each step come last.
boots() {
	awk '
	{
		step = $1
		sub(/\.[^.]*$/, "", step)
		boot = step " " (seen[step]++ < 5)
		if (!(boot in units))
			order[n++] = boot
		units[boot] = units[boot] " " $1
	}
	END {
		for (first = 1; first >= 0; first--)
			for (i = 0; i < n; i++)
				if (order[i] ~ " " first "$")
					print units[order[i]]
	}'
}

# boot_command MAP UNIT...: print what runs the units of one step until one fails. Each unit's time
# includes a boot.
boot_command() {
	local map=$1 unit programs='' seconds=60 command
	shift
	command=$(cat "$map/$1.command")
	for unit; do
		seconds=$((seconds + 3 * $(cat "$map/$unit.time")))
		[ "${unit%.*}" = "$unit" ] || programs+=" ${unit##*.}"
	done
	[ -z "$programs" ] || command="${command% *}$programs'"
	[ $seconds -le 600 ] || seconds=600
	sed "s|--timeout [0-9]*|--timeout $seconds|; s|/usr/lib/pmcdrv/selftests/run|PMCDRV_STOP=1 &|g" \
		<<<"$command"
}

# run_boot MAP UNIT...: prints nothing, or killed, timeout or broken and the unit that failed. A
# timeout can also be the computer's: it does not prove that a test notices the mutant.
run_boot() {
	local log=build/mutate.log program status=0 verdict=killed
	bash -c "$(boot_command "$@")" >"$log" 2>&1 </dev/null || status=$?
	program=$(sed -n 's/^not ok [0-9]* \([a-z0-9_]*\)$/\1/p' "$log" | tail -n 1)
	[ -n "$program" ] || case $status in
	0) return ;;
	124) verdict=timeout ;;
	125) verdict=broken ;;
	esac
	echo "$verdict ${2%.*}${program:+.$program}"
}

# put FILE COPY: the copy becomes the file
put() {
	cp "$2" "$1" && touch "$1"
}

# differs FILE KERNEL: builds the mutant for the kernel, and once before it the original. Fails if
# they compile to the same code; prints unbuilt if the mutant does not compile.
differs() {
	local before=build/originals/$2/$1
	if [ ! -e "$before" ]; then
		put "$1" build/original
		build_for "$@" >build/mutate.log 2>&1 </dev/null || { echo 'broken lane'; return; }
		mkdir -p "$(dirname "$before")"
		objects_of "$@" >"$before"
		put "$1" build/mutant
	fi
	build_for "$@" >build/mutate.log 2>&1 </dev/null || { echo unbuilt; return; }
	[ "$(cat "$before")" != "$(objects_of "$@")" ]
}

# try_native FILE: prints killed or timeout and the test, if one of unit-kmod, which needs no
# emulator, fails. If the file does not compile there, the kernel's compiler decides. Only programs
# that make links again can notice the mutant.
try_native() {
	local folder=tests/unit/kmod out=$PWD/build/tests/unit/kmod program status
	[[ $1 == kmod/* ]] || return
	! make -q -C $folder >/dev/null 2>&1 || return
	make -s -C $folder >build/mutate.log 2>&1 </dev/null || return
	find "$out" -name 'test_*' -type f -newer build/mutant | while read -r program; do
		status=0
		(cd $folder && timeout -k 5 900 ../../runner/without-aslr "$program") \
			>build/mutate.log 2>&1 </dev/null || status=$?
		case $status in
		0) continue ;;
		124) echo "timeout unit-kmod.${program##*/}" ;;
		*) echo "killed unit-kmod.${program##*/}" ;;
		esac
		break
	done
}

# run_boots MAP FILE: reads lines of units, and prints the verdict. After $limit seconds it begins
# no other boot.
run_boots() {
	local map=$1 file=$2 units kernel verdict=same unit total=0 tried=0 began=$SECONDS
	local -A state=()
	while read -ra units; do
		total=$((total + ${#units[@]}))
		[ $((SECONDS - began)) -lt "$limit" ] || continue
		kernel=$(cat "$map/${units[0]}.kernel" 2>/dev/null || echo native)
		if [ -z "${state[$kernel]:-}" ]; then
			unit=$(differs "$file" "$kernel") && state[$kernel]=differs || state[$kernel]=same
			[ -z "$unit" ] || { echo "$unit"; return; }
		fi
		[ "${state[$kernel]}" = differs ] || continue
		if [ "$kernel" = native ]; then
			unit=$(run_native "${units[@]}")
		else
			unit=$(run_boot "$map" "${units[@]}")
		fi
		[ -z "$unit" ] || { echo "$unit"; return; }
		tried=$((tried + ${#units[@]}))
		verdict=survived
	done
	[ "$verdict" = same ] || verdict+=" $tried of $total"
	echo "$verdict"
}

# try_mutant MAP FILE LINE LINES NEW UNIT...: prints the verdict and what it rests on:
#   killed UNIT        that test failed
#   timeout UNIT       its step had not ended in time
#   broken UNIT        its step could not begin
#   survived N of M    N of the M tests that reach it (of lib and tools: that reach the file)
#                      passed; there was no time for the others, or
#                      their kernels have the same code
#   unbuilt            it does not compile
#   same               it compiles to the same code
#   unreached          no test reaches it
try_mutant() {
	local map=$1 file=$2 line=$3 lines=$4 new=$5
	shift 5
	local verdict
	cp "$file" build/original
	echo "$file" >build/mutated
	apply_mutant "$file" "$line" "$lines" "$new"
	cp "$file" build/mutant
	verdict=$(try_native "$file")
	if [ -n "$verdict" ]; then
		echo "$verdict"
	elif [ $# -eq 0 ]; then
		verdict=$(differs "$file" 6.1-cloud) && echo "${verdict:-unreached}" || echo same
	else
		run_boots "$map" "$file" < <(printf '%s\n' "$@" | boots)
	fi
	put "$file" build/original
	rm build/mutated
}
