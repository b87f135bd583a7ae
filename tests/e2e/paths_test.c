// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbered frames by two interfaces with one filter, as of a node of two networks: of the copies of
 * each frame one is delivered, by either interface. And R-TAGs of a sender that has no code in
 * common with the program: what it lost on purpose is what the filter reports.
 */
#include "e2e_runner.h"
#include "protocol_packets.h"
#include "senders_seen.h"
#include "udp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PACKETS 150000 /* the numbers go round twice */
#define LOSS_PERCENT 3 /* of each path */
#define BURST 64
#define FRAME_ROOM 512
/* A machine that runs tests may stand still for longer than the profile's own reset. */
#define RESET "sed -e '$a reset = 1m' -e '/^reset/d'"

static const struct row {
	const char *name, *profile, *stream;
	struct protocol_packet packet;
	uint8_t second_path;
} ROWS[] = {
	{ "rtp_by_two_interfaces", "rtp", "rtp:5004",
	  .packet = { .protocol = RTP, .port = 5004, .body = 60 } },
	/* To a group: both destinations of a stream are one. */
	{ "r_tag_by_two_interfaces", "r-tag", "r-tag",
	  .packet = { .protocol = R_TAG, .body = 60, .to_mac = { 1, 0x80, 0xc2 } } },
	{ "hsr_by_two_interfaces", "hsr", "hsr", { .protocol = HSR, .body = 60 }, 1 },
	{ "prp_by_two_interfaces", "prp", "prp", { .protocol = PRP, .body = 60, .path = 0xa }, 0xb },
};

static struct paths {
	int from[E2E_LINKS], to[E2E_LINKS];
	uint8_t mac[E2E_LINKS][6];
	uint8_t came[PACKETS], passed[PACKETS];
	uint32_t sent;
} paths;

static void open_paths(const struct row *row, const char *options)
{
	paths = (struct paths){ 0 };
	sh("%s profile show %s | " RESET
	   " | %s load ve0 ve1 --name paths --profiles /dev/stdin --profile %s %s",
	   tool(), row->profile, tool(), row->stream, options);
	for (int i = 0; i < E2E_LINKS; i++) {
		char near[] = { 'v', 'e', '0' + i, 0 }, far[] = { 'p', 'e', '0' + i, 0 };
		char mac[E2E_MAC];

		e2e_near_mac(i, mac);
		for (int j = 0; j < 6; j++)
			paths.mac[i][j] = (uint8_t)strtoul(mac + 3 * (size_t)j, NULL, 16);
		paths.to[i] = e2e_packet_socket(near);
		netns_enter(e2e_far());
		paths.from[i] = e2e_packet_socket(far);
		netns_enter(0);
	}
}

static int close_paths(void **state)
{
	for (int i = 0; i < E2E_LINKS; i++) {
		close(paths.from[i]);
		close(paths.to[i]);
	}
	return e2e_teardown(state);
}

/* The frame has its number, in full, in the middle of its body. */
static uint32_t number_at(const struct frame *f)
{
	return f->gsp + 40;
}

static void send_copy(const struct row *row, uint32_t number, int path)
{
	struct protocol_packet p = row->packet;
	static struct frame f;

	p.sequence = number;
	p.path = path ? row->second_path : p.path;
	if (!(p.to_mac[0] & 1))
		memcpy(p.to_mac, paths.mac[path], sizeof(p.to_mac));
	protocol_frame(&f, &p);
	memcpy(f.data + number_at(&f), &number, sizeof(number));
	while (send(paths.from[path], f.data, f.len, 0) < 0)
		assert_int_equal(errno, ENOBUFS);
	paths.came[number]++;
	paths.sent++;
}

/* Reads what was delivered; what the host itself sends on these links is left out. */
static void read_delivered(const struct row *row)
{
	static struct frame f;
	uint32_t at, number;
	uint8_t data[FRAME_ROOM];
	ssize_t len;

	protocol_frame(&f, &row->packet);
	at = number_at(&f);
	for (int i = 0; i < E2E_LINKS; i++) {
		while ((len = recv(paths.to[i], data, sizeof(data), 0)) > 0) {
			if (len != f.len || memcmp(data + 6, f.data + 6, 8) != 0)
				continue;
			memcpy(&number, data + at, sizeof(number));
			assert_true(number < PACKETS);
			paths.passed[number]++;
		}
		assert_int_equal(errno, EAGAIN);
	}
}

static void one_copy_is_delivered(void **state)
{
	const struct row *row = *state;
	uint64_t seed = udp_now_ns();
	uint32_t fresh = 0;
	struct filter_counters c;

	print_message("# seed %llu\n", (unsigned long long)seed);
	open_paths(row, "");
	for (uint32_t i = 0; i < PACKETS; i++) {
		int first = (int)(random_next(&seed) % E2E_LINKS);

		for (int j = 0; j < E2E_LINKS; j++)
			if (random_next(&seed) % 100 >= LOSS_PERCENT)
				send_copy(row, i, first ^ j);
		if (i % BURST == 0)
			read_delivered(row);
	}
	c = e2e_counters_after("paths", paths.sent);
	usleep(50000);
	read_delivered(row);
	for (uint32_t i = 0; i < PACKETS; i++) {
		if (paths.passed[i] != !!paths.came[i])
			fail_msg("packet %u was sent %u times, and delivered %u times", i,
				 paths.came[i], paths.passed[i]);
		fresh += paths.came[i] > 0;
	}
	assert_int_equal(c.new, fresh);
	assert_int_equal(c.duplicate, paths.sent - fresh);
	assert_int_equal(c.dropped, c.duplicate);
}

