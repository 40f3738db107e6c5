#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl record as a user runs it, with the fake driver (fake_samples.c).
# Usage: test_record.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
unset FAKE_SAMPLES
export FAKE_CONFIG="$scratch/config-file"
data=$scratch/data
samples=$scratch/samples
pmcctl=$(realpath "$pmcctl")
json_get=$(realpath "$json_get")
cd "$scratch" || exit 1

# asked LINE: the driver was asked so
asked() {
	grep -qxE "$1" "$FAKE_CONFIG"
	result $? "asked: $1"
}

# reads POINTER VALUE: the value in report --json of the file
reads() {
	"$pmcctl" report -i "$data" --json >"$out" 2>"$err"
	json "$out" "$1" "$2"
}

# ---- help and mistakes ----
ends 0 "help" record --help
says "$out" "Usage: pmcctl record"
ends 0 "help record" help record
says "$out" "Usage: pmcctl record"
ends 125 "record without a command" record
says "$err" "no command to run, and no -p, -t, -C or -a to sample without one"
ends 125 "an empty command" record ""
says "$err" "name is empty"
ends 125 "what is no kind of core" record --kind=big true
says "$err" "'big' is not a core type"
ends 125 "a kind of core that is not there" record --kind=atom true
says "$err" "no CPU has the core type atom"
ends 125 "--cputype with what is no core type" record --cputype=big true
says "$err" "--cputype: 'big' is not a core type"
ends 125 "an unknown option" record -Z true
says "$err" "unknown option '-Z'"
ends 125 "-c without a value" record -c
says "$err" "needs a value"
for period in 0 -1 "" 1x 18446744073709551616; do
	ends 125 "-c '$period'" record -c "$period" true
	says "$err" "-c, --count: '$period' is not a number from 1 to 18446744073709551615"
done
for size in 0 3 5 127 16385 32768 "" x; do
	ends 125 "-m '$size'" record -m "$size" true
	says "$err" "-m, --ring-size: '$size' is not a power of two from 4 to 16384"
done
for percent in 0 51 "" x; do
	ends 125 "--throttle '$percent'" record --throttle "$percent" true
	says "$err" "--throttle: '$percent' is not a number from 1 to 50"
done
ends 125 "-p and -a" record -p 1 -a true
says "$err" "exclude each other"
ends 125 "a misspelled event" record -e cycels true
says "$err" "did you mean 'cycles'"
ends 125 "33 events" record -e "$(seq -s , 33 | sed 's/[0-9]*/r&/g')" true
says "$err" "more than 32 events"
FAKE=missing ends 125 "without the module" record true
says "$err" "load the driver"
[ ! -e pmc.data ]
result $? "no file was made"

# ---- what is asked of the driver ----
ends 0 "record" record true
says "$err" "pmcctl record: 0 samples in pmc.data, "
says "$err" "no sample: event 'cycles' occurred 1000 times, and its period is 1000003: -c 1000 gives a sample if one thread counts them all"
asked 'scope 5'
asked 'flags 0x1'
asked 'tid [1-9][0-9]*'
asked 'sample_flags 0x4'
asked 'ring_size 0'
asked 'throttle_percent 0'
asked 'counter 0x40000001 modes 3 period 1000003'
[ ! -s "$out" ]
result $? "nothing on stdout"
rm pmc.data
ends 0 "chains, two events, a ring size" record -g -c 5000 -m 64 --throttle 25 -o "$data" \
	-e instructions:u,branches:k:p=70 -- true
[ ! -e pmc.data ]
result $? "-o names the file"
asked 'sample_flags 0x7'
asked 'ring_size 65536'
asked 'throttle_percent 25'
asked 'counter 0x40000000 modes 1 period 5000'
asked 'counter 0x0 modes 2 period 70'
mkdir "$scratch/files"
printf 'GenuineIntel-6-55,v1,made.json,core\n' >"$scratch/files/mapfile.csv"
printf '[ { "EventName": "MADE.EVENT", "EventCode": "0xa1", "SampleAfterValue": "5003" } ]' \
	>"$scratch/files/made.json"
ends 0 "an event of an event file" --events="$scratch/files" record -o "$scratch/made.data" \
	-e made.event:u,made.event:k:p=70,branches -- true
