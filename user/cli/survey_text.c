// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey as text, for people: what can be dropped, the most first; then what to do. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay_print.h"
#include "text.h"
#include "units.h"

#define DESTINATIONS_SHOWN 12 /* at most */
/* A destination is shown if more than these parts of its packets, and of all, are duplicates. */
#define SHARE_SHOWN 0.01
#define SHOWN_OF_ALL 0.001

#define FRAMES "mirror-l2" /* the profile for frames that are not IP */

static void print_surveyed_file(const struct survey_report *report)
{
	const struct survey_result *r = report->r;
	const struct replay_head head = {
		.packets = r->packets,
		.bytes = r->bytes,
		.first_ns = r->first_ns,
		.last_ns = r->last_ns,
		.foreign = capture_foreign_cnt(report->c),
		.outgoing = r->outgoing,
	};

	replay_print_head(report->path, &head);
	if (r->snapped)
		printf("  cut: %" PRIu64
		       " packets by the capture's snap length, so some duplicates are not found; capture whole packets (tcpdump -s 0)\n",
		       r->snapped);
	if (r->known_since_ns)
		printf("  duplicates of packets of the first %s were forgotten; --memory keeps more\n",
		       FORMAT_TIME(r->known_since_ns - r->first_ns));
}

const struct survey_reason SURVEY_REASONS[] = {
	[SURVEY_BEST] = { "best", "" },
	[SURVEY_FITS_FEW] = { "fits_few", "few packets are of its protocol" },
	[SURVEY_FINDS_NONE] = { "finds_none", "finds too few duplicates" },
	[SURVEY_NO_NUMBERS] = { "no_numbers", "its numbers do not increase: it is another protocol" },
	[SURVEY_DIFFERS] = { "differs", "equal ids have different bytes: it is another protocol" },
	[SURVEY_OTHER_HOST] = { "other_host",
				"several hosts get equal packets, and each needs its own" },
	[SURVEY_SAME_SENDER] = { "same_sender",
				 "one sender repeats equal packets, perhaps on purpose" },
	[SURVEY_FLOOD] = { "flood", "one packet comes again and again: a flood" },
	[SURVEY_TOO_OLD] = { "too_old", "they come later than its window" },
	[SURVEY_FINDS_FEWER] = { "finds_fewer", "finds fewer" },
	[SURVEY_LESS_SPECIFIC] = { "less_specific", "knows less of the protocol" },
};

static const char *reason(const struct survey_fit *f)
{
	if (f->why == SURVEY_FINDS_NONE && f->snapped)
		return "the snap length cut its packets";
	return SURVEY_REASONS[f->why].text;
}

static const struct survey_fit *fit_named(const struct survey_fit *fits, uint32_t cnt,
					  const char *name)
{
	for (uint32_t i = 0; i < cnt; i++)
		if (!strcmp(fits[i].profile->stream.name, name))
			return &fits[i];
	return NULL;
}

static void print_best(const struct survey_fit *f)
{
	if (!f->duplicates.packets)
		return;
	printf("  %s: %" PRIu64 " duplicates, after %s (median), %s (99 %%), %s (greatest)\n",
	       f->profile->stream.name, f->duplicates.packets, FORMAT_TIME(f->duplicates.median_ns),
	       FORMAT_TIME(f->duplicates.p99_ns), FORMAT_TIME(f->duplicates.greatest_ns));
	if (f->in_window < f->duplicates.packets && !f->profile->numbered.width)
		printf("    %s of %s finds %" PRIu64 " of them; 99 %% take %s\n",
		       f->profile->window_ns ? "its window" : "the default window",
		       FORMAT_TIME(f->profile->window_ns ? f->profile->window_ns
							 : SPEC_WINDOW_DEFAULT_NS),
		       f->in_window, FORMAT_TIME(f->window_ns));
	if (f->differ)
		printf("    careful: %" PRIu64
		       " have other bytes than the first packet with their id\n",
		       f->differ);
	if (f->snapped)
		printf("    %" PRIu64 " packets are cut in front of their id's end\n", f->snapped);
}

/* Prints why other profiles that fit are not the best one. */
static void print_rejected(const struct survey_destination *d)
{
	for (uint32_t i = 0; i < d->fits_cnt; i++) {
		const struct survey_fit *f = &d->fits[i];

		if (f->why != SURVEY_BEST && f->why != SURVEY_FITS_FEW && f->duplicates.packets)
			printf("    not %s: %s\n", f->profile->stream.name, reason(f));
	}
}

/* Prints why no profile fits the destination. */
static void print_none(const struct survey_result *r, const struct survey_destination *d)
{
	const struct survey_fit *f = d->kind == SURVEY_ETHERNET
					     ? fit_named(r->all, r->all_cnt, FRAMES)
					     : fit_named(d->fits, d->fits_cnt, "payload");

	if (d->kind == SURVEY_TCP)
		puts("  TCP retransmits lost packets: no profile drops them");
	else if (d->kind == SURVEY_IP)
		puts("  no profile knows this protocol");
	else if (f && *reason(f))
		printf("  not %s: %s\n", f->profile->stream.name, reason(f));
}

