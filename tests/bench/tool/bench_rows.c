// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens and fills the rows. */
#include "bench_setup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.skel.h"
#include "bits.h"
#include "config_streams.h"
#include "diag.h"
#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "layout.h"
#include "open_filter.h"
#include "plan.h"
#include "proc.h"
#include "profile.h"
#include "tunnels.h"
#include "units.h"

#define WINDOW_NS (24 * 3600 * 1000000000ULL) /* so long that the hand does not move */
#define BENCH_SOURCES 16		      /* of the numbered rows, which send by one */
#define BENCH_PATHS_CNT 2
#define BLOOM_K_MAX 15
#define LRU_ENTRY_BYTES 88 /* key, value, and what the kernel adds */
#define LRU_BUCKET_BYTES 16

/* A stream with the packets' ids; it skips the GSP/1 header. */
#define FIELDS "[profile fields]\nlayer = udp\nid = payload+8:32\n"
#define NUMBERED                                                   \
	"[profile numbered]\nlayer = udp\nsource = payload+24:8\n" \
	"sequence = payload+32:8\nhistory = 10M\nreset = 1h\n"
#define PAYLOAD "[profile payload]\nlayer = udp\nid = payload\n"
#define MIRROR "[profile mirror]\nlayer = ip\nid = packet\n"

/* The streams of the rows of this project, and their packets. */
static const struct {
	uint32_t streams;
	const char *profile; /* NULL: the filter has only GSP/1 */
	enum bench_packet packet;
	bool tunnels;
} ROWS[BENCH_ROWS_CNT] = {
	[BENCH_STREAM] = { 1, FIELDS, BENCH_LONG, false },
	[BENCH_STREAMS] = { 8, FIELDS, BENCH_LONG, false },
	[BENCH_NUMBERED] = { 1, NUMBERED, BENCH_LONG, false },
	[BENCH_PATHS] = { 1, NUMBERED, BENCH_LONG, false },
	[BENCH_PAYLOAD] = { 1, PAYLOAD, BENCH_LONG, false },
	[BENCH_MIRROR] = { 1, MIRROR, BENCH_PLAIN, false },
	[BENCH_TUNNELS] = { 1, MIRROR, BENCH_PLAIN, true },
	[BENCH_VXLAN] = { 1, MIRROR, BENCH_IN_VXLAN, true },
	[BENCH_GRE] = { 1, MIRROR, BENCH_IN_GRE, true },
	[BENCH_ERSPAN] = { 1, MIRROR, BENCH_IN_ERSPAN, true },
};

/* Adds a row's streams, each with its own port; the fifth has the packets' port. */
static int add_streams(enum bench_row row, struct filter_spec *spec)
{
	const char *text = ROWS[row].profile;
	struct profiles profiles = { 0 };
	struct profile_error err;

	if (profiles_parse(&profiles, text, strlen(text), PROFILE_BUILTIN, &err))
		return diag_err(-EINVAL, "the bench's own profile is wrong: %s", err.says);
	spec->streams_cnt = ROWS[row].streams;
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		uint16_t port = spec->streams_cnt > 1 ? BENCH_PORT + i - 4 : BENCH_PORT;
		struct spec_stream *st = &spec->streams[i];

		*st = (struct spec_stream){
			.stream = profiles.list->stream,
			.numbered = profiles.list->numbered,
			.ports = { { port, port } },
			.ports_cnt = profiles.list->stream.layer == DEDUP_UDP,
		};
		st->stream.realm = i;
	}
	profiles_free(&profiles);
	return 0;
}

/* Plans the filter of a row. Returns 0 or -errno (logged). */
static int plan_row(const struct bench *b, enum bench_row row, struct dedup_config *cfg)
{
	struct filter_spec spec = {
		.capacity = b->capacity,
		.fpr_e18 = SPEC_FPR(b->setting.fpr),
		.window_ns = WINDOW_NS,
		.sources = BENCH_SOURCES,
		.paths = row == BENCH_PATHS ? BENCH_PATHS_CNT : 0,
		.layout = row == BENCH_FLAT ? DEDUP_FLAT : DEDUP_BLOCKED,
		.hash = row == BENCH_SIPHASH ? DEDUP_SIPHASH : DEDUP_FAST,
		.streams = { { SPEC_GSP, .ports = { { BENCH_PORT, BENCH_PORT } }, .ports_cnt = 1 } },
		.streams_cnt = 1,
	};
	int err = ROWS[row].profile ? add_streams(row, &spec) : 0;

	if (!err && ROWS[row].tunnels)
		err = parse_tunnels("all", &spec.tunnels);
	spec.given.tunnels = ROWS[row].tunnels;
	if (!err)
		err = plan_local(&spec, cfg);
	/* With this, load does not move the hand either. */
	cfg->memory.turn_ids = cfg->memory.full_ids = UINT64_MAX / 4;
	return err;
}

