// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which lost packets are wanted: this filter has no map, so a want fails, and is counted as such.
 * And the words for a packet that the kernel has discarded, by its reason and by its function.
 */
#include "lost_packets.h"

#include "unit.h"

static const struct row {
	const char *name;
	enum lost_want want;
	bool learn_app, no_id;
	uint16_t deliver; /* streams, as bits */
	bool wanted;
} ROWS[] = {
	{ "lost", .want = LOST_WANT_NO_ROOM, .wanted = true },
	{ "anybody-could-send-it", .want = LOST_WANT_NO },
	{ "an-ihave", .want = LOST_WANT_NO_ROOM, .no_id = true },
	{ "the-application-learns", .want = LOST_WANT_NO_ROOM, .learn_app = true },
	{ "delivered", .want = LOST_WANT_NO_ROOM, .deliver = 1 << 1 },
	{ "another-stream-is-delivered", .want = LOST_WANT_NO_ROOM, .deliver = 1 << 0,
	  .wanted = true },
};

TEST_ROWS(wanted, ROWS)
{
	static struct dedup_config config;
	static struct lost_packets l;
	struct dedup_state state = { 0 };
	struct filter f = { .config = &config, .state = &state, .wanted_fd = -1 };
	const struct lost_reason reason = { "x", "x", row->want };
	struct lost_packet packet = { .reason = &reason, .id = { .stream = 1, .reason = -1 } };

	config.asked.learn_app = row->learn_app;
	config.policy.deliver = row->deliver;
	packet.id.reason = row->no_id ? DEDUP_REASON_ihave_new : -1;
	l = (struct lost_packets){ 0 };
	lost_packets_want(&l, &f, &packet);
	assert_int_equal(l.unwanted, row->wanted);
	if (row->want)
		assert_int_equal(l.wants[row->want - 1].left,
				 row->wanted ? LOST_WANTS_IN_A_SECOND - 1 : 0);
}

#define BY_XDP "" /* the key of packets that are not shown */

static const struct reason_row {
	const char *name, *reason, *where, *key;
} REASONS[] = {
	{ "reverse-path", "IP_RPFILTER", "ip_rcv_finish_core.constprop.0+0x1ac/0x", "reverse_path" },
	{ "full-buffer", "SOCKET_RCVBUFF", "udp_queue_rcv_one_skb+0x3b5/0x510", "no_room" },
	{ "no-socket", "NO_SOCKET", "__udp4_lib_rcv+0x8f1/0xb30", "no_socket" },
	{ "no-member", "NOT_SPECIFIED", "ip_rcv_finish_core.constprop.0+0x1", "no_member" },
	{ "checksum-of-a-read", "NOT_SPECIFIED", "udp_recvmsg+0x2b6/0x580", "bad_checksum" },
	{ "checksum-ipv6", "NOT_SPECIFIED", "udpv6_recvmsg+0x2b6/0x580", "bad_checksum" },
	{ "checksum", "UDP_CSUM", "udp_queue_rcv_one_skb+0x1", "bad_checksum" },
	{ "rule", "NETFILTER_DROP", "nf_hook_slow+0xb8/0xd0", "netfilter" },
	{ "rule-of-older-kernels", "", "nf_hook_slow+0xb8/0xd0", "netfilter" },
	/* The kernel's reason counts, not the function. */
	{ "named-elsewhere", "NO_SOCKET", "ip_rcv_finish_core", "no_socket" },
	{ "unknown-reason", "NEXT_YEARS", "ip_rcv_finish_core", "other" },
	{ "unknown-function", "", "somewhere+0x1/0x2", "other" },
	{ "nothing-said", "", "", "other" },
	{ "duplicate-on-a-veth", "NOT_SPECIFIED", "veth_xdp_rcv_skb+0x389/0x7c0 [veth]", BY_XDP },
	{ "duplicate-in-skb-mode", "XDP", "do_xdp_generic+0x1", BY_XDP },
	{ "duplicate-of-older-kernels", "", "do_xdp_generic+0x1", BY_XDP },
};

TEST_ROWS(reason_in_words, REASONS)
{
	struct drop d = { 0 };

	snprintf(d.reason, sizeof(d.reason), "%s", row->reason);
	snprintf(d.where, sizeof(d.where), "%s", row->where);
	assert_int_equal(lost_is_by_xdp(&d), !*row->key);
	if (*row->key)
		assert_string_equal(lost_reason_of(&d)->key, row->key);
	assert_true(*lost_reason_of(&d)->text);
}

UNIT_MAIN()
