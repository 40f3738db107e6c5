# SPDX-License-Identifier: GPL-2.0-only
#
# pmcdrv: "make help" lists what can be made.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD ?= $(CURDIR)/build
PREFIX ?= /usr
INSTALL ?= install
VERSION := $(file < VERSION)
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
	@echo 'make lib tools    library and command alone'
	@echo 'make install      library, command and manual pages below DESTDIR; SYSTEM=yes: also the'
	@echo '                  group, udev rule, loading at boot, exporter (docs/install.md)'
	@echo 'make uninstall    remove what make install installed'
	@echo 'make install-dkms  the source of the module, for DKMS, below DESTDIR'
	@echo 'make modules_install  the module, for this kernel (KDIR=...)'
	@echo 'make demo         the emulator: counts a program with pmcctl and with perf'
	@echo 'make check        tests in the emulator, every processor family: 16 minutes'
	@echo 'make check-all    all tests in the emulator: an hour (tests/README.md)'
	@echo 'make check-models  selftests and perf comparison on every processor of the emulator'
	@echo '                  (3 hours; MODELS="ryzen ..." for some)'
	@echo 'make check-kernels  the selftests on the kernels of docs/kernels.md, and a table'
	@echo 'make check-debug  the selftests in debug kernels: KASAN, lockdep, KCSAN (hours; each'
	@echo '                  kernel is built first, a quarter of an hour)'
	@echo 'make fuzz-kernel  two million random operations on the driver, in the emulator'
	@echo 'make mutate       errors on purpose: does a test notice? (FILES="..." N=... SEED=...:'
	@echo '                  docs/testing.md)'
	@echo 'make check-hw     the selftests on this computer'"'"'s own counters, and a report to send'
	@echo '                  in: docs/hardware.md (ONLY="query ..." for some tests)'
	@echo 'make check-hw-bundle  one tar file with which a Pentium or P6 runs make check-hw'
	@echo 'make bench        costs in retired instructions, of pmcdrv and of perf'
	@echo 'make shell        a prompt in the emulator (CPU=... KERNEL=...)'
	@echo 'make deb          Debian packages in build/deb'
	@echo 'make dist         the tarball of a release in build/dist'
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
# The selftests link libpmcdrv where it is built, and install the programs.
tests/selftests: lib tests/programs

$(user-parts):
	$(MAKE) -C $@

install: lib tools
	$(MAKE) -C lib install
	$(MAKE) -C tools install
	$(MAKE) -C man install
	$(if $(SYSTEM),$(MAKE) install-system)

uninstall: uninstall-system
	$(MAKE) -C lib uninstall
	$(MAKE) -C tools uninstall
	$(MAKE) -C man uninstall

# Files of packaging/system and their installed names
system-files := sysusers.conf:sysusers.d/pmcdrv.conf udev.rules:udev/rules.d/60-pmcdrv.rules \
	modules-load.conf:modules-load.d/pmcdrv.conf modprobe.conf:modprobe.d/pmcdrv-group.conf \
	pmcctl-exporter.service:systemd/system/pmcctl-exporter.service

