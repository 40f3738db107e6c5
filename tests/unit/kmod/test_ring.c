// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of ring.c: rings are allocated and freed, also where memory ends in between; the sums over
 * the CPUs; mmap()
 */
#include "ring.h"

static void created(void **state)
{
	int cpu;

	assert_int_equal(SIZE, rings->size);
	assert_int_equal(1, rings->refs.value);
	assert_ptr_equal(&queue, rings->wait);
	assert_true(rings->idle);
	assert_false(rings->ended);
	assert_ptr_equal(&ns, rings->ns);
	assert_int_equal(1, ns.id);
	assert_int_equal(3 * 2, charged);
	assert_int_equal(3 * 2, pages);
	/* other tasks may run after each page */
	assert_int_equal(3 * 2, rescheduled);
	assert_int_equal(3, mapped);
	assert_int_equal(GFP_KERNEL_ACCOUNT, allocation_flags);
	for (cpu = 0; cpu < CPUS; cpu++) {
		const struct pmc_cpu_ring *ring = rings->ring[cpu];

		assert_ptr_equal(rings, ring->rings);
		assert_int_equal(cpu, ring->cpu);
		assert_int_equal(SIZE - 1, ring->mask);
		assert_int_equal(WATERMARK, ring->watermark);
		assert_int_equal(2, ring->nr_pages);
		assert_ptr_equal((char *)ring->shared + 4096, ring->data);
		assert_int_equal(sizeof(struct pmc_ring), ring->shared->size);
		assert_int_equal(cpu, ring->shared->cpu);
		assert_int_equal(4096, ring->shared->data_offset);
		assert_int_equal(SIZE, ring->shared->data_size);
		assert_int_equal(0, ring->shared->head);
	}
}

/* A context of one CPU; a ring of two pages */
static void one_cpu(void **state)
{
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		end(state);
		rings = pmc_rings_create(2 * SIZE, 1, cpu, &queue);
		assert_false(IS_ERR(rings));
		assert_int_equal(3, charged);
		assert_int_equal(3, pages);
		assert_int_equal(1, mapped);
		assert_int_equal(cpu == 0, !!rings->ring[0]);
		assert_int_equal(cpu == 1, !!rings->ring[1]);
		assert_int_equal(cpu == 2, !!rings->ring[2]);
		assert_int_equal(2 * SIZE - 1, rings->ring[cpu]->mask);
	}
}

static void expect_no_rings(int error)
{
	struct pmc_rings *created = create(-1);

	assert_int_equal(error, PTR_ERR(created));
	/* those of begin() */
	assert_int_equal(6, pages);
	assert_int_equal(3, mapped);
	assert_int_equal(6, charged);
	assert_int_equal(1, ns.id);
}

/* Each allocation fails in turn: the rings, and of each its object, its array and its pages. */
static void no_memory(void **state)
{
	int i;

	for (i = 0; i < 7; i++) {
		allocations_left = i;
		expect_no_rings(-ENOMEM);
	}
	allocations_left = -1;
	for (i = 0; i < 6; i++) {
		pages_left = i;
		expect_no_rings(-ENOMEM);
	}
	pages_left = -1;
	vmap_fails = true;
	expect_no_rings(-ENOMEM);
	vmap_fails = false;
	killed = true;
	expect_no_rings(-ENOMEM);
	killed = false;
	charging = -ENOBUFS;
	expect_no_rings(-ENOBUFS);
}

/*
 * On 32 bits all rings get a quarter of the address space of vmalloc(). Each of these has three
 * pages with the guard page.
 */
static void vmalloc(void **state)
{
	struct pmc_rings *more;

	vmalloc_total = 4 * 17 * PAGE_SIZE;
	expect_no_rings(-ENOMEM);
	expect_no_rings(-ENOMEM);
	vmalloc_total = 4 * 18 * PAGE_SIZE;
	more = create(-1);
	assert_false(IS_ERR(more));
	pmc_rings_put(more);
	vmap_fails = true;
	expect_no_rings(-ENOMEM);
	vmap_fails = false;
	more = create(-1);
	assert_false(IS_ERR(more));
	pmc_rings_put(more);
}

static void closed(void **state)
{
	rings->idle = false;
	pmc_rings_close(rings);
	expect_calls("sync 0;sync 1;sync 2;sync;wake;");
	assert_true(rings->idle);
	assert_true(rings->ended);
	rings->refs.value++;
	pmc_rings_put(rings);
	assert_int_equal(1, rings->refs.value);
	assert_int_equal(6, pages);
}

static void overflows(void **state)
{
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		rings->ring[cpu]->sampled.value = 1 << cpu;
		rings->ring[cpu]->lost.value = 8 << cpu;
		rings->ring[cpu]->throttled.value = 64 << cpu;
		rings->ring[cpu]->throttled_now.value = 1 << cpu;
	}
	assert_int_equal(511, pmc_rings_overflows(rings, -1));
	assert_int_equal(73, pmc_rings_overflows(rings, 0));
	assert_int_equal(146, pmc_rings_overflows(rings, 1));
	assert_int_equal(292, pmc_rings_overflows(rings, 2));
	assert_int_equal(7, pmc_rings_throttled_now(rings));
	pmc_rings_reset(rings);
	assert_int_equal(0, pmc_rings_overflows(rings, -1));
	rings->ring[0]->sampled.value++;
	rings->ring[2]->lost.value += 2;
	assert_int_equal(3, pmc_rings_overflows(rings, -1));
	assert_int_equal(2, pmc_rings_overflows(rings, 2));
	assert_int_equal(0, pmc_rings_overflows(rings, 1));
}

