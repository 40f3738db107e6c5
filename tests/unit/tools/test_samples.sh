#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl report --samples and --records: the lists of files with invented samples.
# Usage: test_samples.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
unset FAKE_CONFIG
export FAKE_SAMPLES="$scratch/samples"
data=$scratch/data
root=$scratch/root
mkdir "$root"
cp "$1/sampled" "$root/prog"

# made NAME OPTION...: samples from stdin are recorded
made() {
	name=$1
	shift
	cat >"$FAKE_SAMPLES"
	"$pmcctl" record -o "$data" "$@" true 2>"$err"
	result $? "$name"
}

# prints NAME OPTION...: report prints just what stdin has, on stdout and stderr
prints() {
	name=$1
	shift
	cat >"$scratch/expected"
	"$pmcctl" report -i "$data" --root="$root" "$@" >"$out" 2>&1 &&
		cmp -s "$out" "$scratch/expected"
	result $? "$name"
}

# lists NAME IPS OPTION...: the list has the samples with these instruction pointers
lists() {
	name=$1 ips=$2
	shift 2
	"$pmcctl" report -i "$data" --samples "$@" >"$out" 2>"$err" &&
		[ "$(awk '/^ .* 0x/ { printf "%s ", $4 }' "$out")" = "${ips:+$ips }" ] &&
		[ ! -s "$err" ]
	result $? "$name lists ${ips:-nothing}"
}

# refuses MESSAGE OPTION...: exit status 125, one line with MESSAGE (and one that names --help),
# no list
refuses() {
	message=$1
	shift
	"$pmcctl" report -i "$data" "$@" >"$out" 2>"$err"
	[ $? -eq 125 ] && [ ! -s "$out" ] && grep -qF -- "$message" "$err" &&
		[ "$(grep -vc '^Try ' "$err")" -eq 1 ]
	result $? "$*: $message"
}

# ---- every field ----
made "records of all types" -g -e cycles,instructions:u -c 100 <<-'EOT'
	sample 0 26000001 0 0x401035 pid=7 tid=8 cs=0x33 tr=0x40 rflags=0x246 overflows=2 flags=3 values=1,987654321 kernel=0x10,0x20 user=0x401035,0x401025,0x401016
	map 0 0x401000 0x402000 0x1000 /prog pid=7 tid=8
	lost 0 3
	throttle 1 26000100 1
	unthrottle 1 26000200 1 7
	sample 1 26000300 1 0x10 comm=other pid=99 tid=100 cs=0x10 privilege=0 flags=2 values=5,6
	sample 1 26000400 1 0x401001 pid=7 tid=7 cs=0x33 flags=1 comm=
EOT
prints "the samples and what was lost" --samples <<-'EOT'
	Sampled: true
	Lost: 3 of 14 samples, because the rings were full
	Left out: 7 of 14 samples, because they came too often
	cycles: one sample every 100; 1000 counted
	instructions:u: one sample every 100; 1001 counted

	              time  cpu  pid/tid        ip                  cs    tr      rflags    overflows  flags      event                 cycles  instructions:u  command          function
	       0.100000003    0  7/8            0x401035            0x33  0x40    0x246             2  skid,late  cycles                     1       987654321  prog             inner+0x5 (/prog)
	        0x10                [unknown] ([kernel])
	        0x20                [unknown] ([kernel])
	        0x401035            inner+0x5 (/prog)
	        0x401025            middle+0x5 (/prog)
	        0x401016            outer+0x6 (/prog)
	                 -    0  -              lost: 3 samples, because the ring was full
	       0.100001153    1  99/100         0x10                0x10  0x0     0x0               1  late       instructions:u             5               6  other            [unknown] ([kernel])
	       0.100001538    1  7/7            0x401001            0x33  0x0     0x0               1  skid       instructions:u             0               0  [unknown]        _start+0x1 (/prog)
EOT
cp "$out" "$scratch/samples-list"
"$pmcctl" report -i "$data" --root="$root" --records >"$out" 2>"$err" &&
	grep -v 'mmap:\|throttle:' "$out" | cmp -s - "$scratch/samples-list"
result $? "all records: the same, and more"
awk '/mmap:|throttle:/' "$out" >"$scratch/more"
cat >"$scratch/expected" <<-'EOT'
	       0.100000005    0  7/8            mmap: 0x401000-0x402000 is offset 0x1000 of /prog, device 0:0, inode 0
	       0.100000384    1  -              throttle: instructions:u overflows too often and is not sampled for a while
	       0.100000769    1  -              unthrottle: instructions:u is sampled again; 7 overflows had no sample
EOT
cmp -s "$scratch/more" "$scratch/expected"
result $? "more is the mmap and throttle records"
# records PATTERN NUMBER OPTION...: so many lines of the list have it
records() {
	pattern=$1 number=$2
	shift 2
	"$pmcctl" report -i "$data" --records "$@" >"$out" 2>"$err" &&
		[ "$(grep -c "$pattern" "$out")" -eq "$number" ]
	result $? "$*: $number with '$pattern'"
}

