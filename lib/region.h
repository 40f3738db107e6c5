/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What region.c and region_read.S share: fields of struct pmc_region_state */
#ifndef PMC_REGION_H
#define PMC_REGION_H

#define REGION_PAGE		0
#define REGION_BUFFER		8
#define REGION_BUFFER_SIZE	16
#define REGION_FD		20
#define REGION_REQUEST		24
#define REGION_NR		28
#define REGION_RETRIES		32
#define REGION_ERROR		36

/* struct pmc_region_end */
#define REGION_BEGIN		40
#define REGION_END		312
#define END_FORCE_SLOW		0
#define END_FORCE_RETRY		4
#define END_SLOW		8
#define END_VALUE		16

#ifdef __x86_64__
#define REGION_STATE		16
#else
#define REGION_STATE		8
#endif

#ifndef __ASSEMBLER__
/* The two ends of a region. In: rax (eax): struct pmc_region */
void pmc_region_read_begin(void);
void pmc_region_read_end(void);
#endif

#endif /* PMC_REGION_H */
