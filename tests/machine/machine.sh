# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
#
# Functions that `run` and `shell` share: their options, and the set-up of one emulator in a
# folder of its own. Sourced after common.sh and guest.sh.

# Instructions in a second of guest time. The kernel command line has the same frequency (lpj is
# it divided by HZ=250), so that the guest's clocks agree.
clock=50000000

# Bochs' memory in huge pages: a tenth faster.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}

kernel_arguments="console=ttyS0,115200 quiet loglevel=5 panic=0"
# Avoid whatever changes a program's counts from run to run.
kernel_arguments+=" nokaslr mitigations=off no5lvl apparmor=0 selinux=0 audit=0"
kernel_arguments+=" tsc=reliable no_timer_check"
# Bochs does not always wake a processor that waits in MWAIT: with two processors the kernel
# stops for seconds at times, with or without the driver. HLT works.
kernel_arguments+=" idle=nomwait"
# A self-test of RSA is two thirds of an emulated boot.
kernel_arguments+=" cryptomgr.notests=1"
# These initcalls are half of the rest: they check ftrace's and BTF's tables, look up the names of
# tracepoints' constants, and test key derivation and the jitter entropy. Without them the kernel
# reads its BTF when a BPF program needs it.
kernel_arguments+=" initcall_blacklist=ftrace_check_for_weak_functions,trace_eval_init"
kernel_arguments+=",cubictcp_register,bpf_rstat_kfunc_init,bpf_key_sig_kfuncs_init,kfunc_init"
kernel_arguments+=",bpf_prog_test_run_init,bpf_tcp_ca_kfunc_init,crypto_kdf108_init,jent_mod_init"

cpu=corei7_skylake_x
cpus=1
threads=1
kernel=
memory=
# The minimum: some tests' limits depend on the memory, which the guest's programs must not change.
least_memory=600
silicon=
cet=
extra_arguments=
adds=()
withs=()
modules=()
root=

# machine_option OPTION VALUE...: parse one option that run and shell share; set $taken to its
# number of words. Status 1 for other options.
machine_option() {
	taken=2
	case $1 in
	--cpu | --cpus | --threads | --clock | --kernel | --add | --with | --module | --memory | \
		--kernel-args | --pmu | --cpuid | --root)
		[ $# -ge 2 ] || usage_error "$1 needs a value"
		;;
	--silicon | --cet) ;;
	*) return 1 ;;
	esac
	case $1 in
	--cpu) cpu=$2 ;;
	--cpus) cpus=$2 ;;
	--threads) threads=$2 ;;
	--clock) clock=$2 ;;
	--kernel) kernel=$2 ;;
	--add) adds+=("$2") ;;
	--with) withs+=("$2") ;;
	--module) modules+=("$2") ;;
	--memory) memory=$2 ;;
	--kernel-args) extra_arguments+=" $2" ;;
	--root) root=$2 ;;
	--pmu) export PMCDRV_PMU=$2 ;;
	--silicon)
		silicon=yes
		taken=1
		;;
	--cet)
		cet=--cet
		taken=1
		;;
	--cpuid)
		[[ $2 =~ ^[0-9a-f]+\.e[abcd]x=[0-9a-f]+$ ]] ||
			usage_error "$2 is not LEAF.REGISTER=VALUE in hexadecimal, as in 1.eax=612"
		export PMCDRV_CPUID=${PMCDRV_CPUID:+$PMCDRV_CPUID,}$2
		;;
	esac
}

