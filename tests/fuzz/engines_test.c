// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random filters, given random frames at random times: the packet program in the kernel and in user
 * space gives every frame the same reason, stream and verdict, a plain model finds the same ids, and
 * the filter keeps what it promises of them. SEED, CASES and FRAMES (in each case) in the
 * environment try others, or more; without root, or with USER_ONLY=1, the kernel is left out.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "destination.h"
#include "engine.h"
#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "plan.h"
#include "program.h"
#include "promises.h"
#include "random_profiles.h"
#include "streams.h"
#include "test_run.h"

#define KERNEL_CASES 220
#define USER_CASES 40
#define FRAMES 4800
#define CPUS 2
#define HZ 250
#define MS 1000000ULL
#define DAY_NS (24 * 3600 * 1000 * MS)

/* Naive steps that are worth their time, in a case. */
#define STEPS_MAX 300000

/* BPF_PROG_TEST_RUN gives a frame's first buffer so many bytes: a page without what is before and
 * behind a frame there.
 */
#define FIRST_BUFFER 3520

#define NOTHING_COUNTED DEDUP_REASONS_CNT

struct input {
	uint64_t given_ns, ns; /* as engine_see() is told, and the time that it is then */
	uint32_t len, gsp;     /* gsp: as in struct frame */
	uint8_t *bytes;
	bool has_id;
};

/* One filter, its frames, and what became of them. */
struct run {
	uint64_t seed;
	struct random_filter random;
	struct dedup_config cfg;
	const uint8_t *mac; /* NULL: no frame's is the host's */
	uint32_t fresh,
		span;	  /* one frame in `fresh` has new ids; copies come within `span` frames */
	uint64_t step_ns; /* between two frames, about */
	bool gap;	  /* at some time nothing came for long */

	struct input *inputs;
	uint32_t cnt;
	struct answer *user, *kernel, *naive;
	struct dedup_state user_state;
	struct promises promises;
	uint64_t reasons[DEDUP_REASONS_CNT]; /* how often each came, in all cases */
	uint64_t frames, drops, naive_cases; /* in all cases */
};

static const char *const REASONS[] = {
#define X(name, help) #name,
	DEDUP_REASONS(X)
#undef X
};

__attribute__((format(printf, 3, 4), noreturn)) static void complain(const struct run *r, uint32_t n,
								     const char *format, ...)
{
	const struct input *in = &r->inputs[n];
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	print_error("SEED=%llu CASES=1 FRAMES=%u, frame %u at %llu ns: %s\n",
		    (unsigned long long)r->seed, r->cnt, n, (unsigned long long)in->ns, what);
	print_error("%s; layout %u hash %u capacity %llu window %llu ns%s%s%s%s\n", r->random.text,
		    r->cfg.layout, r->cfg.hash, r->cfg.capacity, r->cfg.window_ns,
		    r->cfg.learn_app ? " app" : "", r->random.spec.count_only ? " count" : "",
		    r->cfg.ihave_pass ? " ihave pass" : "", r->mac ? "" : " no MAC");
	for (uint32_t i = 0; i < in->len; i++)
		print_error("%02x%s", in->bytes[i], i % 32 == 31 ? "\n" : "");
	print_error("\n");
	fail();
	abort();
}

static uint64_t any64(struct run *r, uint64_t below)
{
	return random_next(&r->random.seed) % below;
}

/* A number of all magnitudes up to this. */
static uint64_t any_magnitude(struct run *r, uint64_t least, uint64_t most)
{
	uint64_t top = least;

	while (top < most && !one_in(&r->random, 12))
		top *= 2;
	top = top < most ? top : most;
	return least + any64(r, top - least + 1);
}

/* The secrets, too, follow from the seed. */
static void draw_secrets(struct run *r)
{
	struct dedup_config *c = &r->cfg;
	uint64_t realm_keys[DEDUP_STREAMS_MAX];

	for (uint32_t i = 0; i < DEDUP_KEYS; i++)
		c->key[i] = random_next(&r->random.seed);
	for (uint32_t i = 0; i < DEDUP_STREAMS_MAX; i++)
		realm_keys[i] = random_next(&r->random.seed);
	for (uint32_t i = 0; i < c->streams_cnt; i++)
		c->streams[i].realm_key = realm_keys[c->streams[i].realm];
	for (uint32_t i = 0; i < DEDUP_DIGEST_KEYS; i++)
		c->digest_key[i] = random_next(&r->random.seed);
}

