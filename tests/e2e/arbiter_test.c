// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the filter reports of an A and a B feed, on real sockets: MoldUDP64 by two links. One is
 * silent, late or taken away; the filter is changed; senders come and go. Each figure is compared
 * with what was sent. (Losses and packing: feeds_test.)
 */
#include "e2e_runner.h"
#include "senders_seen.h"
#include "udp.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 26400
#define SIDES E2E_LINKS
#define ONE_STREAM(profile) "--profile " profile ":26400@239.1.1.1,239.1.1.2"
#define NUMBERS 20000	/* of a session, at most */
#define MESSAGES_MAX 32 /* of a packet */
#define WORD 32
#define MS 1000000ULL

/* The profile moldudp64, but for a short history: numbers soon leave it. */
#define PROFILE(history, reset)                                                          \
	"[profile short]\nlayer = udp\nneeds = destination\nexempt = payload+18:2 == "   \
	"0x0000\nsource = payload+0:10\nsequence = payload+10:8\ncount = payload+18:2\n" \
	"history = " history "\nreset = " reset "\n"
#define SHORT_HISTORY 512 /* of which 480 are promised */
#define SHORT PROFILE("256", "1m")
#define SHORT_RESET PROFILE("256", "1s")
#define LONG_RESET PROFILE("256", "3s")
#define SILENT_US 2100000 /* more than the shorter reset and a second */

struct packet {
	char session[10];
	uint64_t first; /* big endian, as all numbers */
	uint16_t cnt;
	struct {
		uint16_t bytes;
		uint64_t number;
	} __attribute__((packed)) messages[MESSAGES_MAX];
} __attribute__((packed));

/* How a side sends. */
struct side {
	int fd;
	uint64_t packets; /* sent, of all sessions */
};

static struct {
	struct side sides[SIDES];
	int reader;
	char session[10];
	uint64_t next;		  /* number */
	uint8_t brought[NUMBERS]; /* bit 1 << side */
	uint8_t copies[NUMBERS];  /* read */
	uint64_t packets_read;
} f;

/* All packets of this process take one way, in the order in which they are sent. */
static void stay_on_a_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	assert_return_code(sched_setaffinity(0, sizeof(cpus), &cpus), errno);
}

static void begin_session(const char *name, uint64_t first)
{
	memset(f.session, ' ', sizeof(f.session));
	memcpy(f.session, name, strnlen(name, sizeof(f.session)));
	f.next = first;
	memset(f.brought, 0, sizeof(f.brought));
	memset(f.copies, 0, sizeof(f.copies));
}

static int setup(void **state)
{
	e2e_setup(state);
	stay_on_a_cpu();
	memset(&f, 0, sizeof(f));
	f.reader = udp_receiver("0.0.0.0", PORT);
	assert_return_code(f.reader, -f.reader);
	for (int i = 0; i < SIDES; i++) {
		char group[] = { '2', '3', '9', '.', '1', '.', '1', '.', '1' + i, 0 };
		char near[] = { 'v', 'e', '0' + i, 0 }, far[] = { 'p', 'e', '0' + i, 0 };

		assert_int_equal(udp_join(f.reader, group, near), 0);
		netns_enter(e2e_far());
		f.sides[i].fd = udp_sender(group, PORT, far);
		netns_enter(0);
		assert_return_code(f.sides[i].fd, -f.sides[i].fd);
	}
	begin_session("ARBITER", 1);
	return 0;
}

static int teardown(void **state)
{
	for (int i = 0; i < SIDES; i++)
		close(f.sides[i].fd);
	close(f.reader);
	return e2e_teardown(state);
}

/* Loads a filter on both links, by profiles of this text. */
static void load(const char *profiles, const char *options)
{
	sh("printf '%%s' '%s' | %s load ve0 ve1 --name arb --profiles /dev/stdin --paths 2 --sources 16 %s",
	   profiles, tool(), options);
}

