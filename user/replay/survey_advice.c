// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What to make of what was counted: feeds, the best profile of each destination, and one filter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "survey_state.h"

#define MS UINT64_C(1000000)

/* A profile is worth it from so many duplicates on, and from this part of the packets on. */
#define GAIN_LEAST 10
#define GAIN_PART 0.01

#define FITS_PART 0.95	  /* of the packets, or they are of something else */
#define DIFFERS_PART 0.01 /* of the duplicates, or the id does not tell packets apart */
#define FEED_PART 0.05	  /* of a destination's packets: has the other one's */
#define AS_MANY_PART \
	0.95 /* a profile that knows the protocol may find fewer than one that does not */
#define MIRROR_PART 0.05	/* of IP packets, and of those that are not UDP */
#define MIRROR_SURE_PART 0.2	/* of its copies: nobody has sent them again */
#define MIRROR_INSTEAD_PART 0.8 /* of what streams would find */

/* So many of the duplicates may be no copies, and their loss does not matter. */
#define OTHER_HOST_PART 0.01
#define REPEATS_PART 0.1

#define HEADROOM 2 /* times the age that 99 % do not exceed */
#define WINDOW_LEAST_NS (100 * MS)
#define CAPACITY_LEAST 10000

/* The longest window that fits the profile. */
static uint64_t cap_of(const struct profile *p)
{
	return p->window_ns ? p->window_ns : SPEC_WINDOW_MAX_NS;
}

/* What all places of a feed have of one stream. */
struct sum {
	uint64_t packets, duplicates, copies, found, differ;
	uint64_t repeats, other_host, flood;
	uint64_t go_on, jump, ids; /* of RTP's numbers */
	uint64_t p99_ns;
};

static uint64_t scaled(uint64_t cnt, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)cnt * ((double)part / (double)whole)) : 0;
}

/* The candidate's copies that a filter for its place, or its feed, has: those whose earlier packets
 * went elsewhere are none for a filter of this place alone.
 */
static uint64_t copies_of(const struct candidate *c, bool is_feed)
{
	return c->fit.copies - (is_feed ? 0 : c->fit.elsewhere);
}

/* Those of them that a window finds. */
static uint64_t found_within(const struct candidate *c, bool is_feed, uint64_t window_ns)
{
	if (!c->ages)
		return 0;
	return scaled(copies_of(c, is_feed), ages_within(c->ages, window_ns), c->ages->cnt);
}

static void add_to_sum(struct sum *sum, const struct candidate *c, bool is_feed, uint64_t cap)
{
	sum->packets += c->fit.packets;
	sum->duplicates += c->fit.duplicates.packets - (is_feed ? 0 : c->fit.elsewhere);
	sum->copies += copies_of(c, is_feed);
	sum->found += found_within(c, is_feed, cap);
	sum->differ += c->fit.differ;
	sum->repeats += c->repeats;
	sum->other_host += c->fit.other_host;
	sum->flood += c->fit.flood;
	sum->ids += c->fit.ids;
	sum->go_on += c->numbers ? c->numbers->go_on : c->fit.ids;
	sum->jump += c->numbers ? c->numbers->jump : 0;
	if (c->ages && c->ages->cnt >= GAIN_LEAST && ages_part(c->ages, 0.99) > sum->p99_ns)
		sum->p99_ns = ages_part(c->ages, 0.99);
}

static bool is_gain(uint64_t found, uint64_t packets)
{
	return found >= GAIN_LEAST && (double)found >= GAIN_PART * (double)packets;
}

static bool is_part(uint64_t cnt, double part, uint64_t whole)
{
	return (double)cnt > part * (double)whole;
}

/* What of its duplicates are no copies, if that is too much; else SURVEY_BEST. */
static enum survey_why judge_harm(const struct profile *p, const struct sum *sum)
{
	if (p->stream.decoder != DEDUP_GSP && is_part(sum->differ, DIFFERS_PART, sum->duplicates))
		return SURVEY_DIFFERS;
	if (sum->go_on < sum->ids / 2 || sum->jump > sum->go_on / 4)
		return SURVEY_NO_NUMBERS;
	if (is_part(sum->other_host, OTHER_HOST_PART, sum->duplicates))
		return SURVEY_OTHER_HOST;
	if (is_part(sum->repeats, REPEATS_PART, sum->duplicates))
		return SURVEY_SAME_SENDER;
	if (is_part(sum->flood, REPEATS_PART, sum->duplicates))
		return SURVEY_FLOOD;
	return SURVEY_BEST;
}

