// SPDX-License-Identifier: GPL-2.0-only
// An operator exchanged
@@ expression a, b; @@
(
 a
- +
+ -
 b
|
 a
- -
+ +
 b
|
 a
- <<
+ >>
 b
|
 a
- >>
+ <<
 b
|
 a
- &
+ |
 b
)
