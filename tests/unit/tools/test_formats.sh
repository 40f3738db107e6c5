#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl stat with a fake driver: groups, figures, intervals, CPUs, CSV and
# metrics.
# Usage: test_formats.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# row FILE PATTERN: a line of the file is this, from its begin to its end
row() {
	grep -qxE -- "$2" "$1"
	result $? "a row '$2'"
}

# ---- figures ----
ends 0 "figures" stat -e instructions:u,cycles:u,branches:k,branch-misses:k true
row "$err" ' *0\.999  instructions per cycle \(:u\)'
row "$err" ' *100\.100%  branch mispredict rate \(:k\)'
! grep -q "misses per 1000" "$err"
result $? "no figure of events in different modes"
ends 0 "figures of the same event in both modes" stat -e instructions:u,cycles:u,instructions:k,cycles:k true
row "$err" ' *0\.999  instructions per cycle \(:u\)'
row "$err" ' *0\.999  instructions per cycle \(:k\)'
[ "$(grep -c "per cycle" "$err")" -eq 2 ]
result $? "each once"
ends 0 "figures as JSON" stat --json -e INSTRUCTIONS,branch_misses true
json "$err" /figures/0/name '"branch misses per 1000 instructions"'
json "$err" /figures/0/value 1001.0
json "$err" /figures/0/modifiers '""'
ends 0 "an event with an extra register" stat --json -e LLC-stores:u,branches,cpu/r01b7,config1=0x3fc0010002,name=x/ true
json "$err" /events/0/event_select '"0x1b7"'
json "$err" /events/0/event_extra '"0x3fc0010002"'
json "$err" /events/1/event_select '"0xc4"'
json "$err" /events/1/event_extra '"0x0"'
json "$err" /events/2/event '"x"'
json "$err" /events/2/event_extra '"0x3fc0010002"'
ends 0 "no figures" stat --json -e branches true
json "$err" /figures '[]'

# ---- groups ----
ends 0 "a group" stat -g cache --json true
json "$err" /events/0/event '"instructions"'
json "$err" /events/2/event '"llc-misses"'
json "$err" /figures/1/name '"last-level cache misses per 1000 instructions"'
ends 0 "a group in user mode" stat -g branch:u --json true
json "$err" /events/2/event '"branch-misses:u"'
ends 0 "a group beside events" stat -e llc-misses -g branch --json true
json "$err" /events/0/event '"llc-misses"'
json "$err" /events/3/event '"branch-misses"'
ends 125 "no such group" stat -g nothing touch "$scratch/touched"
says "$err" "no group 'nothing'; there are: default, branch, cache, detailed"
ends 125 "a group with a bad modifier" stat -g branch:z touch "$scratch/touched"
says "$err" "unknown modifier ':z'"
! grep -q 'built-in' "$err"
result $? "the group is not to blame"
printf '# wrong\n\ngroup q = cycles, nosuchev\ngroup default = nosuchev\n' >"$scratch/wrong"
for modifier in "" :u; do
	ends 125 "a group with an event that is none" \
		stat --formulas="$scratch/wrong" -g "q$modifier" touch "$scratch/touched"
	says "$err" "pmcctl stat: $scratch/wrong:3: group 'q': no event 'nosuchev'"
done
ends 125 "likewise the default group" stat --formulas="$scratch/wrong" touch "$scratch/touched"
says "$err" "pmcctl stat: $scratch/wrong:4: group 'default': no event 'nosuchev'"