/* False if there is no such filter. */
static bool make_filter(struct run *r)
{
	static const double RATES[] = { 1e-12, 1e-12, 1e-1, 1e-2, 1e-4 };
	struct random_filter *f = &r->random;
	struct filter_spec *spec = &f->spec;
	char says[STREAMS_SAYS_MAX];

	f->plain = false;
	if (one_in(f, 6))
		random_gsp_filter(f);
	else
		random_filter(f);
	spec->window_ns = any_magnitude(r, SPEC_WINDOW_MIN_NS, 21 * DAY_NS);
	spec->capacity = any_magnitude(r, 1, 10000);
	spec->ihave_pass = one_in(f, 4);
	spec->learn_app &= one_in(f, 2);
	if (f->plain)
		spec->bits = 1U << (10 + any(f, 14));
	else
		spec->fpr = RATES[any(f, ARRAY_SIZE(RATES))];
	if (spec->layout == DEDUP_COUNTDOWN)
		spec->countdown_bits = 1 + any(f, 6);
	if (streams_refusal(spec, says) || plan_config(spec, CPUS, HZ, &r->cfg))
		return false;
	draw_secrets(r);
	r->mac = one_in(f, 16) ? NULL : (const uint8_t[])FRAME_MAC;
	return true;
}

/* So many that overload comes in some filters, and none in others. */
static void choose_times(struct run *r)
{
	static const uint32_t SPANS[] = { 8, 64, 512, FRAMES };
	uint32_t in_a_window = 50 << any(&r->random, 8);

	r->step_ns = r->cfg.window_ns / in_a_window;
	r->fresh = 2 + any(&r->random, 8);
	r->span = SPANS[any(&r->random, ARRAY_SIZE(SPANS))];
}

static uint64_t jump_ns(struct run *r)
{
	uint64_t window = r->cfg.window_ns;
	const uint64_t JUMPS[] = { window / 2, window - 1,     window,
				   window + 1, 2 * window,     2 * window + r->cfg.tick_ns,
				   3 * window, r->cfg.tick_ns, any64(r, 5 * window) };

	if (one_in(&r->random, 10))
		return any_magnitude(r, window, 300 * DAY_NS);
	return JUMPS[any(&r->random, ARRAY_SIZE(JUMPS))];
}

/* When the next frame comes: mostly soon, now and then much later, or, so it is told, earlier. */
static uint64_t next_ns(struct run *r, uint64_t now_ns)
{
	switch (any(&r->random, 512)) {
	case 0:
		return now_ns + jump_ns(r);
	case 1 ... 4:
		return now_ns - any64(r, now_ns + 1);
	case 5 ... 100:
		return now_ns;
	case 101 ... 200:
		return now_ns + any64(r, 1000);
	case 201 ... 264: /* just when the hand steps, perhaps */
		return now_ns / r->cfg.tick_ns * r->cfg.tick_ns + r->cfg.tick_ns;
	default:
		return now_ns + any64(r, 2 * r->step_ns);
	}
}

/* Other bytes, where ids may be. */
static void freshen(struct run *r, struct frame *f)
{
	for (uint32_t i = 1 + any(&r->random, 2); i; i--) {
		uint32_t at = one_in(&r->random, 8) || f->gsp >= f->len
				      ? any(&r->random, f->len)
				      : f->gsp + any(&r->random,
						     f->len - f->gsp < 48 ? f->len - f->gsp : 48);
		uint64_t word = random_next(&r->random.seed);
		uint32_t cnt = 1 + any(&r->random, 8);

		memcpy(f->data + at, &word, cnt < f->len - at ? cnt : f->len - at);
	}
}

static struct model_frame model_frame_of(const struct run *r, const uint8_t *bytes, uint32_t len)
{
	static const uint8_t NOBODY[6] = { 1 }; /* whose frames are for everybody */
	struct model_frame f = { .bytes = bytes, .len = len };

	f.first = len < FIRST_BUFFER ? len : FIRST_BUFFER;
	memcpy(f.host, r->mac ? r->mac : NOBODY, 6);
	return f;
}