/* SURVEY_BEST if nothing speaks against it by itself. */
static enum survey_why judge(const struct profile *p, const struct sum *sum, uint64_t packets)
{
	enum survey_why why;

	if ((double)sum->packets < FITS_PART * (double)packets)
		return SURVEY_FITS_FEW;
	if (!is_gain(sum->duplicates, packets))
		return SURVEY_FINDS_NONE;
	why = judge_harm(p, sum);
	if (why != SURVEY_BEST)
		return why;
	if (!is_gain(sum->copies, packets))
		return SURVEY_FINDS_NONE;
	return is_gain(sum->found, packets) ? SURVEY_BEST : SURVEY_TOO_OLD;
}

static uint32_t feed_of(const struct survey *s, uint32_t place)
{
	while (s->table.places[place].feed != place)
		place = s->table.places[place].feed;
	return place;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Destinations that have each other's packets become feeds. */
static void join_feeds(struct survey *s)
{
	struct place *places = s->table.places;

	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		places[i].feed = i;
	for (uint32_t i = 0; i < SURVEY_PAIRS_MAX; i++) {
		const struct pair *p = &s->table.pairs[i];
		const struct candidate *c = places[p->b].candidates[p->stream];
		uint64_t least = lesser(places[p->a].d.packets, places[p->b].d.packets);
		uint32_t a, b;

		if (!c || p->cnt < GAIN_LEAST || (double)p->cnt < FEED_PART * (double)least ||
		    (double)c->fit.differ > DIFFERS_PART * (double)c->fit.duplicates.packets)
			continue;
		a = feed_of(s, p->a);
		b = feed_of(s, p->b);
		places[a > b ? a : b].feed = lesser(a, b);
	}
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		places[i].feed = feed_of(s, i);
}

/* The stream that is best for packets of which these are the sums; -1: none. Sets why[]. */
static int choose(const struct survey *s, const struct sum *sums, uint64_t packets,
		  enum survey_why *why)
{
	int best = -1;

	for (int i = 0; i < (int)s->streams; i++) {
		why[i] = judge(&s->profiles.list[i], &sums[i], packets);
		if (why[i] == SURVEY_BEST && i != s->payload &&
		    (best < 0 || sums[i].found > sums[best].found))
			best = i;
	}
	if (why[s->payload] == SURVEY_BEST) {
		bool gsp = best >= 0 && s->profiles.list[best].stream.decoder == DEDUP_GSP;
		double part = gsp ? AS_MANY_PART / 2 : AS_MANY_PART;

		if (best < 0 || (double)sums[best].found < part * (double)sums[s->payload].found)
			best = s->payload;
	}
	for (int i = 0; i < (int)s->streams; i++)
		if (why[i] == SURVEY_BEST && i != best)
			why[i] = i == s->payload ? SURVEY_LESS_SPECIFIC : SURVEY_FINDS_FEWER;
	return best;
}

/* Chooses the best profile for all places of the feed, which begins with this one. */
static void judge_feed(struct survey *s, uint32_t first)
{
	enum survey_why why[DEDUP_STREAMS_MAX] = { SURVEY_BEST };
	struct sum sums[DEDUP_STREAMS_MAX] = { 0 };
	struct place *places = s->table.places;
	uint64_t packets = 0;
	bool is_feed = false;
	int best;

	for (uint32_t i = first + 1; i < SURVEY_DESTINATIONS_MAX; i++)
		is_feed |= places[i].used && places[i].feed == first;
	for (uint32_t i = first; i < SURVEY_DESTINATIONS_MAX; i++) {
		if (!places[i].used || places[i].feed != first)
			continue;
		packets += places[i].d.packets;
		places[i].d.feed = is_feed;
		for (uint32_t j = 0; j < s->streams; j++)
			if (places[i].candidates[j])
				add_to_sum(&sums[j], places[i].candidates[j], is_feed,
					   cap_of(&s->profiles.list[j]));
	}
	best = choose(s, sums, packets, why);
	for (uint32_t i = first; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct candidate *c;

		if (!places[i].used || places[i].feed != first)
			continue;
		for (uint32_t j = 0; j < s->streams; j++)
			if (places[i].candidates[j])
				places[i].candidates[j]->fit.why = why[j];
		c = best < 0 ? NULL : places[i].candidates[best];
		places[i].best = c ? best : -1;
		places[i].found = c ? found_within(c, is_feed, cap_of(&s->profiles.list[best])) : 0;
		places[i].feed_found = best < 0 ? 0 : sums[best].found;
	}
}

static void set_ages(struct survey_duplicates *d, const struct ages *ages)
{
	if (!ages)
		return;
	d->median_ns = ages_part(ages, 0.5);
	d->p99_ns = ages_part(ages, 0.99);
	d->greatest_ns = ages->greatest;
}

/* What the candidate's counts say, for whoever reads the result. */
static void finish(struct survey_fit *out, struct candidate *c, const struct profile *p)
{
	peak_end(&c->peak);
	c->fit.profile = p;
	set_ages(&c->fit.duplicates, c->ages);
	if (c->ages) {
		c->fit.in_window =
			ages_within(c->ages, p->window_ns ? p->window_ns : SPEC_WINDOW_DEFAULT_NS);
		c->fit.window_ns = PEAK_WINDOW_NS[peak_window_from(c->fit.duplicates.p99_ns)];
	}
	*out = c->fit;
}

static int by_gain(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;

	if (x->feed_found != y->feed_found)
		return x->feed_found < y->feed_found ? 1 : -1;
	if (x->feed != y->feed && x->feed_found)
		return x->feed < y->feed ? -1 : 1;
	if (x->found != y->found)
		return x->found < y->found ? 1 : -1;
	if (x->d.identical.packets != y->d.identical.packets)
		return x->d.identical.packets < y->d.identical.packets ? 1 : -1;
	if (x->d.packets != y->d.packets)
		return x->d.packets < y->d.packets ? 1 : -1;
	return (x > y) - (x < y);
}

static void finish_place(struct survey *s, struct place *p, struct survey_destination *out)
{
	int best = -1;

	set_ages(&p->d.identical, p->ages);
	for (uint32_t i = 0; i < s->streams; i++) {
		if (!p->candidates[i])
			continue;
		if ((int)i == p->best)
			best = (int)p->d.fits_cnt;
		finish(&p->d.fits[p->d.fits_cnt++], p->candidates[i], &s->profiles.list[i]);
	}
	*out = p->d;
	out->best = best < 0 ? NULL : &out->fits[best];
}

/* Puts the places into the result, and numbers the feeds. `order` has room for all. */
static int list_destinations(struct survey *s, struct place **order)
{
	struct survey_result *r = &s->result;
	struct place *places = s->table.places;
	uint32_t cnt = 0, feeds = 0;

	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		if (places[i].used)
			order[cnt++] = &places[i];
	qsort(order, cnt, sizeof(struct place *), by_gain);
	r->destinations = calloc(cnt + 1, sizeof(*r->destinations));
	if (!r->destinations)
		return -ENOMEM;
	for (uint32_t i = 0; i < cnt; i++) {
		uint32_t number = 0;

		for (uint32_t j = 0; order[i]->d.feed && j < i; j++)
			if (order[j]->feed == order[i]->feed)
				number = r->destinations[j].feed;
		if (order[i]->d.feed)
			order[i]->d.feed = number ? number : ++feeds;
		finish_place(s, order[i], &r->destinations[i]);
	}
	r->destinations_cnt = cnt;
	r->others = s->table.others;
	r->others_cnt = s->table.others_cnt;
	return 0;
}

/* Does traffic of all kinds come again at once, as behind a mirror? Some of it must be packets that
 * nobody sends again: TCP repeats acknowledgements and resets.
 */
static bool is_mirror(const struct survey *s, const struct sum *sum, uint32_t feeds)
{
	bool all_kinds = s->other_ip_packets < GAIN_LEAST
				 ? feeds > DEDUP_STREAMS_MAX
				 : is_part(s->other_sure_copies, MIRROR_PART, s->other_ip_packets);

	return all_kinds && is_part(s->sure_copies, MIRROR_SURE_PART, sum->copies) &&
	       !((double)sum->found < MIRROR_PART * (double)s->ip_packets);
}

/* The profiles for all traffic: which of them is better than streams that find `streams_find`? -1:
 * none.
 */
static int judge_all(struct survey *s, uint64_t streams_find, uint32_t feeds)
{
	struct survey_result *r = &s->result;
	uint64_t most = streams_find;
	int best = -1;

	for (int i = 0; i < (int)s->streams; i++) {
		const struct profile *p = &s->profiles.list[i];
		bool mirror = i == s->mirror;
		struct sum sum = { 0 };
		enum survey_why why;

		if (!s->all[i] || i == s->frames)
			continue;
		add_to_sum(&sum, s->all[i], true, cap_of(p));
		why = judge(p, &sum, mirror ? s->ip_packets : r->packets);
		if (mirror && why == SURVEY_BEST && !is_mirror(s, &sum, feeds))
			why = SURVEY_FINDS_FEWER;
		if (why == SURVEY_BEST && (double)sum.found < MIRROR_INSTEAD_PART * (double)most)
			why = SURVEY_FINDS_FEWER;
		/* One that knows the protocol comes before the mirror. */
		if (why == SURVEY_BEST && (best < 0 || best == s->mirror)) {
			if (best >= 0)
				s->all[best]->fit.why = SURVEY_LESS_SPECIFIC;
			best = i;
		} else if (why == SURVEY_BEST) {
			why = SURVEY_LESS_SPECIFIC;
		}
		s->all[i]->fit.why = why;
	}
	for (uint32_t i = 0; i < s->streams; i++)
		if (s->all[i])
			finish(&r->all[r->all_cnt++], s->all[i], &s->profiles.list[i]);
	return best;
}

/* Do frames that are not IP come again at once, and none of them a little later, which a filter of
 * this window would drop, too? They are to be worth it among so many packets.
 */
static enum survey_why judge_frames(const struct survey *s, uint64_t window_ns, uint64_t packets)
{
	const struct candidate *c = s->all[s->frames];
	struct sum sum = { 0 };
	enum survey_why why;

	add_to_sum(&sum, c, true, window_ns);
	why = judge(&s->profiles.list[s->frames], &sum, sum.packets);
	if (why != SURVEY_BEST)
		return why;
	if (sum.flood)
		return SURVEY_FLOOD;
	if (s->frame_again_ns && s->frame_again_ns <= SURVEY_TURNS(window_ns))
		return SURVEY_SAME_SENDER;
	if (!is_gain(sum.found, packets) || !is_part(sum.found, MIRROR_PART, sum.packets))
		return SURVEY_FINDS_NONE;
	return SURVEY_BEST;
}

/* The filter that is recommended, while it is put together. */
struct draft {
	struct survey *s;
	struct survey_filter *out;
	uint64_t cap_ns;  /* the longest window that fits all profiles */
	uint64_t p99_ns;  /* the shortest that does for all */
	uint64_t need_ns; /* the one that all should have */
	uint32_t ports_cnt, to_cnt, realms;
	uint32_t feeds[DEDUP_STREAMS_MAX];
	uint32_t feeds_cnt;
	const struct candidate *frames; /* what is not IP, if the filter has it */
};

static uint64_t need_of(uint64_t p99_ns, uint64_t cap_ns, uint64_t least_ns)
{
	uint64_t need = p99_ns < UINT64_MAX / HEADROOM ? HEADROOM * p99_ns : UINT64_MAX;

	return lesser(need > least_ns ? need : least_ns, cap_ns);
}

/* Makes the window one for these duplicates, too, of at least least_ns. False if no window fits all. */
static bool take_window(struct draft *d, uint64_t p99_ns, uint64_t cap_ns, uint64_t least_ns)
{
	uint64_t cap = lesser(d->cap_ns, cap_ns), need = need_of(p99_ns, cap_ns, least_ns);
	uint64_t p99 = p99_ns > d->p99_ns ? p99_ns : d->p99_ns;

	if (p99 > cap && d->feeds_cnt)
		return false;
	d->cap_ns = cap;
	d->p99_ns = p99;
	if (need > d->need_ns)
		d->need_ns = need;
	return true;
}

static struct spec_stream *add_stream(struct draft *d, const struct profile *p)
{
	struct filter_spec *spec = &d->out->spec;
	struct spec_stream *st = &spec->streams[spec->streams_cnt++];

	*st = (struct spec_stream){
		.stream = p->stream,
		.needs_to = p->needs_to,
		.needs_app = p->needs_app,
	};
	st->stream.realm = d->realms;
	return st;
}

/* The lowest rate of all profiles. */
static void take_fpr(struct filter_spec *spec, const struct profile *p)
{
	double fpr = p->fpr > 0 ? p->fpr : SPEC_FPR_DEFAULT;

	if (spec->fpr <= 0 || fpr < spec->fpr)
		spec->fpr = fpr;
}

/* Adds a port in its order, unless it is there. */
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

/* Adds an address, those of IPv4 first. */
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

static bool names_addresses(const struct place *p, const struct profile *profile)
{
	return profile->stream.layer == DEDUP_UDP && (p->d.multicast || profile->needs_to);
}

/* The stream, from `first` on, that place p can be put into: of its port, or, where no addresses
 * are named, the one without any.
 */
static struct spec_stream *stream_for(struct filter_spec *spec, uint32_t first,
				      const struct place *p, bool named)
{
	for (uint32_t i = first; i < spec->streams_cnt; i++) {
		struct spec_stream *st = &spec->streams[i];

		if (named ? st->to_cnt && st->ports[0].lo == p->d.number : !st->to_cnt)
			return st;
	}
	return NULL;
}

/* Adds the streams of a feed. False if they do not fit in; then nothing is added. */
static bool add_feed(struct draft *d, uint32_t feed, const struct profile *p)
{
	struct filter_spec *spec = &d->out->spec;
	uint32_t first = spec->streams_cnt, ports = d->ports_cnt, to = d->to_cnt;

	for (uint32_t i = feed; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct place *place = &d->s->table.places[i];
		bool named = names_addresses(place, p);
		struct spec_stream *st;

		if (!place->used || place->feed != feed || place->best < 0)
			continue;
		st = stream_for(spec, first, place, named);
		if (!st && spec->streams_cnt == DEDUP_STREAMS_MAX)
			goto full;
		/* A stream of addresses has one port. */
		ports += p->stream.layer == DEDUP_UDP && !(st && named);
		to += named ? place->d.addresses_cnt : 0;
		if (ports > DEDUP_PORTS_MAX || to > DEDUP_TO_MAX)
			goto full;
		st = st ?: add_stream(d, p);
		if (p->stream.layer == DEDUP_UDP)
			add_port(st, place->d.number);
		for (uint32_t j = 0; named && j < place->d.addresses_cnt; j++)
			add_to(st, place->d.addresses[j], place->d.ipv4);
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
	struct sum sum = { 0 };

	for (uint32_t i = feed; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct place *p = &s->table.places[i];

		if (p->used && p->feed == feed && p->best == stream)
			add_to_sum(&sum, p->candidates[stream], true, 0);
	}
	return sum.p99_ns;
}

/* The feeds where most can be saved, as far as they fit in: but for those that are taken, to which
 * they are added. Returns how many do not fit in.
 */
static uint32_t draft_streams(struct draft *d, struct place *const *order, bool *taken)
{
	const struct survey *s = d->s;
	uint32_t left_out = 0;

	for (uint32_t i = 0; i < s->result.destinations_cnt && order[i]->feed_found; i++) {
		uint32_t feed = order[i]->feed;
		const struct profile *p = &s->profiles.list[order[i]->best];
		struct draft before = *d;

		if (taken[feed] || (i && order[i - 1]->feed == feed))
			continue;
		if (d->feeds_cnt == DEDUP_STREAMS_MAX ||
		    !take_window(d, feed_p99(s, feed, order[i]->best), cap_of(p), WINDOW_LEAST_NS) ||
		    !add_feed(d, feed, p)) {
			*d = before;
			left_out++;
			continue;
		}
		d->feeds[d->feeds_cnt++] = feed;
		take_fpr(&d->out->spec, p);
		taken[feed] = true;
	}
	return left_out;
}

/* Adds to the filter what it does with a candidate's packets. */
static void count_drops(struct survey_filter *out, const struct candidate *c, bool is_feed,
			uint32_t window)
{
	uint64_t drops = found_within(c, is_feed, PEAK_WINDOW_NS[window]);

	out->drops += drops;
	out->drop_bytes += scaled(c->fit.duplicates.bytes, drops, c->fit.duplicates.packets);
	out->window_ids += peak_most(&c->peak, window);
	out->several_ifaces |=
		(double)c->fit.other_iface > FEED_PART * (double)c->fit.duplicates.packets;
}

static void count_all_drops(struct draft *d, uint32_t window, int for_all)
{
	struct survey_filter *out = d->out;
	const uint8_t *mac = NULL;

	if (for_all >= 0)
		count_drops(out, d->s->all[for_all], true, window);
	if (d->frames)
		count_drops(out, d->frames, true, window);
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct place *p = &d->s->table.places[i];
		static const uint8_t NONE[6];
		bool in = false;

		for (uint32_t j = 0; j < d->feeds_cnt; j++)
			in |= p->used && p->best >= 0 && p->feed == d->feeds[j];
		if (!in)
			continue;
		count_drops(out, p->candidates[p->best], p->d.feed > 0, window);
		if (!memcmp(p->mac, NONE, sizeof(NONE)))
			continue;
		out->other_hosts |= p->more_macs || (mac && memcmp(mac, p->mac, sizeof(NONE)) != 0);
		mac = p->mac;
	}
}

/* 1, 2 or 5 times a power of 10: at least this. */
static uint64_t rounded_up(uint64_t n)
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

/* Its index. */
static uint32_t window_of(const struct draft *d)
{
	uint32_t window = peak_window_from(d->need_ns);

	return PEAK_WINDOW_NS[window] > d->cap_ns ? peak_window_to(d->cap_ns) : window;
}

static void finish_spec(struct draft *d, int for_all)
{
	uint32_t window = window_of(d);
	struct survey_filter *out = d->out;

	count_all_drops(d, window, for_all);
	out->spec.window_ns = PEAK_WINDOW_NS[window];
	out->spec.capacity = rounded_up(2 * out->window_ids);
	if (out->spec.capacity < CAPACITY_LEAST)
		out->spec.capacity = CAPACITY_LEAST;
	out->spec.count_only = true;
	out->spec.several = out->several_ifaces;
}

/* Streams for feeds: a filter, and one for what it leaves out. */
static void advise_streams(struct survey *s, struct place *const *order)
{
	struct draft first = { .s = s, .out = &s->result.filter, .cap_ns = SPEC_WINDOW_MAX_NS };
	struct draft rest = { .s = s, .out = &s->result.rest, .cap_ns = SPEC_WINDOW_MAX_NS };
	bool taken[SURVEY_DESTINATIONS_MAX] = { false };

	s->result.left_out = draft_streams(&first, order, taken);
	if (!first.feeds_cnt)
		return;
	s->result.advice = SURVEY_STREAMS;
	finish_spec(&first, -1);
	draft_streams(&rest, order, taken);
	if (rest.feeds_cnt)
		finish_spec(&rest, -1);
}

static void set_frames_why(struct survey *s, enum survey_why why)
{
	for (uint32_t i = 0; i < s->result.all_cnt; i++)
		if (s->result.all[i].profile == &s->profiles.list[s->frames])
			s->result.all[i].why = why;
}

static void add_frames(struct draft *d)
{
	const struct profile *p = &d->s->profiles.list[d->s->frames];

	d->frames = d->s->all[d->s->frames];
	add_stream(d, p);
	take_fpr(&d->out->spec, p);
	d->realms++;
}

/* Beside the mirror, whose window it has to take. */
static void add_frames_if_best(struct draft *d)
{
	enum survey_why why;

	if (!d->s->all[d->s->frames])
		return;
	why = judge_frames(d->s, PEAK_WINDOW_NS[window_of(d)], 0);
	set_frames_why(d->s, why);
	if (why == SURVEY_BEST)
		add_frames(d);
}

static bool has_frames(const struct survey_filter *f)
{
	for (uint32_t i = 0; i < f->spec.streams_cnt; i++)
		if (f->spec.streams[i].stream.layer == DEDUP_ETHERNET)
			return true;
	return false;
}

/* A filter for what is not IP alone: instead of streams that find less, or left out beside those
 * that find more, as its window is shorter than theirs. Streams of frames know their protocol.
 */
static void advise_frames(struct survey *s)
{
	struct survey_result *r = &s->result;
	struct draft d = { .s = s, .out = &r->filter, .cap_ns = SPEC_WINDOW_MIN_NS };
	enum survey_why why;

	if (!s->all[s->frames])
		return;
	why = judge_frames(s, SPEC_WINDOW_MIN_NS, r->packets);
	if (why == SURVEY_BEST && (has_frames(&r->filter) || has_frames(&r->rest)))
		why = SURVEY_LESS_SPECIFIC;
	set_frames_why(s, why);
	if (why != SURVEY_BEST)
		return;
	r->left_out += r->advice != SURVEY_NOTHING;
	if (r->filter.drops >= found_within(s->all[s->frames], true, SPEC_WINDOW_MIN_NS)) {
		if (r->rest.spec.streams_cnt)
			return;
		d.out = &r->rest;
	} else {
		r->rest = r->filter;
		r->filter = (struct survey_filter){ 0 };
		r->advice = SURVEY_MIRROR;
	}
	add_frames(&d);
	finish_spec(&d, -1);
}

/* A stream for all traffic. */
static void advise_for_all(struct survey *s, int for_all)
{
	struct draft d = { .s = s, .out = &s->result.filter, .cap_ns = SPEC_WINDOW_MAX_NS };
	const struct profile *p = &s->profiles.list[for_all];
	uint64_t least = WINDOW_LEAST_NS;

	/* What is seen twice at once is seen twice soon. A longer window would take more of what is
	 * sent again.
	 */
	if (for_all == s->mirror)
		least = s->all[for_all]->ages->greatest;
	take_window(&d, ages_part(s->all[for_all]->ages, 0.99), cap_of(p), least);
	add_stream(&d, p);
	take_fpr(&d.out->spec, p);
	d.realms++;
	if (for_all == s->mirror)
		add_frames_if_best(&d);
	s->result.advice = for_all == s->mirror ? SURVEY_MIRROR : SURVEY_STREAMS;
	finish_spec(&d, for_all);
}

static void advise(struct survey *s, struct place *const *order)
{
	uint64_t find = 0;
	uint32_t feeds = 0;
	int for_all;

	for (uint32_t i = 0; i < s->result.destinations_cnt; i++) {
		find += order[i]->found;
		feeds += order[i]->found > 0;
	}
	for_all = judge_all(s, find, feeds);
	if (for_all >= 0)
		advise_for_all(s, for_all);
	else
		advise_streams(s, order);
	if (for_all < 0)
		advise_frames(s);
	else if (for_all != s->mirror)
		set_frames_why(s, SURVEY_LESS_SPECIFIC);
}

int survey_judge(struct survey *s)
{
	struct place **order = calloc(SURVEY_DESTINATIONS_MAX, sizeof(struct place *));
	int err = order ? 0 : -ENOMEM;

	if (!err) {
		join_feeds(s);
		for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
			if (s->table.places[i].used && s->table.places[i].feed == i)
				judge_feed(s, i);
		err = list_destinations(s, order);
	}
	if (!err)
		advise(s, order);
	free(order);
	return err;
}
