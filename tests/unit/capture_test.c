// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Capture files of every kind to frames, whole and broken ones. capture_out_test has those that are
 * written.
 */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blocks.h"
#include "capture.h"
#include "capture_files.h"

#define USEC 0xa1b2c3d4
#define NSEC 0xa1b23c4d
#define SECOND UINT64_C(1000000000)
#define T0 1700000000U

static const uint8_t MAC[6] = { 0x02, 0x00, 0x5e, 0x10, 0x20, 0x30 };

/* Some packet; the first bytes tell which. */
static uint8_t PACKET[300000];

static const uint8_t *packet(uint32_t which)
{
	memcpy(PACKET, &which, sizeof(which));
	return PACKET;
}

/* What was said on stderr since listen(). */
static char said[4096];
static int listening = -1, own_stderr;

static void listen_to_stderr(void)
{
	fflush(stderr);
	own_stderr = dup(STDERR_FILENO);
	listening = memfd_create("stderr", MFD_CLOEXEC);
	assert_true(own_stderr >= 0 && listening >= 0);
	dup2(listening, STDERR_FILENO);
}

static const char *hear(void)
{
	ssize_t n;

	fflush(stderr);
	dup2(own_stderr, STDERR_FILENO);
	close(own_stderr);
	n = pread(listening, said, sizeof(said) - 1, 0);
	close(listening);
	said[n < 0 ? 0 : n] = '\0';
	return said;
}

/* One line, with these words. */
static void assert_heard(const char *words)
{
	const char *end = strchr(hear(), '\n');

	if (!strstr(said, words) || !end || end[1])
		fail_msg("not one line with \"%s\": %s", words, said);
}

static struct capture *open_bytes(const uint8_t *data, size_t len)
{
	struct capture *c = NULL;
	FILE *f = fmemopen((void *)(uintptr_t)data, len, "r");

	assert_non_null(f);
	return capture_open_file(f, "FILE", MAC, &c) ? NULL : c;
}

static struct capture *open_whole(const struct file *f)
{
	struct capture *c = open_bytes(f->data, f->len);

	assert_non_null(c);
	return c;
}

static void assert_ends(struct capture *c)
{
	struct capture_frame f;

	assert_int_equal(capture_next(c, &f), 0);
	assert_int_equal(capture_next(c, &f), 0);
	capture_close(c);
}

static const struct kind {
	const char *name;
	bool is_ng, big_endian;
	uint32_t magic;
} KINDS[] = {
	{ "pcap-little-us", false, false, USEC }, { "pcap-little-ns", false, false, NSEC },
	{ "pcap-big-us", false, true, USEC },	  { "pcap-big-ns", false, true, NSEC },
	{ "pcapng-little", true, false, 0 },	  { "pcapng-big", true, true, 0 },
};

#define SAMPLES 9

/* Packets of growing length, the last one cut by the snap length; interface 1 has the odd ones. */
static void make_sample(struct file *f, const struct kind *kind)
{
	*f = (struct file){ .big_endian = kind->big_endian };
	if (kind->is_ng) {
		ng_section(f);
		ng_named_iface(f, "eth0");
		ng_block(f, 5, "statistics", 10);
		ng_named_iface(f, "eth1");
	} else {
		pcap_header(f, kind->magic, LINK_ETHERNET, 65535);
	}
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t len = 14 + i, wire = len + (i == SAMPLES - 1 ? 1000 : 0);
		uint64_t us = T0 * UINT64_C(1000000) + i;

		if (!kind->is_ng)
			pcap_packet(f, T0, kind->magic == NSEC ? i * 1000 : i, packet(i), len, wire);
		else if (i == 4)
			ng_old_packet(f, i % 2, us, packet(i), len, wire);
		else
			ng_packet(f, i % 2, us, packet(i), len, wire, NULL);
	}
}

static void check_sample(const struct capture_frame *f, uint32_t i, bool is_ng)
{
	assert_int_equal(f->number, i + 1);
	assert_int_equal(f->len, 14 + i);
	assert_int_equal(f->wire_len, i == SAMPLES - 1 ? 1014 + i : 14 + i);
	assert_int_equal(f->ns, T0 * SECOND + i * UINT64_C(1000));
	assert_int_equal(f->iface, is_ng ? i % 2 : 0);
	assert_false(f->outgoing);
	assert_memory_equal(f->data, packet(i), f->len);
}

static void files_are_read(void **state)
{
	const struct kind *kind = *state;
	struct capture_frame frame;
	struct capture *c;
	struct file f;

	make_sample(&f, kind);
	c = open_whole(&f);
	assert_int_equal(capture_iface_cnt(c), kind->is_ng ? 2 : 1);
	assert_string_equal(capture_iface_name(c, 0), kind->is_ng ? "eth0" : "interface 0");
	for (uint32_t i = 0; i < SAMPLES; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		check_sample(&frame, i, kind->is_ng);
	}
	assert_int_equal(capture_foreign_cnt(c), 0);
	assert_int_equal(capture_bytes_read(c), f.len);
	assert_int_equal(capture_file_bytes(c), 0);
	assert_ends(c);
	file_free(&f);
}

