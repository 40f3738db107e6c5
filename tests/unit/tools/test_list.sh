#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl list on fake processors.
# Usage: test_list.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# lines NUMBER NAME: the last output has so many lines
lines() {
	[ "$(wc -l <"$out")" -eq "$1" ]
	result $? "$2: $1 lines"
}

ends 0 "list" list
says "$out" "BR_INST_RETIRED"
grep -q '^cycles  *general fixed1  *clock cycles of the core while it is not halted$' "$out"
result $? "cycles with its counters"
grep -q '^ref-cycles  *fixed2  ' "$out"
result $? "ref-cycles on its fixed counter alone"
grep -q '^MEM_LOAD_RETIRED:\.\.\.  *general0-3  ' "$out"
result $? "a restricted event"
grep -q '^slots  *none  ' "$out"
result $? "an event that this processor lacks"
grep -q '^branch-misses  *general  ' "$out"
result $? "and one that it has"
grep -q '^MEM_TRANS_RETIRED  *none  *selects loads by their latency, of which the hardware counts only a random sample$' "$out"
result $? "what is always refused"
FAKE=lacking ends 0 "list without branch-misses" list
grep -q '^branch-misses  *none  ' "$out"
result $? "branch-misses: none"
[ "$(tail -n 1 "$out" | cut -d ' ' -f 1)" = slots ]
result $? "what is lacking comes last"
FAKE=lacking ends 0 "list it as JSON" list --json 'branch-misses*'
json "$out" /0/counters '[]'
ends 0 "list of what has no performance metrics" list
! grep -q '^metrics ' "$out"
result $? "none"
export FAKE=metrics
ends 0 "list of the performance metrics" list metrics
grep -qx 'metrics  metrics  fractions of the slots .*' "$out"
result $? "metrics, in their own register"
ends 0 "long" list -l metrics
says "$out" "    counters   metrics"
says "$out" "    code       none: a register of its own counts it"
ends 0 "as JSON" list --json metrics
json "$out" /0/counters '["metrics"]'
json "$out" /0/code null
ends 0 "completing it" list --complete=metr
[ "$(cat "$out")" = metrics ]
result $? "metrics"
ends 125 "misspelled" stat -e metrcs true
says "$err" "did you mean 'metrics'"
FAKE="metrics missing" ends 1 "without the driver" list metrics
export FAKE=hybrid
ends 0 "where one kind of core has them" list metrics
grep -qx 'metrics  core  metrics  fractions of the slots .*' "$out"
result $? "that is printed"
ends 0 "of this kind" list --kind=core metrics
grep -qx 'metrics  metrics  fractions of the slots .*' "$out"
result $? "likewise, and no column of kinds"
ends 1 "of the other kind" list --kind=atom metrics
ends 0 "of this kind by --cputype" list --cputype=core metrics
grep -qx 'metrics  metrics  fractions of the slots .*' "$out"
result $? "likewise by --cputype"
ends 1 "of the other kind by --cputype" list --cputype=atom metrics
unset FAKE
ends 0 "a unit mask that is refused" list --json MEM_TRANS_RETIRED
json "$out" /0/counters '[]'
json "$out" /0/code null
json "$out" /0/unit_masks/0/refused true
json "$out" /0/unit_masks/0/code null
ends 0 "a part of a name" list llc-
lines 8 "llc-"
ends 0 "a part of a description" list 'last-level CACHE'
lines 2 "last-level cache"
ends 0 "a wildcard" list 'L1D*'
lines 2 "L1D*"
says "$out" "L1D_PEND_MISS"
ends 0 "capitals and underlines" list Branch_Misses
says "$out" "branch-misses"
ends 0 "minus for an underline" list l1d-pend-m
lines 1 "l1d-pend-m"
# ---- unit masks ----
ends 0 "a unit mask" list l1_miss
grep -q '^MEM_LOAD_RETIRED:L1_MISS  *general0-3  ' "$out"
result $? "stands behind the name"
ends 0 "an event and unit masks" list miss
grep -q '^L1D_PEND_MISS  ' "$out" && grep -q '^L2_RQSTS:MISS  ' "$out" &&
	! grep -q '^L1D_PEND_MISS:' "$out"
