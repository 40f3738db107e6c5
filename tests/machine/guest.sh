# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# The guest's initramfs: concatenated cpio archives. Sourced after common.sh.

# pack ROOT: write the folder as a cpio archive to stdout, owned by root.
pack() (
	cd "$1" || exit
	find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0
)

# base_files ROOT INIT BUSYBOX: create the files that every guest has.
base_files() {
	local root=$1 init=$2 busybox=$3 applet
	mkdir -p "$root"/{bin,sbin,lib,lib64,usr/bin,usr/sbin,usr/lib,etc,root,home/user,dev,proc,sys,tmp,run,mnt,machine}
	cp "$init" "$root/init"
	cp "$busybox" "$root/bin/busybox"
	while read -r applet; do
		case $applet in
		bin/busybox | linuxrc) ;;
		*) ln -s /bin/busybox "$root/$applet" ;;
		esac
	done < <("$machine_dir/run32" "$busybox" --list-full)
	cat >"$root/etc/passwd" <<-end
	root:x:0:0:root:/root:/bin/sh
	user:x:1000:1000:user:/home/user:/bin/sh
	nobody:x:65534:65534:nobody:/:/bin/sh
	end
	cat >"$root/etc/group" <<-end
	root:x:0:
	user:x:1000:
	nogroup:x:65534:
	end
	cp "$machine_dir/guest/shellrc" "$root/machine/"
	chmod 755 "$root" "$root"/* "$root"/usr/*
	chmod 1777 "$root/home/user"
}

# dynamic_files PATH...: print the programs and libraries in or below each that need shared
# libraries. readelf names the files if it is given two.
dynamic_files() {
	find "$@" -type f \( -perm /111 -o -name '*.so*' \) \
		-exec readelf -d /dev/null {} + 2>/dev/null |
		awk '/^File: / { file = substr($0, 7) } /\(NEEDED\)/ { print file }' | uniq
}

# add_libraries ROOT: copy the host's shared libraries that the programs below ROOT need to the
# same paths below ROOT. A library that is already below ROOT takes precedence.
add_libraries() {
	local root=$1 library
	local -a files
	mapfile -t files < <(dynamic_files "$root")
	[ "${#files[@]}" -gt 0 ] || return 0
	while read -r library; do
		case $library in
		"$root"/*) continue ;;
		esac
		if ! [ -e "$root$library" ]; then
			mkdir -p "$root$(dirname "$library")"
			cp -L "$library" "$root$library"
		fi
	done < <(
		LD_LIBRARY_PATH=$root/usr/lib:$root/usr/lib/x86_64-linux-gnu:$root/usr/local/lib \
			ldd "${files[@]}" 2>/dev/null |
			sed -nE 's/^\s+(.* => )?(\/[^ ]+) \(0x[0-9a-f]+\)$/\2/p' | sort -u
	)
}

# add_modules ROOT NAME...: copy stock kernel modules with their dependencies.
add_modules() {
	local root=$1 source=$kernel_dir/modules/lib/modules/$kernel_release name file
	local target=$root/lib/modules/$kernel_release
	shift
	mkdir -p "$target"
	for name in "$@"; do
		file=$(modprobe -d "$kernel_dir/modules" -S "$kernel_release" \
			--show-depends "$name" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p')
		if [ -z "$file" ]; then
			if grep -q "/${name//[-_]/[-_]}\.ko" "$source/modules.builtin"; then
				continue
			fi
			die "--module $name: kernel $kernel has no such module"
		fi
		while read -r file; do
			file=${file#"$source/"}
			mkdir -p "$target/$(dirname "$file")"
			cp "$source/$file" "$target/$file"
		done <<<"$file"
	done
	cp "$source"/modules.{dep,alias,symbols,builtin,order} "$target/"
}

# add_given ROOT FILE[:PATH]...: copy the files of --add.
add_given() {
	local root=$1 given file path
	shift
	for given in "$@"; do
		file=${given%%:*}
		path=/${file##*/}
		case $given in
		*:*) path=${given#*:} ;;
		esac
		[ -e "$file" ] || die "--add $file: no such file"
		[[ $path == /* && $path != */ ]] || die "--add $given: $path is not the absolute path of a file"
		mkdir -p "$root$(dirname "$path")"
		cp -rL "$file" "$root$path"
	done
}

# report_missing: print which of driver and command is missing if the other exists. A guest
# with neither is intended.
report_missing() {
	local module=build/kernels/$kernel/pmcdrv.ko made="make guest"
	if [[ $staged == */i586/* ]]; then
		made="make guest-i586"
	fi
	if [ -d "$staged" ] && ! [ -e "$checkout_dir/$module" ]; then
		say "$module is missing: the guest has no driver; run: tests/machine/module $kernel"
	elif [ -n "$staged" ] && ! [ -d "$staged" ] && [ -e "$checkout_dir/$module" ]; then
		say "${staged#"$checkout_dir/"} is missing: the guest has no pmcctl; run: $made"
	fi
}

# build_missing: build the driver, library, command and programs, without the tests.
build_missing() {
	local parts='lib tools examples tests/programs' target=guest
	if [[ $staged == */i586/* ]]; then
		target=guest-i586
	fi
	"$machine_dir/packages" && timed "library, command and programs for the guest" \
		make -s -C "$checkout_dir" "$target" "$target-parts=$parts" &&
		timed "pmcdrv.ko for kernel $kernel" "$machine_dir/module" "$kernel"
}

# staged_files ROOT COMMAND: copy what is built for the guest. With --named, of the programs over
# 40 kB in /usr/lib/pmcdrv only those that have a word of the command as name or, but for the
# selftests, as folder. perf-compare also runs count_samples.
staged_files() {
	local word
	local -a wanted=(-true)
	if [ -n "${named:-}" ]; then
		wanted=(! -path './usr/lib/pmcdrv/*' -o ! -size +80 -o -name count_samples)
		while read -r word; do
			wanted+=(-o -name "$word")
			[ "$word" = selftests ] || wanted+=(-o -path "./usr/lib/pmcdrv/$word/*")
		done < <(grep -oE '[[:alnum:]_-]+' "$2" | sort -u)
	fi
	(cd "$staged" && find . '(' "${wanted[@]}" ')' | cpio --quiet -pdm "$1")
}

# guest_files FOLDER: write the initramfs to stdout. Later archives override earlier ones.
guest_files() {
	local folder=$1 root=$1/root layer
	local module=$checkout_dir/build/kernels/$kernel/pmcdrv.ko

	report_missing
	cat "$base"
	for layer in "${withs[@]}"; do
		cat "$("$machine_dir/layer" "$layer")" || die "--with $layer: cannot be provided"
	done
	mkdir -p "$root/machine"
	cp "$folder/command" "$root/machine/command"
	if [ -n "$staged" ] && [ -d "$staged" ]; then
		staged_files "$root" "$folder/command"
	fi
	if [ -e "$module" ]; then
		# debug information is 19 parts of 20 of the file
		strip --strip-debug -o "$root/pmcdrv.ko" "$module"
	fi
	if [ "${#modules[@]}" -gt 0 ]; then
		add_modules "$root" "${modules[@]}"
	fi
	add_given "$root" "${adds[@]}"
	add_libraries "$root"
	pack "$root"
	rm -rf "$root"
}
