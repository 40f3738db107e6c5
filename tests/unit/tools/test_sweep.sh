#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl sweep with a fake driver: it counts 1000 for the first event of the
# first run, one more for each further event, and one more for each further run.
# Usage: test_sweep.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

log=$scratch/log
# The command: a line in the log each time it runs
cat >"$scratch/command" <<FILE
echo "\$*" >>$log
FILE

# ran TIMES: the command ran so often
ran() {
	[ "$(wc -l <"$log")" -eq "$1" ]
	result $? "the command ran $1 times"
	rm -f "$log"
}

# row PATTERN: a line of the output is this, from its begin to its end
row() {
	grep -qxE -- "$1" "$out"
	result $? "a row '$1'"
}

# ---- P5Stat ----
FAKE=pentium ends 0 "sweep of a Pentium" sweep sh "$scratch/command"
ran 20
says "$out" "38 events in 19 runs after a warm-up"
row "User mode of: sh $scratch/command"
row '  event  *count  per 1000 instr\.'
row '  DATA_READ  *1001  *[0-9]*\.[0-9]{3}'
row '  DATA_TLB_MISS  *1002  *[0-9]*\.[0-9]{3}'
row '  INSTRUCTIONS_EXECUTED  *[0-9]*  *1000\.000'
row '  BUS_CYCLE_DURATION  *10[0-9][0-9]  *[0-9]*\.[0-9]{3}'
[ "$(grep -cE '^  [A-Z_0-9]*  *10[0-9][0-9]  *[0-9.]*$' "$out")" -eq 38 ]
result $? "a row for each of the 38 events"
says "$err" "does not behave the same in each run: 1000 to 1011 instructions in user mode"
FAKE=mmx ends 0 "sweep of a Pentium with MMX" sweep sh "$scratch/command"
ran 38
says "$out" "74 events in 37 runs"
row '  NUMBER_OF_CYCLES_NOT_IN_HALT_STATE  *[0-9]*  *[0-9.]*'
FAKE=p6 ends 0 "sweep of the P6 family" sweep sh "$scratch/command"
says "$out" "122 events in 61 runs"
rm -f "$log"
LIBPFM_FORCE_PMU=netburst_p FAKE=netburst ends 0 "sweep of a NetBurst" sweep sh "$scratch/command"
says "$out" "188 events in 24 runs"
row '  instructions  *[0-9]*  *1000\.000'
says "$out" "25 left out because they cannot be counted"
rm -f "$log"
# 60 events of two registers of offcore response, each with a value of its own, beside the others;
# 8 of perf's names with further values, 10 of the front end
LIBPFM_FORCE_PMU=skx FAKE="core=85:f:7 steady" ends 0 "sweep of a Skylake-X" \
	sweep sh "$scratch/command"
says "$out" "357 events in 89 runs"
ends 0 "the register's value as CSV" sweep -e LLC-stores,branches --csv sh "$scratch/command"
[ "$(sed 's/,.*,/ /' "$out" | tr '\n' ' ')" = \
	"event event_extra LLC-stores:u 0x3fc0010002 branches:u 0x0 " ]
