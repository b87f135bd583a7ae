// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Forgers on real sockets: an attacker sees packets, and sends their headers with other payloads
 * before the real packets come. Those come twice.
 */
#include "e2e_runner.h"
#include "protocol_packets.h"
#include "udp.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RACE_PORT 9000
#define RACE_PACKETS 2000
#define RACE_STEP 50 /* the forger is so many packets ahead */
#define RACE_BYTES 1300
#define RACE_BODY 1200 /* shreds have their own size */
#define RACE_TRIES 3

enum sender { FORGER, REAL, SENDERS };

/* What each payload ends with. */
struct __attribute__((packed)) trailer {
	uint32_t number;
	uint8_t sender;
};

#define BY_PAYLOAD "[profile mine]\nlayer = udp\nid = payload\nwindow = 1m\nfpr = 1e-9"
#define MINE "--profiles /dev/stdin --profile mine:9000"

/* RTP's numbers, which begin anew only after a time in which no busy machine stands still. */
#define BY_NUMBER                                                                     \
	"[profile mine]\nlayer = udp\nsource = payload+8:4\nsequence = payload+2:2\n" \
	"reset = 1m"

static const struct race_row {
	const char *name, *profiles, *load;
	enum protocol protocol;
	uint32_t forged; /* what is read of the two forged copies of a packet; 0: none are sent */
	uint32_t real;	 /* and of the two real ones */
} RACES[] = {
	{ "shreds", "", "--profile solana-shred:9000", SHRED, 0, 1 },
	{ "shreds_forged", "", "--profile solana-shred:9000", SHRED, 1, 1 },
	{ "rtp", BY_NUMBER, MINE, RTP, 0, 1 },
	/* What the profile warns of, and both of its cures. */
	{ "rtp_forged_by_its_header", BY_NUMBER, MINE, RTP, 1, 0 },
	{ "rtp_forged_payload", BY_PAYLOAD, MINE, RTP, 1, 1 },
	{ "rtp_forged_learn_app", BY_PAYLOAD, MINE " --learn app", RTP, 2, 2 },
	{ "moldudp64_forged_payload", BY_PAYLOAD, MINE, MOLDUDP64, 1, 1 },
};

static struct race {
	enum protocol protocol;
	uint64_t seed;
	int fd, to[E2E_LINKS];
	uint8_t copies[SENDERS][RACE_PACKETS];
	uint32_t packets, strangers;
} race;

/* Shreds are data and code in turn, 64 of one set. The numbers of RTP go round. What the sender
 * writes itself is random, and ends with who it is.
 */
static size_t write_race_packet(uint8_t out[RACE_BYTES], enum sender sender, uint32_t number)
{
	struct trailer t = { number, sender };
	struct protocol_packet p = { .protocol = race.protocol, .body = RACE_BODY, .count = 1 };
	static struct frame f;
	size_t len, from;

	p.sequence = race.protocol == RTP ? 65000 + number : 1 + number;
	p.variant = number % 2 ? 0x66 : 0x96;
	p.index = number / 2;
	p.fec_set = number / 64 * 32;
	protocol_frame(&f, &p);
	len = f.len - f.gsp;
	from = f.gsp + (race.protocol == SHRED ? 89 : 22);
	for (size_t at = from; at < f.len; at += GSP_ID_BYTES)
		gossip_id(race.seed + sender, number * 64 + (at - from) / GSP_ID_BYTES, f.data + at);
	memcpy(f.data + f.len - sizeof(t), &t, sizeof(t));
	memcpy(out, f.data + f.gsp, len);
	return len;
}

static void open_race(const struct race_row *row)
{
	static const char *const TO[] = { "10.77.0.1", "10.77.1.1" };

	race = (struct race){ .protocol = row->protocol, .seed = udp_now_ns() };
	sh("echo '%s' | %s load ve0 ve1 --name streams %s", row->profiles, tool(), row->load);
	race.fd = udp_receiver("0.0.0.0", RACE_PORT);
	assert_true(race.fd > 0);
	netns_enter(e2e_far());
	for (int i = 0; i < E2E_LINKS; i++)
		race.to[i] = udp_sender(TO[i], RACE_PORT, NULL);
	netns_enter(0);
	for (int i = 0; i < E2E_LINKS; i++)
		assert_true(race.to[i] > 0);
}

static void close_sockets(void)
{
	const int fds[] = { race.fd, race.to[0], race.to[1] };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
	race.fd = race.to[0] = race.to[1] = -1;
}

static int close_race(void **state)
{
	close_sockets();
	return e2e_teardown(state);
}

/* A copy of these packets over each link. */
static void send_copies(enum sender sender, uint32_t first)
{
	uint8_t packet[RACE_BYTES];

	for (uint32_t i = first; i < first + RACE_STEP; i++) {
		size_t len = write_race_packet(packet, sender, i);
		struct iovec iov = { packet, len };
		struct mmsghdr msg = { .msg_hdr = { .msg_iov = &iov, .msg_iovlen = 1 } };

		for (int link = 0; link < E2E_LINKS; link++)
			assert_int_equal(udp_send(race.to[link], &msg, 1, NULL), 1);
	}
}

static void read_race_packet(const uint8_t *packet, size_t len)
{
	uint8_t sent[RACE_BYTES];
	struct trailer t = { 0 };

	race.packets++;
	if (len > sizeof(t))
		memcpy(&t, packet + len - sizeof(t), sizeof(t));
	if (t.number >= RACE_PACKETS || t.sender >= SENDERS ||
	    write_race_packet(sent, t.sender, t.number) != len || memcmp(sent, packet, len))
		race.strangers++;
	else
		race.copies[t.sender][t.number]++;
}

/* Once the filter has seen so many, reads all. */
static void read_race(uint64_t sent)
{
	uint8_t packet[RACE_BYTES];
	struct filter_counters c = e2e_counters_after("streams", sent);
	ssize_t len;

	for (int ms = 0; ms < PATIENCE_MS && race.packets < sent - c.dropped; ms++) {
		while ((len = recv(race.fd, packet, sizeof(packet), MSG_DONTWAIT)) >= 0)
			read_race_packet(packet, len);
		usleep(1000);
	}
	assert_int_equal(race.packets, sent - c.dropped);
	assert_int_equal(race.strangers, 0);
	assert_int_equal(udp_lost(race.fd), 0);
}

/* False if the machine stood still for so long that the filter let everything pass. */
static bool run_race(const struct race_row *row)
{
	uint64_t sent = 0;

	open_race(row);
	for (uint32_t i = 0; i < RACE_PACKETS; i += RACE_STEP) {
		for (enum sender sender = row->forged ? FORGER : REAL; sender < SENDERS; sender++) {
			send_copies(sender, i);
			sent += RACE_STEP * E2E_LINKS;
			read_race(sent);
		}
	}
	print_message("# sent %llu, read %u\n", (unsigned long long)sent, race.packets);
	if (e2e_counters("streams").stale)
		return false;
	for (uint32_t i = 0; i < RACE_PACKETS; i++) {
		assert_int_equal(race.copies[REAL][i], row->real);
		assert_int_equal(race.copies[FORGER][i], row->forged);
	}
	return true;
}

static void test_race(void **state)
{
	int tries = RACE_TRIES;

	while (!run_race(*state)) {
		assert_true(--tries > 0);
		close_sockets();
		e2e_tool("unload --name streams");
	}
}

int main(void)
{
	add_rows(RACES, test_race, e2e_setup, close_race);
	return run_added_tests("forger");
}
