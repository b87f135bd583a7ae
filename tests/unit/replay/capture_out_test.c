// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Capture files that are written: byte by byte, and what is there when writing fails. */
#include "unit.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture.h"
#include "capture_files.h"
#include "diags.h"

#define NSEC 0xa1b23c4d
#define SECOND UINT64_C(1000000000)
#define SNAP 100

static char dir[] = "/tmp/xdp-dedup-capture-out-XXXXXX";
static char path[64], part[80];
static uint8_t data[2000];

static const struct mode {
	const char *name;
	enum capture_out_mode mode;
} MODES[] = {
	{ "at-once", CAPTURE_AT_ONCE },
	{ "live", CAPTURE_LIVE },
};

static struct capture_frame frame(uint32_t i)
{
	uint32_t len = i % 150;

	return (struct capture_frame){ .data = data + i % 1000,
				       .len = len,
				       .wire_len = len + i % 3,
				       .ns = (1700000000 + i) * SECOND + i };
}

/* The whole file with this many frames, as pcap's specification has it. */
static struct file expected_file(uint32_t frames)
{
	struct file f = { 0 };

	pcap_header(&f, NSEC, LINK_ETHERNET, SNAP);
	for (uint32_t i = 0; i < frames; i++) {
		struct capture_frame g = frame(i);

		pcap_packet(&f, 1700000000 + i, i, g.data, g.len < SNAP ? g.len : SNAP, g.wire_len);
	}
	return f;
}

static void assert_file(const char *name, uint32_t frames)
{
	struct file f = expected_file(frames);
	uint8_t *got = malloc(f.len + 1);
	FILE *in = fopen(name, "re");

	assert_non_null(in);
	assert_non_null(got);
	assert_int_equal(fread(got, 1, f.len + 1, in), f.len);
	assert_memory_equal(got, f.data, f.len);
	fclose(in);
	free(got);
	file_free(&f);
}

static struct capture_out *create(enum capture_out_mode mode)
{
	struct capture_out *o;

	assert_int_equal(capture_create(path, SNAP, mode, &o), 0);
	return o;
}

static void write_frames(struct capture_out *o, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		struct capture_frame f = frame(i);

		assert_int_equal(capture_write(o, &f), 0);
	}
}

static void assert_old_file(void)
{
	sh("test \"$(cat %s)\" = old", path);
	assert_int_not_equal(access(part, F_OK), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(part, sizeof(part), "%s.part", path);
	sh("rm -rf %s/*; echo old >%s; echo left over >%s", dir, path, part);
	return 0;
}

TEST_ROWS(written_files, MODES)
{
	for (uint32_t frames = 0; frames < 700; frames += 233) {
		struct capture_out *o = create(row->mode);

		for (uint32_t i = 0; i < frames; i++) {
			struct capture_frame f = frame(i);

			assert_int_equal(capture_write(o, &f), 0);
			if (row->mode == CAPTURE_LIVE && i % 50 == 0)
				assert_file(path, i + 1);
		}
		assert_int_equal(capture_finish(o), 0);
		assert_file(path, frames);
		if (row->mode == CAPTURE_AT_ONCE)
			assert_int_not_equal(access(part, F_OK), 0);
	}
}

/* Until it is finished, PATH is what it was; live, it is what was written. */
TEST_ROWS(discarded_files, MODES)
{
	struct capture_out *o = create(row->mode);

	write_frames(o, 2000);
	if (row->mode == CAPTURE_AT_ONCE)
		sh("test \"$(cat %s)\" = old && test -e %s", path, part);
	capture_discard(o);
	capture_discard(NULL);
	if (row->mode == CAPTURE_AT_ONCE)
		assert_old_file();
	else
		assert_file(path, 2000);
}

/* No file may grow beyond the limit, as on a disk that is full. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
}

TEST_ROWS(full_disks, MODES)
{
	struct capture_out *o;
	uint32_t written = 0;
	int err = 0;

	diags_collect();
	limit_files(100000);
	o = create(row->mode);
	for (uint32_t i = 0; i < 3000; i++) {
		struct capture_frame f = frame(i);
		int failed = capture_write(o, &f);

		assert_true(!err || failed == err);
		written += !failed;
		err = failed;
	}
	assert_int_equal(err, -EFBIG);
	limit_files(RLIM_INFINITY); /* there is room again, too late */
	assert_int_equal(capture_finish(o), -EFBIG);
	assert_diag("/out: File too large");
	if (row->mode == CAPTURE_AT_ONCE)
		assert_old_file();
	else
		assert_file(path, written);
}