/* How many packets end at or before this byte. */
static uint32_t packets_within(const struct file *f, size_t len)
{
	uint32_t n = 0;

	while (n < f->packets && f->ends[n] <= len)
		n++;
	return n;
}

/* The end of a packet, where a shorter file is whole: or, of headers, of any block. */
static bool is_boundary(const struct file *f, size_t len)
{
	for (uint32_t i = 0; i < f->packets; i++)
		if (f->ends[i] == len)
			return true;
	return false;
}

static void cut_at_every_byte(void **state)
{
	const struct kind *kind = *state;
	struct file f;
	size_t headers;

	make_sample(&f, kind);
	headers = kind->is_ng ? 28 + 32 : 24;
	for (size_t len = 1; len < f.len; len++) {
		uint32_t n = packets_within(&f, len);
		struct capture_frame frame;
		struct capture *c;
		char words[64];
		int got;

		listen_to_stderr();
		c = open_bytes(f.data, len);
		if (len < headers) {
			assert_null(c);
			assert_heard("FILE");
			continue;
		}
		assert_non_null(c);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(capture_next(c, &frame), 1);
			check_sample(&frame, i, kind->is_ng);
		}
		got = capture_next(c, &frame);
		assert_int_equal(capture_next(c, &frame), got);
		capture_close(c);
		snprintf(words, sizeof(words), "FILE: packet %u: truncated", n + 1);
		if (got == -EBADMSG)
			assert_heard(words);
		else
			assert_string_equal(hear(), "");
		if (!kind->is_ng || len > 28 + 32 + 24 + 32)
			assert_int_equal(got, is_boundary(&f, len) || len == headers ? 0 : -EBADMSG);
	}
	file_free(&f);
}

/* Whatever the bytes: frames are within bounds, as ASan sees, and consistent. */
static uint32_t read_anything(const uint8_t *data, size_t len)
{
	struct capture *c = open_bytes(data, len);
	struct capture_frame f;
	uint64_t number = 0;
	uint32_t sum = 0;

	while (c && capture_next(c, &f) == 1) {
		assert_true(f.number > number);
		assert_true(f.len <= f.wire_len);
		assert_true(f.iface < capture_iface_cnt(c));
		assert_non_null(capture_iface_name(c, f.iface));
		number = f.number;
		for (uint32_t i = 0; i < f.len; i++)
			sum += f.data[i];
	}
	capture_close(c);
	return sum;
}

static volatile uint32_t sink;

static void mutate_every_byte(const struct file *f)
{
	static const uint8_t CHANGES[] = { 0x01, 0x80, 0xff, 0x04, 0x10 };

	listen_to_stderr();
	for (size_t at = 0; at < f->len; at++)
		for (size_t i = 0; i < ARRAY_SIZE(CHANGES); i++) {
			f->data[at] ^= CHANGES[i];
			sink += read_anything(f->data, f->len);
			f->data[at] ^= CHANGES[i];
		}
	hear();
}

static void any_byte_changed(void **state)
{
	struct file f;

	make_sample(&f, *state);
	mutate_every_byte(&f);
	file_free(&f);
}

/* Random changes of random length, and pieces that are taken out or doubled. */
static void many_bytes_changed(void **state)
{
	uint64_t random = 15;
	struct file f;

	make_sample(&f, *state);
	listen_to_stderr();
	for (int round = 0; round < 3000; round++) {
		struct file g = { 0 };
		size_t from = random_next(&random) % f.len, to = random_next(&random) % f.len;

		file_bytes(&g, f.data, from);
		file_bytes(&g, f.data + to, f.len - to);
		for (uint64_t i = random_next(&random) % 4; i; i--)
			g.data[random_next(&random) % g.len] = (uint8_t)random_next(&random);
		sink += read_anything(g.data, g.len);
		file_free(&g);
	}
	hear();
	file_free(&f);
}

static void open_frames(const struct file *f, struct capture **c, struct capture_frame *frame)
{
	*c = open_whole(f);
	assert_int_equal(capture_next(*c, frame), 1);
}

/* ---- Link types. Bytes are in hex, spaces between them as one likes. MAC is 02005e102030. */
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
	{ "ethernet-tagged", LINK_ETHERNET, false, "ffffffffffff" FROM "8100 0064 0800",
	  "ffffffffffff" FROM "8100 0064 0800" },
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

static uint32_t from_hex(uint8_t *bytes, const char *hex)
{
	uint32_t n = 0;

	for (; *hex; hex++)
		if (*hex != ' ') {
			assert_int_equal(sscanf(hex, "%2hhx", &bytes[n++]), 1);
			hex++;
		}
	return n;
}

