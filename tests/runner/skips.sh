# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The tests that a step skips: exactly those of the table tests/skips. Sourced by tests/check.

skips_file=${PMCDRV_SKIPS:-tests/skips}

# skips_of LOG: PROGRAM=N of each program of the step that skipped N tests; "-" where the log
# names no program
skips_of() {
	awk '
	/^# Subtest: / { program = $3 }
	/^ *ok .*# *SKIP/ {
		# tests/selftests/run repeats a wholly skipped program without indentation.
		if (program == "")
			n["-"]++
		else if (/^ /)
			n[program]++
	}
	/^[0-9]+ passed, [0-9]+ failed/ { total += $5 }
	END {
		for (program in n)
			sum += n[program]
		if (total > sum)
			n["-"] += total - sum
		for (program in n)
			print program "=" n[program]
	}' "$1" | sort | paste -sd' '
}

# expected_skips STEP: the row of the table, without its first word. Fails if it has none.
expected_skips() {
	awk -v step="$1" '
		$1 == step { $1 = ""; sub(/^ /, ""); if ($0 != "none") print; found = 1; exit }
		END { exit !found }' "$skips_file"
}

# check_skips STEP LOG: fails, with the reason, if the step skipped other tests than its row lists
check_skips() {
	local expected actual
	expected=$(expected_skips "$1") || return 0
	actual=$(skips_of "$2")
	[ "$expected" != "$actual" ] || return 0
	echo "not ok - $1 skips other tests than $skips_file lists"
	echo "# listed:  ${expected:-none}"
	echo "# skipped: ${actual:-none}"
	echo "# If that is right, write it there: tests/check --skips $1"
	return 1
}

# print_skips STEP...: rows for the table, from the logs of the last run
print_skips() {
	local step skipped
	for step; do
		[ -r "$logs/$step.log" ] || {
			echo "check: $step has not run: no $logs/$step.log" >&2
			return 2
		}
		skipped=$(skips_of "$logs/$step.log")
		echo "$step ${skipped:-none}"
	done
}
