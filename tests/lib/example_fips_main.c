// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* FIPS nodes: a, b and c in a row, in one process, on a clock that is turned by hand. Prints
 * what is announced, and through whom a may reach the others.
 *
 *   cc example_fips_main.c $(pkg-config --cflags --libs xdp-dedup) -o example-fips
 */
#include <stdio.h>
#include <stdlib.h>

#include <xdp-dedup-fips.h>

#define NODES 3

static struct xdp_dedup_fips_node *nodes[NODES];
static uint64_t now_ns = 1000000000;

/* A real node would put the message into a packet. */
static int send_message(void *arg, uint64_t peer, const void *msg, size_t len)
{
	uint64_t from = *(const uint64_t *)arg;
	const char *why = NULL;

	printf("%g s: %c tells %c\n", now_ns / 1e9, (int)('a' + from), (int)('a' + peer));
	if (xdp_dedup_fips_node_receive(nodes[peer], from, msg, len, &why) < 0)
		printf("%c does not believe it: %s\n", (int)('a' + peer), why ? why : "no peer");
	return 0;
}

static void item_of(uint64_t node, uint8_t item[XDP_DEDUP_FIPS_ITEM_BYTES])
{
	for (int i = 0; i < XDP_DEDUP_FIPS_ITEM_BYTES; i++)
		item[i] = 'a' + node;
}

int main(void)
{
	uint8_t item[XDP_DEDUP_FIPS_ITEM_BYTES];

	for (uint64_t i = 0; i < NODES; i++) {
		item_of(i, item);
		if (xdp_dedup_fips_node_new(item, 0.01, 1, &nodes[i]))
			return 1;
	}
	for (uint64_t i = 0; i + 1 < NODES; i++)
		if (xdp_dedup_fips_node_add_peer(nodes[i], i + 1, true) ||
		    xdp_dedup_fips_node_add_peer(nodes[i + 1], i, true))
			return 1;
	for (int step = 0; step < 4; step++, now_ns += XDP_DEDUP_FIPS_INTERVAL_NS / 2)
		for (uint64_t i = 0; i < NODES; i++)
			xdp_dedup_fips_node_poll(nodes[i], now_ns, send_message, &i);
	for (uint64_t i = 0; i < NODES + 1; i++) {
		item_of(i, item);
		printf("%c by b: %s\n", (int)('a' + i),
		       xdp_dedup_fips_node_may_reach(nodes[0], 1, item) == 1 ? "maybe" : "no");
	}
	for (uint64_t i = 0; i < NODES; i++)
		xdp_dedup_fips_node_free(nodes[i]);
	return 0;
}
