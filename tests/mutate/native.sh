# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The native tests for mutants of lib and tools: which of them reach which line, by gcov, and how
# they run. Sourced by mutate in the top folder; run_native runs in a lane.
#
# A unit is a program or a script of the steps unit-lib and unit-tools. For each, in $map:
# UNIT.time, its seconds, and UNIT.lines, the lines FILE:LINE that it reaches.

# SANITIZE, not CFLAGS: the makefiles of the tests also make the library, with CFLAGS.
coverage='-fsanitize=address,undefined -fno-sanitize-recover=all --coverage'

native_units() {
	local test
	for test in tests/unit/lib/test_*.c tests/unit/tools/test_*.{c,sh}; do
		test=${test#tests/unit/}
		echo "unit-${test%.*}" | tr / .
	done
}

# native_make BUILD UNIT...: builds and runs units of one step in this build folder until one fails
native_make() {
	local build=$1 unit name folder programs='' scripts=''
	shift
	for unit; do
		name=${unit#*.} folder=${unit%%.*}
		folder=tests/unit/${folder#unit-}
		if [ -e "$folder/$name.sh" ]; then
			scripts+=" $name.sh"
		else
			programs+=" \$(out)/$name"
		fi
		# The same test with the thread sanitizer
		[ "$name" != test_sample_producers ] || programs+=" \$(out)/race_sample_producers"
	done
	timeout -k 5 900 tests/runner/without-aslr env PMCDRV_STOP=1 CMOCKA_MESSAGE_OUTPUT=TAP \
		make -s -C "$folder" BUILD="$build" tests programs="$programs" scripts="$scripts"
}

# covered_lines FOLDER BUILD: FILE:LINE of each line of lib and tools that ran since the counts were
# deleted
covered_lines() (
	cd "$1" && find "$2" -name '*.gcda' -print0 | xargs -0 -r gcov -t 2>/dev/null |
		sed 's/^ *//' | awk -F ' *: *' '
		$3 == "Source" { file = $4; sub(/^(\.\.\/)+/, "", file) }
		$1 ~ /^[0-9]/ && file ~ /^(lib|tools)\// { print file ":" $2 }' | sort -u
)

# unit_key UNIT: a hash of the test
unit_key() {
	local test=${1/./\/}
	cat "tests/unit/${test#unit-}".* | sha1sum
}

is_covered() {
	[ "$(unit_key "$1")" = "$(cat "$map/$1.key" 2>/dev/null)" ]
}

# cover_native UNIT: stores what it reaches. Some tests fail with coverage, such as those that count
# instructions, or run what is not compiled for it: they count as if they reached every line.
cover_native() {
	local unit=$1 folder=${1%%.*} start=$SECONDS lines=$map/$1.lines
	find "$gcov" -name '*.gcda' -delete
	: >"$lines"
	if SANITIZE="$coverage" native_make "$gcov" "$unit" >"$map/$unit.log" 2>&1 </dev/null; then
		covered_lines "tests/unit/${folder#unit-}" "$gcov" >"$lines"
	elif ! native_make "$PWD/build" "$unit" >"$map/$unit.log" 2>&1 </dev/null; then
		echo "mutate: $unit fails without a mutant: $map/$unit.log" >&2
		return 1
	fi
	[ -s "$lines" ] ||
		find lib tools -name '*.c' -exec awk '{ print FILENAME ":" FNR }' {} + >"$lines"
	echo $((SECONDS - start)) >"$map/$unit.time"
	unit_key "$unit" >"$map/$unit.key"
}

# make_native_map: measures coverage, of each test once for each state of the test, of lib and of
# tools. gcov misses some lines, so $map/code, the lines with code, is empty.
make_native_map() {
	local key gcov=$PWD/$out/gcov folder unit n=0 units=() map
	key=$({ find lib tools -name '*.[chS]' | sort && find lib tools -name '*.[chS]' -exec cat {} + &&
		cat tests/mutate/native.sh; } | sha1sum | cut -c1-12)
	native_map=$out/native-map-$key map=$native_map
	mkdir -p "$map"
	: >"$map/code"
	for unit in $(native_units); do
		is_covered "$unit" || units+=("$unit")
	done
	[ ${#units[@]} -gt 0 ] || return 0
	for folder in lib tools; do
		echo "mutate: compiling tests/unit/$folder for its coverage" >&2
		SANITIZE="$coverage" make -s -j "$jobs" -C "tests/unit/$folder" BUILD="$gcov" all \
			>"$map/build.log" 2>&1 &
		wait $! || {
			echo "mutate: it failed: $map/build.log" >&2
			return 1
		}
	done
	for unit in "${units[@]}"; do
		n=$((n + 1))
		echo "mutate: coverage of $unit ($n of ${#units[@]})" >&2
		cover_native "$unit" &
		wait $! || return
	done
}

# run_native UNIT...: prints nothing, or killed or timeout and the unit that failed, or unbuilt: the
# tests compile with -Werror
run_native() {
	local log=build/mutate.log step=${1%%.*} status=0 passed failed verdict=killed test
	native_make "$PWD/build" "$@" >"$log" 2>&1 </dev/null || status=$?
	read -r passed failed _ < <(count_log "$log")
	[ "$status" -ne 0 ] || [ "$failed" -ne 0 ] || [ "$passed" -eq 0 ] || return 0
	[ "$status" -ne 124 ] || verdict=timeout
	test=$(sed -n 's/^# \(test_[a-z0-9_]*\|race_[a-z0-9_]*\)\(\.sh\)\?$/\1/p' "$log" | tail -n 1)
	[ -n "$test" ] || [ $verdict = timeout ] || { echo unbuilt; return; }
	echo "$verdict $step${test:+.$test}"
}
