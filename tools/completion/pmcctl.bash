# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of pmcctl for bash. The words come from pmcctl itself: subcommands and options
# from 'pmcctl help', events and groups from 'pmcctl list'. The file is installed in the folder
# of bash-completion under the name of the command; bash can also read it with 'source'.

_pmcctl_subcommands() {
	pmcctl help 2>/dev/null | awk '/^  [a-z]/ { print $1 }'
}

# _pmcctl_options SUBCOMMAND: print its options, one on a line, with the type of the value
_pmcctl_options() {
	pmcctl help "$1" 2>/dev/null | awk '
	/^  (    )?-/ {
		sub(/^ +/, "")
		sub(/  .*/, "")
		value = ""
		number = split($0, names, /, */)
		for (i = 1; i <= number; i++) {
			if (!(at = index(names[i], "=")))
				continue
			value = substr(names[i], at + 1)
			names[i] = substr(names[i], 1, at - 1)
		}
		for (i = 1; i <= number; i++)
			print names[i], value
	}'
}

# _pmcctl_argument SUBCOMMAND: print the type of its argument
_pmcctl_argument() {
	pmcctl help "$1" 2>/dev/null | awk '
	/^Usage/ { usage = 1 }
	/^$/ { usage = 0 }
	usage && match($0, /COMMAND|PATTERN|FOLDER|\[FILE\]|\[0\|1\|2\]/) {
		print substr($0, RSTART, RLENGTH)
		exit
	}'
}

# _pmcctl_add HEAD WORD...: add replies that begin with HEAD
_pmcctl_add() {
	local head=$1 word
	shift
	for word; do
		COMPREPLY+=("$head$word")
	done
}

# _pmcctl_add_fitting HEAD BEGIN WORD...: add replies for the words that begin with BEGIN
_pmcctl_add_fitting() {
	local head=$1 begin=$2 word
	shift 2
	for word; do
		if [[ $word == "$begin"* ]]; then
			COMPREPLY+=("$head$word")
		fi
	done
}

