#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Completion in a real bash and a real zsh on a terminal: lines are typed with TAB, or with M-*,
# which inserts all completions. A wrapper of pmcctl saves the resulting arguments. fish prints
# its completions.
# Usage: test_completion.sh BUILD_FOLDER
set -u
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

folder=$(realpath "$(dirname "$0")/../../../tools/completion")
completion=$folder/pmcctl.bash
tab=$'\t'
all=$'\e*'

mkdir "$scratch/bin" "$scratch/folder"
touch "$scratch/folder/file one" "$scratch/folder/formulas-file"
# The completion scripts get pmcctl's answer. If the output is the terminal, the arguments are
# saved instead, one a line.
cat >"$scratch/bin/pmcctl" <<FILE
#!/bin/sh
[ -t 1 ] || exec "$(realpath "$pmcctl")" "\$@"
printf '%s\n' "\$@" >"$scratch/arguments"
FILE
chmod +x "$scratch/bin/pmcctl"

# becomes LINE WORD...: typed after "pmcctl ", the line has these arguments then
becomes() {
	local line=$1
	shift
	rm -f "$scratch/arguments"
	printf 'pmcctl %s\nexit\n' "$line" >"$scratch/typed"
	(
		cd "$scratch/folder" || exit
		PATH=$scratch/bin:$PATH INPUTRC=/dev/null HISTFILE='' TERM=dumb \
			ZDOTDIR=$scratch script -qec "$shell" /dev/null
	) <"$scratch/typed" >"$out" 2>"$err"
	printf '%s\n' "$@" | cmp -s - "$scratch/arguments"
	result $? "${shell%% *}: pmcctl $(printf %q "$line") becomes $*"
	[ ! -e "$scratch/arguments" ] || sed 's/^/# got: /' "$scratch/arguments"
}

try_all() {
	becomes "st$tab" stat
	becomes "help sw$tab" help sweep
	becomes "help stat s$tab" help stat s
	becomes "stat --open$tab" stat --openmetrics
	becomes "stat --pi${tab}1" stat --pid=1
	becomes "sweep --ru${tab}3" sweep --runs=3
	becomes "sweep --r$all" sweep --repeat= --runs=
	becomes "sweep --event=cycles,branch-m$tab" sweep --event=cycles,branch-misses
	becomes "mon$tab" monitor
	becomes "pce $all" pce 0 1 2
	becomes "stat -e L1D_PEND$tab" stat -e L1D_PEND_MISS
	becomes "stat -e l1d_pend$tab" stat -e L1D_PEND_MISS
	becomes "stat -e L1D$all" stat -e L1D L1D_PEND_MISS
	becomes "stat -e cycles,br-no,branch-m$tab" stat -e cycles,br-no,branch-misses
	becomes "stat -e cycles,br$tab" stat -e cycles,br
	becomes "stat -e instructions:u,br$tab$tab" stat -e instructions:u,br
	says "$out" BR_INST_RETIRED
	says "$out" branch-misses
	becomes "sweep --event=br$tab" sweep --event=br
	becomes "stat -e L1D:R$tab" stat -e L1D:REPLACEMENT
	becomes "stat -e cycles,l1d.r$tab" stat -e cycles,L1D.REPLACEMENT
	becomes "stat -e cycles:u,L1D_PEND_MISS:F$tab" stat -e cycles:u,L1D_PEND_MISS:FB_FULL
	becomes "stat -e L1D_PEND_MISS:PENDING:F$tab" stat -e L1D_PEND_MISS:PENDING:FB_FULL
	becomes "stat --kind=a$tab" stat --kind=atom
	becomes "sweep --kind co$tab" sweep --kind core
	becomes "stat --cputype=a$tab" stat --cputype=atom
	becomes "list --cputype co$tab" list --cputype core
	becomes "stat --event=llc-m$tab" stat --event=llc-misses
	becomes "stat --event=cycles:u,L1D:R$tab" stat --event=cycles:u,L1D:REPLACEMENT
	becomes "sweep -e arch$tab" sweep -e architectural
	becomes "stat -g ca$tab" stat -g cache
	becomes "stat --group=br$tab" stat --group=branch
	becomes "monitor -g thr$tab" monitor -g throttle
	becomes "monitor --group=pce,hot$tab" monitor --group=pce,hotplug
	becomes "report -s comm${tab},fun$tab" report -s command,function
	becomes "report --flamegraph=form$tab" report --flamegraph=formulas-file
	becomes "report form$tab" report formulas-file
	becomes "report --sam$tab --tim${tab}1,2 --pi${tab}7" report --samples --time=1,2 --pid=7
	becomes "report --json -e cycles form$tab" report --json -e cycles formulas-file
	becomes "record -o form$tab -c 5 -g dirnam$tab/" record -o formulas-file -c 5 -g dirname /
	becomes "record -e cycles,L1D:R$tab" record -e cycles,L1D:REPLACEMENT
	becomes "list bus$tab" list bus-cycles
	becomes "list -l bus$tab" list -l bus-cycles
	becomes "stat -C $(nproc)0$tab" stat -C "$(nproc)0"
	becomes "stat -C 0$all" stat -C 0
	becomes "stat -p $$$tab" stat -p $$
	becomes "stat --formulas=form$tab" stat --formulas=formulas-file
	becomes "stat -o file$tab" stat -o "file one"
	becomes "stat -e L1D_PEND_MISS:pend$all" stat -e L1D_PEND_MISS:PENDING \
		PENDING_CYCLES PENDING_CYCLES_ANY
	# the command
	becomes "stat -a -e cycles dirnam$tab/" stat -a -e cycles dirname /
	becomes "stat -e cycles -- dirnam$tab/" stat -e cycles -- dirname /
	becomes "stat --per-cpu cat form$tab" stat --per-cpu cat formulas-file
	becomes "stat -e cycles --csv echo -$tab" stat -e cycles --csv echo -
}

