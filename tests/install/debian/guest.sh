#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in the Debian system of check. TAP, numbered from NUMBER + 1.
#
#   guest.sh count NUMBER OLDER NEWER      members of the group pmc, and the exporter, can count;
#                                          then removes pmcctl, and the driver while it is in use
#   guest.sh upgrade NUMBER OLDER NEWER    they can count; then upgrades and purges the packages
cd "$(dirname "$0")" || exit
first=$2 number=$2 older=$3 newer=$4
bad=0
metrics=/var/lib/prometheus/node-exporter/pmcdrv.prom

# result NAME: the status of the last command as a TAP line
result() {
	local status=$?
	number=$((number + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' /tmp/log | tail -n 30
		bad=1
	fi
}

version() {
	cat /sys/module/pmcdrv/version
}

# renewed: wait until the exporter has written the file once more
renewed() {
	local before
	before=$(stat -L -c %Y.%i $metrics)
	while [ "$(stat -L -c %Y.%i $metrics)" = "$before" ]; do
		systemctl is-active -q pmcctl-exporter || return
	done
}

count() {
	systemctl is-system-running --wait >/tmp/log || systemctl --failed >>/tmp/log
	[ "$(head -n 1 /tmp/log)" = running ]
	result 'systemd has started the system'
	[ "$(version)" = "$older" ] && systemctl is-active systemd-modules-load >/tmp/log
	result 'the module is loaded at boot'
	./count >/tmp/log 2>&1 && grep -qx '2000004 instructions, 1000001 branches' /tmp/log
	result 'debian/tests/count: a user of the group counts exactly, another is refused'
	sysctl -qw kernel.nmi_watchdog=0
}

# exporter: start it, with an interval of its own
exporter() {
	mkdir -p ${metrics%/*} && sed -i 's/^#OPTIONS=.*/OPTIONS="-e instructions,cycles -I 200"/' \
		/etc/default/pmcctl-exporter && systemctl -q enable --now pmcctl-exporter && renewed &&
		runuser -u bob -- cat $metrics >/tmp/log &&
		grep -q '^pmcdrv_stat_events{event="instructions",counter="fixed0",run="1"} [1-9]' /tmp/log
	result 'the exporter writes a file that any user can read'
	process=$(systemctl show -P MainPID pmcctl-exporter)
	sed -n 's/^\(Uid\|CapEff\|CapBnd\):[[:blank:]]*\([^[:blank:]]*\).*/\1 \2/p' \
		"/proc/$process/status" >/tmp/log
	grep -qxE 'Uid 6[0-9]{4}' /tmp/log && [ "$(grep -cx 'Cap[EB].. 0000004000000000' /tmp/log)" -eq 2 ]
	result 'it runs as a user of its own with CAP_PERFMON alone'
}

remove_command() {
	dpkg --remove pmcctl pmcdrv-selftests >/tmp/log 2>&1 && ! systemctl is-active -q pmcctl-exporter &&
		! [ -L $metrics ] && ! [ -e /run/pmcctl-exporter ]
	result 'removing pmcctl stops the exporter, which leaves no file'
	rmmod pmcdrv >/tmp/log 2>&1
	result 'the driver is not in use then'
}

remove_driver() {
	modprobe pmcdrv && exec 9</dev/pmc && dpkg --remove pmcdrv-dkms >/tmp/log 2>&1 9<&- &&
		grep -q 'driver is in use and stays loaded' /tmp/log && [ -e /sys/module/pmcdrv ]
	result 'removing the driver in use reports that it stays loaded'
	exec 9<&-
	rmmod pmcdrv >/tmp/log 2>&1 && getent group pmc >>/tmp/log
	result 'the command that this has printed unloads it, and the group stays'
}

upgrade() {
	mkdir /usr/share/pmcdrv-dkms
	cp "$(modinfo -n pmcdrv)" /tmp/older.ko
	mv pmcdrv.tar.gz "/usr/share/pmcdrv-dkms/pmcdrv-$newer.dkms.tar.gz"
	dpkg -i ./*.deb >/tmp/log 2>&1 &&
		grep -q "version $older of the driver is in use and stays loaded" /tmp/log
	result 'the upgrade of all packages reports that the driver is in use'
	pmcctl --version >/tmp/log && grep -q "^pmcctl $newer " /tmp/log
	result 'pmcctl has the newer version'
	[ "$(version)" = "$older" ] && [ "$(systemctl show -P MainPID pmcctl-exporter)" != "$process" ] &&
		renewed
	result 'the exporter has been restarted, and counts with the older driver'
	dkms status >/tmp/log 2>/tmp/errors
	[ "$(cat /tmp/log)" = "pmcdrv/$newer, $(uname -r), x86_64: installed" ]
	result 'DKMS has the newer version alone'
	systemctl stop pmcctl-exporter && modprobe -r pmcdrv && modprobe pmcdrv &&
		[ "$(version)" = "$newer" ]
	result 'the command that the upgrade has printed loads the newer driver'
	./count >/tmp/log 2>&1
	result 'which counts exactly'
}

# configure: what dpkg runs at the end of an upgrade
configure() {
	/var/lib/dpkg/info/pmcdrv-dkms.postinst configure "$older" >/tmp/log 2>&1
}

replace() {
	# DKMS has built the module, and takes minutes here to find that out
	mount --bind /bin/true /usr/lib/dkms/common.postinst
	rmmod pmcdrv && insmod /tmp/older.ko && [ "$(version)" = "$older" ] && configure &&
		[ "$(version)" = "$newer" ] && ! grep 'in use' /tmp/log
	result 'an upgrade replaces an older driver that is loaded and not in use'
	rmmod pmcdrv && configure && ! [ -e /sys/module/pmcdrv ] && ! grep 'in use' /tmp/log
	result 'an upgrade loads no driver if none is loaded'
	umount /usr/lib/dkms/common.postinst
	modprobe pmcdrv
}

# The exporter runs, and the package of the driver goes before pmcctl.
purge() {
	systemctl start pmcctl-exporter && renewed
	result 'the exporter counts with the newer driver'
	dpkg-query -W -f '${source:Package} ${Package}\n' | sed -n 's/^pmcdrv //p' | sort -r >/tmp/packages
	# shellcheck disable=SC2046  # a list
	dpkg --purge $(cat /tmp/packages) >/tmp/log 2>&1 && ! [ -e /sys/module/pmcdrv ] &&
		! [ -e /dev/pmc ]
	result 'purging all packages unloads the driver'
	rm -r /usr/share/pmcdrv-dkms && rmdir ${metrics%/*} /var/lib/prometheus &&
		sh files.sh / >/tmp/files && diff files /tmp/files >/tmp/log
	result 'and leaves no other files than before'
	find / -xdev \( -iname '*pmcdrv*' -o -iname '*pmcctl*' \) ! -path '/var/lib/dpkg/*' \
		! -path '/var/log/*' ! -path /tmp/\* ! -path /root/\* >/tmp/log
	! [ -s /tmp/log ] && ! getent group pmc
	result 'nor one with its name, nor the group'
}

count
exporter
if [ "$1" = upgrade ]; then
	upgrade
	replace
	purge
else
	remove_command
	remove_driver
fi
echo "1..$((number - first))"
exit $bad
