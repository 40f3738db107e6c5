#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The table of events that the model prints: every event of every part, each with
# one of three words and something said.
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
result 'the table is made' $?
rows=$(grep -E '^\| [0-9A-F]{2,}H' <<<"$all")
[ "$(grep -c '^## ' <<<"$all")" -eq 28 ]
result 'twenty-eight parts' $?
! grep -vE '^\| [0-9A-F ,H]+( bit [0-9]+)? \| [^|]+ \| (all|0|1|0-2|0-3|4-7|12-17|18, 19|20, 21|22, 23|25) \| (counted|modelled|always 0) \| [^|]+ \|$' <<<"$rows"
result 'every row is whole' $?
pentium=$($table Pentium)
[ "$(grep -cE '^\| [0-9A-F]{2}H' <<<"$pentium")" -eq 38 ]
result "the Pentium's 38" $?
grep -qF '| 00H | DATA_READ | all | counted | data reads, a split one twice |' <<<"$pentium"
result 'one that is counted' $?
grep -qF '| 0EH | CODE_CACHE_MISS | all | modelled | ' <<<"$pentium"
result 'one that is modelled' $?
grep -qF '| 0AH | BANK_CONFLICTS | all | always 0 | one instruction at a time, in one pipe |' <<<"$pentium"
result 'one that is always 0' $?
grep -qF '| 02H bit 0 | instr_retired NBOGUSNTAG | 12-17 | counted | instructions retired |' <<<"$all"
result "one of NetBurst's" $?
grep -qF '| 107CCH, 107CDH | IBUSQ | 18, 19 | modelled | lines looked up in the last-level cache |' <<<"$all"
result "one of the Xeon's with L3" $?
grep -qF '| 7EH 02H | L2_CACHE_MISS:DATA | 0-2 | modelled | ' <<<"$($table 'FX, A series (15H)')"
result "one of AMD's" $?
grep -qF '| C4H 01H, 01H | BR_INST_RETIRED.COND_TAKEN | all | counted | ' <<<"$($table 'Lion Cove')"
result 'one with a unit mask 2' $?
short=$($table --short)
[ "$(grep -c '^| ' <<<"$short")" -eq $(($(grep -c '^## ' <<<"$all") + 1)) ]
result 'a row for each part in short' $?
diff <(sed -n '/^| part /,/^$/p' ../../machine/README.md | sed '/^$/d') - <<<"$short"
result "the machine's README has just these" $?
! $table nothing 2>/dev/null
result 'an unknown part is refused' $?
grep -q 'Pentium III' < <($table nothing 2>&1)
result 'and the known ones are told' $?
echo "1..$number"
exit $failed
