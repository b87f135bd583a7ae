// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status as text, for people. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config_streams.h"
#include "kernel.h"
#include "plan.h"
#include "prefixes.h"
#include "print.h"
#include "stats.h"
#include "status_view.h"
#include "stream_numbers.h"
#include "streams.h"
#include "tunnels.h"
#include "units.h"

static void print_ifaces(const struct status *s)
{
	for (int i = 0; i < s->ifaces_cnt; i++) {
		const struct status_iface *f = &s->ifaces[i];

		printf("%s%s (", i ? ", " : "", f->name);
		if (f->state != IFACE_ATTACHED)
			printf("%s)", iface_state_name(f->state));
		else
			printf("%s%s)", attach_mode_name(f->mode), f->shared ? ", shared" : "");
	}
	puts(s->ifaces_cnt ? "" : "none");
}

/* Prints the counters that are not 0. */
static void print_reasons(const struct filter_counters *c)
{
#define X(name, help)                                                   \
	if (c->name)                                                    \
		printf("  %-16s %14llu %6.2f %%  %s\n", #name, c->name, \
		       100 * stats_share(c->name, c->rx), help);
	DEDUP_REASONS(X)
#undef X
}

/* Prints the outcomes of fresh packets for sockets. */
static void print_deliveries(const struct filter_counters *c)
{
#define X(name, help)                                                                              \
	printf("  %-16s %14llu %6.2f %%  %s\n", #name, c->name, 100 * stats_share(c->name, c->rx), \
	       help);
	DEDUP_DELIVERIES(X)
#undef X
}

static void print_counters(const struct filter_counters *c)
{
	printf("  %-16s %14llu           packets entering\n", "rx", c->rx);
	print_reasons(c);
	printf("  %-16s %14llu %6.2f %%\n", "dropped", c->dropped,
	       100 * stats_share(c->dropped, c->rx));
	printf("  %-16s %14s           of duplicates\n", "bytes", FORMAT_BYTES(c->duplicate_bytes));
	printf("  %-16s %14llu           blocks aged too early, by load\n", "early", c->early);
	if (c->late)
		printf("  %-16s %14llu           blocks aged late\n", "late", c->late);
}

static void print_size(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	char parameters[LAYOUT_TEXT_MAX];

	if (!streams_any_hashed(c)) {
		printf("  memory      %s\n", FORMAT_BYTES(plan_bytes(c)));
		return;
	}
	s->layout->describe(c, parameters);
	printf("  filter      %s, %s hash; %s; %s\n", s->layout->name, hash_name(c->memory.hash),
	       FORMAT_BYTES(plan_bytes(c)), parameters);
}

static void print_fill(const struct status *s)
{
	const struct fill *f = &s->fill;

	if (s->layout->approx_count)
		printf("  fill        %.2f %% (%llu cells); %llu ids learned and not expired\n",
		       100 * f->current, (unsigned long long)f->set_current,
		       (unsigned long long)s->approx_count);
	else
		printf("  fill        current %.2f %% (%llu bits), previous %.2f %% (%llu bits)\n",
		       100 * f->current, (unsigned long long)f->set_current, 100 * f->previous,
		       (unsigned long long)f->set_previous);
}

static void print_estimate(const struct status *s)
{
	const struct fill *f = &s->fill;

	printf("  estimate    %.0f ids", f->ids);
	if (f->read_part < 1)
		printf(" (standard error %.0f)", f->ids_error);
	printf("; false-positive rate now %.3g%s\n", s->fpr,
	       s->predecessor.asked ? ", the predecessor's included" : "");
	if (f->read_part < 1)
		printf("              fill and estimate from a sample of %.3g %%; --exact reads all\n",
		       100 * f->read_part);
}

/* Prints the predecessor, an older format, and a change that has not ended. */
static void print_predecessor(const struct status *s)
{
	const struct status_predecessor *b = &s->predecessor;

	if (s->filter.predecessor) {
		const char *size = FORMAT_BYTES(plan_bytes(s->filter.predecessor->config));

		if (b->forgotten)
			printf("  predecessor has forgotten every id; its memory, %s, goes with the next set, resize, load, unload or refresh\n",
			       size);
		else if (!b->asked)
			printf("  predecessor %s; its hand has stopped, so it is not asked\n", size);
		else
			printf("  predecessor %s, asked for another %s at most; %.0f ids, false-positive rate now %.3g\n",
			       size, FORMAT_TIME(b->left_ns), b->fill.ids, b->fill.fpr);
	}
	if (s->filter.config->format != DEDUP_FORMAT)
		printf("  version     of an older xdp-dedup: load --replace --name %s makes it one of this, and forgets nothing\n",
		       s->filter.name);
	if (s->exchanging)
		printf("  change      has begun and not ended: if no xdp-dedup is at work, it was killed, and the next set, resize, load, unload or refresh ends it%s\n",
		       b->leads ? "; until then the predecessor learns" : "");
}

