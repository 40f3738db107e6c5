// SPDX-License-Identifier: GPL-2.0-only
// A constant changed by one bit
@@ constant c =~ "^[0-9]"; @@
- c
+ (c ^ 1)
