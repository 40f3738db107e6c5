// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much interrupts and page faults can have added to a count; see overcount.h
 *
 * As pmcctl stat --overcount does, this takes the kernel's totals of the whole system: they bound
 * what happened to the counted threads, on whichever CPUs these ran.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "overcount.h"

#define FILES	64

/* Interrupts and page faults until the configuration of the oldest context that is still open */
static uint64_t begin;
/* The files with a context, a bit each; atomic, because threads configure contexts too */
static uint64_t configured;

/* The number after "@name " at the beginning of a line; 0 if there is none */
static uint64_t read_total(const char *path, const char *name)
{
	size_t name_len = strlen(name), size = 0;
	FILE *file = fopen(path, "re");
	uint64_t total = 0;
	char *line = NULL;

	while (file && !total && getline(&line, &size, file) > 0) {
		if (!strncmp(line, name, name_len))
			total = strtoull(line + name_len, NULL, 10);
	}
	free(line);
	if (file)
		fclose(file);
	return total;
}

/* A new task, too, comes to user mode by an IRET, and has page faults that stand for it. */
static uint64_t totals(void)
{
	return read_total("/proc/stat", "intr ") + read_total("/proc/vmstat", "pgfault ");
}

/* A context of @fd begins. If there is no other one, what happened before cannot count any more. */
void overcount_begin(int fd)
{
	uint64_t now;
	int i;

	if (!getenv("PMCDRV_OVERCOUNT"))
		return;
	for (i = 0; i < FILES; i++) {
		if (__atomic_load_n(&configured, __ATOMIC_SEQ_CST) & 1ULL << i &&
		    fcntl(i, F_GETFD) < 0)
			overcount_end(i);
	}
	/* before the bit: a context of another thread that finds the bit begins later */
	now = totals();
	if (!__atomic_fetch_or(&configured, 1ULL << (fd % FILES), __ATOMIC_SEQ_CST))
		__atomic_store_n(&begin, now, __ATOMIC_SEQ_CST);
}

void overcount_end(int fd)
{
	__atomic_fetch_and(&configured, ~(1ULL << (fd % FILES)), __ATOMIC_SEQ_CST);
}

/* By how much a count of a context that exists can be too high; 0 without the variable */
uint64_t overcount_most(void)
{
	uint64_t since = __atomic_load_n(&begin, __ATOMIC_SEQ_CST);

	return since ? totals() - since : 0;
}

/* Return: @count if it is @known, or higher by no more than overcount_most(); else @known. */
uint64_t overcount_accept(uint64_t known, uint64_t count)
{
	return count == known || count - known <= overcount_most() ? count : known;
}

/* Return: @samples if they are as @known, or as many more as the bound can cause; else @known */
uint64_t overcount_accept_samples(uint64_t known, uint64_t period, uint64_t samples)
{
	return samples - known <= (overcount_most() + period - 1) / period ? samples : known;
}
