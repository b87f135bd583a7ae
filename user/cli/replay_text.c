// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Results of replay as text, for people. */
#include <inttypes.h>
#include <stdio.h>

#include "misread.h"
#include "plan.h"
#include "print.h"
#include "replay_print.h"
#include "tunnels.h"
#include "units.h"

void replay_print_head(const char *path, const struct replay_head *head)
{
	print_clean("%s", path);
	printf(": %" PRIu64 " packets, %s, in %s\n", head->packets, FORMAT_BYTES(head->bytes),
	       FORMAT_TIME(head->last_ns - head->first_ns));
	if (head->foreign)
		printf("  left out: %" PRIu64 " that are no Ethernet frames\n", head->foreign);
	if (head->outgoing)
		printf("  left out: %" PRIu64 " that the host sent itself\n", head->outgoing);
}

static void print_replayed_file(const char *path, const struct replay_result *r)
{
	const struct replay_head head = {
		.packets = r->packets,
		.bytes = r->bytes,
		.first_ns = r->first_ns,
		.last_ns = r->last_ns,
		.foreign = r->foreign,
		.outgoing = r->outgoing,
	};

	replay_print_head(path, &head);
	if (r->snapped)
		printf("  left out: %" PRIu64
		       " that the capture's snap length cut in front of what decides; capture whole packets (tcpdump -s 0)\n",
		       r->snapped);
	if (r->backwards)
		printf("  %" PRIu64 " are older than one before them; time stands still there\n",
		       r->backwards);
}

/* Returns the packets for each id, in all streams that share their ids with stream n: the first
 * packet and a copy may be of different streams.
 */
static double copies_an_id(const struct dedup_config *cfg, const struct replay_result *r, uint32_t n)
{
	uint64_t copies = 0, ids = 0;

	for (uint32_t i = 0; i < r->streams_cnt; i++) {
		if (cfg->policy.streams[i].realm != cfg->policy.streams[n].realm)
			continue;
		copies += r->streams[i].copies;
		ids += r->streams[i].ids;
	}
	return (double)copies / (double)ids;
}

static void print_ages(const struct dedup_config *cfg, const struct replay_result *r, uint32_t n)
{
	const struct replay_stream *s = &r->streams[n];

	if (!s->ages.cnt)
		return;
	printf("  copies       %.2f %s, %" PRIu64 " of one at most\n", copies_an_id(cfg, r, n),
	       cfg->numbered[n].width ? "a message" : "an id", s->most_copies);
	printf("  come after   %s (median), %s (99 %%), %s (greatest)",
	       FORMAT_TIME(histogram_part(&s->ages, 0.5)),
	       FORMAT_TIME(histogram_part(&s->ages, 0.99)), FORMAT_TIME(s->ages.greatest));
	if (cfg->numbered[n].width)
		puts("");
	else
		printf("; the window is %s\n", FORMAT_TIME(cfg->memory.window_ns));
	if (s->missed)
		printf("  passed       %" PRIu64 " copies whose id was forgotten, or not learned\n",
		       s->missed);
}

static void print_false_drops(const struct dedup_config *cfg, const struct replay_result *r,
			      uint32_t n)
{
	const struct replay_stream *s = &r->streams[n];
	uint64_t fresh = s->reasons[DEDUP_REASON_new] + s->dropped_first;

	if (!fresh)
		return;
	printf("  false drops  %" PRIu64 " of %" PRIu64
	       " fresh packets; at most %.3g are promised%s\n",
	       s->dropped_first, fresh, cfg->numbered[n].width ? 0 : plan_fpr(cfg) * fresh,
	       r->known_since_ns ? " (--memory was too small to tell all: some may be true)" : "");
}

static void print_stream_reasons(const struct replay_stream *s)
{
	static const char *const REASONS[DEDUP_REASONS_CNT] = {
#define X(name, help) [DEDUP_REASON_##name] = #name,
		DEDUP_REASONS(X)
#undef X
	};
	const char *before = "  others       ";

	for (uint32_t i = 0; i < DEDUP_REASONS_CNT; i++) {
		if (!s->reasons[i] || i == DEDUP_REASON_new || i == DEDUP_REASON_duplicate ||
		    i == DEDUP_REASON_ignored)
			continue;
		printf("%s%s %" PRIu64, before, REASONS[i], s->reasons[i]);
		before = ", ";
	}
	if (*before == ',')
		puts("");
}

