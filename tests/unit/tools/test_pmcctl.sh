#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl as a user runs it, with a fake driver.
# Usage: test_pmcctl.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"


# ---- help, version, mistakes ----
ends 125 "no arguments"
says "$err" "Usage: pmcctl SUBCOMMAND"
ends 0 "help" --help
says "$out" "stat     count the events"
ends 0 "help of stat" help stat
says "$out" "Usage: pmcctl stat"
ends 0 "stat --help" stat --help
says "$out" "Usage: pmcctl stat"
ends 0 "info -h" info -h
says "$out" "Usage: pmcctl info"
ends 0 "version" --version
says "$out" "pmcctl 0.test (ABI $(sed -n "s,^#define PMC_ABI_VERSION[[:space:]]*,,p" ../../../uapi/pmcdrv.h))"
ends 125 "misspelled subcommand" sta
says "$err" "did you mean 'stat'?"
ends 125 "help of a misspelled subcommand" help ifno
says "$err" "did you mean 'info'?"
ends 125 "unknown subcommand" frobnicate
says "$err" "no subcommand 'frobnicate'"
ends 125 "unknown option" --frobnicate
says "$err" "unknown option '--frobnicate'"
ends 125 "help of two" help stat info

with_record=$pmcctl
pmcctl=$1/without-record
for subcommand in record report; do
	ends 125 "no $subcommand" $subcommand true
	says "$err" "this pmcctl has no '$subcommand': it was built with RECORD=no, without the libraries libdw and zlib; build it with them and without RECORD=no"
done
ends 0 "help without record" help
! grep -q record "$out" && grep -q "'pmcctl stat' and 'pmcctl sweep'$" "$out" && ! grep -q '.\{81\}' "$out"
result $? "does not name it"
pmcctl=$with_record

# Every subcommand has its help, and a letter stands for one thing in all of them; but
# record and report have perf's letters: -g for call chains, -i for input
"$pmcctl" help | awk '/^  [a-z]/ { print $1 }' >"$scratch/subcommands"
[ "$(wc -l <"$scratch/subcommands")" -ge 7 ]
result $? "there are subcommands"
while read -r subcommand; do
	ends 0 "help $subcommand" help "$subcommand"
	head -n 1 "$out" | grep -q "^Usage: pmcctl $subcommand"
	result $? "its usage comes first"
	grep -q '^  -h, --help  *this help$' "$out"
	result $? "it has -h, --help"
	grep -q '^Exit status: ' "$out"
	result $? "it has the exit status"
	[ "$(sed -n '/^Examples:$/,/^$/s/^    pmcctl \([a-z]*\).*/\1/p' "$out" | sort -u)" = "$subcommand" ]
	result $? "it has examples"
	tail -n 1 "$out" | grep -q "^See pmcctl-$subcommand(1)[.;]"
	result $? "it ends with the name of the manual page"
	! grep -q '.\{81\}' "$out"
	result $? "it fits a terminal"
	sed -n 's/^  -\([a-zA-Z]\), --\([a-z-]*\).*/\1 \2/p' "$out" >>"$scratch/letters"
	sed -n '/^  *-/s/  [^-].*//p' "$out" | grep -o -e '--[a-z][a-z-]*' | sort -u >"$scratch/long"
	ends 0 "$subcommand --help" "$subcommand" --help
	head -n 1 "$out" | grep -q "^Usage: pmcctl $subcommand"
	result $? "its usage comes first"
	[ "$(wc -l <"$out")" -le 24 ] && ! grep -q '.\{81\}' "$out"
	result $? "it fits a screen of 80x24"
	[ "$(grep -o -e '--[a-z][a-z-]*' "$out" | sort -u | comm -13 - "$scratch/long")" = "" ]
	result $? "it has every option"
	grep -q "^See pmcctl-$subcommand(1)" "$out"
	result $? "it names the manual page"
done <"$scratch/subcommands"
[ -z "$(grep -vx 'g call-chains\|i input' "$scratch/letters" | sort -u | cut -c1 | uniq -d)" ]
result $? "letters stand for one thing"

# ---- info ----
ends 0 "info" info
says "$out" "0: GenuineIntel family 6 model 85 (0x55) stepping 4"
says "$out" "4 counters of 48 bits"
says "$out" "the counters can be used"
says "$out" "branch-misses: yes"
grep -q '^general3  *48  *32  *0x3  *0x189  *0xc4  none$' "$out"
result $? "a row for general3"
ends 0 "info of CPU 1" info -C 1 --json
json "$out" /cpu 1
json "$out" /usable true
json "$out" /status '"OK"'
json "$out" /vendor '"GenuineIntel"'
json "$out" /counters/4/counter '"fixed0"'
json "$out" /counters/4/rdpmc '"0x40000000"'
json "$out" /architectural_events/cycles true
json "$out" /architectural_events/slots false
json "$out" /architectural_events/ref-cycles true
json "$out" /cpuid_0ah/0 '"0x7300404"'
json "$out" /cpuid_23h/0 '"0x0"'
json "$out" /core_type '"0x0"'
json "$out" /core null
json "$out" /core_types '[]'
FAKE=hybrid ends 0 "info of two core types" info
says "$out" "core (0x40000001), one of several core types: that of CPU 0"
says "$out" "atom (0x20000002), one of several core types: that of CPU 1"
[ "$(grep -c '^general  *[0-9]' "$out")" -eq 2 ] && grep -q '^general  *8 counters' "$out" &&
	grep -q '^general  *6 counters' "$out"