FAKE=lacking ends 0 "a group of which this processor lacks an event" stat -g branch --json -o "$scratch/json" true
says "$err" "left out: event 'branch-misses'"
json "$scratch/json" /events/0/event '"instructions"'
json "$scratch/json" /events/1/event '"branches"'
json "$scratch/json" /events/1/counts '[1001]'
! "$json_get" /events/2 <"$scratch/json" >/dev/null 2>&1
result $? "the others are counted"
FAKE=lacking ends 125 "the same event by itself" stat -e branch-misses -g branch touch "$scratch/touched"
says "$err" "event 'branch-misses': this processor does not have this architectural event"
echo 'group gone = branch-misses' >"$scratch/gone"
FAKE=lacking ends 125 "nothing left of a group" stat --formulas "$scratch/gone" -g gone touch "$scratch/touched"
says "$err" "event 'branch-misses': this processor does not have this architectural event"
! grep -q "left out" "$err"
result $? "it is not left out"
FAKE=mmx ends 125 "a group of which the Pentium has instructions alone" stat -g cache:u touch "$scratch/touched"
says "$err" "left out: event 'llc-references:u': a Pentium with MMX technology has no such event"
says "$err" "this processor has of group 'cache:u' only instructions:u; to count that, write -e instructions:u"
FAKE=mmx ends 125 "likewise beside events" stat -e branches -g cache touch "$scratch/touched"
says "$err" "this processor has of group 'cache' only instructions"
echo 'group some = branches, llc-misses' >"$scratch/some"
FAKE=mmx ends 0 "a group of which it has one event" stat --formulas "$scratch/some" -g some:u --json -o "$scratch/json" true
says "$err" "left out: event 'llc-misses:u': a Pentium with MMX technology has no such event"
json "$scratch/json" /events/0/event '"branches:u"'
! "$json_get" /events/1 <"$scratch/json" >/dev/null 2>&1
result $? "it alone is counted"
echo 'group all = instructions' >"$scratch/all"
FAKE=mmx ends 0 "a group that is instructions" stat --formulas "$scratch/all" -g all true
echo 'group gone = llc-misses' >"$scratch/gone"
FAKE=mmx ends 125 "a group of which it has none" stat --formulas "$scratch/gone" -g gone touch "$scratch/touched"
says "$err" "left out: event 'llc-misses': a Pentium with MMX technology has no such event"
says "$err" "this processor has no event of group 'gone'"
FAKE=two ends 125 "a group that does not fit" stat -g branch touch "$scratch/touched"
says "$err" "group 'branch' does not fit on the counters at once; count it in parts: -e instructions,branches and then -e branch-misses"
FAKE=mmx ends 125 "a group on two counters" stat -g branch:u touch "$scratch/touched"
says "$err" "in parts: -e instructions:u,branches:u and then -e branch-misses:u"
ends 125 "a misspelled group" stat -g brnach true
says "$err" "no group 'brnach'; there are: "
! grep -q Try "$err"
result $? "the help is not advised"

# ---- the same event in other words ----
# figure NAME EVENTS: "instructions per cycle", or another figure, of these events
figure() {
	ends 0 "$2" stat -e "$2" true
	row "$err" " *[0-9.]*%?  $1"
}

for events in cpu-cycles,instructions cpu/cycles/,cpu/instructions/ CYCLES,cpu/event=0xc0/ \
	cycles:uk,instructions r3c,INSTRUCTIONS:ku; do
	figure 'instructions per cycle' "$events"
done
for events in instructions:u,cycles:uu cpu/cycles/uk,cpu/cycles/u,instructions:u \
	cpu/event=0x3c/u,cpu/instructions/u; do
	figure 'instructions per cycle \(:u\)' "$events"
done
figure 'instructions per cycle \(:k\)' cpu-cycles:k,cpu/instructions/k
figure 'branch mispredict rate' branch-instructions,branch-misses
figure 'last-level cache miss rate' cache-misses,cache-references
for events in cycles:u,instructions cpu-cycles:u,instructions:k cpu/cycles,edge/,instructions \
	cpu-cycles:c=2,instructions ref-cycles,instructions; do
	ends 0 "$events" stat -e "$events" true
	! grep -q 'per cycle' "$err"
	result $? "$events: no instructions per cycle"
done
ends 0 "the same event twice" stat -e cycles,cpu-cycles,instructions true
[ "$(grep -c 'per cycle' "$err")" -eq 1 ]
result $? "instructions per cycle once"

echo 'of the user = cycles:u / instructions:u' >"$scratch/of"
ends 0 "a name with a privilege level" stat --formulas "$scratch/of" -e cycles:k,instructions:k true
! grep -q 'of the user' "$err"
result $? "does not count another one"
ends 0 "a name with a privilege level" stat --formulas "$scratch/of" -e cpu-cycles:u,INSTRUCTIONS:u true
row "$err" ' *0\.999  of the user'

