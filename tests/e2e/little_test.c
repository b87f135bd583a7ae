// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A feed that numbers its messages little-endian, on two sides by two interfaces with one filter.
 * Each side loses and reorders packets of its own, and may pack its messages in its own way. Every
 * message is delivered that came on any side, and the accounts are exact.
 */
#include "e2e_runner.h"
#include "protocol_packets.h"
#include "senders_seen.h"
#include "udp.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGES 60000
#define FIRST 0xffff00 /* numbers go on over the third byte */
#define LOSS_PERCENT 10
#define PORT 5005
#define UNIT 7
#define APART 8 /* packets that may change places */
#define BURST 64
#define PROFILE                                                                          \
	"[profile feed]\nlayer = udp\nrequire = payload+8:2le == 0x0102\n"               \
	"exempt = payload+2:1 == 0x00\nsource = payload+3:1\nsequence = payload+4:4le\n" \
	"count = payload+2:1le\nreset = 1m\n"

static const struct row {
	const char *name, *options;
	uint32_t most[E2E_LINKS]; /* messages of a packet of each side */
} ROWS[] = {
	{ "packed_alike_native", "--mode native", { 4, 4 } },
	{ "packed_alike_skb", "--mode skb", { 4, 4 } },
	{ "packed_differently_native", "--mode native", { 4, 3 } },
	{ "packed_differently_skb", "--mode skb", { 5, 1 } },
};

/* Messages of a packet. */
struct packet {
	uint32_t first, count;
	bool lost;
};

static struct side {
	int from, to;
	uint8_t mac[6];
	struct packet packets[MESSAGES];
	uint32_t cnt, next, sent, messages; /* packets; of them sent; messages in these */
	uint32_t before;		    /* messages before the first one that was sent */
} sides[E2E_LINKS];
static uint8_t came[MESSAGES], delivered[MESSAGES];

/* Packs all messages: i-th packets have 1 to `most`. Some are lost, and neighbours change places. */
static void pack(struct side *s, uint32_t most, uint64_t *seed)
{
	uint32_t first = 0;

	for (; first < MESSAGES; s->cnt++) {
		uint32_t count = 1 + s->cnt % most;

		if (count > MESSAGES - first)
			count = MESSAGES - first;
		s->packets[s->cnt] =
			(struct packet){ first, count, random_next(seed) % 100 < LOSS_PERCENT };
		first += count;
	}
	s->packets[0].lost = s->packets[s->cnt - 1].lost =
		false; /* the accounts begin and end alike */
	for (uint32_t i = 1; i + APART + 1 < s->cnt; i += APART) {
		uint32_t a = i + random_next(seed) % APART, b = i + random_next(seed) % APART;
		struct packet p = s->packets[a];

		s->packets[a] = s->packets[b];
		s->packets[b] = p;
	}
}

static void open_sides(const struct row *row, uint64_t *seed)
{
	memset(sides, 0, sizeof(sides));
	memset(came, 0, sizeof(came));
	memset(delivered, 0, sizeof(delivered));
	sh("%s load ve0 ve1 --name little --profiles /dev/stdin --profile feed:%u --paths 2 --sources 16 %s <<'END'\n" PROFILE
	   "END\n",
	   tool(), PORT, row->options);
	for (int i = 0; i < E2E_LINKS; i++) {
		char near[] = { 'v', 'e', '0' + i, 0 }, far[] = { 'p', 'e', '0' + i, 0 };
		char mac[E2E_MAC];

		e2e_near_mac(i, mac);
		for (int j = 0; j < 6; j++)
			sides[i].mac[j] = (uint8_t)strtoul(mac + 3 * (size_t)j, NULL, 16);
		sides[i].to = e2e_packet_socket(near);
		netns_enter(e2e_far());
		sides[i].from = e2e_packet_socket(far);
		netns_enter(0);
		pack(&sides[i], row->most[i], seed);
	}
}

static int close_sides(void **state)
{
	for (int i = 0; i < E2E_LINKS; i++) {
		close(sides[i].from);
		close(sides[i].to);
	}
	return e2e_teardown(state);
}