static bool has_stream(const struct survey_filter *f, const char *profile)
{
	for (uint32_t i = 0; i < f->spec.streams_cnt; i++)
		if (!strcmp(f->spec.streams[i].stream.name, profile))
			return true;
	return false;
}

/* Returns whether a gate on the EtherType accepts this one. */
static bool gate_accepts(const struct dedup_gate *gate, uint16_t ethertype)
{
	return ((htons(ethertype) & gate->load.mask) == gate->value) == gate->equal;
}

/* Returns the recommended profile for all traffic that drops the destination's copies, or NULL. */
static const char *mirror_of(const struct survey_result *r, const struct survey_destination *d)
{
	const char *profile = d->kind == SURVEY_ETHERNET ? FRAMES : "mirror";
	const struct survey_fit *f = fit_named(r->all, r->all_cnt, profile);
	const struct dedup_stream *st = f ? &f->profile->stream : NULL;

	for (uint32_t i = 0; d->kind == SURVEY_ETHERNET && st && i < st->gates_cnt; i++)
		if (st->gates[i].exempt && gate_accepts(&st->gates[i], d->number))
			return NULL;
	return has_stream(&r->filter, profile) ? profile : NULL;
}

static void print_destination(const struct survey_result *r, const struct survey_destination *d)
{
	const char *profile = d->best ? d->best->profile->stream.name : "-";
	char name[SURVEY_NAME_MAX], feed[24] = "";

	if (r->advice == SURVEY_MIRROR)
		profile = mirror_of(r, d) ?: "-";
	else if (d->feed)
		snprintf(feed, sizeof(feed), "  feed %u", d->feed);
	printf("%-42s %10" PRIu64 " %6.1f%% %9.1f%%  %s%s\n", survey_name(d, name), d->packets,
	       percent_of(d->packets, r->packets), percent_of(d->identical.packets, d->packets),
	       profile, feed);
	if (r->advice == SURVEY_MIRROR)
		return;
	if (d->best) {
		print_best(d->best);
		print_rejected(d);
	} else {
		print_none(r, d);
	}
}

/* Returns whether the destination has enough duplicates to be worth a line. */
static bool is_shown(const struct survey_result *r, const struct survey_destination *d)
{
	uint64_t found = d->best ? d->best->duplicates.packets : 0;

	if (r->advice == SURVEY_STREAMS && d->best)
		return true;
	found = found > d->identical.packets ? found : d->identical.packets;
	return (double)found > SHARE_SHOWN * (double)d->packets &&
	       (double)found > SHOWN_OF_ALL * (double)r->packets;
}

static void print_destinations(const struct survey_result *r)
{
	uint64_t packets = r->others.packets;
	uint32_t shown = 0, rest = r->others_cnt;

	for (uint32_t i = 0; i < r->destinations_cnt; i++) {
		const struct survey_destination *d = &r->destinations[i];

		if (shown == DESTINATIONS_SHOWN || !is_shown(r, d)) {
			packets += d->packets;
			rest++;
			continue;
		}
		if (!shown++)
			printf("\n%-42s %10s %7s %10s  %s\n", "to", "packets", "of all",
			       "identical", "profile");
		print_destination(r, d);
	}
	if (shown && rest)
		printf("and %u more, with %" PRIu64 " packets (--json has all)\n", rest, packets);
	for (uint32_t i = 0; i < r->all_cnt; i++) {
		if (r->all[i].why != SURVEY_BEST)
			continue;
		puts("\nof all packets");
		print_best(&r->all[i]);
	}
}

static void print_notes(const struct survey_result *r)
{
	bool feeds = false;

	if (r->first_ns == r->last_ns)
		puts("All packets have one timestamp. So nothing tells copies, which come at once, from packets\n"
		     "that were sent again: look at a capture with times.");
	for (uint32_t i = 0; i < r->destinations_cnt; i++)
		feeds |= r->destinations[i].feed && r->destinations[i].best;
	if (feeds && r->advice == SURVEY_STREAMS)
		puts("Destinations of one feed get equal packets: copies of a packet are dropped at all\n"
		     "of them.");
	if (r->filter.several_ifaces)
		puts("Copies come by different interfaces: one filter on all these interfaces drops\n"
		     "them. load refuses a bridge or bond together with a device below it.");
	if (r->filter.other_hosts)
		puts("The MACs of the packets are of several hosts. A filter looks only at packets for\n"
		     "its own host; behind a tap, where one program wants all packets, give --forwarded.");
	survey_print_tunnels_note(r);
	if (r->advice == SURVEY_MIRROR)
		printf("%s come again at once, as behind a SPAN port or a tap. This filter\n"
		       "is for machines that capture, not for the path to a receiver. Before the load:\n"
		       "  sudo ip link set IFNAME promisc on\n",
		       has_stream(&r->filter, "mirror") ? "All kinds of packets"
							: "Frames that are not IP");
}

