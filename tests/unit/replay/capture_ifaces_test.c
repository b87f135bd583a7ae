// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The interfaces of packets, their names, which libpcap does not tell, and those it cannot read. */
#include "unit.h"

#include "capture_samples.h"

/* A packet of Ethernet's smallest header alone. */
static void ng_small(struct file *f, uint32_t iface)
{
	ng_packet(f, iface, 0, packet(0), 14, 14, NULL);
}

/* The interface of each packet, and the name that it has. */
static void expect_ifaces(const struct file *f, const char *expected)
{
	struct capture *c = open_whole(f);
	struct capture_frame frame;
	char got[1024] = "";

	while (capture_next(c, &frame) == 1) {
		size_t at = strlen(got);

		assert_true(frame.iface < capture_iface_cnt(c));
		snprintf(got + at, sizeof(got) - at, "%s%u=%s", at ? ", " : "", frame.iface,
			 capture_iface_name(c, frame.iface));
	}
	assert_string_equal(got, expected);
	assert_ends(c);
}

/* The next packet is of this one. */
static void expect_iface(struct capture *c, uint32_t iface)
{
	struct capture_frame frame;

	assert_int_equal(capture_next(c, &frame), 1);
	assert_int_equal(frame.iface, iface);
}

TEST(blocks_between_packets)
{
	for (int big = 0; big < 2; big++) {
		struct file f = { .big_endian = big }, options = { .big_endian = big };

		ng_option(&options, 1, "a comment", 9);
		ng_option(&options, 2, "looks like a name", 17);
		ng_section(&f);
		ng_named_iface(&f, "a");
		ng_named_iface(&f, "b");
		ng_small(&f, 1);
		ng_block(&f, 0x80000006, "unknown, with bytes like \x06\0\0\0", 30);
		ng_block(&f, 4, "", 0);
		ng_packet(&f, 1, 0, packet(0), 15, 15, &options);
		ng_simple_packet(&f, packet(0), 60, 60);
		ng_old_packet(&f, 1, 0, packet(0), 17, 17);
		ng_named_iface(&f, "c");
		ng_small(&f, 2);
		ng_small(&f, 0);
		expect_ifaces(&f, "1=b, 1=b, 0=a, 1=b, 2=c, 0=a");
		file_free(&f);
		file_free(&options);
	}
}

TEST(sections)
{
	struct file f = { 0 };

	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "b");
	ng_small(&f, 1);
	ng_section(&f); /* those two, the other way round, and one more */
	ng_named_iface(&f, "b");
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "c");
	ng_small(&f, 0);
	ng_small(&f, 1);
	ng_small(&f, 2);
	ng_section(&f); /* merged from two hosts */
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "a");
	ng_small(&f, 0);
	ng_small(&f, 1);
	expect_ifaces(&f, "1=b, 1=b, 0=a, 2=c, 0=a, 3=a");
	file_free(&f);
}

static void iface_options(struct file *f, const void *name, uint16_t len, bool last)
{
	struct file options = { .big_endian = f->big_endian };

	ng_option(&options, 3, "a description", 13);
	ng_option(&options, 11, packet(0), 5000);
	ng_option(&options, 2, name, len);
	if (!last)
		ng_option(&options, 12, "an operating system", 19);
	ng_iface(f, LINK_ETHERNET, 65535, &options);
	file_free(&options);
}

TEST(iface_names)
{
	struct file f = { 0 }, options = { 0 };
	char longest[1000];

	for (size_t i = 0; i < sizeof(longest); i++)
		longest[i] = (char)('0' + i % 10);
	ng_option(&options, 0, "", 0);
	ng_option(&options, 2, "behind the end", 14);
	ng_section(&f);
	ng_iface(&f, LINK_ETHERNET, 65535, NULL);
	iface_options(&f, "x\ny\033\xc3\xbc\"", 7, false);
	iface_options(&f, "y\0z", 3, true);
	iface_options(&f, "", 0, false);
	iface_options(&f, longest, 63, true);
	iface_options(&f, longest, 64, true);
	iface_options(&f, longest, sizeof(longest), false);
	ng_iface(&f, LINK_ETHERNET, 65535, &options);
	for (uint32_t i = 0; i < 8; i++)
		ng_small(&f, i);
	expect_ifaces(&f, "0=interface 0, 1=x?y???\", 2=y, 3=interface 3, "
			  "4=012345678901234567890123456789012345678901234567890123456789012, "
			  "5=012345678901234567890123456789012345678901234567890123456789012, "
			  "6=012345678901234567890123456789012345678901234567890123456789012, "
			  "7=interface 7");
	file_free(&options);
	file_free(&f);
}

/* Far more than libpcap reads ahead, in blocks of every size: none gets another one's. */
TEST(many_packets_of_two_interfaces)
{
	enum { CNT = 60000 };
	struct file f = { 0 };
	struct capture *c;
	uint64_t random = 1;
	uint8_t *ifaces = malloc(CNT);

	assert_non_null(ifaces);
	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "b");
	for (uint32_t i = 0; i < CNT; i++) {
		uint64_t r = random_next(&random);
		uint32_t len = i % 5000 == 0 ? 65535 : r % 8 ? 0 : (uint32_t)(r >> 8) % 300;

		ifaces[i] = (r >> 40) & 1;
		if (!ifaces[i] && r >> 60 == 0)
			ng_simple_packet(&f, packet(0), len, len);
		else
			ng_packet(&f, ifaces[i], i, packet(0), len, len, NULL);
	}
	c = open_whole(&f);
	for (uint32_t i = 0; i < CNT; i++)
		expect_iface(c, ifaces[i]);
	assert_ends(c);
	free(ifaces);
	file_free(&f);
}