# _pmcctl_keep TYPED: readline replaces the typed text with the common beginning of all replies.
# If that is shorter, because replies differ in case, let the replies begin with the typed text.
# Replies that are only listed, or inserted as a whole, stay as they are.
_pmcctl_keep() {
	local reply mixed='' i
	for reply in "${COMPREPLY[@]}"; do
		[[ ${reply:0:${#1}} == "${COMPREPLY[0]:0:${#1}}" ]] || mixed=yes
	done
	if [[ $mixed && $COMP_TYPE == @(9|33|64) ]]; then
		for i in "${!COMPREPLY[@]}"; do
			COMPREPLY[i]=$1${COMPREPLY[i]:${#1}}
		done
	fi
}

# _pmcctl_events HEAD LIST: complete the last event of a list
_pmcctl_events() {
	local last=${2##*,} names
	mapfile -t names < <(pmcctl list --complete="$last" 2>/dev/null)
	_pmcctl_add "$1${2%"$last"}" "${names[@]}"
	_pmcctl_keep "$1$2"
	compopt -o nospace
}

_pmcctl_files() {
	local names
	mapfile -t names < <(compgen -f -- "$2")
	_pmcctl_add "$1" "${names[@]}"
	compopt -o filenames
}

# _pmcctl_numbers HEAD BEGIN PATH: complete numbers of folders PATHnumber
_pmcctl_numbers() {
	local path
	for path in "$3$2"[0-9]* "$3$2"; do
		if [[ -d $path && ${path#"$3"} == [0-9]* ]]; then
			COMPREPLY+=("$1${path#"$3"}")
		fi
	done
}

# _pmcctl_list HEAD LIST WORD...: complete the last element of a list, one of the words
_pmcctl_list() {
	local last=${2##*,}
	_pmcctl_add_fitting "$1${2%"$last"}" "$last" "${@:3}"
	compopt -o nospace
}

# _pmcctl_value TYPE HEAD BEGIN: complete the value of an option
_pmcctl_value() {
	local names
	case $1 in
	LIST | EVENTS | PATTERN) _pmcctl_events "$2" "$3" ;;
	SET)
		[[ $3 == *,* ]] || _pmcctl_add_fitting "$2" "$3" all architectural
		_pmcctl_events "$2" "$3"
		;;
	GROUP)
		mapfile -t names < <(pmcctl list --groups 2>/dev/null | awk '{ print $1 }')
		_pmcctl_add_fitting "$2" "$3" "${names[@]}"
		;;
	GROUPS)
		mapfile -t names < <(pmcctl help monitor 2>/dev/null |
			awk '/^        [a-z]/ { print $1 }')
		_pmcctl_list "$2" "$3" "${names[@]}"
		;;
	KEYS) _pmcctl_list "$2" "$3" command file function ;;
	TYPE) _pmcctl_add_fitting "$2" "$3" core atom ;;
	FILE | FILE.svg | FOLDER | '[FILE]') _pmcctl_files "$2" "$3" ;;
	PID | PIDS) _pmcctl_numbers "$2" "$3" /proc/ ;;
	CPU | CPUS) _pmcctl_numbers "$2" "$3" /sys/devices/system/cpu/cpu ;;
	'[0|1|2]') _pmcctl_add_fitting "$2" "$3" 0 1 2 ;;
	esac
}

# _pmcctl_command LINE WORD...: complete the command that pmcctl runs
_pmcctl_command() {
	if declare -F _command_offset >/dev/null; then
		COMP_LINE=$1
		COMP_POINT=${#1}
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_command_offset 0
	elif (($# == 2)) && [[ $2 != */* ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		_pmcctl_files '' "${!#}"
	fi
}

# bash splits words at COMP_WORDBREAKS: a reply is only the part after the last of them.
_pmcctl_trim() {
	local word=$1 i
	[[ $COMP_WORDBREAKS != *:* ]] || word=${word##*:}
	[[ $COMP_WORDBREAKS != *=* ]] || word=${word##*=}
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]:${#1}-${#word}}
	done
}

# Set $place to the index of the first word that is not an option: the completed word or the
# command before it; or to an index after the completed word if that is an option's value.
_pmcctl_find_place() {
	for ((place = 2; place < last; place++)); do
		case ${words[place]} in
		--) break ;;
		-*=*) ;;
		-*) [[ -z ${takes[${words[place]}]-} ]] || ((place++)) ;;
		*) break ;;
		esac
	done
}

_pmcctl_option() {
	local option
	for option in "${!takes[@]}"; do
		[[ $option != --* || -z ${takes[$option]} ]] || option="$option="
		_pmcctl_add_fitting '' "$1" "$option"
	done
	[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

# _pmcctl_subcommand: complete the name of a subcommand, also after 'help'
_pmcctl_subcommand() {
	local names
	mapfile -t names < <(_pmcctl_subcommands)
	((last > 1)) || names+=(help --help --version)
	((last > 2)) || _pmcctl_add_fitting '' "$1" "${names[@]}"
}

# _pmcctl_behind_options LINE ARGUMENT: complete the command or another argument
_pmcctl_behind_options() {
	local line=$1 i
	if [[ $2 != COMMAND ]]; then
		((place < last)) || _pmcctl_value "$2" '' "${words[last]}"
		_pmcctl_trim "${words[last]}"
		return
	fi
	[[ ${words[place]} != -- ]] || ((place++))
	for ((i = 0; i < place; i++)); do
		line=${line#*"${words[i]}"}
	done
	_pmcctl_command "${line#"${line%%[![:space:]]*}"}" "${words[@]:place}"
}

_pmcctl() {
	local line=${COMP_LINE:0:COMP_POINT} current last place option value
	local -a words
	local -A takes=()

	COMPREPLY=()
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=('')
	last=$((${#words[@]} - 1))
	current=${words[last]}
	if ((last == 1)) || [[ ${words[1]} == help ]]; then
		_pmcctl_subcommand "$current"
		return
	fi
	while read -r option value; do
		takes[$option]=$value
	done < <(_pmcctl_options "${words[1]}")
	_pmcctl_find_place
	if ((place > last)); then
		_pmcctl_value "${takes[${words[last - 1]}]}" '' "$current"
	elif ((place == last)) && [[ $current == -*=* ]]; then
		_pmcctl_value "${takes[${current%%=*}]-}" "${current%%=*}=" "${current#*=}"
	elif ((place == last)) && [[ $current == -* ]]; then
		_pmcctl_option "$current"
	else
		_pmcctl_behind_options "$line" "$(_pmcctl_argument "${words[1]}")"
		return
	fi
	_pmcctl_trim "$current"
}

complete -F _pmcctl pmcctl