result $? "the counters of each"
[ "$(grep -c '^metrics ' "$out")" -eq 1 ] && [ "$(grep -c '^general5 ' "$out")" -eq 2 ] &&
	[ "$(grep -c '^general7 ' "$out")" -eq 1 ]
result $? "one by one"
FAKE=hybrid ends 0 "info of one of two kinds" info -C 1
! grep -q '^core .*0x40000001' "$out"
result $? "this one alone"
says "$out" "atom (0x20000002), one of several core types"
! grep -q 'that of CPU' "$out"
result $? "without its CPUs"
FAKE=hybrid ends 0 "info of two kinds as JSON" info --json
json "$out" /core '"core"'
json "$out" /core_types/0/core '"core"'
json "$out" /core_types/0/cpus '[0]'
json "$out" /core_types/1/core '"atom"'
json "$out" /core_types/1/cpus '[1]'
json "$out" /core_types/1/counters/6/counter '"fixed0"'
! "$json_get" /core_types/2 <"$out" >/dev/null 2>&1
result $? "no third one"
FAKE=cores ends 0 "info of two CPUs of one kind" info
says "$out" "core (0x40000001), one of several core types: that of CPUs 0-1"
[ "$(grep -c '^CPU ' "$out")" -eq 1 ]
result $? "reported once"
ends 0 "info of one kind as JSON" info --json
json "$out" /core_types '[]'
FAKE="hybrid offline" ends 0 "info, one kind offline" info
[ "$(grep -c '^core ' "$out")" -eq 1 ]
result $? "it is not known"
FAKE="hybrid" ends 0 "info of one as JSON" info -C 0 --json
json "$out" /core_types '[]'
# Bits 0 to 11, and two of a newer driver
FAKE=quirks=0x8000000000001fff ends 0 "info with each quirk" info
awk '/^events / { on = 0 } /^quirks / { on = 1; sub("quirks", "") }
	on { sub("^ *", ""); print }' "$out" >"$scratch/quirks"
sed 's/:.*//' "$scratch/quirks" >"$scratch/names"
cmp -s "$scratch/names" - <<-'EOF'
	N15, O8
	26
	TSX_FORCE_ABORT, Intel 604224
	AAK100, AAP53, BD53
	PERIOD_32
	HSW11, BDM11
	ZERO
	BJ122, BV98, HSD29
	USER_4_7
	NO_RDPMC
	1023
	HSM154
	bit 12
	bit 63
EOF
result $? "the names of the quirks in their order"
says "$scratch/quirks" "26: RDPMC does not work: the kernel reads the counters with RDMSR"
says "$scratch/quirks" "1023: with two or more counters, overflow interrupts can be missing"
says "$scratch/quirks" "bit 63: unknown"
FAKE=quirks=0x8000000000001fff ends 0 "info with each quirk as JSON" info --json
json "$out" /quirks "$(awk '{ printf "%s\"%s\"", (NR > 1 ? "," : "["), $0 } END { print "]" }' \
	"$scratch/names")"
FAKE=quirks=0 ends 0 "info without quirks" info
! grep -q '^quirks' "$out"
result $? "no row of quirks"
FAKE=quirks=0 ends 0 "info without quirks as JSON" info --json
json "$out" /quirks '[]'
export FAKE=rival
FAKE=two ends 0 "info of one counter" info
says "$out" "1 counter of 48 bits"
ends 0 "info with a rival" info
says "$out" "process 4711 (rival), which counts thread, process or tree 4712 with pmcdrv"
FAKE=tree ends 0 "info with a tree" info
says "$out" "process 4711 (rival), which counts process 4712 and its descendants with pmcdrv"
FAKE=tree ends 0 "info with a tree as JSON" info --json
json "$out" /counters/0/holder/scope '"tree"'
json "$out" /counters/0/holder/tid 4712
ends 0 "info with a rival as JSON" info --json
json "$out" /counters/0/holder/kind '"CONTEXT"'
json "$out" /counters/0/holder/pid 4711
json "$out" /counters/1/holder/kind '"NONE"'
FAKE=mmx ends 0 "info of a Pentium with MMX" info
! grep -q 'version\|^fixed\|0 counters' "$out"
result $? "no version and no fixed counters"
says "$out" "branch-misses: yes"
says "$out" "llc-misses: missing"
FAKE=mmx ends 0 "info of it as JSON" info --json
json "$out" /architectural_events/cycles true
json "$out" /architectural_events/llc-misses false
FAKE=full ends 0 "info while all counters are held" info
says "$out" "the counters can be used, but all are held now: see below"
FAKE=watchdog ends 0 "info with the watchdog" info
! grep -q "all are held" "$out"
result $? "one is held"
says "$out" "sysctl kernel.nmi_watchdog=0"
FAKE=noperfmon ends 0 "info without counters" info
says "$out" "a virtual machine without a PMU"
FAKE=noperfmon ends 0 "info without counters as JSON" info --json
json "$out" /usable false
json "$out" /status '"NO_PERFMON"'
FAKE=missing ends 125 "info without the module" info
says "$err" "pmcctl info: /dev/pmc does not exist: load the driver with 'modprobe pmcdrv'"
unset FAKE
ends 125 "info of no CPU" info -C 99
says "$err" "there is no CPU 99"
for cpu in -1 1x "" 4294967296 99999999999999999999999 " 1"; do
	ends 125 "info -C '$cpu'" info -C "$cpu"
	says "$err" "pmcctl info: -C, --cpu: '$cpu' is not a number from 0 to 2147483647"
	ends 125 "stat -C '$cpu'" stat --cpu "$cpu" true
	says "$err" "pmcctl stat: -C, --cpu: '$cpu' is not a number from 0 to 2147483647"
