#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl who and monitor, with a fake driver on netlink (fake_netlink.c).
# Usage: test_netlink.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

export TZ=UTC
unset FAKE_NETLINK FAKE_DENIED
driver=$scratch/driver

# is FILE NAME: the last output is all of stdin, and nothing else
is() {
	cat >"$scratch/expected"
	cmp -s "$scratch/expected" "$1"
	result $? "$2: all of it"
}

# ---- help, mistakes ----
ends 0 "who --help" who --help
says "$out" "Usage: pmcctl who [--json]"
ends 0 "help monitor" help monitor
says "$out" "Usage: pmcctl monitor"
ends 0 "monitor -h" monitor -h
says "$out" "overflow  sample rings that reach their watermark"
says "$out" "The groups context, overflow and throttle need CAP_NET_ADMIN, which root has."
ends 125 "who -z" who -z
says "$err" "unknown option '-z'"
ends 125 "who me" who me
says "$err" "unexpected argument 'me'"
ends 125 "monitor me" monitor me
says "$err" "unexpected argument 'me'"
ends 125 "monitor -z" monitor -z
says "$err" "unknown option '-z'"
ends 125 "monitor -g" monitor -g
says "$err" "needs a value"
for groups in "" "," contexts "context," ",pce" "context pce" CONTEXT; do
	ends 125 "monitor -g '$groups'" monitor -g "$groups"
	says "$err" "-g, --group: there is no group"
	says "$err" "; there are: context, overflow, throttle, hotplug, pce"
done
for number in 0 -1 "" 1x 99999999999999999999; do
	ends 125 "monitor -n '$number'" monitor -n "$number"
	says "$err" "-n, --number: '$number' is not a number from 1 to 18446744073709551615"
done
for command in who monitor; do
	ends 125 "$command without the driver" $command
	says "$err" "the driver is not on netlink: load it with 'modprobe pmcdrv'"
done
export FAKE_NETLINK="$driver"

# ---- pmcctl who ----
cpu='STATUS=0 FAMILY=1 VENDOR=GenuineIntel GENERAL_COUNTERS=0x3 FIXED_COUNTERS=0x2'
counters() {
	echo "COUNTER{NUMBER=0,WIDTH=48,$1} COUNTER{NUMBER=1,WIDTH=48,$2} COUNTER{NUMBER=0x40000001,WIDTH=48,$3}"
}
free=HOLDER=0
perf=HOLDER=1
ours=HOLDER=2,CONTEXT=7
firmware=HOLDER=3

cat >"$driver" <<EOF
GET_CPU CPU=0 $cpu $(counters $free $free $free)
GET_CPU CPU=1 $cpu $(counters $free $free $free)
EOF
ends 0 "nobody" who
is "$out" "nobody" <<EOF
counter   counts  context  state  held by
general0                          none
general1                          none
fixed1                            none
EOF
[ ! -s "$err" ]
result $? "nothing on stderr"

cat >"$driver" <<EOF
GET_CPU CPU=0 $cpu $(counters $perf $perf $perf)
GET_CPU CPU=1 $cpu $(counters $perf $perf $perf)
GET_CPU CPU=2 STATUS=7
GET_CPU CPU=3 $cpu $(counters $perf $perf $perf)
EOF
FAKE=watchdog ends 0 "the watchdog" who
is "$out" "the watchdog" <<EOF
counter   counts      context  state  held by
general0  CPUs 0-1 3                  the kernel's NMI watchdog (free it with: sysctl kernel.nmi_watchdog=0)
general1  CPUs 0-1 3                  the kernel's NMI watchdog (free it with: sysctl kernel.nmi_watchdog=0)
fixed1    CPUs 0-1 3                  the kernel's NMI watchdog (free it with: sysctl kernel.nmi_watchdog=0)
CPU 2: the CPU is offline
EOF
ends 0 "perf" who
says "$out" "a user of the kernel's perf (the NMI watchdog is off"
FAKE=watchdog ends 0 "the watchdog as JSON" who --json
json "$out" /complete true
json "$out" /cpus '[{"cpu":0,"status":"OK"},{"cpu":1,"status":"OK"},{"cpu":2,"status":"OFFLINE"},{"cpu":3,"status":"OK"}]'
json "$out" /counters/0/counter '"general0"'
json "$out" /counters/2/counter '"fixed1"'
json "$out" /counters/0/holders/0/kind '"KERNEL"'
json "$out" /counters/0/holders/0/cpus '[0,1,3]'

