// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes of a filter's streams while it runs: other realms, another order, other ids, together
 * with other sizes, layouts and hashes. An id that a stream has seen stays known there, and no id
 * is known in a stream that never saw it. Packets are test runs of the program that is pinned.
 */
#include "cli_runner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "config_streams.h"
#include "delivery.h"
#include "kernel.h"
#include "kept.h"
#include "open.h"
#include "protocol_packets.h"
#include "sampling.h"
#include "totals.h"

#define PROFILES "/mnt/profiles"
#define OTHER_PROFILES "/mnt/others" /* stream a's id is elsewhere in its packets */
#define OUT_FILE "/mnt/out"
#define ID_WORDS 4

enum { A, B, C, D, A_TOO, GSP, N, STREAMS };

static const struct {
	const char *name; /* of its profile */
	uint16_t port;
	uint32_t id_bytes;
} STREAM[STREAMS] = {
	{ "a", 9001, 8 }, { "b", 9002, 8 },	      { "c", 9003, 8 }, { "d", 9004, 12 },
	{ "a", 9005, 8 }, { "gsp", GOSSIP_PORT, 32 }, { "n", 9006, 8 },
};

/* All bytes of the id with this number. */
static void id_of(uint32_t number, uint64_t id[ID_WORDS])
{
	uint64_t seed = number;

	for (int i = 0; i < ID_WORDS; i++)
		id[i] = random_next(&seed);
}

/* A packet of this stream with an id; for all hosts of a group. */
static void build(struct frame *f, int stream, const uint64_t id[ID_WORDS])
{
	const struct protocol_packet packet = {
		.protocol = DATAGRAM, .port = STREAM[stream].port, .body = 64, .zeros = 64
	};
	const struct frame_plan plan = { .body = 64 };

	if (stream == GSP)
		frame_build(f, &plan, (const struct id *)id);
	else
		protocol_frame(f, &packet);
	if (stream != GSP)
		memcpy(f->data + f->gsp, id, 8 * ID_WORDS);
	f->data[0] = 1;
}

/* The verdict on such a packet. */
static unsigned int send_bytes(int stream, const uint64_t id[ID_WORDS])
{
	static struct frame f;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f.data, .repeat = 1);
	int fd = bpf_obj_get(PIN_ROOT "/f/prog");

	assert_return_code(fd, errno);
	build(&f, stream, id);
	opts.data_size_in = f.len;
	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	close(fd);
	return opts.retval;
}

static bool is_dropped(int stream, uint32_t number)
{
	uint64_t id[ID_WORDS];

	id_of(number, id);
	return send_bytes(stream, id) == XDP_DROP;
}

/* The id as commands take it. */
static const char *hex_of(int stream, uint32_t number)
{
	static char hex[2 * 8 * ID_WORDS + 1];
	uint64_t id[ID_WORDS];

	id_of(number, id);
	for (uint32_t i = 0; i < STREAM[stream].id_bytes; i++)
		sprintf(hex + 2 * i, "%02x", ((uint8_t *)id)[i]);
	return hex;
}

/* Profiles a to d, of which a's id begins at this byte. */
static void write_profiles(const char *path, int at)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (int i = A; i <= D; i++)
		fprintf(f, "[profile %s]\nabout = x\nlayer = udp\nid = payload+%d:%u\n",
			STREAM[i].name, i == A ? at : 0, STREAM[i].id_bytes);
	/* Numbers of 4 bytes; each id's other bytes are a source. */
	fprintf(f,
		"[profile n]\nlayer = udp\nsource = payload+0:4\nsequence = payload+4:4\n"
		"history = %u\nreset = 1h\n",
		at ? 1024U : 4096U);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	int err = cli_setup(state);

	write_profiles(PROFILES, 0);
	write_profiles(OTHER_PROFILES, 8);
	return err;
}

#define KNOWN true
#define FRESH false

/* A command that must succeed; BY stands for what names profiles. */
static void must(const char *command)
{
	char line[512] = "$XD ", *end = line + strlen(line);

	for (const char *c = command; *c; c++) {
		if (!strncmp(c, "BY", 2)) {
			end += sprintf(end, "--profiles " PROFILES);
			c++;
		} else {
			*end++ = *c;
		}
		assert_true(end < line + sizeof(line) - 64);
	}
	*end = 0;
	assert_run(0, line);
}

