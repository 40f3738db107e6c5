// SPDX-License-Identifier: GPL-2.0-only
// && and || exchanged
@@ expression a, b; @@
(
 a
- &&
+ ||
 b
|
 a
- ||
+ &&
 b
)
