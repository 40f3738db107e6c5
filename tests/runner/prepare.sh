# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Downloads and builds everything that steps need (packages, user space, emulator, kernels)
# before they run. Sourced by tests/check in the top folder, after table.sh.

prepare_user() {
	make -s -j"$(nproc)" guest guest-i586 guest-i686 &&
		# two steps use it
		make -s -j"$(nproc)" -C tests/unit/tools BUILD="$PWD/build" all
}

# prepare_machine STEP...
prepare_machine() {
	local step kernel kernels
	kernels=$(for step; do kernels_of "$step"; done | sort -u)
	[ -n "$kernels" ] || return 0
	# tests/machine/run takes it from there
	PMCDRV_BOCHS=$(tests/machine/bochs-build --print-binary) || return
	export PMCDRV_BOCHS
	for kernel in $kernels; do
		tests/machine/module "$kernel" || return
	done
}

# prepare STEP...
prepare() {
	tests/machine/packages || return
	tests/machine/libraries32 >/dev/null && tests/install/prometheus >/dev/null || return
	# Downloads and single compilers leave a CPU idle: both at a time.
	local user status=0
	echo '== user space, machine, kernels, modules ==' >&2
	prepare_user &
	user=$!
	prepare_machine "$@" || status=1
	wait "$user" || status=1
	return $status
}