struct row {
	const char *name, *load, *change;
	int taught, asked; /* streams */
	bool known;	   /* is what the first has seen known in the second, after the change? */
};

#define LOAD_AB "load v0 --name f BY --profile a:9001 --profile b:9002"
#define LOAD_ABC LOAD_AB " --profile c:9003"

/* Two streams of one profile, which have no names of their own. */
#define LOAD_TWO "load v0 --name f BY --profile a:9001#x --profile a:9005#y"
#define SWAPPED " BY --profile a:9005#y --profile a:9001#x"
#define BEFORE_TWO " BY --profile a:9003#z --profile a:9001#x --profile a:9005#y"

static const struct row ROWS[] = {
	{ "larger-in-another-order", LOAD_AB " --capacity 10k",
	  "load --replace --name f BY --profile b:9002 --profile a:9001 --capacity 20k", A, B, FRESH },
	{ "larger-in-another-order-keeps", LOAD_AB " --capacity 10k",
	  "load --replace --name f BY --profile b:9002 --profile a:9001 --capacity 20k", A, A, KNOWN },
	{ "larger-with-a-stream-in-front", LOAD_AB,
	  "load --replace --name f BY --profile c:9003 --profile a:9001 --profile b:9002"
	  " --capacity 20k",
	  A, C, FRESH },
	{ "larger-with-a-stream-in-front-keeps", LOAD_AB,
	  "load --replace --name f BY --profile c:9003 --profile a:9001 --profile b:9002"
	  " --capacity 20k",
	  B, B, KNOWN },
	{ "to-flat-in-another-order", LOAD_AB,
	  "load --replace --name f BY --profile b:9002 --profile a:9001 --layout flat", A, B, FRESH },
	{ "from-countdown-in-another-order", LOAD_AB " --layout countdown --capacity 10k --fpr 1e-3",
	  "load --replace --name f BY --profile b:9002 --profile a:9001 --layout blocked", B, B,
	  KNOWN },
	{ "set-in-another-order", LOAD_AB, "set f BY --profile b:9002 --profile a:9001", A, B, FRESH },
	{ "realms-set-apart", LOAD_AB "#r --profile c:9003#r",
	  "set f BY --profile a:9001 --profile b:9002 --profile c:9003", B, C, FRESH },
	{ "realms-set-apart-while-larger", LOAD_AB "#r --profile c:9003#r",
	  "load --replace --name f BY --profile a:9001 --profile b:9002 --profile c:9003"
	  " --capacity 20k",
	  B, C, FRESH },
	{ "gsp-alone-after-streams", "load v0 --name f BY --profile gsp:8001 --profile b:9002",
	  "set f --profile gsp:8001", GSP, GSP, KNOWN },
	{ "gsp-alone-after-streams-larger",
	  "load v0 --name f BY --profile b:9002 --profile gsp:8001 --capacity 10k",
	  "load --replace --name f --profile gsp:8001 --capacity 20k", GSP, GSP, KNOWN },
	{ "gsp-with-streams-after-alone", "load v0 --name f --port 8001",
	  "set f BY --profile b:9002 --profile gsp:8001", GSP, GSP, KNOWN },
	{ "numbered-set-in-another-order", "load v0 --name f BY --profile n:9006 --profile a:9001",
	  "set f BY --profile b:9002 --profile n:9006", N, N, KNOWN },
	{ "numbered-for-more-sources", "load v0 --name f BY --profile n:9006 --sources 10",
	  "resize f --sources 20", N, N, KNOWN },
	{ "numbered-for-fewer-sources", "load v0 --name f BY --profile n:9006 --profile a:9001",
	  "resize f --sources 5", N, N, KNOWN },
	{ "numbered-beside-another-layout",
	  "load v0 --name f BY --profile n:9006 --profile a:9001 --layout flat",
	  "load --replace --name f BY --profile a:9001 --profile n:9006 --layout countdown", N, N,
	  KNOWN },
	{ "numbered-alone-after-others", "load v0 --name f BY --profile n:9006 --profile a:9001",
	  "load --replace --name f BY --profile n:9006", N, N, KNOWN },
	{ "numbered-and-now-others", "load v0 --name f BY --profile n:9006",
	  "load --replace --name f BY --profile n:9006 --profile a:9001", N, N, KNOWN },
	{ "others-and-now-numbered", "load v0 --name f BY --profile a:9001",
	  "load --replace --name f BY --profile n:9006 --profile a:9001", A, A, KNOWN },
	{ "numbered-with-another-history", "load v0 --name f BY --profile n:9006",
	  "load --replace --name f --profiles " OTHER_PROFILES " --profile n:9006", N, N, FRESH },
	{ "numbered-with-a-shorter-history", "load v0 --name f BY --profile n:9006",
	  "set f --profiles " OTHER_PROFILES " --profile n:9006", N, N, FRESH },
	{ "from-bytes-to-a-keyed-hash",
	  "load v0 --name f BY --profile d:9004 --layout flat --hash fnv1a --bits 1000000"
	  " --capacity 1k --fpr 0.01",
	  "load --replace --name f BY --profile a:9001 --profile d:9004 --layout blocked --hash "
	  "fast",
	  D, D, KNOWN },
	{ "from-sha-256-to-a-keyed-hash",
	  "load v0 --name f BY --profile a:9001 --layout flat --hash fips --bits 65536 --capacity 1k",
	  "load --replace --name f BY --profile b:9002 --profile a:9001 --layout blocked --hash "
	  "fast",
	  A, A, KNOWN },
};

