// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Capture files of every kind to frames: from paths, pipes and other programs; whole, cut, corrupt,
 * and of failing disks; times, lengths; what is no capture. Interfaces, link types and what is
 * written have tests of their own; fuzz_capture changes bytes.
 */
#include "unit.h"

#include "capture_samples.h"

#define USEC 0xa1b2c3d4
#define SAMPLES 9

static char dir[] = "/tmp/xdp-dedup-capture-XXXXXX";

static const struct kind {
	const char *name;
	bool is_ng, big_endian;
	uint32_t magic;
} KINDS[] = {
	{ "pcap-little-us", false, false, USEC }, { "pcap-little-ns", false, false, NSEC },
	{ "pcap-big-us", false, true, USEC },	  { "pcap-big-ns", false, true, NSEC },
	{ "pcapng-little", true, false, 0 },	  { "pcapng-big", true, true, 0 },
};

/* SAMPLES packets of growing length, the last one cut by the snap length; interface 1 has the odd
 * ones. The caller frees the file.
 */
static struct file make_sample(const struct kind *kind)
{
	struct file f = { .big_endian = kind->big_endian };

	if (kind->is_ng) {
		ng_section(&f);
		ng_named_iface(&f, "eth0");
		ng_block(&f, 5, "statistics", 10);
		ng_named_iface(&f, "eth1");
	} else {
		pcap_header(&f, kind->magic, LINK_ETHERNET, 65535);
	}
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t len = 14 + i, wire = len + (i == SAMPLES - 1 ? 1000 : 0);
		uint64_t us = T0 * UINT64_C(1000000) + i;

		if (!kind->is_ng)
			pcap_packet(&f, T0, kind->magic == NSEC ? i * 1000 : i, packet(i), len, wire);
		else if (i == 4)
			ng_old_packet(&f, i % 2, us, packet(i), len, wire);
		else
			ng_packet(&f, i % 2, us, packet(i), len, wire, NULL);
	}
	return f;
}

/* Reads `cnt` packets of a sample, and no more; then capture_next() returns `end`, again and again. */
static void read_sample(struct capture *c, bool is_ng, uint32_t cnt, int end)
{
	struct capture_frame f;

	for (uint32_t i = 0; i < cnt; i++) {
		assert_int_equal(capture_next(c, &f), 1);
		assert_int_equal(f.number, i + 1);
		assert_int_equal(f.len, 14 + i);
		assert_int_equal(f.wire_len, i == SAMPLES - 1 ? 1014 + i : 14 + i);
		assert_int_equal(f.ns, T0 * SECOND + i * UINT64_C(1000));
		assert_int_equal(f.iface, is_ng ? i % 2 : 0);
		assert_false(f.outgoing);
		assert_memory_equal(f.data, packet(i), f.len);
	}
	assert_int_equal(capture_next(c, &f), end);
	assert_int_equal(capture_next(c, &f), end);
	assert_int_equal(capture_foreign_cnt(c), 0);
}

/* How many packets end at or before this byte. */
static uint32_t packets_within(const struct file *f, size_t len)
{
	uint32_t n = 0;

	while (n < f->packets && f->ends[n] <= len)
		n++;
	return n;
}

static const char *sample_path(const struct kind *kind)
{
	static char path[64];
	struct file f = make_sample(kind);
	FILE *out;

	snprintf(path, sizeof(path), "%s/sample", dir);
	out = fopen(path, "we");
	assert_non_null(out);
	assert_int_equal(fwrite(f.data, 1, f.len, out), f.len);
	fclose(out);
	file_free(&f);
	return path;
}

TEST_ROWS(from_paths, KINDS)
{
	struct capture *c;

	assert_int_equal(capture_open(sample_path(row), MAC, &c), 0);
	assert_int_equal(capture_iface_cnt(c), row->is_ng ? 2 : 1);
	assert_string_equal(capture_iface_name(c, 0), row->is_ng ? "eth0" : "interface 0");
	assert_true(capture_file_bytes(c) > 300);
	assert_int_equal(capture_file_bytes(c), capture_bytes_read(c));
	read_sample(c, row->is_ng, SAMPLES, 0);
	capture_close(c);
}

/* A pipe that gives a few bytes at a time. */
TEST_ROWS(from_pipes, KINDS)
{
	struct capture *c;
	char command[256];
	FILE *p;

	snprintf(command, sizeof(command), "dd bs=7 status=none if=%s", sample_path(row));
	p = popen(command, "re");
	assert_non_null(p);
	assert_int_equal(capture_open_file(p, "PIPE", MAC, &c), 0);
	assert_int_equal(capture_file_bytes(c), 0);
	read_sample(c, row->is_ng, SAMPLES, 0);
	capture_close(c);
}

TEST(from_standard_input)
{
	struct capture *c;

	assert_non_null(freopen(sample_path(&KINDS[5]), "re", stdin));
	assert_int_equal(capture_open("-", MAC, &c), 0);
	read_sample(c, true, SAMPLES, 0);
	capture_close(c);
}