/* Of GSP/1: another type. So lists of ids that are known come, too. */
static void change_type(struct run *r, struct frame *f)
{
	if (f->gsp + 8 < f->len && !memcmp(f->data + f->gsp, "GSP1", 4))
		f->data[f->gsp + 4] = 1 + any(&r->random, 3);
}

/* Has it an id, or several? */
static bool has_id(const struct run *r, const struct frame *f)
{
	static struct model_answer answer;
	struct model_frame model = model_frame_of(r, f->data, f->len);

	stream_model_judge(&r->random.model, &model, &answer);
	return answer.has_id || answer.ids_cnt;
}

/* A copy of a frame of late, preferably of one with an id. */
static void copy_frame(struct run *r, struct frame *f)
{
	const struct input *from;

	for (int tries = 0; tries < 4; tries++) {
		from = &r->inputs[r->cnt - 1 - any(&r->random, r->cnt < r->span ? r->cnt : r->span)];
		if (from->has_id)
			break;
	}
	f->len = from->len;
	f->ip = 0; /* nothing in it is known */
	f->gsp = from->gsp;
	memcpy(f->data, from->bytes, from->len);
}

/* Most that other frames would not lead to an id are left out. */
static void new_frame(struct run *r, struct frame *f)
{
	for (int tries = 0; tries < 8; tries++) {
		random_frame(&r->random, f);
		if (one_in(&r->random, 6) || has_id(r, f))
			break;
	}
}

static void make_input(struct run *r, struct input *in)
{
	static struct frame f;

	if (r->cnt && !one_in(&r->random, 4))
		copy_frame(r, &f);
	else
		new_frame(r, &f);
	if (one_in(&r->random, r->fresh))
		freshen(r, &f);
	if (one_in(&r->random, 6))
		change_type(r, &f);
	in->len = f.len;
	in->gsp = f.gsp;
	in->has_id = has_id(r, &f);
	in->bytes = malloc(in->len); /* so that AddressSanitizer knows its end */
	assert_non_null(in->bytes);
	memcpy(in->bytes, f.data, in->len);
}

static void make_inputs(struct run *r, uint32_t frames)
{
	uint64_t now_ns = 0;

	choose_times(r);
	r->gap = false;
	for (r->cnt = 0; r->cnt < frames; r->cnt++) {
		struct input *in = &r->inputs[r->cnt];

		make_input(r, in);
		in->given_ns = next_ns(r, now_ns);
		in->ns = in->given_ns > now_ns ? in->given_ns : now_ns;
		r->gap |= in->ns - now_ns > 3 * r->cfg.window_ns;
		now_ns = in->ns;
	}
}

/* Fields of struct dedup_state that the hand writes, up to this one. */
#define HAND_BYTES (offsetof(struct dedup_state, started_ns) - offsetof(struct dedup_state, passed))

static void compare_hands(const struct run *r, const struct dedup_state *other, const char *name)
{
	const struct dedup_state *own = &r->user_state;

	if (own->hand != other->hand || own->learned != other->learned ||
	    own->limit != other->limit || memcmp(&own->passed, &other->passed, HAND_BYTES) != 0 ||
	    memcmp(own->marks, other->marks, sizeof(own->marks)) != 0)
		complain(r, r->cnt - 1, "in the end the hand of user space is not where it is %s",
			 name);
}

static void run_engine(struct run *r, enum engine_kind kind, struct answer *out)
{
	struct engine *e;

	assert_int_equal(engine_open(kind, &r->cfg, r->mac, &e), 0);
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct input *in = &r->inputs[i];

		out[i] = (struct answer){ .reason = NOTHING_COUNTED };
		if (engine_see(e, in->bytes, in->len, in->given_ns, &out[i]))
			complain(r, i, "the %s's engine failed", kind ? "kernel" : "user");
	}
	if (kind == ENGINE_USER)
		r->user_state = *engine_state(e);
	else
		compare_hands(r, engine_state(e), "in the kernel");
	engine_close(e);
}

static void compare(const struct run *r, const struct answer *other, const char *name)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct answer *a = &r->user[i], *b = &other[i];

		if (a->reason != b->reason || a->stream != b->stream || a->drops != b->drops)
			complain(r, i, "user space: stream %u %s%s; %s: stream %u %s%s", a->stream,
				 REASONS[a->reason], a->drops ? ", dropped" : "", name, b->stream,
				 REASONS[b->reason], b->drops ? ", dropped" : "");
	}
}

