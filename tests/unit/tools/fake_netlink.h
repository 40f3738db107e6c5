/* SPDX-License-Identifier: GPL-2.0-only */
/* The linker's names (--wrap) of the functions of libnl that fake_netlink.c replaces */
#ifndef FAKE_NETLINK_H
#define FAKE_NETLINK_H

#include <netlink/netlink.h>

int __wrap_genl_connect(struct nl_sock *socket);
int __wrap_nl_socket_add_membership(struct nl_sock *socket, int group);
int __wrap_nl_socket_set_nonblocking(const struct nl_sock *socket);
int __real_nl_socket_set_nonblocking(const struct nl_sock *socket);

#endif /* FAKE_NETLINK_H */