static const struct row UNNAMED[] = {
	{ "unnamed-swapped", LOAD_TWO, "set f" SWAPPED, A, A_TOO, FRESH },
	{ "unnamed-swapped-keep", LOAD_TWO, "set f" SWAPPED, A_TOO, A_TOO, KNOWN },
	{ "unnamed-swapped-larger", LOAD_TWO, "load --replace --name f --capacity 20k" SWAPPED, A,
	  A_TOO, FRESH },
	{ "unnamed-swapped-larger-keep", LOAD_TWO, "load --replace --name f --capacity 20k" SWAPPED,
	  A, A, KNOWN },
	{ "unnamed-behind-another", LOAD_TWO, "set f" BEFORE_TWO, A, A_TOO, FRESH },
	{ "unnamed-behind-another-keep", LOAD_TWO, "set f" BEFORE_TWO, A, A, KNOWN },
	{ "unnamed-the-first-goes", LOAD_TWO, "set f BY --profile a:9005#y", A, A_TOO, FRESH },
	{ "unnamed-the-first-goes-keep", LOAD_TWO, "set f BY --profile a:9005#y", A_TOO, A_TOO,
	  KNOWN },
	{ "unnamed-the-first-goes-larger", LOAD_TWO,
	  "load --replace --name f BY --profile a:9005#y --capacity 20k", A, A_TOO, FRESH },
	{ "unnamed-gsp-the-first-goes", "load v0 --name f --profile gsp:8002 --profile gsp:8001",
	  "set f --profile gsp:8001", GSP, GSP, KNOWN },
	{ "unnamed-gsp-has-other-ports", "load v0 --name f --profile gsp:8001 --profile gsp:8002",
	  "set f --profile gsp:8001,8002", GSP, GSP, FRESH },
};

/* By packets alone: which of them has which name says its place. */
static void test_unnamed(void **state)
{
	const struct row *row = *state;

	must(row->load);
	assert_false(is_dropped(row->taught, 1));
	must(row->change);
	assert_int_equal(is_dropped(row->asked, 1), row->known);
	assert_true(is_dropped(row->asked, 1));
}

static void test_row(void **state)
{
	const struct row *row = *state;
	char command[256];

	must(row->load);
	assert_false(is_dropped(row->taught, 1));
	must(row->change);
	snprintf(command, sizeof(command), "$XD test f/%s %s", STREAM[row->asked].name,
		 hex_of(row->asked, 1));
	assert_run(row->known ? 0 : 3, command);
	assert_int_equal(is_dropped(row->asked, 1), row->known);
	assert_true(is_dropped(row->asked, 1));
}