asked 'counter 0x0 modes 1 period 5003'
asked 'counter 0x1 modes 2 period 70'
asked 'counter 0x2 modes 3 period 1000003'
ends 0 "-c for it" --events="$scratch/files" record -c 71 -o "$scratch/made.data" -e made.event:u -- true
asked 'counter 0x0 modes 1 period 71'
ends 0 "the two events again" record -g -c 5000 -m 64 -o "$data" \
	-e instructions:u,branches:k:p=70 -- true
reads /events/0/event '"instructions:u"'
reads /events/0/period 5000
reads /events/0/counter '"fixed0"'
reads /events/0/user true
reads /events/0/kernel false
reads /events/1/event '"branches:k:p=70"'
reads /events/1/period 70
reads /events/0/count 1000
reads /events/1/count 1001
reads /system/scope '"tree"'
reads /system/vendor '"GenuineIntel"'
reads /system/model '"85"'
reads /system/tsc_khz '"2600000"'
reads /command '["true"]'
ends 0 "chains of user mode alone" record -g -e cycles:u -o "$data" true
asked 'sample_flags 0x6'
ends 0 "a CPU" record -C 1 -o "$data" true
asked 'scope 1'
asked 'cpu 1'
reads /system/cpu '"1"'
ends 0 "all CPUs" record -a -o "$data" true
asked 'scope 2'
reads /system/scope '"all-cpus"'
ends 0 "the first thread alone" record -i -o "$data" true
asked 'scope 3'
reads /system/scope '"thread"'
ends 125 "-i and -C" record -i -C 0 true
says "$err" "exclude each other"
ends 0 "a process" record -p $$ -o "$data" true
asked 'scope 4'
asked "tid $$"
reads /system/pid "\"$$\""

# ---- rights, refusals ----
FAKE=unprivileged ends 0 "a user" record -g -o "$data" true
says "$err" "sampling user mode only: kernel mode needs CAP_PERFMON"
asked 'counter 0x40000001 modes 1 period 1000003'
asked 'sample_flags 0x6'
FAKE=unprivileged ends 125 "a user without rights for kernel mode" record -e cycles:k -o "$data" true
says "$err" "needs CAP_PERFMON"
FAKE=unprivileged ends 125 "a user who wants a CPU" record -C 0 true
says "$err" "needs CAP_PERFMON"
FAKE=watchdog ends 125 "the watchdog" record -e r00c0:g=0 touch "$scratch/touched"
says "$err" "sysctl kernel.nmi_watchdog=0"
[ ! -e "$scratch/touched" ]
result $? "the command was not run"
FAKE=nocycles ends 0 "no cycles: instructions" record -o "$data" true
reads /events/0/event '"instructions"'
FAKE=nointerrupt ends 125 "counters that do not interrupt" record true
says "$err" "do not interrupt on overflow"
ends 125 "a period too long" record -c 2147483648 true
says "$err" "periods of up to 2147483647"
echo before >"$data"
FAKE=setuid ends 125 "a set-user-ID command" record -o "$data" true
says "$err" "not sampled: the command gains privileges"
FAKE=badstart ends 125 "a start that fails" record -o "$data" true
FAKE=unprivileged ends 125 "what is not allowed" record -e cycles:k -o "$data" true
FAKE=sigterm ends 143 "a signal before the start" record -o "$data" touch "$scratch/touched"
[ "$(cat "$err")" = "pmcctl record: signal 15 (Terminated): the command was not started" ] &&
	[ ! -e "$scratch/touched" ]
result $? "it is reported"
ends 126 "a folder for a command" record -o "$data" "$scratch"
ends 127 "a misspelled program and an argument" record -o "$data" -g /no/such/command cache
! grep -q "takes no value" "$err"
result $? "and no word of -g"
ends 127 "a value of -g over a file" record -o "$data" -g no-such-method true
says "$err" "-g records call chains and takes no value"
[ "$(cat "$data")" = before ]
result $? "the file is as it was"
ends 125 "a CPU that does not exist" record -C 99 true
ends 125 "a process that does not exist" record -p 2147483647
says "$err" "there is no process 2147483647"

