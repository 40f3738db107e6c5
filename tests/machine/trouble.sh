# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Extended regular expression of the kernel's error messages. `run` searches the kernel log for
# it after each command, ../check-debug searches the logs of the debug kernels.
trouble='WARNING:|BUG:|Oops|general protection|Call Trace:|cut here|kernel BUG at'
trouble+='|unable to handle|double fault|stack segment|invalid opcode|divide error'
trouble+='|rcu.*(stall|self-detected)|suspicious RCU usage|blocked for more than'
trouble+='|LOCKUP|lockup|possible (circular|recursive|irq lock)|inconsistent lock state'
trouble+='|KASAN|KCSAN|KMSAN|KFENCE|UBSAN|DEBUG_LOCKS|held lock freed|ODEBUG'
trouble+='|scheduling while atomic|sleeping function called|bad: scheduling'
trouble+='|register non-static key|received for unknown reason|Dazed and confused'
trouble+='|unchecked MSR access|Uhhuh|kmemleak: [0-9]+ new|kmemleak: .*disabled'
trouble+='|list_(add|del) corruption|refcount_t:'