/* Prints a text and destinations, the first cnt4 of them IPv4; nothing if there are none. */
static void print_to(const char *before, const struct dedup_prefix *to, uint32_t cnt4, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		printf("%s%s", i ? "," : before, FORMAT_PREFIX(&to[i], i < cnt4));
}

/* Prints which packets belong to a stream, and what their id is. */
static void print_stream(const struct dedup_config *c, uint32_t n)
{
	const struct dedup_stream *s = &c->policy.streams[n];
	const struct dedup_numbered *numbered = &c->numbered[n];
	const char *digest = s->digest == DEDUP_DIGEST_PAYLOAD	? "a digest of the payload"
			     : s->digest == DEDUP_DIGEST_PACKET ? "a digest of the packet"
			     : s->digest == DEDUP_DIGEST_FRAME	? "a digest of the frame"
								: "";
	char fields[32] = "";

	if (s->loads_cnt)
		snprintf(fields, sizeof(fields), "%u bytes", stream_fields_bytes(s));
	printf("  stream      %s: ", s->name);
	if (s->layer == DEDUP_UDP)
		printf("UDP port %s", FORMAT_PORTS(&c->policy.ports[s->ports_first], s->ports_cnt));
	else if (s->layer == DEDUP_IP)
		printf("IP packets");
	else if (s->ethertype)
		printf("frames of EtherType 0x%04x", ntohs(s->ethertype));
	else
		printf("frames");
	print_to(" to ", &c->policy.to[s->to_first], s->to4_cnt, s->to_cnt);
	if (s->forwarded && !c->policy.forwarded)
		printf(" for any host");
	if (c->policy.opens[n] != c->tunnels.kinds)
		printf(", tunnels %s", FORMAT_TUNNELS(&c->tunnels, c->policy.opens[n]));
	printf("; realm %u; ", s->realm);
	if (s->decoder == DEDUP_GSP)
		puts("GSP/1");
	else if (numbered->width)
		printf("id: a source and a number, %s; history %u numbers, reset %s\n", fields,
		       (uint32_t)dedup_history(&numbered->recovery), FORMAT_TIME(numbered->reset_ns));
	else
		printf("id: %s%s%s\n", fields, *fields && *digest ? " and " : "", digest);
}

/* Prints the counters of each stream, if there are several. */
static void print_streams(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;

	for (uint32_t n = 0; n < c->policy.streams_cnt && c->policy.streams_cnt > 1; n++) {
		printf("\n  of stream %s\n", c->policy.streams[n].name);
		printf("  %-16s %14llu           packets\n", "rx", s->streams[n].rx);
		print_reasons(&s->streams[n]);
		if (c->policy.deliver >> n & 1)
			print_deliveries(&s->streams[n]);
	}
}

static void print_receiver(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	const struct receivers_faults *faults = &s->faults;

	if (c->policy.forwarded)
		puts("  frames      for any host");
	if (c->asked.vlans_cnt)
		printf("  only VLANs  %s\n", FORMAT_VLANS(c->asked.vlans, c->asked.vlans_cnt));
	if (c->tunnels.kinds)
		printf("  tunnels     %s\n", FORMAT_TUNNELS(&c->tunnels, c->tunnels.kinds));
	if (c->asked.outer_to_cnt) {
		print_to("  outer to    ", c->asked.outer_to, c->asked.outer_to4_cnt,
			 c->asked.outer_to_cnt);
		puts("");
	}
	if (dedup_is_gsp(c) && c->policy.to_cnt) {
		print_to("  only to     ", c->policy.to, c->policy.streams[0].to4_cnt,
			 c->policy.to_cnt);
		puts("");
	}
	for (int i = 0; i < faults->stale_cnt; i++)
		printf("  warning     the MACs of %s or of what is on top of it have changed: xdp-dedup refresh %s\n",
		       faults->stale[i], s->filter.name);
	if (*s->same_index.local)
		printf("  warning     %s has the index of %s in another network namespace: packets for AF_XDP sockets are lost; xdp-dedup unload %s\n",
		       s->same_index.local, s->same_index.other, s->same_index.local);
	if (*faults->stacked.upper)
		printf("  warning     %s is on top of %s: packets meet the filter twice, and are dropped the second time; unload one of them\n",
		       faults->stacked.upper, faults->stacked.lower);
	if (*faults->merging.upper)
		printf("  warning     %s merges UDP packets before %s sees them: only the first one's id is looked at\n",
		       faults->merging.lower, faults->merging.upper);
}

