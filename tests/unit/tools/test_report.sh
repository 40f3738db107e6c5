#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the table, JSON and graphs of pmcctl report with invented samples.
# Usage: test_report.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
unset FAKE_CONFIG
export FAKE_SAMPLES="$scratch/samples"
data=$scratch/data
root=$scratch/root
mkdir "$root"
cp "$1/sampled" "$root/prog"
cp "$1/nameless" "$root/bare"
cp "$1/sampled" "$scratch/prog"

# made NAME OPTION...: samples from stdin are recorded
made() {
	name=$1
	shift
	cat >"$FAKE_SAMPLES"
	"$pmcctl" record -o "$data" "$@" true 2>"$err"
	result $? "$name"
}

# prints NAME OPTION...: report prints just what stdin has
prints() {
	name=$1
	shift
	cat >"$scratch/expected"
	"$pmcctl" report -i "$data" --root="$root" "$@" >"$out" 2>"$err" &&
		cmp -s "$out" "$scratch/expected"
	result $? "$name"
}

# ---- mistakes ----
ends 0 "help" report --help
says "$out" "Usage: pmcctl report"
ends 125 "an unknown option" report -Z
says "$err" "unknown option '-Z'"
ends 125 "two files" report now later
says "$err" "one file at a time: 'now' and 'later'"
ends 125 "two files, one of -i" report -i now later
says "$err" "one file at a time"
here=$(realpath "$pmcctl")
(cd "$scratch" && "$here" report) >"$out" 2>"$err"
[ $? -eq 125 ]
result $? "no file at all"
says "$err" "pmcctl report: pmc.data: No such file or directory; create it with 'pmcctl record', or name another file"
ends 125 "-i without a value" report -i
says "$err" "needs a value"
ends 125 "two formats" report --json --folded
says "$err" "exclude each other"
ends 125 "an unknown key" report -s command,dso
says "$err" "-s, --sort: 'dso' is not one of command, file and function"
ends 125 "an empty key" report -s command,
says "$err" "'' is not one of"
ends 125 "no file" report -i /no/such/file
[ "$(cat "$err")" = "pmcctl report: /no/such/file: No such file or directory" ]
result $? "it is reported, and no more"
ends 125 "another file" report -i "$0"
says "$err" "it is not a file of pmcctl record"

# ---- names of addresses ----
made "addresses of all kinds" -e cycles:u -c 100 <<-'EOT'
	sample 0 1 0 0x401000
	map 0 0x401000 0x402000 0x1000 /prog
	sample 0 2 0 0x40100f
	sample 0 3 0 0x401010
	sample 0 4 0 0x40103f overflows=4
	sample 0 5 0 0x401048
	sample 0 6 0 0x401050
	sample 0 7 0 0x401060
	sample 0 8 0 0x401080
	sample 0 9 0 0x401fff
	sample 0 10 0 0x700000
	sample 0 11 0 0
	sample 0 12 0 0x10 privilege=0
	sample 0 13 0 0x801000
	map 0 0x801000 0x802000 0x1000 /bare
	sample 0 14 0 0x901000
	map 0 0x901000 0x902000 0x1000 /gone
	sample 0 15 0 0xa01000
	map 0 0xa01000 0xa02000 0 [anonymous]
EOT
prints "a table" <<-'EOT'
	Sampled: true

	cycles:u: 18 samples, one every 100; 1000 counted

	    self  samples  command  file         function
	  22.22%        4  prog     /prog        inner
	  11.11%        2  prog     /prog        [unknown]
	  11.11%        2  prog     [unknown]    [unknown]
	  11.11%        2  prog     /prog        _start
	   5.56%        1  prog     /bare        [unknown]
	   5.56%        1  prog     /gone        [unknown]
	   5.56%        1  prog     [anonymous]  [unknown]
	   5.56%        1  prog     [kernel]     [unknown]
	   5.56%        1  prog     /prog        _Znotmangled
	   5.56%        1  prog     /prog        outer
	   5.56%        1  prog     /prog        sizeless
	   5.56%        1  prog     /prog        space::name(int, std::string const&)
EOT
prints "the same in short" --stdio -s file <<-'EOT'
	Sampled: true

	cycles:u: 18 samples, one every 100; 1000 counted

	    self  samples  file
	  66.67%       12  /prog
	  11.11%        2  [unknown]
	   5.56%        1  /bare
	   5.56%        1  /gone
	   5.56%        1  [anonymous]
	   5.56%        1  [kernel]