done
ends 125 "info -C without a number" info -C
says "$err" "needs a value"
ends 125 "info with an argument" info now
says "$err" "unexpected argument 'now'"
"$pmcctl" info >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "info into a full disk fails"
says "$err" "cannot write"

# ---- pce ----
FAKE_PCE=$scratch/pce
export FAKE_PCE
echo 1 >"$FAKE_PCE"
ends 0 "pce" pce
[ "$(cat "$out")" = "1: processes that hold a context which asked for it may read counters in user mode" ]
result $? "pce prints what 1 means"
echo '2 (overridden: perf forbids it)' >"$FAKE_PCE"
ends 0 "pce with more to say" pce
says "$out" "2: every process"
says "$out" "(overridden: perf forbids it)"
ends 0 "pce 0" pce 0
says "$out" "0: no process"
[ "$(head -c 1 "$FAKE_PCE")" = 0 ]
result $? "0 was written"
echo 7 >"$FAKE_PCE"
ends 125 "pce of a newer driver" pce
says "$err" "has the value '7'"
for setting in 3 -1 "" 00 1x " 1" on; do
	ends 125 "pce '$setting'" pce -- "$setting"
	says "$err" "is not 0, 1 or 2"
done
[ "$(cat "$FAKE_PCE")" = 7 ]
result $? "nothing was written"
ends 125 "pce 1 2" pce 1 2
says "$err" "unexpected argument '2'"
ends 125 "pce -z" pce -z
ends 0 "pce --help" pce --help
says "$out" "Usage: pmcctl pce [0|1|2]"
FAKE=missing ends 125 "pce without the module" pce
says "$err" "pce does not exist: load the driver"
FAKE=notroot ends 125 "pce 2 of a user" pce 2
says "$err" "run as root"
FAKE=nordpmc ends 125 "pce 1 without RDPMC" pce 1
says "$err" "no RDPMC for user mode"
FAKE="nordpmc pentiumpro" ends 125 "pce 1 on an early Pentium Pro" pce 1
says "$err" "RDPMC is broken in this stepping of the Pentium Pro"

# ---- stat ----
ends 0 "stat" stat true
says "$err" "Counted: true"
grep -q '^ *1000  instructions  *fixed0$' "$err" &&
	grep -q '^ *1001  cycles  *fixed1$' "$err" &&
	grep -q '^ *1002  branches  *general0$' "$err" &&
	grep -q '^ *1003  branch-misses  *general1$' "$err"
result $? "the four default events, in order"
[ ! -s "$out" ]
result $? "nothing on stdout"
ends 0 "stat of a talking command" stat -- echo hello
[ "$(cat "$out")" = hello ]
result $? "the command's stdout is its own"
FAKE=large ends 0 "stat with counts above 2^53" stat --json -e cycles:u,cpu/event=1,umask=2/:k true
json "$err" /events/0/counts/0 9007199254740993
json "$err" /events/1/counts/0 9007199254740994
json "$err" /events/0/min 9007199254740993
json "$err" /events/1/event '"cpu/event=1,umask=2/:k"'
json "$err" /events/1/user false
json "$err" /events/1/kernel true
json "$err" /events/0/counter '"fixed1"'
json "$err" /runs/0/exit_status 0
json "$err" /runs/0/signal null
json "$err" /runs/0/state '["ENDED"]'
json "$err" /runs/0/time_counted 3000
json "$err" /runs/0/cpu null
json "$err" /scope '"tree"'
json "$err" /pid null
json "$err" /runs/0/incomplete false
json "$err" /command '["true"]'
FAKE=huge ends 0 "stat with counts near 2^64" stat --json -r 3 -e cycles:u true
json "$err" /events/0/counts/0 18446744073709551599
ends 0 "several -e" stat -e cycles -e instructions:u --json true
json "$err" /events/1/event '"instructions:u"'
ends 0 "a command with odd bytes" stat --json "$(printf 'tr\377ue' | tr -d '\377')" "$(printf '\377')"
json "$err" /command/1 '"�"'

ends 0 "the files that the command gets" stat -o "$scratch/json" sh -c 'ls /proc/$$/fd'
[ "$(cat "$out")" = "$(sh -c 'ls /proc/$$/fd' 2>"$err")" ]
result $? "it gets none of pmcctl's"

# exit status
ends 7 "stat passes the status on" stat sh -c 'exit 7'
says "$err" "instructions"
ends 143 "stat of a command that is killed" stat sh -c 'kill -TERM $$'
says "$err" "instructions"
ends 137 "stat of a command that is killed hard" stat --json sh -c 'kill -KILL $$'
json "$err" /runs/0/signal 9
json "$err" /runs/0/exit_status null
ends 127 "no such command" stat "$scratch/nowhere"
says "$err" "cannot run '$scratch/nowhere': No such file or directory"
FAKE=two ends 127 "no such command, and events that do not fit" stat "$scratch/nowhere"
! grep -q "left out" "$err"
result $? "only the command is reported"
ends 127 "no such command in the path" stat no-such-command-at-all
! grep -q "is an event" "$err"
result $? "and no word of events"
ends 127 "an event without -e" stat instructions:u true
says "$err" "'instructions:u' is an event: to count it, write -e instructions:u"
ends 126 "not executable" stat "$err"
says "$err" "Permission denied"
ends 126 "a folder" stat "$scratch"

