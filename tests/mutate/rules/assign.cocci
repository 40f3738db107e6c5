// SPDX-License-Identifier: GPL-2.0-only
// An assignment left out
@@ expression a, b; @@
- a = b;
+ ;
