# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Reads tests/steps: which steps a tier has, and the command of a step. Sourced by
# tests/check in the top folder.

steps_file=${PMCDRV_STEPS:-tests/steps}
tiers='short|long|both|models|kernels|debug|named'

# Sets by name; rows by number. The values of a row's parameters are words TIER=VALUE.
declare -A table_sets row_numbers
row_names=() row_tiers=() row_processors=() row_kernels=() row_options=()
row_kinds=() row_commands=() row_values=()
variants=()

table_error() {
	echo "$steps_file: $*" >&2
	exit 2
}

# expand TEXT: sets $expanded to the text with its sets
expand() {
	local name
	expanded=$1
	while [[ $expanded =~ \{([a-z_0-9]+)\} ]]; do
		name=${BASH_REMATCH[1]}
		[ -n "${table_sets[$name]+set}" ] || table_error "no set $name: $1"
		expanded=${expanded//"{$name}"/"${table_sets[$name]}"}
	done
}

# new_row LINE
new_row() {
	local name tier processor kernel options
	read -r name tier processor kernel options <<<"$1"
	[ -n "$kernel" ] || table_error "NAME TIER PROCESSOR KERNEL expected: $1"
	[[ $tier =~ ^($tiers|-|\*)$ ]] || table_error "no tier $tier: $1"
	row=${#row_names[@]}
	[[ $name == *[A-Z]* ]] || row_numbers[$name]=$row
	row_names[row]=$name
	row_tiers[row]=$tier
	row_processors[row]=$processor
	row_kernels[row]=$kernel
	row_options[row]=$options
	row_kinds[row]='' row_commands[row]='' row_values[row]=''
}

# continue_row LINE: options until the command, then the command, then values
continue_row() {
	local value
	if [[ $1 =~ ^($tiers):\ (.*) ]]; then
		for value in ${BASH_REMATCH[2]}; do
			row_values[row]+=" ${BASH_REMATCH[1]}=$value"
		done
	elif [ -n "${row_values[row]}" ]; then
		table_error "a command after the values: $1"
	elif [ -n "${row_kinds[row]}" ]; then
		row_commands[row]+=" $1"
	elif [[ $1 =~ ^(run|guest|here)(\ (.*))?$ ]]; then
		row_kinds[row]=${BASH_REMATCH[1]}
		row_commands[row]=${BASH_REMATCH[3]}
	else
		row_options[row]+=" $1"
	fi
}

read_table() {
	local line row set='' words
	while IFS= read -r line; do
		[[ $line =~ ^[[:blank:]]*(#.*)?$ ]] && continue
		read -ra words <<<"$line"
		expand "${words[*]}"
		if [[ $line == [[:blank:]]* ]]; then
			[ -z "$set" ] || table_sets[$set]+=" $expanded"
			[ -n "$set" ] || continue_row "$expanded"
		elif [ "${words[0]}" = set ]; then
			set=${words[1]}
			table_sets[$set]=${expanded#"set $set "}
		elif [ "${words[0]}" = variant ]; then
			variants+=("${expanded#variant }")
		else
			set=
			new_row "$expanded"
		fi
	done <"$steps_file"
	for row in "${!row_names[@]}"; do
		[ -n "${row_kinds[row]}" ] || table_error "no command: ${row_names[row]}"
	done
}

# instance TEXT NAME VALUE: the text of a row of this name with its parameters' values
instance() {
	local text=$1
	case $2 in
	*KERNEL*MODEL*) text=${text//KERNEL/"${3%%:*}"} text=${text//MODEL/"${3#*:}"} ;;
	*KERNEL*) text=${text//KERNEL/"$3"} ;;
	*MODEL*) text=${text//MODEL/"$3"} ;;
	esac
	printf '%s\n' "$text"
}

# find_row STEP: sets $row and $value, its parameters' values
find_row() {
	local pattern
	value=
	row=${row_numbers[$1]:-}
	[ -z "$row" ] || return 0
	for row in "${!row_names[@]}"; do
		[[ ${row_names[row]} == *[A-Z]* ]] || continue
		pattern=${row_names[row]//./\\.}
		pattern=${pattern//KERNEL/([^:]+)}
		[[ $1 =~ ^${pattern//MODEL/(.+)}$ ]] || continue
		value=${BASH_REMATCH[1]}${BASH_REMATCH[2]:+:${BASH_REMATCH[2]}}
		[ "${row_tiers[row]}" != '*' ] || return 0
		[[ "${row_values[row]} " != *"=$value "* ]] || return 0
	done
	return 1
}

# list_steps TIER...: the steps of these tiers
list_steps() {
	local row word wanted=" $* "
	for row in "${!row_names[@]}"; do
		[[ $wanted != *" ${row_tiers[row]} "* ]] || echo "${row_names[row]}"
		for word in ${row_values[row]}; do
			[[ $wanted != *" ${word%%=*} "* ]] ||
				instance "${row_names[row]}" "${row_names[row]}" "${word#*=}"
		done
	done
}

# kernels_of STEP: the kernels that it needs, one a line
kernels_of() {
	local row value kernels
	find_row "$1" || return
	kernels=$(instance "${row_kernels[row]}" "${row_names[row]}" "$value")
	if [ "$kernels" != - ]; then
		echo "${kernels//,/$'\n'}"
	elif [ "${row_kinds[row]}" != here ]; then
		fitting_kernel_of "$(instance "${row_processors[row]}" "${row_names[row]}" "$value")"
	fi
}

# fitting_kernel_of PROCESSOR: the kernel that tests/machine/run chooses
fitting_kernel_of() (
	# shellcheck source-path=SCRIPTDIR/.. source=machine/machine.sh
	. tests/machine/machine.sh
	fitting_kernel "$1"
)

# quoted TEXT: one word of shell syntax
quoted() {
	printf "'%s'\n" "${1//\'/\'\\\'\'}"
}

# command_of STEP: the command of a step, in shell syntax
command_of() {
	local row value name text processor kernel options
	find_row "$1" || return
	name=${row_names[row]}
	text=$(instance "${row_commands[row]}" "$name" "$value")
	processor=$(instance "${row_processors[row]}" "$name" "$value")
	kernel=$(instance "${row_kernels[row]}" "$name" "$value")
	if [ "${row_kinds[row]}" = here ]; then
		echo "$text"
		return
	fi
	[ "${row_kinds[row]}" = guest ] || text="${table_sets[run]}${text:+ $text}"
	# The time limit ends a hang; no step needs nearly as long.
	options="--timeout 3600"
	[ "$processor" = - ] || options+=" --cpu $processor"
	[ "$kernel" = - ] || options+=" --kernel $kernel"
	if is_debug_kernel "$kernel"; then
		options="${options/3600/14400} --log $(debug_log "$1")"
		text=$(debug_guest "$1" "$kernel" "$text")
	fi
	# /run without names runs all selftests.
	[[ $text =~ /run(' native')?' '*($|[';&|']) ]] || options+=" --named"
	options+=" $(instance "${row_options[row]}" "$name" "$value")"
	echo "tests/machine/run ${options% } -- $(quoted "$text")"
}

# list_models: check-models' processors: NAME KERNEL STEP...
list_models() {
	local model step row value
	# An i386 and an i486 have no counters, and there is no kernel for them.
	for model in $(tests/machine/run --cpu help | grep -v "^i[34]86"); do
		printf '%s %s selftests:%s%s\n' "$model" "$(fitting_kernel_of "$model")" "$model" \
			"$(for step in "perf-compare:$model" "silicon:$model"; do
				! find_row "$step" || echo -n " $step"
			done)"
	done
	printf '%s\n' "${variants[@]}" | tr -s '[:blank:]' ' '
}