static void send_packet(struct side *s, const struct packet *packet)
{
	struct protocol_packet p = { .protocol = DATAGRAM, .port = PORT, .body = 60 };
	uint32_t number = htole32(FIRST + packet->first);
	static struct frame f;

	memcpy(p.to_mac, s->mac, sizeof(p.to_mac));
	protocol_frame(&f, &p);
	f.data[f.gsp + 2] = packet->count;
	f.data[f.gsp + 3] = UNIT;
	memcpy(f.data + f.gsp + 4, &number, sizeof(number));
	memcpy(f.data + f.gsp + 8, (uint8_t[]){ 2, 1 }, 2);
	while (send(s->from, f.data, f.len, 0) < 0)
		assert_int_equal(errno, ENOBUFS);
	if (!packet->count)
		return;
	memset(came + packet->first, 1, packet->count);
	s->sent++;
	s->messages += packet->count;
}

/* Reads what was delivered; what the host itself sends on these links is left out. */
static void read_delivered(void)
{
	static struct frame f;
	uint8_t data[512];
	ssize_t len;

	protocol_frame(&f, &(struct protocol_packet){ .protocol = DATAGRAM, .body = 60 });
	for (int i = 0; i < E2E_LINKS; i++) {
		while ((len = recv(sides[i].to, data, sizeof(data), 0)) > 0) {
			const uint8_t *payload = data + f.gsp;
			uint32_t number;

			if (len != f.len || payload[3] != UNIT || memcmp(data + 6, f.data + 6, 8) != 0)
				continue;
			memcpy(&number, payload + 4, sizeof(number));
			number = le32toh(number) - FIRST;
			assert_true(number + payload[2] <= MESSAGES);
			for (uint32_t m = 0; m < payload[2]; m++)
				delivered[number + m]++;
		}
		assert_int_equal(errno, EAGAIN);
	}
}

/* Sends what both sides have, alternately, and a heartbeat now and then. Returns how many. */
static uint32_t send_all(void)
{
	uint32_t beats = 0;

	for (uint32_t n = 0; sides[0].next < sides[0].cnt || sides[1].next < sides[1].cnt; n++) {
		struct side *s = &sides[0], *other = &sides[1];

		/* The one that is behind in the messages. */
		if (s->next == s->cnt ||
		    (other->next < other->cnt &&
		     other->packets[other->next].first < s->packets[s->next].first))
			s = other;
		if (!s->packets[s->next].lost)
			send_packet(s, &s->packets[s->next]);
		s->next++;
		if (n % BURST)
			continue;
		send_packet(s, &(struct packet){ 0 });
		beats++;
		read_delivered();
	}
	return beats;
}

static void check_accounts(uint32_t lost_on_all)
{
	struct sender_seen s = sender_seen("little");

	assert_string_equal(s.source, "07");
	assert_int_equal(s.messages, MESSAGES);
	assert_int_equal(s.lost + s.missing, lost_on_all);
	assert_int_equal(s.restarts + s.others, 0);
	for (int i = 0; i < E2E_LINKS; i++) {
		char near[] = { 'v', 'e', '0' + i, 0 };
		const struct path_seen *p = path_seen(&s, near, NULL);

		assert_int_equal(p->packets, sides[i].sent);
		assert_int_equal(p->received, sides[i].messages);
		assert_int_equal(p->lost + p->missing, MESSAGES - sides[i].messages);
		assert_int_equal(p->repeated + p->late + p->far, 0);
	}
}

static void every_message_is_delivered(void **state)
{
	const struct row *row = *state;
	uint64_t seed = environment_number("SEED", udp_now_ns());
	uint32_t beats, sent, lost = 0;
	bool alike = row->most[0] == row->most[1];
	struct filter_counters c;

	print_message("# SEED=%llu\n", (unsigned long long)seed);
	open_sides(row, &seed);
	beats = send_all();
	sent = sides[0].sent + sides[1].sent;
	c = e2e_counters_after("little", sent + beats);
	usleep(50000);
	read_delivered();
	for (uint32_t i = 0; i < MESSAGES; i++) {
		if (alike ? delivered[i] != came[i] : !delivered[i] != !came[i])
			fail_msg("message %u came: %u, and was delivered %u times", i, came[i],
				 delivered[i]);
		lost += !came[i];
	}
	assert_int_equal(c.exempt, beats);
	assert_int_equal(c.new + c.duplicate, sent);
	assert_true(c.duplicate > sent / 5);
	check_accounts(lost);
}

int main(void)
{
	add_rows(ROWS, every_message_is_delivered, e2e_setup, close_sides);
	return run_added_tests("little");
}
