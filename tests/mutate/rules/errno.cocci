// SPDX-License-Identifier: GPL-2.0-only
// Another error number
@@ constant c; @@
- return -c;
+ return -EXDEV;