# contexts: two on one counter, of a thread, a CPU, all CPUs, a process, a tree
cat >"$driver" <<EOF
GET_CPU CPU=0 $cpu $(counters $ours $ours $firmware)
GET_CPU CPU=1 $cpu $(counters $ours $free $free)
GET_CONTEXT CONTEXT=7 UID=1000 PID=4711 COMM=rival SCOPE=3 TID=4712 GENERAL_COUNTERS=1 FIXED_COUNTERS=0 STATE=1
GET_CONTEXT CONTEXT=9 UID=0 PID=0 COMM=odd\\x0a\\xff SCOPE=5 TID=0 GENERAL_COUNTERS=1 FIXED_COUNTERS=0 STATE=18
GET_CONTEXT CONTEXT=18446744073709551615 UID=0 PID=1 COMM=x SCOPE=1 CPU=0 GENERAL_COUNTERS=2 FIXED_COUNTERS=0 STATE=8 OVERFLOWS=10 RECORDS=5 SAMPLED=6 LOST=1 THROTTLED=3 MMAPS_LOST=0 WAKEUPS=2 THROTTLE_PERCENT=25 THROTTLED_NOW=1 COUNTER{NUMBER=1,PERIOD=9007199254740993}
GET_CONTEXT CONTEXT=11 UID=0 PID=2 COMM=y SCOPE=4 TID=3 GENERAL_COUNTERS=0 FIXED_COUNTERS=2 STATE=4
GET_CONTEXT CONTEXT=12 UID=0 PID=2 COMM=y SCOPE=2 GENERAL_COUNTERS=0 FIXED_COUNTERS=2 STATE=0
EOF
ends 0 "contexts" who
is "$out" "contexts" <<EOF
counter   counts                                      context  state                          held by
general0  thread 4712                                       7  running                        process 4711 (rival)
general0  process 0 and its descendants                     9  armed, incomplete              a process of another pid namespace (odd?$(printf '\377'))
general1  CPU 0                          18446744073709551615  stopped, offline, 1 throttled  process 1 (x)
fixed1    process 3                                        11  ended                          process 2 (y)
fixed1    all CPUs                                         12  stopped                        process 2 (y)
fixed1    CPU 0                                                                               unknown, without a reservation (firmware, a hypervisor or another module)
EOF
ends 0 "contexts as JSON" who --json
first=/counters/0/holders/0
json "$out" $first/kind '"CONTEXT"'
json "$out" $first/context 7
json "$out" $first/uid 1000
json "$out" $first/pid 4711
json "$out" $first/comm '"rival"'
json "$out" $first/scope '"thread"'
json "$out" $first/cpu null
json "$out" $first/tid 4712
json "$out" $first/counters '["general0"]'
json "$out" $first/state '["RUNNING"]'
json "$out" /counters/0/holders/1/comm '"odd\n�"'
json "$out" /counters/0/holders/1/scope '"tree"'
json "$out" /counters/0/holders/1/state '["ARMED","INCOMPLETE"]'
second=/counters/1/holders/0
json "$out" $second/context 18446744073709551615
json "$out" $second/cpu 0
json "$out" $second/tid null
json "$out" $second/overflows 10
json "$out" $second/records 5
json "$out" $second/sampled 6
json "$out" $second/lost 1
json "$out" $second/throttled 3
json "$out" $second/throttle_percent 25
json "$out" $second/throttled_now 1
json "$out" $second/periods '[{"counter":"general1","period":9007199254740993}]'
json "$out" /counters/2/holders/0/scope '"process"'
json "$out" /counters/2/holders/1/scope '"all-cpus"'
json "$out" /counters/2/holders/1/state '[]'
json "$out" /counters/2/holders/2/kind '"UNKNOWN"'
json "$out" /counters/2/holders/2/cpus '[0]'