# ---- the user's formulas ----
cat >"$scratch/mine" <<'FILE'
# mine
group raw = r0001, cpu/event=2,umask=3/
ratio = 'r0001' / r00c0
group cache = llc-misses
misses [M/s] = llc-misses / (seconds - seconds + 1) / 1000000
FILE
ends 0 "formulas of a file" stat --formulas "$scratch/mine" -g raw:u --json true
json "$err" /events/0/event '"r0001:u"'
json "$err" /events/1/event '"cpu/event=2,umask=3/:u"'
ends 0 "a formula of a file" stat --formulas "$scratch/mine" -e r0001:u,r00c0:u true
row "$err" ' *0\.999  ratio \(:u\)'
ends 0 "a group replaced" stat --formulas "$scratch/mine" -g cache --json true
json "$err" /events/0/event '"llc-misses"'
json "$err" /figures/1/unit '"M/s"'
json "$err" /figures/1/value 0.001
mkdir -p "$XDG_CONFIG_HOME/pmcdrv"
echo 'mine = 2 * branches' >"$XDG_CONFIG_HOME/pmcdrv/formulas"
ends 0 "the user's own file" stat -e branches true
row "$err" ' *2000\.000  mine'
echo 'mine = 2 * ' >"$XDG_CONFIG_HOME/pmcdrv/formulas"
printf 'before = 3 * branches\nmine = 2 * \nbehind = branches\n' >"$XDG_CONFIG_HOME/pmcdrv/formulas"
ends 0 "a mistake in it" stat -e branches true
says "$err" "$XDG_CONFIG_HOME/pmcdrv/formulas:2:12: a number or a name is missing; expected: numbers, names, + - * / and ( )"
says "$err" "that line and all after it are ignored"
row "$err" ' *3000\.000  before'
ends 125 "where a group is wanted" stat -g branch touch "$scratch/touched"
says "$err" "$XDG_CONFIG_HOME/pmcdrv/formulas:2:12: a number or a name is missing; expected: numbers, names, + - * / and ( )"
for wrong in 'group default = nosuchev' 'group default = cycles:z, instructions' 'group = cycles' 'x' \
	'on nowhere' 'processor x = intel'; do
	echo "$wrong" >"$XDG_CONFIG_HOME/pmcdrv/formulas"
	ends 0 "plain stat with '$wrong'" stat --json -o "$scratch/json" true
	json "$scratch/json" /events/0/event '"instructions"'
	json "$scratch/json" /events/3/event '"branch-misses"'
	grep -q "$XDG_CONFIG_HOME/pmcdrv/formulas:1" "$err" && grep -q 'ignored$' "$err"
	result $? "the place is printed, and what is ignored"
done
rm "$XDG_CONFIG_HOME/pmcdrv/formulas"
ends 125 "no such file" stat --formulas "$scratch/nowhere" touch "$scratch/touched"
says "$err" "cannot read $scratch/nowhere"
ends 125 "a folder" stat --formulas "$scratch" touch "$scratch/touched"
says "$err" "cannot read $scratch"
printf 'a = 1\0' >"$scratch/binary"
ends 125 "no text" stat --formulas "$scratch/binary" touch "$scratch/touched"
says "$err" "zero byte"
head -c 1048577 /dev/zero | tr '\0' '#' >"$scratch/long"
ends 125 "too long a file" stat --formulas "$scratch/long" touch "$scratch/touched"
says "$err" "longer than a megabyte"
[ ! -e "$scratch/touched" ]
result $? "no command was run"

# ---- repeats ----
ends 0 "deviation" stat -r 3 -e cycles true
row "$err" ' *deviation *1\.000'
row "$err" ' *counter  *fixed1'
row "$err" '[0-9]*\.[0-9]{9} s elapsed on average; counted for 3000 time-stamp ticks .*'
FAKE=norate ends 0 "no rate" stat -e cycles true
row "$err" '[0-9]*\.[0-9]{9} s elapsed; counted for 3000 time-stamp ticks'
ends 0 "each CPU, twice" stat -a --per-cpu -r 2 -e cycles true
row "$err" ' *run 2 CPU 1 *333'
row "$err" ' *run 2 sum *1000'
ends 0 "deviation as JSON" stat -r 3 -e cycles --json true
json "$err" /events/0/deviation 1.0
ends 0 "one CPU" stat -C 0 -e cycles true
! grep -q 'all CPUs together' "$err"
result $? "its ticks are its own"
ends 0 "deviation of one run" stat -e cycles --json true
json "$err" /events/0/deviation 0.0

