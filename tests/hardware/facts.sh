# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# The parts of the report about processor and kernel. They contain nothing that identifies a
# person or a computer: no host name, no user name, no serial number, and of the kernel's command
# line only the options listed here. Sourced by report.

# cpuinfo KEY: a value of the first logical processor
cpuinfo() {
	sed -n "s/^$1[[:blank:]]*: *//p;/^\$/q" /proc/cpuinfo
}

# or_none VALUE: the value, or "none" if there is none
or_none() {
	echo "${1:-none}"
}

has_flag() {
	case " $(cpuinfo flags) " in
	*" $1 "*) echo yes ;;
	*) echo no ;;
	esac
}

processor_facts() {
	echo "vendor: $(cpuinfo vendor_id)"
	echo "family: $(cpuinfo 'cpu family')"
	echo "model: $(cpuinfo model)"
	echo "stepping: $(cpuinfo stepping)"
	echo "name: $(cpuinfo 'model name')"
	echo "microcode: $(or_none "$(cpuinfo microcode)")"
	echo "hypervisor: $(has_flag hypervisor)"
	echo "logical processors: $(grep -c '^processor' /proc/cpuinfo)"
	echo "siblings: $(or_none "$(cpuinfo siblings)")"
	echo "bugs: $(or_none "$(cpuinfo bugs)")"
}

# The options that change interrupts, counters or the APIC
cmdline_options='nmi_watchdog|nowatchdog|lapic|nolapic|noapic|iomem|maxcpus|nosmp|isolcpus'
cmdline_options="$cmdline_options|nohz_full|rcu_nocbs|idle|mitigations|pti|nopti|tsc|lockdown"

# The configuration that counts, interrupts and the loading of a module depend on
config_options='SMP|NR_CPUS|HZ|PREEMPT[A-Z_]*|NO_HZ_FULL|X86_LOCAL_APIC|X86_UP_APIC|PERF_EVENTS'
config_options="$config_options|HARDLOCKUP_DETECTOR[A-Z_]*|KPROBES|FUNCTION_TRACER|TRACEPOINTS"
config_options="$config_options|MODVERSIONS|MODULE_SIG_FORCE|PARAVIRT|KVM_GUEST|HYPERVISOR_GUEST"
config_options="$config_options|PAGE_TABLE_ISOLATION|X86_16BIT|X86_LEGACY_VM86|IA32_EMULATION"
config_options="$config_options|KASAN|KCSAN|PROVE_LOCKING|M[0-9]86[A-Z]*|MPENTIUM[A-Z0-9]*|X86_PAE"

kernel_config() {
	if [ -e /proc/config.gz ]; then
		zcat /proc/config.gz
	else
		cat "/boot/config-$(uname -r)" 2>/dev/null ||
			cat "${KDIR:-/lib/modules/$(uname -r)/build}/.config" 2>/dev/null
	fi
}

# sysctl_value PATH: of /proc/sys
sysctl_value() {
	or_none "$(cat "/proc/sys/$1" 2>/dev/null)"
}

kernel_facts() {
	echo "release: $(uname -r)"
	echo "version: $(uname -v)"
	echo "machine: $(uname -m)"
	echo "clock source: $(or_none "$(cat \
		/sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null)")"
	echo "NMI watchdog: $(or_none "$watched") before the tests, off during them"
	echo "perf_event_paranoid: $(sysctl_value kernel/perf_event_paranoid)"
	echo "perf's counters: $(or_none "$(cat /sys/bus/event_source/devices/cpu*/caps/pmu_name \
		2>/dev/null | tr '\n' ' ')")"
	echo "lockdown: $(or_none "$(cat /sys/kernel/security/lockdown 2>/dev/null)")"
	echo "options: $(or_none "$(tr ' ' '\n' </proc/cmdline |
		grep -E "^($cmdline_options)(=|\$)" | tr '\n' ' ')")"
	kernel_config | grep -E "^CONFIG_($config_options)=" | sort >"$work/config"
	if [ -s "$work/config" ]; then
		cat "$work/config"
	else
		echo "config: not found"
	fi
}