# ---- the command ----
ends 3 "the command's status" record -o "$data" sh -c 'exit 3'
ends 137 "the command's signal" record -o "$data" sh -c 'kill -KILL $$'
reads /events/0/samples 0
rm -f "$data"
ends 127 "no such command" record -o "$data" /no/such/command
says "$err" "cannot run '/no/such/command'"
[ ! -e "$data" ]
result $? "no file is left"
ends 126 "no command" record -o "$data" "$scratch"
ends 0 "the command's output is its own" record -o "$data" -- echo hello
[ "$(cat "$out")" = hello ]
result $? "stdout"
ends 0 "the command's options are its own" record -o "$data" sh -c 'exit 0' -c x

# ---- the file ----
ends 125 "a folder that is not there" record -o /no/such/folder/file touch "$scratch/touched"
says "$err" "cannot write to /no/such/folder/file"
[ ! -e "$scratch/touched" ]
result $? "the command was not run"
ends 125 "no regular file" record -o /dev/null touch "$scratch/touched"
says "$err" "is not a regular file"
(
	trap '' XFSZ
	ulimit -f 1
	"$pmcctl" record -e "$(seq -s , 1 4 | sed 's/[0-9]*/r0&/g')" -o "$data" \
		true 0123456789 "$(seq 400)" >"$out" 2>"$err"
)
[ $? -eq 125 ]
result $? "a full disk: exit status 125"
says "$err" "cannot write to $data: File too large"
ends 125 "what is left of it" report -i "$data"
says "$err" "it was not finished"

# ---- what came ----
export FAKE_SAMPLES="$samples"
echo 'sample 0 100 0 0x401000 overflows=3
sample 1 101 0 0x401000
lost 1 5
sample 1 102 0 0x401000
throttle 0 103 0
unthrottle 0 104 0 9
other 0 4096
sample 0 105 0 0x401000' >"$samples"
ends 0 "losses" record -o "$data" true
says "$err" "6 samples (in 4 records) in $data"
says "$err" "lost 5 of 20 samples, because the rings were full"
says "$err" "left out 9 of 20 samples, because they came too often"
reads /overflows 20
reads /sampled 6
reads /lost 5
reads /throttled 9
reads /events/0/samples 6
reads /events/0/records 4
echo 'sample 0 1 0 0x401000
stop
sample 0 2 0 0x401000
sample 1 2 0 0x401000' >"$samples"
ends 0 "samples that come until the stop" record -o "$data" true
says "$err" "3 samples in $data"
! grep -q "shorter" "$err"
result $? "and no word of the period"
reads /events/0/records 3
seq -f 'sample 0 %.0f 0 0x401000' 2000 >"$samples"
ends 0 "a ring that fills" record -o "$data" true
"$pmcctl" report -i "$data" --json >"$out"
kept=$("$json_get" /sampled <"$out")
lost=$("$json_get" /lost <"$out")
[ "$kept" -gt 1000 ] && [ "$lost" -gt 100 ] && [ $((kept + lost)) -eq 2000 ]
result $? "kept $kept + lost $lost = 2000"
says "$err" "lost $lost of 2000 samples"
ends 0 "a larger ring" record -m 512 -o "$data" true
reads /sampled 2000
awk 'BEGIN {
	print "sample 0 1 0 0x401000"
	for (i = 100; i < 200; i++)
		print "map 0 0x" i "000 0x" i "800 0 /file"
}' >"$samples"
ends 0 "mapped files that do not fit" record -m 4 -o "$data" true
"$pmcctl" report -i "$data" --json >"$out"
maps_lost=$("$json_get" /mmaps_lost <"$out")
maps=$("$pmcctl" report -i "$data" --records | grep -c mmap:)
[ "$maps_lost" -gt 1 ] && [ $((maps + maps_lost)) -eq 100 ]
result $? "recorded $maps + lost $maps_lost = 100"
says "$err" "$maps_lost mapped files were not recorded (rings full, or too many at once): some samples have no names"
ends 0 "the table" report -i "$data"
says "$out" "Lost: $maps_lost mapped files; some samples have no names"
sed -i "$((maps + 3)),\$d" "$samples"
ends 0 "a mapped file that does not fit" record -m 4 -o "$data" true
says "$err" "1 mapped file was not recorded (rings full, or too many at once)"
ends 0 "the table" report -i "$data"
says "$out" "Lost: 1 mapped file; some samples have no names"
echo 'sample 0 1 0 5
pad 0 3
sample 1 1 0 5' >"$samples"
ends 0 "a ring that was written over" record -o "$data" true
says "$err" "the sample ring of CPU 0 was overwritten"
says "$err" "2 samples in"
reads /damaged 1
FAKE=uncounted ends 0 "a CPU that cannot be sampled" record -o "$data" true
says "$err" "a CPU could not sample this (see PMC_STATE_UNCOUNTED in pmcdrv(4)): samples are missing"
FAKE=incomplete ends 0 "a descendant that could not be followed" record -o "$data" true
says "$err" "out of memory to follow a thread or process"
FAKE=rewritten ends 0 "counters that were rewritten" record -o "$data" true
says "$err" "other software wrote the counters' registers meanwhile, or perf's file rdpmc was changed from 0: the samples are wrong; stop it and measure again"
FAKE=storm ends 0 "overflow interrupts that were turned off" record -o "$data" true
says "$err" "a CPU's overflow interrupts found no overflow again and again, and were turned off: samples are late; use another computer, or count with pmcctl stat"
echo 'sample 1 1 0 5' >"$samples"
FAKE=leaves ends 0 "a CPU that goes offline" record -C 1 -o "$data" true
says "$err" "CPU 1 went offline; it was sampled up to then"
FAKE=badread ends 125 "reading fails" record -o "$data" true
says "$err" "reading the counters"
FAKE=badstart ends 125 "starting fails" record -o "$data" touch "$scratch/touched"
[ ! -e "$scratch/touched" ]
result $? "the command was not run"