# ---- CPUs ----
ends 0 "each CPU" stat -a --per-cpu -e cycles,branches true
row "$err" ' *CPU 0 *667 *668'
row "$err" ' *CPU 1 *333 *333'
row "$err" ' *sum *1000 *1001'
row "$err" '[0-9]*\.[0-9]{9} s elapsed; counted for 3000 time-stamp ticks, all CPUs together .*'
FAKE=offline ends 0 "a CPU that is offline" stat -a --per-cpu -e cycles,branches true
row "$err" ' *CPU 0 *667 *668'
row "$err" ' *CPU 1 *offline *offline'
FAKE=offline ends 0 "intervals of a CPU that is offline" stat -a --per-cpu -I 1000 -e cycles true
row "$err" ' *[0-9]*\.[0-9]{3} *1 *offline'
row "$err" ' *[0-9]*\.[0-9]{3} *sum *667'
export FAKE=hybrid
ends 0 "each CPU of all kinds" stat -a --per-cpu -e cycles,branches true
row "$err" ' *CPU 0 *667 *668'
row "$err" ' *CPU 1 *333 *333'
ends 0 "each CPU of one kind" stat -a --per-cpu --kind=core -e cycles,branches true
row "$err" ' *CPU 0 *667 *668'
row "$err" 'All CPUs while this ran, on cores of type core only: true'
! grep -q offline "$err"
result $? "the other core type is not offline"
ends 0 "each CPU of one kind by --cputype" stat -a --per-cpu --cputype=core -e cycles,branches true
row "$err" ' *CPU 0 *667 *668'
row "$err" 'All CPUs while this ran, on cores of type core only: true'
row "$err" ' *CPU 1  *other core type  *other core type'
! grep -q offline "$err"
result $? "the other core type is not offline here either"
ends 125 "--kind and --cputype" stat --kind=core --cputype=atom -e cycles true
says "$err" "--cputype is given twice"
ends 0 "each CPU of the other kind" stat -a --per-cpu --kind=atom -r 2 -e cycles true
row "$err" ' *run 2 CPU 1 *333'
row "$err" ' *run 2 CPU 0  *other core type'
! grep -q offline "$err"
result $? "nor is this one"
ends 0 "intervals of it" stat -a --per-cpu --kind=atom -I 1000 -e cycles true
row "$err" ' *[0-9]*\.[0-9]{3} *1 *333'
row "$err" ' *[0-9]*\.[0-9]{3} *sum *333'
row "$err" ' *[0-9]*\.[0-9]{3} *0  other core type'
! grep -q offline "$err"
result $? "and none is offline"
ends 0 "one model of a kind" stat --kind=0x40000001 -e cycles true
row "$err" 'Counted, on cores of type 0x40000001 only: true'
ends 0 "all kinds" stat -i -e cycles true
row "$err" 'Counted, the first thread alone: true'
ends 0 "all kinds as JSON" stat -e cycles --json true
json "$err" /core_type '"0x0"'
json "$err" /core null
ends 0 "as JSON" stat -a --per-cpu --kind=atom -e cycles --json true
json "$err" /core_type '"0x20000000"'
json "$err" /core '"atom"'
json "$err" /runs/0/cpus/0/cpu 1
! "$json_get" /runs/0/cpus/1 <"$err" >/dev/null 2>&1
result $? "one CPU"
ends 0 "as CSV" stat -a --per-cpu --kind=atom -e cycles --csv true
row "$err" 'run,1,0.000000000,[0-9.]*,1,count,cycles,,fixed1,333,'
! grep -q '^run,1,0.000000000,[0-9.]*,0,' "$err"
result $? "one CPU there, too"
FAKE="hybrid offline" ends 0 "one of that kind that is offline" \
	stat -a --per-cpu --kind=core -e cycles true
