// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <string.h>

#include "integers.h"
#include "numbered.h"
#include "tunnels.h"

#define AGE_HEADROOM 2 /* window / age that 99 % of the duplicates do not exceed */
#define CAPACITY_LEAST 10000

static uint64_t needed_window(uint64_t p99_ns, uint64_t cap_ns, uint64_t least_ns)
{
	uint64_t need = p99_ns < UINT64_MAX / AGE_HEADROOM ? AGE_HEADROOM * p99_ns : UINT64_MAX;

	return lesser(need > least_ns ? need : least_ns, cap_ns);
}

bool survey_draft_window(struct survey_draft *d, const struct profile *p, uint64_t p99_ns,
			 uint64_t least_ns)
{
	uint64_t cap_ns = survey_sum_window_max(p), cap = lesser(d->cap_ns, cap_ns);
	uint64_t need = needed_window(p99_ns, cap_ns, least_ns);
	uint64_t p99 = p99_ns > d->p99_ns ? p99_ns : d->p99_ns;

	if (p->numbered.width)
		return true;
	if (p99 > cap && d->feeds_cnt)
		return false;
	d->cap_ns = cap;
	d->p99_ns = p99;
	if (need > d->need_ns)
		d->need_ns = need;
	return true;
}

static struct spec_stream *add_stream(struct survey_draft *d, const struct profile *p)
{
	struct filter_spec *spec = &d->out->spec;
	struct spec_stream *st = &spec->streams[spec->streams_cnt++];

	*st = (struct spec_stream){
		.stream = p->stream,
		.needs_to = p->needs_to,
		.numbered = p->numbered,
		.needs_app = p->needs_app,
	};
	st->stream.realm = d->realms;
	return st;
}

/* Lowers the filter's rate to the profile's. */
static void lower_fpr(struct filter_spec *spec, const struct profile *p)
{
	uint64_t fpr_e18 = SPEC_FPR(p->fpr > 0 ? p->fpr : SPEC_FPR_DEFAULT);

	if (!spec->fpr_e18 || fpr_e18 < spec->fpr_e18)
		spec->fpr_e18 = fpr_e18;
}

/* Adds the interfaces of the candidate's numbers to the stream's. */
static void add_ifaces(struct survey_draft *d, const struct spec_stream *st,
		       const struct candidate *c)
{
	for (uint32_t i = 0; i < SURVEY_IFACE_WORDS; i++)
		d->ifaces[st - d->out->spec.streams][i] |= c->ifaces[i];
}

void survey_draft_add(struct survey_draft *d, const struct profile *p, const struct candidate *c)
{
	add_ifaces(d, add_stream(d, p), c);
	lower_fpr(&d->out->spec, p);
	d->realms++;
}

/* Inserts a port in ascending order, unless the stream has it. */
static void add_port(struct spec_stream *st, uint16_t port)
{
	uint32_t i = st->ports_cnt;

	for (uint32_t j = 0; j < st->ports_cnt; j++)
		if (st->ports[j].lo == port)
			return;
	for (; i && st->ports[i - 1].lo > port; i--)
		st->ports[i] = st->ports[i - 1];
	st->ports[i] = (struct dedup_ports){ port, port };
	st->ports_cnt++;
}

/* Adds an address; IPv4 addresses stand first. */
static void add_to(struct spec_stream *st, const uint8_t address[16], bool ipv4)
{
	struct dedup_prefix prefix = { 0 };
	uint32_t at = ipv4 ? st->to4_cnt : st->to_cnt;

	memcpy(prefix.addr, address, ipv4 ? 4 : 16);
	memset(prefix.mask, 0xff, ipv4 ? 4 : 16);
	memmove(&st->to[at + 1], &st->to[at], (st->to_cnt - at) * sizeof(prefix));
	st->to[at] = prefix;
	st->to_cnt++;
	st->to4_cnt += ipv4;
}

/* Returns whether a group outside of this feed has this port, too: a stream without addresses would
 * take its packets.
 */
static bool shares_port(const struct survey *s, const struct destination *p)
{
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct destination *other = &s->table.destinations[i];

		if (other->used && other->d.kind == SURVEY_UDP && other->d.multicast &&
		    other->d.number == p->d.number && other->feed != p->feed)
			return true;
	}
	return false;
}