static void send_packet(int side, uint64_t first, uint32_t cnt)
{
	struct packet p = { .first = htobe64(first), .cnt = htons(cnt) };
	size_t size = offsetof(struct packet, messages) + cnt * sizeof(p.messages[0]);

	assert_true(first + cnt <= NUMBERS && cnt <= MESSAGES_MAX);
	memcpy(p.session, f.session, sizeof(p.session));
	for (uint32_t i = 0; i < cnt; i++) {
		p.messages[i].bytes = htons(8);
		p.messages[i].number = htobe64(first + i);
		f.brought[first + i] |= 1 << side;
	}
	while (send(f.sides[side].fd, &p, size, 0) < 0)
		assert_true(errno == ENOBUFS || errno == ECONNREFUSED);
	f.sides[side].packets++;
}

static void send_side(int side, uint64_t first, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		send_packet(side, first + i, 1);
}

/* Both sides send the session's next messages. */
static void feed(uint32_t messages)
{
	for (uint32_t i = 0; i < messages; i++, f.next++)
		for (int side = 0; side < SIDES; side++)
			send_packet(side, f.next, 1);
}

/* Of this session. Returns false if it brings no message that has not been read before. */
static bool read_packet(const struct packet *p, ssize_t len)
{
	uint32_t cnt = ntohs(p->cnt);
	bool brings = false;

	assert_int_equal(len, offsetof(struct packet, messages) + cnt * sizeof(p->messages[0]));
	assert_memory_equal(p->session, f.session, sizeof(p->session));
	for (uint32_t i = 0; i < cnt; i++) {
		uint64_t number = be64toh(p->messages[i].number);

		assert_int_equal(number, be64toh(p->first) + i);
		assert_true(number < NUMBERS);
		brings |= !f.copies[number]++;
	}
	return brings;
}

/* Reads all that passes. Each packet brings a message that has not been read before; but for a few:
 * if another CPU receives for an interface, too, packets are read in another order than the filter
 * had them.
 */
static struct filter_counters read_all(void)
{
	uint64_t bring_nothing = 0;
	uint64_t sent = f.sides[0].packets + f.sides[1].packets;
	struct filter_counters c = e2e_counters_after("arb", sent);
	struct packet p;

	assert_int_equal(c.dropped, c.duplicate);
	for (int ms = 0; ms < PATIENCE_MS && f.packets_read < sent - c.dropped;) {
		ssize_t len = recv(f.reader, &p, sizeof(p), MSG_DONTWAIT);

		if (len > 0) {
			bring_nothing += !read_packet(&p, len);
			f.packets_read++;
		} else {
			usleep(1000);
			ms++;
		}
	}
	assert_int_equal(f.packets_read, sent - c.dropped);
	assert_true(bring_nothing <= f.packets_read / 10);
	assert_int_equal(recv(f.reader, &p, sizeof(p), MSG_DONTWAIT), -1);
	assert_int_equal(udp_lost(f.reader), 0);
	return c;
}

/* What was brought has been read once. */
static void assert_read(uint64_t first)
{
	for (uint64_t n = first; n < f.next; n++)
		assert_int_equal(f.copies[n], f.brought[n] != 0);
}

/* What should be reported of numbers from `first` on, of this side, or of both. */
struct expected {
	uint64_t received, lost, missing, lacking, behind, skipped; /* lacking: others brought it */
};

static uint64_t highest(uint64_t first, uint8_t bits)
{
	uint64_t high = first - 1;

	for (uint64_t n = first; n < f.next; n++)
		if (f.brought[n] & bits)
			high = n;
	return high;
}

/* `bits`: of the side, or of both. */
static struct expected expect(uint64_t first, uint8_t bits, uint64_t history)
{
	uint64_t high = highest(first, 3), last = highest(first, bits),
		 start = (high / WORD + 1) * WORD;
	struct expected e = { .behind = high - last };

	start = start > first + history ? start - history : first;
	for (uint64_t n = first; n <= high; n++) {
		bool came = f.brought[n] & bits;

		e.received += came;
		e.skipped += !came;
		e.lost += !came && n < start;
		e.missing += !came && n >= start && n <= last;
		e.lacking += !came && n >= start && n <= last && f.brought[n];
	}
	return e;
}

