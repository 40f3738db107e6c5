# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Steps in debug kernels. The kernel debug has KASAN, UBSAN, lockdep, kmemleak, debug objects
# and fault injection (tests/machine/kernels/debug.config); debug-rt has PREEMPT_RT and the
# checks of its contexts; kcsan has the data race detector. Sourced by tests/check in the top
# folder.

# "Call Trace" is not an error by itself: a failed allocation may print one.
# shellcheck source-path=SCRIPTDIR/.. source=machine/trouble.sh
. tests/machine/trouble.sh
debug_trouble=${trouble/|Call Trace:/}

is_debug_kernel() {
	[[ $1 == debug* || $1 == kcsan ]]
}

# debug_log STEP: the file for the kernel's log
debug_log() {
	echo "build/check/$1.kernel"
}

# In the guest. Leaks of the boot are cleared first, and kmemleak's own scans, of minutes each, are
# switched off. Two scans at the end, because kmemleak ignores young objects. An error of kmemleak
# itself fails too: it disables itself when it runs out of memory.
debug_clear='echo scan=off >/sys/kernel/debug/kmemleak &&
echo clear >/sys/kernel/debug/kmemleak'
# shellcheck disable=SC2016  # expanded in the guest
debug_leaks='if echo scan >/sys/kernel/debug/kmemleak && sleep 6 &&
echo scan >/sys/kernel/debug/kmemleak && leaked=$(cat /sys/kernel/debug/kmemleak) &&
[ -z "$leaked" ]; then echo "ok - kmemleak"
else echo "$leaked"; echo "not ok - kmemleak"; status=1; fi'

# debug_guest STEP KERNEL COMMAND: the command with what the kernel needs before and after
debug_guest() {
	local before=$debug_clear after=$debug_leaks
	case $2 in
	debug-rt) before=: after=: ;; # without kmemleak
	kcsan) before='echo on >/sys/kernel/debug/kcsan' after='cat /sys/kernel/debug/kcsan' ;;
	esac
	# lockdown closes debugfs
	[ "$1" != debug:lockdown ] || after=:
	echo "$before || exit; export PMCDRV_SLOW=11; $3; status=\$?; $after; exit \$status"
}

# debug_expected STEP: the patterns of its --expect options, one a line
debug_expected() {
	local row value words
	find_row "$1" || return
	eval "words=(${row_options[row]})"
	set -- "${words[@]}"
	while [ $# -gt 0 ]; do
		[ "$1" != --expect ] || printf '%s\n' "$2"
		shift
	done
}

# debug_reports STEP KERNEL: the lines of the kernel's log that report an error and that the
# step does not expect. Other code has data races, too: debug_races selects the module's.
debug_reports() {
	local pattern=$debug_trouble
	if [ "$2" = kcsan ]; then
		pattern=${pattern/BUG:|/BUG: [^K]|}
		pattern=${pattern/KCSAN|/}
	fi
	grep -vE -f <(debug_expected "$1") "$(debug_log "$1")" | grep -E "$pattern"
}

# debug_races FILE: the reports of KCSAN in which one side is a function of the module, or
# the function that it called. A race in an interrupt handler is not attributed to the code that
# it interrupted, and a race deeper in the kernel is not attributed to the module.
debug_races() {
	sed 's/^\[[^]]*\] *//' "$1" | awk '
	function end_of_report() {
		if (ours)
			printf "%s", report
		report = ""
		ours = 0
	}
	/BUG: KCSAN:/ { end_of_report(); inside = 1; ours = /\[pmcdrv\]/ }
	/^=+$/ { end_of_report(); inside = 0 }
	inside { report = report $0 "\n" }
	/ bytes by (task|interrupt) / { depth = 2; next }
	/^(asm_|sysvec_|exc_|common_interrupt|__do_softirq|handle_softirqs)/ { depth = 0 }
	depth > 0 && depth-- && /\[pmcdrv\]/ { ours = 1 }
	END { end_of_report() }'
}

# debug_kcsan_works STEP LOG: KCSAN watched something, in an instrumented module
debug_kcsan_works() {
	grep -q '^setup_watchpoints: [1-9]' "$2" &&
		nm build/kernels/kcsan/pmcdrv.ko | grep -q ' U __tsan_read8$'
}

# debug_verdict STEP KERNEL LOG: fails, and prints why, when the kernel reports an error, or
# when the step shows nothing: a program that skips everything, a kernel log that is cut.
debug_verdict() {
	local status=0 kernel_log races
	kernel_log=$(debug_log "$1")
	grep -qE '^([1-9][0-9]* passed, 0 failed|ok .*the module is unloaded|# Totals: pass:[1-9][0-9]* fail:0 )' \
		"$3" || { echo 'not ok - something passed'; status=1; }
	! grep -qE '^ok [0-9]+ [a-z0-9_]+ # SKIP' "$3" ||
		{ echo 'not ok - no program is skipped'; status=1; }
	head -n 1 "$kernel_log" | grep -q 'Linux version' ||
		{ echo "not ok - the kernel's log is complete"; status=1; }
	! debug_reports "$1" "$2" || { echo "not ok - the kernel reports no error"; status=1; }
	[ "$2" = kcsan ] || return $status
	debug_kcsan_works "$1" "$3" || { echo 'not ok - KCSAN watches the module'; status=1; }
	races=$(debug_races "$kernel_log")
	[ -z "$races" ] || { printf '%s\nnot ok - no data race\n' "$races"; status=1; }
	return $status
}