static void link_types(void **state)
{
	const struct link *row = *state;
	uint8_t packet_bytes[128], expected[128];
	uint32_t len = from_hex(packet_bytes, row->packet), expected_len;
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	pcap_header(&f, NSEC, row->type, len ? len : 1); /* libpcap's buffer: none longer */
	pcap_packet(&f, T0, 0, packet_bytes, len, len + 7);
	c = open_whole(&f);
	assert_int_equal(capture_next(c, &frame), row->frame ? 1 : 0);
	assert_int_equal(capture_foreign_cnt(c), row->frame ? 0 : 1);
	if (row->frame) {
		expected_len = from_hex(expected, row->frame);
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

/* Foreign packets are numbered, and frames of any size follow each other. */
static void frames_after_foreign_packets(void **state)
{
	static const uint32_t LENS[] = { 1, 5000, 100, 200000, 20 };
	static uint8_t ip[200000];
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	memset(ip, 0x45, sizeof(ip));
	pcap_header(&f, NSEC, LINK_RAW, 262144);
	for (size_t i = 0; i < ARRAY_SIZE(LENS); i++) {
		pcap_packet(&f, T0, 0, "\x50", 1, 1);
		pcap_packet(&f, T0, 0, ip, LENS[i], UINT32_MAX);
		pcap_packet(&f, T0, 0, "", 0, 0);
	}
	c = open_whole(&f);
	for (size_t i = 0; i < ARRAY_SIZE(LENS); i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.number, 3 * i + 2);
		assert_int_equal(frame.len, LENS[i] + 14);
		assert_int_equal(frame.wire_len, UINT32_MAX);
		assert_memory_equal(frame.data + 14, ip, LENS[i]);
	}
	assert_int_equal(capture_foreign_cnt(c), 2 * ARRAY_SIZE(LENS) - 1);
	assert_ends(c);
	file_free(&f);
}

/* ---- Times */

static const struct pcap_time {
	const char *name;
	uint32_t magic, sec, fraction;
	uint64_t ns;
} PCAP_TIMES[] = {
	{ "us", USEC, T0, 999999, T0 *SECOND + 999999000 },
	{ "ns", NSEC, T0, 999999999, T0 *SECOND + 999999999 },
	{ "epoch", NSEC, 0, 0, 0 },
	{ "after-2038", NSEC, 0x80000000, 1, 0x80000000 * SECOND + 1 },
	{ "before-2106", USEC, 0xffffffff, 999999, 0xffffffff * SECOND + 999999000 },
	{ "more-than-a-second", NSEC, 1, 2000000000, 3 * SECOND },
};

static void pcap_times(void **state)
{
	const struct pcap_time *row = *state;

	for (int big = 0; big < 2; big++) {
		struct file f = { .big_endian = big };
		struct capture_frame frame;
		struct capture *c;

		pcap_header(&f, row->magic, LINK_ETHERNET, 65535);
		pcap_packet(&f, row->sec, row->fraction, packet(0), 14, 14);
		open_frames(&f, &c, &frame);
		assert_int_equal(frame.ns, row->ns);
		assert_ends(c);
		file_free(&f);
	}
}

static const struct ng_time {
	const char *name;
	int resolution; /* if_tsresol's byte; -1: there is none */
	int64_t offset; /* if_tsoffset; 0: there is none */
	uint64_t time, ns;
} NG_TIMES[] = {
	{ "ng-us", -1, 0, T0 *UINT64_C(1000000) + 5, T0 *SECOND + 5000 },
	{ "ng-ns", 9, 0, T0 *SECOND + 5, T0 *SECOND + 5 },
	{ "ng-ms", 3, 0, T0 *UINT64_C(1000) + 5, T0 *SECOND + 5000000 },
	{ "ng-ps", 12, 0, 5 * UINT64_C(1000000000000) + 7999, 5 * SECOND + 7 },
	{ "ng-s", 0, 0, T0, T0 *SECOND },
	{ "ng-binary", 0x80 | 10, 0, T0 *UINT64_C(1024) + 512, T0 *SECOND + SECOND / 2 },
	{ "ng-finely-binary", 0x80 | 32, 0, (UINT64_C(5) << 32) + (1U << 30),
	  5 * SECOND + SECOND / 4 },
	{ "ng-offset", 9, T0, 5, T0 *SECOND + 5 },
	{ "ng-before-1970", 9, -10, 5 * SECOND, 0 },
	{ "ng-back-to-1970", 9, -10, 11 * SECOND, SECOND },
	{ "ng-far-future", 0, 0, UINT64_C(1) << 40, UINT64_MAX },
	{ "ng-last", 0, 0, UINT64_MAX / SECOND, UINT64_MAX / SECOND *SECOND },
};

static void ng_times(void **state)
{
	const struct ng_time *row = *state;

	for (int big = 0; big < 2; big++) {
		struct file f = { .big_endian = big }, options = { .big_endian = big };
		struct capture_frame frame;
		struct capture *c;
		uint8_t resolution = (uint8_t)row->resolution;

		if (row->resolution >= 0)
			ng_option(&options, 9, &resolution, 1);
		ng_option(&options, 2, "eth0", 4);
		if (row->offset) {
			uint32_t high = (uint32_t)((uint64_t)row->offset >> 32);
			struct file value = { .big_endian = big };

			file_u32(&value, big ? high : (uint32_t)row->offset);
			file_u32(&value, big ? (uint32_t)row->offset : high);
			ng_option(&options, 14, value.data, 8);
			file_free(&value);
		}
		ng_section(&f);
		ng_iface(&f, LINK_ETHERNET, 65535, &options);
		ng_packet(&f, 0, row->time, packet(0), 14, 14, NULL);
		open_frames(&f, &c, &frame);
		assert_int_equal(frame.ns, row->ns);
		assert_string_equal(capture_iface_name(c, 0), "eth0");
		assert_ends(c);
		file_free(&f);
		file_free(&options);
	}
}

/* Times are not put in order. */
static void times_that_go_back(void **state)
{
	static const uint32_t SECONDS[] = { 100, 50, 200, 1 };
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	pcap_header(&f, NSEC, LINK_ETHERNET, 65535);
	for (size_t i = 0; i < ARRAY_SIZE(SECONDS); i++)
		pcap_packet(&f, SECONDS[i], 0, packet(0), 14, 14);
	c = open_whole(&f);
	for (size_t i = 0; i < ARRAY_SIZE(SECONDS); i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.ns, SECONDS[i] * SECOND);
	}
	assert_ends(c);
	file_free(&f);
}

