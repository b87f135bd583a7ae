// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A message of the kernel's drop monitor, as Linux 6.1 sent it: whole, and cut to every length. */
#include "drop_monitor.h"

#include "unit.h"

#define MESSAGE_MAX 1024

static const char HEX[] =
	"780100002000000000000000000000000502000006000e00000000000c00020002c64892ffffffff0e001700"
	"4e4f5f534f434b45540000001f0003005f5f756470345f6c69625f7263762b30783961322f30786333300000"
	"0c00048008000000080000000c00050014f44796a492ec1808000a00f20000000600060000080000f6000700"
	"0200000000100202020202000800450000e400000000401164080a0001000a0001020fa115c000d000001114"
	"171a1d202326292c2f3235383b3e4144474a4d505356595c5f6265686b6e7174777a7d808386898c8f929598"
	"9b9ea1a4a7aaadb0b3b6b9bcbfc2c5c8cbced1d4d7dadde0e3e6e9eceff2f5f8fbfe0104070a0d101316191c"
	"1f2225282b2e3134373a3d404346494c4f5255585b5e6164676a6d707376797c7f8285888b8e9194979a9da0"
	"a3a6a9acafb2b5b8bbbec1c4c7cacdd0d3d6d9dcdfe2e5e8ebeef1f4f7fafd000306090c0f1215181b1e2124"
	"272a2d303336393c3f4245484b4e5154575a5d6063660000";

static uint8_t message[MESSAGE_MAX];
static uint32_t len;

TEST(message_is_read)
{
	static const uint8_t TO[] = { 0x02, 0, 0, 0, 0, 0x10 };
	struct drop d;

	assert_true(drop_monitor_parse(message, len, &d));
	assert_string_equal(d.reason, "NO_SOCKET");
	assert_string_equal(d.where, "__udp4_lib_rcv+0x9a2/0xc30");
	assert_int_equal(d.ifindex, 8);
	assert_int_equal(d.have, 242);
	assert_int_equal(d.len, 242);
	assert_memory_equal(d.frame, TO, sizeof(TO)); /* from the MAC header on */
	assert_true(d.time_ns > UINT64_C(1700000000000000000));
}

/* A cut message is none; nor, if its header claims fewer bytes, are attributes that are not whole.
 * Each is in memory of its own, so that a sanitizer sees what is read behind it.
 */
TEST(cut_messages_are_no_harm)
{
	for (uint32_t cut = 0; cut < len; cut++) {
		uint8_t *copy = malloc(cut ?: 1);
		struct drop d;

		memcpy(copy, message, cut);
		assert_false(drop_monitor_parse(copy, cut, &d));
		if (cut >= sizeof(cut))
			memcpy(copy, &cut, sizeof(cut));
		if (drop_monitor_parse(copy, cut, &d))
			assert_true(d.frame >= copy && d.frame + d.have <= copy + cut);
		free(copy);
	}
}

static int setup(void **state)
{
	(void)state;
	len = (uint32_t)from_hex(HEX, message, sizeof(message));
	return 0;
}

UNIT_MAIN_WITH(setup, NULL)
