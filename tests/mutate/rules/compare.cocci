// SPDX-License-Identifier: GPL-2.0-only
// A comparison turned, or moved by one
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
