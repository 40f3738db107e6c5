#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the options that pmcctl has in common with perf, with a fake driver: lists of CPUs,
# processes and threads, -A, -d, -x, -D, --timeout, -F; signals; numbers of the locale.
# Usage: test_options.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
pmcctl=$(realpath "$pmcctl")
json_get=$(realpath "$json_get")
cd "$scratch" || exit 1
# Every context counts 1000 of the first event
export FAKE=steady

# row FILE PATTERN: a line of the file is this, from its begin to its end
row() {
	grep -qxE -- "$2" "$1"
	result $? "a row '$2'"
}

# ---- -C ----
ends 0 "two CPUs" stat -C 0,1 --json -r 2 -e cycles:u,branches:u true
json "$err" /scope '"cpu"'
json "$err" /cpu null
json "$err" /targets '[0,1]'
json "$err" /events/0/counts '[2000,2000]'
json "$err" /events/1/counts '[2002,2002]'
json "$err" /runs/0/time_counted 6000
ends 0 "a range, and one of it again" stat -C 0-1,1 --json -e cycles:u true
json "$err" /targets '[0,1]'
json "$err" /events/0/counts '[2000]'
ends 0 "one CPU" stat -C 1 --json -e cycles:u true
json "$err" /cpu 1
json "$err" /targets '[1]'
ends 0 "two CPUs as a table" stat -C 0,1 -A -e cycles:u true
row "$err" 'CPUs 0,1 while this ran: true'
row "$err" ' *CPU 0 *1000'
row "$err" ' *CPU 1 *1000'
row "$err" ' *sum *2000'
ends 0 "intervals of two CPUs" stat -C 0,1 -I 1000 --csv -e cycles:u true
row "$err" 'interval,1,[0-9.]*,[0-9.]*,,count,cycles:u,,fixed1,2000,'
ends 125 "a CPU that does not exist" stat -C 7 touch touched
[ "$(cat "$err")" = "pmcctl stat: -C, --cpu: there is no CPU 7" ]
result $? "the CPU is named, and nothing else"
ends 125 "one of several" stat -C 0-2 touch touched
says "$err" "-C, --cpu: there is no CPU 2"
ends 125 "one to record" record -C 7 touch touched
says "$err" "-C, --cpu: there is no CPU 7"
ends 125 "a range that ends too early" stat -C 3-1 true
says "$err" "the range 3-1 ends before it begins"
for list in '0,' ,1 0,,1 0- 0-1-1 0,x 1-x -1; do
	ends 125 "-C '$list'" stat -C "$list" touch touched
	says "$err" "is not a number from 0 to 2147483647"
done
ends 125 "too many" stat -C 0-100000 touch touched
says "$err" "more than 8192 numbers"
FAKE="steady metrics" ends 125 "fractions of two CPUs" stat -C 0,1 -e slots,metrics touch touched
says "$err" "fractions exist for one run of one thread or CPU"
ends 125 "record of two CPUs" record -C 0,1 touch touched
says "$err" "record samples one CPU, process or thread, or with -a all CPUs"
[ ! -e touched ]
result $? "nothing was run"

# ---- -p, -t ----
sleep 1000 &
first=$!
sleep 1000 &
second=$!
ends 0 "two processes" stat -p $first,$second --json -e cycles:u true
json "$err" /scope '"process"'
json "$err" /pid null
json "$err" /targets "[$first,$second]"
json "$err" /events/0/counts '[2000]'
ends 0 "two processes as a table" stat -p $first,$second -e cycles:u true
row "$err" "Processes $first,$second while this ran: true"
ends 0 "a thread" stat -t $first --json -e cycles:u true
json "$err" /scope '"thread"'
json "$err" /tid $first
json "$err" /pid null
json "$err" /events/0/counts '[1000]'
ends 0 "threads as a table" stat -t $first,$second -e cycles:u true
row "$err" "Threads $first,$second while this ran: true"
ends 125 "a range of processes" stat -p 1-2 true
says "$err" "-p, --pid: '1-2' is not a number"
ends 125 "-t and -i" stat -t $first -i true
says "$err" "-i, -p, -t, -C and -a exclude each other"
ends 125 "-i and -t" stat -i -t $first true
says "$err" "-i, -p, -t, -C and -a exclude each other"
ends 125 "no such thread" stat -t 2147483647
says "$err" "there is no thread 2147483647"
export FAKE_CONFIG="$scratch/asked"
ends 0 "record of a thread" record -t $first true
grep -qx 'scope 3' asked && grep -qx "tid $first" asked && grep -qx 'flags 0x0' asked
result $? "that thread is asked for, from now on"
"$pmcctl" stat -p $first,$second -e cycles:u >"$out" 2>"$err" &
job=$!
waits $job
kill -KILL $first
wait $first 2>/dev/null
# both are waited for: the second is alive
waits $job
[ -e /proc/$job ] && ! grep -q cycles "$err"
result $? "it counts until both have ended"
kill -KILL $second
wait $job
result $? "and then well"
row "$err" ' *2000  cycles:u  fixed1'