/* Returns whether the destination's stream must name addresses. */
static bool is_named(const struct survey *s, const struct destination *p,
		     const struct profile *profile)
{
	return profile->stream.layer == DEDUP_UDP &&
	       (p->d.multicast || profile->needs_to || (!p->d.more_addresses && shares_port(s, p)));
}

/* Returns the stream, beginning with `first`, to which destination p can be added: one with its
 * port and addresses; or, if addresses are not named, the one without addresses.
 */
static struct spec_stream *stream_for(struct filter_spec *spec, uint32_t first,
				      const struct destination *p, bool named)
{
	for (uint32_t i = first; i < spec->streams_cnt; i++) {
		struct spec_stream *st = &spec->streams[i];

		if (named ? st->to_cnt && st->ports[0].lo == p->d.number : !st->to_cnt)
			return st;
	}
	return NULL;
}

/* Adds the streams of a feed. Returns false, and adds nothing, if they do not fit. */
static bool add_feed(struct survey_draft *d, uint32_t feed, const struct profile *p)
{
	struct filter_spec *spec = &d->out->spec;
	uint32_t first = spec->streams_cnt, ports = d->ports_cnt, to = d->to_cnt;

	for (uint32_t i = feed; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct destination *destination = &d->s->table.destinations[i];
		bool named = is_named(d->s, destination, p);
		struct spec_stream *st;

		if (!destination->used || destination->feed != feed || destination->best < 0)
			continue;
		st = d->apart && p->numbered.width ? NULL
						   : stream_for(spec, first, destination, named);
		if (!st && spec->streams_cnt == DEDUP_STREAMS_MAX)
			goto full;
		/* A stream with addresses has one port. */
		ports += p->stream.layer == DEDUP_UDP && !(st && named);
		to += named ? destination->d.addresses_cnt : 0;
		if (ports > DEDUP_PORTS_MAX || to > DEDUP_TO_MAX)
			goto full;
		st = st ?: add_stream(d, p);
		add_ifaces(d, st, destination->candidates[destination->best]);
		if (p->stream.layer == DEDUP_UDP)
			add_port(st, destination->d.number);
		for (uint32_t j = 0; named && j < destination->d.addresses_cnt; j++)
			add_to(st, destination->d.addresses[j], destination->d.ipv4);
	}
	d->ports_cnt = ports;
	d->to_cnt = to;
	d->realms++;
	return true;
full:
	spec->streams_cnt = first;
	return false;
}

static uint64_t feed_p99(const struct survey *s, uint32_t feed, int stream)
{
	struct survey_sum sum = { 0 };

	for (uint32_t i = feed; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct destination *p = &s->table.destinations[i];

		if (p->used && p->feed == feed && p->best == stream)
			survey_sum_add(&sum, p->candidates[stream], true, 0);
	}
	return sum.p99_ns;
}

uint32_t survey_draft_streams(struct survey_draft *d, struct destination *const *order, bool *taken)
{
	const struct survey *s = d->s;
	uint32_t left_out = 0;

	for (uint32_t i = 0; i < s->result.destinations_cnt && order[i]->feed_found; i++) {
		uint32_t feed = order[i]->feed;
		const struct profile *p = &s->profiles.list[order[i]->best];
		struct survey_draft before = *d;

		if (taken[feed] || (i && order[i - 1]->feed == feed))
			continue;
		if (d->feeds_cnt == DEDUP_STREAMS_MAX ||
		    !survey_draft_window(d, p, feed_p99(s, feed, order[i]->best),
					 SURVEY_WINDOW_LEAST_NS) ||
		    !add_feed(d, feed, p)) {
			*d = before;
			left_out++;
			continue;
		}
		d->feeds[d->feeds_cnt++] = feed;
		lower_fpr(&d->out->spec, p);
		taken[feed] = true;
	}
	return left_out;
}

