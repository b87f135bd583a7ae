// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "flow.h"
#include "id_table.h"
#include "program.h"
#include "secrets.h"

#define TIME_MAX_NS (INT64_MAX / 2) /* so that differences of the filter's times do not overflow */
#define PROGRESS_PACKETS 64	    /* few, as a packet after a long pause takes long */
#define FRAME_MAX 262144	    /* capturing programs cut longer frames */
#define ETHERNET_HEADER 14
#define SENDERS 0x10000 /* first realm of the senders of numbered streams in the table of ids */

struct run {
	const struct replay_spec *spec;
	struct replay_result *out;
	struct dedup_config cfg;
	struct engine *engine;
	struct id_table *ids;
	uint64_t now_ns;	   /* since the first packet; never decreases */
	uint8_t padded[FRAME_MAX]; /* a cut frame, with zeros for the missing bytes */
};

/* A frame in the form in which the filter would get it. */
struct frame_view {
	const uint8_t *data;
	uint32_t len;
	struct program_id id;
	uint64_t key; /* the id's in the table of ids, if the frame has an id */
	bool identified;
};

static void identify_frame(const struct run *r, struct frame_view *v)
{
	if (v->identified)
		return;
	program_identify(v->data, v->len, &v->id);
	if (v->id.reason < 0)
		v->key = id_table_key(r->ids, v->id.realm, &v->id.id, v->id.words);
	v->identified = true;
}

/* Pads the frame to its length on the wire. Returns false if the filter reads missing bytes. */
static bool view_frame(struct run *r, const struct capture_frame *f, struct frame_view *v)
{
	*v = (struct frame_view){ .data = f->data, .len = f->len };
	if (f->wire_len <= f->len)
		return true;
	if (f->wire_len > FRAME_MAX)
		return false;
	memcpy(r->padded, f->data, f->len);
	memset(r->padded + f->len, 0, f->wire_len - f->len);
	v->data = r->padded;
	v->len = f->wire_len;
	identify_frame(r, v);
	return v->id.extent <= f->len;
}

/* Returns the time of the packet, or of an earlier one if the file's times go back. */
static uint64_t packet_time(struct run *r, const struct capture_frame *f)
{
	struct replay_result *out = r->out;
	uint64_t ns;

	if (!out->packets)
		out->first_ns = out->last_ns = f->ns;
	if (f->ns < out->last_ns)
		out->backwards++;
	else
		out->last_ns = f->ns;
	ns = out->last_ns - out->first_ns;
	return ns < TIME_MAX_NS ? ns : TIME_MAX_NS;
}

static int fail_memory(void)
{
	return diag_err(-ENOMEM, "no memory for the ids that came" ADVICE "lower --memory");
}

/* Sets *cnt to the number of packets of a numbered stream's sender, including this one. */
static int note_sender(struct run *r, const struct frame_view *v, uint64_t *cnt)
{
	const struct dedup_numbered *numbered = &r->cfg.numbered[v->id.stream];
	struct id_table_entry *sender;
	uint64_t key;

	*cnt = 0;
	if (!numbered->width)
		return 0;
	key = id_table_key(r->ids, SENDERS + v->id.realm, &v->id.id, v->id.words - 1);
	sender = id_table_note(r->ids, key, r->now_ns);
	if (!sender)
		return fail_memory();
	*cnt = sender->copies;
	return 0;
}

/* Returns the key of the packet's i-th message. */
static uint64_t message_key(const struct run *r, const struct frame_view *v, uint32_t i)
{
	const struct dedup_numbered *n = &r->cfg.numbered[v->id.stream];
	struct dedup_id id = v->id.id;
	__u64 *last = &id.word[v->id.words - 1];
	uint64_t field, number;

	if (!i)
		return v->key;
	field = ~0ULL >> (64 - n->width) << n->shift;
	number = dedup_integer_in(*last, n->little, 0);
	number = (number & ~field) | ((number + ((uint64_t)i << n->shift)) & field);
	*last = dedup_integer_in(number, n->little, 0);
	return id_table_key(r->ids, v->id.realm, &id, v->id.words);
}

