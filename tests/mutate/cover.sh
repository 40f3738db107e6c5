# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Which tests reach which line of kmod: from the emulator's PMCDRV_COVERAGE. Sourced by mutate in
# the top folder.
#
# A unit is a program of a step, or a whole step. For each unit, in $map: UNIT.time, its seconds;
# UNIT.lines, the lines FILE:LINE that it reaches; UNIT.command, what runs it; UNIT.kernel.

# programs_of STEP: the selftests of a step that runs one list of them
programs_of() {
	local command
	command=$(tests/check --print "$1" | sed -n "2s|.*-- '/usr/lib/pmcdrv/selftests/run \([^&;']*\)'$|\1|p")
	if [ "$command" = native ]; then
		sed -n "/^all='/,/'$/p" tests/selftests/run | tr -d "'" | sed 's/^all=//'
	else
		echo "$command"
	fi
}

# list_units STEP: unit, kernel and command of each program, or of the step
list_units() {
	local step=$1 command program programs kernel
	command=$(tests/check --print "$step" | sed -n '2s/--timeout 3600/--timeout 300/p')
	kernel=$(kernels_of "$step" | head -n 1)
	programs=$(programs_of "$step")
	if [ -z "$programs" ]; then
		printf '%s\t%s\t%s\n' "$step" "$kernel" "$command"
		return
	fi
	for program in $programs; do
		printf '%s\t%s\t%s\n' "$step.$program" "$kernel" \
			"${command%% -- *} -- '/usr/lib/pmcdrv/selftests/run $program'"
	done
}

# awk's strtonum is not in mawk.
# shellcheck disable=SC2016  # awk's variables
awk_hex='function hex(text, i, value) {
	sub(/^0x/, "", text)
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}'

# sections MODULE: offset, size and name of each section with code, in the order in which the kernel
# places them
sections() {
	readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] //p' | awk "$awk_hex"'
		$7 ~ /X/ && $1 !~ /^\.init|^\.exit/ {
			size = hex($5); align = $10 > 0 ? $10 : 1
			at = int((at + align - 1) / align) * align
			print at, size, $1
			at += size
		}'
}

# placed MODULE ADDRESSES: SECTION OFFSET of each address that is the module's. Modules begin on a
# page; the module is where the covered addresses include most beginnings of its functions. After a
# reload it can be in another place, which does not overlap with the first.
placed() {
	{
		readelf -h "$1" | grep -q ELF32 && echo bits32
		sections "$1" | sed 's/^/section /'
		readelf -sW "$1" | awk '$4 == "FUNC" { print "function", $7, $2 }'
		readelf -SW "$1" | sed -n 's/^ *\[ *\([0-9]*\)\] \(\.[^ ]*\) .*/number \1 \2/p'
		sed 's/^/covered /' "$2"
	} | awk "$awk_hex"'
	$1 == "bits32" { bits32 = 1 }
	$1 == "section" { at[$4] = $2; size[$4] = $3 }
	$1 == "number" { name[$2] = $3 }
	$1 == "function" { functions[n++] = $2 " " $3 }
	# From c0000000: mawk writes greater indices as 3.2e+09. In a 32-bit kernel the first 64 MB
	# are its own.
	$1 == "covered" {
		address = hex($2) - hex("c0000000")
		if (!bits32 || address >= hex("4000000"))
			covered[address]
	}
	END {
		for (i = 0; i < n; i++) {
			split(functions[i], f, " ")
			if (name[f[1]] != ".text")
				continue
			start = hex(f[2]) + at[".text"]
			if (!(start in starts))
				in_page[start % 4096] = in_page[start % 4096] " " start
			starts[start]
		}
		for (address in covered) {
			m = split(in_page[address % 4096], f, " ")
			for (i = 1; i <= m; i++) {
				base = address - f[i]
				if (++score[base] > best)
					best = score[base]
			}
		}
		for (s in at)
			if (at[s] + size[s] > whole)
				whole = at[s] + size[s]
		while (best) {
			most = 0
			for (base in score)
				if (score[base] > most) {
					most = score[base]
					chosen = base
				}
			if (most * 3 < best || !most)
				break
			for (address in covered)
				for (s in at) {
					offset = address - chosen - at[s]
					if (offset >= 0 && offset < size[s])
						printf "%s %d\n", s, offset
				}
			for (base in score)
				if (base + 0 > chosen - whole && base + 0 < chosen + whole)
					delete score[base]
		}
	}' | sort -u
}