# What bash and zsh do alike
try_zsh() {
	becomes "st$tab" stat
	becomes "help sw$tab" help sweep
	becomes "stat --open$tab" stat --openmetrics
	becomes "sweep --ru${tab}3" sweep --runs=3
	becomes "stat -e L1D_PEND$tab" stat -e L1D_PEND_MISS
	becomes "stat -e l1d_pend$tab" stat -e L1D_PEND_MISS
	becomes "stat --event=cycles:u,L1D:R$tab" stat --event=cycles:u,L1D:REPLACEMENT
	becomes "stat --event=cycles:u,L1D.R$tab" stat --event=cycles:u,L1D.REPLACEMENT
	becomes "sweep -e arch$tab" sweep -e architectural
	becomes "stat --cputype=a$tab" stat --cputype=atom
	becomes "stat -g cac$tab" stat -g cache
	becomes "monitor --group=pce,hot$tab" monitor --group=pce,hotplug
	becomes "report -s comm${tab},fun$tab" report -s command,function
	becomes "report --flamegraph=form$tab" report --flamegraph=formulas-file
	becomes "report form$tab" report formulas-file
	becomes "list bus$tab" list bus-cycles
	becomes "stat -p $$$tab" stat -p $$
	becomes "stat -o file$tab" stat -o "file one"
	becomes "stat -e cycles dirnam$tab/" stat -e cycles dirname /
	becomes "stat -e cycles -- chown --recu$tab" stat -e cycles -- chown --recursive
	becomes "stat --per-cpu cat form$tab" stat --per-cpu cat formulas-file
}

# in_fish LINE WORD...: fish completes the last word of "pmcctl LINE" to these
in_fish() {
	local line=$1
	shift
	(
		cd "$scratch/folder" || exit
		PATH=$scratch/bin:$PATH HOME=$scratch fish -N -c \
			"source $folder/pmcctl.fish; complete -C 'pmcctl $line'" | cut -f 1
	) >"$out" 2>"$err" </dev/null
	printf '%s\n' "$@" | cmp -s - "$out" && [ ! -s "$err" ]
	result $? "fish: pmcctl $line: $*"
}

try_fish() {
	in_fish st stat
	in_fish 'help sw' sweep
	in_fish 'stat --open' --openmetrics
	in_fish 'stat -e L1D_PEND' L1D_PEND_MISS
	in_fish 'stat -e l1d_pend' L1D_PEND_MISS
	in_fish 'stat --event=cycles:u,L1D:R' --event=cycles:u,L1D:REPLACEMENT
	in_fish 'stat -e L1D.R' L1D.REPLACEMENT
	in_fish 'sweep -e arch' architectural
	in_fish 'stat --cputype=a' --cputype=atom
	in_fish 'stat -g ca' cache
	in_fish 'monitor --group=pce,hot' --group=pce,hotplug
	in_fish 'report -s command,fun' command,function
	in_fish 'report --flamegraph=form' --flamegraph=formulas-file
	in_fish 'report form' formulas-file
	in_fish 'pce ' 0 1 2
	in_fish 'list bus' bus-cycles
	in_fish 'stat -C 0' 0
	in_fish 'stat -e cycles -- dirnam' dirname
	in_fish 'stat --per-cpu cat form' formulas-file
}

shell="bash --noprofile --rcfile '$completion'"
try_all
# with bash-completion, which completes the command's own arguments
printf '%s\n' '. /usr/share/bash-completion/bash_completion' ". '$completion'" >"$scratch/rc"
shell="bash --noprofile --rcfile '$scratch/rc'"
try_all
becomes "stat -e cycles chown --recu$tab" stat -e cycles chown --recursive
becomes "stat -- kill -s HU$tab" stat -- kill -s HUP
cat >"$scratch/.zshrc" <<FILE
fpath=('$folder' \$fpath)
autoload -U compinit
compinit -u -D
FILE
shell='zsh -d -i'
try_zsh
try_fish

finish
