// SPDX-License-Identifier: GPL-2.0-only
// An error that is not returned
@@ constant c; @@
- return -c;
+ return 0;
