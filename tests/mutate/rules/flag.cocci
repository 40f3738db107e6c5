// SPDX-License-Identifier: GPL-2.0-only
// A bit of a set left out
@@ expression a, b; @@
(
- a |= b;
+ ;
|
- a &= b;
+ ;
|
 a
- |
+ &
 b
)