result $? "it is in the last column"
ends 0 "and as JSON" sweep -e LLC-stores,branches --json sh "$scratch/command"
json "$out" /events/0/event_select '"0x1b7"'
json "$out" /events/0/event_extra '"0x3fc0010002"'
json "$out" /events/1/event_extra '"0x0"'
rm -f "$log"
FAKE=mmx ends 0 "events of both counters" sweep -e RETURNS,RSB_OVERFLOWS,BRANCHES sh "$scratch/command"
ran 3
FAKE=mmx ends 0 "the architectural names" sweep -e architectural --json sh "$scratch/command"
[ "$(grep -o '"event": *"[a-z-]*:u"' "$out" | tr -d ' ' | cut -d '"' -f 4 | sort | tr '\n' ' ')" = \
	"branch-misses:u branches:u cycles:u instructions:u " ]
result $? "all that it has, also what the table calls so"
rm -f "$log"

# ---- clocks ----
FAKE=pentium ends 0 "clocks" sweep --clocks -e DATA_READ,BRANCHES --json sh "$scratch/command"
ran 3
json "$out" /events/0/event '"DATA_READ:u"'
json "$out" /events/0/counts '[1001]'
json "$out" /events/0/clocks '[1002]'
"$json_get" /events/0/clocks_each <"$out" | grep -q '^1\.000999000999'
result $? "1002 / 1001 clocks each"
json "$out" /events/1/clocks '[1003]'
json "$out" /runs_each_pass 2
FAKE=mmx ends 0 "clocks where one counter cannot" sweep --clocks -e RETURNS,DATA_READ --json sh "$scratch/command"
ran 3
json "$out" /events/0/clocks null
json "$out" /events/1/clocks '[1003]'
FAKE=pentium ends 0 "a duration, with clocks" sweep --clocks -e BUS_CYCLE_DURATION --json sh "$scratch/command"
json "$out" /events/0/event '"BUS_CYCLE_DURATION:n:u"'
json "$out" /events/0/event_select '"0x18"'
json "$out" /events/0/counts '[1001]'
json "$out" /events/0/clocks '[1002]'
FAKE=pentium ends 0 "a duration, without them" sweep -e BUS_CYCLE_DURATION,BUS_CYCLE_DURATION:n --json sh "$scratch/command"
json "$out" /events/0/event '"BUS_CYCLE_DURATION:u"'
json "$out" /events/0/event_select '"0x118"'
json "$out" /events/1/event_select '"0x18"'
FAKE=mmx ends 0 "a duration of one counter, with clocks" sweep --clocks -e NUMBER_OF_CYCLES_NOT_IN_HALT_STATE,DATA_READ --json sh "$scratch/command"
json "$out" /events/0/event '"NUMBER_OF_CYCLES_NOT_IN_HALT_STATE:u"'
json "$out" /events/0/event_select '"0x130"'
json "$out" /events/0/clocks null
FAKE=pentium ends 0 "other names of a duration, with clocks" sweep --clocks -e BUS_CYCLE_DURATION,bus-cycle-duration sh "$scratch/command"
row 'BUS_CYCLE_DURATION is the same event as bus-cycle-duration'
FAKE=mmx ends 125 "a duration of one counter alone, with clocks" sweep --clocks -e cycles touch "$scratch/ran"
says "$err" "none of these events can be counted together with its clocks"
[ ! -e "$scratch/ran" ]
result $? "nothing was run"
rm -f "$log"
FAKE=pentium ends 0 "clocks as a table" sweep --clocks sh "$scratch/command"
ran 39
row '  event  *count  *per 1000 instr\.  *clocks each'
row '  DATA_READ  *1001  *[0-9.]*  *1\.001'
ends 125 "what is no kind of core" sweep --kind=big touch "$log"
says "$err" "'big' is not a core type"
ends 125 "a kind of core that is not there" sweep --kind=atom touch "$log"
says "$err" "no CPU has the core type atom"
ends 125 "--cputype with what is no core type" sweep --cputype=big touch "$log"
says "$err" "--cputype: 'big' is not a core type"
ends 125 "clocks elsewhere" sweep --clocks sh "$scratch/command"
says "$err" "it is for the Pentium"
[ ! -e "$log" ]
result $? "the command did not run"

# ---- architectural performance monitoring ----
ends 0 "sweep of a Skylake" sweep --json sh "$scratch/command"
runs=$("$json_get" /runs_each_pass <"$out")
ran $((runs + 1))
json "$out" /events/0/event '"cycles:u"'
json "$out" /same_each_time false
json "$out" /runs/0/pass 0
json "$out" /runs/0/instructions 1000
json "$out" /runs/1/instructions 1001
json "$out" "/runs/$runs/run" "$runs"
grep -q '"reason": .*selects loads by their latency' "$out"
result $? "load latency is left out"
grep -q '"reason": .*sibling thread' "$out"
result $? "what counts other programs is left out"
ends 0 "a pattern" sweep -e 'L1D*' --csv sh "$scratch/command"
says "$out" 'event,event_select,pass,run,count,per_1000_instructions,clocks,clocks_each,other_names,event_extra'
grep -qxE 'L1D:REPLACEMENT:u,0x151,1,1,1002,[0-9.]*,,,,0x0' "$out"
result $? "a row for L1D:REPLACEMENT"
rm -f "$log"
ends 0 "a pattern for unit masks" sweep -e 'L1D_PEND_MISS:pending*' --csv sh "$scratch/command"
[ "$(grep -c "^L1D_PEND_MISS:PENDING" "$out")" -eq 2 ] && [ "$(wc -l <"$out")" -eq 3 ]
result $? "two of them; the third counts other programs too"
ends 0 "a pattern without ':' that unit masks fit" sweep -e 'br_inst*near-ret*' --csv sh "$scratch/command"
[ "$(sed -n '2,$s/,.*//p' "$out" | tr '\n' ' ')" = "BR_INST_RETIRED:NEAR_RETURN:u " ]
result $? "it, and not what fits in part"
ends 0 "a pattern that a name and unit masks fit" sweep -e '*l1d-pend*' --csv sh "$scratch/command"
[ "$(sed -n '2,$s/,.*//p' "$out" | tr '\n' ' ')" = "CYCLE_ACTIVITY:CYCLES_L1D_PENDING:u L1D_PEND_MISS:PENDING:u L1D_PEND_MISS:FB_FULL:u L1D_PEND_MISS:PENDING_CYCLES:u L1D_PEND_MISS:OCCURRENCES:u " ]
result $? "all of a name that fits itself but for what counts other programs; of others what fits"
rm -f "$log"

# ---- an event by its name ----
ends 0 "an event with unit masks by its name" sweep -e idq_uops_not_delivered --csv sh "$scratch/command"
"$pmcctl" list -l IDQ_UOPS_NOT_DELIVERED >"$scratch/idq"
masks=$(grep -c '^        :' "$scratch/idq")
[ "$masks" -gt 4 ] && [ "$(grep -c '^IDQ_UOPS_NOT_DELIVERED:[A-Z0-9_]*:u,' "$out")" -eq "$masks" ]
result $? "each of its $masks unit masks by itself"
rm -f "$log"
ends 0 "one that a unit mask is taken of when none is given" sweep -e BR_INST_RETIRED:k --csv sh "$scratch/command"
grep -q '^BR_INST_RETIRED:NEAR_CALL:k,' "$out" && [ "$(grep -c '^BR_INST_RETIRED:' "$out")" -gt 5 ]
result $? "each of them, in kernel mode"
rm -f "$log"
ends 0 "one with a unit mask" sweep -e BR_INST_RETIRED:NEAR_CALL,br-inst-retired:NEAR-RETURN:k --csv sh "$scratch/command"
[ "$(sed -n '2,$s/,.*//p' "$out" | tr '\n' ' ')" = "BR_INST_RETIRED:NEAR_CALL:u br-inst-retired:NEAR-RETURN:k " ]
result $? "these alone"
rm -f "$log"
FAKE=p6 ends 0 "unit masks of one letter" sweep -e L2_LD:e:c=1,L2_ST:E,L2_RQSTS:M:E --csv sh "$scratch/command"
[ "$(sed -n '2,$s/,.*//p' "$out" | tr '\n' ' ')" = "L2_LD:M:e:c=1:u L2_LD:E:e:c=1:u L2_LD:S:e:c=1:u L2_LD:I:e:c=1:u L2_LD:MESI:e:c=1:u L2_ST:E:u L2_RQSTS:M:E:u " ]
result $? "small letters are modifiers, capitals unit masks"
rm -f "$log"
ends 125 "one of which nothing can be counted" sweep -e MEM_TRANS_RETIRED,branches touch "$log"
says "$err" "event 'MEM_TRANS_RETIRED': selects loads by their latency, of which the hardware counts only a random sample"
ends 125 "a modifier that there is not" sweep -e IDQ:q touch "$log"
says "$err" "event 'IDQ:q': "
says "$err" "IDQ has no unit mask or modifier ':q'"
ends 125 "what the processor lacks" sweep -e slots touch "$log"
says "$err" "event 'slots': this processor does not have this architectural event"
ends 125 "nothing to count" sweep -e 'mem_trans_*,slots*' touch "$log"
[ "$(cat "$err")" = "pmcctl sweep: left out MEM_TRANS_RETIRED:LOAD_LATENCY and $("$pmcctl" list -l MEM_TRANS_RETIRED | grep -c refused | awk '{ print $1 - 1 }') more: selects loads by their latency, of which the hardware counts only a random sample
$(sed -n 2p "$err")
pmcctl sweep: there is nothing to count" ] && sed -n 2p "$err" |
	grep -q '^pmcctl sweep: left out slots: this processor does not have this architectural event; '
result $? "with the reasons"
[ ! -e "$log" ]
result $? "nothing was run"

# ---- other names ----
ends 0 "other names" sweep -e cpu-cycles,cycles,r003c,ref-cycles sh "$scratch/command"
row 'cpu-cycles is the same event as cycles, r003c'
row '2 events in 1 run after a warm-up'
ends 0 "as CSV" sweep --csv -e cpu-cycles,cycles,r003c,cycles sh "$scratch/command"
grep -q '^cpu-cycles:u,.*,cycles:u r003c:u,0x0$' "$out"
result $? "in the column before the last"
ends 0 "as JSON" sweep --json -e 'branch*s,BRANCH-*,BRANCHES' sh "$scratch/command"
json "$out" /events/0/other_names '["branch-loads:u","BRANCH_INSTRUCTIONS_RETIRED:u"]'
json "$out" /events/1/other_names '["branch-load-misses:u"]'
ends 0 "of patterns" sweep -e 'branch*' sh "$scratch/command"
row '3 other names of the same events; -v prints them'
! grep -q 'is the same event' "$out"
result $? "they are not asked for"
ends 0 "of patterns with -v" sweep -v -e 'branch*' sh "$scratch/command"
row 'branches is the same event as BRANCH_INSTRUCTIONS_RETIRED, branch-loads'
! grep -q 'prints them' "$out"
result $? "all of them"
ends 0 "what a pattern has already" sweep -e 'branch*,BRANCH_INSTRUCTIONS_RETIRED' sh "$scratch/command"
row 'branches is the same event as BRANCH_INSTRUCTIONS_RETIRED'
rm -f "$log"
ends 0 "spaces in the set" sweep -e 'branches , cycles' --csv sh "$scratch/command"
grep -q '^branches:u,' "$out" && grep -q '^cycles:u,' "$out"
result $? "are nothing"
rm -f "$log"
ends 125 "a pattern that no unit mask fits" sweep -e 'L1D_PEND_MISS:no*' sh "$scratch/command"
says "$err" "no event matches 'L1D_PEND_MISS:no*'"
rm -f "$log"
ends 0 "what is left out" sweep -v -e 'mem_trans_*,slots*,branches' sh "$scratch/command"
row 'left out MEM_TRANS_RETIRED with [0-9]* unit masks: selects loads by their latency, of which the hardware counts only a random sample'
row "left out slots: this processor does not have this architectural event; .*"
[ "$(grep -c '^left out' "$out")" -eq 2 ]
result $? "a line for each event"
ends 0 "one that is left out" sweep -e 'slots*,branches' sh "$scratch/command"
row '1 left out because it cannot be counted; -v prints why'
rm -f "$log"
ends 0 "the long names of options" sweep --runs=2 --events=branches --json sh "$scratch/command"
json "$out" /events/0/counts '[1002,1003]'
rm -f "$log"
ends 0 "those of stat" sweep --repeat 2 --event branches --json sh "$scratch/command"
json "$out" /events/0/counts '[1002,1003]'
rm -f "$log"
ends 0 "modes of an event's own" sweep -e cycles:k,instructions:u,branches --json \
	sh "$scratch/command"
json "$out" /events/0/event '"cycles:k"'
json "$out" /events/1/event '"instructions:u"'
json "$out" /events/2/event '"branches:u"'
ends 0 "modes of an event's own beside -k" sweep -k -e cycles:u,cycles:k:e,branches,cycles --json \
	sh "$scratch/command"
json "$out" /events/0/event '"cycles:u"'
json "$out" /events/1/event '"cycles:k:e"'
json "$out" /events/2/event '"branches:uk"'
json "$out" /events/3/event '"cycles:uk"'
ends 125 "a period" sweep -e cycles:p=5 sh "$scratch/command"
says "$err" "sweep only counts; leave out :p"
rm -f "$log"
ends 0 "the same by three names" sweep -e branches,r00c4,BRANCH_INSTRUCTIONS_RETIRED,cycles --json sh "$scratch/command"
json "$out" /events/0/event '"branches:u"'
json "$out" /events/1/event '"cycles:u"'
rm -f "$log"
ends 0 "kernel mode" sweep -k -e instructions,branches --json sh "$scratch/command"
json "$out" /events/0/event '"instructions:uk"'
json "$out" /kernel true
json "$out" /events/0/per_1000_instructions 1000.0
rm -f "$log"

# ---- several times ----
ends 0 "three times" sweep -r 3 -e branches,llc-misses --json sh "$scratch/command"
ran 4
json "$out" /passes 3
json "$out" /events/0/counts '[1002,1003,1004]'
json "$out" /events/0/min 1002
json "$out" /events/0/max 1004
json "$out" /events/0/mean 1003.0
json "$out" /events/0/deviation 1.0
json "$out" /runs/3/pass 3
ends 0 "three times as a table" sweep -r 3 -e branches sh "$scratch/command"
row '  event  *mean  *min  *max  *deviation  *per 1000 instr\.'
row '  branches  *1003\.000  *1002  *1004  *1\.000  *1000\.998'
row '1 event in 3 runs after a warm-up'
rm -f "$log"

# ---- a command that does not do the same ----
cat >"$scratch/fickle" <<FILE
echo >>$log
[ \$(wc -l <$log) -ne 3 ] || exit 7
FILE
ends 7 "a run that ends otherwise" sweep -r 4 -e branches sh "$scratch/fickle"
says "$err" "run 2 ended with status 7, the warm-up with status 0"
ran 5
FAKE=steady ends 0 "one that does the same" sweep -r 4 -e branches --json sh "$scratch/command"
json "$out" /same_each_time true
[ ! -s "$err" ]
result $? "nothing is said"
rm -f "$log"
ends 9 "the status of all runs" sweep -e branches sh -c 'exit 9'
! grep -q "ended with status" "$err"
result $? "the same each time"
ends 137 "a signal that ends each run" sweep -e branches --json sh -c 'kill -KILL $$'
json "$out" /runs/0/signal 9
json "$out" /runs/1/signal 9
says "$err" "pmcctl sweep: signal 9 (Killed) ended the command in each run"
cat >"$scratch/once" <<FILE
echo >>$log
[ \$(wc -l <$log) -ne 2 ] || kill -TERM \$\$
FILE
ends 143 "a signal that ends one run" sweep -e branches -r 2 sh "$scratch/once"
says "$err" "run 1 ended with signal 15 (Terminated), the warm-up with status 0"
rm -f "$log"
FAKE=sigterm ends 143 "a signal before the warm-up" sweep -e branches -o "$scratch/kept" touch "$log"
[ "$(cat "$err")" = "pmcctl sweep: signal 15 (Terminated): the command was not started" ] &&
	[ ! -e "$log" ] && [ ! -e "$scratch/kept" ]
result $? "is reported, and leaves no file"

# ---- input and output ----
echo first >"$scratch/input"
echo second >>"$scratch/input"
ends 0 "a file as input" sweep -r 2 -e branches sh -c "read a; echo \$a >>$log" <"$scratch/input"
[ "$(sort -u "$log")" = first ]
result $? "every run reads it from its begin"
ran 3
{
	read -r line
	"$pmcctl" sweep -e branches sh -c "read a; echo \$a >>$log" >"$out" 2>"$err"
} <"$scratch/input"
[ "$line $(sort -u "$log")" = "first second" ]
result $? "or from where it was"
rm -f "$log"
echo piped | "$pmcctl" sweep -e branches sh -c "read a; echo \"[\$a]\" >>$log" >"$out" 2>"$err"
[ "$(sort -u "$log")" = "[]" ]
result $? "a pipe is not given to it"
rm -f "$log"
ends 0 "its output" sweep -e branches -o "$scratch/report" sh -c 'echo words; echo errors >&2'
[ ! -s "$out" ]
result $? "is not shown"
[ "$(grep -c errors "$err")" -eq 1 ]
result $? "but what the warm-up has to complain"
ends 0 "--show-output" sweep --show-output -e branches -o "$scratch/report" sh -c 'echo words; echo errors >&2'
[ "$(grep -c words "$out")" -eq 2 ] && [ "$(grep -c errors "$err")" -eq 2 ]
result $? "shows all of it"
grep -q '^  branches ' "$scratch/report"
result $? "and the report is in the file"
script -qec "FAKE=pentium $pmcctl sweep true" /dev/null >"$out" 2>&1
says "$out" "warming up, 19 runs to come"
grep -q "run 19 of 19, [0-9]*:[0-5][0-9] left" "$out"
result $? "until the last of them"
ends 0 "no progress in a file" sweep -e branches true
! grep -q "left" "$err"
result $? "none"

# ---- interrupted ----
cat >"$scratch/slow" <<FILE
echo >>$log
[ \$(wc -l <$log) -lt 4 ] || exec sleep 1000
FILE
# interrupt RUNS ARGUMENT...: once the command runs for the RUNSth time
interrupt() {
	runs=$1
	shift
	FAKE=pentium "$pmcctl" sweep "$@" >"$out" 2>"$err" &
	job=$!
	tries=0
	until [ "$(wc -l 2>/dev/null <"$log")" -ge "$runs" ] || [ $tries -ge 6000 ]; do
		sleep 0.01
		tries=$((tries + 1))
	done 2>/dev/null
	kill -TERM $job
	wait $job
	[ $? -eq 143 ]
	result $? "sweep interrupted: exit status 143"
}

interrupt 4 sh "$scratch/slow"
[ "$(cat "$err")" = "pmcctl sweep: signal 15 (Terminated) arrived during run 3 of 19: 34 of 38 events were not counted" ]
result $? "that is reported"
row '4 of 38 events in 2 runs after a warm-up; not made: 17'
row '  DATA_READ  *1001  *[0-9.]*'
[ "$(grep -cE '^  [A-Z_0-9]+  +-$' "$out")" -eq 34 ]
result $? "34 without a count, and nothing behind it"
rm -f "$log"
interrupt 1 sh -c "echo >>$log; exec sleep 1000"
[ "$(cat "$err")" = "pmcctl sweep: signal 15 (Terminated) arrived during the warm-up: nothing was counted" ] &&
	[ ! -s "$out" ]
result $? "nothing but that is reported"
rm -f "$log"
interrupt 2 -e BRANCHES sh -c "echo >>$log; [ \$(wc -l <$log) -lt 2 ] || exec sleep 1000"
says "$err" "arrived during run 1 of 1: 1 of 1 event was not counted"
rm -f "$log"
interrupt 4 --json sh "$scratch/slow"
json "$out" /events/0/counts '[1001]'
json "$out" /events/37/counts '[]'
"$json_get" /runs/2/pass <"$out" >/dev/null
result $? "the runs that were over are kept"
! "$json_get" /runs/3/pass <"$out" >/dev/null 2>&1
result $? "and no other"
rm -f "$log"

# ---- mistakes ----
ends 127 "no such command" sweep "$scratch/nowhere"
says "$err" "cannot run '$scratch/nowhere'"
ends 127 "no such command, and no such event" sweep -e branchs no-such-command
[ "$(cat "$err")" = "pmcctl sweep: cannot run 'no-such-command': No such file or directory" ]
result $? "before anything is planned"
cp "$scratch/command" "$scratch/found"
chmod +x "$scratch/found"
whole_path=$(realpath "$pmcctl")
(
	cd "$scratch" || exit
	for path in "$scratch" "/nowhere:$scratch" "$scratch:/nowhere" "" "/nowhere:" ":/nowhere"; do
		PATH=$path FAKE=pentium "$whole_path" sweep -e DATA_READ found || exit
	done
) >"$out" 2>"$err"
result $? "it is looked for in all folders of PATH"
env -u PATH FAKE=pentium "$pmcctl" sweep -e DATA_READ true >"$out" 2>"$err"
result $? "without PATH it is looked for where the C library does"
rm -f "$log"
ends 126 "not executable" sweep "$err"
ends 125 "no command" sweep
says "$err" "no command to run"
ends 125 "an empty command" sweep ""
ends 125 "no such event" sweep -e branchs sh "$scratch/command"
says "$err" "did you mean 'branches'"
ends 125 "no such pattern" sweep -e 'Q*' sh "$scratch/command"
says "$err" "no event matches 'Q*'"
ends 125 "an empty set" sweep -e "" sh "$scratch/command"
says "$err" "--event is empty"
ends 125 "an event that cannot be counted" sweep -e slots sh "$scratch/command"
says "$err" "does not have this architectural event"
for runs in 0 -1 "" 1x 1001; do
	ends 125 "sweep -r '$runs'" sweep -r "$runs" sh "$scratch/command"
	says "$err" "-r, --repeat: '$runs' is not a number from 1 to 1000"
done
FAKE=noperfmon ends 125 "no counters" sweep -e branches sh "$scratch/command"
says "$err" "virtual machine without a PMU"
FAKE=missing ends 125 "no driver" sweep sh "$scratch/command"
says "$err" "modprobe pmcdrv"
FAKE=watchdog ends 125 "the watchdog" sweep -e 'r1:g=0' sh "$scratch/command"
says "$err" "sysctl kernel.nmi_watchdog=0"
FAKE=metrics ends 0 "a processor with performance metrics" sweep -e all --json true
! grep -q '"metrics' "$out" && grep -q '"slots:u"' "$out"
result $? "they are fractions of one thread, and not counted"
FAKE=metrics ends 125 "nor by a pattern" sweep -e 'metric*' true
says "$err" "no event matches 'metric*'"
FAKE=half ends 0 "half of the counters are held" sweep -e architectural --json true
says "$err" "pmcctl sweep: counters general0, general1, fixed0 and fixed1 are held by process 4711 (rival), which"
says "$err" "counting on the free counters ('pmcctl who' shows all)"
[ "$(grep -c 'are held by' "$err")" -eq 1 ]
result $? "reported once"
json "$out" /runs_each_pass 4
json "$out" /events/7/event '"ref-cycles:u"'
FAKE=full ends 125 "all counters are held" sweep -e architectural sh "$scratch/command"
grep -q "there is nothing to count: counters general0, .* are held by process 4711" "$err" &&
	[ "$(wc -l <"$err")" -eq 1 ]
result $? "one line, with the holder"
FAKE=unprivileged ends 125 "kernel mode without rights" sweep -k -e branches sh "$scratch/command"
says "$err" "needs CAP_PERFMON: run as root, or omit -k"
FAKE=unprivileged ends 0 "user mode without rights" sweep -e branches true
ends 125 "two formats" sweep --json --csv true
ends 125 "an unknown option" sweep -Z true
says "$err" "unknown option '-Z'"
ends 0 "sweep --help" sweep --help
says "$out" "Usage: pmcctl sweep"
echo before >"$scratch/kept"
ends 127 "into a file, no such command" sweep -o "$scratch/kept" "$scratch/nowhere"
ends 125 "into a file, nothing to count" sweep -o "$scratch/kept" -e mem_trans_retired true
FAKE=missing ends 125 "into a file, no driver" sweep -o "$scratch/kept" true
[ "$(cat "$scratch/kept")" = before ]
result $? "it is as it was"
ends 0 "into a file" sweep -o "$scratch/kept" -e branches true
! grep -q before "$scratch/kept" && grep -q '^  branches ' "$scratch/kept"
result $? "it is replaced"
ends 125 "into no folder" sweep -o "$scratch/no/where" sh "$scratch/command"
says "$err" "cannot write to $scratch/no/where"
[ ! -e "$log" ]
result $? "no command was run where something was wrong"
"$pmcctl" sweep -e branches true >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "into a full disk"

while read -r list place; do
	ends 125 "sweep -e $list" sweep -e "$list" true
	says "$err" "an empty event, at character $place of the list '$list'"
done <<END
branches, 10
,branches 1
branches,,cycles 10
, 1
END

finish