/* ---- Lengths */

static const struct length {
	const char *name;
	uint32_t link_type, snap, len, wire_len;
	uint32_t expected_len, expected_wire_len;
} LENGTHS[] = {
	{ "whole", LINK_ETHERNET, 65535, 60, 60, 60, 60 },
	{ "cut-by-snap", LINK_ETHERNET, 60, 60, 1500, 60, 1500 },
	{ "longer-than-wire", LINK_ETHERNET, 65535, 60, 40, 60, 60 },
	{ "longer-than-snap", LINK_ETHERNET, 40, 60, 60, 40, 60 },
	{ "nothing", LINK_ETHERNET, 65535, 0, 1500, 0, 1500 },
	{ "nothing-at-all", LINK_ETHERNET, 65535, 0, 0, 0, 0 },
	{ "longest", LINK_ETHERNET, 262144, 262144, 262144, 262144, 262144 },
	{ "no-snap", LINK_ETHERNET, 0, 60, 60, 60, 60 },
	{ "with-fcs", 0x24000000 | LINK_ETHERNET, 65535, 64, 64, 60, 60 },
	{ "fcs-cut", 0x24000000 | LINK_ETHERNET, 65535, 62, 64, 60, 60 },
	{ "fcs-cut-before", 0x24000000 | LINK_ETHERNET, 65535, 50, 64, 50, 60 },
	{ "fcs-alone", 0x24000000 | LINK_ETHERNET, 65535, 3, 3, 0, 0 },
	{ "fcs-length-not-said", 0x20000000 | LINK_ETHERNET, 65535, 64, 64, 64, 64 },
};

static void lengths(void **state)
{
	const struct length *row = *state;
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	pcap_header(&f, NSEC, row->link_type, row->snap);
	pcap_packet(&f, T0, 0, packet(1), row->len, row->wire_len);
	open_frames(&f, &c, &frame);
	assert_int_equal(frame.len, row->expected_len);
	assert_int_equal(frame.wire_len, row->expected_wire_len);
	assert_memory_equal(frame.data, packet(1), frame.len);
	assert_ends(c);
	file_free(&f);
}

/* A pcapng file may have longer packets than libpcap allows in pcap files. */
static void long_packets(void **state)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	ng_section(&f);
	ng_iface(&f, LINK_ETHERNET, 1000000, NULL);
	ng_iface(&f, LINK_ETHERNET, 1000000, NULL);
	for (uint32_t i = 0; i < 4; i++)
		ng_packet(&f, i % 2, 0, packet(i), i % 2 ? sizeof(PACKET) : 60, 300000, NULL);
	c = open_whole(&f);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.len, i % 2 ? sizeof(PACKET) : 60);
		assert_int_equal(frame.iface, i % 2);
		assert_memory_equal(frame.data, packet(i), frame.len);
	}
	assert_ends(c);
	file_free(&f);
}

/* ---- Interfaces */

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

static void ng_small(struct file *f, uint32_t iface)
{
	ng_packet(f, iface, 0, packet(0), 14, 14, NULL);
}

static void blocks_between_packets(void **state)
{
	for (int big = 0; big < 2; big++) {
		struct file f = { .big_endian = big }, options = { .big_endian = big };

		(void)state;
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
		mutate_every_byte(&f);
		file_free(&f);
		file_free(&options);
	}
}

static void sections(void **state)
{
	struct file f = { 0 };

	(void)state;
	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "b");
	ng_small(&f, 1);
	ng_section(&f); /* the same two, the other way round, and one more */
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
	ng_option(&options, 11, PACKET, 5000);
	ng_option(&options, 2, name, len);
	if (!last)
		ng_option(&options, 12, "an operating system", 19);
	ng_iface(f, LINK_ETHERNET, 65535, &options);
	file_free(&options);
}

