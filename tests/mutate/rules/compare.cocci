// SPDX-License-Identifier: GPL-2.0-only
// A comparison inverted, or moved by one
@@ expression a, b; @@
(
 a
- <
+ <=
 b
|
 a
- <=
+ <
 b
|
 a
- >
+ >=
 b
|
 a
- >=
+ >
 b
|
 a
- ==
+ !=
 b
|
 a
- !=
+ ==
 b
)