(
	trap '' HUP
	exec "$pmcctl" stat sh -c 'kill -HUP $$; exit 4' >"$out" 2>"$err"
)
[ $? -eq 4 ]
result $? "a signal that was ignored stays so for the command"

# repeats
ends 0 "stat -r 2" stat -r 2 -e cycles,instructions --json true
json "$err" /events/0/counts '[1000,1001]'
json "$err" /events/1/counts '[1001,1002]'
json "$err" /events/0/min 1000
json "$err" /events/0/max 1001
json "$err" /events/0/mean '{"floor":1000,"remainder":1,"divisor":2}'
json "$err" /runs/1/exit_status 0
ends 0 "stat -r 2 as a table" stat -r 2 -e cycles true
grep -q '^ *run 2  *1001$' "$err" && grep -q '^ *mean  *1000.500$' "$err"
result $? "run 2 and mean"
echo 0 >"$scratch/n"
ends 3 "the first status that is not 0" stat -r 3 sh -c "read n <$scratch/n; echo \$((n + 1)) >$scratch/n; [ \$n = 0 ] || exit \$((n + 2))"
[ "$(cat "$scratch/n")" = 3 ]
result $? "all three runs were made"

# scopes
# The bounds of --overcount: the count, and the same without one for each interrupt and fault
number() {
	"$json_get" "$1" <"$err"
}
FAKE=large ends 0 "stat --overcount" stat --overcount --json -e cycles:u,cycles:k,cpu/event=1/ true
[ "$(number /runs/0/overcount/page_faults)" -gt 0 ]
result $? "the command's start has page faults"
[ "$(number /runs/0/overcount/least/0)" -eq $(($(number /events/0/counts/0) -
	$(number /runs/0/overcount/interrupts) - $(number /runs/0/overcount/page_faults))) ]
result $? "the lower bound"
tr -d ' \n' <"$err" | grep -q '"least":\[[0-9]*,null,null\]'
result $? "kernel mode has no bounds"
ends 0 "stat --overcount -r 2" stat --overcount -r 2 -e instructions:u true
[ "$(grep -c '^ *[0-9,]* *to *[0-9,]* *instructions:u$' "$err")" -eq 2 ]
result $? "bounds of each run"
ends 0 "stat --overcount of kernel mode" stat --overcount -e instructions:k true
says "$err" "no event counts user mode alone"
ends 125 "stat --overcount --csv" stat --overcount --csv true
says "$err" "with the table or with --json only"
ends 0 "stat of a CPU" stat -C 1 --json -r 2 true
json "$err" /scope '"cpu"'
json "$err" /cpu 1
ends 0 "stat of all CPUs" stat -a --json true
json "$err" /scope '"all-cpus"'
json "$err" /cpu null
ends 0 "stat of all CPUs as a table" stat -a true
says "$err" "All CPUs while this ran: true"
ends 125 "stat of no CPU" stat -C 5 true
says "$err" "there is no CPU 5"
ends 125 "stat -a -C" stat -a -C 0 true
says "$err" "exclude each other"

ends 0 "stat of one thread" stat -i --json true
json "$err" /scope '"thread"'
ends 0 "stat --no-inherit" stat --no-inherit --json true
json "$err" /scope '"thread"'
ends 0 "stat --thread" stat --thread true
says "$err" "Counted, the first thread alone: true"
FAKE=incomplete ends 125 "stat with counts missing" stat --json -r 2 true
says "$err" "its counts are missing"
sed -i '/missing/d' "$err"
json "$err" /runs/0/incomplete true
json "$err" /runs/1/state '["ENDED","INCOMPLETE"]'
FAKE=uncounted ends 125 "stat with a CPU that cannot count" stat --json true
says "$err" "a CPU could not count this (see PMC_STATE_UNCOUNTED in pmcdrv(4)): the counts are too low"
sed -i '/too low/d' "$err"
json "$err" /runs/0/incomplete true
json "$err" /runs/0/state '["ENDED","UNCOUNTED"]'
FAKE=rewritten ends 125 "stat with counters that were rewritten" stat --json true
says "$err" "other software wrote the counters' registers meanwhile, or perf's file rdpmc was changed from 0: the counts are wrong; stop it and measure again"
sed -i '/measure again/d' "$err"
json "$err" /runs/0/incomplete true
json "$err" /runs/0/state '["ENDED","REWRITTEN"]'
FAKE="uncounted rewritten" ends 125 "stat with both" stat true
says "$err" "stop it and measure again"
! grep -q 'too low' "$err"
result $? "the cause alone is reported"
FAKE=storm ends 0 "stat with late interrupts" stat --json true
json "$err" /runs/0/incomplete false
json "$err" /runs/0/state '["ENDED","STORM"]'
FAKE=leaves ends 0 "a CPU that goes offline" stat -C 1 --json true
says "$err" "CPU 1 went offline; it was counted up to then"
FAKE=leaves ends 0 "one of two" stat -C 0,1 --json true
says "$err" "CPU 0 or another counted one went offline; it was counted up to then"