static void assert_path(const struct path_seen *p, int side, uint64_t first, uint64_t history)
{
	struct expected e = expect(first, 1 << side, history);

	print_message(
		"# %s: %llu of %llu messages, lost %llu, missing %llu, behind %llu; skipped %llu\n",
		p->interface, (unsigned long long)p->received, (unsigned long long)p->messages,
		(unsigned long long)p->lost, (unsigned long long)p->missing,
		(unsigned long long)p->behind, (unsigned long long)e.skipped);
	assert_int_equal(p->messages, highest(first, 3) + 1 - first);
	assert_int_equal(p->received, e.received);
	assert_int_equal(p->lost, e.lost);
	assert_int_equal(p->missing, e.missing);
	assert_int_equal(p->behind, e.behind);
	assert_int_equal(p->out_of_order, 0);
	assert_int_equal(p->repeated, 0);
	assert_int_equal(p->late, 0);
	assert_int_equal(p->far, 0);
}

/* The sender's figures, of the numbers from `first` on. */
static struct sender_seen assert_sender(uint64_t first, uint64_t history)
{
	struct sender_seen s = sender_seen("arb");
	struct expected both = expect(first, 3, history);
	const struct path_seen *a = path_seen(&s, "ve0", NULL), *b = path_seen(&s, "ve1", NULL);

	assert_int_equal(s.paths_cnt, 2);
	assert_path(a, 0, first, history);
	assert_path(b, 1, first, history);
	assert_int_equal(s.messages, highest(first, 3) + 1 - first);
	assert_int_equal(s.lost, both.lost);
	assert_int_equal(s.missing, both.missing);
	assert_int_equal(a->first + b->first, both.received);
	assert_int_equal(s.others, 0);
	assert_int_equal(s.redundant, !expect(first, 1, history).lacking &&
					      !expect(first, 2, history).lacking && !a->silent &&
					      !b->silent);
	return s;
}

/* One side alone sends the session's next messages: so many, and for this time. */
static void feed_a_alone(uint32_t messages)
{
	send_side(0, f.next, messages);
	f.next += messages;
}

static void feed_a_alone_for(uint64_t us)
{
	uint64_t until_ns = udp_now_ns() + us * 1000;

	while (udp_now_ns() < until_ns) {
		feed_a_alone(6);
		usleep(10000);
	}
}

/* Loads a filter, and both sides send the session's first 600 messages. */
static void begin(const char *profiles)
{
	load(profiles, ONE_STREAM("short"));
	feed(600);
	read_all();
}

/* Both send 600 more, and each is read once. Returns what is reported from `first` on. */
static struct sender_seen go_on(uint64_t first)
{
	feed(600);
	read_all();
	assert_read(1);
	return assert_sender(first, SHORT_HISTORY);
}

static const struct path_seen *side_b(const struct sender_seen *s)
{
	return path_seen(s, "ve1", NULL);
}

/* So many messages are reported, and both sides brought each of them. */
static void assert_all_came(const struct sender_seen *s, uint64_t messages)
{
	assert_int_equal(s->messages, messages);
	assert_int_equal(s->lost + s->missing, 0);
	for (int i = 0; i < SIDES; i++) {
		assert_int_equal(s->paths[i].received, messages);
		assert_int_equal(s->paths[i].lost + s->paths[i].missing, 0);
	}
}

/* A server sends what it was asked for to the reader alone: that passes, known or not. */
TEST(heartbeats_and_answers_pass)
{
	struct packet p;
	int to_group;

	load(SHORT, ONE_STREAM("moldudp64"));
	feed(600);
	read_all();
	for (int i = 0; i < 10; i++)
		send_packet(i % SIDES, f.next, 0);
	assert_int_equal(read_all().exempt, 10);
	assert_read(1);
	to_group = f.sides[0].fd;
	netns_enter(e2e_far());
	f.sides[0].fd = udp_sender("10.77.0.1", PORT, NULL);
	netns_enter(0);
	assert_return_code(f.sides[0].fd, -f.sides[0].fd);
	for (uint64_t n = 1; n <= 20; n++) {
		ssize_t len = -1;

		send_packet(0, n, 1);
		for (int ms = 0; ms < PATIENCE_MS && len < 0; ms++) {
			len = recv(f.reader, &p, sizeof(p), MSG_DONTWAIT);
			usleep(1000);
		}
		assert_false(read_packet(&p, len));
		assert_int_equal(be64toh(p.first), n);
	}
	close(to_group);
}