/* Returns whether the filter can still know this id, or this message after `cnt` packets of its
 * sender. The filter forgets ids within two windows and some ticks of its hand. After the numbers
 * have wrapped, a number is another message's.
 */
static bool may_be_known(const struct run *r, const struct frame_view *v,
			 const struct id_table_entry *entry, uint64_t cnt)
{
	uint32_t width = r->cfg.numbered[v->id.stream].width;
	uint64_t slack_ns = 2 * r->cfg.memory.tick_ns + r->cfg.memory.late_ns;

	if (entry->learned_ns == UINT64_MAX)
		return false;
	if (width)
		return width > 32 || cnt - entry->mark[0] < 3ULL << width >> 2;
	return r->now_ns - entry->learned_ns <= 2 * r->cfg.memory.window_ns + slack_ns;
}

/* Notes one id, or message, of a frame. Clears *known if the filter cannot know it, and *seen if
 * this is its first packet.
 */
static int note_message(struct run *r, const struct frame_view *v, const struct answer *a,
			uint32_t i, uint64_t cnt, bool *known, bool *seen)
{
	struct id_table_entry *entry = id_table_note(r->ids, message_key(r, v, i), r->now_ns);
	struct replay_stream *s = &r->out->streams[a->stream];

	if (!entry)
		return fail_memory();
	s->copies++;
	s->ids += entry->copies == 1;
	if (entry->copies > s->most_copies)
		s->most_copies = entry->copies;
	if (entry->copies > 1)
		histogram_add(&s->ages, r->now_ns - entry->first_ns);
	*known &= may_be_known(r, v, entry, cnt);
	*seen &= entry->copies > 1;
	/* A far number begins a run, so its copies are known. */
	if (a->reason != DEDUP_REASON_new && a->reason != DEDUP_REASON_far_number)
		return 0;
	entry->learned_ns = r->now_ns;
	entry->mark[0] = cnt;
	return 0;
}

/* Notes the ids of a frame that is new, a duplicate, or unlearned. */
static int note_frame_ids(struct run *r, struct frame_view *v, const struct answer *a)
{
	struct replay_stream *s = &r->out->streams[a->stream];
	bool known = true, seen = true;
	uint64_t cnt;
	int err;

	identify_frame(r, v);
	if (v->id.reason >= 0) /* an IHAVE */
		return 0;
	err = note_sender(r, v, &cnt);
	for (uint32_t i = 0; i < v->id.messages && !err; i++)
		err = note_message(r, v, a, i, cnt, &known, &seen);
	if (a->reason == DEDUP_REASON_duplicate)
		s->dropped_first += !known;
	else
		s->missed += seen;
	return err;
}

static int count(struct run *r, const struct capture_frame *f, struct frame_view *v,
		 const struct answer *a)
{
	struct replay_stream *s = &r->out->streams[a->stream];
	bool has_id = a->reason == DEDUP_REASON_new || a->reason == DEDUP_REASON_duplicate ||
		      a->reason == DEDUP_REASON_unlearned ||
		      a->reason == DEDUP_REASON_late_number || a->reason == DEDUP_REASON_far_number;
	struct flow flow;

	s->reasons[a->reason]++;
	if (a->reason == DEDUP_REASON_ignored)
		return 0;
	s->bytes += v->len;
	s->duplicate_bytes += a->drops ? v->len : 0;
	s->iface_packets[f->iface]++;
	s->iface_duplicates[f->iface] += a->drops;
	timeline_note(&s->timeline, r->now_ns, a->drops);
	flow_of(&flow, v->data, v->len);
	if (sources_note(s->sources, &flow, v->data, v->len, a->drops))
		return diag_err(-ENOMEM, "no memory for the sources of packets");
	return has_id ? note_frame_ids(r, v, a) : 0;
}