# without CAP_PERFMON
cat >"$driver" <<EOF
GET_CPU CPU=0 $cpu COUNTER{NUMBER=0,WIDTH=48} COUNTER{NUMBER=1,WIDTH=48} COUNTER{NUMBER=0x40000001,WIDTH=48}
GET_CONTEXT CONTEXT=7 UID=1000 PID=4711 COMM=own SCOPE=3 TID=4711 GENERAL_COUNTERS=2 FIXED_COUNTERS=0 STATE=0
EOF
FAKE=missing ends 0 "an ordinary user who may not open /dev/pmc" who
is "$out" "an ordinary user who may not open /dev/pmc" <<EOF
counter   counts       context  state    held by
general0                                 not reported
general1  thread 4711        7  stopped  process 4711 (own)
fixed1                                   not reported
EOF
says "$err" "only your own contexts are listed in full"
FAKE=missing ends 0 "an ordinary user, JSON" who --json
json "$out" /complete false
json "$out" /counters/0/holders '[]'
FAKE=tree ends 0 "an ordinary user, as far as /dev/pmc tells" who
is "$out" "an ordinary user, as far as /dev/pmc tells" <<EOF
counter   counts       context  state    held by
general0                                 process 4711 (rival), which counts process 4712 and its descendants with pmcdrv
general1  thread 4711        7  stopped  process 4711 (own)
fixed1                                   none
EOF
says "$err" "only your own contexts are listed in full"
FAKE=tree ends 0 "that as JSON" who --json
json "$out" /complete false
json "$out" /counters/0/holders '[{"kind":"CONTEXT","text":"process 4711 (rival), which counts process 4712 and its descendants with pmcdrv"}]'
json "$out" /counters/2/holders '[]'
FAKE=watchdog ends 0 "an ordinary user and the watchdog" who
grep -q "^general0  CPU 0  .*the kernel's NMI watchdog (free it with: " "$out" && grep -q "^fixed1 .* none$" "$out"
result $? "it is printed, and none for the others"

# no counters; more than a page of CPUs; a newer driver; errors
echo "GET_CPU CPU=0 STATUS=4 VENDOR=x" >"$driver"
ends 0 "no counters" who
says "$out" "CPU 0: CPUID leaf 0AH describes no counters"
ends 0 "no counters as JSON" who --json
json "$out" /counters '[]'
for n in $(seq 0 299); do
	echo "GET_CPU CPU=$n $cpu $(counters $perf $free $free)"
done >"$driver"
ends 0 "300 CPUs" who
says "$out" "general0  CPUs 0-299 "
for n in $(seq 0 2 998); do
	echo "GET_CPU CPU=$n $cpu $(counters $perf $free $free)"
done >"$driver"
ends 0 "every other CPU" who
says "$out" "general0  CPUs 0 2 4 6 8 "
cat >"$driver" <<EOF
GET_CPU CPU=0 STATUS=99 VENDOR=x
GET_CONTEXT CONTEXT=7 UID=0 PID=1 COMM=x SCOPE=77 GENERAL_COUNTERS=1 FIXED_COUNTERS=0 STATE=0x80000000
EOF
ends 0 "a newer driver" who
says "$out" "CPU 0: a status that this pmcctl does not know"
cat >"$driver" <<EOF
GET_CPU CPU=0 $cpu $(counters $ours $free $free)
GET_CONTEXT CONTEXT=7 UID=0 PID=1 COMM=x SCOPE=77 GENERAL_COUNTERS=1 FIXED_COUNTERS=0 STATE=0x80000000
EOF
ends 0 "a newer scope" who
says "$out" "a scope that this pmcctl does not know"
ends 0 "a newer scope as JSON" who --json
json "$out" /counters/0/holders/0/scope null
printf 'error 12\ngone\n' >"$driver"
for command in who monitor; do
	ends 125 "$command: an error" $command
	says "$err" "cannot query the driver: "
done
echo "short GET_CPU STATUS=0 CPU=0" >"$driver"
ends 125 "an answer that is too short" who
says "$err" "a message that this pmcctl does not understand"
"$pmcctl" who >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "pmcctl who into a full disk fails"

