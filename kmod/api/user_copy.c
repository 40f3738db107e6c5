// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copying ABI structures from and to user space
 *
 * A structure of the ABI grows at its end. A caller may know fewer or more fields than the
 * driver: missing fields read as 0, and unknown fields must be 0 (copy_struct_from_user()).
 *
 * Owns no data and takes no lock. Context: task context that may sleep.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "api/user_copy.h"

/**
 * pmc_copy_in - copy a structure from user space
 * @to:		receives the structure
 * @size:	its size in bytes, as the driver knows it
 * @min:	end of its last input field: the least that a caller must supply
 * @from:	address in user space
 * @user_size:	its size in bytes, as the caller knows it
 *
 * Return: 0, -EINVAL (too short), -E2BIG (an unknown field is not 0), -EFAULT.
 */
int pmc_copy_in(void *to, size_t size, size_t min, const void __user *from, size_t user_size)
{
	if (user_size < min)
		return -EINVAL;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, size, from, user_size);
}

/**
 * pmc_copy_in_sized - copy a structure that begins with its size, a u32
 * @to:		receives the structure
 * @size:	as in pmc_copy_in()
 * @min:	as in pmc_copy_in()
 * @from:	address in user space
 *
 * Return: as pmc_copy_in().
 */
int pmc_copy_in_sized(void *to, size_t size, size_t min, const void __user *from)
{
	u32 user_size;

	if (get_user(user_size, (const u32 __user *)from))
		return -EFAULT;
	return pmc_copy_in(to, size, min, from, user_size);
}

/**
 * pmc_copy_out - copy a structure to user space, as much of it as the caller knows
 * @to:		address in user space
 * @from:	the structure; begins with the caller's size, a u32
 * @size:	its size in bytes, as the driver knows it
 *
 * Return: 0, -EFAULT.
 */
int pmc_copy_out(void __user *to, const void *from, size_t size)
{
	const u32 *leading = from;
	size_t user_size = min_t(size_t, *leading, size);

	return copy_to_user(to, from, user_size) ? -EFAULT : 0;
}