TEST(path_goes_silent_and_comes_back)
{
	struct sender_seen s;
	uint64_t alone;

	begin(SHORT_RESET);
	assert_true(assert_sender(1, SHORT_HISTORY).redundant);

	e2e_far_sh("ip link set pe1 down");
	alone = f.next;
	feed_a_alone_for(SILENT_US);
	alone = f.next - alone;
	read_all();
	s = assert_sender(1, SHORT_HISTORY);
	assert_false(s.redundant);
	assert_false(path_seen(&s, "ve0", NULL)->silent);
	assert_true(side_b(&s)->silent);
	assert_int_equal(side_b(&s)->behind, alone);

	e2e_far_sh("ip link set pe1 up");
	s = go_on(1);
	assert_true(s.redundant);
	assert_int_equal(side_b(&s)->lost, alone);
	assert_int_equal(s.lost, 0);
}

/* Skew: B sends each packet some 5 ms after A. A packet fills a word of the history. */

#define SKEW_PACKETS 200
#define SKEW_NS (5 * MS)

static int skew_bucket(uint64_t ns)
{
	int i = 0;

	while (i < DEDUP_SKEWS - 1 && ns >= 1000ULL << i)
		i++;
	return i;
}

TEST(skew_is_in_its_bucket)
{
	uint64_t sent_ns[SKEW_PACKETS] = { 0 }, as_sent[DEDUP_SKEWS] = { 0 }, sum = 0;
	struct sender_seen s;

	load(SHORT, ONE_STREAM("moldudp64"));
	begin_session("SKEW", WORD);
	for (int a = 0, b = 0; b < SKEW_PACKETS;) {
		uint64_t now_ns = udp_now_ns();

		if (b < a && now_ns >= sent_ns[b] + SKEW_NS) {
			as_sent[skew_bucket(now_ns - sent_ns[b])]++;
			send_packet(1, (uint64_t)WORD * ++b, WORD);
		} else if (a < SKEW_PACKETS && (!a || now_ns >= sent_ns[a - 1] + MS)) {
			sent_ns[a] = now_ns;
			send_packet(0, (uint64_t)WORD * ++a, WORD);
		}
	}
	f.next = (uint64_t)WORD * (SKEW_PACKETS + 1);
	read_all();
	s = assert_sender(WORD, 131072);
	for (int i = 0; i < DEDUP_SKEWS; i++) {
		uint64_t is = side_b(&s)->skew[i];

		assert_int_equal(path_seen(&s, "ve0", NULL)->skew[i], 0);
		/* Of the few that were sent near a bucket's end, and were late */
		assert_true(is + SKEW_PACKETS / 10 >= as_sent[i]);
		assert_true(is <= as_sent[i] + SKEW_PACKETS / 10);
		sum += is;
	}
	assert_int_equal(sum, SKEW_PACKETS);
	assert_int_equal(path_seen(&s, "ve0", NULL)->first, SKEW_PACKETS * WORD);
	print_message("# %llu of %d between 4.1 and 8.2 ms; sent: %llu\n",
		      (unsigned long long)side_b(&s)->skew[skew_bucket(SKEW_NS)], SKEW_PACKETS,
		      (unsigned long long)as_sent[skew_bucket(SKEW_NS)]);
}

/* Changes. */

TEST(set_removes_an_interface_and_adds_it)
{
	struct sender_seen s;

	begin(SHORT);
	e2e_tool("set arb --remove ve1");
	feed_a_alone(60);
	read_all();
	s = assert_sender(1, SHORT_HISTORY);
	assert_int_equal(side_b(&s)->behind, 60);

	e2e_tool("set arb --add ve1");
	feed(6);
	read_all();
	s = assert_sender(1, SHORT_HISTORY);
	assert_int_equal(side_b(&s)->missing, 60);
	assert_false(s.redundant);
	s = go_on(1);
	assert_int_equal(side_b(&s)->lost, 60);
	assert_true(s.redundant);
}

