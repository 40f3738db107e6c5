# SPDX-License-Identifier: GPL-2.0-only
# Functions that fake.c replaces, for makefiles that link it
fake_units := fake.c fake_ring.c
fake_wraps := -Wl,--wrap=open,--wrap=ioctl,--wrap=close,--wrap=mmap,--wrap=munmap \
	      -Wl,--wrap=read,--wrap=poll,--wrap=ppoll,--wrap=pmc_processor_read_cpuid \
	      -Wl,--wrap=pmc_pfm_forced_processor