static void print_senders(const struct capture *c, const struct replay_stream *s)
{
	struct source top[REPLAY_TOP];
	int cnt = sources_top(s->sources, top, REPLAY_TOP);
	char text[SOURCE_TEXT_MAX];

	for (int i = 0; i < cnt; i++)
		printf("  %s%-39s %" PRIu64 " of %" PRIu64 "\n",
		       i ? "                  " : "duplicates   from ", source_text(&top[i], text),
		       top[i].duplicates, top[i].packets);
	if (capture_iface_cnt(c) < 2)
		return;
	for (uint32_t i = 0; i < capture_iface_cnt(c); i++)
		if (s->iface_packets[i])
			printf("               by   %-39s %" PRIu64 " of %" PRIu64 "\n",
			       capture_iface_name(c, i), s->iface_duplicates[i], s->iface_packets[i]);
}

static uint64_t matched_of(const struct replay_stream *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < DEDUP_REASONS_CNT; i++)
		sum += i == DEDUP_REASON_ignored ? 0 : s->reasons[i];
	return sum;
}

static void print_replayed_stream(const struct capture *c, const struct dedup_config *cfg,
				  const struct replay_result *r, uint32_t n)
{
	const struct replay_stream *s = &r->streams[n];
	uint64_t matched = matched_of(s);
	uint64_t dropped =
		s->reasons[DEDUP_REASON_duplicate] + s->reasons[DEDUP_REASON_ihave_duplicate];

	printf("%s: %" PRIu64 " packets, %" PRIu64 " new, %" PRIu64
	       " duplicates (%.1f %%): %s of %s kept away\n",
	       cfg->policy.streams[n].name, matched, s->reasons[DEDUP_REASON_new], dropped,
	       percent_of(dropped, matched), FORMAT_BYTES(s->duplicate_bytes),
	       FORMAT_BYTES(s->bytes));
	if (cfg->policy.opens[n])
		printf("  opened       tunnels: %s; a sender is that of the tunnel\n",
		       FORMAT_TUNNELS(&cfg->tunnels, cfg->policy.opens[n]));
	if (!matched)
		return;
	print_ages(cfg, r, n);
	print_false_drops(cfg, r, n);
	print_stream_reasons(s);
	if (misread_is(cfg, r, n))
		puts("  misread      most numbers do not go on, or counts are impossible: look at sequence, count, and their byte order");
	print_senders(c, s);
}

/* Interfaces of a capture are numbered from 0, and those of an account from 1. */
static const char *iface_name(const void *capture, uint32_t ifindex, char name[SENDERS_IFACE_MAX])
{
	(void)name;
	return ifindex && ifindex <= capture_iface_cnt(capture)
		       ? capture_iface_name(capture, ifindex - 1)
		       : NULL;
}

struct senders_view replay_senders(const struct capture *c, const struct dedup_config *cfg,
				   const struct replay_result *r, uint32_t max)
{
	struct senders_view v = { cfg, r->senders, 0, iface_name, c };

	if (v.list.cnt > max) {
		v.list.left_out = v.list.cnt - max;
		v.list.cnt = max;
	}
	return v;
}

void replay_print_text(const char *path, const struct capture *c, const struct dedup_config *cfg,
		       const struct replay_result *r)
{
	struct senders_view senders = replay_senders(c, cfg, r, SENDERS_SHOWN);
	uint64_t ignored = 0;

	print_replayed_file(path, r);
	for (uint32_t n = 0; n < r->streams_cnt; n++) {
		ignored += r->streams[n].reasons[DEDUP_REASON_ignored];
		print_replayed_stream(c, cfg, r, n);
	}
	if (r->other.found)
		printf("misread: read %s-endian, %" PRIu64 " of %" PRIu64 " copies would be found\n",
		       r->other.little ? "little" : "big", r->other.found, r->other.copies);
	senders_print(&senders);
	if (ignored)
		printf("ignored: %" PRIu64 " packets of another protocol, port or host\n", ignored);
	if (r->early)
		printf("overloaded: more than %llu ids came in a window, so ids were forgotten early; raise --capacity\n",
		       cfg->memory.capacity);
}
