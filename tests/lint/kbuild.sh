# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Builds the module with all warnings in a copy of the tree: with gcc, sparse and clang.
# Sourced in the top folder, by steps of tests/steps.

# kbuild KERNEL ARGUMENT...: fails and prints the output of make when it has a warning.
kbuild() {
	local kdir copy log status=0
	kdir=$(tests/machine/kernel --kdir "$1") || return
	copy=$(mktemp -d) || return
	cp -r Kbuild VERSION kmod uapi "$copy"
	find "$copy" \( -name '*.o' -o -name '.*.cmd' \) -delete
	log=$(make -C "$kdir" M="$copy" W=1 "${@:2}" modules 2>&1) || status=1
	# kbuild always warns of a compiler that is not the kernel's own.
	if grep -iE 'warning|error' <<<"$log" | grep -v '^warning: the compiler differs'; then
		status=1
	fi
	# Nor is sparse skipped silently.
	if grep -E 'C=[12] specified, but' <<<"$log" || [ ! -e "$copy/pmcdrv.ko" ]; then
		status=1
	fi
	[ "$status" -eq 0 ] || printf '%s\n' "$log"
	rm -rf "$copy"
	return $status
}

# set_clang_arguments KERNEL HEADER: set $clang_arguments to the configuration that kconfig would
# choose for this clang, and write HEADER. The kernels are configured for gcc. clang 14 has no
# options for return thunks, straight-line speculation and ftrace's list of calls. kconfig gives it
# neither gcc's address spaces for per-CPU data, which headers use as macros, nor, on 32 bits, the
# stack protector.
set_clang_arguments() {
	local version
	version=$(clang -dumpversion | awk -F . '{ printf "%d%02d%02d", $1, $2, $3 }')
	clang_arguments=(CONFIG_CC_IS_GCC= CONFIG_GCC_VERSION=0
		CONFIG_CC_IS_CLANG=y CONFIG_CLANG_VERSION="$version"
		CONFIG_RETHUNK= CONFIG_MITIGATION_RETHUNK= CONFIG_SLS= CONFIG_MITIGATION_SLS=
		CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough
		CONFIG_CC_HAS_AUTO_VAR_INIT_ZERO_ENABLER=y KCFLAGS="-include $2")
	case $1 in
	686*) clang_arguments+=(CONFIG_STACKPROTECTOR= CONFIG_STACKPROTECTOR_STRONG=) ;;
	esac
	printf '#undef CONFIG_%s\n' CC_IS_GCC CC_HAS_NAMED_AS USE_X86_SEG_SUPPORT >"$2"
}

# kbuild_clang KERNEL ARGUMENT...: kbuild with clang
kbuild_clang() {
	local undefine status=0
	undefine=$(mktemp) || return
	set_clang_arguments "$1" "$undefine"
	kbuild "$@" CC=clang "${clang_arguments[@]}" || status=1
	rm -f "$undefine"
	return $status
}

# refuses_clang KERNEL: succeeds and prints the reason if this clang is too old for it
refuses_clang() {
	local kdir oldest newest
	kdir=$(tests/machine/kernel --kdir "$1") && [ -e "$kdir/scripts/min-tool-version.sh" ] &&
		oldest=$(sh "$kdir/scripts/min-tool-version.sh" llvm) || return
	newest=$(clang -dumpversion)
	[ "$(printf '%s\n' "$oldest" "$newest" | sort -V | head -n 1)" != "$oldest" ] &&
		echo "Linux $1 needs clang $oldest or newer; this is $newest"
}

# refuses_sparse KERNEL: the same of sparse, by the kernel's own test
refuses_sparse() {
	local kdir
	kdir=$(tests/machine/kernel --kdir "$1") && [ -e "$kdir/scripts/checker-valid.sh" ] &&
		[ "$(sh "$kdir/scripts/checker-valid.sh" sparse)" != 1 ] &&
		echo "Linux $1 needs a newer sparse than $(sparse --version)"
}

# kbuild_refuses_older KERNEL: succeeds if make refuses the kernel when it is called 5.9
kbuild_refuses_older() {
	local kdir copy
	kdir=$(tests/machine/kernel --kdir "$1") && copy=$(mktemp -d) || return
	cp -r Kbuild VERSION kmod uapi "$copy"
	! make -C "$kdir" M="$copy" VERSION=5 PATCHLEVEL=9 modules >"$copy/log" 2>&1 &&
		grep -q 'pmcdrv needs Linux 5.10 or newer' "$copy/log"
	set -- $?
	rm -rf "$copy"
	return "$1"
}

# kbuild_tap KERNEL: the warnings of gcc, sparse and clang, as TAP
kbuild_tap() {
	local result=ok check=2 why
	! why=$(refuses_sparse "$1") || check=0
	kbuild "$1" C=$check || result='not ok'
	echo "$result 1 - gcc with W=1, without a warning: $1"
	[ $check -ne 0 ] || result=ok
	echo "$result 2 - sparse, without a warning: $1${why:+ # SKIP $why}"
	result=ok
	if why=$(refuses_clang "$1"); then
		why=" # SKIP $why"
	else
		kbuild_clang "$1" || result='not ok'
	fi
	echo "$result 3 - clang with W=1, without a warning: $1$why"
	result=ok
	kbuild_refuses_older "$1" || result='not ok'
	echo "$result 4 - make refuses a kernel before 5.10: $1"
	echo 1..4
}