/* An id that comes after the change, new to both. */
static void realms_apart_stay_apart(void **state)
{
	(void)state;
	must(LOAD_AB "#r");
	sh("true");
	must("set f BY --profile a:9001#r --profile b:9002#r");
	assert_false(is_dropped(A, 2));
	assert_true(is_dropped(B, 2));
	must("set f BY --profile a:9001 --profile b:9002");
	assert_false(is_dropped(A, 3));
	assert_false(is_dropped(B, 3));
}

/* Whose first 8 bytes are equal. */
static void longer_ids_are_hashed_as_a_whole(void **state)
{
	static const char *const LAYOUTS[] = { "blocked", "flat", "countdown --capacity 10k" };
	char command[256];
	uint64_t id[ID_WORDS];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(command, sizeof(command),
			 "load v0 --name f BY --profile a:9001 --fpr 1e-3 --layout %s", LAYOUTS[i]);
		must(command);
		must("set f --profile gsp:8001");
		id_of(i, id);
		assert_int_equal(send_bytes(GSP, id), XDP_PASS);
		assert_int_equal(send_bytes(GSP, id), XDP_DROP);
		id[3]++;
		assert_int_equal(send_bytes(GSP, id), XDP_PASS);
		snprintf(command, sizeof(command), "add f %s", hex_of(GSP, 7));
		must(command);
		assert_true(is_dropped(GSP, 7));
		must("unload --all");
	}
}

/* The bytes that were an id before may be one now, of another message. */
static void ids_that_are_made_otherwise_are_other_ids(void **state)
{
	uint64_t id[ID_WORDS], other[ID_WORDS] = { 1 };

	(void)state;
	must(LOAD_AB);
	assert_false(is_dropped(A, 1));
	assert_false(is_dropped(B, 1));
	must("set f --profiles " OTHER_PROFILES " --profile a:9001 --profile b:9002");
	assert_says("what stream a knew is forgotten");
	id_of(1, id);
	other[1] = id[0];
	assert_int_equal(send_bytes(A, other), XDP_PASS);
	assert_int_equal(send_bytes(A, other), XDP_DROP);
	assert_true(is_dropped(B, 1));
}

/* A scheme without a key cannot tell the ids of a new stream from those that it knows. */
static void keyless_hashes_take_no_other_stream(void **state)
{
	(void)state;
	must("load v0 --name f BY --profile a:9001 --layout flat --hash fnv1a --capacity 1k"
	     " --bits 1000000 --fpr 0.01");
	assert_false(is_dropped(A, 1));
	assert_run(1, "$XD set f --profiles " PROFILES " --profile b:9002");
	assert_one_line("--hash fnv1a has no key");
	assert_true(is_dropped(A, 1));
	must("load --replace --name f BY --profile b:9002");
	assert_false(is_dropped(B, 1));
	assert_true(is_dropped(B, 1));
}

static void forgotten_streams_are_said(void **state)
{
	(void)state;
	must(LOAD_ABC);
	must("set f BY --profile a:9001#r --profile b:9002#r --profile c:9003");
	assert_says("what stream b knew is forgotten");
	assert_null(strstr(output, "what stream a"));
	assert_null(strstr(output, "what stream c"));
}

/* Wanted in a, which has another index then; in b an equal id is not wanted. */
static void wants_are_of_a_stream_not_of_a_place(void **state)
{
	char command[256];

	(void)state;
	must(LOAD_AB);
	assert_false(is_dropped(A, 1));
	assert_false(is_dropped(B, 1));
	snprintf(command, sizeof(command), "want f/a %s", hex_of(A, 1));
	must(command);
	must("set f BY --profile b:9002 --profile a:9001");
	assert_true(is_dropped(B, 1));
	assert_false(is_dropped(A, 1));
	assert_true(is_dropped(A, 1));
}

static void open_f(struct filter *f)
{
	assert_int_equal(filter_open("f", f), 0);
}