static const struct scapy {
	const char *name, *write;
} SCAPY[] = {
	{ "scapy-pcap", "wrpcap(f, p)" },
	{ "scapy-pcapng", "wrpcapng(f, p)" },
	{ "scapy-sll", "wrpcap(f, [t(CookedLinux(pkttype=0, proto=0x800)/x[IP], x) for x in p])" },
	{ "scapy-raw", "wrpcap(f, [t(x[IP], x) for x in p])" },
};

TEST_ROWS(files_of_scapy, SCAPY)
{
	struct capture_frame frame;
	struct capture *c;
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
	assert_int_equal(capture_open(path, MAC, &c), 0);
	for (uint32_t n = 0; n < 5; n++) {
		assert_int_equal(capture_next(c, &frame), 1);
		/* scapy's times are floating point */
		assert_int_equal((frame.ns + 500) / 1000, T0 * UINT64_C(1000000) + n * 1000);
		assert_true(frame.len >= 42 && frame.len == frame.wire_len);
		assert_memory_equal(frame.data + frame.len - 4, "xyz", 3);
		assert_int_equal(frame.data[frame.len - 1], '0' + n);
	}
	assert_int_equal(capture_iface_cnt(c), 1);
	assert_ends(c);
}

/* tcpdump reads the file and writes it anew. */
TEST(files_of_tcpdump)
{
	char path[64];
	struct capture *c;

	if (system("tcpdump --version >/dev/null 2>&1"))
		skip();
	sh("tcpdump -r %s -w %s/tcpdump 2>/dev/null", sample_path(&KINDS[2]), dir);
	snprintf(path, sizeof(path), "%s/tcpdump", dir);
	assert_int_equal(capture_open(path, MAC, &c), 0);
	read_sample(c, false, SAMPLES, 0);
	capture_close(c);
}

/* A file that is cut ends behind a packet, or of pcapng behind any block, or in one. */
TEST_ROWS(cut_at_every_byte, KINDS)
{
	const size_t headers = row->is_ng ? 28 + 32 : 24;
	struct file f = make_sample(row);

	for (size_t len = 1; len < f.len; len++) {
		uint32_t n = packets_within(&f, len);
		bool is_whole = len == headers || (n && f.ends[n - 1] == len) ||
				(row->is_ng && (len == headers + 24 || len == headers + 24 + 32));
		struct capture *c;
		char words[64];

		diags_collect();
		c = open_bytes(f.data, len);
		snprintf(words, sizeof(words), "FILE: packet %u: truncated", n + 1);
		if (len < headers) {
			assert_null(c);
			assert_diag("FILE");
			continue;
		}
		assert_non_null(c);
		read_sample(c, row->is_ng, n, is_whole ? 0 : -EBADMSG);
		capture_close(c);
		if (is_whole)
			assert_string_equal(diags_end(), "");
		else
			assert_diag(words);
	}
	file_free(&f);
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
TEST_ROWS(read_errors, KINDS)
{
	struct file f = make_sample(row);

	for (size_t at = 0; at <= f.len; at++) {
		struct failing failing = { .file = &f, .fails_at = at };
		FILE *file =
			fopencookie(&failing, "r", (cookie_io_functions_t){ .read = read_failing });
		struct capture *c = NULL;

		diags_collect();
		assert_non_null(file);
		if (!capture_open_file(file, "FILE", MAC, &c))
			read_sample(c, row->is_ng, packets_within(&f, at), -EIO);
		assert_diag("Input/output error");
		capture_close(c);
	}
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

TEST_ROWS(corrupt_files, CORRUPTIONS)
{
	struct file f = make_sample(&KINDS[row->is_ng ? 4 : 1]);
	struct capture *c;

	memcpy(f.data + f.ends[1] + row->at, &row->value, 4);
	diags_collect();
	c = open_whole(&f);
	read_sample(c, row->is_ng, 2, -EBADMSG);
	assert_diag(row->says);
	capture_close(c);
	file_free(&f);
}

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

TEST_ROWS(foreign_files, REFUSALS)
{
	FILE *f = fmemopen((void *)(uintptr_t)row->bytes, row->len, "r");
	struct capture *c = NULL;

	assert_non_null(f);
	diags_collect();
	assert_int_equal(capture_open_file(f, "FILE", MAC, &c), row->err);
	assert_diag(row->says);
	assert_null(c);
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

TEST_ROWS(unreadable_files, PATH_REFUSALS)
{
	struct capture *c = NULL;

	diags_collect();
	assert_int_equal(capture_open(row->path, MAC, &c), row->err);
	assert_diag(row->says);
	assert_null(c);
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

int main(void)
{
	int failed;

	assert_non_null(mkdtemp(dir));
	add_own_tests(NULL, NULL);
	failed = run_added_any_tests("capture");
	sh("rm -rf %s", dir);
	return failed;
}