/* Prints a word quoted for a shell. Bytes that could control a terminal become $'\033'. */
static void print_word(const char *word)
{
	const char *plain =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";

	if (word[0] == '-')
		fputs("./", stdout); /* so that it is no option */
	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	while (*word) {
		size_t len = text_character(word);

		if (*word == '\'') {
			fputs("'\\''", stdout);
			word++;
		} else if (!len || text_is_control(word, len)) {
			printf("'$'\\%03o''", (unsigned char)*word++);
		} else {
			printf("%.*s", (int)len, word);
			word += len;
		}
	}
	putchar('\'');
}

static void print_replay(const char *path, const char *options)
{
	fputs("  xdp-dedup replay ", stdout);
	/* Standard input cannot be read again: the user has to give the file's name. */
	if (!strcmp(path, "-"))
		fputs("FILE", stdout);
	else
		print_word(path);
	printf(" %s\n", options);
}

/* Prints what each path brings, if that is known. */
static void print_paths(const struct capture *c, const struct survey_paths *p)
{
	struct senders_view senders = replay_senders(c, &p->cfg, &p->result, SENDERS_SHOWN);

	if (!senders.list.cnt)
		return;
	puts("\nWhat each path brings of numbered streams:");
	senders_print(&senders);
}

/* Prints the filter for what did not fit into the first one. */
static void print_rest(const struct survey_report *report)
{
	const struct survey_result *r = report->r;
	char options[SURVEY_OPTIONS_MAX];

	if (!r->left_out || !r->rest.spec.streams_cnt)
		return;
	printf("\nLeft out: %u destinations or feeds with a smaller gain. One filter has no room, or no window,\n"
	       "for all; and an interface has one filter. Another filter, on another interface or instead of\n"
	       "this one, would drop at least %" PRIu64 " packets:\n",
	       r->left_out, r->rest.drops);
	print_replay(report->path, survey_options(&r->rest, options));
	print_paths(report->c, &report->rest);
}

/* Returns whether the capture or mirrors have cut packets. */
static bool are_cut(const struct survey_result *r)
{
	bool cut = r->snapped;

	for (uint32_t i = 0; i < DEDUP_TUNNELS_CNT; i++)
		cut |= r->tunnels[i].truncated;
	return cut;
}

static void print_nothing(const struct survey_result *r)
{
	if (!r->packets) {
		puts("\nThere are no packets in it.");
		return;
	}
	if (r->left_out) {
		printf("\nLeft out: %u feeds that have more ports or addresses than a filter can have, %d. Give\n"
		       "ranges and prefixes that cover them, as in --profile rtp:5000-5099.\n",
		       r->left_out, DEDUP_PORTS_MAX);
		return;
	}
	printf("\n%s: no destination has duplicates that may be dropped.\n"
	       "For a protocol of your own, write a profile: xdp-dedup profile --help\n",
	       are_cut(r) ? "As far as the cut packets tell there is nothing to gain"
			  : "There is nothing to gain");
}

static void print_survey_advice(const struct survey_report *report)
{
	const struct survey_result *r = report->r;
	bool shows_paths = !report->filter.known && r->filter.spec.paths > 1;
	char options[SURVEY_OPTIONS_MAX];

	if (r->advice == SURVEY_NOTHING) {
		print_nothing(r);
		return;
	}
	survey_options(&r->filter, options);
	printf("\nAt least %" PRIu64 " packets can be dropped: %.1f %% of all, %s.\n",
	       r->filter.drops, percent_of(r->filter.drops, r->packets),
	       FORMAT_BYTES(r->filter.drop_bytes));
	print_notes(r);
	print_paths(report->c, &report->filter);
	printf("\nSee what would be dropped from this file%s:\n",
	       shows_paths ? ", and what each path brings and loses" : "");
	print_replay(report->path, options);
	printf("Count duplicates of live packets, and read the counters after a while:\n"
	       "  sudo xdp-dedup load IFNAME%s %s --action count\n"
	       "  sudo xdp-dedup status IFNAME\n"
	       "If `duplicate` is as you expect, let the filter drop:\n"
	       "  sudo xdp-dedup set IFNAME --action drop\n",
	       r->filter.several_ifaces ? " IFNAME2" : "", options);
	print_rest(report);
}

void survey_print_text(const struct survey_report *report)
{
	print_surveyed_file(report);
	survey_print_tunnels(report->r);
	print_destinations(report->r);
	print_survey_advice(report);
}