row "$err" ' *CPU 1 *offline'
unset FAKE
# ---- performance metrics ----
export FAKE=metrics
for option in "-r 2" "-I 1000" --openmetrics; do
	# shellcheck disable=SC2086  # words
	ends 125 "fractions with $option" stat $option -i -e slots:u,metrics:u touch "$scratch/touched"
	says "$err" "leave out -r, -I and --openmetrics, as in 'pmcctl stat -i -e slots:u,metrics:u COMMAND'"
done
ends 125 "fractions of a CPU with -r" stat -C 1 -r 2 -e slots,metrics touch "$scratch/touched"
says "$err" "'pmcctl stat -C 1 -e slots,metrics COMMAND'"
ends 125 "fractions of a tree" stat -e slots:u,metrics:u touch "$scratch/touched"
says "$err" "as 'pmcctl stat -i -e slots:u,metrics:u COMMAND' does"
ends 0 "this line" stat -i -e slots:u,metrics:u true
FAKE=hybrid ends 125 "fractions on all kinds of core" stat -i -e slots:u,metrics:u touch "$scratch/touched"
FAKE=hybrid ends 125 "of one kind with -r" stat --kind=core -r 2 -e slots,metrics touch "$scratch/touched"
says "$err" "'pmcctl stat --cputype=core -i -e slots,metrics COMMAND'"
unset FAKE

ends 0 "each CPU as JSON" stat -a --per-cpu -r 2 -e cycles,branches --json true
json "$err" /runs/0/cpus/0/cpu 0
json "$err" /runs/0/cpus/0/counts '[667,668]'
json "$err" /runs/1/cpus/1/counts '[333,333]'
json "$err" /events/1/counts '[1001,1001]'
ends 125 "--per-cpu without -a" stat --per-cpu touch "$scratch/touched"
says "$err" "--per-cpu needs -a"

# ---- intervals ----
# total FILE EVENT: the sum of the intervals' counts of the event with this index
total() {
	grep '"begin_ns"' "$1" | sed 's/^[^[]*\[\([0-9,]*\)\].*/\1/' | cut -d, -f"$2" |
		awk '{ sum += $1 } END { print sum }'
}

# A command that ends when the file named by its first argument has as many lines
# as the second: so there are so many intervals, however slow this machine is. What
# an earlier run has left there stays until the first of them. After 6000 tries it gives up.
cat >"$scratch/wait" <<'FILE'
tries=0
until [ "$(wc -l <"$1")" -ge "$2" ] || [ $tries -ge 6000 ]; do
	sleep 0.01
	tries=$((tries + 1))
done
[ $tries -lt 6000 ]
FILE
series=$scratch/series

rm -f "$series"
ends 0 "intervals as JSON" stat -I 20 -e cycles,branches --json -o "$series" \
	sh "$scratch/wait" "$series" 5
[ "$(grep -c '"begin_ns"' "$series")" -ge 5 ]
result $? "five or more of them"
tail -n 1 "$series" >"$scratch/last"
json "$scratch/last" /events/0/counts "[$(total "$series" 1)]"
json "$scratch/last" /events/1/counts "[$(total "$series" 2)]"
head -n 1 "$series" >"$scratch/first"
json "$scratch/first" /begin_ns 0
json "$scratch/first" /run 1
sed -n 2p "$series" >"$scratch/second"
json "$scratch/second" /begin_ns "$("$json_get" /end_ns <"$scratch/first")"
rm -f "$series"
ends 0 "intervals of each CPU" stat -a --per-cpu -I 20 -e cycles --json -o "$series" \
	sh "$scratch/wait" "$series" 2
head -n 1 "$series" >"$scratch/first"
cpu0=$("$json_get" /cpus/0/counts/0 <"$scratch/first")
cpu1=$("$json_get" /cpus/1/counts/0 <"$scratch/first")
json "$scratch/first" /counts/0 $((cpu0 + cpu1))
tail -n 1 "$series" >"$scratch/last"
json "$scratch/last" /events/0/counts "[$(total "$series" 1)]"
rm -f "$series"
ends 0 "intervals as a table" stat -I 20 -e cycles,branches -o "$series" \
	sh "$scratch/wait" "$series" 6