/* As engine_open() does it. */
static void set_mac(const struct run *r)
{
	struct dedup_state *st = program_state();
	uint64_t word = 0;

	if (!r->mac)
		return;
	memcpy(&word, r->mac, 6);
	if (r->cfg.receiver == DEDUP_ONE_INTERFACE)
		st->own_mac = dedup_mac_word(word);
	else
		st->macs[st->macs_cnt++] = dedup_mac_word(word);
}

/* What the engine does, without leaving out steps: as the timer would. */
static void run_naive(struct run *r)
{
	struct dedup_config cfg = r->cfg;
	uint64_t start_ns = 4 * cfg.window_ns, next_ns = start_ns + cfg.tick_ns;

	cfg.stale_jiffies = 1ULL << 62;
	assert_int_equal(program_open(&cfg, true, start_ns), 0);
	set_mac(r);
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct input *in = &r->inputs[i];

		while (next_ns <= start_ns + in->ns)
			next_ns += program_step(next_ns);
		r->naive[i].drops = program_run(in->bytes, in->len) == XDP_DROP;
		r->naive[i].reason = r->user[i].reason;
		r->naive[i].stream = r->user[i].stream;
		if (!((uint64_t *)program_counters(r->user[i].stream))[r->user[i].reason])
			r->naive[i].reason = NOTHING_COUNTED - 1;
		memset(program_counters(r->user[i].stream), 0,
		       offsetof(struct dedup_counters, credit));
	}
	compare_hands(r, program_state(), "with all steps");
	program_close();
}

/* The reasons, as bits, that an IHAVE may have. */
static uint64_t reasons_of_ihave(struct run *r, const struct model_frame *f, uint64_t ns,
				 const struct model_answer *a)
{
	static const uint8_t NONE[32];
	struct model_id id = { .realm = r->random.model.streams[a->stream].realm, .len = 32 };
	uint64_t may = 0;

	for (uint32_t i = 0, at = a->ids_at; i < a->ids_cnt; i++, at += 32) {
		enum promised promised;

		if (at + 32 > f->first)
			return may | 1ULL << DEDUP_REASON_truncated;
		if (!memcmp(f->bytes + at, NONE, 32))
			return may | 1ULL << DEDUP_REASON_no_id;
		memcpy(id.bytes, f->bytes + at, 32);
		promised = promises_of(&r->promises, promises_find(&r->promises, &id), ns);
		if (promised != MUST)
			may |= 1ULL << DEDUP_REASON_ihave_new;
		if (promised == MUST_NOT && !promises_may_err(&r->promises))
			return may;
	}
	return may | 1ULL << DEDUP_REASON_ihave_duplicate;
}

static bool is_drop(const struct run *r, enum dedup_reason reason)
{
	if (r->random.spec.count_only)
		return false;
	return reason == DEDUP_REASON_duplicate ||
	       (reason == DEDUP_REASON_ihave_duplicate && !r->cfg.ihave_pass);
}

/* What the packet program calls the id is the same whenever the model's is. */
static void check_id(struct run *r, uint32_t n, struct exact_id *id, const struct program_id *got)
{
	if (!id->words) {
		id->words = got->words;
		id->realm = got->realm;
		id->id = got->id;
	}
	if (id->words != got->words || id->realm != got->realm ||
	    memcmp(&id->id, &got->id, sizeof(id->id)) != 0)
		complain(r,
			 n, "program_identify() gives equal ids differently: words %u realm %u %llx %llx, before %u %u %llx %llx",
			 got->words, got->realm, got->id.word[0], got->id.word[1], id->words,
			 id->realm, id->id.word[0], id->id.word[1]);
}

