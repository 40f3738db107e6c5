#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the headers declare, libpmcdrv.map exports and libpmcdrv.so has is the same;
# the headers compile alone as C and as C++.
# Usage: test_symbols.sh LIB_SOURCE LIB_BUILD
set -u

source=$1
build=$2
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

declared=$(sed -n 's/^[a-z].*[ *]\(pmc_[a-z_]*\)(.*/\1/p' "$source"/include/*.h | sort)
mapped=$(sed -n 's/^\t\(pmc_[a-z_]*\);$/\1/p' "$source/libpmcdrv.map" | sort)
exported=$(nm -D --defined-only "$build/libpmcdrv.so" |
	sed -n 's/.* T \(.*\)@@LIBPMCDRV_0$/\1/p' | sort)
all=$(nm -D --defined-only "$build/libpmcdrv.so" | grep -c ' [^A] ')

echo "1..6"
[ -n "$declared" ] && [ "$declared" = "$mapped" ]
result $? "headers and map have the same functions"
[ "$mapped" = "$exported" ]
result $? "map and library have the same functions"
[ "$all" -eq "$(echo "$exported" | wc -l)" ]
result $? "the library exports nothing else"
readelf -d "$build/libpmcdrv.so" | grep -q 'SONAME.*\[libpmcdrv\.so\.0\]'
result $? "soname is libpmcdrv.so.0"
printf '#include <libpmcdrv-%s.h>\n' read sample |
	${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only \
		-I "$source/include" -I "$build/include" -x c -
result $? "the headers compile alone as C11"
if command -v "${CXX:-c++}" >/dev/null; then
	printf '#include <libpmcdrv-%s.h>\n' read sample |
		${CXX:-c++} -Wall -Wextra -Werror -fsyntax-only \
			-I "$source/include" -I "$build/include" -x c++ -
	result $? "the headers compile alone as C++"
else
	count=$((count + 1))
	echo "ok $count - the headers compile alone as C++ # SKIP no C++ compiler"
fi
exit $failed