static void statistics(void **state)
{
	struct pmc_statistics sum = { .records = 1000, .spurious = 5 };
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		struct pmc_cpu_ring *ring = rings->ring[cpu];

		ring->records.value = 1 << cpu;
		ring->sampled.value = 2 << cpu;
		ring->lost.value = 3 << cpu;
		ring->throttled.value = 4 << cpu;
		ring->mmaps_lost.value = 5 << cpu;
		ring->wakeups.value = 6 << cpu;
	}
	pmc_rings_statistics(rings, &sum);
	assert_int_equal(1007, sum.records);
	assert_int_equal(14, sum.sampled);
	assert_int_equal(21, sum.lost);
	assert_int_equal(28, sum.throttled);
	assert_int_equal(35, sum.mmaps_lost);
	assert_int_equal(42, sum.wakeups);
	assert_int_equal(5, sum.spurious);
}

/* A context of CPU 1: nothing is summed or woken of the others. */
static void others_missing(void **state)
{
	struct pmc_statistics sum = {};

	end(state);
	rings = create(1);
	rings->ring[1]->sampled.value = 3;
	rings->ring[1]->records.value = 3;
	rings->ring[1]->throttled_now.value = 1;
	rings->idle = false;
	assert_int_equal(3, pmc_rings_overflows(rings, -1));
	assert_int_equal(0, pmc_rings_overflows(rings, 0));
	assert_int_equal(3, pmc_rings_overflows(rings, 1));
	assert_int_equal(1, pmc_rings_throttled_now(rings));
	pmc_rings_statistics(rings, &sum);
	assert_int_equal(3, sum.records);
	pmc_rings_reset(rings);
	assert_int_equal(0, pmc_rings_overflows(rings, -1));
	pmc_rings_set_idle(rings, true, false);
	assert_int_equal(0, pmc_rings_poll(rings));
	assert_int_equal(0, pmc_rings_read(rings, buffer, sizeof(buffer), false));
	calls[0] = '\0';
	pmc_rings_close(rings);
	expect_calls("sync 1;sync;wake;");
}

/* PMC_RING_OFFSET(): 1 + cpu * pages of a ring. CPU 2's is at page 5. */
static struct vm_area_struct mapping(void)
{
	return (struct vm_area_struct){ .vm_pgoff = 5, .vm_start = 0x10000, .vm_end = 0x12000,
		.vm_flags = VM_SHARED | VM_READ | VM_WRITE };
}

static int map(struct vm_area_struct *vma)
{
	return pmc_rings_mmap(rings, vma);
}

static void mmap(void **state)
{
	struct vm_area_struct vma = mapping();

	assert_int_equal(0, map(&vma));
	expect_calls("map 2 2;");
	assert_int_equal(2, rings->refs.value);
	assert_ptr_equal(rings, vma.vm_private_data);
	assert_int_equal(VM_SHARED | VM_READ | VM_WRITE | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY,
			 vma.vm_flags);
	vma.vm_ops->open(&vma);
	assert_int_equal(3, rings->refs.value);
	vma.vm_ops->close(&vma);
	vma.vm_ops->close(&vma);
	assert_int_equal(1, rings->refs.value);
	vma = mapping();
	vmap_fails = true;
	assert_int_equal(-ENOMEM, map(&vma));
	assert_int_equal(1, rings->refs.value);
	assert_null(vma.vm_ops);
	assert_null(vma.vm_private_data);
}

static void mmap_refused(void **state)
{
	struct vm_area_struct vma;
	unsigned long offset;

	for (offset = 0; offset < 20; offset++) {
		vma = mapping();
		vma.vm_pgoff = offset;
		assert_int_equal(offset < 6 && offset % 2 ? 0 : -EINVAL, map(&vma));
	}
	rings->refs.value = 1;
	calls[0] = '\0';
	vma = mapping();
	vma.vm_end -= PAGE_SIZE;
	assert_int_equal(-EINVAL, map(&vma));
	vma.vm_end += 2 * PAGE_SIZE;
	assert_int_equal(-EINVAL, map(&vma));
	vma = mapping();
	vma.vm_flags = VM_READ | VM_WRITE;
	assert_int_equal(-EINVAL, map(&vma));
	vma.vm_flags = VM_SHARED | VM_WRITE;
	assert_int_equal(-EACCES, map(&vma));
	vma.vm_flags = VM_SHARED | VM_READ;
	assert_int_equal(-EACCES, map(&vma));
	assert_int_equal(VM_SHARED | VM_READ, vma.vm_flags);
	assert_int_equal(1, rings->refs.value);
	expect_calls("");
}

/* A ring of two pages, and its header */
static void mmap_offsets(void **state)
{
	struct vm_area_struct vma;
	unsigned long offset;

	end(state);
	rings = pmc_rings_create(2 * SIZE, 1, -1, &queue);
	assert_false(IS_ERR(rings));
	for (offset = 0; offset < 20; offset++) {
		vma = mapping();
		vma.vm_end += PAGE_SIZE;
		vma.vm_pgoff = offset;
		assert_int_equal(offset < 8 && offset % 3 == 1 ? 0 : -EINVAL, map(&vma));
	}
	assert_int_equal(4, rings->refs.value);
	rings->refs.value = 1;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(created), TEST(one_cpu), TEST(no_memory), TEST(vmalloc), TEST(closed),
		TEST(overflows), TEST(statistics), TEST(others_missing), TEST(mmap),
		TEST(mmap_refused), TEST(mmap_offsets),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
