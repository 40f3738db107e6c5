// SPDX-License-Identifier: GPL-2.0-only
/* The text of --help where the whole text does not fit one screen of 80x24 */
#include <stdio.h>
#include <string.h>

#include "util/error.h"
#include "util/output-file.h"
#include "util/short-help.h"

static const struct {
	const char *subcommand;
	const char *text;
} short_helps[] = {
	{ "list",
	  "Usage: pmcctl list [-l] [--cputype=TYPE] [--json] [PATTERN]\n"
	  "       pmcctl list --groups [--formulas=FILE] [--cputype=TYPE] [--json]\n"
	  "       pmcctl list --complete=WORD\n"
	  "\n"
	  "List the events that have names on this processor, with their counters:\n"
	  "all, or those with PATTERN in the name or the description; with *, ? or [...]\n"
	  "those with a matching name. NAME:... needs a unit mask.\n"
	  "\n"
	  "  -l, --long           all that is known of each event, with its unit masks\n"
	  "      --cputype=TYPE, --kind=TYPE\n"
	  "                       the events of one core type: core or atom\n"
	  "      --json           JSON instead of a table\n"
	  "      --groups         list the groups of 'pmcctl stat -g' and their events\n"
	  "      --formulas=FILE  with --groups: the groups of FILE too\n"
	  "      --complete=WORD  event names that begin with WORD, for the shell\n"
	  "  -h, --help           this help; 'pmcctl help list' prints more\n"
	  "\n"
	  "Exit status: 0; 1 if no event matches PATTERN; 125 if pmcctl itself failed.\n"
	  "Examples: pmcctl list cache; pmcctl list -l 'branch*'; pmcctl list --groups\n"
	  "See pmcctl-list(1); pmc-events(7) describes how events are written.\n" },
	{ "record",
	  "Usage: pmcctl record [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	  "       pmcctl record {-p PID | -t TID | -C CPU | -a} [OPTION...] [COMMAND...]\n"
	  "\n"
	  "Save the address of the instruction every PERIOD events of COMMAND.\n"
	  "\n"
	  "  -e, --event=LIST     events, separated by commas; EVENT:p=N has period N\n"
	  "  -c, --count=PERIOD   events from one sample to the next (default: 1000003)\n"
	  "  -F, --freq=HZ        choose a period for HZ samples in a second\n"
	  "  -g, --call-chains    save the call chain with each sample\n"
	  "  -i, --no-inherit     sample only COMMAND's first thread\n"
	  "  -p, --pid=PID        a process      -t, --tid=TID       a thread\n"
	  "  -C, --cpu=CPU        a CPU          -a, --all-cpus      all CPUs\n"
	  "  -D, --delay=MS       begin to sample MS milliseconds after COMMAND\n"
	  "      --cputype=TYPE, --kind=TYPE     only on cores of this type: core or atom\n"
	  "  -m, --ring-size=KIB  size of each CPU's sample ring (default: 128)\n"
	  "      --throttle=PERCENT              most of a CPU's time (default: 50)\n"
	  "  -o, --output=FILE    write to FILE (default: pmc.data)\n"
	  "  -h, --help           this help; 'pmcctl help record' prints more\n"
	  "\n"
	  "Exit status: COMMAND's; 128+N after signal N; 127 or 126: it cannot be run;\n"
	  "125: pmcctl itself failed.\n"
	  "Examples: pmcctl record -g ./program; pmcctl record -a -F 1000 sleep 10\n"
	  "See pmcctl-record(1).\n" },
	{ "report",
	  "Usage: pmcctl report [-e EVENTS] [-s KEYS] [OPTION...] [FILE]\n"
	  "       pmcctl report {--folded | --flamegraph=FILE.svg} [OPTION...] [FILE]\n"
	  "       pmcctl report {--samples | --records} [OPTION...] [FILE]\n"
	  "\n"
	  "Print where the samples of 'pmcctl record' in FILE (default: pmc.data) lie.\n"
	  "\n"
	  "  -e, --event=EVENTS   only these events, separated by commas\n"
	  "  -s, --sort=KEYS      a row for each of KEYS: command,file,function\n"
	  "      --root=FOLDER    look below FOLDER for the files that were sampled\n"
	  "      --stdio          a table (the default)      --json      JSON instead\n"
	  "      --folded         a line for each call chain with its number of samples\n"
	  "      --flamegraph=FILE.svg                       draw a flame graph\n"
	  "      --samples        list the samples           --records   list all records\n"
	  "      --time=FROM,TO   list only these seconds; +N: after the first sample\n"
	  "      --pid=PIDS, --tid=TIDS, --cpu=CPUS          list only these\n"
	  "  -i, --input=FILE     the same as FILE\n"
	  "  -h, --help           this help; 'pmcctl help report' prints more\n"
	  "\n"
	  "Exit status: 0, or 125 if pmcctl itself failed.\n"
	  "Examples: pmcctl report; pmcctl report --samples --time=+0,+0.001\n"
	  "See pmcctl-report(1).\n" },
	{ "stat",
	  "Usage: pmcctl stat [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	  "       pmcctl stat {-p PIDS | -t TIDS | --timeout=MS {-C CPUS | -a}} [OPTION...]\n"
	  "Count the events of COMMAND and of all that it creates, or of what runs already.\n"
	  "  -e, --event=LIST     events: pmc-events(7)    -g, --group=GROUP  a group\n"
	  "  -d, --detailed       more default events          --formulas=FILE  formulas\n"
	  "      --topdown[=u|k]  use of pipeline slots\n"
	  "  -i, --no-inherit, --thread   only COMMAND's first thread\n"
	  "      --cputype=TYPE, --kind=TYPE   only on cores of this type: core or atom\n"
	  "  -p, --pid=PIDS       these processes          -t, --tid=TIDS     these threads\n"
	  "  -C, --cpu=CPUS       these CPUs, as in 0-3,8  -a, --all-cpus     all CPUs\n"
	  "  -A, --per-cpu, --no-aggr   print the counts of each CPU too\n"
	  "  -r, --repeat=N       run COMMAND N times\n"
	  "  -I, --interval=MS    print counts every MS milliseconds\n"
	  "  -D, --delay=MS       begin MS milliseconds after COMMAND\n"
	  "      --timeout=MS     count for MS milliseconds, then end COMMAND\n"
	  "      --json           JSON instead of a table      --csv          CSV instead\n"
	  "  -x, --field-separator=SEP  perf's columns         --openmetrics  Prometheus\n"
	  "  -o, --output=FILE    write to FILE, not to the standard error\n"
	  "  -h, --help           this help; 'pmcctl help stat' prints more\n"
	  "Exit status: COMMAND's; 128+N after signal N; 127 or 126: it cannot be run;\n"
	  "125: pmcctl itself failed.\n"
	  "Examples: pmcctl stat -r 5 ./program; pmcctl stat -a -A -g cache sleep 10\n"
	  "See pmcctl-stat(1).\n" },
	{ "sweep",
	  "Usage: pmcctl sweep [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	  "\n"
	  "Run COMMAND once to warm up, then until all events of the processor are counted.\n"
	  "\n"
	  "  -e, --event=SET, --events=SET   names, patterns with *, ?; 'architectural', or\n"
	  "                       'all' (the default), separated by commas\n"
	  "  -r, --repeat=N, --runs=N        count every event N times\n"
	  "  -k, --kernel         count kernel mode as well as user mode\n"
	  "      --clocks         on the Pentium: count the clocks of each event, too\n"
	  "  -i, --no-inherit     count only COMMAND's first thread\n"
	  "      --cputype=TYPE, --kind=TYPE     the events of one core type: core or atom\n"
	  "      --json           JSON instead of a table\n"
	  "      --csv            comma-separated values instead of a table\n"
	  "  -o, --output=FILE    write to FILE, not to the standard output\n"
	  "  -v, --verbose        print why events were left out, and all their other names\n"
	  "      --show-output    show COMMAND's output\n"
	  "  -h, --help           this help; 'pmcctl help sweep' prints more\n"
	  "\n"
	  "Exit status: that of the first run of COMMAND that failed; 128+N after signal N;\n"
	  "127, 126 if it cannot be run, 125 if pmcctl failed.\n"
	  "Examples: pmcctl sweep -r 3 sort words; pmcctl sweep -e 'br*' --csv ./program\n"
	  "See pmcctl-sweep(1).\n" },
};

int print_short_help(const char *subcommand, const char *usage)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(short_helps); i++)
		if (!strcmp(short_helps[i].subcommand, subcommand))
			usage = short_helps[i].text;
	fputs(usage, stdout);
	return output_close(stdout, "the standard output");
}