# ---- monitor ----
context='CONTEXT=7 UID=1000 PID=4711 COMM=rival SCOPE=3 TID=4712 GENERAL_COUNTERS=5 FIXED_COUNTERS=2'
cat >"$driver" <<EOF
CONFIGURED SEQUENCE=1 TSC=100 TIME=1763728496123456789 $context
ARMED SEQUENCE=2 TSC=101 TIME=1763728496123457789 $context
STARTED SEQUENCE=3 TSC=102 TIME=1763728496123458789 $context
WATERMARK SEQUENCE=9 TSC=103 TIME=1763728496123459789 $context ON_CPU=3
THROTTLED SEQUENCE=1 TSC=104 TIME=1763728496999999999 $context ON_CPU=3 NUMBER=2
UNTHROTTLED SEQUENCE=2 TSC=105 TIME=1763728497000000000 $context ON_CPU=3 NUMBER=0x40000001 OVERFLOWS=18446744073709551615
CPU_OFFLINE SEQUENCE=1 TSC=106 TIME=1763728497000000001 CPU=1 STATUS=7
CPU_ONLINE SEQUENCE=2 TSC=107 TIME=1763728497000001001 CPU=1 STATUS=0
PCE_CHANGED SEQUENCE=1 TSC=108 TIME=1763728497000002001 PCE=2 PCE_BEFORE=1
STOPPED SEQUENCE=4 TSC=109 TIME=1763728497000003001 $context
ENDED SEQUENCE=5 TSC=110 TIME=1763728497000004001 $context
RELEASED SEQUENCE=6 TSC=111 TIME=1763728497000005001 $context
EOF
who='process 4711 (rival) counts thread 4712 with general0 general2 fixed1'
ends 0 "monitor" monitor -n 12
is "$out" "monitor" <<EOF
2025-11-21 12:34:56.123456  configured   context 7: $who
2025-11-21 12:34:56.123457  armed        context 7: $who
2025-11-21 12:34:56.123458  started      context 7: $who
2025-11-21 12:34:56.123459  watermark    context 7 on CPU 3: $who
2025-11-21 12:34:56.999999  throttled    context 7 on CPU 3, general2: $who
2025-11-21 12:34:57.000000  unthrottled  context 7 on CPU 3, fixed1, 18446744073709551615 overflows without a sample: $who
2025-11-21 12:34:57.000000  cpu-offline  CPU 1: the CPU is offline
2025-11-21 12:34:57.000001  cpu-online   CPU 1: the counters can be used
2025-11-21 12:34:57.000002  pce-changed  from 1 to 2
2025-11-21 12:34:57.000003  stopped      context 7: $who
2025-11-21 12:34:57.000004  ended        context 7: $who
2025-11-21 12:34:57.000005  released     context 7: $who
EOF
is "$err" "what it listens to" <<EOF
listening to: context overflow throttle hotplug pce
EOF
ends 0 "monitor --json" monitor --json --number=12
[ "$(wc -l <"$out")" = 12 ]
result $? "12 lines"
sed -n 1p "$out" >"$scratch/line"
is "$scratch/line" "a context" <<EOF
{"event":"CONFIGURED","group":"context","time":"2025-11-21T12:34:56.123456789Z","time_ns":1763728496123456789,"sequence":1,"tsc":100,"context":7,"uid":1000,"pid":4711,"comm":"rival","scope":"thread","cpu":null,"tid":4712,"counters":["general0","general2","fixed1"]}
EOF
sed -n 4p "$out" >"$scratch/line"
json "$scratch/line" /event '"WATERMARK"'
json "$scratch/line" /group '"overflow"'
json "$scratch/line" /on_cpu 3
sed -n 6p "$out" >"$scratch/line"
json "$scratch/line" /event '"UNTHROTTLED"'
json "$scratch/line" /counter '"fixed1"'
json "$scratch/line" /overflows 18446744073709551615
sed -n 7p "$out" >"$scratch/line"
is "$scratch/line" "a CPU" <<EOF
{"event":"CPU_OFFLINE","group":"hotplug","time":"2025-11-21T12:34:57.000000001Z","time_ns":1763728497000000001,"sequence":1,"tsc":106,"cpu":1,"status":"OFFLINE"}
EOF
sed -n 9p "$out" >"$scratch/line"
is "$scratch/line" "pce" <<EOF
{"event":"PCE_CHANGED","group":"pce","time":"2025-11-21T12:34:57.000002001Z","time_ns":1763728497000002001,"sequence":1,"tsc":108,"pce":2,"pce_before":1}
EOF

# groups, time zone
ends 0 "two groups" monitor -n 3 -g hotplug,pce
is "$out" "two groups" <<EOF
2025-11-21 12:34:57.000000  cpu-offline  CPU 1: the CPU is offline
2025-11-21 12:34:57.000001  cpu-online   CPU 1: the counters can be used
2025-11-21 12:34:57.000002  pce-changed  from 1 to 2
EOF
is "$err" "two groups, listening" <<EOF
listening to: hotplug pce
EOF
ends 0 "one group twice" monitor -n 1 --group=overflow -g overflow
says "$out" "watermark"
TZ=XYZ-3 ends 0 "another time zone" monitor -n 1 -g pce
says "$out" "2025-11-21 15:34:57.000002  pce-changed"
FAKE_DENIED=context ends 125 "not root" monitor
says "$err" "listening to 'context' needs CAP_NET_ADMIN: run as root, or choose other groups with -g"
FAKE_DENIED=context ends 0 "not root, other groups" monitor -g pce -n 1

