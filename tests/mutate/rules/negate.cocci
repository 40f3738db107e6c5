// SPDX-License-Identifier: GPL-2.0-only
// A condition negated
@@ expression e; statement s; @@
 if (
- e
+ !(e)
 ) s
