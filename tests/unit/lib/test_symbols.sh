#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Headers, symbol versions, dependencies and size of libpmcdrv and libpmcevents.
# Usage: test_symbols.sh LIB_SOURCE LIB_BUILD
set -u

source=$1
build=$2
cc=${CC:-cc}
cxx=${CXX:-c++}
lines_max=3500
count=0
failed=0

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		failed=1
	fi
}

# declared HEADER...: the functions, sorted
declared() {
	sed -n 's/^[a-z].*[ *]\(pmc_[a-z_]*\)(.*/\1/p' "$@" | sort
}

# mapped MAP NODE: the symbols of a version node, sorted
mapped() {
	sed -n "/^$2 {/,/^};/s/^\t\(pmc_[a-z_]*\);\$/\1/p" "$source/$1.map" | sort
}

# exported LIBRARY NODE: the functions with this version, sorted
exported() {
	nm -D --defined-only "$build/$1.so" | sed -n "s/.* T \(.*\)@@$2\$/\1/p" | sort
}

# check_library LIBRARY NODE HEADER...
check_library() {
	library=$1
	node=$2
	shift 2
	[ -n "$(declared "$@")" ] && [ "$(declared "$@")" = "$(mapped "$library" "$node")" ]
	result $? "$library: headers and map have the same functions"
	[ "$(mapped "$library" "$node")" = "$(exported "$library" "$node")" ]
	result $? "$library: map and library have the same functions"
	readelf -d "$build/$library.so" | grep -q "SONAME.*\[$library\.so\.0\]"
	result $? "$library: soname is $library.so.0"
}

# only LIBRARY NODE...: the library exports symbols of these versions only
only() {
	library=$1
	shift
	for node; do
		exported "$library" "$node"
	done | wc -l | grep -qx "$(nm -D --defined-only "$build/$library.so" | grep -c ' [^A] ')"
	result $? "$library exports nothing else"
}

# compiles COMPILER LANGUAGE STANDARD: each public header alone, then all together
compiles() {
	for header in "$source"/include/*.h ALL; do
		if [ "$header" = ALL ]; then
			(cd "$source/include" && printf '#include <%s>\n' *.h)
		else
			echo "#include <${header##*/}>"
		fi | "$1" -std="$3" -pedantic -Wall -Wextra -Werror -fsyntax-only \
			-I "$source/include" -isystem "$build/include" -x "$2" - || return 1
	done
}

echo 1..15
check_library libpmcdrv LIBPMCDRV_0 "$source"/include/libpmcdrv*.h
check_library libpmcevents LIBPMCEVENTS_0 "$source/include/libpmcevents.h"
cat "$source"/*.c | sed -n 's/^PMC_PRIVATE .*[ *]\(pmc_[a-z_]*\)(.*/\1/p' | sort >"$build/private"
mapped libpmcdrv LIBPMCDRV_PRIVATE_0 | cmp -s - "$build/private"
result $? "libpmcdrv: PMC_PRIVATE and map have the same functions"
exported libpmcdrv LIBPMCDRV_PRIVATE_0 | cmp -s - "$build/private"
result $? "libpmcdrv: map and library have the same private functions"
only libpmcdrv LIBPMCDRV_0 LIBPMCDRV_PRIVATE_0
only libpmcevents LIBPMCEVENTS_0
! readelf -d "$build/libpmcdrv.so" | grep NEEDED | grep -v '\[\(libc\|ld-linux.*\)\.so\.[0-9]*\]' &&
	! nm -D --undefined-only "$build/libpmcdrv.so" | grep ' U ' | grep -v '@GLIBC_'
result $? "libpmcdrv needs libc only"
lines=$(cat "$source"/*.c "$source"/*.S "$source"/*.h "$source"/include/libpmcdrv*.h | wc -l)
[ "$lines" -le "$lines_max" ] || echo "# libpmcdrv has $lines lines"
[ "$lines" -le "$lines_max" ]
result $? "libpmcdrv has at most $lines_max lines"
! grep -rn --include='*.[chS]' --include='*.def' pmcctl "$source"
result $? "neither library names pmcctl"
compiles "$cc" c c11
result $? "the headers compile as C11 with -pedantic"
if command -v "$cxx" >/dev/null; then
	compiles "$cxx" c++ c++20
	result $? "the headers compile as C++20 with -pedantic"
else
	count=$((count + 1))
	echo "ok $count - the headers compile as C++20 with -pedantic # SKIP no C++ compiler"
fi
exit $failed