# what was missed
cat >"$driver" <<EOF
PCE_CHANGED SEQUENCE=5 TSC=1 TIME=1000000000 PCE=1 PCE_BEFORE=0
PCE_CHANGED SEQUENCE=7 TSC=1 TIME=2000000000 PCE=0 PCE_BEFORE=2
STARTED SEQUENCE=1 TSC=1 TIME=3000000000 $context
PCE_CHANGED SEQUENCE=18446744073709551615 TSC=1 TIME=4000000000 PCE=0 PCE_BEFORE=2
EOF
ends 0 "missed events" monitor -n 4
is "$out" "missed events" <<EOF
1970-01-01 00:00:01.000000  pce-changed  from 0 to 1
1970-01-01 00:00:02.000000  missed       1 event of the group 'pce' before this
1970-01-01 00:00:02.000000  pce-changed  from 2 to 0
1970-01-01 00:00:03.000000  started      context 7: $who
1970-01-01 00:00:04.000000  missed       18446744073709551607 events of the group 'pce' before this
1970-01-01 00:00:04.000000  pce-changed  from 2 to 0
EOF
ends 0 "missed events as JSON" monitor -n 2 --json -g pce
sed -n 2p "$out" >"$scratch/line"
is "$scratch/line" "missed as JSON" <<EOF
{"event":"MISSED","group":"pce","time":"1970-01-01T00:00:02.000000000Z","time_ns":2000000000,"missed":1}
EOF

# events that did not fit into the socket's buffer; a signal; other errors end it
cat >"$driver" <<EOF
PCE_CHANGED SEQUENCE=1 TSC=1 TIME=1000000000 PCE=1 PCE_BEFORE=0
fails 105
fails 4
PCE_CHANGED SEQUENCE=4 TSC=1 TIME=2000000000 PCE=0 PCE_BEFORE=2
fails 19
gone
EOF
ends 0 "a full buffer" monitor -g pce -n 2
is "$out" "what came nevertheless" <<EOF
1970-01-01 00:00:01.000000  pce-changed  from 0 to 1
1970-01-01 00:00:02.000000  missed       2 events of the group 'pce' before this
1970-01-01 00:00:02.000000  pce-changed  from 2 to 0
EOF
is "$err" "the full buffer is reported" <<EOF
listening to: pce
pmcctl monitor: events came faster than they could be read; lines with MISSED print how many are missing
EOF
ends 125 "an error of the socket" monitor -g pce
says "$err" "pmcctl monitor: cannot listen: "

# messages of other senders and malformed ones are rejected; the end
cat >"$driver" <<EOF
stranger PCE_CHANGED SEQUENCE=1 TSC=1 TIME=1000000000 PCE=1 PCE_BEFORE=0
unknown
foreign PCE_CHANGED SEQUENCE=1 TSC=1 TIME=1000000000 PCE=1 PCE_BEFORE=0
foreign gone
PCE_CHANGED SEQUENCE=2 TSC=1 TIME=2000000000 PCE=0 PCE_BEFORE=2
CPU_ONLINE SEQUENCE=2 TSC=1 TIME=18446744073709551615 CPU=0 STATUS=98
gone
EOF
ends 125 "the driver goes" monitor -g pce,hotplug
is "$out" "a stranger and an unknown event" <<EOF
1970-01-01 00:00:02.000000  pce-changed  from 2 to 0
2554-07-21 23:34:33.709551  cpu-online   CPU 0: a status that this pmcctl does not know
EOF
says "$err" "pmcctl monitor: the driver was unloaded"
ends 125 "an unknown status as JSON" monitor -g pce,hotplug --json
sed -n 2p "$out" >"$scratch/line"
json "$scratch/line" /status null
printf 'short PCE_CHANGED SEQUENCE=1 TSC=1 TIME=1000000000 PCE_BEFORE=0 PCE=1\ngone\n' >"$driver"
ends 125 "an attribute that is too short" monitor -g pce
says "$err" "a message that this pmcctl does not understand"

# signals: a clean end; lines come at once
echo "PCE_CHANGED SEQUENCE=1 TSC=1 TIME=1000000000 PCE=1 PCE_BEFORE=0" >"$driver"
for signal in INT TERM HUP; do
	mkfifo "$scratch/fifo"
	# a shell's background jobs ignore SIGINT; env puts it back
	env --default-signal="$signal" "$pmcctl" monitor -g pce >"$scratch/fifo" 2>"$err" &
	job=$!
	read -r line <"$scratch/fifo"
	[ "$line" = "1970-01-01 00:00:01.000000  pce-changed  from 0 to 1" ]
	result $? "the line is there while it goes on"
	kill "-$signal" $job
	wait $job
	result $? "monitor ends with SIG$signal, and well"
	rm "$scratch/fifo"
done
"$pmcctl" monitor -g pce >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "monitor into a full disk fails"
says "$err" "cannot write to the standard output"

finish