records 'one sample every' 2
records 'one sample every' 1 -e instructions:u
records throttle: 0 -e cycles
records ' throttle:' 1 -e instructions:u
records ' unthrottle:' 1 -e instructions:u
records throttle: 0 --cpu=0
records throttle: 2 --cpu=1
records mmap: 0 --tid=7
records mmap: 1 --tid=8
records mmap: 1 --pid=7
ends 0 "as JSON" report -i "$data" --root="$root" --records --json
json "$out" /overflows 14
json "$out" /lost 3
json "$out" /ticks_per_second 2600000000
json "$out" /call_chains true
json "$out" /events/1/event '"instructions:u"'
json "$out" /events/1/count 1001
json "$out" /records/0 '{"type":"sample","time":0.100000003,"tsc":260000010,"cpu":0,"pid":7,"tid":8,"command":"prog","event":"cycles","overflows":2,"ip":"0x401035","cs":"0x33","tr":"0x40","rflags":"0x246","privilege":3,"flags":["skid","late"],"values":[1,987654321],"function":"inner","offset":5,"file":"/prog","kernel":false,"frames":[{"ip":"0x10","function":"[unknown]","file":"[kernel]","kernel":true},{"ip":"0x20","function":"[unknown]","file":"[kernel]","kernel":true},{"ip":"0x401035","function":"inner","offset":5,"file":"/prog","kernel":false},{"ip":"0x401025","function":"middle","offset":5,"file":"/prog","kernel":false},{"ip":"0x401016","function":"outer","offset":6,"file":"/prog","kernel":false}]}'
json "$out" /records/1 '{"type":"mmap","time":0.100000005,"tsc":260000015,"cpu":0,"pid":7,"tid":8,"start":"0x401000","end":"0x402000","offset":"0x1000","inode":0,"device_major":0,"device_minor":0,"path":"/prog"}'
json "$out" /records/2 '{"type":"lost","cpu":0,"overflows":3}'
json "$out" /records/3 '{"type":"throttle","time":0.100000384,"tsc":260001000,"cpu":1,"event":"instructions:u"}'
json "$out" /records/4 '{"type":"unthrottle","time":0.100000769,"tsc":260002000,"cpu":1,"overflows":7,"event":"instructions:u"}'
json "$out" /records/5/frames '[]'
json "$out" /records/5/privilege 0
json "$out" /records/6/command '"[unknown]"'
! "$json_get" /records/7 <"$out" >/dev/null 2>&1
result $? "and no more"
ends 0 "the samples as JSON" report -i "$data" --json --samples
json "$out" /records/1/type '"lost"'
json "$out" /records/2/ip '"0x10"'

# ---- nothing, or no call chains ----
made "nothing" -e cycles:u </dev/null
prints "a list of nothing" --samples <<-'EOT'
	Sampled: true
	cycles:u: one sample every 1000003; 1000 counted

	              time  cpu  pid/tid        ip                  cs    tr      rflags    overflows  flags      event         cycles:u  command          function
EOT
ends 0 "nothing as JSON" report -i "$data" --samples --json
json "$out" /records '[]'
refuses "--pid: $data has no samples" --samples --pid=1
made "samples without call chains" -e cycles:u <<-'EOT'
	sample 0 1 0 0x401005
EOT
ends 0 "list them" report -i "$data" --samples
says "$out" "Not recorded: call chains; 'pmcctl record -g' records them"
ends 0 "as JSON" report -i "$data" --samples --json
json "$out" /call_chains false
! grep -q frames "$out"
result $? "and no frames"

# ---- the order of time, and filters ----
made "samples of several CPUs, tasks and events" -g -e cycles:u:p=10,instructions:u -c 100 <<-'EOT'
	sample 1 26000000 0 0x1 pid=7 tid=8
	sample 1 26000026 1 0x3 pid=9 tid=9
	sample 1 78000000 0 0x5 pid=7 tid=7
	sample 0 26000013 1 0x2 pid=7 tid=7
	lost 0 5
	sample 0 52000000 0 0x4 pid=11 tid=11
	map 0 0x401000 0x402000 0x1000 /prog pid=11 tid=11