/* Is the answer what the model says, and what the filter promises? */
static void check_answer(struct run *r, uint32_t n)
{
	static struct model_answer want;
	const struct answer *got = &r->user[n];
	struct model_frame f = model_frame_of(r, r->inputs[n].bytes, r->inputs[n].len);
	struct exact_id *id;
	struct program_id program;
	const char *broken = NULL;
	uint64_t ns = r->inputs[n].ns, may;

	stream_model_judge(&r->random.model, &f, &want);
	program_identify(f.bytes, f.len, &program);
	may = 1ULL << want.reason;
	if (want.ids_cnt)
		may = reasons_of_ihave(r, &f, ns, &want);
	if (want.has_id)
		may = 1ULL << DEDUP_REASON_new | 1ULL << DEDUP_REASON_duplicate |
		      1ULL << DEDUP_REASON_unlearned;
	if (got->reason >= DEDUP_REASONS_CNT || !(may >> got->reason & 1))
		complain(r, n, "stream %u %s, wanted stream %u %s", got->stream,
			 got->reason < DEDUP_REASONS_CNT ? REASONS[got->reason] : "nothing",
			 want.stream, REASONS[want.reason]);
	if (got->stream != want.stream)
		complain(r, n, "%s in stream %u, wanted %u", REASONS[got->reason], got->stream,
			 want.stream);
	if (got->drops != is_drop(r, got->reason))
		complain(r, n, "%s is%s dropped", REASONS[got->reason], got->drops ? "" : " not");
	if (program.stream != want.stream || (program.reason == -1) != want.has_id ||
	    (!want.has_id && program.reason != (int)want.reason && !want.ids_cnt))
		complain(r, n, "program_identify(): stream %u reason %d, wanted %u %d",
			 program.stream, program.reason, want.stream, want.reason);
	if (want.has_id) {
		if (program.realm != r->cfg.streams[want.stream].realm)
			complain(r, n, "program_identify(): realm %u", program.realm);
		id = promises_find(&r->promises, &want.id);
		check_id(r, n, id, &program);
		broken = promises_note(&r->promises, id, ns, got->reason);
	}
	if (broken)
		complain(r, n, "%s: %s", REASONS[got->reason], broken);
	r->reasons[got->reason]++;
	r->drops += got->drops;
}

static bool is_same(const struct program_id *a, const struct program_id *b)
{
	return a->stream == b->stream && a->reason == b->reason && a->words == b->words &&
	       a->realm == b->realm && !memcmp(&a->id, &b->id, sizeof(a->id));
}

/* Puts something else behind the frame's first `extent` bytes: zeros, anything, one bit, another
 * frame.
 */
static void change_behind(struct run *r, uint8_t *frame, uint32_t len, uint32_t extent, int how)
{
	const struct input *other = &r->inputs[any(&r->random, r->cnt)];
	uint32_t bytes = len - extent;

	switch (how) {
	case 0:
		memset(frame + extent, 0, bytes);
		break;
	case 1:
		for (uint32_t i = extent; i < len; i++)
			frame[i] = random_next(&r->random.seed);
		break;
	case 2:
		frame[extent + any(&r->random, bytes < 8 ? bytes : 8)] ^= 1 << any(&r->random, 8);
		break;
	default:
		if (other->len > extent)
			memcpy(frame + extent, other->bytes + extent,
			       (other->len < len ? other->len : len) - extent);
	}
}

/* What is behind the extent changes nothing. */
static void check_extent(struct run *r, uint32_t n)
{
	const struct input *in = &r->inputs[n];
	struct program_id all, cut;
	uint8_t *copy;

	program_identify(in->bytes, in->len, &all);
	if (all.extent > in->len)
		complain(r, n, "the extent, %u bytes, is behind the frame", all.extent);
	if (all.extent == in->len)
		return;
	copy = malloc(in->len);
	assert_non_null(copy);
	for (int how = 0; how < 6; how++) {
		memcpy(copy, in->bytes, in->len);
		change_behind(r, copy, in->len, all.extent, how);
		program_identify(copy, in->len, &cut);
		if (!is_same(&all, &cut)) {
			memcpy(in->bytes, copy, in->len);
			complain(r, n,
				 "what is behind the extent, %u bytes, made stream %u reason %d "
				 "into stream %u reason %d (the changed frame follows)",
				 all.extent, all.stream, all.reason, cut.stream, cut.reason);
		}
	}
	free(copy);
}

/* Each stream's own rules say of the frame what all together say, if it is that stream's. */
static void check_identify_as(struct run *r, uint32_t n)
{
	const struct input *in = &r->inputs[n];
	struct program_id all, as;

	program_identify(in->bytes, in->len, &all);
	if (all.reason == DEDUP_REASON_ignored || !r->cfg.streams_cnt)
		return;
	program_identify_as(in->bytes, in->len, all.stream, &as);
	if (!is_same(&all, &as))
		complain(r, n, "by stream %u's own rules it is stream %u reason %d", all.stream,
			 as.stream, as.reason);
}