static void iface_names(void **state)
{
	struct file f = { 0 }, options = { 0 };
	char longest[1000];

	(void)state;
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

/* However the file's bytes come. */
static void pieces_of_any_length(void **state)
{
	struct ifaces *ifaces = calloc(1, sizeof(*ifaces));
	struct blocks *b = calloc(1, sizeof(*b));
	struct file f;

	(void)state;
	assert_true(ifaces && b);
	make_sample(&f, &KINDS[5]);
	for (size_t piece = 1; piece < 100; piece++) {
		ifaces->cnt = 0;
		blocks_begin(b, ifaces);
		for (size_t at = 0; at < f.len; at += piece)
			blocks_read(b, f.data + at, piece < f.len - at ? piece : f.len - at);
		assert_int_equal(ifaces->cnt, 2);
		assert_string_equal(ifaces->names[1], "eth1");
		for (uint32_t i = 0; i < SAMPLES; i++)
			assert_int_equal(blocks_pop(b), i % 2);
	}
	file_free(&f);
	free(ifaces);
	free(b);
}

/* Far more than libpcap reads ahead, in blocks of every size: none gets another one's. */
static void many_packets_of_two_interfaces(void **state)
{
	enum { CNT = 60000 };
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;
	uint64_t random = 1;
	uint8_t *ifaces = malloc(CNT);

	(void)state;
	assert_non_null(ifaces);
	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "b");
	for (uint32_t i = 0; i < CNT; i++) {
		uint64_t r = random_next(&random);
		uint32_t len = i % 5000 == 0 ? 65535 : r % 8 ? 0 : (uint32_t)(r >> 8) % 300;

		ifaces[i] = (r >> 40) & 1;
		if (!ifaces[i] && r >> 60 == 0)
			ng_simple_packet(&f, PACKET, len, len);
		else
			ng_packet(&f, ifaces[i], i, PACKET, len, len, NULL);
	}
	c = open_whole(&f);
	for (uint32_t i = 0; i < CNT; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.iface, ifaces[i]);
	}
	assert_ends(c);
	free(ifaces);
	file_free(&f);
}

/* The shortest blocks that there are, so that the most are read ahead. */
static void shortest_packets(void **state)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_named_iface(&f, "b");
	for (uint32_t i = 0; i < 20000; i++)
		ng_simple_packet(&f, "", 0, 0);
	ng_small(&f, 1);
	c = open_whole(&f);
	for (uint32_t i = 0; i <= 20000; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.iface, i == 20000);
	}
	assert_ends(c);
	file_free(&f);
}

static void more_interfaces_than_counted(void **state)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	ng_section(&f);
	for (uint32_t i = 0; i < CAPTURE_IFACES_MAX + 10; i++)
		ng_iface(&f, LINK_ETHERNET, 65535, NULL);
	for (uint32_t i = CAPTURE_IFACES_MAX - 2; i < CAPTURE_IFACES_MAX + 10; i++)
		ng_small(&f, i);
	c = open_whole(&f);
	for (uint32_t i = CAPTURE_IFACES_MAX - 2; i < CAPTURE_IFACES_MAX + 10; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.iface, i < CAPTURE_IFACES_MAX ? i : CAPTURE_IFACES_MAX - 1);
	}
	assert_int_equal(capture_iface_cnt(c), CAPTURE_IFACES_MAX);
	assert_string_equal(capture_iface_name(c, CAPTURE_IFACES_MAX - 1), "interface 1023");
	assert_ends(c);
	file_free(&f);
}

/* What would be pcapng's second block, if pcap's header were its first. */
static void pcap_that_looks_like_pcapng(void **state)
{
	enum { LENGTH = 0x40002, DATA_AT = 24 + 16 };
	static uint8_t data[262144];
	struct file f = { 0 }, block = { 0 };

	(void)state;
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

static void flood_of_interfaces(void **state)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	ng_section(&f);
	ng_named_iface(&f, "a");
	ng_small(&f, 0);
	for (uint32_t i = 0; i < 70000; i++)
		ng_iface(&f, LINK_ETHERNET, 65535, NULL);
	listen_to_stderr();
	c = open_whole(&f);
	assert_int_equal(capture_next(c, &frame), 1);
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_heard("FILE: packet 2: more interfaces than can be read");
	capture_close(c);
	file_free(&f);
}

static void sll2_packet(struct file *f, uint32_t index)
{
	uint8_t bytes[21];

	from_hex(bytes, "0800 0000 00000000 0001 00 06 " FROM "0000 45");
	bytes[4] = (uint8_t)(index >> 24), bytes[5] = (uint8_t)(index >> 16);
	bytes[6] = (uint8_t)(index >> 8), bytes[7] = (uint8_t)index;
	pcap_packet(f, T0, 0, bytes, sizeof(bytes), sizeof(bytes));
}