EOT
prints "folded" --folded <<-'EOT'
	prog;[bare] 1
	prog;[gone] 1
	prog;[prog] 2
	prog;[anonymous] 1
	prog;[kernel]_[k] 1
	prog;[unknown] 2
	prog;_Znotmangled 1
	prog;_start 2
	prog;inner 4
	prog;outer 1
	prog;sizeless 1
	prog;space::name(int, std::string const&) 1
EOT
ends 0 "the file as an argument, before an option" report "$data" --json --root="$root"
json "$out" /events/0/samples 18
ends 0 "as JSON" report -i "$data" --root="$root" --json
json "$out" /events/0/samples 18
json "$out" /events/0/records 15
json "$out" /events/0/rows/0/function '"inner"'
json "$out" /events/0/rows/0/file '"/prog"'
json "$out" /events/0/rows/0/command '"prog"'
json "$out" /events/0/rows/0/self 4
json "$out" /events/0/rows/0/total 4
json "$out" /events/0/rows/7/kernel true
! grep -q stacks "$out"
result $? "no stacks where there are no chains"

# ---- call chains ----
# A return address is behind its call: that of a call at the end of a function is
# the begin of the next one.
made "chains" -g -e cycles -c 100 <<-'EOT'
	sample 0 1 0 0x401035 user=0x401035,0x401030,0x401020,0x401010
	map 0 0x401000 0x402000 0x1000 /prog
	sample 0 2 0 0x401035 user=0x401035,0x401035,0x401035,0x401015,0x401005
	sample 0 3 0 0x401025 user=0x401025,0x401015,0x401005
	sample 0 4 0 0x401010 user=0x401010
	sample 0 5 0 0x10 privilege=0 kernel=0x10,0x20 user=0x401025,0x401015
	sample 0 6 0 0x10 privilege=0 user=0x401025
	sample 0 7 0 0x401000 comm=other
EOT
prints "folded chains" --folded <<-'EOT'
	other;_start 1
	prog;_start;outer;inner;inner;inner 1
	prog;_start;outer;middle 1
	prog;_start;outer;middle;inner 1
	prog;middle;[kernel]_[k] 1
	prog;outer 1
	prog;outer;middle;[kernel]_[k];[kernel]_[k] 1
EOT
prints "self and total; recursion counts once" <<-'EOT'
	Sampled: true

	cycles: 7 samples, one every 100; 1000 counted

	    self   total  samples  command  file      function
	  28.57%  28.57%        2  prog     [kernel]  [unknown]
	  28.57%  28.57%        2  prog     /prog     inner
	  14.29%  71.43%        1  prog     /prog     outer
	  14.29%  57.14%        1  prog     /prog     middle
	  14.29%  14.29%        1  other    /prog     _start
	   0.00%  42.86%        0  prog     /prog     _start
EOT
prints "by command" -s command <<-'EOT'
	Sampled: true

	cycles: 7 samples, one every 100; 1000 counted

	    self   total  samples  command
	  85.71%  85.71%        6  prog
	  14.29%  14.29%        1  other
EOT
ends 0 "chains as JSON" report -i "$data" --root="$root" --json -s function
json "$out" /events/0/rows/1/function '"inner"'
json "$out" /events/0/rows/1/self 2
json "$out" /events/0/stacks/1/command '"prog"'
json "$out" /events/0/stacks/1/samples 1
json "$out" /events/0/stacks/1/frames/0/function '"_start"'
json "$out" /events/0/stacks/1/frames/4/function '"inner"'
! grep -q '"command": "prog",$' "$out" || ! "$json_get" /events/0/rows/0/command <"$out" 2>/dev/null
result $? "rows by function have no command"

# ---- what was mapped when ----
# The process execs: the same addresses are another file's. CPU 1's samples come
# later in the file than CPU 0's. The second thread has no mmap record.
made "maps change" -e cycles:u -c 100 <<-'EOT'
	sample 1 25 0 0x401015 comm=after
	sample 0 10 0 0x401005 comm=before
	map 0 0x401000 0x402000 0x1000 /prog
	sample 0 11 0 0x401005 comm=before tid=77
	sample 0 20 0 0x401005 comm=after
	map 0 0x401000 0x402000 0x1000 /bare
	sample 0 30 0 0x401005 comm=after
	sample 0 31 0 0x401005 comm=stranger pid=99 tid=99
	sample 0 40 0 0x801005 comm=child pid=98 tid=98
	map 0 0x801000 0x802000 0x1000 /prog pid=98 tid=98
	sample 0 41 0 0x801015 comm=child pid=98 tid=97
	sample 1 35 0 0x801025 comm=early pid=98 tid=96