/* Against the model: as the user engine left the program, but for its memory. */
static void check_answers(struct run *r)
{
	assert_int_equal(program_open(&r->cfg, false, 4 * r->cfg.window_ns), 0);
	set_mac(r);
	promises_start(&r->promises, &r->cfg);
	for (uint32_t i = 0; i < r->cnt; i++) {
		check_answer(r, i);
		if (i % 4 == 0)
			check_extent(r, i);
		if (i % 4 == 1)
			check_identify_as(r, i);
	}
	if (!r->promises.overloaded && r->user_state.early)
		complain(r, r->cnt - 1, "blocks were aged early though there was no load");
	promises_stop(&r->promises);
	program_close();
}

static void try_case(struct run *r, uint32_t frames, bool kernel)
{
	make_inputs(r, frames);
	run_engine(r, ENGINE_USER, r->user);
	if (kernel) {
		run_engine(r, ENGINE_KERNEL, r->kernel);
		compare(r, r->kernel, "kernel");
	}
	if (!r->gap && r->inputs[r->cnt - 1].ns / r->cfg.tick_ns < STEPS_MAX) {
		run_naive(r);
		compare(r, r->naive, "with all steps");
		r->naive_cases++;
	}
	check_answers(r);
	r->frames += r->cnt;
	for (uint32_t i = 0; i < r->cnt; i++)
		free(r->inputs[i].bytes);
}

static uint64_t number_of(const char *name, uint64_t other)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : other;
}

/* All that can come in a filter whose clock runs and in which nothing is wanted. */
static void check_reasons(const struct run *r)
{
	for (int i = 0; i < DEDUP_REASONS_CNT; i++)
		if (!r->reasons[i] && i != DEDUP_REASON_stale && i != DEDUP_REASON_wanted &&
		    i != DEDUP_REASON_too_long)
			fail_msg("no frame has come to %s", REASONS[i]);
	assert_true(r->naive_cases > 0);
	assert_true(r->promises.certain > r->promises.uncertain);
}

static void try_cases(uint64_t seed, uint64_t cases, bool kernel)
{
	uint32_t frames = number_of("FRAMES", FRAMES);
	struct run *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->inputs = calloc(frames, sizeof(*r->inputs));
	r->user = calloc(frames, sizeof(*r->user));
	r->kernel = calloc(frames, sizeof(*r->kernel));
	r->naive = calloc(frames, sizeof(*r->naive));
	assert_true(r->inputs && r->user && r->kernel && r->naive);
	for (uint64_t i = 0; i < cases; i++) {
		r->random.seed = r->seed = seed + i;
		if (make_filter(r))
			try_case(r, frames, kernel);
	}
	promises_check_rate(&r->promises);
	print_message("%llu frames, %llu dropped; %llu ids, %llu false positives of %.1f promised; "
		      "known up to 2 windows + %.1f ms\n",
		      (unsigned long long)r->frames, (unsigned long long)r->drops,
		      (unsigned long long)r->promises.fresh,
		      (unsigned long long)r->promises.false_positives, r->promises.expected,
		      (double)r->promises.oldest_ns / MS);
	for (int i = 0; getenv("REASONS") && i < DEDUP_REASONS_CNT; i++)
		print_message("%s %llu\n", REASONS[i], (unsigned long long)r->reasons[i]);
	if (cases >= USER_CASES)
		check_reasons(r);
	free(r->inputs);
	free(r->user);
	free(r->kernel);
	free(r->naive);
	free(r);
}

static void engines_agree(void **state)
{
	(void)state;
	if (geteuid() != 0 || getenv("USER_ONLY"))
		skip();
	kernel_output(false);
	try_cases(number_of("SEED", 1), number_of("CASES", KERNEL_CASES), true);
}

static void user_engine_keeps_promises(void **state)
{
	(void)state;
	try_cases(number_of("SEED", 1000000), number_of("CASES", USER_CASES), false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_agree),
		cmocka_unit_test(user_engine_keeps_promises),
	};

	return run_any_tests("engines", tests, ARRAY_SIZE(tests));
}