EOT
lists "no filter" "0x1 0x2 0x3 0x4 0x5"
lists "an event without its period" "0x1 0x4 0x5" -e cycles:u
lists "two events" "0x1 0x2 0x3 0x4 0x5" -e instructions:u,cycles:u:p=10
lists "a process" "0x1 0x2 0x5" --pid=7
lists "two processes" "0x3 0x4" --pid=9,11
lists "two threads" "0x1 0x3" --tid=8,9
lists "a CPU" "0x2 0x4" --cpu=0
lists "a range, both ends included" "0x2 0x3 0x4" --time=0.100000050,0.2
lists "a range without the first" "0x3" --time=0.100000051,0.19
lists "no end" "0x4 0x5" --time=0.2,
lists "no begin" "0x1 0x2" --time=,0.10000005
lists "times from the first sample" "0x2 0x3" --time=+0.00000005,+0.0000001
lists "one moment" "0x4" --time=+0.1,0.2
lists "all of them" "0x2" --time=+0,+0.1 --pid=7 --tid=7 --cpu=0 -e instructions:u
says "$out" "Lost: 5 of 10 samples"
says "$out" " lost: 5 samples"
ends 0 "losses, whatever the task" report -i "$data" --samples --pid=9
says "$out" " lost: 5 samples"
ends 0 "mappings of a process" report -i "$data" --records --pid=11
says "$out" " mmap: 0x401000"
ends 0 "mappings of another" report -i "$data" --records --pid=9
! grep -q mmap: "$out"
result $? "there are none"
ends 0 "what no sample matches in all" report -i "$data" --samples --pid=9 --cpu=0 --json
says "$err" "none of the 5 samples matches all options"
json "$out" /records/0/type '"lost"'
! "$json_get" /records/1 <"$out" >/dev/null 2>&1
result $? "JSON of the lost record alone"

# ---- mistakes ----
refuses "--pid: $data has no sample of 12; it has samples of 7, 9, 11" --samples --pid=7,12
refuses "--tid: $data has no sample of 1; it has samples of 8, 7, 9, 11" --samples --tid=1
refuses "--cpu: $data has no sample of 5; it has samples of 1, 0" --samples --cpu=5
refuses "--time: $data has no sample in '0.4,'; its samples are from 0.100000000 to 0.300000000" \
	--samples --time=0.4,
refuses "has no sample in ',0.09'" --samples --time=,0.09
refuses "--time: the range '2,1' ends before it begins" --samples --time=2,1
refuses "--time: the range '+0.1,0.15' ends before it begins" --samples --time=+0.1,0.15
for range in ',' 1 '' x,2 1,2,3 1.,2x -1,2 1,+ .5,1 1.0000000001,2 '99999999999999999999,'; do
	refuses "--time: '$range' is not FROM,TO" --samples --time="$range"
done
refuses "$data has no event 'branches'; it has 'cycles:u:p=10' and 'instructions:u'" \
	--samples -e cycles:u,branches
refuses "has no event ''" --samples -e cycles:u,
for list in x -1 1,,2 '' 2147483648; do
	refuses "is not a number from 0 to 2147483647" --samples --pid="$list"
done
refuses "--pid is given twice" --samples --pid=7 --pid=9
refuses "--time needs --samples or --records" --time=0,1
refuses "--pid needs --samples or --records" --pid=7
refuses "--tid needs --samples or --records" --tid=7
refuses "--cpu needs --samples or --records" --cpu=0 --json
refuses "--samples excludes --folded and --flamegraph" --samples --folded
refuses "--records excludes --folded and --flamegraph" --records --flamegraph="$scratch/graph"
refuses "--samples excludes -s, --sort" --samples -s file
refuses "option '--samples' takes no value" --samples=all
{
	for pid in 1 2 3 4 5 6 7 8 9; do
		echo "sample 0 $pid 0 5 pid=$pid"
	done
} | made "nine processes" -e cycles:u
refuses "it has samples of 1, 2, 3, 4, 5, 6, 7, 8, ..." --samples --pid=10

# ---- two events in the table ----
made "three events" -e cycles:u,instructions:u,branches:u -c 100 </dev/null
ends 0 "two of them" report -i "$data" -e branches:u,cycles:u
[ "$(grep -c '0 samples' "$out")" -eq 2 ] && ! grep -q instructions "$out"
result $? "two tables"

# ---- what is left of a damaged file ----
seq -f 'sample 0 %.0f 0 0x401000' 100 >"$FAKE_SAMPLES"
"$pmcctl" record -e cycles:u -o "$data" true 2>"$err"
size=$(wc -c <"$data")
head -c $((size - 1)) "$data" >"$scratch/cut"
ends 125 "a truncated file" report -i "$scratch/cut" --samples
says "$err" "$scratch/cut: it is truncated: of its $size bytes there are $((size - 1)); the list ends there"
[ "$(grep -c ' 0x401000 ' "$out")" -eq 100 ]
result $? "its 100 samples are listed"
ends 125 "as JSON" report -i "$scratch/cut" --samples --json
json "$out" /records/99/ip '"0x401000"'
json "$out" /incomplete "\"it is truncated: of its $size bytes there are $((size - 1))\""
ends 125 "the table refuses it" report -i "$scratch/cut"
[ ! -s "$out" ]
result $? "and prints nothing"
head -c 5000 "$data" >"$scratch/cut"
ends 125 "a file cut in its samples" report -i "$scratch/cut" --samples --json
says "$err" "it is truncated"
json "$out" /records '[]'
head -c 39 "$data" >"$scratch/cut"
ends 125 "a file without anything" report -i "$scratch/cut" --samples
[ ! -s "$out" ]
result $? "nothing is listed"