# ---- signals ----
echo 'sample 0 1 0 5' >"$samples"

# interrupted SIGNAL STATUS NAME ARGUMENT...: a signal while it waits
interrupted() {
	signal=$1 wanted=$2 name=$3
	shift 3
	rm -f "$scratch/up"
	"$pmcctl" record "$@" >"$out" 2>"$err" &
	job=$!
	case $name in
	*command*) appears "$scratch/up" ;;
	esac
	waits $job
	kill "-$signal" $job
	wait $job
	got=$?
	[ "$got" -eq "$wanted" ]
	result $? "$name: exit status $wanted ($got)"
}

interrupted TERM 0 "all CPUs until a signal" -a -o "$data"
reads /sampled 1
interrupted HUP 0 "a process until a signal" -p $$ -o "$data"
reads /sampled 1
interrupted TERM 7 "a command that ends on a signal" -o "$data" \
	sh -c "trap 'exit 7' TERM; echo >$scratch/up; while :; do sleep 0.05; done"
reads /sampled 1
interrupted HUP 129 "a command that a signal ends" -o "$data" \
	sh -c "echo >$scratch/up; while :; do sleep 0.05; done"
reads /sampled 1
interrupted KILL 137 "killed, all CPUs" -a -o "$data"
ends 125 "what is left of it" report -i "$data"
says "$err" "it was not finished: pmcctl record was killed, or is still running"
sleep 100 &
sleeper=$!
"$pmcctl" record -p $sleeper -o "$data" 2>"$err" &
job=$!
waits $job
kill $sleeper
wait $job
result $? "a process until its end"
reads /sampled 1

# ---- progress ----
# two lines of it, without a command: how soon each comes is no matter
script -qefc "exec '$pmcctl' record -a -o '$data'" /dev/null >"$out" 2>&1 &
job=$!
tries=0
until [ "$(grep -o 'pmcctl record: [0-9]* s, 1 sample, ' "$out" | wc -l)" -ge 2 ] || [ $tries -ge 6000 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
kill -TERM "$(pgrep -P $job)"
wait $job
result $? "two lines of progress"
says "$out" "1 sample in $data"
# a command that lasts as long as two lines would take
script -qefc "'$pmcctl' record -o '$data' sh -c 'echo words; sleep 2.2'" /dev/null >"$out" 2>&1
[ "$(sed -n 1p "$out" | tr -d '\r')" = words ] && ! grep -q ' s, ' "$out"
result $? "no progress while a command has the terminal"
ends 0 "no progress without a terminal" record -o "$data" -p $$ sleep 1.2
! grep -q ' s, ' "$err"
result $? "no progress line"

finish