static void interfaces_of_sll2(void **state)
{
	struct file f = { 0 };

	(void)state;
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
static void interfaces_of_sll2_in_pcapng(void **state)
{
	struct file f = { 0 }, options = { 0 };
	uint8_t bytes[21];

	(void)state;
	ng_option(&options, 2, "any", 3);
	ng_section(&f);
	ng_iface(&f, LINK_SLL2, 65535, &options);
	from_hex(bytes, "0800 0000 00000007 0001 00 06 " FROM "0000 45");
	ng_packet(&f, 0, 0, bytes, sizeof(bytes), sizeof(bytes), NULL);
	expect_ifaces(&f, "0=index 7");
	file_free(&f);
	file_free(&options);
}

static void more_interfaces_of_sll2(void **state)
{
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	(void)state;
	pcap_header(&f, NSEC, LINK_SLL2, 65535);
	for (uint32_t i = 1; i <= CAPTURE_IFACES_MAX + 5; i++)
		sll2_packet(&f, i);
	c = open_whole(&f);
	for (uint32_t i = 0; i < CAPTURE_IFACES_MAX + 5; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.iface, i < CAPTURE_IFACES_MAX ? i : CAPTURE_IFACES_MAX - 1);
	}
	assert_ends(c);
	file_free(&f);
}

/* ---- What cannot be read */

static const struct refusal {
	const char *name, *bytes;
	size_t len;
	int err;
	const char *says;
} REFUSALS[] = {
	{ "gzip", "\x1f\x8b\x08\0\0\0\0\0\0\0", 10, -EBADMSG,
	  "FILE is compressed: unpack it with zcat" },
	{ "bzip2", "BZh91AY&SY", 10, -EBADMSG, "with bzcat" },
	{ "xz", "\xfd\x37zXZ\0\0\4", 8, -EBADMSG, "with xzcat" },
	{ "zstd", "\x28\xb5\x2f\xfd\4\0\0\0", 8, -EBADMSG, "with zstdcat" },
	{ "lz4", "\x04\x22\x4d\x18\x64\x40\xa7\0", 8, -EBADMSG, "with lz4cat" },
	{ "zip", "PK\3\4\x14\0\0\0", 8, -EBADMSG, "with unzip -p" },
	{ "text", "root:x:0:0:root:/root:/bin/bash", 31, -EBADMSG, "FILE is neither pcap nor pcapng" },
	{ "like-pcapng", "\n\r\r\n\x1c\0\0\0\0\0\0\0\0\0\0\0", 16, -EBADMSG,
	  "neither pcap nor pcapng" },
	{ "zeros", "\0\0\0\0\0\0\0\0", 8, -EBADMSG, "neither pcap nor pcapng" },
	{ "short", "\xd4\xc3", 2, -EBADMSG, "FILE: truncated" },
	{ "short-header", "\xd4\xc3\xb2\xa1\2\0\4\0\0\0", 10, -EBADMSG, "FILE: truncated" },
	{ "old-pcap", "\xd4\xc3\xb2\xa1\1\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0", 24, -EBADMSG,
	  "archaic" },
	{ "802.11", "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\x69\0\0\0", 24, -EPROTONOSUPPORT,
	  "FILE has link type IEEE802_11 (105); Ethernet, Linux cooked and raw IP can be read" },
	{ "no-link-type", "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\xff\xff\0\0", 24,
	  -EPROTONOSUPPORT, "FILE has link type unknown (65535)" },
};

static void foreign_files(void **state)
{
	const struct refusal *row = *state;
	FILE *f = fmemopen((void *)(uintptr_t)row->bytes, row->len, "r");
	struct capture *c = NULL;

	assert_non_null(f);
	listen_to_stderr();
	assert_int_equal(capture_open_file(f, "FILE", MAC, &c), row->err);
	assert_heard(row->says);
	assert_null(c);
}

static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

static const struct path_refusal {
	const char *name, *path;
	int err;
	const char *says;
} PATH_REFUSALS[] = {
	{ "no-file", "/nonexistent/file", -ENOENT, "cannot open /nonexistent/file: No such file" },
	{ "directory", "/", -EISDIR, "cannot read /: Is a directory" },
	{ "empty", "/dev/null", -EBADMSG, "/dev/null is empty" },
};

static void unreadable_files(void **state)
{
	const struct path_refusal *row = *state;
	struct capture *c = NULL;
	int next;

	listen_to_stderr();
	next = next_descriptor();
	assert_int_equal(capture_open(row->path, MAC, &c), row->err);
	assert_int_equal(next_descriptor(), next);
	assert_heard(row->says);
	assert_null(c);
}

/* A file on a disk that fails behind these bytes. */
struct failing {
	const struct file *file;
	size_t at, fails_at;
};

static ssize_t read_failing(void *cookie, char *to, size_t size)
{
	struct failing *f = cookie;
	size_t n = f->fails_at - f->at;

	if (!n) {
		errno = EIO;
		return -1;
	}
	if (n > size)
		n = size;
	memcpy(to, f->file->data + f->at, n);
	f->at += n;
	return (ssize_t)n;
}

/* No read error is taken for the file's end, wherever it comes. */
static void read_errors(void **state)
{
	const struct kind *kind = *state;
	struct file f;

	make_sample(&f, kind);
	for (size_t at = 0; at <= f.len; at++) {
		struct failing failing = { .file = &f, .fails_at = at };
		FILE *file =
			fopencookie(&failing, "r", (cookie_io_functions_t){ .read = read_failing });
		struct capture *c = NULL;
		struct capture_frame frame;
		uint32_t n = 0;
		int got;

		listen_to_stderr();
		assert_non_null(file);
		got = capture_open_file(file, "FILE", MAC, &c);
		while (!got && capture_next(c, &frame) == 1)
			check_sample(&frame, n++, kind->is_ng);
		if (!got) {
			assert_int_equal(n, packets_within(&f, at));
			assert_int_equal(capture_next(c, &frame), -EIO);
		}
		assert_heard("Input/output error");
		capture_close(c);
	}
	file_free(&f);
}

