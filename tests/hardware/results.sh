# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# Results for the report: the TAP of each program, the sums, the kernel's messages, and the
# figures. Sourced by report; files are in $work.

passed=0
failed=0
skipped=0
number=0

# sums PROGRAM STATUS: print "passed failed skipped" of the output in $work/out. A program that
# was ended has one failed test more than its output shows.
sums() {
	closing=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' \
		"$work/out")
	case $2:$closing in
	0:?* | 1:?*) echo "$closing" ;;
	*)
		awk '/^ *ok .*# SKIP/ { s++; next } /^ +ok / { p++ } /^ +not ok / { f++ }
			END { print p + 0, f + 1, s + 0 }' "$work/out"
		;;
	esac
}

# verdict FAILED PASSED REASON: the program's own TAP line
verdict() {
	if [ "$1" -gt 0 ]; then
		echo "not ok $number - $program${3:+ # $3}"
	elif [ "$2" -eq 0 ]; then
		echo "ok $number - $program # SKIP"
	else
		echo "ok $number - $program"
	fi
}

# add_result PROGRAM STATUS: append $work/out to the tests of the report. The lines that only
# report progress are left out if every test passed.
add_result() {
	program=$1
	number=$((number + 1))
	# shellcheck disable=SC2046  # three numbers
	set -- "$2" $(sums "$1" "$2")
	passed=$((passed + $2))
	failed=$((failed + $3))
	skipped=$((skipped + $4))
	case $1 in
	0 | 1) reason= ;;
	137) reason="ended after $limit s, or killed" ;;
	*) reason="status $1" ;;
	esac
	{
		if [ "$3" -gt 0 ]; then
			cat "$work/out"
		else
			grep -vE '^    # +(RUN|OK) ' "$work/out"
		fi | grep -vE '^(TAP version 13|1\.\.1|(not )?ok 1 .*|[0-9]+ passed, .*)$'
		verdict "$3" "$2" "$reason"
	} >>"$work/tests"
}

# kernel_messages: those since the start that name the driver or report an error
kernel_messages() {
	dmesg | awk -v mark="$mark" 'index($0, mark) { n = NR } { line[NR] = $0 }
		END { for (i = n + 1; i <= NR; i++) print line[i] }' |
		grep -E "pmcdrv|RIP:|EIP:|end trace|$(cat "$here/trouble")" | tail -n 300
}

kernel_warnings() {
	grep -cE "$(cat "$here/trouble")" "$work/messages"
}

# interrupts: print the number of timer interrupts so far, on all CPUs
interrupts() {
	awk '$1 == "LOC:" || $NF == "timer" { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) n += $i }
		END { print n + 0 }' /proc/interrupts
}

# overcount: print how many instructions ten runs counted in excess of the known number
overcount() {
	known=$(awk 'NF == 3 && $3 == "./loop-10m" { print $1 }' "$installed/programs/counts")
	before=$(interrupts)
	(cd "$installed/programs" &&
		pmcctl stat -r 10 --csv -o "$work/csv" -e instructions:u ./loop-10m 2>&1) || return 1
	echo "timer interrupts in these runs: $(($(interrupts) - before))"
	awk -F, -v known="$known" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["what"] == "count" { n[$column["value"] - known]++ }
		END { for (more in n) printf "loop-10m, instructions:u, %+d: %d runs\n", more, n[more] }' \
		"$work/csv" | sort
}

figures() {
	"$here/figures" 2>&1 || echo 'the costs of operations were not measured'
	overcount || echo 'loop-10m was not counted'
}