EOT
prints "each sample in what was mapped then" --folded <<-'EOT'
	after;[bare] 3
	before;_start 2
	child;_start 1
	child;outer 1
	early;middle 1
	stranger;[unknown] 1
EOT
made "a sample before its mapping is told elsewhere" -e cycles:u -c 100 <<-'EOT'
	sample 1 20 0 0x401005
	map 1 0x401000 0x402000 0x1000 /bare
	sample 1 30 0 0x401005
	map 1 0x401000 0x402000 0x1000 /prog
	sample 1 40 0 0x401005
	map 1 0x401000 0x402000 0x1000 /bare
EOT
prints "a mapping that follows its sample is that of the sample" --folded <<-'EOT'
	prog;[bare] 2
	prog;_start 1
EOT

made "what was told last was told on the first CPU" -e cycles:u -c 100 <<-'EOT'
	sample 0 30 0 0x401005
	map 0 0x401000 0x402000 0x1000 /bare
	sample 1 10 0 0x401005
	map 1 0x401000 0x402000 0x1000 /prog
	sample 0 40 0 0x401005 tid=77
EOT
prints "mappings are in the order of time, not of the file" --folded <<-'EOT'
	prog;[bare] 2
	prog;_start 1
EOT
made "a mapping that is told with a thread's next sample" -e cycles:u -c 100 <<-'EOT'
	sample 0 5 0 0x401005 tid=77
	map 0 0x401000 0x402000 0x1000 /prog tid=77
	sample 0 10 0 0x401005
	sample 0 20 0 0x401005
	map 0 0x401000 0x402000 0x1000 /bare
EOT
prints "it is not that of the sample before" --folded <<-'EOT'
	prog;[bare] 1
	prog;_start 2
EOT

# ---- the file itself ----
made "a file that is there" -e cycles:u -c 100 <<-EOT
	sample 0 1 0 0x401005
	map 0 0x401000 0x402000 0x1000 $scratch/prog
EOT
ends 0 "report it" report -i "$data" --folded
[ "$(cat "$out")" = 'prog;_start 1' ]
result $? "it has its names"
mv "$scratch/prog" "$scratch/away"
cp "$1/changed" "$scratch/prog"
ends 0 "report it when it has changed" report -i "$data" --folded
[ "$(cat "$out")" = 'prog;[prog] 1' ]
result $? "it has no names"
says "$err" "$scratch/prog has changed since it was sampled: its functions have no names"
cp "$0" "$scratch/prog"
ends 0 "report it when it is no program" report -i "$data" --folded
[ "$(cat "$out")" = 'prog;[prog] 1' ]
result $? "it has no names"
rm "$scratch/prog"
mkfifo "$scratch/prog"
ends 0 "report it when it is a pipe" report -i "$data" --folded
[ "$(cat "$out")" = 'prog;[prog] 1' ]
result $? "it has no names"

# ---- the vDSO ----
# samples in every function of this kernel's, wherever it lies
awk 'BEGIN {
	for (i = 0; i < 512; i++)
		printf "sample 0 %d 0 0x%x\n", i + 1, 7340032 + 32 * i
	print "map 0 0x700000 0x704000 0 [vdso]"
}' | made "the vDSO" -m 512 -e cycles:u -c 100
ends 0 "its functions" report -i "$data" --folded
grep -qE '^prog;(__vdso_)?(clock_gettime|gettimeofday|getcpu|time) [0-9]+$' "$out"
result $? "they have their names"
[ "$(awk '{ sum += $NF } END { print sum }' "$out")" -eq 512 ]
result $? "each sample is counted"

# ---- extra registers ----
# json_event INDEX NAME SELECT EXTRA
json_event() {
	json "$out" /events/"$1"/event "\"$2\""
	json "$out" /events/"$1"/event_select "\"$3\""
	json "$out" /events/"$1"/event_extra "\"$4\""
}
made "an event with an extra register" -e LLC-loads:u,branches:u -c 100 <<-'EOT'
	sample 0 1 0 0x401000