int bench_open_filter(struct bench *b, enum bench_row row)
{
	struct bench_subject *s = &b->subject[row];
	struct dedup_config cfg;
	int err = plan_row(b, row, &cfg) ?: loader_private_open(&cfg, &s->filter, &s->prog);

	if (err)
		return err;
	/* The frames have the MAC 0, which own_macs_set() would write like this. */
	s->filter.record->own_mac = 0;
	s->fd = loader_private_prog_fd(s->prog);
	s->packet = ROWS[row].packet;
	return 0;
}

/* Returns the size of the kernel's bloom map (kernel/bpf/bloom_filter.c); 7 / 5 is some 1 / ln 2. */
static uint64_t bloom_bits(uint64_t ids, uint32_t k)
{
	uint64_t bits = 64;

	while (bits < ids * k * 7 / 5 && bits < 1ULL << 32)
		bits *= 2;
	return bits;
}

static double bloom_rate(uint64_t ids, uint32_t k)
{
	return pow(1 - exp(-(double)k * ids / bloom_bits(ids, k)), k);
}

/* Returns the fewest hashes with which the bloom map keeps p, at most BLOOM_K_MAX. The kernel
 * rounds its memory up to a power of 2.
 */
static uint32_t bloom_k(const struct bench *b)
{
	uint32_t k = 1;

	while (k < BLOOM_K_MAX && bloom_rate(b->capacity, k) > b->setting.fpr)
		k++;
	return k;
}

static uint64_t lru_bytes(uint64_t ids)
{
	uint64_t buckets = 1;

	while (buckets < ids)
		buckets *= 2;
	return ids * LRU_ENTRY_BYTES + buckets * LRU_BUCKET_BYTES;
}

/* Sets *bytes to the memory of a row. The shipped filter's counts twice: BENCH_LINE and
 * BENCH_PADDED share as much.
 */
static int row_bytes(const struct bench *b, enum bench_row row, uint64_t *bytes)
{
	struct dedup_config cfg;
	int err = 0;

	*bytes = 0;
	if (row == BENCH_BLOOM) {
		*bytes = bloom_bits(b->capacity, bloom_k(b)) / 8;
	} else if (row == BENCH_LRU) {
		*bytes = lru_bytes(b->capacity);
	} else {
		err = plan_row(b, row, &cfg);
		*bytes = err ? 0 : plan_bytes(&cfg) * (row == BENCH_SHIPPED ? 2 : 1);
	}
	return err;
}

/* Chooses, in their order, the rows that fit into three quarters of the available memory. Returns
 * -ENOMEM if the shipped filter does not.
 */
static int choose_rows(const struct bench *b, bool logs, bool *fits)
{
	uint64_t room = kernel_memory_available() / 4 * 3, bytes;

	for (int row = BENCH_SHIPPED; row < BENCH_ROWS_CNT; row++) {
		fits[row] = !row_bytes(b, row, &bytes);
		if (!fits[row])
			continue;
		fits[row] = bytes <= room;
		if (fits[row])
			room -= bytes;
		else if (logs)
			diag_note("%" PRIu64
				  " ids: left out: %s, which takes %s; there is room for %s",
				  b->setting.ids, bench_row_name(row), FORMAT_BYTES(bytes),
				  FORMAT_BYTES(room));
	}
	return fits[BENCH_SHIPPED] ? 0 : -ENOMEM;
}

int bench_open_peers(struct bench *b, bool bloom, bool lru, uint32_t race)
{
	struct bench_bpf *skel = bench_bpf__open();
	const struct bench_subject *shipped = &b->subject[BENCH_SHIPPED];
	int err;

	if (!skel)
		return diag_err(-errno, "cannot open the BPF object: %s", strerror(errno));
	b->skel = skel;
	*(struct dedup_config *)&skel->rodata_config->config = *shipped->filter.config;
	bpf_map__set_max_entries(skel->maps.passes, race ? race : 1);
	bpf_map__set_max_entries(skel->maps.lru, lru ? b->capacity : 1);
	bpf_map__set_max_entries(skel->maps.bloom, bloom ? b->capacity : 1);
	bpf_map__set_map_extra(skel->maps.bloom, bloom_k(b));
	bpf_map__set_max_entries(skel->maps.filter, dedup_blocks(shipped->filter.config));
	err = bpf_map__reuse_fd(skel->maps.stats, shipped->filter.stats_fd) ?: bench_bpf__load(skel);
	if (err)
		return diag_err(err,
				"cannot load the bench's BPF object: %s" ADVICE
				"--verbose shows what the kernel says",
				strerror(-err));
	b->streams = skel->data_streams->streams;
	b->subject[BENCH_FLOOR].fd = bpf_program__fd(skel->progs.parse_and_drop);
	b->subject[BENCH_LINE].fd = bpf_program__fd(skel->progs.one_line);
	b->subject[BENCH_PADDED].fd = bpf_program__fd(skel->progs.one_line_padded);
	if (bloom) {
		b->subject[BENCH_BLOOM].fd = bpf_program__fd(skel->progs.bloom_filter);
		b->subject[BENCH_BLOOM].count_fd = bpf_program__fd(skel->progs.bloom_filter_count);
	}
	if (lru) {
		b->subject[BENCH_LRU].fd = bpf_program__fd(skel->progs.lru_hash);
		b->subject[BENCH_LRU].count_fd = bpf_program__fd(skel->progs.lru_hash_count);
	}
	return 0;
}