/* Prints how long --for still drops, or since when it has ended. */
static void print_drop_time(const struct status *s)
{
	const char *whole = FORMAT_TIME(s->filter.config->asked.drop_ns);

	if (s->drop_left_ns && !s->stopped)
		printf("  dropping    for another %s of %s; then duplicates are only counted\n",
		       FORMAT_TIME(s->drop_left_ns), whole);
	else if (s->counting_ns)
		printf("  dropping    ended %s ago, after %s: duplicates are only counted\n",
		       FORMAT_TIME(s->counting_ns), whole);
}

static void print_sampler(const struct sampling_process *sampler)
{
	if (sampler->listens)
		printf("  sampler     process %u, at most %u packets a second\n", sampler->pid,
		       sampler->request.rate);
	else if (sampler->has_left)
		printf("  sampler     process %u was killed or is held up: its ring buffer (%s) stays until the next sample, or unload\n",
		       sampler->pid, FORMAT_BYTES(SAMPLING_RING_BYTES));
}

/* Prints which fresh packets go to sockets: those of all streams, or of some. */
static void print_deliver(const struct dedup_config *c)
{
	const char *before = "";

	if (!c->policy.deliver)
		return;
	printf("  delivery    fresh packets ");
	for (uint32_t n = 0; n < c->policy.streams_cnt && c->policy.deliver != streams_all(c); n++) {
		if (!(c->policy.deliver >> n & 1))
			continue;
		printf("%s%s", *before ? before : "of ", c->policy.streams[n].name);
		before = ", ";
	}
	printf("%sgo to AF_XDP sockets; %s\n", *before ? " " : "",
	       FORMAT_BYTES(plan_delivery_bytes(c)));
}

static void print_socket(const struct status *s, const struct socket_seen *k)
{
	char buf[IF_NAMESIZE];
	const char *name = status_iface_name(s, k->queue.ifindex, buf);

	if (name)
		printf("  socket      %s", name);
	else
		printf("  socket      interface %u", k->queue.ifindex);
	printf(" queue %u: ", k->queue.queue);
	if (k->is_read)
		printf("process %u, %s; %u of %u frames taken\n", k->pid,
		       k->zerocopy ? "the driver writes into its memory" : "packets are copied",
		       k->frames_taken, k->frames_taken + k->frames_free);
	else if (k->pid)
		printf("nobody reads it, process %u has ended%s\n", k->pid,
		       k->unreturned ? "" : "; it had given all packets back");
	else
		puts("nobody reads it");
	if (!k->is_read && k->unreturned)
		printf("              %u packets were not given back: whoever opens it next wants their ids\n",
		       k->unreturned);
}

/* Prints the advice, except what earlier lines have already. */
static void print_status_advice(const struct status *s)
{
	struct advice list[ADVICE_MAX];
	int cnt = status_advice(s, NULL, list);

	for (int i = 0; i < cnt; i++)
		if (strcmp(list[i].key, "stopped") && strcmp(list[i].key, "macs_changed"))
			printf("  advice      %s\n", list[i].text);
}

/* Prints the hand, the fill and the estimates of hashed ids. */
static void print_ids(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;

	if (s->stopped)
		puts("  hand        has stopped: all ids pass; unload and load again");
	else if (s->layout->approx_count)
		printf("  hand        %u countdowns; oldest id at most %s old\n",
		       s->turns * c->memory.places + (uint32_t)(s->hand * c->memory.places + 0.5),
		       FORMAT_TIME(s->oldest_ns));
	else
		printf("  hand        at %.1f %% of turn %u; oldest id at most %s old\n",
		       100 * s->hand, s->turns + 1, FORMAT_TIME(s->oldest_ns));
	print_fill(s);
	print_estimate(s);
}