# lines MODULE: reads SECTION OFFSET and prints FILE:LINE of each, and of the functions into which
# it is inlined
lines() {
	local section rows
	rows=$(cat)
	cut -d' ' -f 1 <<<"$rows" | sort -u | while read -r section; do
		awk -v section="$section" '$1 == section { printf "0x%x\n", $2 }' <<<"$rows" |
			addr2line -i -j "$section" -e "$1"
	done | sed -n 's|.*/\(kmod/[^ ]*:[0-9]*\).*|\1|p' | sort -u
}

# code_lines MODULE: each line with code
code_lines() {
	local at size section
	sections "$1" | while read -r at size section; do
		seq 0 $((size - 1)) | sed "s/^/$section /"
	done | lines "$1"
}

# cover UNIT KERNEL COMMAND: runs the unit and stores what it reaches
cover() {
	local start=$SECONDS addresses=$map/$1.addresses module=build/kernels/$2/pmcdrv.ko
	[ ! -e "$map/$1.lines" ] || return 0
	PMCDRV_COVERAGE=$PWD/$addresses bash -c "$3" >"$map/$1.log" 2>&1 || {
		echo "mutate: $1 fails without a mutant: $map/$1.log" >&2
		return 1
	}
	placed "$module" "$addresses" | lines "$module" >"$map/$1.lines.new"
	[ -s "$map/$1.lines.new" ] || {
		echo "mutate: $1 reaches no line of kmod: no debug information in $module?" >&2
		return 1
	}
	echo "$3" >"$map/$1.command"
	echo "$2" >"$map/$1.kernel"
	echo $((SECONDS - start)) >"$map/$1.time"
	rm "$addresses"
	mv "$map/$1.lines.new" "$map/$1.lines"
}

# by_coverage FILE LINE: sorts units by how many of the 41 lines around the line they reach, most
# first, then by time. A unit that reaches more of them tries more of what the code does. For lib
# and tools by time alone: most native tests need no more than three seconds, and some a minute.
by_coverage() {
	local unit near=0
	while read -r unit; do
		[[ $1 != kmod/* ]] || near=$(awk -F : -v file="$1" -v line="$2" \
			'$1 == file && $2 >= line - 20 && $2 <= line + 20 { n++ } END { print n + 0 }' \
			"$map/$unit.lines")
		echo "$near $(cat "$map/$unit.time") $unit"
	done | sort -k 1,1nr -k 2,2n | cut -d' ' -f 3
}

# reaching FILE LINE LINES: the units that reach one of the lines. Where the lines have no code, as
# those of tables, the units that reach the file. For lib and tools all units that reach the file,
# those that do not reach the line last: gcov is not exact for optimised code, nor for a process
# that ends by a signal.
reaching() {
	local line units='' code=no
	for ((line = $2; line < $2 + $3; line++)); do
		units+=$(cd "$map" && grep -lx "$1:$line" ./*.lines)$'\n'
		! grep -qx "$1:$line" "$map/code" || code=yes
	done
	[ $code = yes ] || [[ $units =~ [a-z] ]] || units=$(units_of "$1")
	named "$units" | by_coverage "$1" "$2"
	[[ $1 == kmod/* ]] || named "$(units_of "$1")" | grep -vxF "$(named "$units")" |
		by_coverage "$1" "$2"
}

# units_of FILE: the lists of those that reach the file
units_of() {
	(cd "$map" && grep -l "^$1:" ./*.lines)
}

# named LISTS: the units of these lists
named() {
	sed -n 's|^\./\(.*\)\.lines$|\1|p' <<<"$1" | sort -u
}