/* Accounts begin anew with the table of senders, numbers do not. */
TEST(resize_begins_accounts_anew)
{
	uint64_t first;

	begin(SHORT);
	feed_a_alone(6);
	read_all();
	assert_sender(1, SHORT_HISTORY);
	e2e_tool("resize arb --sources 32");
	send_side(1, f.next - 6, 6); /* copies that the predecessor knows */
	first = f.next;
	go_on(first);
}

/* A loses a number. B fills the gap after the resize: with this number the account begins. What B
 * loses of those that A has brought before is not counted.
 */
TEST(resize_counts_nothing_that_was_seen_before)
{
	struct sender_seen s;

	begin(SHORT);
	send_side(0, f.next + 1, 59);
	read_all();
	e2e_tool("resize arb --sources 32");
	send_side(1, f.next, 9); /* the predecessor knows all but the first */
	send_side(1, f.next + 19, 41);
	f.next += 60;
	feed(600);
	read_all();
	assert_read(1);
	s = sender_seen("arb");
	assert_all_came(&s, 600);
}

TEST(accounts_outlive_the_predecessor)
{
	uint64_t first;

	load(SHORT, ONE_STREAM("short") " --window 4s");
	feed(600);
	read_all();
	e2e_tool("resize arb --sources 32");
	first = f.next;
	go_on(first);
	usleep(8500000); /* two windows */
	go_on(first);
	assert_int_equal(read_all().new, 1800);
}

TEST(reset_begins_accounts_anew)
{
	uint64_t first;

	begin(SHORT);
	assert_sender(1, SHORT_HISTORY);
	e2e_tool("reset arb");
	first = f.next;
	go_on(first);
}

/* Senders. */

#define SOURCES 16 /* of load() */

static void await_senders(int cnt)
{
	struct sender_seen s[SOURCES];
	int is = senders_seen("arb", s, SOURCES);

	for (int ms = 0; ms < PATIENCE_MS && is != cnt; ms += 100) {
		usleep(100000);
		is = senders_seen("arb", s, SOURCES);
	}
	assert_int_equal(is, cnt);
}

static void send_session(int n)
{
	char name[32];

	snprintf(name, sizeof(name), "SESSION%03d", n);
	begin_session(name, 1);
	feed(60);
	feed_a_alone(n); /* B does not bring these */
	read_all();
}

/* Those that an earlier session had are not seen in them. */
static void assert_sessions(int first, int cnt)
{
	struct sender_seen s[SOURCES];

	assert_int_equal(senders_seen("arb", s, SOURCES), cnt);
	for (int i = 0; i < cnt; i++) {
		char name[11];
		size_t len = from_hex(s[i].source, (uint8_t *)name, 10);
		int n;

		assert_int_equal(len, 10);
		name[len] = '\0';
		assert_int_equal(sscanf(name, "SESSION%d", &n), 1);
		assert_in_range(n, first, first + cnt - 1);
		assert_int_equal(s[i].messages, 60 + n);
		assert_int_equal(path_seen(&s[i], "ve0", NULL)->received, 60 + n);
		assert_int_equal(side_b(&s[i])->received, 60);
		assert_int_equal(side_b(&s[i])->behind, n);
		assert_int_equal(s[i].lost + s[i].missing, 0);
	}
}

TEST(recycled_senders_have_accounts_of_their_own)
{
	load(LONG_RESET, ONE_STREAM("short") " --window 1s"); /* the hand steps as often */
	for (int n = 1; n < SOURCES; n++)
		send_session(n);
	usleep(SILENT_US + 2500000); /* idle ones stay while there is room */
	assert_sessions(1, SOURCES - 1);
	send_session(SOURCES);
	await_senders(1); /* no longer */
	assert_sessions(SOURCES, 1);
	await_senders(0);
	usleep(1000000); /* their memory is free */
	for (int n = 101; n <= 100 + SOURCES; n++)
		send_session(n);
	begin_session("NO ROOM", 1);
	for (int i = 1; i <= 60; i++)
		send_packet(0, i, 1);
	assert_int_equal(read_all().unlearned, 60);
	assert_sessions(101, SOURCES);
}

int main(void)
{
	add_own_tests(setup, teardown);
	return run_added_tests("arbiter");
}
