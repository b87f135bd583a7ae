// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Captures that cannot be read, as a whole or from some packet on: what is reported. */
#include "unit.h"

#include "capture_samples.h"

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

TEST_ROWS(unreadable_files, PATH_REFUSALS)
{
	struct capture *c = NULL;
	int next;

	diags_collect();
	next = next_descriptor();
	assert_int_equal(capture_open(row->path, MAC, &c), row->err);
	assert_int_equal(next_descriptor(), next);
	assert_diag(row->says);
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
TEST_ROWS(read_errors, KINDS)
{
	struct file f;

	make_sample(&f, row);
	for (size_t at = 0; at <= f.len; at++) {
		struct failing failing = { .file = &f, .fails_at = at };
		FILE *file =
			fopencookie(&failing, "r", (cookie_io_functions_t){ .read = read_failing });
		struct capture *c = NULL;
		struct capture_frame frame;
		uint32_t n = 0;
		int got;

		diags_collect();
		assert_non_null(file);
		got = capture_open_file(file, "FILE", MAC, &c);
		while (!got && capture_next(c, &frame) == 1)
			check_sample(&frame, n++, row->is_ng);
		if (!got) {
			assert_int_equal(n, packets_within(&f, at));
			assert_int_equal(capture_next(c, &frame), -EIO);
		}
		assert_diag("Input/output error");
		capture_close(c);
	}
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
	struct capture_frame frame;
	struct capture *c;

	ng_section(&f);
	for (uint32_t i = 0; i < ARRAY_SIZE(SNAPS); i++) {
		ng_iface(&f, LINK_ETHERNET, SNAPS[i], NULL);
		ng_small(&f, i);
	}
	open_frames(&f, &c, &frame);
	for (uint32_t i = 1; i < ARRAY_SIZE(SNAPS); i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		assert_int_equal(frame.iface, i);
	}
	assert_int_equal(capture_next(c, &frame), 0);
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

TEST_ROWS(corrupt_files, CORRUPTIONS)
{
	struct capture_frame frame;
	struct capture *c;
	struct file f;

	make_sample(&f, &KINDS[row->is_ng ? 4 : 1]);
	memcpy(f.data + f.ends[1] + row->at, &row->value, 4);
	diags_collect();
	c = open_whole(&f);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(capture_next(c, &frame), 1);
		check_sample(&frame, i, row->is_ng);
	}
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_int_equal(capture_next(c, &frame), -EBADMSG);
	assert_diag(row->says);
	capture_close(c);
	file_free(&f);
}

UNIT_MAIN()