row "$series" '   seconds          cycles        branches'
row "$series" ' *[0-9]*\.[0-9]{3} *1000 *1001'
row "$series" ' *[0-9]*\.[0-9]{3} *1 *1'
ends 0 "intervals of two runs" stat -I 50 -r 2 -e cycles true
row "$err" '   seconds   run          cycles'
row "$err" ' *[0-9]*\.[0-9]{3} *2 *[0-9]*'
rm -f "$series"
ends 4 "the status with intervals" stat -I 20 -e cycles -o "$series" \
	sh -c "sh $scratch/wait $series 4 && exit 4"
rm -f "$series"
ends 143 "a signal with intervals" stat -I 20 -e cycles -o "$series" \
	sh -c "sh $scratch/wait $series 4 && kill -TERM \$\$"
# The command stops pmcctl for five times as long.
cat >"$scratch/late" <<FILE
sh "$scratch/wait" "$series" 2
kill -STOP \$PPID
sleep 0.1
lines=\$(wc -l <"$series")
kill -CONT \$PPID
sh "$scratch/wait" "$series" \$((lines + 3))
FILE
rm -f "$series"
ends 0 "intervals that are late" stat -I 20 -e cycles --json -o "$series" sh "$scratch/late"
# without the last, which ends with the run
sed -n 's/.*"begin_ns":\([0-9]*\),"end_ns":\([0-9]*\),.*/\1 \2/p' "$series" | sed '$d' |
	awk '{
		multiple = int($2 / 20000000)
		bad += multiple < 1 || multiple <= last || $1 != end
		late += $2 - $1 >= 80000000
		last = multiple
		end = $2
	} END { exit bad || !late }'
result $? "one ends between two multiples at most"
for ms in 0 -1 "" 1x 86400001; do
	ends 125 "stat -I '$ms'" stat -I "$ms" true
	says "$err" "-I, --interval: '$ms' is not a number from 1 to 86400000"
done
sleep 1000 &
sleeper=$!
: >"$series"
"$pmcctl" stat -p $sleeper -I 20 -e cycles -o "$series" >"$out" 2>"$err" &
job=$!
sh "$scratch/wait" "$series" 7
kill -TERM $job
wait $job
result $? "intervals of a process end with a signal"
[ "$(grep -c '^ *[0-9]*\.[0-9]* *[0-9]*$' "$series")" -ge 4 ]
result $? "after some of them"
kill $sleeper

# ---- CSV ----
ends 0 "CSV" stat --csv -e 'cpu/event=1,umask=2/:u,cycles,instructions' true
row "$err" 'span,run,begin_s,end_s,cpu,what,name,modifiers,counter,value,unit'
row "$err" 'run,1,0.000000000,[0-9.]*,,count,"cpu/event=1,umask=2/:u",,general0,1000,'
row "$err" 'run,1,0.000000000,[0-9.]*,,count,cycles,,fixed1,1001,'
row "$err" 'run,1,0.000000000,[0-9.]*,,figure,instructions per cycle,,,1.000[0-9]*,'
[ "$(wc -l <"$err")" -eq 5 ]
result $? "five lines"
ends 0 "CSV of each CPU" stat --csv -a --per-cpu -e cycles true
row "$err" 'run,1,0.000000000,[0-9.]*,,count,cycles,,fixed1,1000,'
row "$err" 'run,1,0.000000000,[0-9.]*,1,count,cycles,,fixed1,333,'
rm -f "$series"
ends 0 "CSV of intervals" stat --csv -I 20 -e cycles -o "$series" sh "$scratch/wait" "$series" 3
row "$series" 'interval,1,0.000000000,[0-9.]*,,count,cycles,,fixed1,1000,'
row "$series" 'interval,1,[0-9.]*,[0-9.]*,,count,cycles,,fixed1,1,'
row "$series" 'run,1,0.000000000,[0-9.]*,,count,cycles,,fixed1,[1-9][0-9]{3,},'
FAKE=large ends 0 "CSV of large counts" stat --csv -e cycles true
says "$err" ",9007199254740993,"

