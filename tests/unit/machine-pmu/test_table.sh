#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the table of events that the model prints: each event of each part has one of three marks
# and a remark.
set -u
cd "$(dirname "$0")" || exit 1
number=0
failed=0

# result NAME STATUS
result() {
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		failed=1
	fi
}

table=../../machine/pmu/events/table
all=$($table)
result 'the table is printed' $?
rows=$(grep -E '^\| [0-9A-F]{2,}H' <<<"$all")
[ "$(grep -c '^## ' <<<"$all")" -eq 28 ]
result 'twenty-eight parts' $?
! grep -vE '^\| [0-9A-F ,H]+( bit [0-9]+)? \| [^|]+ \| (all|0|1|3|0, 1|0-2|0-3|1-7|2-9|4-7|12-17|18, 19|20, 21|22, 23|25) \| (counted|modelled|always 0) \| [^|]+ \|$' <<<"$rows"
result 'every row is complete' $?
pentium=$($table Pentium)
[ "$(grep -cE '^\| [0-9A-F]{2}H' <<<"$pentium")" -eq 38 ]
result "the Pentium's 38" $?
grep -qF '| 00H | DATA_READ | all | counted | data reads, a split one twice |' <<<"$pentium"
result 'a counted event' $?
grep -qF '| 0EH | CODE_CACHE_MISS | all | modelled | ' <<<"$pentium"
result 'a modelled event' $?
grep -qF '| 19H | WRITE_BUFFER_FULL_STALL_DURATION (duration) | all | always 0 | memory takes no time |' <<<"$pentium"
result 'an event that is always 0' $?
[ "$(grep -c '| always 0 |' <<<"$pentium")" -eq 4 ]
result "4 of the Pentium's" $?
mmx='Pentium with MMX technology'
[ "$(grep -c '| always 0 |' < <($table "$mmx"))" -eq 17 ]
result '17 with MMX' $?
diff <($table "$mmx" | sed -nE 's/^\| [0-9A-F]+H \| ([A-Z0-9_]+) .*\| always 0 \| (.*) \|$/\1 always 0 in this emulator: \2/p') \
	<($table --notes "$mmx" | sed 1d)
result '--notes: the same events' $?
[ "$($table --notes "$mmx" | head -n 1)" = "# Events of the $mmx that the emulator never counts" ]
result 'and a heading' $?
! $table --notes nothing 2>/dev/null
result '--notes of an unknown part is rejected' $?
grep -qF '| 02H bit 0 | instr_retired NBOGUSNTAG | 12-17 | counted | instructions retired |' <<<"$all"
result 'an event of NetBurst' $?
grep -qF '| 107CCH, 107CDH | IBUSQ | 18, 19 | modelled | lines looked up in the last-level cache |' <<<"$all"
result 'an event of the Xeon with L3' $?
grep -qF '| 7EH 02H | L2_CACHE_MISS:DATA | 0-2 | modelled | ' <<<"$($table 'FX, A series (15H)')"
result 'an event of AMD' $?
grep -qF '| C4H 01H, 01H | BR_INST_RETIRED.COND_TAKEN | all | counted | ' <<<"$($table 'Lion Cove')"
result 'an event with unit mask 2' $?
grep -qF '| CDH 01H | MEM_TRANS_RETIRED.LOAD_LATENCY | 1-7 | modelled | ' <<<"$($table 'Sapphire Rapids')"
result 'an event that not all counters count' $?
short=$($table --short)
[ "$(grep -c '^| ' <<<"$short")" -eq $(($(grep -c '^## ' <<<"$all") + 1)) ]
result '--short: a row for each part' $?
diff <(sed -n '/^| part /,/^$/p' ../../machine/README.md | sed '/^$/d') - <<<"$short"
result 'the README of the emulator has the same rows' $?
! $table nothing 2>/dev/null
result 'an unknown part is rejected' $?
grep -q 'Pentium III' < <($table nothing 2>&1)
result 'and the known parts are listed' $?
echo "1..$number"
exit $failed
