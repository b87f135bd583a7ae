/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Another XDP program, neighbour.bpf.c, on an interface: beside ours where libxdp's dispatcher
 * runs.
 */
#ifndef XDP_DEDUP_TESTS_NEIGHBOUR_H
#define XDP_DEDUP_TESTS_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

struct neighbour;
struct xdp_program;

struct neighbour_run {
	struct neighbour *skel;
	struct xdp_program *prog;
	int ifindex;
};

/* Attaches it to an interface that has native XDP; ours has priority 50. */
void neighbour_move_in(struct neighbour_run *n, const char *ifname, unsigned int priority);
void neighbour_move_out(struct neighbour_run *n);

/* The packets that it has counted. */
uint64_t neighbour_seen(const struct neighbour_run *n);

/* Does libxdp's dispatcher run here? It says so by not attaching alone. The interface must
 * have no XDP program.
 */
bool neighbour_has_dispatcher(const char *ifname);

#endif