static const char *iface_name(const void *status, uint32_t ifindex, char name[SENDERS_IFACE_MAX])
{
	return status_iface_name(status, ifindex, name);
}

struct senders_view status_senders_view(const struct status *s)
{
	return (struct senders_view){ s->filter.config, { 0 }, kernel_now_ns(), iface_name, s };
}

void status_read_senders(const struct status *s, uint32_t max, struct senders_view *out)
{
	*out = status_senders_view(s);
	sender_list_read(&s->filter, max, &out->list);
}

static void print_senders(const struct status *s)
{
	struct senders_view v;

	status_read_senders(s, SENDERS_SHOWN, &v);
	senders_print(&v);
	sender_list_free(&v.list);
}

/* Prints how many packets are lost, and what part of the fresh ones as many are. */
static void print_lost(uint64_t cnt, const char *where, const struct status *s)
{
	uint64_t fresh = s->counters.new;

	printf("%" PRIu64 " packets%s are lost", cnt, where);
	if (fresh)
		printf(" (%.2f %% of new)", percent_of(cnt, fresh));
}

/* Prints what is lost behind the filter, as far as anything is. */
static void print_behind(const struct status *s)
{
	static const char *const WHY[] = {
#define WHY_LOST(name, ipv4, ipv6, text) text,
		STACK_LOSSES(WHY_LOST)
#undef WHY_LOST
	};
	const struct status_behind *b = &s->behind;

	for (int i = 0; b->is_known && i < STACK_LOSSES_CNT; i++) {
		if (!b->lost[i])
			continue;
		printf("  behind      ");
		print_lost(b->lost[i], " of any port of this host", s);
		printf(", %s\n", WHY[i]);
	}
	if (b->is_known && !b->sockets_known)
		puts("  behind      what sockets lose is unknown: the kernel cannot list them (udp_diag)");
	for (int i = 0; i < b->sockets_cnt; i++) {
		const struct stack_socket *k = &b->sockets[i];

		if (!k->dropped)
			continue;
		print_clean("  socket      %s on UDP port %u: ", STACK_PROGRAM_OF(k->inode), k->port);
		print_lost(k->dropped, "", s);
		printf(", as its buffer of %s was full\n", FORMAT_BYTES(k->buffer));
	}
}

void status_print(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;

	printf("%s: ", s->filter.name);
	if (!dedup_is_gsp(c))
		printf("%u stream%s", c->policy.streams_cnt, c->policy.streams_cnt > 1 ? "s" : "");
	else
		printf("GSP/1 on UDP port %s", FORMAT_PORTS(c->policy.ports, c->policy.ports_cnt));
	printf(", duplicates are %s\n", status_drops(s) ? "dropped" : "counted and passed");
	if (*c->asked.comment)
		printf("  comment     %s\n", c->asked.comment);
	printf("  interfaces  ");
	print_ifaces(s);
	for (uint32_t n = 0; n < c->policy.streams_cnt && !dedup_is_gsp(c); n++)
		print_stream(c, n);
	print_receiver(s);
	print_size(s);
	if (streams_any_hashed(c))
		printf("  promise     at most %g of fresh events lost, at %llu ids a window of %s\n",
		       plan_fpr(c), c->memory.capacity, FORMAT_TIME(c->memory.window_ns));
	if (streams_any_numbered(c))
		printf("  sources     %u of at most %u; no fresh number is lost\n",
		       numbers_sources(&s->filter), c->sources.sources);
	print_senders(s);
	print_drop_time(s);
	if (c->asked.learn_app)
		puts("  learning    only what an application adds");
	if (c->asked.ihave_pass)
		puts("  IHAVEs      all pass");
	print_deliver(c);
	for (int i = 0; s->sockets && i < s->sockets->cnt; i++)
		print_socket(s, &s->sockets->list[i]);
	print_sampler(&s->sampler);
	if (streams_any_hashed(c))
		print_ids(s);
	else if (s->stopped)
		puts("  hand        has stopped: no source is recycled; unload and load again");
	print_predecessor(s);
	print_behind(s);
	print_status_advice(s);
	printf("  kept away   %s\n\n", FORMAT_BYTES(s->counters.dropped_bytes));
	print_counters(&s->counters);
	if (c->policy.deliver)
		print_deliveries(&s->counters);
	print_streams(s);
}