/* What would be pcapng's second block, if pcap's header were its first. */
TEST(pcap_that_looks_like_pcapng)
{
	enum { LENGTH = 0x40002, DATA_AT = 24 + 16 };
	static uint8_t data[262144];
	struct file f = { 0 }, block = { 0 };

	ng_named_iface(&block, "x");
	assert_true(LENGTH - DATA_AT + block.len <= sizeof(data));
	memcpy(data + (LENGTH - DATA_AT), block.data, block.len);
	pcap_header(&f, NSEC, LINK_ETHERNET, sizeof(data));
	pcap_packet(&f, T0, 0, data, sizeof(data), sizeof(data));
	pcap_packet(&f, T0, 0, data, 60, 60);
	expect_ifaces(&f, "0=interface 0, 0=interface 0");
	file_free(&block);
	file_free(&f);
}

TEST(flood_of_interfaces)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_small(&f, 0);
	for (uint32_t i = 0; i < 70000; i++)
		ng_iface(&f, LINK_ETHERNET, 65535, NULL);
	diags_collect();
	c = open_whole(&f);
	assert_int_equal(capture_next(c, &frame), 1);
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_diag("FILE: packet 2: more interfaces than can be read");
	capture_close(c);
	file_free(&f);
}

/* libpcap does not take interfaces of two link types together: what was before them counts. */
TEST(interfaces_that_differ)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;
	const char *text;

	ng_section(&f);
	ng_iface(&f, LINK_ETHERNET, 65535, NULL);
	ng_small(&f, 0);
	ng_iface(&f, LINK_SLL, 65535, NULL);
	ng_small(&f, 1);
	diags_collect();
	open_frames(&f, &c, &frame);
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	text = assert_diag("has a type 113 different");
	assert_non_null(strstr(text, "FILE: packet 2: "));
	assert_non_null(strstr(text, "capture each interface into a file of its own"));
	capture_close(c);
	file_free(&f);
}

/* Those of different snap lengths are read, as merged files have them. */
TEST(snap_lengths_that_differ)
{
	static const uint32_t SNAPS[] = { 65535, 96, 0, 262144 };
	struct file f = { 0 };
	struct capture *c;

	ng_section(&f);
	for (uint32_t i = 0; i < ARRAY_SIZE(SNAPS); i++) {
		ng_iface(&f, LINK_ETHERNET, SNAPS[i], NULL);
		ng_small(&f, i);
	}
	c = open_whole(&f);
	for (uint32_t i = 0; i < ARRAY_SIZE(SNAPS); i++)
		expect_iface(c, i);
	assert_ends(c);
	file_free(&f);
}

static void sll2_packet(struct file *f, uint32_t index)
{
	uint8_t bytes[21];

	from_hex("0800 0000 00000000 0001 00 06 0a0b0c0d0e0f 0000 45", bytes, sizeof(bytes));
	bytes[4] = (uint8_t)(index >> 24), bytes[5] = (uint8_t)(index >> 16);
	bytes[6] = (uint8_t)(index >> 8), bytes[7] = (uint8_t)index;
	pcap_packet(f, T0, 0, bytes, sizeof(bytes), sizeof(bytes));
}

TEST(interfaces_of_sll2)
{
	struct file f = { 0 };

	pcap_header(&f, NSEC, LINK_SLL2, 65535);
	sll2_packet(&f, 7);
	sll2_packet(&f, 70000);
	sll2_packet(&f, 0);
	sll2_packet(&f, 7);
	sll2_packet(&f, 0);
	expect_ifaces(&f, "0=index 7, 1=index 70000, 2=index 0, 0=index 7, 2=index 0");
	file_free(&f);
}

/* In pcapng the capture's one interface is "any"; the packets' own count. */
TEST(interfaces_of_sll2_in_pcapng)
{
	struct file f = { 0 }, options = { 0 };
	uint8_t bytes[21];

	ng_option(&options, 2, "any", 3);
	ng_section(&f);
	ng_iface(&f, LINK_SLL2, 65535, &options);
	from_hex("0800 0000 00000007 0001 00 06 0a0b0c0d0e0f 0000 45", bytes, sizeof(bytes));
	ng_packet(&f, 0, 0, bytes, sizeof(bytes), sizeof(bytes), NULL);
	expect_ifaces(&f, "0=index 7");
	file_free(&f);
	file_free(&options);
}

/* The last that is counted has the packets of all further ones. */
TEST(more_interfaces_of_sll2)
{
	struct file f = { 0 };
	struct capture *c;

	pcap_header(&f, NSEC, LINK_SLL2, 65535);
	for (uint32_t i = 1; i <= CAPTURE_IFACES_MAX + 5; i++)
		sll2_packet(&f, i);
	c = open_whole(&f);
	for (uint32_t i = 0; i < CAPTURE_IFACES_MAX + 5; i++)
		expect_iface(c, i < CAPTURE_IFACES_MAX ? i : CAPTURE_IFACES_MAX - 1);
	assert_ends(c);
	file_free(&f);
}

UNIT_MAIN()
