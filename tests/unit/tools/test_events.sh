#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests pmcctl events, and --events of the others, with small event files.
# Usage: test_events.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

files=$scratch/files
installed=$XDG_DATA_HOME/pmcdrv/events

# event NAME CODE REST...: an object
event() {
	name=$1 code=$2
	shift 2
	printf '{ "EventName": "%s", "EventCode": "%s"' "$name" "$code"
	[ $# -eq 0 ] || printf ', %s' "$@"
	printf ' }'
}

# same FOLDER FOLDER
same() {
	diff -r "$1" "$2" >"$out" 2>&1
	result $? "$3"
}

mkdir -p "$files/made"
printf 'Family-model,Version,Filename,EventType\nGenuineIntel-6-55,v1,made,core\n' >"$files/mapfile.csv"
{
	echo '['
	event MADE.EVENT 0xa1 '"UMask": "0x2"' '"SampleAfterValue": "5003"'
	echo ,
	event MADE.OLD 0xa2 '"Deprecated": "1"' '"BriefDescription": "Refer to MADE.EVENT"'
	echo ,
	event MADE.MSR 0xb7 '"UMask": "0x1"' '"MSRIndex": "0x1a6"' '"MSRValue": "0x10"'
	echo ,
	event MADE.LATENCY 0xcd '"UMask": "0x1"' '"MSRIndex": "0x3F6"' '"MSRValue": "0x10"'
	echo ,
	event UNC_MADE 0x1 '"Unit": "CHA"'
	echo ']'
} >"$files/made/cache.json"
printf '[ %s ]' "$(event UNC_OTHER 0x2 '"Unit": "iMC"')" >"$files/made/uncore.json"

# ---- check ----
ends 0 "check" events check "$files"
says "$out" 'made/cache.json: 4 events, 1 of them need registers that the driver does not set, 1 of uncore units left out'
says "$out" 'made/uncore.json: 0 events, 1 of uncore units left out'
says "$out" '1 file, 4 events'
[ ! -e "$installed" ]
result $? "nothing is installed"

# ---- --events ----
ends 0 "a name" --events="$files" list made.event
says "$out" 'MADE.EVENT'
ends 0 "JSON" --events="$files" list --json made.old
json "$out" /0/code '"r00a2"'
json "$out" /0/source '"made/cache.json, v1"'
json "$out" /0/note '"the event file marks it as deprecated: Refer to MADE.EVENT"'
ends 0 "a warning" --events="$files" stat -e MADE.OLD:u true
says "$err" "pmcctl stat: warning: event 'MADE.OLD:u': the event file marks it as deprecated: Refer to MADE.EVENT"
ends 0 "an extra register" --events="$files" list --json made.msr
json "$out" /0/code '"cpu/config=0x1b7,config1=0x10/"'
ends 0 "its count" --events="$files" stat -e MADE.MSR:u true
ends 125 "load latency" --events="$files" stat -e MADE.LATENCY true
says "$err" "event 'MADE.LATENCY': selects loads by their latency, of which the hardware counts only a random sample"
ends 1 "without them" list made.event
ends 125 "a folder without them" --events="$scratch" list
says "$err" "pmcctl: --events: $scratch/mapfile.csv: No such file or directory; choose a folder with mapfile.csv"
ends 125 "no subcommand" --events="$files"
says "$err" 'expected a subcommand after --events'
ends 125 "the folder as another argument" --events list cycles
says "$err" '--events needs a folder: --events=FOLDER'
ends 0 "completion" --events="$files" list --complete=made.
[ "$(cat "$out")" = 'MADE.EVENT
MADE.MSR
MADE.OLD' ]
result $? "it has no refused event"

# ---- import ----
ends 0 "import" events import "$files"
says "$out" "installed in $installed"
mkdir "$scratch/expected"
cp -r "$files/mapfile.csv" "$files/made" "$scratch/expected"
rm "$scratch/expected/made/uncore.json"
same "$scratch/expected" "$installed" "the files of cores are installed"
ends 0 "a name of theirs" list made.event

echo '[ 1 ]' >"$files/made/x.json"
ends 125 "a mistake" events import "$files"
says "$err" "pmcctl events: $files/made/x.json: event 1: this is not an object"
says "$err" "1 mistake in $files"
same "$scratch/expected" "$installed" "the old files are as before"
rm "$files/made/x.json"

echo "[ $(event OTHER.EVENT 0x11) ]" >"$files/made/cache.json"
mkdir "$installed.new"
echo left >"$installed.new/left"
ends 0 "import again" events import "$files"
cp "$files/made/cache.json" "$scratch/expected/made"
same "$scratch/expected" "$installed" "the new files replace the old"
[ ! -e "$installed.new" ]
result $? "no other folder is left"
ends 1 "the old names are gone" list made.event

printf '[ 1 ]' >"$installed/made/cache.json"
ends 125 "a mistake in installed files" list
says "$err" "$installed/made/cache.json: event 1: this is not an object"
ends 0 "it does not concern architectural names" stat -e instructions:u true
rm -r "$installed"

# ---- usage ----
ends 125 "no action" events
says "$err" 'expected check or import'
ends 125 "no folder" events check
says "$err" 'check takes one folder'
ends 125 "two folders" events import a b
says "$err" 'import takes one folder'
ends 125 "--system" events check --system "$files"
says "$err" '--system goes with import only'
ends 125 "no home" events check "$scratch/absent"
says "$err" "$scratch/absent/mapfile.csv: No such file or directory"
: >"$scratch/file"
XDG_DATA_HOME=$scratch/file ends 125 "a folder that cannot be created" events import "$files"
says "$err" 'cannot create'
ends 0 "help" events --help
says "$out" 'Usage: pmcctl events check FOLDER'

finish