TEST(live_file_without_room_for_its_header)
{
	struct capture_out *o = NULL;

	diags_collect();
	limit_files(10);
	assert_int_equal(capture_create(path, SNAP, CAPTURE_LIVE, &o), -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_diag("/out: File too large");
	assert_null(o);
	sh("test $(stat -c %%s %s) = 0", path);
}

/* A device of our own: the machine's must survive what is tested here. */
TEST_ROWS(device_full, MODES)
{
	struct capture_out *o;
	struct stat st;
	int err;

	snprintf(path, sizeof(path), "%s/full", dir);
	if (mknod(path, S_IFCHR | 0600, makedev(1, 7)) || close(open(path, O_WRONLY | O_CLOEXEC)))
		skip(); /* not root, or no devices there */
	diags_collect();
	err = capture_create(path, SNAP, row->mode, &o);
	if (row->mode == CAPTURE_AT_ONCE && !err)
		err = capture_finish(o);
	assert_int_equal(err, -ENOSPC);
	assert_diag("/full: No space left on device");
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

TEST_ROWS(pipes, MODES)
{
	struct capture_out *o;
	char copy[80];

	snprintf(copy, sizeof(copy), "%s/copy", dir);
	sh("mkfifo %s/fifo; { cat %s/fifo >%s 2>&1; : >%s.all; } >/dev/null 2>&1 &", dir, dir, copy,
	   copy);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	o = create(row->mode);
	write_frames(o, 50);
	assert_int_equal(capture_finish(o), 0);
	sh("for i in $(seq 600); do [ ! -e %s.all ] || exit 0; sleep 0.05; done; exit 1", copy);
	assert_file(copy, 50);
}

/* Standard output stays open, and its earlier bytes stay. */
TEST_ROWS(standard_output, MODES)
{
	struct capture_out *o;
	int own = dup(STDOUT_FILENO);

	fflush(stdout);
	sh("rm %s", path);
	assert_non_null(freopen(path, "we", stdout));
	assert_int_equal(capture_create("-", SNAP, row->mode, &o), 0);
	write_frames(o, 1);
	assert_int_equal(capture_finish(o), 0);
	assert_file(path, 1);
	assert_true(puts("more") >= 0);
	assert_int_equal(fflush(stdout), 0);
	dup2(own, STDOUT_FILENO);
	close(own);
	sh("test \"$(tail -c 5 %s)\" = more", path);
}

static const struct refusal {
	const char *name, *path;
	enum capture_out_mode mode;
	int err;
	const char *says;
} REFUSALS[] = {
	{ "no-directory", "/nonexistent/out", CAPTURE_AT_ONCE, -ENOENT,
	  "cannot write /nonexistent/out: No such file or directory" },
	{ "a-directory", dir, CAPTURE_AT_ONCE, -EISDIR, ": Is a directory" },
};

TEST_ROWS(unwritable_files, REFUSALS)
{
	struct capture_out *o = NULL;

	diags_collect();
	assert_int_equal(capture_create(row->path, SNAP, row->mode, &o), row->err);
	assert_diag(row->says);
	assert_null(o);
}

/* A link that somebody put where the part is going to be is not followed. */
TEST(links_are_not_followed)
{
	sh("echo theirs >%s/theirs; rm -f %s; ln -s theirs %s", dir, part, part);
	assert_int_equal(capture_finish(create(CAPTURE_AT_ONCE)), 0);
	assert_file(path, 0);
	sh("test \"$(cat %s/theirs)\" = theirs && stat -c %%F %s | grep -q ^regular", dir, path);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 251);
	assert_non_null(mkdtemp(dir));
	add_own_tests(begin, NULL);
	int failed = run_added_any_tests("capture_out");
	sh("rm -rf %s", dir);
	return failed;
}