result $? "those of an event that fits itself stand not apart"
ends 0 "a unit mask's description" list 'l1d load cache misses'
lines 2 "l1d load cache misses"
says "$out" "CYCLE_ACTIVITY:CYCLES_L1D_MISS"
ends 0 "a pattern for both" list 'L1D_PEND_MISS:pending*'
lines 3 "L1D_PEND_MISS:pending*"
says "$out" "L1D_PEND_MISS:PENDING_CYCLES_ANY"
ends 0 "long, a pattern for both" list -l 'L1D_PEND_MISS:pending_*'
[ "$(grep -c '^        :' "$out")" -eq 2 ] && grep -q '^        :PENDING_CYCLES  ' "$out" &&
	grep -q '^        :PENDING_CYCLES_ANY  ' "$out"
result $? "those unit masks alone"
says "$out" "    unit masks that match, with their codes, * if none is given:"
ends 0 "JSON, a pattern for both" list --json 'L1D_PEND_MISS:pending_*'
json "$out" /0/unit_masks/0/name '"PENDING_CYCLES"'
json "$out" /0/unit_masks/1/name '"PENDING_CYCLES_ANY"'
! "$json_get" /0/unit_masks/2 <"$out" >/dev/null 2>&1
result $? "no third one"
ends 0 "long, a pattern for the event" list -l 'L1D_PEND_*'
[ "$(grep -c '^        :' "$out")" -eq 6 ]
result $? "all its unit masks"
ends 0 "a part of both" list 'pend_miss:fb'
grep -qx 'L1D_PEND_MISS:FB_FULL  .*' "$out"
result $? "L1D_PEND_MISS:FB_FULL"
ends 1 "a name that is no unit mask's" list 'L1_MISS*'
ends 0 "a pattern that fits with the name" list 'br-inst*near_ret*'
grep -qx 'BR_INST_RETIRED:NEAR_RETURN  .*' "$out"
result $? "the unit mask has a row"
lines 1 "br-inst*near_ret*"
ends 0 "a dot before a unit mask" list br_inst_retired.near_call
grep -qx 'BR_INST_RETIRED:NEAR_CALL  .*' "$out"
result $? "is as a colon"
lines 1 "br_inst_retired.near_call"
ends 0 "a dot in a pattern" list 'BR_INST_RETIRED.NEAR*'
lines 3 "BR_INST_RETIRED.NEAR*"
ends 1 "a dot before what is none" list BR_INST_RETIRED.NO_CALL
[ "$(cat "$err")" = "pmcctl list: no event matches 'BR_INST_RETIRED.NO_CALL'" ]
result $? "no advice"
ends 0 "a dot in a description" list 'register and memory indirect.'
grep -qx 'BR_MISP_RETIRED:NEAR_CALL  .*' "$out"
result $? "the unit mask with this text"
ends 1 "a backslash" list 'l1d\_pend'
ends 0 "JSON, and long" list --json -l l1_miss
json "$out" /0/name '"MEM_LOAD_RETIRED"'
ends 0 "JSON of a unit mask" list --json l1_miss
json "$out" /0/name '"MEM_LOAD_RETIRED"'
ends 0 "perf's name" list cache-misses
lines 1 "cache-misses"
says "$out" "llc-misses"
ends 0 "perf's name in full" list -l llc-misses
says "$out" "    perf       cache-misses"
ends 0 "perf's name in JSON" list --json llc-misses
json "$out" /0/perf '"cache-misses"'
ends 1 "a pattern that fits nothing" list no-such-thing
says "$err" "no event matches 'no-such-thing'"
[ ! -s "$out" ]
result $? "and prints nothing"

ends 0 "long" list -l L1D_PEND_MISS
says "$out" "L1D_PEND_MISS"
says "$out" "code       r0148"
grep -q '^        :PENDING_CYCLES  *r1000148  ' "$out"
result $? "a unit mask's own code"
ends 0 "long, two of them" list -l 'L1D*'
[ "$(grep -c '^$' "$out")" -eq 1 ] && [ "$(grep -c '^L1D' "$out")" -eq 2 ] &&
	[ -n "$(tail -n 1 "$out")" ]
result $? "an empty line between them alone"
! grep -q ' $' "$out"
result $? "no spaces at an end"
ends 0 "long, a default unit mask of several bits" list -l MEM_INST_RETIRED
says "$out" "code       r83d0"
ends 0 "long, without a default" list -l MEM_LOAD_RETIRED
says "$out" "code       none: it needs a unit mask"
ends 0 "long, of a fixed counter" list -l ref-cycles
says "$out" "code       none: only a fixed counter counts it"
ends 0 "long, of both" list -l 'cycles'
says "$out" "code       r003c"
ends 0 "long, with an extra register" list -l FRONTEND_RETIRED
says "$out" "code       none: it needs a unit mask"
grep -q '^        :DSB_MISS  *cpu/config=0x1c6,config1=0x11/  ' "$out"
result $? "terms instead of a code"
ends 0 "long, refused" list -l MEM_TRANS_RETIRED
says "$out" "note       selects loads by their latency, of which the hardware counts only a random sample"
grep -q '^        :LOAD_LATENCY .* refused  ' "$out"
result $? "each of its unit masks"
! grep -q '^    code ' "$out"
result $? "and no code"
ends 0 "long, of an event with a default" list -l L1D_PEND_MISS
says "$out" "source     Intel Skylake X"
grep -q '^        :PENDING  *\*  ' "$out"
result $? "the unit mask that is taken when none is given"
LIBPFM_FORCE_PMU=snb ends 0 "long, without the unit masks that it needs" \
	list -l MEM_LOAD_UOPS_LLC_MISS_RETIRED
