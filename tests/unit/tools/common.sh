# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the tests of pmcctl share. Sourced with the build folder as $1.

pmcctl=$1/pmcctl
json_get=$1/json_get
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=$scratch/out
err=$scratch/err
count=0
failed=0

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$out" "$err"
		failed=1
	fi
}

# ends STATUS NAME ARGUMENT...: pmcctl ends with this status
ends() {
	status=$1 name=$2
	shift 2
	"$pmcctl" "$@" >"$out" 2>"$err"
	got=$?
	[ "$got" -eq "$status" ]
	result $? "$name: exit status $status${got:+ ($got)}"
}

# FILE TEXT: the last output has this text
says() {
	grep -qF -- "$2" "$1"
	result $? "says: $2"
}

# json FILE POINTER VALUE
json() {
	[ "$("$json_get" "$2" <"$1" 2>>"$err")" = "$3" ]
	result $? "JSON $2 is $3"
}

# waits PID: until a pmcctl that began in the background waits, for whatever is next:
# it catches signals (SIGTERM is bit 14) and sleeps; or it has ended. The last of the
# tries is for what hangs.
waits() {
	tries=0
	until [ ! -e "/proc/$1" ] || [ $tries -ge 6000 ] || awk '
		/^State:\tZ/ { over = 1 }
		/^State:\tS/ { asleep = 1 }
		/^SigCgt:.*[4-7c-f]...$/ { catches = 1 }
		END { exit !(over || asleep && catches) }' "/proc/$1/status" 2>/dev/null; do
		sleep 0.01
		tries=$((tries + 1))
	done
}

# appears FILE: until it is there and not empty.
appears() {
	tries=0
	until [ -s "$1" ] || [ $tries -ge 6000 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
}

unset FAKE FAKE_PCE FAKE_STARTED NO_COLOR POSIXLY_CORRECT
# script(1) runs commands with it
export SHELL=/bin/sh
# No formulas but those built in
export XDG_CONFIG_HOME="$scratch/config"
# No event files
export XDG_DATA_HOME="$scratch/data"

finish() {
	echo "1..$count"
	exit $failed
}