/* Interfaces that libpcap does not take together: what was before them counts. */
static const struct second_iface {
	const char *name;
	uint16_t link_type;
	uint32_t snap;
	const char *says;
} SECOND_IFACES[] = {
	{ "other-link-type", LINK_SLL, 65535, "has a type 113 different" },
	{ "other-snap", LINK_ETHERNET, 96, "has a snapshot length 96 different" },
};

static void interfaces_that_differ(void **state)
{
	const struct second_iface *row = *state;
	struct file f = { 0 };
	struct capture_frame frame;
	struct capture *c;

	ng_section(&f);
	ng_iface(&f, LINK_ETHERNET, 65535, NULL);
	ng_small(&f, 0);
	ng_iface(&f, row->link_type, row->snap, NULL);
	ng_small(&f, 1);
	listen_to_stderr();
	open_frames(&f, &c, &frame);
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_heard(row->says);
	assert_non_null(strstr(said, "FILE: packet 2: "));
	assert_non_null(strstr(said, "capture each interface into a file of its own"));
	capture_close(c);
	file_free(&f);
}

/* Corrupt in the third packet: its length, or its interface. */
static const struct corruption {
	const char *name;
	bool is_ng;
	uint32_t at; /* into that packet's header */
	uint32_t value;
	const char *says;
} CORRUPTIONS[] = {
	{ "pcap-length", false, 8, 0x7fffffff, "FILE: packet 3: invalid packet capture length" },
	{ "pcap-truncated", false, 8, 65535, "FILE: packet 3: truncated" },
	{ "pcapng-block-length", true, 4, 1 << 30, "FILE: packet 3: pcapng block size" },
	{ "pcapng-odd-length", true, 4, 49, "FILE: packet 3: block in pcapng dump file has a length" },
	{ "pcapng-interface", true, 8, 2, "FILE: packet 3: a packet arrived on interface 2" },
	{ "pcapng-length", true, 20, 1000, "FILE: packet 3: block of type 6 in pcapng dump file" },
};

static void corrupt_files(void **state)
{
	const struct corruption *row = *state;
	struct capture_frame frame;
	struct capture *c;
	struct file f;

	make_sample(&f, &KINDS[row->is_ng ? 4 : 1]);
	memcpy(f.data + f.ends[1] + row->at, &row->value, 4);
	listen_to_stderr();
	c = open_whole(&f);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		check_sample(&frame, i, row->is_ng);
	}
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_heard(row->says);
	capture_close(c);
	file_free(&f);
}

/* ---- Where files come from */

static char dir[] = "/tmp/xdp-dedup-capture-XXXXXX";

static void write_sample(const char *path, const struct kind *kind)
{
	struct file f;
	FILE *out = fopen(path, "we");

	make_sample(&f, kind);
	assert_non_null(out);
	assert_int_equal(fwrite(f.data, 1, f.len, out), f.len);
	fclose(out);
	file_free(&f);
}

static void read_sample(struct capture *c, bool is_ng)
{
	struct capture_frame frame;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		check_sample(&frame, i, is_ng);
	}
	assert_ends(c);
}

static void from_paths(void **state)
{
	const struct kind *kind = *state;
	struct capture *c;
	char path[64];

	snprintf(path, sizeof(path), "%s/sample", dir);
	write_sample(path, kind);
	assert_int_equal(capture_open(path, MAC, &c), 0);
	assert_true(capture_file_bytes(c) > 300);
	assert_int_equal(capture_file_bytes(c), capture_bytes_read(c));
	read_sample(c, kind->is_ng);
}

/* A pipe that gives a few bytes at a time. */
static void from_pipes(void **state)
{
	const struct kind *kind = *state;
	struct capture *c;
	char command[256];
	FILE *p;

	snprintf(command, sizeof(command), "%s/sample", dir);
	write_sample(command, kind);
	snprintf(command, sizeof(command), "dd bs=7 status=none if=%s/sample", dir);
	p = popen(command, "re");
	assert_non_null(p);
	assert_int_equal(capture_open_file(p, "PIPE", MAC, &c), 0);
	assert_int_equal(capture_file_bytes(c), 0);
	read_sample(c, kind->is_ng);
}

static void from_standard_input(void **state)
{
	struct capture *c;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/sample", dir);
	write_sample(path, &KINDS[5]);
	assert_non_null(freopen(path, "re", stdin));
	assert_int_equal(capture_open("-", MAC, &c), 0);
	read_sample(c, true);
}

/* ---- Other programs' files */

