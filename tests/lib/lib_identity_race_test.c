// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp_dedup_id_of() while other things happen: changes of the filter, other threads with other
 * filters, forks; and with hostile packets.
 */
#include "lib_runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "protocol_packets.h"
#include "tunnel_wrap.h"
#include "xdp-dedup-streams.h"

#define OTHER "other"
#define TWO_PROFILES                                       \
	" --profiles /dev/stdin <<'END'\n"                 \
	"[profile front]\nlayer = udp\nid = payload+0:4\n" \
	"[profile back]\nlayer = udp\nid = payload+4:4\nEND\n"

static const char TEXT[] = "FROMback";

/* A datagram whose destination is unknown; or the id is what is wanted: 1; 0: another one. */
static int id_is(const struct xdp_dedup_filter *f, const char *wanted)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001) };
	struct xdp_dedup_datagram d = {
		.payload = TEXT,
		.payload_len = 8,
		.from = (struct sockaddr *)&from,
	};
	struct xdp_dedup_identity id;
	int result = xdp_dedup_id_of(f, &d, &id, sizeof(id));

	return result == 1 ? id.len == 4 && !memcmp(id.bytes, wanted, 4) : -ENOENT;
}

static struct xdp_dedup_filter *open_filter(const char *name)
{
	struct xdp_dedup_filter *f;

	assert_int_equal(xdp_dedup_open(name, &f), 0);
	return f;
}

/* Threads, each with filters of its own turn, while one filter changes, and the process forks. */

#define THREADS 3

static struct {
	struct xdp_dedup_filter *front, *back;
	atomic_ulong asked, wrong;
	atomic_bool stop;
} race;

static void *ask_along(void *arg)
{
	(void)arg;
	while (!race.stop) {
		race.wrong += id_is(race.front, "FROM") != 1;
		race.wrong += id_is(race.back, "back") != 1;
		race.asked++;
	}
	return NULL;
}

TEST(one_program_serves_all)
{
	pthread_t threads[THREADS];
	int status;

	e2e_tool("load ve0 --name " LIB_NAME " --profile front:7" TWO_PROFILES);
	e2e_tool("load ve1 --name " OTHER " --profile back:7" TWO_PROFILES);
	race.front = open_filter(LIB_NAME);
	race.back = open_filter(OTHER);
	race.wrong = race.asked = 0;
	race.stop = false;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_along, NULL), 0);
	for (int i = 0; i < 3; i++) {
		unsigned long before = race.asked;

		e2e_tool("set " LIB_NAME " --profile front:%d" TWO_PROFILES, 8 + i);
		while (race.asked < before + 1000)
			usleep(1000);
	}
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		assert_return_code(pid, errno);
		if (!pid) {
			alarm(PATIENCE_MS / 1000);
			syscall(SYS_exit, id_is(race.front, "FROM") != 1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	race.stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(race.wrong, 0);
	xdp_dedup_close(race.front);
	xdp_dedup_close(race.back);
}

static const struct hostile {
	const char *name, *options;
} HOSTILE[] = {
	{ "hostile-gsp", "--port 8001 --vlan none,7 --to 10.0.0.0/8" },
	{ "hostile-datagrams", "--profile gsp:8002 --profile solana-shred:8001 --profile moldudp64:8001"
			       "@10.0.0.0/8 --profile rtp:8001 --profile payload:8001" },
	{ "hostile-frames", "--profile r-tag --profile hsr --profile prp --profile mirror-l2 "
			    "--profile mirror" },
	{ "hostile-tunnels", "--profile rtp:8001 --profile mirror --tunnels all" },
};

/* A good frame, in which some bytes, and the length, are chance. */
static void spoil(struct frame *frame, uint64_t *chance)
{
	struct protocol_packet p = {
		.protocol = random_next(chance) % (PRP + 1),
		.ipv6 = random_next(chance) & 1,
		.body = random_next(chance) % (random_next(chance) % 8 ? 100 : 6000),
		.variant = random_next(chance),
		.count = random_next(chance) % 3,
		.option_words = random_next(chance) % 16 % 11,
		.to = { 10 },
	};

	protocol_frame(frame, &p);
	if (p.protocol == DATAGRAM && p.body > 8)
		memcpy(frame->data + frame->gsp, "GSP1\1\1", 6);
	if (random_next(chance) & 1 && p.protocol && p.protocol <= DISCV4)
		tunnel_wrap(frame, &(struct wrap){ .kind = random_next(chance) % (WRAP_VLANS + 1) });
	for (uint64_t n = random_next(chance) % 8; n; n--)
		frame->data[random_next(chance) % (frame->len < 80 ? frame->len : 80)] =
			random_next(chance);
	if (random_next(chance) & 1)
		frame->len = random_next(chance) % (frame->len + 1);
}

/* An address that is chance, of its own size. */
static struct sockaddr *hostile_address(uint64_t *chance)
{
	uint64_t word[4] = { random_next(chance), 0, 0, random_next(chance) };
	sa_family_t family = *chance & 1 ? AF_INET : AF_INET6;
	size_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	struct sockaddr *out = malloc(size);

	assert_non_null(out);
	if (random_next(chance) & 1)
		word[0] = 0;
	memcpy(out, word, size);
	out->sa_family = family;
	return out;
}

/* Asks for the id of the frame, or of what is in it from some offset on, as if that had come
 * through a socket, in memory of just this size. Returns whether there is one.
 */
static bool has_id(const struct xdp_dedup_filter *f, const struct frame *frame, uint64_t *chance)
{
	struct sockaddr *from = hostile_address(chance), *to = hostile_address(chance);
	uint32_t at = random_next(chance) % 128, len;
	struct xdp_dedup_datagram d = { 0 };
	struct xdp_dedup_identity id;
	uint8_t *copy;
	int result;

	at = at >= 64 ? 0 : at < frame->len ? at : frame->len;
	len = frame->len - at;
	copy = malloc(len ?: 1);
	assert_non_null(copy);
	memcpy(copy, frame->data + at, len);
	if (at)
		d = (struct xdp_dedup_datagram){ .payload = copy,
						 .payload_len = len,
						 .from = random_next(chance) & 1 ? from : NULL,
						 .to = random_next(chance) & 1 ? to : NULL };
	else
		d = (struct xdp_dedup_datagram){ .frame = copy, .frame_len = len };
	result = xdp_dedup_id_of(f, &d, &id, sizeof(id));
	assert_true(result == 0 || result == 1 || result == -ENODATA || result == -EINVAL);
	if (result == 1)
		assert_in_range(id.len, 1, sizeof(id.bytes));
	free(copy);
	free(from);
	free(to);
	return result == 1;
}

TEST_ROWS(hostile_packets, HOSTILE)
{
	uint64_t chance = 11, found = 0;
	struct xdp_dedup_filter *f;
	static struct frame frame;

	e2e_tool("load ve0 --name " LIB_NAME " %s", row->options);
	f = open_filter(LIB_NAME);
	for (uint64_t i = 0; i < tries(20000, 200000); i++) {
		spoil(&frame, &chance);
		found += has_id(f, &frame, &chance);
	}
	assert_true(found > 10); /* or the above is void */
	xdp_dedup_close(f);
}

LIB_MAIN()
