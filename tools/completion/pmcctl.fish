# SPDX-License-Identifier: GPL-2.0-only
# Completion of pmcctl for fish. The words come from pmcctl itself: subcommands and options from
# 'pmcctl help', events and groups from 'pmcctl list'. Installed in vendor_completions.d.

# The subcommand has been typed, and is this one; without an argument: none has been typed.
function __pmcctl_is
    set -l words (commandline -opc)
    test "$words[2]" = "$argv"
end

function __pmcctl_subcommands
    pmcctl help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

# Complete the last element of a list; the arguments are words, or none for events.
function __pmcctl_list
    set -l typed (commandline -ct | string replace -r '^--[a-z-]+=' '')
    set -l head (string replace -r '[^,]*$' '' -- $typed)
    if set -q argv[1]
        printf '%s\n' $head$argv
    else
        set -l names (pmcctl list --complete=(string replace -r '.*,' '' -- $typed) 2>/dev/null)
        printf '%s\n' $head$names
    end
end

# __pmcctl_value TYPE: the values of an option
function __pmcctl_value
    switch $argv[1]
        case LIST EVENTS PATTERN
            __pmcctl_list
        case SET
            printf '%s\n' all architectural
            __pmcctl_list
        case GROUP
            pmcctl list --groups 2>/dev/null | string replace -r ' .*' ''
        case GROUPS
            __pmcctl_list (pmcctl help monitor | string replace -rf '^        ([a-z]+) .*' '$1')
        case KEYS
            __pmcctl_list command file function
        case TYPE
            printf '%s\n' core atom
        case PID PIDS
            __fish_complete_pids
        case CPU CPUS
            string replace -rf '.*/cpu([0-9]+)$' '$1' /sys/devices/system/cpu/cpu*
        case '*|*'
            string split '|' (string trim -c '[]' $argv[1])
    end
end

# The argument after the options: a command, a file, an event or one of some words. The further
# arguments are the options with a value.
function __pmcctl_add_argument -a subcommand condition
    switch (pmcctl help $subcommand | string match -r 'COMMAND|PATTERN|\[FILE\]|\[0\|1\|2\]')[1]
        case COMMAND
            complete -c pmcctl -n $condition -x \
                -a "(__fish_complete_subcommand --fcs-skip=2 - $argv[3..])"
        case '[FILE]'
            complete -c pmcctl -n $condition -F
        case PATTERN
            complete -c pmcctl -n $condition -a '(__pmcctl_value PATTERN)'
        case '[0|1|2]'
            complete -c pmcctl -n $condition -a '0 1 2'
    end
end

# __pmcctl_add_option CONDITION LINE: an option, as a line of the help describes it. Prints its
# names if it has a value.
function __pmcctl_add_option -a condition line
    set -l names (string replace -r '  .*' '' -- $line | string replace -r '\[=.*' '')
    set -l arguments
    set -l value (string replace -rf '.*=' '' -- $names)
    switch "$value"
        case ''
        case FILE FILE.svg FOLDER
            set -a arguments -r -F
        case '*'
            set -a arguments -x -a "(__pmcctl_value $value)"
    end
    set names (string split ', ' -- (string replace -ra '=[^,]*' '' -- $names))
    for name in $names
        set -a arguments (string replace -r -- '^--' '-l' $name | string replace -r -- '^-(?!l)' '-s')
    end
    test -z "$value"; or printf '%s\n' $names
    complete -c pmcctl -n $condition -d (string match -rg '  +(.*)' -- $line; or echo '') $arguments
end

complete -c pmcctl -f
complete -c pmcctl -n __pmcctl_is -a '(__pmcctl_subcommands)'
complete -c pmcctl -n __pmcctl_is -a help -d 'print the help of a subcommand'
complete -c pmcctl -n '__pmcctl_is help' -a '(__pmcctl_subcommands)'
for subcommand in (__pmcctl_subcommands | string replace -r '\t.*' '')
    set -l valued
    for line in (pmcctl help $subcommand | string replace -rf '^  (?:    )?(-.*)' '$1')
        set -a valued (__pmcctl_add_option "__pmcctl_is $subcommand" $line)
    end
    __pmcctl_add_argument $subcommand "__pmcctl_is $subcommand" $valued
end
