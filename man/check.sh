#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Checks that the pages format without a warning and name every function of the
# libraries, every ioctl and structure of the ABI, and every option.
# Usage: check.sh BUILT_PAGES
set -u

out=$1
count=0
failed=0
skipped=

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2$skipped"
	else
		echo "not ok $count - $2"
		failed=1
	fi
}

# names FILE: the page has every word of stdin, and there is one
names() {
	page=$out/$1
	missing=0
	words=0
	while read -r word; do
		words=$((words + 1))
		if ! sed 's/\\-/-/g; s/\\f[A-Z]//g' "$page" | grep -qwF -e "$word"; then
			echo "# ${page##*/} does not name $word"
			missing=1
		fi
	done
	[ $words -gt 0 ] && [ $missing -eq 0 ]
}

# The long options in a subcommand's table
options() {
	sed -n 's/.*{ "\([a-z-]*\)", [a-z]*_argument.*/--\1/p' "$1"
}

# Help and manual page are compared in capitals: what is to be replaced is in italics
# there.

# help_text SOURCE: a subcommand's help
help_text() {
	sed -n 's/^[^"]*"\(.*\)\\n".*/\1/p' "$1" | sed -n '/^Usage: /,/^See pmcctl/p'
}

# help_usage: what is written at its top, a line each
help_usage() {
	awk '/^$/ { exit } { sub(/^Usage:/, "      ") }
	/^       pmcctl/ && NR > 1 { print "" } { printf "%s ", $0 }
	END { print "" }' | squeeze
}

# help_options: the options as they are written there
help_options() {
	sed -n 's/^  \(    \)\{0,1\}\(-.*\)/\2/p' | sed 's/  .*//' | squeeze
}

# page_section PAGE SECTION: its text, with macros instead of fonts taken away: a line for
# each of the page's, ".br" for a break and ".TP" before a tag
page_section() {
	awk -v section="$2" '
	/^\.SH / { inside = $0 == ".SH " section; next }
	!inside { next }
	/^\.[BIR][BIR] / {
		together = ""
		rest = substr($0, 5)
		while (match(rest, /^ *("[^"]*"|[^ ]+)/)) {
			word = substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			sub(/^ */, "", word)
			gsub(/"/, "", word)
			together = together word
		}
		$0 = together
	}
	/^\.[BI] / { $0 = substr($0, 4) }
	{ gsub(/\\f[BIPR]|\\\|/, ""); gsub(/\\-/, "-"); print }' "$out/$1"
}

# page_usage, page_options: of a section on stdin, what help_usage and help_options give
page_usage() {
	awk '/^\.br$/ { print ""; next } { printf "%s ", $0 } END { print "" }' | squeeze
}

page_options() {
	awk 'tag && /^-/ { print } { tag = /^\.TP$/ }' | squeeze
}

squeeze() {
	sed 's/  */ /g; s/^ //; s/ $//' | tr '[:lower:]' '[:upper:]'
}

# same NAME: the two files "help" and "page" are, and not empty
same() {
	cmp -s "$out/help" "$out/page" && [ -s "$out/help" ]
	status=$?
	[ $status -eq 0 ] || diff "$out/help" "$out/page" | sed 's/^/# /'
	rm -f "$out/help" "$out/page"
	result $status "$1"
}

for page in "$out"/*.[1-9]; do
	! grep -nE '@(TABLE|EVENTS|STRUCT|FORMULAS)' "$page"
	result $? "${page##*/}: no table is missing"
	if command -v groff >/dev/null; then
		warnings=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
		[ -z "$warnings" ] || echo "$warnings" | sed 's/^/# /'
		[ -z "$warnings" ]
	else
		skipped=" # SKIP no groff"
	fi
	result $? "${page##*/}: groff has no warning"
	skipped=
	if command -v mandoc >/dev/null; then
		warnings=$(mandoc -T lint -W warning "$page" 2>&1)
		[ -z "$warnings" ] || echo "$warnings" | sed 's/^/# /'
		[ -z "$warnings" ]
	else
		skipped=" # SKIP no mandoc"
	fi
	result $? "${page##*/}: mandoc has no warning"
	skipped=
done

# Functions of a header, inline ones and macros for the user included
functions() {
	sed -n -e 's/^\(PMC_INLINE \|[a-z]\)[^(]*[ *]\(pmc_[a-z_]*\)(.*/\2/p' \
		-e 's/^#define \(PMC_REGION_\(BEGIN\|END\)\)(.*/\1/p' "../lib/include/$1" |
		grep -vx 'pmc_order\|pmc_rdpmc_add\|pmc_.*_ordered'
}

functions libpmcdrv.h |
	names libpmcdrv.3
result $? "libpmcdrv.3 names every function"
functions libpmcevents.h |
	names libpmcevents.3
result $? "libpmcevents.3 names every function"
functions libpmcdrv-read.h |
	names libpmcdrv-read.3
result $? "libpmcdrv-read.3 names every function"
functions libpmcdrv-sample.h |
	names libpmcdrv-sample.3
result $? "libpmcdrv-sample.3 names every function"
sed -n 's/^#define \(PMC_SAMPLES_[A-Z]*\)\t.*/\1/p' ../lib/include/libpmcdrv-sample.h |
	names libpmcdrv-sample.3
result $? "libpmcdrv-sample.3 names every flag"
sed -n 's/^#define \(PMC_IOC_[A-Z]*\)\t.*_IO(.*/\1/p' ../uapi/pmcdrv.h |
	names pmcdrv.4
result $? "pmcdrv.4 names every ioctl"
sed -n 's/^struct \(pmc_[a-z_]*\) {/\1/p' ../uapi/pmcdrv.h |
	names pmcdrv.4
result $? "pmcdrv.4 names every structure"
sed -n '/^struct pmc_/,/^}/s/^\t__.* \([a-z_0-9]*\)\(\[.*\)\{0,1\};.*/\1/p' ../uapi/pmcdrv.h | sort -u |
	names pmcdrv.4
result $? "pmcdrv.4 names every field"
sed -n 's/^\tX(\(E[A-Z0-9]*\),.*/\1/p' ../uapi/pmcdrv.h |
	names pmcdrv.4
result $? "pmcdrv.4 names every error"
sed -n 's/^#define \(PMC_\(STATE\|READ\|CONFIG\|COUNT\|SCOPE\|CPU\)_[A-Z_]*\)[\t ].*/\1/p' ../uapi/pmcdrv.h |
	names pmcdrv.4
result $? "pmcdrv.4 names every flag"
for source in ../tools/cmd/*.c; do
	command=${source##*/}
	command=${command%.c}
	options "$source" | sort -u >"$out/options"
	names "pmcctl-$command.1" <"$out/options"
	result $? "pmcctl-$command.1 names every option"
	missing=$(sed -n 's/^\t"  *\(-.*\)/\1/p' "$source" | sed 's/  .*//' |
		grep -o -e '--[a-z][a-z-]*' | sort -u | comm -3 - "$out/options")
	[ -z "$missing" ] || echo "# $missing"
	[ -z "$missing" ]
	result $? "pmcctl $command --help has every option, and no other"
	sed -n 's/^\t\.summary = "\(.*\)",$/\1/p' "$source" >"$out/help"
	page_section "pmcctl-$command.1" NAME | sed 's/^[^ ]* - //' >"$out/page"
	grep -qxF -f "$out/help" "$out/pmcctl.1"
	result $? "pmcctl.1 describes $command as its --help does"
	same "and so does its page"
	help_text "$source" | help_usage >"$out/help"
	page_section "pmcctl-$command.1" SYNOPSIS | page_usage >"$out/page"
	same "pmcctl $command --help has the synopsis of its page"
	help_text "$source" | help_options >"$out/help"
	page_section "pmcctl-$command.1" OPTIONS | page_options >"$out/page"
	same "and its options, in the same order"
	help_text "$source" | sed -n '/^Examples:$/,/^$/s/^    //p' >"$out/help"
	page_section "pmcctl-$command.1" EXAMPLES | grep -xF -f "$out/help" >"$out/page"
	same "and its examples are among those there"
	grep -q '^\.SH EXIT STATUS$' "$out/pmcctl-$command.1"
	result $? "pmcctl-$command.1 states the exit status"
	grep -q "^\.BR pmcctl.\{1,2\}$command (1)" "$out/pmcctl.1"
	result $? "pmcctl.1 names pmcctl-$command(1)"
