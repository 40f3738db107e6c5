// SPDX-License-Identifier: GPL-2.0-only
// A put, free or release left out
@@ identifier f =~ "put|free|release|destroy"; expression list es; @@
- f(es);
+ ;