static int replay_frame(struct run *r, const struct capture_frame *f)
{
	struct answer a = { .reason = DEDUP_REASON_truncated };
	struct capture_out *to;
	struct frame_view v;
	int err = 0;

	r->now_ns = packet_time(r, f);
	r->out->packets++;
	if (f->outgoing) {
		r->out->outgoing++;
		return 0;
	}
	if (!view_frame(r, f, &v)) {
		r->out->snapped++;
		return 0;
	}
	r->out->bytes += v.len;
	/* The kernel does not run a program on less than an Ethernet header. */
	if (v.len >= ETHERNET_HEADER) {
		identify_frame(r, &v);
		/* Prefetches the id's entry while the program waits for the filter's memory. */
		if (v.id.reason < 0)
			id_table_prefetch(r->ids, v.key);
		engine_set_interface(r->engine, f->iface + 1);
		err = engine_run(r->engine, v.data, v.len, r->now_ns, &a);
	}
	if (!err)
		err = count(r, f, &v, &a);
	to = a.drops ? r->spec->dropped : r->spec->passed;
	if (!err && to)
		err = capture_write(to, f);
	return err;
}

static int replay_all(struct run *r, struct capture *c)
{
	struct capture_frame f;
	int got = 1, err = 0;

	while (!err && got > 0) {
		got = capture_next(c, &f);
		if (got > 0)
			err = replay_frame(r, &f);
		if (r->spec->progress && r->out->packets % PROGRESS_PACKETS == 0)
			r->spec->progress(c, r->out->packets);
	}
	r->out->foreign = capture_foreign_cnt(c);
	return err ?: got;
}

static int make_streams(struct replay_result *out, uint32_t cnt)
{
	out->streams = calloc(cnt, sizeof(*out->streams));
	if (!out->streams)
		return -ENOMEM;
	out->streams_cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++) {
		out->streams[i].sources = sources_open();
		if (!out->streams[i].sources)
			return -ENOMEM;
	}
	return 0;
}

/* Opens the engine, and the program in user space, which identifies frames for either engine. */
static int open_engine(struct run *r)
{
	int err = secrets_set(NULL, &r->cfg);

	if (err)
		return diag_err(err, "the kernel's random source gave no secret");
	err = engine_open(r->spec->engine, &r->cfg, r->spec->mac, &r->engine);
	if (err || r->spec->engine == ENGINE_USER)
		return err;
	if (program_open(&r->cfg, false, 0))
		return -ENOMEM;
	engine_set_mac(&r->cfg, r->spec->mac, program_record());
	return 0;
}

int replay_run(const struct replay_spec *spec, struct capture *c, struct replay_result *out)
{
	uint32_t streams = spec->cfg->policy.streams_cnt;
	struct run *r = calloc(1, sizeof(*r));
	int err;

	*out = (struct replay_result){ 0 };
	if (!r || make_streams(out, streams)) {
		replay_free(out);
		free(r);
		return diag_err(-ENOMEM, "no memory");
	}
	r->spec = spec;
	r->out = out;
	r->cfg = *spec->cfg;
	err = id_table_open(sizeof(uint64_t), spec->memory, &r->ids);
	if (err)
		diag_err(err, "no memory for the ids that come" ADVICE "lower --memory");
	else
		err = open_engine(r);
	if (!err) {
		err = replay_all(r, c);
		out->early = engine_filter(r->engine)->state->early;
		sender_list_read(engine_filter(r->engine), UINT32_MAX, &out->senders);
		out->known_since_ns = id_table_known_since(r->ids);
	} else {
		replay_free(out);
	}
	engine_close(r->engine);
	if (spec->engine != ENGINE_USER)
		program_close();
	id_table_close(r->ids);
	free(r);
	return err;
}

void replay_free(struct replay_result *r)
{
	for (uint32_t i = 0; r->streams && i < r->streams_cnt; i++)
		sources_close(r->streams[i].sources);
	free(r->streams);
	sender_list_free(&r->senders);
	*r = (struct replay_result){ 0 };
}
