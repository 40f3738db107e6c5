#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the built-in groups on fake processors: each processor that a group is for has its events,
# and they fit on its counters at once, except those of topdown. The processors are those of the
# emulator, and those that only libpfm4 knows. Tests --topdown.
# Usage: test_groups.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# Architectural events, which not every processor has or can count at once, and topdown
exceptions='^(default|detailed|branch|cache|topdown) '

# The name in the emulator or "-", what FAKE has, the table of libpfm4 or "-", the number of groups.
# Cannon Lake and processors of the emulator that are not here have only architectural events.
processors='
pentium pentium - 11
pentium_mmx mmx - 11
p2_klamath p6 - 13
core2_penryn_t9600 core=23:3:7 core 17
corei5_lynnfield_750 core=30:f:7 nhm 20
corei5_arrandale_m520 core=37:f:7 wsm 20
corei7_sandy_bridge_2600k core=42:f:7 snb 33
corei7_ivy_bridge_3770k core=58:f:7 ivb 34
corei7_haswell_4770 core=60:f:7 hsw 31
broadwell_ult core=61:f:7 bdw 34
corei7_skylake_x core=85:f:7 skx 35
- core=94:f:7 skl 35
corei7_icelake_u core=126:ff:f icl 34
tigerlake core=140:ff:f icl 34
sapphire_rapids core=143:ff:f spr 33
athlon64_clawhammer amd=15:4 amd64_k8_revb 14
athlon64_venice amd=15:47 amd64_k8_reve 14
turion64_tyler amd=15:104 amd64_k8_revg 14
phenom_8650_toliman amd=16:2 amd64_fam10h_barcelona 16
zambezi amd=21:1 amd64_fam15h_interlagos 14
trinity_apu amd=21:16 amd64_fam15h_interlagos 14
ryzen amd=23:1 amd64_fam17h_zen1 20
- amd=23:49 amd64_fam17h_zen2 21
- amd=25:33 amd64_fam19h_zen3 22
- amd=25:17 amd64_fam19h_zen4 25
'

# use FAKE TABLE: the fake processor, and the names of libpfm4 for it
use() {
	export FAKE="$1"
	unset LIBPFM_FORCE_PMU
	[ "$2" = - ] || export LIBPFM_FORCE_PMU="$2"
}

while read -r name fake table groups; do
	[ "$name" ] || continue
	use "$fake" "$table"
	ends 0 "$name $fake" list --groups
	! grep -vE "$exceptions" "$out" | grep -E '\((not here|more than)' >>"$err"
	result $? "$name $fake: each group has its events, and they fit"
	[ "$(wc -l <"$out")" -eq "$groups" ]
	result $? "$name $fake: $groups groups, $(wc -l <"$out")"
done <<END
$processors
END

# ---- topdown ----
# figures: the names of the figures of the table, one on a line
figures() {
	sed -n 's/^ *-\{0,1\}[0-9.]*  \([a-z :]*\) \[% of .*/\1/p' "$err"
}

level1='retiring
frontend bound
bad speculation
backend bound'

while read -r fake table passes level2; do
	use "$fake" "$table"
	ends 0 "$fake: topdown" stat --topdown true
	figures | sort >"$scratch/figures"
	[ "$(grep -cxF "$level1" "$scratch/figures")" -eq 4 ] && [ "$(wc -l <"$scratch/figures")" -eq "$level2" ]
	result $? "$fake: level 1, and level 2 with $((level2 - 4)) figures"
	if [ "$passes" -gt 1 ]; then
		says "$err" "the events of group 'topdown' do not fit on the counters at once: the command runs $passes times, with some of them each time"
	else
		! grep -q 'do not fit' "$err"
		result $? "$fake: at once"
	fi
	ends 0 "$fake: level 1" stat -g topdown-l1 true
	[ "$(figures | grep -cxF "$level1")" -eq 4 ]
	result $? "$fake: level 1 at once"
done <<END
core=42:f:7 snb 3 11
core=58:f:7 ivb 3 11
core=60:f:7 hsw 3 11
core=61:f:7 bdw 3 11
core=85:f:7 skx 4 13
core=126:ff:f icl 3 14
core=143:ff:f spr 1 12
amd=25:17 amd64_fam19h_zen4 3 13
END

use core=85:f:7 skx
# Counts of the fake: the first event of each pass is instructions.
FAKE="$FAKE steady" ends 0 "passes in JSON" stat --topdown --json -o "$scratch/json" \
	sh -c "echo run >>$scratch/runs"
