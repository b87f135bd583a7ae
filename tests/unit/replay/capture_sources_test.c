// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Captures from paths, pipes and standard input, and of other programs. */
#include "unit.h"

#include "capture_samples.h"

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

TEST_ROWS(from_paths, KINDS)
{
	struct capture *c;
	char path[64];

	snprintf(path, sizeof(path), "%s/sample", dir);
	write_sample(path, row);
	assert_int_equal(capture_open(path, MAC, &c), 0);
	assert_true(capture_file_bytes(c) > 300);
	assert_int_equal(capture_file_bytes(c), capture_bytes_read(c));
	read_sample(c, row->is_ng);
}

/* A pipe that gives a few bytes at a time. */
TEST_ROWS(from_pipes, KINDS)
{
	struct capture *c;
	char command[256];
	FILE *p;

	snprintf(command, sizeof(command), "%s/sample", dir);
	write_sample(command, row);
	snprintf(command, sizeof(command), "dd bs=7 status=none if=%s/sample", dir);
	p = popen(command, "re");
	assert_non_null(p);
	assert_int_equal(capture_open_file(p, "PIPE", MAC, &c), 0);
	assert_int_equal(capture_file_bytes(c), 0);
	read_sample(c, row->is_ng);
}

TEST(from_standard_input)
{
	struct capture *c;
	char path[64];

	snprintf(path, sizeof(path), "%s/sample", dir);
	write_sample(path, &KINDS[5]);
	assert_non_null(freopen(path, "re", stdin));
	assert_int_equal(capture_open("-", MAC, &c), 0);
	read_sample(c, true);
}

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

TEST_ROWS(files_of_scapy, SCAPY)
{
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
TEST(files_of_tcpdump)
{
	char path[64];
	struct capture *c;

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
	int failed;

	assert_non_null(mkdtemp(dir));
	add_own_tests(NULL, NULL);
	failed = run_added_any_tests("capture_sources");
	sh("rm -rf %s", dir);
	return failed;
}