/* What was handed to a reader before the change is wanted for its own stream after it. */
static void deliveries_are_of_a_stream_not_of_a_place(void **state)
{
	struct dedup_in_flight packet = { .number = 1 };
	struct filter f;
	uint64_t id[ID_WORDS];

	(void)state;
	must(LOAD_AB);
	assert_false(is_dropped(A, 1));
	assert_false(is_dropped(B, 1));
	open_f(&f);
	packet.slot = f.config->policy.streams[stream_number(f.config, "a")].slot;
	filter_close(&f);
	id_of(1, id);
	packet.id.word[0] = id[0];
	must("set f BY --profile c:9003 --profile b:9002 --profile a:9001");
	open_f(&f);
	assert_int_equal(delivery_want(&f, &packet), 1);
	filter_close(&f);
	assert_true(is_dropped(B, 1));
	assert_false(is_dropped(A, 1));
	must("set f BY --profile b:9002");
	open_f(&f);
	assert_int_equal(delivery_want(&f, &packet), -EINVAL); /* there is no such stream */
	filter_close(&f);
	for (int i = 0; i < 4; i++) { /* nor is another one that comes taken for it */
		must(i % 2 ? "set f BY --profile b:9002"
			   : "set f BY --profile c:9003 --profile b:9002");
		open_f(&f);
		assert_int_equal(delivery_want(&f, &packet), -EINVAL);
		filter_close(&f);
	}
}

/* Changes are counted anew then. */
static void deliveries_are_of_a_stream_after_a_restore(void **state)
{
	struct dedup_in_flight packet = { .number = 1 };
	struct filter f;

	(void)state;
	must(LOAD_AB);
	must("set f BY --profile b:9002");
	must("set f BY --profile c:9003 --profile b:9002");
	must("save f /mnt/snapshot");
	must("unload --all");
	must("restore f /mnt/snapshot");
	open_f(&f);
	packet.slot = f.config->policy.streams[stream_number(f.config, "c")].slot;
	filter_close(&f);
	must("set f BY --profile b:9002");
	must("set f BY --profile a:9001 --profile b:9002");
	open_f(&f);
	assert_int_equal(delivery_want(&f, &packet), -EINVAL);
	filter_close(&f);
}

struct seen {
	int cnt;
	uint32_t slot;
};

static int see(void *arg, const struct dedup_sample *sample)
{
	struct seen *seen = arg;

	seen->cnt++;
	seen->slot = sample->slot;
	return 0;
}

/* A sampler of b gets its packets across the change. */
static void samples_are_of_a_stream_not_of_a_place(void **state)
{
	struct sampling_wish wish = { .reasons = SAMPLING_NEW | SAMPLING_DROPS,
				      .snap = 64,
				      .rate = 100 };
	struct sampling_lost lost;
	struct seen seen = { 0 };
	struct sampling *s;
	struct filter f, now;
	uint32_t pid;

	(void)state;
	must(LOAD_AB);
	assert_int_equal(kernel_ready(false, false), 0);
	open_f(&f);
	wish.streams = 1U << f.config->policy.streams[stream_number(f.config, "b")].slot;
	assert_int_equal(sampling_begin(&f, &wish, (struct sampling_taker){ see, &seen }, &s, &pid),
			 0);
	must("set f BY --profile b:9002 --profile a:9001");
	is_dropped(A, 1);
	is_dropped(B, 1);
	sampling_end(s, &lost);
	assert_int_equal(seen.cnt, 1);
	open_f(&now);
	assert_string_equal(now.config->policy.streams[kept_of_slot(now.config, seen.slot)].name,
			    "b");
	filter_close(&now);
	filter_close(&f);
}

/* A sampler of a stream that is removed gets no other one's packets. */
static void samples_of_a_stream_that_went_end(void **state)
{
	(void)state;
	must(LOAD_AB);
	sh("$XD sample f/a >" OUT_FILE " 2>&1 & echo $! >/mnt/pid\n"
	   "for i in $(seq 300); do $XD status f --json | grep -q '\"sampler\": *{' && exit 0\n"
	   "	sleep 0.1; done; exit 1");
	must("set f BY --profile b:9002");
	must("set f BY --profile b:9002 --profile c:9003");
	is_dropped(C, 1);
	sh("kill $(cat /mnt/pid); for i in $(seq 300); do grep -q 'shown;' " OUT_FILE " && break\n"
	   "	sleep 0.1; done; cat " OUT_FILE "; grep -q 'note: 0 shown;' " OUT_FILE);
}