int bench_open(struct bench *b, bool logs)
{
	bool fits[BENCH_ROWS_CNT] = { false };
	int err = choose_rows(b, logs, fits);

	for (int row = BENCH_SHIPPED; row < BENCH_BLOOM && !err; row++)
		if (fits[row])
			err = bench_open_filter(b, row);
	return err ?: bench_open_peers(b, fits[BENCH_BLOOM], fits[BENCH_LRU], 0);
}

void bench_close(struct bench *b)
{
	bench_bpf__destroy(b->skel);
	b->skel = NULL;
	for (int row = 0; row < BENCH_ROWS_CNT; row++) {
		struct bench_subject *s = &b->subject[row];

		if (s->prog)
			loader_private_close(&s->filter, s->prog);
		*s = (struct bench_subject){ .fd = -1, .count_fd = -1, .salt = row };
	}
}

/* Returns the memory that the kernel accounts for a map; 0 if that is unknown. */
static uint64_t map_bytes(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return proc_number(path, "memlock:");
}

void bench_describe(const struct bench *b, struct bench_result *out)
{
	out->setting = b->setting;
	out->capacity = b->capacity;
	out->cpus = b->cpus_cnt;
	for (int row = 0; row < BENCH_ROWS_CNT; row++) {
		const struct bench_subject *s = &b->subject[row];
		const struct dedup_config *c = s->filter.config;

		out->measured[row] = s->fd >= 0;
		if (!s->prog)
			continue;
		out->bytes_an_id[row] = (double)plan_bytes(c) / b->capacity;
		if (!streams_any_hashed(c))
			continue;
		out->fpr[row] = layout_of(c->memory.layout)->rate(c, b->capacity);
		out->hashes[row] = c->memory.k;
	}
	if (out->measured[BENCH_BLOOM]) {
		out->bytes_an_id[BENCH_BLOOM] =
			(double)map_bytes(bpf_map__fd(b->skel->maps.bloom)) / b->capacity;
		out->fpr[BENCH_BLOOM] = bloom_rate(b->capacity, bloom_k(b));
		out->hashes[BENCH_BLOOM] = bloom_k(b);
	}
	if (out->measured[BENCH_LRU])
		out->bytes_an_id[BENCH_LRU] =
			(double)map_bytes(bpf_map__fd(b->skel->maps.lru)) / b->capacity;
}

/* Makes the hand pass this many positions, whole segments, and waits until it has. */
static void pass_places(struct filter *f, uint64_t places)
{
	uint64_t goal = dedup_hand_request(f->state, f->config, places, false);

	while (READ_ONCE(f->state->passed) < goal)
		usleep(1000);
}

/* Fills the filter to its state in the middle of a turn, with the hand halfway. In the blocks that
 * the hand has just passed, the previous halves have a window's ids, and the current halves a
 * quarter of that; in the other blocks, a window's ids and three quarters of that.
 */
static int fill_blocked(struct bench *b, struct bench_subject *s)
{
	const struct dedup_config *c = s->filter.config;
	uint64_t half =
		c->memory.places / c->memory.segment_places / 2 * (uint64_t)c->memory.segment_places;
	int err = 0;

	for (int i = 0; i < 3 && !err; i++) {
		s->known = s->next + b->setting.ids / 4;
		err = bench_fill(b, s, b->setting.ids / 2);
		if (!err)
			pass_places(&s->filter, i == 1 ? c->memory.places - half : half);
	}
	return err ?: bench_fill(b, s, bench_known(b) - b->setting.ids / 4);
}

int bench_fill_row(struct bench *b, enum bench_row row)
{
	struct bench_subject *s = &b->subject[row];
	uint64_t ids = b->setting.ids;
	int err = 0;

	if (s->prog && row != BENCH_FLAT && streams_any_hashed(s->filter.config))
		return fill_blocked(b, s);
	if (row < BENCH_SHIPPED) { /* the row stores no ids */
		s->next = bench_known(b);
		return 0;
	}
	if (row == BENCH_FLAT) {
		err = bench_fill(b, s, ids);
		if (!err)
			pass_places(&s->filter, s->filter.config->memory.places);
	} else if (row == BENCH_LRU) {
		err = bench_fill(b, s, ids - bench_known(b));
	}
	s->known = s->next;
	return err ?: bench_fill(b, s, bench_known(b));
}
