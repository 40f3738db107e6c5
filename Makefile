# SPDX-License-Identifier: GPL-2.0-only
#
# pmcdrv: "make help" lists what can be made.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD ?= $(CURDIR)/build
PREFIX ?= /usr
CPU ?= corei7_skylake_x

export BUILD PREFIX

user-parts := lib tools examples tests/programs tests/selftests tests/perf-compare tests/bench tests/fuzz/kernel
guest-parts := $(user-parts)
guest-i586-parts := lib tools examples tests/programs tests/selftests tests/perf-compare

all: module user

help:
	@echo 'make              the module for this kernel (KDIR=... for another) and all else'
	@echo 'make module       the module alone; plain kbuild works too'
	@echo 'make user         library, command, measured programs, selftests'
	@echo 'make install      library, command and manual pages below DESTDIR'
	@echo 'make modules_install  the module, for this kernel (KDIR=...)'
	@echo 'make demo         the emulator: counts a program with pmcctl and with perf'
	@echo 'make check        tests in the emulator, every processor family: a quarter of an hour'
	@echo 'make check-all    all tests in the emulator: an hour (tests/README.md)'
	@echo 'make check-models  selftests and perf comparison on every processor of the emulator'
	@echo '                  (2 hours; MODELS="ryzen ..." for some)'
	@echo 'make check-kernels  the selftests on every kernel of the emulator, and a table'
	@echo 'make check-debug  the selftests in debug kernels: KASAN, lockdep, KCSAN (hours; each'
	@echo '                  kernel is built first, a quarter of an hour)'
	@echo 'make fuzz-kernel  two million random operations on the driver, in the emulator'
	@echo 'make check-hw     the selftests on this computer'"'"'s own counters'
	@echo 'make bench        costs in retired instructions, of pmcdrv and of perf'
	@echo 'make shell        a prompt in the emulator (CPU=... KERNEL=...)'
	@echo 'make clean        remove what was built'

module:
	@test -e $(KDIR)/Makefile || { \
		echo 'No kernel headers in $(KDIR): install linux-headers for your kernel,' >&2; \
		echo 'or give make KDIR=... (make user builds all but the module).' >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

modules_install: module
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

user: $(user-parts)

tools examples tests/perf-compare tests/bench: lib
tests/selftests: tests/programs

$(user-parts):
	$(MAKE) -C $@

install: lib tools
	$(MAKE) -C lib install
	$(MAKE) -C tools install
	$(MAKE) -C man install

# The root file system of the emulated computer, with every program that tests run in it
guest: $(guest-parts)
	$(foreach part,$(guest-parts),$(MAKE) -C $(part) install DESTDIR=$(BUILD)/guest &&) :

# The same for 32-bit guests, compiled for the oldest, an i586, with the libraries of
# tests/machine/userland: no libpfm4, no record, no pkg-config.
guest-i586:
	cc=$$(tests/machine/userland --cc) && $(MAKE) guest BUILD=$(BUILD)/i586 CC="$$cc" \
		guest-parts='$(guest-i586-parts)' \
		LIBPFM=no RECORD=no TOOLS_CFLAGS= \
		TOOLS_LIBS='-ljson-c -lnl-genl-3 -lnl-3 -lm'
	tests/machine/userland --check $(BUILD)/i586/guest

# pmcctl and its library for an i686, complete, with Debian's libraries
guest-i686:
	libraries=$$(tests/machine/libraries32) && $(MAKE) tools BUILD=$(BUILD)/i686 \
		CC="gcc -m32 -march=i686 -L$$libraries/usr/lib/i386-linux-gnu \
			-L$$libraries/lib/i386-linux-gnu" \
		LIBPFM=yes TOOLS_CFLAGS="-I$$libraries/usr/include/libnl3" \
		TOOLS_LIBS='-ljson-c -lnl-genl-3 -lnl-3 -ldw -lelf -lz -lm -l:libstdc++.so.6' \
		LDFLAGS="-Wl,-rpath-link,$$libraries/lib/i386-linux-gnu:$$libraries/usr/lib/i386-linux-gnu"
	install -D -t $(BUILD)/i686/guest/usr/bin $(BUILD)/i686/tools/pmcctl
	install -D -t $(BUILD)/i686/guest/lib/i386-linux-gnu $(BUILD)/i686/lib/libpmcdrv.so.0 \
		$(BUILD)/i686/lib/libpmcevents.so.0
	tests/machine/libraries32 --runtime $(BUILD)/i686/guest

demo:
	@tests/pmcctl/demo

check:
	@tests/check

check-all:
	@tests/check --all

check-models:
	@tests/check-models $(MODELS)

bench:
	@tests/machine/packages
	@$(MAKE) -s guest
	@tests/machine/module 6.1-cloud
	@tests/bench/bench

check-kernels:
	@tests/check-kernels

check-debug:
	@tests/check-debug

fuzz-kernel:
	@tests/fuzz/kernel/campaign

check-hw:
	@tests/check-hw

shell:
	@tests/machine/shell --build --cpu $(CPU) $(if $(KERNEL),--kernel $(KERNEL))

clean:
	rm -rf $(BUILD)
	$(RM) pmcdrv.o pmcdrv.ko pmcdrv.mod* Module.symvers modules.order .*.cmd
	$(RM) kmod/*.o kmod/.*.cmd kmod/*/*.o kmod/*/.*.cmd

.PHONY: all help module modules_install user install guest guest-i586 guest-i686 demo check check-all check-models check-kernels check-debug fuzz-kernel bench check-hw shell clean
.PHONY: $(user-parts)