says "$out" "note       libpfm4 has no unit mask for it; give it as a raw code, from the processor's manual"
says "$out" "counters   none"

FAKE=mmx ends 0 "a duration" list -l HALT_STATE
says "$out" "kind       duration: counted in clocks; with :n, the number of times that it begins"
says "$out" "code       r0130:g=0"
FAKE=mmx ends 0 "durations" list 'NUMBER_OF_*'
grep -qx 'NUMBER_OF_CYCLES_NOT_IN_HALT_STATE  general0  duration: clocks while the processor does not wait in HLT' "$out"
result $? "are marked"
FAKE=pentium ends 0 "durations of a Pentium" list
[ "$(grep -c '  duration: ' "$out")" -eq 5 ]
result $? "five"
FAKE=mmx ends 0 "JSON of a duration" list --json 'NUMBER_OF_*'
json "$out" /0/kind '"duration"'
json "$out" /0/event_select '"0x130"'
json "$out" /0/code '"r0130:g=0"'
FAKE=mmx ends 0 "JSON of an occurrence" list --json RETURNS
json "$out" /0/kind '"occurrence"'
FAKE=p6 ends 0 "a duration of the P6 family" list -l CPU_CLK_UNHALTED
says "$out" "kind       duration: counted in clocks; with :e, the number of times that it begins"
FAKE=p6 ends 0 "its kind in JSON" list --json 'CPU_CLK_*'
json "$out" /0/kind '"duration"'
json "$out" /0/event_select '"0x79"'
ends 0 "JSON" list --json L1D_PEND_MISS
json "$out" /0/name '"L1D_PEND_MISS"'
json "$out" /0/counters '["general"]'
json "$out" /0/event_select '"0x48"'
json "$out" /0/code '"r0148"'
json "$out" /0/unit_masks/0/code '"r0148"'
json "$out" /0/unit_masks/0/refused false
json "$out" /0/unit_masks/2/name '"PENDING_CYCLES"'
json "$out" /0/unit_masks/2/code '"r1000148"'
json "$out" /0/unit_masks/0/name '"PENDING"'
json "$out" /0/unit_masks/0/preset true
json "$out" /0/note null
ends 0 "JSON of a restricted event" list --json MEM_LOAD_RETIRED
json "$out" /0/counters '["general0","general1","general2","general3"]'
ends 0 "JSON of an architectural event" list --json ref-cycles
json "$out" /0/counters '["fixed2"]'
ends 1 "JSON of nothing" list --json no-such-thing
[ "$(tr -d ' \n' <"$out")" = "[]" ]
result $? "an empty array"

ends 0 "completing a name" list --complete=L1
lines 6 "L1"
says "$out" "L1D_PEND_MISS"
for word in cpu-c:cpu-cycles cache-m:cache-misses branch-i:branch-instructions '{cyc:{cycles' \
	'{l1d_pend_miss.p:{L1D_PEND_MISS.PENDING'; do
	ends 0 "completing ${word%%:*}" list "--complete=${word%%:*}"
	grep -qxF -- "${word#*:}" "$out"
	result $? "to ${word#*:}"
