// SPDX-License-Identifier: GPL-2.0-only
// A lock or barrier left out (counted apart)
@@ identifier f =~ "lock|barrier|smp_|rcu"; expression list es; @@
- f(es);
+ ;