machine_options_help="  --cpu MODEL          processor model, by Bochs' name (default $cpu;
                       --cpu help lists them)
  --cpus N             number of cores (default 1)
  --threads N          logical processors of each core (default 1), 1 or 2
  --clock HZ           instructions in a second of guest time (default
                       $clock); fewer mean more timer interrupts for the
                       same work, as on a slower computer
  --kernel NAME        the guest's kernel (default: one that fits the processor, for
                       those with 64 bits 6.1-cloud; --kernel help lists them)
  --add FILE[:PATH]    put a file or folder into the guest, at PATH (default: its
                       name at the top, /NAME); programs bring their libraries
  --with perf          put Debian's perf into the guest
  --module NAME        put a stock kernel module into the guest, for modprobe
  --memory MB          the guest's memory (default: 600, with 32 bits 304, or what the
                       files need)
  --kernel-args WORDS  additional kernel command line
  --root IMAGE         boot the system in this ext4 image with its own init, systemd, and
                       run COMMAND in it; 64 bits only
  --pmu OPTIONS        options of the PMU model (PMCDRV_PMU): errata, as in --pmu fix0, and
                       virtual machines, as in --pmu nordpmc; an unknown option prints
                       them all (tests/machine/pmu/README.md)
  --silicon            with the errata of the processor: the option silicon of the PMU
                       model, beside those of --pmu
  --cet                with control-flow enforcement, on processors that have it
  --cpuid LEAF.REGISTER=VALUE
                       CPUID reports this instead, such as 1.eax=612; may be repeated"

# usage_error WORDS...: print the error with a reference to --help, and exit with 125.
usage_error() {
	say "$* (see $me --help)"
	exit 125
}

list_cpus() {
	"$bochs" --help cpu 2>&1 |
		sed -n 's/^[[:space:]]*\([a-z][a-z0-9_]*\)$/\1/p'
}

# fitting_kernel MODEL: print the default kernel for a processor. Debian has none for processors
# without CMOV, and its other 32-bit kernels boot slowly.
fitting_kernel() {
	case $1 in
	pentium | pentium_mmx | amd_k6_2_chomper | p2_klamath | p3_katmai | p4_willamette | \
		core_duo_t2400_yonah | atom_n270 | athlon_xp)
		echo i586
		;;
	# perf of 6.1 does not know its counters
	arrow_lake) echo 6.12-cloud ;;
	*) echo 6.1-cloud ;;
	esac
}

# prepare: check the options and provide everything that is cached.
prepare() {
	die_status=125
	[ -z "$silicon" ] || export PMCDRV_PMU=${PMCDRV_PMU:+$PMCDRV_PMU,}silicon
	if [ "$kernel" = help ]; then
		"$machine_dir/kernel" --list
		exit
	fi
	[[ $cpus =~ ^[1-9][0-9]*$ ]] || usage_error "--cpus $cpus: not a positive number"
	[[ $threads =~ ^[12]$ ]] || usage_error "--threads $threads: not 1 or 2"
	[[ $clock =~ ^[1-9][0-9]{6,9}$ ]] ||
		usage_error "--clock $clock: not a number of at least 1000000"
	[[ $memory =~ ^[0-9]*$ ]] || usage_error "--memory $memory: not a number of megabytes"
	# tests/check has looked for both already
	bochs=${PMCDRV_BOCHS:-}
	if [ -z "$bochs" ] || [ -n "$cet" ]; then
		"$machine_dir/packages" || exit 125
		# shellcheck disable=SC2086  # an option or none
		bochs=$("$machine_dir/bochs-build" $cet --print-binary) || exit 125
	fi
	if [ "$cpu" = help ]; then
		list_cpus
		exit
	fi
	list_cpus | grep -qx "$cpu" || usage_error "--cpu $cpu: unknown to Bochs; --cpu help lists the models"
	tools=$("$machine_dir/host-tools") || exit 125
	kernel=${kernel:-$(fitting_kernel "$cpu")}
	kernel_dir=$("$machine_dir/kernel" "$kernel") || exit 125
	kernel_release=$(cat "$kernel_dir/release")
	base=$tools/base.cpio
	staged=$checkout_dir/build/guest
	[ -z "$root" ] || [ -r "$root" ] || usage_error "--root $root: no such file"
	if ! grep -qx CONFIG_64BIT=y "$kernel_dir/config"; then
		[ -z "$root" ] || usage_error "--root: kernel $kernel has 32 bits"
		base=$("$machine_dir/userland" --base) || exit 125
		staged=$checkout_dir/build/i586/guest
		least_memory=304
		# The BIOS leaves the local APIC of older processors disabled.
		kernel_arguments+=" lapic"
	fi
}

