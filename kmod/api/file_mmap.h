/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mmap() of /dev/pmc: the user page and the sample rings
 */
#ifndef PMC_FILE_MMAP_H
#define PMC_FILE_MMAP_H

struct file;
struct vm_area_struct;

int pmc_file_mmap(struct file *filp, struct vm_area_struct *vma);
int pmc_file_mmap_init(void);
void pmc_file_mmap_exit(void);

#endif /* PMC_FILE_MMAP_H */