EOT
prints "its values below its name" -e LLC-loads:u -s command <<-'EOT'
	Sampled: true

	LLC-loads:u: 1 sample, one every 100; 1000 counted

	  Event select 0x1b7, with 0x3fc0010001 in its extra register

	     self  samples  command
	  100.00%        1  prog
EOT
for option in "" --samples; do
	ends 0 "as JSON $option" report -i "$data" --json $option
	json_event 0 LLC-loads:u 0x1b7 0x3fc0010001
	json_event 1 branches:u 0xc4 0x0
done

# ---- several events, nothing, losses ----
made "two events, one of them sampled less" -e cycles:u:p=10,instructions:u -c 100 <<-'EOT'
	sample 0 1 0 0x401005
	map 0 0x401000 0x402000 0x1000 /prog
	sample 0 2 1 0x401015
	sample 0 3 1 0x401015
EOT
prints "both in the table" <<-'EOT'
	Sampled: true

	cycles:u:p=10: 1 sample, one every 10; 1000 counted

	     self  samples  command  file   function
	  100.00%        1  prog     /prog  _start

	instructions:u: 2 samples, one every 100; 1001 counted

	     self  samples  command  file   function
	  100.00%        2  prog     /prog  outer
EOT
prints "the first one folded" --folded <<-'EOT'
	prog;_start 1
EOT
says "$err" "printing 'cycles:u:p=10', the first of 2 events; -e selects another"
prints "the other one folded" --folded -e instructions:u <<-'EOT'
	prog;outer 2
EOT
[ ! -s "$err" ]
result $? "nothing to report"
prints "one by its name without its period" --folded -e cycles:u <<-'EOT'
	prog;_start 1
EOT
prints "one of them in the table" -e instructions:u <<-'EOT'
	Sampled: true

	instructions:u: 2 samples, one every 100; 1001 counted

	     self  samples  command  file   function
	  100.00%        2  prog     /prog  outer
EOT
ends 0 "one of them as JSON" report -i "$data" --json -e cycles:u
json "$out" /events/0/event '"cycles:u:p=10"'
! "$json_get" /events/1 <"$out" >/dev/null 2>&1
result $? "and no other"
ends 125 "an event that is not in it" report -i "$data" --folded -e branches
says "$err" "$data has no event 'branches'; it has 'cycles:u:p=10' and 'instructions:u'"
made "one event with two periods" -e cycles:u:p=10,cycles:p=20:u,cycles:u:p=30:g </dev/null
ends 125 "a name that is not unique" report -i "$data" -e cycles:u
says "$err" "has more than one event 'cycles:u'; it has 'cycles:u:p=10', 'cycles:p=20:u' and 'cycles:u:p=30:g'"
ends 0 "one that is" report -i "$data" -e cycles:u:g
says "$out" "cycles:u:p=30:g: 0 samples"
made "nothing" <<-'EOT'
EOT
prints "a table of nothing" <<-'EOT'
	Sampled: true

	cycles: 0 samples, one every 1000003; 1000 counted

	  self  samples  command  file  function
EOT
prints "nothing folded" --folded </dev/null
made "losses" -a <<-'EOT'
	sample 0 1 0 5
	lost 0 3
	unthrottle 0 1 0 4
	pad 0 3
EOT
prints "losses in the table" -s file <<-'EOT'
	All CPUs while this ran: true
	Lost: 3 of 8 samples, because the rings were full
	Left out: 4 of 8 samples, because they came too often
	Damaged: 1 time a ring was overwritten

	cycles: 1 sample, one every 1000003; 1000 counted

	     self  samples  file
	  100.00%        1  [unknown]
EOT

# ---- names that are traps ----
printf 'sample 0 1 0 0x401005 comm=<&"%s%s\nmap 0 0x401000 0x402000 0 /%s;<!\nsample 0 2 0 0x401005 comm=x%s\n' \
	';;' "$(printf '\033[2J')" "$(printf '\377\001')" "$(printf '\177')" |
	made "names that are traps" -e cycles:u
prints "they do not command the terminal" -s command <<-'EOT'
	Sampled: true

	cycles:u: 2 samples, one every 1000003; 1000 counted

	    self  samples  command
	  50.00%        1  <&";;?[2J
	  50.00%        1  x?