done
ends 0 "completing a name in small letters" list --complete=l1d_
[ "$(cat "$out")" = L1D_PEND_MISS ]
result $? "it is the name"
ends 0 "completing a unit mask" list --complete=l1d_pend_miss:p
[ "$(tr '\n' ' ' <"$out")" = "L1D_PEND_MISS:PENDING L1D_PEND_MISS:PENDING_CYCLES L1D_PEND_MISS:PENDING_CYCLES_ANY " ]
result $? "those that begin so"
ends 0 "completing a second unit mask" list --complete=l1d_pend_miss:u:f
[ "$(cat "$out")" = L1D_PEND_MISS:u:FB_FULL ]
result $? "behind what was typed"
ends 0 "completing a unit mask after a dot" list --complete=l1d_pend_miss.p
[ "$(tr '\n' ' ' <"$out")" = "L1D_PEND_MISS.PENDING L1D_PEND_MISS.PENDING_CYCLES L1D_PEND_MISS.PENDING_CYCLES_ANY " ]
result $? "the dot remains"
ends 0 "completing a second one after a dot" list --complete=l1d_pend_miss.pending:f
[ "$(cat "$out")" = L1D_PEND_MISS.pending:FB_FULL ]
result $? "behind what was typed"
ends 0 "completing what is refused" list --complete=mem_trans
lines 0 "mem_trans"
ends 0 "completing a unit mask that is refused" list --complete=mem_trans_retired:
lines 0 "mem_trans_retired:"
ends 0 "completing what the processor lacks" list --complete=slots
lines 0 "slots"
# one unit mask of three
export LIBPFM_FORCE_PMU=nhm
ends 0 "completing unit masks of which one is refused" list --complete=mem_inst_retired:
[ "$(tr '\n' ' ' <"$out")" = "MEM_INST_RETIRED:LOADS MEM_INST_RETIRED:STORES " ]
result $? "the others"
ends 0 "long, one refused" list -l MEM_INST_RETIRED
grep -q '^        :LATENCY_ABOVE_THRESHOLD  *refused  ' "$out" &&
	grep -q '^        :LOADS  *r010b  ' "$out"
result $? "LOADS has a code"
says "$out" "counters   general"
ends 0 "one refused, by itself" list latency_above
grep -q '^MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD  *none  ' "$out"
result $? "it has no counters"
ends 125 "no unit mask" stat -e MEM_INST_RETIRED true
says "$err" "needs a unit mask after ':', one of: LOADS STORES"
! grep -q LATENCY "$err"
result $? "not the refused one"
ends 125 "near a unit mask that is refused" stat -e MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOL true
! grep -q "THRESHOLD" "$err"
result $? "it is no advice"
ends 125 "near one, without its event" stat -e LATENCY_ABOVE_THRESHOL true
! grep -q "THRESHOLD" "$err"
result $? "nor here"
unset LIBPFM_FORCE_PMU
ends 0 "completing nothing" list --complete=zzz
lines 0 "zzz"

# ---- other processors ----
FAKE=pentium ends 0 "list of a Pentium" list
lines 40 "38 events and 2 names"
grep -qx 'instructions  *general0-1  on this processor: INSTRUCTIONS_EXECUTED' "$out"
result $? "and what it stands for"
grep -q '^DATA_READ  *general0-1  ' "$out"
result $? "both counters"
FAKE=mmx ends 0 "list of a Pentium with MMX" list
lines 78 "74 events and 4 names"
grep -qx 'branches  *general0-1  on this processor: BRANCHES' "$out"
result $? "a name that an event of the table has too"
grep -q '^RETURNS  *general0  ' "$out"
result $? "counter 0 alone"
FAKE=mmx ends 0 "a row of table 6-1" list -l RSB_OVERFLOWS
says "$out" "called     RSB Overflows"
says "$out" "kind       occurrence"
says "$out" "source     Pentium MMX, table 6-1"
says "$out" "note       only in table 6-1"
says "$out" "code       r0039:g=1"
FAKE=mmx ends 0 "a row of both counters" list -l DATA_READ_MISS
grep -qx '    code       r0003' "$out"
result $? "a code that is one event"
FAKE=mmx ends 0 "by the document's name" list "write buffers while"
lines 1 "write buffers while"
FAKE=p6 ends 0 "list of the P6 family" list
lines 97 "78 events, 6 names and 13 of perf"
FAKE=p6 ends 0 "a row of table 6-2" list --json L2_LD
json "$out" /0/unit '"L2 cache"'
json "$out" /0/unit_masks/0/bits '"0x800"'
json "$out" /0/counters '["general0","general1"]'
FAKE=p6 ends 0 "another name" list BUS_TRANS_RFO
says "$out" "BUS_TRAN_RFO"

