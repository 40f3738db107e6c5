// SPDX-License-Identifier: GPL-2.0-only
// A call left out
@@ identifier f !~ "lock|unlock|barrier|smp_|rcu|put|free|release|destroy|_ONCE"; expression list es; @@
- f(es);
+ ;