[ "$(wc -l <"$scratch/runs")" -eq 4 ]
result $? "the command runs 4 times"
json "$scratch/json" /events/0/event '"instructions"'
json "$scratch/json" /events/0/pass 1
json "$scratch/json" /events/5/pass 1
json "$scratch/json" /events/6/pass 2
json "$scratch/json" /events/6/counter '"general0"'
json "$scratch/json" /events/6/counts '[1001]'
json "$scratch/json" /events/14/pass 4
! grep -q 'differ' "$err"
result $? "equal runs are not reported"
ends 0 "runs that differ" stat --topdown true
says "$err" "the runs differ: pass 1 counted 1000 and pass 2"
ends 0 "user mode" stat --topdown=u --csv true
grep -q ',count,instructions:u,' "$err" && grep -q ',figure,memory bound,:u,' "$err"
result $? "all its events and figures"
ends 0 "with repeats, beside events" stat -r 2 --topdown -e branches true
ends 125 "no command" stat --topdown -p $$
says "$err" "level 2 needs 4 runs of a command here, and there is none to run; '-g topdown-l1' counts level 1 at once"
ends 125 "intervals" stat --topdown=u -I 100 true
says "$err" "leave out -I; '-g topdown-l1:u' counts level 1 at once"
ends 125 "CPUs" stat -a --per-cpu --topdown true
says "$err" "leave out --per-cpu"
ends 125 "several CPUs" stat -C 0,1 --topdown true
says "$err" "and the runs of several CPUs or processes cannot be combined: give one"
ends 0 "one CPU" stat -C 1 --topdown true
ends 125 "bad modes" stat --topdown=x true
says "$err" "--topdown=x: the modes are u, k or uk"
ends 125 "a group too" stat --topdown -g branch true
says "$err" "--topdown is a group, and -g another: leave one out"
ends 125 "a signal" stat --topdown sh -c 'kill $$'
says "$err" "a signal ended pass 1 of 4: there are no results"
FAKE="$FAKE unprivileged" ends 125 "without rights" stat --topdown true
says "$err" "--topdown=u counts user mode only"
ends 3 "the exit status" stat --topdown sh -c 'exit 3'

for fake in "amd=23:1 amd64_fam17h_zen1" "core=23:3:7 core" "pentium -"; do
	# shellcheck disable=SC2086 # two words
	use $fake
	ends 125 "$fake has no topdown" stat --topdown touch "$scratch/touched"
	says "$err" "this processor has no events that attribute each unused slot"
done
[ ! -e "$scratch/touched" ]
result $? "nothing is run"

# ---- hybrid processors ----
# The names of their events are in event files, with which tests/unit/event-files tests the groups.
use "core=151:ff:f hybrid" -
ends 0 "all core types" list --groups
[ "$(wc -l <"$out")" -eq 4 ]
result $? "the groups of architectural events"
for type in "core 33" "atom 20"; do
	ends 0 "cores of type $type" list --groups --cputype="${type% *}"
	[ "$(wc -l <"$out")" -eq "${type#* }" ]
	result $? "its groups, $(wc -l <"$out")"
done
grep -q '^topdown-l1 .*TOPDOWN_FE_BOUND:ALL' "$out"
result $? "those of atom"
ends 125 "a group of one core type, without it" stat -g l1i true
says "$err" "no group 'l1i'; there are: default, branch, cache, detailed; others are for one core type, with --cputype=core or --cputype=atom"
ends 125 "topdown without a core type" stat --topdown true
says "$err" "it has several core types: choose one with --cputype=TYPE"
use "core=198:ff:f hybrid" -
ends 0 "Arrow Lake" list --groups --cputype=atom
[ "$(wc -l <"$out")" -eq 28 ]
result $? "its groups"
use "core=204:ff:f hybrid" -
ends 0 "Panther Lake" list --groups --cputype=atom
[ "$(wc -l <"$out")" -eq 4 ]
result $? "has none of them"
use "core=151:ff:f" -
ends 0 "its cores of type atom are off" list --groups
[ "$(wc -l <"$out")" -eq 33 ]
result $? "the groups of core"

# ---- figures of other spellings ----
# figures EVENTS FIGURE...
figures() {
	events=$1
	shift
	ends 0 "$events" stat --formulas "$scratch/formulas" -e "$events" true
	for figure; do
		says "$err" "$figure"
	done
}
printf '%s\n' 'loaded = INST_RETIRED.ANY / l1d.replacement' >"$scratch/formulas"
use core=85:f:7 skx
figures INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD 'instructions per cycle'
for events in L1D.REPLACEMENT,instructions L1D:REPLACEMENT,INST_RETIRED:ANY \
	cpu/L1D.REPLACEMENT/,instructions r0151,cpu/instructions/; do
	figures "$events" 'L1D lines loaded per 1000 instructions' ' loaded'
