# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# Chooses the selftests that fit the computer, by what the driver reports (describe) and what
# the kernel has. Sourced by report; uses cpuinfo() and has_flag() of facts.sh; reads $facts (the
# output of describe), $table (programs) and $installed (the folder of selftests and measured
# programs).

# fact KEY: a value of describe
fact() {
	sed -n "s/^$1: //p" "$facts"
}

has_feature() {
	case " $(fact features) " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

in_family() {
	[ "$(fact 'counter family')" = "$1" ]
}

is_installed() {
	[ -e "$installed/selftests/$1" ]
}

# Can CPU 1 be taken offline, and is it online?
has_cpus() {
	[ "$(cat /sys/devices/system/cpu/cpu1/online 2>/dev/null)" = 1 ]
}

# has CONDITION: whether the computer has it
has() {
	case $1 in
	any) ;;
	interrupt) has_feature INTERRUPT ;;
	rdpmc) has_feature RDPMC ;;
	no_rdpmc) ! has_feature RDPMC ;;
	metrics) has_feature METRICS && is_installed perf_metrics ;;
	status) in_family CORE && has_feature INTERRUPT ;;
	p5) in_family P5 && is_installed events_p5 ;;
	p6) in_family P6 && is_installed events_p6 ;;
	amd) in_family AMD ;;
	amd_compat) in_family AMD && has compat ;;
	netburst) in_family NETBURST ;;
	netburst_threads) in_family NETBURST && [ "$(cpuinfo siblings)" = 2 ] ;;
	netburst_l3) in_family NETBURST && [ $(($(fact 'general counter mask') >> 18)) -ne 0 ] ;;
	core) in_family CORE ;;
	perfmon_v6) [ "$(fact 'perfmon version')" -ge 6 ] ;;
	core_types) [ "$(fact 'core type')" != 0x0 ] ;;
	*) kernel_has "$1" ;;
	esac
}

kernel_has() {
	case $1 in
	cpus) has_cpus ;;
	two_cpus) [ "$(grep -c '^processor' /proc/cpuinfo)" -ge 2 ] ;;
	net_sse2) has net && [ "$(has_flag sse2)" = yes ] ;;
	sampling_sse2) has_feature INTERRUPT && [ "$(has_flag sse2)" = yes ] ;;
	sampling_cpus) has_feature INTERRUPT && has_cpus ;;
	perf) [ -e /proc/sys/kernel/perf_event_paranoid ] ;;
	sampling_perf) has_feature INTERRUPT && has perf ;;
	vm86) has_feature INTERRUPT && is_installed sample_vm86 ;;
	net) [ -e /proc/net/netlink ] ;;
	container) [ -e /proc/self/ns/user ] && [ -e /proc/self/ns/pid ] ;;
	kvm) [ -e /dev/kvm ] ;;
	intel_pt) [ -e /sys/bus/event_source/devices/intel_pt ] ;;
	local_apic) has_feature INTERRUPT && grep -qw iomem=relaxed /proc/cmdline ;;
	compat) [ "$(uname -m)" = x86_64 ] && "$installed/programs/loop32-1m" 2>/dev/null ;;
	*) return 1 ;;
	esac
}

# choose: print "run PROGRAM" or "leave PROGRAM REASON" for each program of the table
choose() {
	grep -E '^(run|leave) ' "$table" | while read -r what first rest; do
		if [ "$what" = leave ]; then
			echo "leave $first $rest"
			continue
		fi
		reason=
		has "$first" || reason="needs $(sed -n "s/^condition $first //p" "$table")"
		for program in $rest; do
			echo "${reason:+leave }${reason:+$program }${reason:-run $program}"
		done
	done
}
