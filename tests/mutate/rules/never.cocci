// SPDX-License-Identifier: GPL-2.0-only
// A guarded statement or error path that is never reached
@@ expression e; statement s; @@
 if (
- e
+ 0 && (e)
 ) s
