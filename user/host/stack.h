/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the IP stack of this network namespace does with packets that a filter has let pass: the
 * reverse path filter, multicast groups, UDP sockets, netfilter. Logs nothing. Addresses of IPv4
 * are mapped ones (::ffff:0:0/96).
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* What the IP stack discards of UDP packets, and its counters: IPv4, IPv6. */
#define STACK_LOSSES(X)                                                                         \
	X(reverse_path, "TcpExt:IPReversePathFilter", "", "by the reverse path filter")         \
	X(bad_checksum, "Udp:InCsumErrors", "Udp6InCsumErrors", "as the UDP checksum is wrong") \
	X(no_socket, "Udp:NoPorts", "Udp6NoPorts", "as no socket is open on the port")          \
	X(no_member, "Udp:IgnoredMulti", "Udp6IgnoredMulti",                                    \
	  "as no socket has joined the group by that interface")                                \
	X(no_room, "Udp:RcvbufErrors", "Udp6RcvbufErrors", "as a socket's buffer was full")

enum stack_loss {
#define STACK_LOSS(name, ipv4, ipv6, text) STACK_##name,
	STACK_LOSSES(STACK_LOSS)
#undef STACK_LOSS
		STACK_LOSSES_CNT
};

/* Reads what the IP stack of this network namespace has discarded since it began, of packets of any
 * port. Returns 0 or -errno.
 */
int stack_losses(uint64_t lost[STACK_LOSSES_CNT]);

/* Returns the number, 0 or more, in this sysctl below `net`: "ipv4/ip_forward"; or -errno. */
int stack_sysctl(const char *name);

/* Returns how strict the reverse path filter of IPv4 is: 0 (off), 1 (the route back must be by this
 * interface) or 2 (there must be a route back); or -errno.
 */
int stack_rp_filter(const char *ifname);

/* Returns 1 if the kernel discards packets that come by this interface from another host's IPv4
 * address to one of this host; 0 if not; or -errno.
 */
int stack_discards(uint32_t ifindex, struct in_addr from, struct in_addr to);

/* A multicast group that an interface has joined. */
struct stack_group {
	uint32_t ifindex;
	struct in6_addr address;
};

struct stack_groups {
	struct stack_group *list;
	int cnt;
};

/* Reads all groups of all interfaces. Returns 0 or -errno; in both cases the caller frees out->list. */
int stack_groups_read(struct stack_groups *out);

/* A UDP socket that is bound to a port. */
struct stack_socket {
	uint16_t port;		 /* host order */
	uint32_t ifindex;	 /* that it is bound to; 0: none */
	struct in6_addr address; /* that it is bound to; all 0: any */
	uint32_t inode;
	uint32_t buffer;  /* bytes: the limit of what waits there, SO_RCVBUF */
	uint32_t dropped; /* datagrams, since it was opened */
};

/* Calls each() for every UDP socket of this network namespace. Returns 0 or -errno. */
int stack_each_socket(void (*each)(const struct stack_socket *s, void *arg), void *arg);

/* Names the program of a socket, as "nats-server (1234)": the first process found that has it open.
 * Returns buf; "a program" if this process may not see it.
 */
#define STACK_PROGRAM_MAX 40
const char *stack_program_of(uint32_t inode, char buf[STACK_PROGRAM_MAX]);

/* Returns the name in a buffer that lives until the end of the enclosing block. */
#define STACK_PROGRAM_OF(inode) stack_program_of(inode, (char[STACK_PROGRAM_MAX]){ 0 })

/* Returns 1 if tables of rules (nftables, iptables) see packets of this family (NFPROTO_*) for this
 * host, 0 if not; or -errno if that is unknown: -EPERM, or -EOPNOTSUPP if the kernel does not list
 * hooks. The rules are not interpreted.
 */
int stack_has_rules(uint8_t family);
