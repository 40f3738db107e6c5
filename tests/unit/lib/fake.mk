# SPDX-License-Identifier: GPL-2.0-only
# For those who link fake.c: which functions it stands in for
fake_units := fake.c fake_ring.c
fake_wraps := -Wl,--wrap=open,--wrap=ioctl,--wrap=close,--wrap=mmap,--wrap=munmap \
	      -Wl,--wrap=read,--wrap=poll,--wrap=ppoll,--wrap=pmc_processor_read_cpuid
