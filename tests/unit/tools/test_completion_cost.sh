#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests that the completion of an event's name takes less than 100 ms with 5,000 events in event
# files. Times vary, so valgrind counts the instructions of the commands that the shell runs. A CPU
# of 3 GHz executes 300,000,000 of them in 100 ms if each needs a clock.
# Usage: test_completion_cost.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# As it is installed, without the fake driver and sanitizers. valgrind has a CPUID of its own.
build=$(realpath "$1/../../..")
export LD_LIBRARY_PATH="$build/lib"
limit=300000000

# instructions ARGUMENT...: print how many pmcctl executes; its output goes to $out
instructions() {
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
		--log-file="$err" "$build/tools/pmcctl" "$@" >"$out"
	sed -n 's/.* I  *refs: *//p' "$err" | tr -d ,
}

files=$XDG_DATA_HOME/pmcdrv/events
mkdir -p "$files"
cat >"$files/mapfile.csv" <<'FILE'
Family-model,Version,Filename,EventType
GenuineIntel-[0-9]+-[0-9A-F]+,v1,made.json,core
AuthenticAMD-[0-9]+-[0-9A-F]+,v1,made.json,core
FILE
awk 'BEGIN {
	for (i = 0; i < 5000; i++)
		printf "%s{ \"EventName\": \"MADE_%d.MASK_%d\", \"EventCode\": \"0x%x\", \"UMask\": \"0x%x\", \"Counter\": \"0,1\", \"SampleAfterValue\": \"100003\", \"BriefDescription\": \"Counts the made-up condition %d at the retirement of an instruction.\", \"PublicDescription\": \"A longer text about the condition %d, which the library does not keep, although it has to be read.\" }", i ? ",\n" : "[", i / 8, i, 1 + i % 200, 1 + i / 200, i, i
	print "]"
}' >"$files/made.json"

# the options of the subcommand, of which one has a list of events
options=$(instructions help stat)
grep -q -- '--event=LIST' "$out"
result $? "the options are read"
events=$(instructions list --complete=made_6)
[ "$(grep -c '^MADE_6.*\.MASK_' "$out")" -eq 288 ]
result $? "the names of 5,000 events are completed"
[ $((options + events)) -lt $limit ]
result $? "less than $limit instructions: $options and $events"

finish