EOT
ends 0 "they do not cut folded lines" report -i "$data" --folded
[ "$(LC_ALL=C awk -F ';' 'NF == 2' "$out" | wc -l)" -eq 2 ] && [ "$(wc -l <"$out")" -eq 2 ]
result $? "two lines, one semicolon each"
ends 0 "a flame graph of them" report -i "$data" --flamegraph="$scratch/graph.svg"
grep -qF '<text x="3" y="12">&lt;&amp;&quot;;;?[2J</text>' "$scratch/graph.svg"
result $? "they are escaped"
! LC_ALL=C grep -q "$(printf '[\001\033\177\377]')" "$scratch/graph.svg"
result $? "no control characters"

# ---- flame graph ----
made "one sample" -e cycles:u -c 100 <<-'EOT'
	sample 0 1 0 0x401035
	map 0 0x401000 0x402000 0x1000 /prog
EOT
ends 0 "a flame graph of one" report -i "$data" --flamegraph="$scratch/graph.svg"
says "$err" "1 sample is drawn in $scratch/graph.svg"
says "$scratch/graph.svg" "<title>prog: 1 sample, 100.00%</title>"
says "$scratch/graph.svg" ">cycles:u: 1 sample</text>"
made "chains for a flame graph" -g -e cycles:u -c 100 <<-'EOT'
	sample 0 1 0 0x401035 user=0x401035,0x401025,0x401015 overflows=2
	map 0 0x401000 0x402000 0x1000 /prog
	sample 0 2 0 0x401025 user=0x401025,0x401015
EOT
ends 0 "a flame graph" report -i "$data" --root="$root" --flamegraph="$scratch/graph.svg"
[ ! -s "$out" ] && [ "$(cat "$err")" = "pmcctl report: 3 samples are drawn in $scratch/graph.svg: open it in a browser" ]
result $? "nothing but how to see it is printed"
grep -F '<svg class="f"' "$scratch/graph.svg" |
	sed 's/<rect.*fill="[^"]*"\/>//; s/ height="16"//' >"$out"
cat >"$scratch/expected" <<-'EOT'
	<svg class="f" x="10.00" y="112" width="1180.00" data-from="0" data-samples="3" data-depth="0"><title>all: 3 samples, 100.00%</title><text x="3" y="12">all</text></svg>
	<svg class="f" x="10.00" y="95" width="1180.00" data-from="0" data-samples="3" data-depth="1"><title>prog: 3 samples, 100.00%</title><text x="3" y="12">prog</text></svg>
	<svg class="f" x="10.00" y="78" width="1180.00" data-from="0" data-samples="3" data-depth="2"><title>outer (/prog): 3 samples, 100.00%</title><text x="3" y="12">outer</text></svg>
	<svg class="f" x="10.00" y="61" width="1180.00" data-from="0" data-samples="3" data-depth="3"><title>middle (/prog): 3 samples, 100.00%</title><text x="3" y="12">middle</text></svg>
	<svg class="f" x="10.00" y="44" width="786.67" data-from="0" data-samples="2" data-depth="4"><title>inner (/prog): 2 samples, 66.67%</title><text x="3" y="12">inner</text></svg>
EOT
cmp -s "$out" "$scratch/expected"
result $? "the frames"
cp "$scratch/graph.svg" "$scratch/first.svg"
"$pmcctl" report -i "$data" --root="$root" --flamegraph="$scratch/graph.svg"
cmp -s "$scratch/graph.svg" "$scratch/first.svg"
result $? "the same samples give the same picture"
grep -qF ']]></script>' "$scratch/graph.svg" && [ "$(grep -c ']]>' "$scratch/graph.svg")" -eq 1 ]
result $? "the script ends where it should"
ends 125 "a flame graph that cannot be written" report -i "$data" --flamegraph=/no/such/folder/graph
says "$err" "cannot write to /no/such/folder/graph"
ends 125 "a flame graph on a full disk" report -i "$data" --flamegraph=/dev/full
says "$err" "cannot write to /dev/full"
"$pmcctl" report -i "$data" >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "a table into a full disk fails"

# ---- cut here and there; test_record_damage cuts at every byte ----
size=$(wc -c <"$data")
length=0
bad=0
while [ "$length" -lt "$size" ]; do
	head -c "$length" "$data" >"$scratch/cut"
	"$pmcctl" report -i "$scratch/cut" >"$out" 2>"$err"
	[ $? -eq 125 ] && grep -q 'truncated\|not a file of pmcctl record' "$err" || bad=1
	length=$((length + 97))
done
result $bad "cut at every 97th byte, it is reported"

finish