# The unit starts pmcctl where it is installed.
install-system:
	set -e; for file in $(system-files); do \
		$(INSTALL) -D -m 644 packaging/system/$${file%:*} $(DESTDIR)$(PREFIX)/lib/$${file#*:}; \
	done
	sed -i 's|=/usr/bin/pmcctl |=$(PREFIX)/bin/pmcctl |' \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/pmcctl-exporter.service

uninstall-system:
	for file in $(system-files); do $(RM) $(DESTDIR)$(PREFIX)/lib/$${file#*:}; done

# What DKMS builds the module from
dkms-source = $(DESTDIR)/usr/src/pmcdrv-$(VERSION)
install-dkms:
	set -e; find Kbuild VERSION kmod uapi -name '*.[ch]' ! -name '*.mod.c' -o -name Kbuild \
		-o -name VERSION | while read -r file; do \
		$(INSTALL) -D -m 644 $$file $(dkms-source)/$$file; \
	done
	sed 's/#MODULE_VERSION#/$(VERSION)/' packaging/dkms.conf >$(dkms-source)/dkms.conf

# The files that git knows, as they are now; the time is that of debian/changelog.
dist-name := pmcdrv-$(VERSION)
dist-time = @$(shell date -d "$$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%s)
dist:
	mkdir -p $(BUILD)/dist
	git ls-files -z | tar --null -T - -c --sort=name --format=gnu --owner=0 --group=0 \
		--numeric-owner --mode=u=rwX,go=rX --mtime=$(dist-time) \
		--transform='s,^,$(dist-name)/,S' | xz >$(BUILD)/dist/$(dist-name).$$PPID.new
	mv $(BUILD)/dist/$(dist-name).$$PPID.new $(BUILD)/dist/$(dist-name).tar.xz

deb:
	@packaging/deb

# The root file system of the emulated computer, with every program that tests run in it. -C leaves
# files as they are that have not changed: a test can be copying them.
guest: $(guest-parts)
	$(foreach part,$(guest-parts),$(MAKE) -C $(part) install DESTDIR=$(BUILD)/guest \
		INSTALL='$(INSTALL) -C' &&) :

# The same for 32-bit guests, compiled for the oldest, an i586, with the libraries of
# tests/machine/userland: no record, no pkg-config.
guest-i586:
	$(with-i586) $(MAKE) guest $(i586-arguments) guest-parts='$(guest-i586-parts)'
	tests/machine/userland --check $(BUILD)/i586/guest

# pmcctl and its library for an i686, complete, with Debian's libraries
guest-i686:
	$(with-i686) $(MAKE) tools $(i686-arguments)
	install -D -t $(BUILD)/i686/guest/usr/bin $(BUILD)/i686/tools/pmcctl
	install -D -t $(BUILD)/i686/guest/lib/i386-linux-gnu $(BUILD)/i686/lib/libpmcdrv.so.0 \
		$(BUILD)/i686/lib/libpmcevents.so.0
	tests/machine/libraries32 --runtime $(BUILD)/i686/guest

# The shell's and make's part of each of the two
with-i586 := cc=$$(tests/machine/userland --cc) &&
i586-arguments = BUILD=$(BUILD)/i586 CC="$$cc" LIBPFM=yes JSON=yes RECORD=no TOOLS_CFLAGS= \
	TOOLS_LIBS='-static -lpfm -ljson-c -lnl-genl-3 -lnl-3 -lm'
with-i686 := libraries=$$(tests/machine/libraries32) &&
i686-arguments = BUILD=$(BUILD)/i686 \
	CC="gcc -m32 -march=i686 -L$$libraries/usr/lib/i386-linux-gnu \
		-L$$libraries/lib/i386-linux-gnu" \
	LIBPFM=yes JSON=yes TOOLS_CFLAGS="-I$$libraries/usr/include/libnl3" \
	TOOLS_LIBS='-ljson-c -lnl-genl-3 -lnl-3 -ldw -lelf -lz -lm -l:libstdc++.so.6' \
	LDFLAGS="-Wl,-rpath-link,$$libraries/lib/i386-linux-gnu:$$libraries/usr/lib/i386-linux-gnu"

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

mutate:
	@tests/machine/packages
	@tests/mutate/mutate $(if $(N),--number $(N)) $(if $(SEED),--seed $(SEED)) $(FILES)

check-hw:
	@tests/check-hw $(ONLY)

# Of the other two only the tests are users.
check-hw-bundle check-hw-bundle-i586:
	@$(with-i586) tests/hardware/bundle i586 $(i586-arguments)

check-hw-bundle-i686:
	@$(with-i686) tests/hardware/bundle i686 $(i686-arguments)

check-hw-bundle-x86_64:
	@tests/hardware/bundle x86_64 BUILD=$(BUILD)

shell:
	@tests/machine/shell --build --cpu $(CPU) $(if $(KERNEL),--kernel $(KERNEL))

clean:
	rm -rf $(BUILD)
	$(RM) pmcdrv.o pmcdrv.ko pmcdrv.mod* Module.symvers modules.order .*.cmd
	$(RM) kmod/*.o kmod/.*.cmd kmod/*/*.o kmod/*/.*.cmd

.PHONY: all help module modules_install user install guest guest-i586 guest-i686 demo check check-all check-models check-kernels check-debug fuzz-kernel bench mutate check-hw check-hw-bundle check-hw-bundle-i586 check-hw-bundle-i686 check-hw-bundle-x86_64 shell clean uninstall install-system uninstall-system install-dkms dist deb
.PHONY: $(user-parts)
