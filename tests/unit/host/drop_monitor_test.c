// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages of the kernel's drop monitor, as Linux 6.1 sent them: whole, and cut to every length. */
#include "drop_monitor.h"

#include "unit.h"

#define MESSAGE_MAX 1024

static const struct row {
	const char *name, *reason, *where;
	uint32_t ifindex;
	const char *hex;
} ROWS[] = {
	{ "no-socket", "NO_SOCKET", "__udp4_lib_rcv+0x9a2/0xc30", 8,
	  "780100002000000000000000000000000502000006000e00000000000c00020002c64892ffffffff0e001700"
	  "4e4f5f534f434b45540000001f0003005f5f756470345f6c69625f7263762b30783961322f30786333300000"
	  "0c00048008000000080000000c00050014f44796a492ec1808000a00f20000000600060000080000f6000700"
	  "0200000000100202020202000800450000e400000000401164080a0001000a0001020fa115c000d000001114"
	  "171a1d202326292c2f3235383b3e4144474a4d505356595c5f6265686b6e7174777a7d808386898c8f929598"
	  "9b9ea1a4a7aaadb0b3b6b9bcbfc2c5c8cbced1d4d7dadde0e3e6e9eceff2f5f8fbfe0104070a0d101316191c"
	  "1f2225282b2e3134373a3d404346494c4f5255585b5e6164676a6d707376797c7f8285888b8e9194979a9da0"
	  "a3a6a9acafb2b5b8bbbec1c4c7cacdd0d3d6d9dcdfe2e5e8ebeef1f4f7fafd000306090c0f1215181b1e2124"
	  "272a2d303336393c3f4245484b4e5154575a5d6063660000" },
	{ "full-buffer", "SOCKET_RCVBUFF", "udp_queue_rcv_one_skb+0x40b/0x580", 10,
	  "840100002000000000000000000000000502000006000e00000000000c000200fba34892ffffffff13001700"
	  "534f434b45545f524356425546460000260003007564705f71756575655f7263765f6f6e655f736b622b3078"
	  "3430622f30783538300000000c000480080000000a0000000c000500166cba11a692ec1808000a00f2000000"
	  "0600060000080000f60007000200000000100202020202000800450000e400000000401164080a0001000a00"
	  "01020fa115c000d0000012171c21262b30353a3f44494e53585d62676c71767b80858a8f94999ea3a8adb2b7"
	  "bcc1c6cbd0d5dadfe4e9eef3f8fd02070c11161b20252a2f34393e43484d52575c61666b70757a7f84898e93"
	  "989da2a7acb1b6bbc0c5cacfd4d9dee3e8edf2f7fc01060b10151a1f24292e33383d42474c51565b60656a6f"
	  "74797e83888d92979ca1a6abb0b5babfc4c9ced3d8dde2e7ecf1f6fb00050a0f14191e23282d32373c41464b"
	  "50555a5f64696e73787d82878c91969ba0a5aaafb4b9bec3c8cdd2d7dce1e6ebf0f50000" },
	{ "no-reason", "NOT_SPECIFIED", "udp_recvmsg+0x2a6/0x550", 14,
	  "780100002000000000000000000000000502000006000e00000000000c00020056954892ffffffff12001700"
	  "4e4f545f5350454349464945440000001c0003007564705f726563766d73672b30783261362f307835353000"
	  "0c000480080000000e0000000c000500066d9ed4a992ec1808000a00f20000000600060000080000f6000700"
	  "0200000000100202020202000800450000e400000000401164080a0001000a0001020fa115c000d012341114"
	  "171a1d202326292c2f3235383b3e4144474a4d505356595c5f6265686b6e7174777a7d808386898c8f929598"
	  "9b9ea1a4a7aaadb0b3b6b9bcbfc2c5c8cbced1d4d7dadde0e3e6e9eceff2f5f8fbfe0104070a0d101316191c"
	  "1f2225282b2e3134373a3d404346494c4f5255585b5e6164676a6d707376797c7f8285888b8e9194979a9da0"
	  "a3a6a9acafb2b5b8bbbec1c4c7cacdd0d3d6d9dcdfe2e5e8ebeef1f4f7fafd000306090c0f1215181b1e2124"
	  "272a2d303336393c3f4245484b4e5154575a5d6063660000" },
};

TEST_ROWS(messages_are_read, ROWS)
{
	static const uint8_t TO[] = { 0x02, 0, 0, 0, 0, 0x10 };
	uint8_t message[MESSAGE_MAX];
	uint32_t len = (uint32_t)from_hex(row->hex, message, sizeof(message));
	struct drop d;

	assert_true(drop_monitor_parse(message, len, &d));
	assert_string_equal(d.reason, row->reason);
	assert_string_equal(d.where, row->where);
	assert_int_equal(d.ifindex, row->ifindex);
	assert_int_equal(d.have, 242);
	assert_int_equal(d.len, 242);
	assert_memory_equal(d.frame, TO, sizeof(TO)); /* from the MAC header on */
	assert_true(d.time_ns > UINT64_C(1700000000000000000));
}

/* Each cut message is in memory of its own, so that a sanitizer sees what is read behind it. */
TEST_ROWS(cut_messages_are_none, ROWS)
{
	uint8_t message[MESSAGE_MAX];
	uint32_t len = (uint32_t)from_hex(row->hex, message, sizeof(message));
	struct drop d;

	for (uint32_t cut = 0; cut < len; cut++) {
		uint8_t *copy = malloc(cut ?: 1);

		memcpy(copy, message, cut);
		assert_false(drop_monitor_parse(copy, cut, &d));
		free(copy);
	}
}

/* The header claims fewer bytes: attributes that are not whole do not count. */
TEST_ROWS(short_messages_are_no_harm, ROWS)
{
	uint8_t message[MESSAGE_MAX];
	uint32_t len = (uint32_t)from_hex(row->hex, message, sizeof(message));

	for (uint32_t claimed = 0; claimed <= len; claimed++) {
		uint8_t *copy = malloc(claimed ?: 1);
		struct drop d;

		memcpy(copy, message, claimed);
		if (claimed >= sizeof(claimed))
			memcpy(copy, &claimed, sizeof(claimed));
		if (drop_monitor_parse(copy, claimed, &d))
			assert_true(d.frame >= copy && d.frame + d.have <= copy + claimed);
		free(copy);
	}
}

UNIT_MAIN()
