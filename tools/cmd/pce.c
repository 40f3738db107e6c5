// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl pce: print or set which processes may execute RDPMC in user mode */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "util/error.h"
#include "util/output-file.h"
#include "util/rdpmc-access.h"

static const char usage[] =
	"Usage: pmcctl pce [0|1|2]\n"
	"\n"
	"Print which processes may read counters in user mode (RDPMC), or set it:\n"
	"\n"
	"  0    no process\n"
	"  1    processes that hold a context which asked for it (the default)\n"
	"  2    every process\n"
	"\n"
	"  -h, --help       this help\n"
	"\n"
	"Setting it needs root.\n"
	"\n"
	"Exit status: 0, or 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl pce\n"
	"    pmcctl pce 2\n"
	"\n"
	"See pmcctl-pce(1).\n";

/* RDPMC is broken in the first Pentium Pros (Specification Update, erratum 26). */
static bool is_pentium_pro(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info = device ? pmc_device_get_info(device, PMC_CPU_ANY) : NULL;
	const struct pmc_query *query = info ? pmc_info_query(info) : NULL;
	bool is = query && query->cpu_family == 6 && query->cpu_model == 1;

	pmc_info_free(info);
	if (device)
		pmc_device_close(device);
	return is;
}

static int fail(const char *what, int error)
{
	switch (error) {
	case ENOENT:
		return report_error("%s does not exist: load the driver with 'modprobe pmcdrv' or 'insmod pmcdrv.ko'",
				    RDPMC_ACCESS_ATTRIBUTE);
	case EACCES:
	case EPERM:
		return report_error("not allowed to %s %s: run as root", what,
				    RDPMC_ACCESS_ATTRIBUTE);
	case ENOEXEC:
		return report_error("cannot %s %s: this kernel is not known to act on the permission; write 1 to perf's rdpmc file, or build the driver with this kernel's headers",
				    what, RDPMC_ACCESS_ATTRIBUTE);
	case EOPNOTSUPP:
	case ENODEV:
		if (is_pentium_pro())
			return report_error("RDPMC is broken in this stepping of the Pentium Pro (erratum 26) and cannot be allowed");
		return report_error("this CPU or kernel has no RDPMC for user mode; see 'pmcctl info'");
	}
	return report_error("cannot %s %s: %s", what, RDPMC_ACCESS_ATTRIBUTE, strerror(error));
}

/* Write @text to the attribute. Return: 0 or EXIT_TROUBLE. */
static int set(const char *text)
{
	int file = open(RDPMC_ACCESS_ATTRIBUTE, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int error;

	if (file < 0)
		return fail("write", errno);
	written = write(file, text, strlen(text));
	error = errno;
	close(file);
	return written < 0 ? fail("write", error) : 0;
}

static int print(void)
{
	struct rdpmc_access access;
	int error = rdpmc_access_read(&access);

	if (error == EPROTO)
		return report_error("%s has the value '%s', which this pmcctl does not know",
				    RDPMC_ACCESS_ATTRIBUTE, access.override);
	if (error)
		return fail("read", error);
	printf("%d: %s\n", access.setting, rdpmc_access_text(access.setting));
	if (access.override[0])
		printf("%s\n", access.override);
	return output_close(stdout, "the standard output");
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	uint64_t setting;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (option != 'h')
			return report_option_error(option, argv, options);
		fputs(usage, stdout);
		return output_close(stdout, "the standard output");
	}
	if (optind == argc)
		return print();
	if (optind + 1 < argc)
		return report_usage_error("unexpected argument '%s'", argv[optind + 1]);
	if (!parse_number(argv[optind], 0, 2, &setting) || argv[optind][1])
		return report_usage_error("'%s' is not 0, 1 or 2", argv[optind]);
	result = set(argv[optind]);
	return result ? result : print();
}

const struct subcommand pce_command = {
	.name = "pce",
	.summary = "print or set which processes may read counters in user mode",
	.usage = usage,
	.run = run,
};
