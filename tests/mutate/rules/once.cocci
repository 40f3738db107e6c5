// SPDX-License-Identifier: GPL-2.0-only
// READ_ONCE, WRITE_ONCE, smp_load_acquire, smp_store_release left out (counted separately)
@@ expression a, b; @@
(
- WRITE_ONCE(a, b);
+ a = b;
|
- smp_store_release(&a, b);
+ a = b;
|
- READ_ONCE(a)
+ a
|
- smp_load_acquire(&a)
+ a
)