done
rm -f "$out/options"
help_text ../tools/pmcctl.c | help_usage >"$out/help"
page_section pmcctl.1 SYNOPSIS | page_usage >"$out/page"
same "pmcctl --help has the synopsis of its page"
help_text ../tools/pmcctl.c | sed -n '/^Examples:$/,/^$/s/^    //p' >"$out/help"
page_section pmcctl.1 EXAMPLES | grep -xF -f "$out/help" >"$out/page"
same "and its examples are among those there"
sed -n 's/^\tX(\([A-Z_]*\), [0-9]*, \(CONTEXT\|OVERFLOW\|THROTTLE\|HOTPLUG\|PCE\),.*/PMC_NETLINK_\1/p' ../uapi/pmcdrv-netlink.h |
	names pmcdrv-netlink.7
result $? "pmcdrv-netlink.7 names every event"
sed -n 's/^\tX(\([A-Z_]*\), [0-9]*, \(U32\|U64\|TEXT\|NEST\),.*/\1/p' ../uapi/pmcdrv-netlink.h |
	names pmcdrv-netlink.7
result $? "pmcdrv-netlink.7 names every attribute without its prefix"
options ../tools/cmd/record.c |
	names pmcctl-record.1
result $? "pmcctl-record.1 names every option"
options ../tools/cmd/report.c |
	names pmcctl-report.1
result $? "pmcctl-report.1 names every option"
sed -n 's/^\tX(\([A-Z]*\), [0-9]*, .*/RECORD_\1/p' ../tools/record/file.h |
	names pmc-data.5
result $? "pmc-data.5 names every section"
sed -n 's/^struct \(record_[a-z]*\) {$/\1/p' ../tools/record/file.h |
	grep -vx 'record_\(writer\|part\|file\)' |
	names pmc-data.5
result $? "pmc-data.5 names every structure of the file"
sed -n 's/.*add_\(pair\|number\)(&*pairs, "\([a-z_]*\)".*/\2/p' ../tools/record/system.c |
	names pmc-data.5
result $? "pmc-data.5 names every key"
sed -n 's/.*put_[a-z]*(object, "\([a-z_]*\)".*/\1/p; s/.*_object_add([a-z]*, "\([a-z_]*\)".*/\1/p' \
	../tools/report/print.c ../tools/report/list-json.c | names pmcctl-report.1
result $? "pmcctl-report.1 names every key of its JSON"

echo "1..$count"
exit $failed