# ---- -A, -d ----
ends 0 "-A" stat -a -A -e cycles:u true
row "$err" ' *CPU 0 *667'
ends 0 "--no-aggr" stat -a --no-aggr -e cycles:u true
row "$err" ' *CPU 1 *333'
ends 125 "-A of a command" stat -A true
says "$err" "-A, --per-cpu needs -a or -C"
ends 0 "-d" stat -d true
row "$err" ' *1005  llc-misses  *general3'
FAKE="two steady" ends 0 "-d on three counters" stat -d true
says "$err" "left out: branch-misses, llc-references, llc-misses: "
ends 125 "-d and -e" stat -d -e cycles true
says "$err" "-d counts a group of events: it excludes -e, -g and --topdown"

# ---- -x: perf's columns ----
ends 0 "-x" stat -x, -e 'cycles:u,cpu/event=1,umask=2/:u' true
[ "$(cat "$err")" = '1000,,cycles:u,1154,100.00,,
1001,,"cpu/event=1,umask=2/:u",1154,100.00,,' ]
result $? "count, unit, event, nanoseconds, per cent"
ends 0 "-x with another separator" stat -x '; ' -e 'cycles:u,cpu/event=1,umask=2/:u' true
[ "$(cat "$err")" = '1000; ; cycles:u; 1154; 100.00; ; 
1001; ; cpu/event=1,umask=2/:u; 1154; 100.00; ; ' ]
result $? "quotation marks only where the separator is"
ends 0 "-x with a tab" stat -x '\t' -e cycles:u true
[ "$(cat "$err")" = "$(printf '1000\t\tcycles:u\t1154\t100.00\t\t')" ]
result $? "between the columns"
ends 0 "-x of each CPU" stat --field-separator=: -a -A -e cycles true
[ "$(cat "$err")" = 'CPU0:667::cycles:1154:100.00::
CPU1:333::cycles:1154:100.00::' ]
result $? "the CPU comes first, without a sum"
ends 0 "-x with figures" stat -x, -e instructions:u,cycles:u true
row "$err" ',,,,,0.999000999,instructions per cycle \(:u\)'
FAKE='' ends 0 "-x of runs" stat -x, -r 2 -e cycles true
row "$err" '1000.500,,cycles,0.05%,1154,100.00,,'
ends 0 "-x of intervals" stat -x, -I 60000 -e cycles true
row "$err" '0\.[0-9]{9},1000,,cycles,1154,100.00,,'
[ "$(wc -l <"$err")" -eq 1 ]
result $? "and no more"
FAKE="steady hybrid offline" ends 0 "-x of a CPU that is offline" stat -x, -a -A -e cycles true
row "$err" 'CPU1,<not counted>,,cycles,0,100.00,,'
FAKE="steady norate" ends 0 "-x without a rate" stat -x, -e cycles:u true
row "$err" '1000,,cycles:u,,100.00,,'
FAKE="steady idle" ends 0 "-x of nothing" stat -x, -e cycles:u true
row "$err" '0,,cycles:u,1154,100.00,,'
FAKE="steady idle" ends 0 "-x of nothing, twice" stat -x, -r 2 -e cycles:u true
row "$err" '0.000,,cycles:u,0.00%,1154,100.00,,'
ends 125 "-x without text" stat -x '' true
says "$err" "the separator is empty"
ends 125 "-x and --csv" stat -x, --csv true
says "$err" "exclude each other"
ends 125 "-x, -r and -A" stat -x, -r 2 -a -A true
says "$err" "-x prints the mean of -r, without -A and -I"

# ---- -D, --timeout ----
export FAKE_STARTED="$scratch/started"
for subcommand in "stat -e cycles:u" record; do
	rm -f started
	# shellcheck disable=SC2086  # words
	ends 0 "$subcommand -D" $subcommand -D 1000 sh -c \
		'[ ! -e started ] || exit 3; until [ -e started ]; do sleep 0.05; done'
	# shellcheck disable=SC2086  # words
	ends 125 "$subcommand: a command that ends before" $subcommand -D 60000 true
	says "$err" "during the delay of -D"
done
unset FAKE_STARTED
ends 0 "-D of what runs already" stat -D 10 -a --timeout=10 --json -e cycles
json "$err" /events/0/counts '[1000]'
for ms in 0 x 86400001; do
	ends 125 "-D $ms" stat -D $ms true
	says "$err" "-D, --delay: '$ms' is not a number from 1 to 86400000"
	ends 125 "record -D $ms" record -D $ms true
	says "$err" "-D, --delay: '$ms' is not a number from 1 to 86400000"
	ends 125 "--timeout=$ms" stat --timeout=$ms true
	says "$err" "--timeout: '$ms' is not a number from 1 to 86400000"
done
ends 0 "--timeout ends a command" stat --timeout=20 -r 2 --json -e cycles sleep 1000
json "$err" /runs/1/timed_out true
json "$err" /runs/1/exit_status 0
json "$err" /runs/1/cut_off false
json "$err" /events/0/counts '[1000,1000]'
ends 7 "a command with a status for SIGTERM" stat --timeout=1000 \
	sh -c 'trap "exit 7" TERM; while :; do sleep 0.05; done'
ends 0 "a command that ends earlier" stat --timeout=60000 --json true
json "$err" /runs/0/timed_out false
ends 0 "all CPUs without a command" stat -a --timeout=10 -e cycles
row "$err" 'All CPUs:'
ends 0 "a CPU without a command" stat -C 1 --timeout=10 -e cycles
row "$err" 'CPU 1:'

# ---- -F ----
# 1000 events in 3000 ticks of 2.6 GHz are 866666666 in a second
ends 0 "-F" record -F 997 -o data -e cycles:u -a sleep 0.2
says "$err" "pmcctl record: -F 997: event 'cycles:u' has the period 869275"
grep -qx 'counter 0x40000001 modes 1 period 869275' asked
result $? "the driver gets this period"
"$pmcctl" report -i data --json >"$out"
json "$out" /events/0/period 869275
json "$out" /system/frequency '"997"'
ends 0 "-F of a command" record -F 997 -o data -e cycles:u,instructions:u sleep 0.3
says "$err" "event 'instructions:u' has the period 870143"
grep -qx 'flags 0x0' asked
result $? "it is sampled from then on, not from an exec"
FAKE="steady unprivileged" ends 0 "-F without rights for kernel mode" record -F 100 -o data sleep 0.3
[ "$(grep -c 'sampling user mode only' "$err")" -eq 1 ]
result $? "which is said once"
ends 0 "-F of a command with children" record -F 100 -o data sh -c 'sleep 0.4; true'
says "$err" "-F: the command created processes during the first count: these are not sampled"
ends 125 "-F of a short command" record -F 100 -o none true
says "$err" "-F: sampling ended within the first count of 100 ms: give a period with -c"
FAKE="steady norate" ends 125 "-F without a rate" record -F 100 -o none sleep 0.3
says "$err" "-F: the rate of the time-stamp counter is not known: give a period with -c"
for word in idle setuid; do
	FAKE="steady $word" ends 125 "-F, $word" record -F 100 -o none -e cycles:u sleep 0.3
	says "$err" "-F: event 'cycles:u' did not occur in the first count: give a period with -c"
done
[ ! -e none ]
result $? "no file is left"
ends 125 "-F and -c" record -F 100 -c 5 true
says "$err" "-c and -F exclude each other"
ends 125 "-F and :p" record -F 100 -e cycles:p=5 true
says "$err" "event 'cycles:p=5' has a period: leave out :p, or -F"
ends 125 "-F 0" record -F 0 true
says "$err" "-F, --freq: '0' is not a number from 1 to 100000"
ends 125 "process 0" stat -p 0
says "$err" "-p, --pid: '0' is not a number from 1 to 2147483647"
ends 125 "thread 0" stat -t 0
says "$err" "-t, --tid: '0' is not a number from 1 to 2147483647"

# ---- no sample ----
ends 0 "no sample on any CPU" record -a -o data -e cycles:u true
says "$err" "no sample: event 'cycles:u' occurred at most 667 times on a CPU, and its period is 1000003: -c 667 gives a sample"
ends 0 "no sample on a CPU" record -C 0 -o data -e cycles:u,branches:u:p=5000 true
says "$err" "no sample: event 'cycles:u' occurred 1000 times, and its period is 1000003: -c 1000 gives a sample"
says "$err" "no sample: event 'branches:u:p=5000' occurred 1001 times, and its period is 5000: -c 1001 gives a sample"
! grep -q thread "$err"
result $? "threads do not matter"
ends 0 "a short period without a sample" record -c 300 -o data -e cycles:u true
says "$err" "occurred 1000 times, but in no thread as often as its period of 300"

# ---- an older file ----
echo before >old
ends 0 "record over a file" record -o old true
[ "$(cat old.old)" = before ]
result $? "it is old.old now"
"$pmcctl" report -i old --json >"$out" 2>"$err"
result $? "and the new one is complete"
ends 127 "no such command over a file" record -o old ./no-such-command
[ "$(cat old.old)" = before ] && "$pmcctl" report -i old >/dev/null 2>&1
result $? "both are as they were"
ln -s old pointer
ends 0 "record over a link" record -o pointer true
[ -L pointer ] && ! cmp -s old old.old && "$pmcctl" report -i old.old >"$out" 2>"$err"
result $? "the file behind it is moved"
mkdir -p folder/full/full.old/x
echo before >folder/full/full
ends 125 "a name that is taken" record -o folder/full/full true
says "$err" "cannot move $scratch/folder/full/full to $scratch/folder/full/full.old: "
[ "$(cat folder/full/full)" = before ]
result $? "the file is as it was"
ends 125 "a flame graph over a recording" report --flamegraph=old data
says "$err" "--flamegraph: old is a recording, and would be overwritten: write --flamegraph=FILE.svg old"
"$pmcctl" report -i old >/dev/null 2>"$err"
result $? "it is as it was"
echo before >kept
ends 127 "sweep -o, no such command" sweep -e cycles -o kept ./no-such-command
ends 125 "a flame graph of no file" report --flamegraph=kept no-such-file
ends 127 "stat -x -o, no such command" stat -x, -I 10 -o kept ./no-such-command
[ "$(cat kept)" = before ]
result $? "an earlier result is as it was"

# ---- signals ----
# A shell without job control starts jobs in the background with INT and QUIT ignored.
# ignored SIGNAL STATUS NAME ARGUMENT...: pmcctl gets the signal, which was ignored at its start
ignored() {
	signal=$1 wanted=$2 name=$3
	shift 3
	rm -f up
	(
		trap '' INT TERM
		exec "$pmcctl" "$@" >"$out" 2>"$err"
	) &
	job=$!
	[ "$name" != "a command" ] || appears up
	waits $job
	kill "-$signal" $job
	wait $job
	got=$?
	[ "$got" -eq "$wanted" ]
	result $? "SIG$signal was ignored: $name: exit status $wanted ($got)"
}

for signal in INT TERM; do
	ignored "$signal" 0 "stat of a process" stat -p $$ --json -e cycles
	json "$err" /events/0/counts '[1000]'
	ignored "$signal" 0 "record of all CPUs" record -a -o data
	"$pmcctl" report -i data >"$out" 2>"$err"
	result $? "the file is complete"
done
ignored INT 130 "a command" stat --json -e cycles sh -c 'echo >up; while :; do sleep 0.05; done'
json "$err" /events/0/counts '[1000]'
json "$err" /runs/0/signal 2
ignored TERM 143 "a command" record -o data sh -c 'echo >up; while :; do sleep 0.05; done'
"$pmcctl" report -i data >"$out" 2>"$err"
result $? "the file is complete"

# stubborn STATUS NAME ARGUMENT...: a command that ignores SIGTERM, which is sent until pmcctl ends
stubborn() {
	wanted=$1
	shift
	rm -f up
	"$pmcctl" "$@" sh -c 'trap "" TERM; echo $$ >up; while [ -e up ]; do sleep 0.05; done' \
		>"$out" 2>"$err" &
	job=$!
	appears up
	while kill -TERM $job 2>/dev/null; do
		sleep 0.1
	done
	wait $job
	got=$?
	[ "$got" -eq "$wanted" ] && kill -0 "$(cat up)"
	result $? "$1 ends at the second signal, and the command runs on: exit status $wanted ($got)"
	says "$err" "process $(cat up) of the command is still running"
	rm up
}

stubborn 143 stat --csv -e cycles
row "$err" 'run,1,.*,count,cycles,,fixed1,1000,'
stubborn 143 record -o data
"$pmcctl" report -i data >"$out" 2>"$err"
result $? "the file is complete"

# ---- times and numbers ----
ends 0 "user and system time" stat -e cycles sh -c ':'
row "$err" '[0-9]+\.[0-9]{6} s user, [0-9]+\.[0-9]{6} s system'
ends 0 "their means" stat -r 2 -e cycles true
row "$err" '[0-9]+\.[0-9]{6} s user, [0-9]+\.[0-9]{6} s system on average'
ends 0 "not of what runs already" stat -a --timeout=10 -e cycles
! grep -q ' s user' "$err"
result $? "no such line"
# a loop until it has used the time
# shellcheck disable=SC2016  # for the command's shell
ends 0 "CPU time as JSON" stat --json -e cycles sh -c '
	while [ "$(cut -d " " -f 14 /proc/$$/stat)" -lt 3 ]; do :; done'
[ "$("$json_get" /runs/0/user_us <"$err")" -ge 30000 ] && [ "$("$json_get" /runs/0/system_us <"$err")" -ge 0 ]
result $? "three ticks of 10 ms at least: $("$json_get" /runs/0/user_us <"$err") microseconds"

mkdir locale
for name in de_DE fr_FR; do
	localedef -i $name -f UTF-8 ./locale/$name.UTF-8 >"$out" 2>"$err"
	result $? "a locale with thousands separators: $name"
done
# glibc keeps a part of LOCPATH for good
export LOCPATH="$scratch/locale" FAKE="large steady" ASAN_OPTIONS=detect_leaks=0
LC_ALL="" LC_NUMERIC=de_DE.UTF-8 ends 0 "a table in German" stat -e cycles:u,instructions:u true
row "$err" ' *9\.007\.199\.254\.740\.993  cycles:u  *fixed1'
row "$err" ' *1,000  instructions per cycle \(:u\)'
row "$err" '0,[0-9]{9} s elapsed; counted for 3\.000 time-stamp ticks \(2600000 kHz\)'
LC_ALL=fr_FR.UTF-8 ends 0 "a table in French" stat -r 2 -e cycles:u,r1:u true
number=$(printf '9 007 199 254 740 99' | sed "s/ /$(printf '\342\200\257')/g")
row "$err" "  run 1 *${number}3 *${number}4"
row "$err" "  mean *${number}3,000 *${number}4,000"
LC_ALL=C.UTF-8 awk '/run [12]|mean/ { print length($0) }' "$err" | sort -u >"$out"
[ "$(wc -l <"$out")" -eq 1 ]
result $? "its columns are even"
LC_ALL=de_DE.UTF-8 ends 0 "intervals in German" stat -I 60000 -e cycles:u true
row "$err" ' *0,[0-9]{3}  *9\.007\.199\.254\.740\.993'
LC_ALL=de_DE.UTF-8 ends 0 "a formula in German" stat --csv -e cycles:u,instructions:u true
row "$err" 'run,1,0\.000000000,0\.[0-9]*,,count,cycles:u,,fixed1,9007199254740993,'
LC_ALL=de_DE.UTF-8 ends 0 "-x in German" stat -x, -e cycles:u true
row "$err" '9007199254740993,,cycles:u,1154,100\.00,,'
LC_ALL=de_DE.UTF-8 ends 0 "JSON in German" stat --json -e cycles:u,instructions:u true
json "$err" /events/0/counts '[9007199254740993]'
json "$err" /figures/0/value 1.0000000000000002

finish