static void expect_file(const char *path, uint32_t frames, uint32_t ifaces)
{
	struct capture_frame frame;
	struct capture *c;
	uint32_t n = 0;

	assert_int_equal(capture_open(path, MAC, &c), 0);
	while (capture_next(c, &frame) == 1) {
		/* scapy's times are floating point */
		assert_int_equal((frame.ns + 500) / 1000, T0 * UINT64_C(1000000) + n * 1000);
		assert_true(frame.len >= 42 && frame.len == frame.wire_len);
		assert_memory_equal(frame.data + frame.len - 4, "xyz", 3);
		assert_int_equal(frame.data[frame.len - 1], '0' + n);
		n++;
	}
	assert_int_equal(n, frames);
	assert_int_equal(capture_iface_cnt(c), ifaces);
	assert_ends(c);
}

static const struct scapy {
	const char *name, *write;
} SCAPY[] = {
	{ "scapy-pcap", "wrpcap(f, p)" },
	{ "scapy-pcap-ns", "wrpcap(f, p, nano=True)" },
	{ "scapy-pcap-big", "wrpcap(f, p, endianness='>')" },
	{ "scapy-pcapng", "wrpcapng(f, p)" },
	{ "scapy-sll", "wrpcap(f, [t(CookedLinux(pkttype=0, proto=0x800)/x[IP], x) for x in p])" },
	{ "scapy-raw", "wrpcap(f, [t(x[IP], x) for x in p])" },
};

static void files_of_scapy(void **state)
{
	const struct scapy *row = *state;
	char path[64];

	if (system("/usr/bin/python3 -c 'import scapy' 2>/dev/null"))
		skip();
	snprintf(path, sizeof(path), "%s/scapy", dir);
	sh("/usr/bin/python3 -c \"\n"
	   "from scapy.all import *\n"
	   "f = '%s'\n"
	   "p = [Ether(src='02:00:00:00:00:01', dst='02:00:00:00:00:02')/IP()/UDP()/Raw(b'xyz%%d' "
	   "%% i)\n"
	   "     for i in range(5)]\n"
	   "for i, x in enumerate(p): x.time = %u + i / 1000\n"
	   "def t(y, x): y.time = x.time; return y\n"
	   "%s\n\" 2>/dev/null",
	   path, T0, row->write);
	expect_file(path, 5, 1);
}

/* tcpdump reads the file and writes it anew. */
static void files_of_tcpdump(void **state)
{
	char path[64];
	struct capture *c;

	(void)state;
	if (system("tcpdump --version >/dev/null 2>&1"))
		skip();
	snprintf(path, sizeof(path), "%s/sample", dir);
	write_sample(path, &KINDS[2]);
	sh("tcpdump -r %s/sample -w %s/tcpdump 2>/dev/null", dir, dir);
	snprintf(path, sizeof(path), "%s/tcpdump", dir);
	assert_int_equal(capture_open(path, MAC, &c), 0);
	read_sample(c, false);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test(frames_after_foreign_packets),
		cmocka_unit_test(times_that_go_back),
		cmocka_unit_test(long_packets),
		cmocka_unit_test(blocks_between_packets),
		cmocka_unit_test(sections),
		cmocka_unit_test(iface_names),
		cmocka_unit_test(pieces_of_any_length),
		cmocka_unit_test(many_packets_of_two_interfaces),
		cmocka_unit_test(shortest_packets),
		cmocka_unit_test(more_interfaces_than_counted),
		cmocka_unit_test(pcap_that_looks_like_pcapng),
		cmocka_unit_test(flood_of_interfaces),
		cmocka_unit_test(interfaces_of_sll2),
		cmocka_unit_test(interfaces_of_sll2_in_pcapng),
		cmocka_unit_test(more_interfaces_of_sll2),
		cmocka_unit_test(from_standard_input),
		cmocka_unit_test(files_of_tcpdump),
	};

	for (size_t i = 0; i < sizeof(PACKET); i++)
		PACKET[i] = (uint8_t)(i * 7 + i / 251);
	assert_non_null(mkdtemp(dir));
	add_rows(KINDS, files_are_read, NULL, NULL);
	add_rows(KINDS, cut_at_every_byte, NULL, NULL);
	add_rows(KINDS, any_byte_changed, NULL, NULL);
	add_rows(KINDS, many_bytes_changed, NULL, NULL);
	add_rows(KINDS, read_errors, NULL, NULL);
	add_rows(KINDS, from_paths, NULL, NULL);
	add_rows(KINDS, from_pipes, NULL, NULL);
	add_rows(LINKS, link_types, NULL, NULL);
	add_rows(PCAP_TIMES, pcap_times, NULL, NULL);
	add_rows(NG_TIMES, ng_times, NULL, NULL);
	add_rows(LENGTHS, lengths, NULL, NULL);
	add_rows(REFUSALS, foreign_files, NULL, NULL);
	add_rows(PATH_REFUSALS, unreadable_files, NULL, NULL);
	add_rows(SECOND_IFACES, interfaces_that_differ, NULL, NULL);
	add_rows(CORRUPTIONS, corrupt_files, NULL, NULL);
	add_rows(SCAPY, files_of_scapy, NULL, NULL);
	add_tests(TESTS, ARRAY_SIZE(TESTS));
	int failed = run_added_any_tests("capture");
	sh("rm -rf %s", dir);
	return failed;
}
