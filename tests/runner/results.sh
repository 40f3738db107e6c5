# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The results in the log of a step: counts, and the tests that failed. Sourced by tests/check,
# mutate/mutate and runner/selftest.

# count_log FILE: passed, failed and skipped of a step, from its closing lines,
# or else from its TAP lines. A plan that is not met is a failure.
count_log() {
	awk '
	/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; s += $5; line = 1 }
	/^ok .*# *SKIP/ { ts++; next }
	/^ok / { tp++ }
	/^not ok / { tf++ }
	/^1\.\.[0-9]+$/ { plan += substr($0, 4) }
	END {
		if (tp + tf + ts < plan)
			tf++
		if (line)
			print p + 0, f + 0, s + 0
		else
			print tp + 0, tf + 0, ts + 0
	}
	' "$1"
}

# failures STEP LOG: the tests that failed, and why, in at most 12 lines
failures() {
	echo "== $1 failed ($2)"
	awk '
	/^ *# +(RUN|OK|FAIL) / { after = 0; next }
	/^ *# .*(Expected |terminated |ended with status|did not happen)/ { why = why $0 "\n"; next }
	/^ *(not ok |FAILED |failed +[^0-9 ])/ { printf "%s%s\n", why, $0; why = ""; after = 4; n++; next }
	/^ *ok / { why = ""; after = 0; next }
	after && /^ *# |^    / { print; after--; next }
	{ after = 0; last = end; end = $0 "\n" }
	END { printf "%s", why; if (!n) printf "%s%s", last, end }' "$2" | head -n 12
}