enum { RTP_ROW, R_TAG_ROW, HSR_ROW, PRP_ROW };

/* Must all numbers of a sender come here? */
static const struct partial_row {
	const char *name;
	int row;
	bool is_partial;
} PARTIAL[] = {
	{ "rtp_is_not_partial", RTP_ROW, false },
	{ "r_tag_is_not_partial", R_TAG_ROW, false },
	{ "hsr_is_partial", HSR_ROW, true },
	{ "prp_is_partial", PRP_ROW, true },
};

static void what_no_path_brings_is_named(void **state)
{
	const struct partial_row *partial = *state;
	const struct row *row = &ROWS[partial->row];
	char out[8192];
	struct sender_seen s;

	open_paths(row, "--paths 2 --sources 16");
	for (uint32_t i = 0; i < 10; i++)
		for (int path = 0; path < E2E_LINKS && i != 5; path++)
			send_copy(row, i, path);
	e2e_counters_after("paths", paths.sent);
	s = sender_seen("paths");
	assert_int_equal(s.missing, 1);
	assert_int_equal(s.partial, partial->is_partial);
	assert_int_equal(sh_out(out, sizeof(out), "%s status paths", tool()), 0);
	if (!strstr(out, partial->is_partial ? ", 0 for others, or lost on all paths\n"
					     : ", 0 lost on all paths\n"))
		fail_msg("%s", out);
}

#define TALKERS 3 /* of r_tag.py */

/* A line of r_tag.py. */
struct talker {
	char source[64];
	uint64_t frames, lost_on_all, sent[E2E_LINKS], lost[E2E_LINKS];
};

static void read_talker(const char *line, struct talker *t)
{
	assert_int_equal(sscanf(line,
				"%63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
				" %" SCNu64,
				t->source, &t->frames, &t->lost_on_all, &t->sent[0], &t->lost[0],
				&t->sent[1], &t->lost[1]),
			 7);
}

static const struct sender_seen *find_sender(const struct sender_seen *list, int cnt,
					     const char *source)
{
	for (int i = 0; i < cnt; i++)
		if (!strcmp(list[i].source, source))
			return &list[i];
	fail_msg("there is no sender %s", source);
	return NULL;
}

static void assert_account(const struct sender_seen *s, const struct talker *t)
{
	uint64_t first = 0;

	assert_int_equal(s->paths_cnt, E2E_LINKS);
	assert_int_equal(s->messages, t->frames);
	assert_int_equal(s->lost + s->missing, t->lost_on_all);
	assert_int_equal(s->restarts + s->others, 0);
	assert_false(s->partial);
	for (int i = 0; i < E2E_LINKS; i++) {
		char near[] = { 'v', 'e', '0' + i, 0 };
		const struct path_seen *p = path_seen(s, near, NULL);

		assert_int_equal(p->messages, t->frames);
		assert_int_equal(p->packets, t->sent[i]);
		assert_int_equal(p->received, t->sent[i]);
		assert_int_equal(p->lost + p->missing, t->lost[i]);
		assert_int_equal(p->behind, 0);
		assert_int_equal(p->out_of_order + p->repeated + p->late + p->far, 0);
		assert_false(p->silent);
		first += p->first;
	}
	assert_int_equal(first, t->frames - t->lost_on_all);
}

TEST(losses_of_an_independent_sender)
{
	struct talker talkers[TALKERS];
	struct sender_seen seen[TALKERS];
	uint64_t seed = udp_now_ns(), sent = 0, fresh = 0;
	char out[4096], *rest = out;
	struct filter_counters c;
	int status, cnt;

	print_message("# seed %" PRIu64 "\n", seed);
	sh("%s profile show r-tag | " RESET
	   " | %s load ve0 ve1 --name paths --profiles /dev/stdin --profile r-tag --paths 2 --sources 16",
	   tool(), tool());
	netns_enter(e2e_far());
	status = sh_out(out, sizeof(out),
			"/usr/bin/python3 tests/fixture/packets/r_tag.py pe0 pe1 %" PRIu64, seed);
	netns_enter(0);
	if (status)
		fail_msg("%s", out);
	for (int i = 0; i < TALKERS; i++) {
		read_talker(strsep(&rest, "\n"), &talkers[i]);
		sent += talkers[i].sent[0] + talkers[i].sent[1];
		fresh += talkers[i].frames - talkers[i].lost_on_all;
	}
	c = e2e_counters_after("paths", sent);
	assert_int_equal(c.new, fresh);
	assert_int_equal(c.duplicate, sent - fresh);
	cnt = senders_seen("paths", seen, TALKERS);
	assert_int_equal(cnt, TALKERS);
	for (int i = 0; i < TALKERS; i++) {
		const struct talker *t = &talkers[i];

		print_message("# %s: %" PRIu64 " frames, lost on all %" PRIu64 ", on ve0 %" PRIu64
			      ", on ve1 %" PRIu64 "\n",
			      t->source, t->frames, t->lost_on_all, t->lost[0], t->lost[1]);
		assert_account(find_sender(seen, cnt, t->source), t);
	}
}

int main(void)
{
	add_rows(ROWS, one_copy_is_delivered, e2e_setup, close_paths);
	add_rows(PARTIAL, what_no_path_brings_is_named, e2e_setup, close_paths);
	add_own_tests(e2e_setup, e2e_teardown);
	return run_added_tests("paths");
}