/* Though each has the name of the other then. */
static void counters_are_of_a_stream_not_of_a_name(void **state)
{
	struct filter_counters first, second;
	struct filter f;

	(void)state;
	must(LOAD_TWO);
	for (uint32_t id = 0; id < 3; id++)
		assert_false(is_dropped(id ? A_TOO : A, id));
	must("set f" SWAPPED);
	open_f(&f);
	assert_int_equal(filter_open_change(&f), 0);
	assert_int_equal(filter_stream_counters(&f, 0, &first), 0);
	assert_int_equal(filter_stream_counters(&f, 1, &second), 0);
	filter_close(&f);
	assert_int_equal(first.new, 2);
	assert_int_equal(second.new, 1);
}

/* The random test: what a plain model knows of each stream. */
#define EPISODES 10
#define CHANGES 9
#define IDS 60
#define PROBES 25

struct known {
	bool is;
	unsigned int at; /* the number of changes before it was seen */
};

static struct random_model {
	uint64_t seed;
	int order[STREAMS], cnt; /* the streams, as they are named to the tool */
	int realm[STREAMS];	 /* of each of them; -1: it is not there */
	unsigned int changes;
	unsigned int steady[STREAMS]; /* since then a stream is there, its realm with the same streams */
	unsigned int remade;	      /* the last change that made a new filter */
	unsigned int forgot;	      /* what only the one before that knew is forgotten */
	bool linked[STREAMS][STREAMS]; /* were they ever in one realm? */
	struct known known[STREAMS][IDS];
	bool wanted[IDS]; /* in a stream that went, or that has forgotten it: its copies say nothing */
	char what[1024]; /* was done last */
} m;

static uint32_t pick(uint32_t cnt)
{
	return random_next(&m.seed) % cnt;
}

/* Another choice of streams, order and realms. */
static void choose_streams(int order[STREAMS], int *cnt, int realm[STREAMS])
{
	*cnt = 0;
	for (int s = 0; s < STREAMS; s++) {
		realm[s] = -1;
		if (pick(4))
			order[(*cnt)++] = s;
	}
	if (!*cnt)
		order[(*cnt)++] = pick(STREAMS);
	for (int i = 0; i < *cnt; i++) {
		int with = pick(*cnt), was = order[i];

		order[i] = order[with];
		order[with] = was;
	}
	for (int i = 0; i < *cnt; i++) {
		bool joins = i && !pick(6) && order[i] != N && order[i - 1] != N &&
			     STREAM[order[i]].id_bytes == STREAM[order[i - 1]].id_bytes;

		realm[order[i]] = joins ? realm[order[i - 1]] : i;
	}
}

static size_t say_streams(char *to, size_t size, const int order[STREAMS], int cnt,
			  const int realm[STREAMS])
{
	size_t len = snprintf(to, size, " --profiles " PROFILES);

	for (int i = 0; i < cnt; i++)
		len += snprintf(to + len, size - len, " --profile %s:%u#r%d", STREAM[order[i]].name,
				STREAM[order[i]].port, realm[order[i]]);
	return len;
}

static const char *parameters(void)
{
	static const char *const PARAMETERS[] = {
		" --capacity 10k --layout blocked --hash fast",
		" --capacity 20k --layout blocked --hash siphash",
		" --capacity 30k --layout blocked --hash fast --fpr 2e-9",
		" --capacity 5k --layout flat --hash fast",
		" --capacity 8k --layout flat --hash siphash",
		" --capacity 4k --layout countdown --fpr 1e-8 --hash fast",
	};

	return PARAMETERS[pick(ARRAY_SIZE(PARAMETERS))];
}

static bool same_realms(const int a[STREAMS], const int b[STREAMS], int s)
{
	if (a[s] < 0 || b[s] < 0)
		return false;
	for (int t = 0; t < STREAMS; t++)
		if ((a[t] == a[s]) != (b[t] == b[s]))
			return false;
	return true;
}

