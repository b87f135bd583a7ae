// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets of each link type to Ethernet frames. Bytes are in hex; MAC is 02005e102030. */
#include "unit.h"

#include "capture_samples.h"

#define SLL(type, hardware, mac_len, mac, protocol) type hardware mac_len mac protocol
#define OTHER "02005e102031"
#define FROM "0a0b0c0d0e0f"
#define IP4 "45000014 00000000 40110000 c0a80001 "
#define IP6 "60000000 00001140 20010db8000000000000000000000001 "
#define ZERO_MAC "000000000000"
#define MC6 "ff02000000000000000000000001abcd"
#define UC6 "20010db8000000000000000000000002"

static const struct link {
	const char *name;
	uint16_t type;
	bool outgoing;
	const char *packet, *frame; /* frame: NULL if it is none */
} LINKS[] = {
	{ "ethernet", LINK_ETHERNET, false, "ffffffffffff" FROM "0800 45",
	  "ffffffffffff" FROM "0800 45" },
	{ "ethernet-cut", LINK_ETHERNET, false, "ffffffff", "ffffffff" },
	{ "ethernet-empty", LINK_ETHERNET, false, "", "" },

	{ "sll-to-us", LINK_SLL, false, "0000 0001 0006 " FROM "0000 0800 " IP4 "01020304",
	  "02005e102030" FROM "0800 " IP4 "01020304" },
	{ "sll-broadcast", LINK_SLL, false, "0001 0001 0006 " FROM "0000 0806 01",
	  "ffffffffffff" FROM "0806 01" },
	{ "sll-group", LINK_SLL, false, "0002 0001 0006 " FROM "0000 0800 " IP4 "e9fc0001",
	  "01005e7c0001" FROM "0800 " IP4 "e9fc0001" },
	{ "sll-group-6", LINK_SLL, false, "0002 0001 0006 " FROM "0000 86dd " IP6 MC6,
	  "33330001abcd" FROM "86dd " IP6 MC6 },
	{ "sll-group-cut", LINK_SLL, false, "0002 0001 0006 " FROM "0000 0800 " IP4 "e9fc00",
	  "01005e000000" FROM "0800 " IP4 "e9fc00" },
	{ "sll-group-6-cut", LINK_SLL, false, "0002 0001 0006 " FROM "0000 86dd " IP6 "ff02",
	  "01005e000000" FROM "86dd " IP6 "ff02" },
	{ "sll-group-but-no-ip-group", LINK_SLL, false,
	  "0002 0001 0006 " FROM "0000 0800 " IP4 "01020304",
	  "01005e000000" FROM "0800 " IP4 "01020304" },
	{ "sll-group-above", LINK_SLL, false, "0002 0001 0006 " FROM "0000 0800 " IP4 "f0020304",
	  "01005e000000" FROM "0800 " IP4 "f0020304" },
	{ "sll-group-not-ip", LINK_SLL, false, "0002 0001 0006 " FROM "0000 88cc 02",
	  "01005e000000" FROM "88cc 02" },
	{ "sll-group-tagged", LINK_SLL, false,
	  "0002 0001 0006 " FROM "0000 8100 0064 0800 " IP4 "e0000001",
	  "01005e000001" FROM "8100 0064 0800 " IP4 "e0000001" },
	{ "sll-group-tagged-twice", LINK_SLL, false,
	  "0002 0001 0006 " FROM "0000 88a8 0064 8100 0065 0800 " IP4 "e0000001",
	  "01005e000001" FROM "88a8 0064 8100 0065 0800 " IP4 "e0000001" },
	{ "sll-group-tag-cut", LINK_SLL, false, "0002 0001 0006 " FROM "0000 8100 00",
	  "01005e000000" FROM "8100 00" },
	{ "sll-tagged", LINK_SLL, false, "0000 0001 0006 " FROM "0000 8100 0064 0800 45",
	  "02005e102030" FROM "8100 0064 0800 45" },
	{ "sll-other-host", LINK_SLL, false, "0003 0001 0006 " FROM "0000 0800 45",
	  OTHER FROM "0800 45" },
	{ "sll-outgoing", LINK_SLL, true, "0004 0001 0006 " FROM "0000 0800 45",
	  OTHER FROM "0800 45" },
	{ "sll-loopback", LINK_SLL, false, "0000 0304 0006 0000000000000000 0800 45",
	  "02005e102030" ZERO_MAC "0800 45" },
	{ "sll-tunnel", LINK_SLL, false, "0000 fffe 0000 0102030405060708 0800 45",
	  "02005e102030" ZERO_MAC "0800 45" },
	{ "sll-infiniband", LINK_SLL, false, "0000 0020 0014 0102030405060708 0800 45",
	  "02005e102030" ZERO_MAC "0800 45" },
	{ "sll-empty", LINK_SLL, false, "0000 0001 0006 " FROM "0000 0800",
	  "02005e102030" FROM "0800" },
	{ "sll-cut", LINK_SLL, false, "0000 0001 0006 " FROM "0000 08", NULL },
	{ "sll-least-ethertype", LINK_SLL, false, "0000 0001 0006 " FROM "0000 0600",
	  "02005e102030" FROM "0600" },
	{ "sll-802.2", LINK_SLL, false, "0001 0001 0006 " FROM "0000 0004 4242", NULL },
	{ "sll-below-ethertypes", LINK_SLL, false, "0000 0001 0006 " FROM "0000 05ff 00", NULL },
	{ "sll-netlink", LINK_SLL, false, "0000 0338 0000 0000000000000000 0800 45", NULL },
	{ "sll-frame-relay", LINK_SLL, false, "0000 0302 0006 " FROM "0000 0800 45", NULL },
	{ "sll-802.11", LINK_SLL, false, "0000 0321 0006 " FROM "0000 0800 45", NULL },
	{ "sll-802.11-prism", LINK_SLL, false, "0000 0322 0006 " FROM "0000 0800 45", NULL },
	{ "sll-802.11-radiotap", LINK_SLL, false, "0000 0323 0006 " FROM "0000 0800 45", NULL },

	{ "sll2-to-us", LINK_SLL2, false, "0800 0000 00000007 0001 00 06 " FROM "0000 45",
	  "02005e102030" FROM "0800 45" },
	{ "sll2-broadcast", LINK_SLL2, false, "0806 0000 00000007 0001 01 06 " FROM "0000 01",
	  "ffffffffffff" FROM "0806 01" },
	{ "sll2-group", LINK_SLL2, false, "0800 0000 00000007 0001 02 06 " FROM "0000 " IP4 "e0000001",
	  "01005e000001" FROM "0800 " IP4 "e0000001" },
	{ "sll2-outgoing", LINK_SLL2, true, "0800 0000 00000007 0001 04 06 " FROM "0000 45",
	  OTHER FROM "0800 45" },
	{ "sll2-802.2", LINK_SLL2, false, "0004 0000 00000007 0001 01 06 " FROM "0000 4242", NULL },
	{ "sll2-cut", LINK_SLL2, false, "0800 0000 00000007 0001 00 06 " FROM "00", NULL },

	{ "raw-4", LINK_RAW, false, IP4 "01020304", "02005e102030" ZERO_MAC "0800" IP4 "01020304" },
	{ "raw-4-group", LINK_RAW, false, IP4 "e9fc0001",
	  "01005e7c0001" ZERO_MAC "0800" IP4 "e9fc0001" },
	{ "raw-4-broadcast", LINK_RAW, false, IP4 "ffffffff",
	  "ffffffffffff" ZERO_MAC "0800" IP4 "ffffffff" },
	{ "raw-4-cut", LINK_RAW, false, "45", "02005e102030" ZERO_MAC "0800 45" },
	{ "raw-6", LINK_RAW, false, IP6 UC6, "02005e102030" ZERO_MAC "86dd" IP6 UC6 },
	{ "raw-6-group", LINK_RAW, false, IP6 MC6, "33330001abcd" ZERO_MAC "86dd" IP6 MC6 },
	{ "raw-5", LINK_RAW, false, "55", NULL },
	{ "raw-empty", LINK_RAW, false, "", NULL },
	{ "ipv4", LINK_IPV4, false, IP4 "01020304", "02005e102030" ZERO_MAC "0800" IP4 "01020304" },
	{ "ipv6", LINK_IPV6, false, IP6 UC6, "02005e102030" ZERO_MAC "86dd" IP6 UC6 },
	{ "null-little", LINK_NULL, false, "02000000" IP4 "01020304",
	  "02005e102030" ZERO_MAC "0800" IP4 "01020304" },
	{ "null-big", LINK_NULL, false, "00000002" IP4 "e0000001",
	  "01005e000001" ZERO_MAC "0800" IP4 "e0000001" },
	{ "null-6-linux", LINK_NULL, false, "0a000000 60", "02005e102030" ZERO_MAC "86dd 60" },
	{ "null-6-windows", LINK_NULL, false, "17000000 60", "02005e102030" ZERO_MAC "86dd 60" },
	{ "null-6-openbsd", LINK_NULL, false, "18000000 60", "02005e102030" ZERO_MAC "86dd 60" },
	{ "null-6-freebsd", LINK_NULL, false, "1c000000 60", "02005e102030" ZERO_MAC "86dd 60" },
	{ "null-6-macos", LINK_NULL, false, "0000001e 60", "02005e102030" ZERO_MAC "86dd 60" },
	{ "null-other", LINK_NULL, false, "07000000 45", NULL },
	{ "null-cut", LINK_NULL, false, "020000", NULL },
	{ "loop", LINK_LOOP, false, "00000002 45", "02005e102030" ZERO_MAC "0800 45" },
};

TEST_ROWS(link_types, LINKS)
{
	uint8_t packet_bytes[128], expected[128];
	uint32_t len = from_hex(row->packet, packet_bytes, sizeof(packet_bytes)), expected_len;
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	pcap_header(&f, NSEC, row->type, len ? len : 1); /* libpcap's buffer: none longer */
	pcap_packet(&f, T0, 0, packet_bytes, len, len + 7);
	c = open_whole(&f);
	assert_int_equal(capture_next(c, &frame), row->frame ? 1 : 0);
	assert_int_equal(capture_foreign_cnt(c), row->frame ? 0 : 1);
	if (row->frame) {
		expected_len = from_hex(row->frame, expected, sizeof(expected));
		assert_int_equal(frame.len, expected_len);
		assert_int_equal(frame.wire_len, expected_len + 7);
		assert_memory_equal(frame.data, expected, expected_len);
		assert_int_equal(frame.outgoing, row->outgoing);
		assert_ends(c);
	} else {
		capture_close(c);
	}
	file_free(&f);
}

UNIT_MAIN()
