#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   files.sh ROOT     lists the files below ROOT: type, mode, owner, path, target of a link, and
#                     the MD5 sums of those in etc, to compare before and after a purge
#
# Leaves out what a boot, other packages and the newer kernel change, and what the disk of check
# does not have.
cd "$1" || exit
{
	find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp \
		-o -path ./root -o -path './var/log' -o -path ./var/lib/systemd -o -path ./var/lib/dpkg \
		-o -path './var/lib/apt' -o -path './var/cache' -o -path './usr/src/linux-*' \
		-o -path './usr/lib/gcc' -o -path './usr/lib/linux-kbuild-*' -o -path ./usr/include \
		-o -path './usr/share/doc' -o -path './usr/share/locale' -o -path './usr/share/man' \
		-o -path './usr/share/info' -o -path './usr/share/i18n' -o -path './usr/share/perl' \
		-o -path './usr/lib/x86_64-linux-gnu/perl' -o -path './usr/lib/modules' \
		-o -path ./boot -o -path ./lost+found \) -prune -o -printf '%y %m %U:%G %p %l\n'
	find etc -type f -exec md5sum {} +
} | grep -vE -e ' \./(usr/share/(bug|lintian/overrides)/linux-|vmlinuz|initrd\.img)' -e ' (\./)?(etc/(group-|gshadow-|passwd-|shadow-|subgid-|subuid-|machine-id|resolv\.conf|hostname|\.updated|ld\.so\.cache)|var/\.updated|var/lib/dkms/mok\.(key|pub)|var/tmp/.*) *$' |
	LC_ALL=C sort
