# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The native tests for mutants of lib and tools: which of them reach which line, by gcov, and how
# they run. Sourced by mutate in the top folder; run_native runs in a lane.
#
# A unit is a program or a script of the steps unit-lib and unit-tools. For each, in $map:
# UNIT.time, its seconds, and UNIT.lines, the lines FILE:LINE that it reaches.

# SANITIZE of the tests: not CFLAGS, with which they make the library, too
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

# cover_native UNIT: stores what it reaches. A test that counts instructions fails with coverage: it
# is taken to reach all lines of the folder.
cover_native() {
	local unit=$1 folder=${1%%.*} start=$SECONDS
	[ ! -e "$map/$unit.lines" ] || return 0
	folder=${folder#unit-}
	find "$gcov" -name '*.gcda' -delete
	if SANITIZE="$coverage" native_make "$gcov" "$unit" >"$map/$unit.log" 2>&1 </dev/null; then
		covered_lines "tests/unit/$folder" "$gcov"
	elif native_make "$PWD/build" "$unit" >"$map/$unit.log" 2>&1 </dev/null; then
		find "$folder" -name '*.c' -exec awk '{ print FILENAME ":" FNR }' {} +
	else
		echo "mutate: $unit fails without a mutant: $map/$unit.log" >&2
		return 1
	fi >"$map/$unit.lines.new"
	echo $((SECONDS - start)) >"$map/$unit.time"
	mv "$map/$unit.lines.new" "$map/$unit.lines"
}

# make_native_map: measures coverage, once for each state of lib, of tools and of the list of units.
# $map/code, the lines with code, is empty: gcov does not notice each line that a process reaches.
make_native_map() {
	local key gcov=$PWD/$out/gcov folder unit n=0 units map
	mapfile -t units < <(native_units)
	key=$({ find lib tools -name '*.[ch]' -exec cat {} + && cat tests/mutate/native.sh &&
		echo "${units[@]}"; } | sha1sum | cut -c1-12)
	native_map=$out/native-map-$key map=$native_map
	mkdir -p "$map"
	[ ! -e "$map/complete" ] || return 0
	: >"$map/code"
	for folder in lib tools; do
		echo "mutate: compiling tests/unit/$folder for its coverage" >&2
		SANITIZE="$coverage" make -s -j "$jobs" -C "tests/unit/$folder" BUILD="$gcov" all \
			>"$map/build.log" 2>&1 || {
			echo "mutate: it failed: $map/build.log" >&2
			return 1
		}
	done
	for unit in "${units[@]}"; do
		n=$((n + 1))
		echo "mutate: coverage of $unit ($n of ${#units[@]})" >&2
		cover_native "$unit" || return
	done
	touch "$map/complete"
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
	[ -z "$test" ] && echo unbuilt || echo "$verdict $step.$test"
}