# ---- metrics ----
# metrics FILE: Debian's promtool has nothing to say against it, and it is OpenMetrics
# too: each family's HELP and TYPE come before its samples, and "# EOF" is the end
metrics() {
	"$promtool" check metrics <"$1" >>"$err" 2>&1
	result $? "promtool accepts it"
	awk '
	/^# EOF$/ { eof = NR; next }
	/^# HELP / { if (seen[$3]++) bad = 1; family = $3; next }
	/^# TYPE / { if ($3 != family || $4 != "gauge") bad = 1; next }
	{ name = $0; sub(/[{ ].*/, "", name); if (name != family) bad = 1 }
	END { exit bad || eof != NR }' "$1"
	result $? "it is OpenMetrics too"
}

promtool=$(../../install/prometheus)/promtool
ends 0 "metrics" stat --openmetrics -o "$scratch/m.prom" -e instructions:u,cycles:u true
metrics "$scratch/m.prom"
row "$scratch/m.prom" 'pmcdrv_stat_events\{event="cycles:u",counter="fixed1",run="1"\} 1001'
row "$scratch/m.prom" 'pmcdrv_stat_figure\{name="instructions per cycle",modifiers=":u",unit="",run="1"\} 0.999000999'
row "$scratch/m.prom" 'pmcdrv_stat_exit_status\{run="1"\} 0'
printf 'a\\b "c" = 2 * cycles\n' >"$scratch/odd"
ends 3 "metrics of runs and CPUs" stat --openmetrics --formulas "$scratch/odd" -o "$scratch/m.prom" \
	-r 2 -a --per-cpu -e cycles sh -c 'exit 3'
metrics "$scratch/m.prom"
row "$scratch/m.prom" 'pmcdrv_stat_events\{event="cycles",counter="fixed1",run="2",cpu="1"\} 333'
! grep -q 'run="2"} 1000' "$scratch/m.prom"
result $? "no sum beside its parts"
row "$scratch/m.prom" 'pmcdrv_stat_exit_status\{run="2"\} 3'
says "$scratch/m.prom" 'name="a\\b \"c\""'
rm "$scratch/m.prom"
ends 0 "metrics meanwhile" stat --openmetrics -o "$scratch/m.prom" -I 20 -e cycles \
	timeout 60 sh -c "until grep '^pmcdrv_stat_events{' $scratch/m.prom | grep -qv '} 1000$'; do sleep 0.01; done 2>/dev/null; cp $scratch/m.prom $scratch/meanwhile.prom"
metrics "$scratch/meanwhile.prom"
row "$scratch/meanwhile.prom" 'pmcdrv_stat_events\{event="cycles",counter="fixed1",run="1"\} 1[0-9]*'
! grep -q exit_status "$scratch/meanwhile.prom"
result $? "no exit status yet"
metrics "$scratch/m.prom"
[ -z "$(find "$scratch" -name 'm.prom.*')" ]
result $? "no other file is left behind"
ends 0 "metrics on stderr" stat --openmetrics -e cycles true
metrics "$err"
ends 125 "metrics into no folder" stat --openmetrics -o "$scratch/no/where" touch "$scratch/touched"
says "$err" "cannot write to $scratch/no/where"
ends 125 "metrics into a full disk" stat --openmetrics -o /dev/full true
says "$err" "cannot write to /dev/full"
ends 125 "two formats" stat --csv --json true
says "$err" "--json, --csv, -x and --openmetrics exclude each other"

# ---- colour ----
ends 0 "no colour in a file" stat -r 2 -e cycles -o "$scratch/plain" true
! grep -q "$(printf '\033')" "$scratch/plain"
result $? "none"
TERM=xterm script -qec "$pmcctl stat -r 2 -e cycles true" /dev/null >"$out" 2>&1
says "$out" "$(printf '\033')[1m"
NO_COLOR=1 TERM=xterm script -qec "$pmcctl stat -r 2 -e cycles true" /dev/null >"$out" 2>&1
! grep -q "$(printf '\033')" "$out"
result $? "none with NO_COLOR"
TERM=dumb script -qec "$pmcctl stat -r 2 -e cycles true" /dev/null >"$out" 2>&1
! grep -q "$(printf '\033')" "$out"
result $? "none on a dumb terminal"

finish
