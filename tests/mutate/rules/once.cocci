// SPDX-License-Identifier: GPL-2.0-only
// READ_ONCE, WRITE_ONCE, smp_load_acquire left out (counted apart)
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