# ---- groups ----
export XDG_CONFIG_HOME="$scratch/config"
ends 0 "list --groups" list --groups
grep -qx 'cache  *instructions,llc-references,llc-misses' "$out"
result $? "a group and its events"
built_in=$(wc -l <"$out")
mkdir -p "$XDG_CONFIG_HOME/pmcdrv"
echo 'group own = cycles:k' >"$XDG_CONFIG_HOME/pmcdrv/formulas"
ends 0 "the user's groups" list --groups
grep -qx 'own  *cycles:k' "$out"
result $? "a group of the user"
lines $((built_in + 1)) "--groups"
ends 0 "groups as JSON" list --groups --json
json "$out" "/$built_in" '{"name":"own","events":"cycles:k","missing":[],"fits":true,"warnings":{}}'
echo 'group other = branches:u' >"$scratch/more"
ends 0 "groups of a file" list --groups --formulas="$scratch/more"
grep -qx 'other  *branches:u' "$out"
result $? "they are there too"
ends 125 "groups of a file that is missing" list --groups --formulas="$scratch/no-such"
says "$err" "cannot read $scratch/no-such"
ends 125 "--formulas alone" list --formulas="$scratch/more"
says "$err" "--formulas needs --groups"
FAKE=missing ends 0 "groups without the driver" list --groups --json
json "$out" "/$built_in/fits" null
FAKE=mmx ends 0 "groups of a Pentium" list --groups
grep -qx 'cache  *instructions,llc-references,llc-misses  (not here: llc-references, llc-misses)' "$out" &&
	grep -qx 'branch  *instructions,branches,branch-misses  (more than fit on the counters at once)' "$out"
result $? "what it has not, and what does not fit"
FAKE=mmx ends 0 "groups of a Pentium as JSON" list --groups --json
json "$out" /1/fits false
json "$out" /2/missing '["llc-references","llc-misses"]'
json "$out" /2/fits true
echo 'group' >"$XDG_CONFIG_HOME/pmcdrv/formulas"
ends 125 "list --groups with a broken file" list --groups
says "$err" "formulas:1:"
[ ! -s "$out" ]
result $? "and prints nothing"
rm "$XDG_CONFIG_HOME/pmcdrv/formulas"
for other in -l x --complete=x; do
	ends 125 "list --groups $other" list --groups $other
	says "$err" "goes with --json, --formulas and --cputype only"
done

# ---- notes of this computer ----
notes=$XDG_CONFIG_HOME/pmcdrv/event-notes
mkdir -p "$XDG_CONFIG_HOME/pmcdrv"
printf '#notes\n\nref-CYCLES  always 0 here\n\tMEM_LOAD_*\ttwice\nref_cycles second\n' >"$notes"
ends 0 "list with notes" list
grep -q '^ref-cycles  *fixed2  *\[always 0 here\] ' "$out"
result $? "a note, before the description"
grep -q '^MEM_LOAD_RETIRED:\.\.\.  *general0-3  *\[twice\] ' "$out"
result $? "one of a pattern"
grep -q '^cycles  *general fixed1  *clock cycles of the core while it is not halted$' "$out"
result $? "an event without a note"
ends 0 "list of unit masks with notes" list 'MEM_LOAD_RETIRED:L1_HIT'
grep -q '^MEM_LOAD_RETIRED:L1_HIT  *general0-3  *\[twice\] ' "$out"
result $? "that of the event"
ends 0 "long, with notes" list -l ref-cycles
says "$out" "    here       always 0 here"
ends 0 "as JSON, with notes" list --json ref-cycles
json "$out" /0/here '"always 0 here"'
printf 'cycles text\nref-cycles \n' >"$notes"
ends 125 "a note without a text" list
says "$err" "$notes:2: 'ref-cycles ' has no text; write: NAME TEXT"
[ ! -s "$out" ]
result $? "and prints nothing"
ends 0 "which completion does not need" list --complete=ref-c
printf 'cycles te\0xt\n' >"$notes"
ends 125 "notes with a zero byte" list
says "$err" "$notes is not a text file"
rm "$notes"
mkdir "$notes"
ends 125 "notes that are a folder" list
says "$err" "cannot read $notes: Is a directory"
rmdir "$notes"
ends 0 "as JSON, without notes" list --json ref-cycles
json "$out" /0/here null

# ---- mistakes ----
ends 0 "list --help" list --help
says "$out" "Usage: pmcctl list"
ends 125 "list with two patterns" list a b
says "$err" "unexpected argument 'b'"
ends 125 "list of what is no kind of core" list --kind=big
says "$err" "'big' is not a core type"
ends 125 "list of a kind that is not there" list --kind=atom
says "$err" "no CPU has the core type atom"
FAKE=missing ends 125 "likewise without the driver" list --kind=atom
says "$err" "this processor has one core type"
ends 125 "list with an unknown option" list -Z
says "$err" "unknown option '-Z'"
ends 125 "list --complete without a word" list --complete
says "$err" "needs a value"
"$pmcctl" list >/dev/full 2>"$err"
[ $? -eq 125 ]
result $? "list into a full disk fails"

finish