# a running process
sleep 1000 &
sleeper=$!
ends 0 "stat of a process while a command runs" stat -p $sleeper --json -r 2 -- true
json "$err" /scope '"process"'
json "$err" /pid $sleeper
json "$err" /events/0/counts '[1000,1000]'
json "$err" /runs/0/exit_status 0
ends 3 "the command's status" stat -p $sleeper sh -c 'exit 3'
says "$err" "Process $sleeper while this ran: sh -c exit 3"
FAKE=foreign ends 125 "another user's process" stat -e cycles:u -p $sleeper touch "$scratch/touched"
says "$err" "not allowed to count process $sleeper: another user's needs CAP_PERFMON"
FAKE=foreign ends 125 "default events of another user's process" stat -p $sleeper
says "$err" "not allowed to count process $sleeper"
! grep -q "user mode only" "$err"
result $? "and no word of user mode"
FAKE=unprivileged ends 0 "default events of a process without rights" stat -p $sleeper true
says "$err" "counting user mode only"
FAKE=gone ends 125 "a process that has just ended" stat -p $sleeper
says "$err" "there is no process $sleeper: it has ended, or never existed"
"$pmcctl" stat -p $sleeper --json >"$out" 2>"$err" &
job=$!
waits $job
kill -INT $job
kill -TERM $job
wait $job
result $? "stat of a process ends with a signal, and well"
json "$err" /events/0/counts '[1000]'
json "$err" /runs/0/exit_status null
json "$err" /runs/0/signal null
json "$err" /command '[]'
! grep -q "Ctrl-C" "$err"
result $? "and nothing is said meanwhile into a file"
# its terminal has Ctrl-C, once it has printed so
mkfifo "$scratch/keys"
(
	tries=0
	until grep -q "Ctrl-C" "$out" || [ $tries -ge 6000 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done 2>/dev/null
	printf '\003'
) >"$scratch/keys" &
: >"$out"
# exec: a shell between them would be interrupted too, and some end with that
script -qefc "exec $pmcctl stat -p $sleeper -e cycles" /dev/null <"$scratch/keys" >"$out" 2>&1
result $? "stat of a process ends with Ctrl-C on a terminal, and well"
says "$out" "counting process $sleeper until it ends, or until you press Ctrl-C"
grep -q '^ *1000  cycles' "$out"
result $? "after printing its counts"
"$pmcctl" stat -p $sleeper >"$out" 2>"$err" &
job=$!
waits $job
kill -KILL $sleeper
wait $job
result $? "stat of a process ends with it"
says "$err" "Process $sleeper:"
wait 2>>"$err"
ends 125 "stat of no process" stat -p $sleeper
says "$err" "there is no process $sleeper"
for pid in 0 -1 "" 1x 2147483648; do
	ends 125 "stat -p '$pid'" stat -p "$pid" true
	says "$err" "-p, --pid: '$pid' is not a number from 1 to 2147483647"
done
ends 125 "stat -p -C" stat -p 1 -C 0 true
says "$err" "exclude each other"
ends 125 "stat -p -i" stat -i -p 1 true
says "$err" "exclude each other"
ends 125 "stat -p -r without a command" stat -r 2 -p 1
says "$err" "-r needs a command"

# output file
ends 0 "stat -o" stat --json -o "$scratch/json" sh -c 'echo words >&2'
json "$scratch/json" /events/0/event '"instructions"'
[ "$(cat "$err")" = words ]
result $? "the command's stderr is its own"
# what an earlier run has left stays until there is something to write
echo before >"$scratch/kept"
ln -f "$scratch/kept" "$scratch/link"
ends 127 "stat -o, no such command" stat -o "$scratch/kept" "$scratch/nowhere"
ends 127 "stat --json -o, no such command" stat --json -I 1 -o "$scratch/kept" "$scratch/nowhere"
FAKE=setuid ends 125 "stat -o, nothing counted" stat -o "$scratch/kept" true
FAKE=unprivileged ends 125 "stat -o, not allowed" stat -o "$scratch/kept" -e cycles true
FAKE=missing ends 125 "stat -o, no driver" stat -o "$scratch/kept" true
FAKE=sigterm ends 143 "stat -o, a signal before the start" stat -o "$scratch/kept" touch "$scratch/touched"
[ "$(cat "$err")" = "pmcctl stat: signal 15 (Terminated): the command was not started" ] &&
	[ ! -e "$scratch/touched" ]
result $? "it is reported"
ends 127 "stat --openmetrics -o, no such command" stat --openmetrics -o "$scratch/kept" "$scratch/nowhere"
ln -s "$scratch/kept" "$scratch/symbolic"
ends 127 "stat --openmetrics -o a link, no such command" \
	stat --openmetrics -o "$scratch/symbolic" "$scratch/nowhere"
[ "$(cat "$scratch/kept")" = before ]
result $? "the file is as it was"
ends 127 "stat -o a new file, no such command" stat -o "$scratch/new" "$scratch/nowhere"
ln -s "$scratch/aim" "$scratch/arrow"
ends 127 "stat -o a link to none, no such command" stat -o "$scratch/arrow" "$scratch/nowhere"
[ ! -e "$scratch/new" ] && [ ! -e "$scratch/aim" ] && [ -L "$scratch/arrow" ]
result $? "none is left"
seq 1000 >"$scratch/kept"
ends 0 "stat -o" stat --csv -o "$scratch/kept" -e cycles true
[ "$(sed -n '1s/,.*//p' "$scratch/link")" = span ] && ! grep -q '^10*$' "$scratch/link"
result $? "it is replaced, under all its names"
ends 0 "stat -o a link to none" stat -o "$scratch/arrow" -e cycles true
grep -q ' cycles ' "$scratch/aim"
result $? "it is made"
mkdir "$scratch/closed"
echo before >"$scratch/closed/file"
chmod a-w "$scratch/closed"
ends 0 "stat -o in a closed folder" stat -o "$scratch/closed/file" -e cycles true
! grep -q before "$scratch/closed/file"
result $? "it is replaced"
chmod u+w "$scratch/closed"
mkfifo "$scratch/pipe"
cat "$scratch/pipe" >"$scratch/read" &
ends 0 "stat -o into a pipe" stat -o "$scratch/pipe" -e cycles true
wait $!
grep -q ' cycles ' "$scratch/read"
result $? "it comes out"
"$pmcctl" stat -o /dev/stdout -e cycles sh -c 'echo first; echo second' >"$out" 2>"$err"
[ "$(sed -n '1p;2p' "$out" | tr '\n' ' ')" = "first second " ] && grep -q ' cycles ' "$out"
result $? "stat -o /dev/stdout: behind the output of the command"
ends 125 "stat -o into no folder" stat -o "$scratch/no/where" touch "$scratch/touched"
says "$err" "cannot write to $scratch/no/where"
[ ! -e "$scratch/touched" ]
result $? "the command was not run"
ends 125 "stat -o into a full disk" stat -o /dev/full true
says "$err" "cannot write to /dev/full"

ends 125 "stat -o into no folder, replaced each time" \
	stat --openmetrics -o "$scratch/no-such/file" true
says "$err" "cannot write to $scratch/no-such/file: no file can be created in its folder: "
for twice in "stat -p 1 -p 2" "stat -C 0 --cpu=1" "stat -r 2 -r 3" "stat -o $scratch/a -o $scratch/b" \
	"stat -I 1 --interval=2" "record -c 5 -c 6" "record -o $scratch/a --output $scratch/b" \
	"sweep -e cycles --events=branches" "sweep -r 1 --runs 2" "report -i a -i b" \
	"monitor -n 1 -n 2" "info -C 0 -C 0" "list --complete=a --complete=b"; do
	# shellcheck disable=SC2086  # words
	ends 125 "$twice" $twice touch "$scratch/touched"
	says "$err" " is given twice"
done
[ ! -e "$scratch/touched" ]
result $? "nothing was run"

# rights and holders
FAKE=unprivileged ends 0 "default events without rights" stat --json true
sed -i 1d "$err"
json "$err" /events/0/event '"instructions:u"'
json "$err" /events/3/event '"branch-misses:u"'
FAKE=unprivileged ends 0 "default events twice without rights" stat -r 2 true
says "$err" "counting user mode only"
[ "$(grep -c "user mode only" "$err")" = 1 ]
result $? "said once"
FAKE=lockdown ends 0 "default events under lockdown" stat true
says "$err" "counting user mode only"
FAKE=unprivileged ends 125 "chosen events without rights" stat -e cycles touch "$scratch/touched"
says "$err" "add :u"
FAKE=unprivileged ends 125 "kernel mode of its own without rights" stat -e cycles:k true
says "$err" "replace its modes by :u"
FAKE=unprivileged ends 125 "a group without rights" stat -g cache true
says "$err" "group 'cache': counting kernel mode needs CAP_PERFMON; -g cache:u counts user mode only"
! grep -q 'add :u' "$err"
result $? "and no more"
FAKE=unprivileged ends 125 "a group's kernel mode without rights" stat -g cache:k -e branches true
says "$err" "-g cache:u counts user mode only, and so does :u after the events of -e"
FAKE=unprivileged ends 0 "a group without rights in user mode" stat -g cache:u true
FAKE=unprivileged ends 125 "a sweep without rights" sweep -k -e cycles true
says "$err" "counting kernel mode needs CAP_PERFMON: run as root, or omit -k"
FAKE=unprivileged ends 125 "a sweep of kernel mode without rights" sweep -e cycles:k true
says "$err" "event 'cycles:k': counting kernel mode needs CAP_PERFMON; replace its modes by :u"
FAKE="mmx unprivileged" ends 125 "parts of a group without rights" stat -g branch true
says "$err" "count it in parts: -e instructions:u,branches:u and then -e branch-misses:u"
FAKE=mmx ends 125 "parts of a group" stat -g branch true
says "$err" "count it in parts: -e instructions,branches and then -e branch-misses"
FAKE="mmx unprivileged" ends 0 "default events of a Pentium without rights" stat true
[ "$(grep -c "left out" "$err")" -eq 1 ]
result $? "what does not fit is reported once"
FAKE=mmx ends 0 "default events of a Pentium with MMX" stat true
[ "$(grep "left out" "$err")" = "pmcctl stat: left out: branches, branch-misses: these do not fit on the counters beside the others" ]
result $? "one line"
FAKE=pentium ends 0 "default events of a Pentium" stat true
[ "$(grep "left out" "$err")" = "pmcctl stat: left out: cycles, branch-misses: this processor does not have these" ]
result $? "one line, too"
FAKE=unprivileged ends 0 "user mode without rights" stat -e cycles:u true
FAKE=unprivileged ends 125 "a CPU without rights" stat -C 0 -e cycles:u touch "$scratch/touched"
says "$err" "needs CAP_PERFMON"
FAKE="lacking unprivileged" ends 125 "all CPUs without rights" stat -a touch "$scratch/touched"
[ "$(wc -l <"$err")" -eq 1 ] && grep -q "needs CAP_PERFMON" "$err"
result $? "one line, and not what is left out"
FAKE=lacking ends 0 "an event that the processor lacks" stat true
says "$err" "left out: event 'branch-misses': this processor does not have this architectural event; see 'pmcctl list br-misp'"
FAKE="lacking unprivileged" ends 0 "a command without rights" stat true
[ "$(grep -c "left out: event 'branch-misses': this processor does not have" "$err")" -eq 1 ]
result $? "what is left out is reported"
FAKE=watchdog ends 125 "the watchdog" stat -e r1:g=0 touch "$scratch/touched"
says "$err" "the counters are held by the kernel's NMI watchdog (free it with: sysctl kernel.nmi_watchdog=0)"
FAKE=rival ends 125 "a rival" stat -e r1:g=0 touch "$scratch/touched"
says "$err" "process 4711 (rival)"
FAKE=half ends 0 "default events where half of the counters are held" stat true
grep -q '^ *1000  instructions  *general2$' "$err" && grep -q '^ *1001  cycles  *general3$' "$err"
result $? "those that fit are counted on the others"
says "$err" "pmcctl stat: left out: branches, branch-misses; counters general0, general1 and fixed0 are held by process 4711 (rival)"
says "$err" "('pmcctl who' shows all)"
FAKE=half ends 0 "the same with intervals" stat --csv -I 1000 true
[ "$(grep -c '^run,.*,count,' "$err")" -eq 2 ] && [ "$(grep -c '^span,' "$err")" -eq 1 ]
result $? "one heading, and two events"
FAKE=half ends 0 "the same as a table" stat -I 1000 true
grep -q '^ *seconds  *instructions  *cycles$' "$err"
result $? "the heading has what is counted"
FAKE="half unprivileged" ends 0 "the same without rights" stat --json true
says "$err" "counting user mode only"
says "$err" "left out: branches:u, branch-misses:u; "
FAKE=half ends 0 "the same twice" stat -r 2 true
[ "$(grep -c 'left out' "$err")" -eq 1 ]
result $? "reported once"
FAKE=half ends 0 "a chosen event goes to a counter that is free" stat -e instructions true
grep -q '^ *1000  instructions  *general[23]$' "$err"
result $? "a general one"
FAKE=half ends 125 "chosen events that are too many" stat -e r1,r2,r3 touch "$scratch/touched"
says "$err" "these 3 events do not fit on others; count fewer at once, or wait until they are free ('pmcctl who' shows all)"
FAKE=full ends 125 "all counters are held" stat touch "$scratch/touched"
says "$err" "these 4 events do not fit on others"
! grep -q 'left out' "$err"
result $? "and nothing is left out"
FAKE=missing ends 125 "stat without the module" stat touch "$scratch/touched"
says "$err" "modprobe pmcdrv"
FAKE=noperfmon ends 125 "stat without counters" stat touch "$scratch/touched"
says "$err" "virtual machine without a PMU"
FAKE=badstart ends 125 "a start that fails" stat touch "$scratch/touched"
says "$err" "starting the counters"
FAKE=badread ends 125 "a read that fails" stat true
says "$err" "reading the counters"
FAKE=setuid ends 125 "a set-user-ID command" stat true
says "$err" "not counted: the command gains privileges"
! grep -q Counted: "$err"
result $? "no counts"
FAKE=two ends 0 "default events that do not fit" stat true
says "$err" "left out: event 'branch-misses' does not fit beside 'branches': only general0 can count these 2 events"
! grep -q "count fewer" "$err"
result $? "without advice that does not apply"
says "$err" "instructions"
FAKE=two ends 125 "chosen events that do not fit" stat -e branches,branch-misses touch "$scratch/touched"
says "$err" "does not fit beside 'branches'"
[ ! -e "$scratch/touched" ]
result $? "no command was run where counting failed"

# mistakes
ends 125 "stat without a command" stat
says "$err" "no command to run, and no -p or -t to count without one"
ends 125 "stat -a without a command" stat -a
says "$err" "no command to run; to count for ten seconds, add --timeout=10000"
ends 125 "a misspelled option" stat --jsn true
says "$err" "unknown option '--jsn'; did you mean '--json'?"
says "$err" "Try 'pmcctl stat --help'."
ends 125 "a misspelled option with a value" stat --repat=3 true
says "$err" "unknown option '--repat=3'; did you mean '--repeat'?"
ends 125 "a value that is too much" stat --json=x true
says "$err" "option '--json' takes no value"
ends 125 "an option like no other" stat --xyzzy true
! grep -q "did you mean" "$err"
result $? "nothing is suggested"
ends 125 "stat with an empty command" stat ""
says "$err" "name is empty"
ends 125 "stat with a misspelled event" stat -e cycels true
says "$err" "did you mean 'cycles'"
! grep -q Try "$err"
result $? "the help, which does not help, is not advised"
ends 0 "a group of perf" stat -e '{cycles,cpu/event=0xc4,name=jumps/k}:u,instructions' true
grep -q '^ *[0-9]*  cycles:u  ' "$err" && grep -q '^ *[0-9]*  jumps  ' "$err"
result $? "events with the group's modifiers, and with a name of their own"
ends 0 "the same as CSV" stat --csv -e 'cpu/event=0xc4,name=jumps/k' true
grep -q ',count,jumps,,' "$err"
result $? "the name"
ends 125 "modifiers of perf's groups" stat -e '{cycles:u,branches:u}:S' true
says "$err" "':S', where S is perf's counts with each sample"
ends 125 "half a group" stat -e 'cycles,branches}' true
says "$err" "a '}' without a '{' before it, at character 9 of the list 'branches}'"
ends 125 "stat with a period" stat -e cycles:p=1000 touch "$scratch/touched"
says "$err" "event 'cycles:p=1000' has a period: stat only counts; leave out :p"
ends 137 "a signal" stat -r 3 -e cycles sh -c 'kill -KILL $$'
says "$err" "signal 9 (Killed) ended the command in run 1 of 3: the last"
grep -q '^ *run 1 (cut off)  *1000$' "$err" && ! grep -q 'mean\|deviation' "$err"
result $? "it stands alone"
cat >"$scratch/third" <<FILE
echo >>$scratch/runs
[ \$(wc -l <$scratch/runs) -ne 3 ] || kill -TERM \$\$
FILE
ends 143 "a signal in run 3" stat -r 5 -e cycles,instructions sh "$scratch/third"
says "$err" "signal 15 (Terminated) ended the command in run 3 of 5: the last, and left out of min, max, mean and deviation"
grep -q '^ *run 2  *1001  *1002$' "$err" && grep -q '^ *run 3 (cut off)  *1002  *1003$' "$err" &&
	grep -q '^ *max  *1001  *1002$' "$err" && grep -q '^ *mean  *1000.500  *1001.500$' "$err" &&
	grep -q '^ *deviation  *0.707  *0.707$' "$err"
result $? "two whole runs"
rm "$scratch/runs"
ends 143 "the same as JSON" stat -r 5 -e cycles --json sh "$scratch/third"
json "$err" /events/0/counts '[1000,1001,1002]'
json "$err" /events/0/max 1001
json "$err" /events/0/mean '{"floor":1000,"remainder":1,"divisor":2}'
json "$err" /runs/1/cut_off false
json "$err" /runs/2/cut_off true
ends 125 "two groups" stat -g cache -g branch true
says "$err" "one group at a time: 'cache' or 'branch'; further events with -e"
ends 125 "two groups in one" stat -g cache:u,branches true
says "$err" "one group at a time, and 'cache:u,branches' is more"
echo 'group mine = instructions:u, cycles' >"$scratch/mine"
ends 125 "a group's mode against that of its event" stat --formulas="$scratch/mine" -g mine:k true
says "$err" "'instructions:u' of the group has modes of its own: leave out ':k'"
ends 0 "a list with spaces" stat -e 'cycles:u, branches:u ,instructions:u' true
ends 125 "stat with an empty event" stat -e cycles, true
says "$err" "an empty event, at character 8 of the list 'cycles,'"
ends 125 "stat with an empty event in between" stat -e cycles,,instructions true
says "$err" "an empty event, at character 8 of the list 'cycles,,instructions'"
ends 125 "stat with spaces for an event" stat -e 'cycles, ,instructions' true
says "$err" "an empty event, at character 8 of the list 'cycles, ,instructions'"
ends 125 "stat -e ''" stat -e "" true
ends 125 "refused bits" stat -e r4000c0 true
says "$err" "enable, set by the driver"
for runs in 0 -1 "" 1x 100001 18446744073709551617; do
	ends 125 "stat -r '$runs'" stat -r "$runs" true
	says "$err" "-r, --repeat: '$runs' is not a number from 1 to 100000"
done
ends 125 "33 events" stat -e "$(seq -s , 33 | sed 's/[0-9]*/r&/g')" true
says "$err" "more than 32 events"
ends 125 "stat with an unknown option" stat -Z true
says "$err" "unknown option '-Z'"
ends 125 "with more letters" stat --json -C 0 -ZC true
says "$err" "unknown option '-Z'"
ends 125 "after a known letter" stat -aZ true
says "$err" "unknown option '-Z'"
ends 125 "an option that takes no value" stat --all-cpus=1 true
says "$err" "option '--all-cpus' takes no value"
ends 0 "options of the command are its own" stat -e cycles sh -c 'exit 0' -r x

# signals: the command gets it, pmcctl prints what was counted
interrupt() {
	rm -f "$scratch/up" "$scratch/pid"
	"$pmcctl" stat -r 5 -e cycles sh -c "
		trap 'exit 5' $1
		echo \$\$ >$scratch/pid
		echo >$scratch/up
		while :; do sleep 0.05; done" >"$out" 2>"$err" &
	job=$!
	appears "$scratch/up"
	kill "-$2" $job
	wait $job
	got=$?
	[ "$got" -eq "$3" ]
	result $? "stat interrupted by $2: exit status $3 ($got)"
}

interrupt TERM TERM 5
says "$err" "signal 15 (Terminated) arrived during run 1 of 5: the last"
says "$err" "run 1 (cut off)"
! grep -q "run 2" "$err"
result $? "no run after a signal"
! kill -0 "$(cat "$scratch/pid")" 2>/dev/null
result $? "the command is gone"
interrupt TERM HUP 129
interrupt HUP KILL 137
kill -0 "$(cat "$scratch/pid")" 2>/dev/null
result $? "pmcctl killed: the command goes on by itself"
kill -KILL "$(cat "$scratch/pid")" 2>/dev/null

finish