# ---- pipes and full disks; the list is larger than a pipe ----
seq -f 'sample 0 %.0f 0 0x401000' 2000 >"$FAKE_SAMPLES"
"$pmcctl" record -m 512 -e cycles:u -o "$data" true 2>"$err"
"$pmcctl" report -i "$data" --samples >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "a list into a full disk fails"
says "$err" "cannot write to the standard output"
(
	"$pmcctl" report -i "$data" --samples --json 2>"$err"
	echo $? >"$scratch/status"
) | :
[ ! -s "$err" ] && [ "$(cat "$scratch/status")" -eq 141 ]
result $? "a closed pipe ends it"
(
	trap '' PIPE
	"$pmcctl" report -i "$data" --samples 2>"$err"
	echo $? >"$scratch/status"
) | :
says "$err" "cannot write to the standard output: Broken pipe"
[ "$(cat "$scratch/status")" -eq 125 ]
result $? "a closed pipe fails where SIGPIPE is ignored"

# ---- the rate of the time-stamp counter is not known ----
FAKE=norate made "no rate" -e cycles:u -c 100 <<-'EOT'
	sample 0 26000001 0 0x401005 pid=7 tid=7
	map 0 0x401000 0x402000 0x1000 /prog pid=7 tid=7
	throttle 1 26000100 0
EOT
prints "ticks instead of seconds" --records <<-'EOT'
	Sampled: true
	cycles:u: one sample every 100; 1000 counted
	Not recorded: call chains; 'pmcctl record -g' records them

	             ticks  cpu  pid/tid        ip                  cs    tr      rflags    overflows  flags      event         cycles:u  command          function
	         260000010    0  7/7            0x401005            0x0   0x0     0x0               1  -          cycles:u             0  prog             _start+0x5 (/prog)
	         260000015    0  7/7            mmap: 0x401000-0x402000 is offset 0x1000 of /prog, device 0:0, inode 0
	         260001000    1  -              throttle: cycles:u overflows too often and is not sampled for a while
EOT
ends 0 "as JSON" report -i "$data" --records --json
json "$out" /ticks_per_second 0
json "$out" /records/2 '{"type":"throttle","tsc":260001000,"cpu":1,"event":"cycles:u"}'
refuses "--time: $data does not have the rate of the time-stamp counter (tsc_khz)" --samples --time=0,1

# ---- no memory for the mapped rings: read(2) has no CPU of an mmap record ----
FAKE=norings made "records of read(2)" -e cycles:u -c 100 <<-'EOT'
	sample 0 26000001 0 0x401005 pid=7 tid=7
	map 0 0x401000 0x402000 0x1000 /prog pid=7 tid=7
	throttle 1 26000100 0
	sample 1 26000300 0 0x401015 pid=7 tid=7
EOT
prints "mmap records have no CPU" --records <<-'EOT'
	Sampled: true
	cycles:u: one sample every 100; 1000 counted
	Not recorded: call chains; 'pmcctl record -g' records them

	              time  cpu  pid/tid        ip                  cs    tr      rflags    overflows  flags      event         cycles:u  command          function
	       0.100000003    0  7/7            0x401005            0x0   0x0     0x0               1  -          cycles:u             0  prog             _start+0x5 (/prog)
	       0.100000005    -  7/7            mmap: 0x401000-0x402000 is offset 0x1000 of /prog, device 0:0, inode 0
	       0.100000384    1  -              throttle: cycles:u overflows too often and is not sampled for a while
	       0.100001153    1  7/7            0x401015            0x0   0x0     0x0               1  -          cycles:u             0  prog             outer+0x5 (/prog)
EOT
ends 0 "as JSON" report -i "$data" --records --json
json "$out" /records/1 '{"type":"mmap","time":0.100000005,"tsc":260000015,"pid":7,"tid":7,"start":"0x401000","end":"0x402000","offset":"0x1000","inode":0,"device_major":0,"device_minor":0,"path":"/prog"}'

# ---- a KVM guest ----
made "a sample of a guest" -e cycles -c 100 <<-'EOT'
	sample 0 26000001 0 0x0 pid=7 tid=8 cs=0 privilege=0 flags=4
EOT
ends 0 "a guest as JSON" report -i "$data" --samples --json
json "$out" /records/0/flags '["guest"]'
json "$out" /records/0/function '"[guest]"'
json "$out" /records/0/file '"[guest]"'

finish
