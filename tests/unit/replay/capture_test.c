// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Capture files of every kind to frames: times, lengths; whole and cut. What is told of interfaces,
 * what cannot be read and what is written have tests of their own; fuzz_capture changes bytes.
 */
#include "unit.h"

#include "capture_samples.h"

TEST_ROWS(files_are_read, KINDS)
{
	struct capture_frame frame;
	struct capture *c;
	struct file f;

	make_sample(&f, row);
	c = open_whole(&f);
	assert_int_equal(capture_iface_cnt(c), row->is_ng ? 2 : 1);
	assert_string_equal(capture_iface_name(c, 0), row->is_ng ? "eth0" : "interface 0");
	for (uint32_t i = 0; i < SAMPLES; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		check_sample(&frame, i, row->is_ng);
	}
	assert_int_equal(capture_foreign_cnt(c), 0);
	assert_int_equal(capture_bytes_read(c), f.len);
	assert_int_equal(capture_file_bytes(c), 0);
	assert_ends(c);
	file_free(&f);
}

/* The end of a packet, where a shorter file is whole: or, of headers, of any block. */
static bool is_boundary(const struct file *f, size_t len)
{
	for (uint32_t i = 0; i < f->packets; i++)
		if (f->ends[i] == len)
			return true;
	return false;
}

TEST_ROWS(cut_at_every_byte, KINDS)
{
	struct file f;
	size_t headers;

	make_sample(&f, row);
	headers = row->is_ng ? 28 + 32 : 24;
	for (size_t len = 1; len < f.len; len++) {
		uint32_t n = packets_within(&f, len);
		struct capture_frame frame;
		struct capture *c;
		char words[64];
		int got;

		diags_collect();
		c = open_bytes(f.data, len);
		if (len < headers) {
			assert_null(c);
			assert_diag("FILE");
			continue;
		}
		assert_non_null(c);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(capture_next(c, &frame), 1);
			check_sample(&frame, i, row->is_ng);
		}
		got = capture_next(c, &frame);
		assert_int_equal(capture_next(c, &frame), got);
		capture_close(c);
		snprintf(words, sizeof(words), "FILE: packet %u: truncated", n + 1);
		if (got == -EBADMSG)
			assert_diag(words);
		else
			assert_string_equal(diags_end(), "");
		if (!row->is_ng || len > 28 + 32 + 24 + 32)
			assert_int_equal(got, is_boundary(&f, len) || len == headers ? 0 : -EBADMSG);
	}
	file_free(&f);
}

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

TEST_ROWS(pcap_times, PCAP_TIMES)
{
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

TEST_ROWS(ng_times, NG_TIMES)
{
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

TEST_ROWS(lengths, LENGTHS)
{
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

UNIT_MAIN()