done
figures L1D.REPLACEMENT:u,cpu/instructions/u 'L1D lines loaded per 1000 instructions (:u)'

# ---- performance metrics ----
use "metrics core=143:ff:f" spr
ends 0 "one thread" stat -i --topdown=u true
says "$err" "slots:u"
[ "$(grep -c 'metrics: .*% of slots.*(:u)' "$err")" -eq 12 ]
result $? "the figures of the register"
grep -q '^ *91.373%\{0,1\}  metrics: retiring' "$err"
result $? "retiring is 233/255 of the slots"
ends 0 "a tree of processes" stat --topdown=u true
says "$err" "UOPS_RETIRED:SLOTS:u"
ends 0 "names of perf" stat -i -e slots:u,topdown-retiring:u,topdown_bad_spec:u,topdown-be-bound:u true
[ "$(grep -c ' topdown-retiring ' "$err")" -eq 1 ] && [ "$(grep -c '/255  topdown-' "$err")" -eq 8 ]
result $? "one register has all fields"
ends 125 "a field without slots" stat -i -e topdown-retiring:u true
says "$err" "event 'topdown-retiring:u': its values are fractions of 'slots'"
ends 0 "list topdown" list topdown
[ "$(grep -c '^topdown-.*metrics' "$out")" -eq 8 ]
result $? "the fields"
use core=85:f:7 skx
ends 0 "list topdown" list topdown
[ "$(grep -c '^topdown-' "$out")" -eq 5 ]
result $? "perf's events of Skylake"
ends 0 "they are counted" stat -e topdown-slots-issued,topdown-total-slots,topdown-recovery-bubbles true
[ "$(grep -c 'warning: event .*: this is the number of cycles; perf multiplies it by 4' "$err")" -eq 2 ]
result $? "with a warning where perf multiplies"
ends 0 "one of them as JSON" list --json topdown-recovery-bubbles
json "$out" /0/event_select '"0x100010d"'
use core=42:f:7 snb
ends 0 "on Sandy Bridge" list --json topdown-recovery-bubbles
json "$out" /0/event_select '"0x100030d"'
use core=85:f:7 skx
ends 125 "a name of other processors" stat -e topdown-retiring true
says "$err" "a part of the performance metrics, which this processor does not have; see 'pmcctl list topdown'"
ends 0 "a group in capital letters" stat -g L2 true
says "$err" "L2_RQSTS:"
ends 0 "a name that stat knows, and no table has" list CPU_CLK_UNHALTED.THREAD
grep -q '^cycles ' "$out"
result $? "its event"
ends 125 "a core type of a processor without" list --groups --cputype=atom
says "$err" "this processor has one core type: omit --cputype"
use amd=23:1 amd64_fam17h_zen1
ends 0 "group cache of AMD" stat -g cache true
says "$err" "level-2 cache miss rate"
ends 0 "detailed" stat -d true
! grep 'left out' "$err"
result $? "has all its events"
ends 125 "more of perf's details" stat -dd true
says "$err" "-dd is perf's; for more events choose a group with -g"
ends 125 "perf's metrics" stat -M IPC true
says "$err" "-M is perf's; for figures choose a group"
ends 125 "perf's levels" stat --td-level 1 true
says "$err" "--td-level is perf's; --topdown has all levels"
needs="it needs the event files of the vendor: run 'pmcctl events import FOLDER', see pmcctl-events(1)"
use core=175:ff:f -
ends 125 "topdown of Sierra Forest without event files" stat --topdown true
says "$err" "stat: group 'topdown': event"
says "$err" "; $needs"
use "core=198:ff:f hybrid" -
ends 125 "a group of Arrow Lake without event files" stat --cputype=core -g l1d true
says "$err" "; $needs"
ends 0 "its groups" list --groups --cputype=core
says "$err" "some events of a group are unknown: $needs"
use mmx -
ends 0 "a processor that lacks events of groups" list --groups
grep -q 'not here' "$out" && ! grep 'event files' "$err"
result $? "needs no event files"
use core=85:f:7 skx
ends 0 "groups of Skylake" list --groups
[ ! -s "$err" ]
result $? "need no event files"

finish