/* The stream's name now: of two of one profile, that of the second has a number. */
static const char *name_now(int s)
{
	int first = 0;

	if (s != A && s != A_TOO)
		return STREAM[s].name;
	while (m.order[first] != A && m.order[first] != A_TOO)
		first++;
	return m.order[first] == s ? "a" : "a-2";
}

/* The streams are these now. */
static void note_streams(const int order[STREAMS], int cnt, const int realm[STREAMS])
{
	for (int s = 0; s < STREAMS; s++) {
		if (!same_realms(m.realm, realm, s))
			m.steady[s] = m.changes;
		for (int t = 0; t < STREAMS; t++)
			if (realm[s] >= 0 && realm[s] == realm[t])
				m.linked[s][t] = true;
	}
	/* The only one of its profile, which has other ports now. */
	for (int s = A, t = A_TOO; s <= A_TOO; s += A_TOO - A, t -= A_TOO - A)
		if (m.realm[s] >= 0 && m.realm[t] < 0 && realm[s] < 0 && realm[t] >= 0)
			m.linked[s][t] = m.linked[t][s] = true;
	memcpy(m.realm, realm, sizeof(m.realm));
	memcpy(m.order, order, sizeof(m.order));
	m.cnt = cnt;
}

static void close_links(void)
{
	for (int k = 0; k < STREAMS; k++)
		for (int i = 0; i < STREAMS; i++)
			for (int j = 0; j < STREAMS; j++)
				m.linked[i][j] |= m.linked[i][k] && m.linked[k][j];
}

/* One change, which may be refused: then nothing has changed. */
static void change_something(void)
{
	int order[STREAMS], realm[STREAMS], cnt, status;
	enum { SET, REPLACE, REPLACE_LAYOUT, RESIZE } kind = pick(4);
	bool forget = pick(2), makes = kind >= REPLACE_LAYOUT;
	size_t len;

	choose_streams(order, &cnt, realm);
	len = snprintf(m.what, sizeof(m.what), "$XD %s f",
		       kind == SET	? "set"
		       : kind == RESIZE ? "resize"
					: "load --replace --name");
	if (kind == RESIZE) {
		memcpy(order, m.order, sizeof(order));
		memcpy(realm, m.realm, sizeof(realm));
		cnt = m.cnt;
	} else {
		len += say_streams(m.what + len, sizeof(m.what) - len, order, cnt, realm);
	}
	snprintf(m.what + len, sizeof(m.what) - len, "%s%s", makes ? parameters() : "",
		 makes && forget ? " --forget" : "");
	status = sh_out(output, sizeof(output), "%s", m.what);
	if (strstr(output, "Sanitizer") || status > 1)
		fail_msg("%s: %d, %s", m.what, status, output);
	if (status && !strstr(output, "has a predecessor") &&
	    !strstr(output, "has no memory for these streams"))
		fail_msg("%s: %s", m.what, output);
	if (status)
		return;
	/* The memory had no table of sources. */
	makes |= strstr(output, "what was there before") != NULL;
	m.changes++;
	note_streams(order, cnt, realm);
	close_links();
	if (makes && forget)
		m.forgot = m.remade;
	if (makes)
		m.remade = m.changes;
}

/* Was the id seen by a stream that has been one realm with this one ever since? */
static bool must_be_known(int s, uint32_t id)
{
	for (int t = 0; t < STREAMS; t++) {
		const struct known *k = &m.known[t][id];

		if (m.realm[t] == m.realm[s] && k->is && k->at >= m.steady[s] && k->at >= m.forgot)
			return true;
	}
	return false;
}

static bool must_be_fresh(int s, uint32_t id)
{
	for (int t = 0; t < STREAMS; t++)
		if ((t == s || m.linked[s][t]) && m.known[t][id].is)
			return false;
	return true;
}

static void probe(void)
{
	int s = m.order[pick(m.cnt)];
	uint32_t id = pick(IDS);
	bool known = must_be_known(s, id), fresh = must_be_fresh(s, id);
	bool dropped = is_dropped(s, id);

	if (!m.wanted[id] && ((known && !dropped) || (fresh && dropped)))
		fail_msg("after %s: id %u of %s is %s, seed %llu", m.what, id, STREAM[s].name,
			 dropped ? "dropped, but fresh" : "passed, but known",
			 (unsigned long long)m.seed);
	/* A duplicate does not renew its id: it is as old as it was. */
	if (!dropped)
		m.known[s][id] = (struct known){ true, m.changes };
	m.known[s][id].is = true;
}