# part_of MODEL: print the PMU model's name of the part if the library has events of its own for
# it. Other processors have those of libpfm4.
part_of() {
	case $1 in
	pentium) echo Pentium ;;
	pentium_mmx) echo 'Pentium with MMX technology' ;;
	p2_klamath) echo 'Pentium II' ;;
	p3_katmai) echo 'Pentium III' ;;
	esac
}

# event_notes PART: print the path of the notes for pmcctl-list(1) on events that the emulator
# never counts.
event_notes() {
	local notes unfinished
	notes=$cache_dir/event-notes-$(cat "$machine_dir"/pmu/*.[ch] "$machine_dir"/pmu/events/* |
		hash_of)-${1// /-}
	if ! [ -e "$notes" ]; then
		unfinished=$(mktemp "$notes.XXXXXX")
		"$machine_dir/pmu/events/table" --notes "$1" >"$unfinished" ||
			die "the notes on events cannot be made"
		chmod 644 "$unfinished"
		mv "$unfinished" "$notes"
	fi
	echo "$notes"
}

# make_machine FOLDER COMMAND [INIT-ARGUMENT]: create memory image and configuration of an
# emulator that runs the sh script COMMAND.
make_machine() {
	local folder=$1 initramfs=$1/initramfs.cpio needed arguments part notes disk all_memory
	printf '%s\n' "$2" >"$folder/command"
	if [ -n "$root" ]; then
		modules+=(nd_e820 nd_pmem)
		adds+=("$machine_dir/guest/to-root:/machine/to-root")
		staged=
	fi
	part=$(part_of "$cpu")
	if [ -n "$part" ]; then
		notes=$(event_notes "$part")
		adds=("$notes:/etc/pmcdrv/event-notes" "${adds[@]}")
	fi
	guest_files "$folder" >"$initramfs"
	# While the kernel unpacks them, the files are in memory twice.
	needed=$((256 + 8 * (($(stat -c %s "$initramfs") * 3 - 16000000) / 8000000)))
	[ "$needed" -ge "$least_memory" ] || needed=$least_memory
	arguments="$kernel_arguments tsc_early_khz=$((clock / 1000)) lpj=$((clock / 250))"
	memory=${memory:-$needed}
	all_memory=$memory
	if [ -n "$root" ]; then
		# The disk is memory behind the system's own, of which the kernel makes /dev/pmem0.
		# Bochs allocates blocks of 8 MB; in the last one the BIOS has its tables.
		memory=$(((memory + 7) / 8 * 8))
		disk=$((($(stat -L -c %s "$root") + 0x7fffff) / 0x800000 * 8))
		all_memory=$((memory + disk + 8))
		arguments+=" rdinit=/machine/to-root memmap=${disk}M!${memory}M"
		arguments+=" memmap=8M\$$((memory + disk))M"
	fi
	arguments+="$extra_arguments${3:+ -- $3}"
	"$tools/image" memory "$folder/memory.img" "$memory" \
		"$kernel_dir/vmlinux" "$kernel_dir/bzImage" "$initramfs" "$arguments" \
		${root:+"$root"} ||
		die "the guest's memory image cannot be created"
	rm "$initramfs"
	cat >"$folder/bochsrc" <<-end
	config_interface: textconfig
	display_library: nogui
	cpu: model=$cpu, count=$cpus:1:$threads, ips=$clock, reset_on_triple_fault=0, ignore_bad_msrs=1
	memory: guest=$all_memory, host=$all_memory, block_size=8192
	romimage: file="$tools/bios.bin", options=fastboot
	vgaromimage: file=/usr/share/vgabios/vgabios.bin
	optromimage1: file="$tools/rom.bin", address=0xd0000
	optramimage1: file="$folder/memory.img", address=0x0
	clock: sync=none
	boot: disk
	com1: enabled=1, mode=file, dev="$folder/console"
	port_e9_hack: enabled=1
	log: "$folder/bochs.log"
	panic: action=fatal
	error: action=ignore
	info: action=report
	end
	: >"$folder/console"
}

# kernel_log FOLDER: print the guest's kernel log. It is complete if the guest ended normally;
# otherwise only the console's messages exist.
kernel_log() {
	if [ -s "$1/kernel.log" ]; then
		sed 's/^<[0-9]*>//' "$1/kernel.log"
	else
		cat "$1/console"
	fi
}