/* Adds what the filter drops of this stream's candidate to the filter's counts. */
static void count_drops(struct survey_draft *d, int stream, const struct candidate *c, bool is_feed,
			uint32_t window)
{
	bool numbered = d->s->profiles.list[stream].numbered.width;
	uint64_t window_ns = numbered ? SPEC_WINDOW_MAX_NS : WINDOWED_MAX_WINDOW_NS[window];
	uint64_t drops = survey_sum_found(c, is_feed, window_ns);
	struct survey_filter *out = d->out;

	out->spec.tunnels.kinds |= c->tunnels;
	out->drops += drops;
	out->drop_bytes +=
		survey_sum_scaled(c->fit.duplicates.bytes, drops, c->fit.duplicates.packets);
	out->window_ids += numbered ? 0 : windowed_max_most(&c->most_ids, window);
	out->several_ifaces |=
		(double)c->fit.other_iface > SURVEY_FEED_PART * (double)c->fit.duplicates.packets;
}

static void count_all_drops(struct survey_draft *d, uint32_t window, int for_all)
{
	struct survey_filter *out = d->out;
	const uint8_t *mac = NULL;

	if (for_all >= 0)
		count_drops(d, for_all, d->s->all[for_all], true, window);
	if (d->frames)
		count_drops(d, d->s->frames, d->frames, true, window);
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct destination *p = &d->s->table.destinations[i];
		static const uint8_t NONE[6];
		bool in = false;

		for (uint32_t j = 0; j < d->feeds_cnt; j++)
			in |= p->used && p->best >= 0 && p->feed == d->feeds[j];
		if (!in)
			continue;
		count_drops(d, p->best, p->candidates[p->best], p->d.feed > 0, window);
		if (!memcmp(p->mac, NONE, sizeof(NONE)))
			continue;
		out->other_hosts |= p->more_macs || (mac && memcmp(mac, p->mac, sizeof(NONE)) != 0);
		mac = p->mac;
	}
}

/* Returns the least number >= n that is 1, 2 or 5 times a power of 10. */
static uint64_t rounded_up_to_1_2_5(uint64_t n)
{
	uint64_t power = 1;

	while (power * 10 < n)
		power *= 10;
	if (n <= power)
		return power;
	if (n <= 2 * power)
		return 2 * power;
	return (n <= 5 * power ? 5 : 10) * power;
}

uint32_t survey_draft_window_of(const struct survey_draft *d)
{
	uint32_t window = windowed_max_window_from(d->need_ns);

	return WINDOWED_MAX_WINDOW_NS[window] > d->cap_ns ? windowed_max_window_to(d->cap_ns)
							  : window;
}

/* Returns the most paths of a realm: a path is a stream at an interface with its numbers. */
static uint32_t most_paths(const struct survey_draft *d)
{
	const struct spec_stream *streams = d->out->spec.streams;
	uint32_t cnt = 0, most = 0;

	for (uint32_t i = 0; i < d->out->spec.streams_cnt; i++) {
		if (!i || streams[i].stream.realm != streams[i - 1].stream.realm)
			cnt = 0;
		for (uint32_t j = 0; j < SURVEY_IFACE_WORDS; j++)
			cnt += (uint32_t)__builtin_popcountll(d->ifaces[i][j]);
		if (cnt > most)
			most = cnt;
	}
	return most < DEDUP_PATHS_MAX ? most : DEDUP_PATHS_MAX;
}

void survey_draft_finish(struct survey_draft *d, int for_all)
{
	uint32_t window = survey_draft_window_of(d);
	struct survey_filter *out = d->out;

	count_all_drops(d, window, for_all);
	if (out->spec.tunnels.kinds) {
		out->spec.tunnels = tunnels_choose(&d->s->tunnels, out->spec.tunnels.kinds);
		out->spec.given.tunnels = true;
	}
	out->spec.window_ns = WINDOWED_MAX_WINDOW_NS[window];
	out->spec.capacity = rounded_up_to_1_2_5(2 * out->window_ids);
	if (out->spec.capacity < CAPACITY_LEAST)
		out->spec.capacity = CAPACITY_LEAST;
	if (numbered_alone(&out->spec)) {
		out->spec.window_ns = SPEC_WINDOW_DEFAULT_NS;
		out->spec.capacity = SPEC_CAPACITY_DEFAULT;
	}
	out->spec.paths = most_paths(d);
	out->spec.count_only = true;
	out->spec.several = out->several_ifaces;
}
