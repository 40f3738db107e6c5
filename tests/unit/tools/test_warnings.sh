#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests the warnings about events that the processor's documents do not list or call undefined:
# stat, record, sweep and
# list print each once, and JSON has them.
# Usage: test_warnings.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

chapter='"Intel Architecture MMX Technology"'
unlisted="neither table 6-2 of $chapter nor SDM Volume 3B lists its number for this processor: it is reserved, and its count is undefined"
reserved="its number is reserved in table 6-1 of $chapter: what it counts is undefined"
no_state="its unit mask is 0, which selects no state of a cache line: nothing is counted (table 6-2 of $chapter, note 1)"

# warned COMMAND EVENT TEXT: the standard error has this warning once
warned() {
	[ "$(grep -cxF "pmcctl $1: warning: event '$2': $3" "$err")" -eq 1 ]
	result $? "a warning of $2"
}

# warnings NUMBER: the standard error has so many
warnings() {
	[ "$(grep -c ': warning: ' "$err")" -eq "$1" ]
	result $? "$1 warnings"
}

# quoted TEXT: as JSON
quoted() {
	printf '"%s"' "$(printf %s "$1" | sed 's/"/\\"/g')"
}

# ---- stat ----
export FAKE=p6
ends 0 "an unlisted code" stat -r 3 -o "$scratch/table" -e r00fe:u true
warned stat r00fe:u "$unlisted"
warnings 1
grep -q 'r00fe:u' "$scratch/table"
result $? "it is counted"
ends 0 "a code twice" stat -o "$scratch/table" -e r00fe:u -e r00FE:u true
warnings 1
ends 0 "two codes, as JSON" stat --json -o "$scratch/json" -e r0029:u,r00fe:k true
warned stat r0029:u "$no_state"
warned stat r00fe:k "$unlisted"
warnings 2
json "$scratch/json" /events/0/warning "$(quoted "$no_state")"
json "$scratch/json" /events/1/warning "$(quoted "$unlisted")"
ends 0 "names" stat --json -o "$scratch/json" -e L2_LD:u,BUS_BNR_DRV:SELF:u true
warnings 0
json "$scratch/json" /events/0/warning null
FAKE=mmx ends 0 "a reserved code" stat -e r0010:u true
warned stat r0010:u "$reserved"
ends 125 "an unlisted code beside what is no event" stat -e r00fe:u,no_such:u touch "$scratch/ran"
[ "$(wc -l <"$err")" -eq 1 ] && [ ! -e "$scratch/ran" ]
result $? "one message, and nothing was run"
echo 'group odd = r00fe, instructions' >"$scratch/formulas"
ends 0 "a group" stat --formulas="$scratch/formulas" -g odd:u -o "$scratch/table" true
warned stat r00fe:u "$unlisted"

# ---- record ----
ends 125 "record, with the fake driver that does not sample here" record -o "$scratch/data" -e r00fe:u true
warned record r00fe:u "$unlisted"
warnings 1

# ---- sweep ----
ends 0 "sweep" sweep -r 2 -e r00fe,r00FE,r00c0 --json true
warned sweep r00fe:u "$unlisted"
warnings 1
json "$out" /events/0/warning "$(quoted "$unlisted")"
json "$out" /events/1/warning null
FAKE=mmx ends 0 "sweep with clocks" sweep --clocks -e r0010 true
warned sweep r0010:u "$reserved"
warnings 1
ends 0 "all events" sweep true
warnings 0

# ---- list ----
ends 1 "a code" list r00fe
warned list r00fe "$unlisted"
ends 1 "a code of the table" list r00c0
warnings 0
echo 'group more = r00fe, r0029' >>"$scratch/formulas"
ends 0 "groups" list --groups --formulas="$scratch/formulas"
warned list r00fe "$unlisted"
warned list r0029 "$no_state"
warnings 2
ends 0 "groups as JSON" list --groups --json --formulas="$scratch/formulas"
warnings 2
last=$(grep -c '"name":' "$out")
json "$out" "/$((last - 1))/warnings/r00fe" "$(quoted "$unlisted")"
json "$out" "/$((last - 1))/warnings/r0029" "$(quoted "$no_state")"
json "$out" "/$((last - 2))/warnings/r00fe" "$(quoted "$unlisted")"
json "$out" /0/warnings '{}'
ends 0 "names" list
warnings 0

finish