/* Wants an id that must be known, changes the filter, and sees one copy pass, and one alone. */
static void probe_want(void)
{
	int s = m.order[pick(m.cnt)];
	uint32_t id = pick(IDS), before = m.changes;
	bool known = !m.wanted[id] && must_be_known(s, id), wanted = known;
	char command[256];

	if (wanted) {
		snprintf(command, sizeof(command), "$XD want f/%s %s", name_now(s), hex_of(s, id));
		assert_run(0, command);
	}
	change_something();
	known = known && m.realm[s] >= 0 && m.steady[s] <= before && must_be_known(s, id);
	m.wanted[id] |= wanted && !known;
	if (known && (is_dropped(s, id) || !is_dropped(s, id)))
		fail_msg("after %s: id %u of %s was wanted, seed %llu", m.what, id, STREAM[s].name,
			 (unsigned long long)m.seed);
}

static void episode(void)
{
	int order[STREAMS], realm[STREAMS], cnt;
	uint64_t seed = m.seed;
	size_t len;

	memset(&m, 0, sizeof(m));
	memset(m.realm, -1, sizeof(m.realm));
	m.seed = seed;
	choose_streams(order, &cnt, realm);
	len = snprintf(m.what, sizeof(m.what), "$XD load v0 --name f --window 1h --fpr 1e-8");
	len += say_streams(m.what + len, sizeof(m.what) - len, order, cnt, realm);
	snprintf(m.what + len, sizeof(m.what) - len, "%s", parameters());
	assert_run(0, m.what);
	note_streams(order, cnt, realm);
	for (int i = 0; i < CHANGES; i++) {
		for (int j = 0; j < PROBES; j++)
			probe();
		probe_want();
	}
	for (int j = 0; j < PROBES; j++)
		probe();
	assert_run(0, "$XD unload --all");
}

static void any_changes(void **state)
{
	uint64_t episodes = environment_number("EPISODES", tries(1, EPISODES));

	(void)state;
	m.seed = environment_number("SEED", (uint64_t)time(NULL) << 20 | getpid());
	print_message("# SEED=%llu\n", (unsigned long long)m.seed);
	for (uint64_t i = 0; i < episodes; i++)
		episode();
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test_setup_teardown(realms_apart_stay_apart, setup, cli_teardown),
		cmocka_unit_test_setup_teardown(longer_ids_are_hashed_as_a_whole, setup, cli_teardown),
		cmocka_unit_test_setup_teardown(ids_that_are_made_otherwise_are_other_ids, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(keyless_hashes_take_no_other_stream, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(forgotten_streams_are_said, setup, cli_teardown),
		cmocka_unit_test_setup_teardown(wants_are_of_a_stream_not_of_a_place, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(deliveries_are_of_a_stream_not_of_a_place, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(deliveries_are_of_a_stream_after_a_restore, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(samples_are_of_a_stream_not_of_a_place, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(counters_are_of_a_stream_not_of_a_name, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(samples_of_a_stream_that_went_end, setup,
						cli_teardown),
		cmocka_unit_test_setup_teardown(any_changes, setup, cli_teardown),
	};

	cli_environment();
	leave_to_rest("@(*-larger|samples_of_a_stream_that_went_end)");
	leave_to_rest(
		"@(deliveries_are_of_a_stream_after_a_restore|longer_ids_are_hashed_as_a_whole)");
	leave_to_rest("unnamed-*-@(keep|goes)");
	leave_to_rest("@(from-*|gsp-*|numbered-for-*|numbered-alone-*|numbered-with-a-*)");
	leave_to_rest("@(numbered-@(set-*|with-another-*)|larger-*|to-flat-*|deliveries_*)");
	repeat_in_rest("any_changes");
	add_rows(ROWS, test_row, setup, cli_teardown);
	add_rows(UNNAMED, test_unnamed, setup, cli_teardown);
	add_tests(TESTS, ARRAY_SIZE(TESTS));
	return run_added_tests("streams_change");
}
