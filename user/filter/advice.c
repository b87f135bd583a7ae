// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config_streams.h"
#include "spec.h"
#include "stack.h"
#include "text.h"
#include "units.h"

#define PACKETS_MIN 1000 /* fewer packets are no evidence */
#define MOST 0.9
#define STALE_MIN 0.01
#define UNLEARNED_MIN 0.001
#define UNDELIVERED_MIN 0.01
#define FULL_PART 0.001 /* of the fresh packets, that a full buffer loses */
#define SHORT 0.95	/* of a window: without any load hands differ less from the window */
#define HEADROOM 2	/* advised capacity per needed capacity, as in the survey of a capture */

static double unlearned_share(const struct filter_counters *c)
{
	return stats_share(c->unlearned, (double)c->new + c->unlearned);
}

/* Returns how many ids arrive in a window, including those for which there was no room. */
static double ids_a_window(const struct advice_reading *r)
{
	double ids = stats_share((double)r->pace.ids * r->config->memory.window_ns, r->pace.age_ns);
	double unlearned = unlearned_share(&r->recent);

	return unlearned < 1 ? ids / (1 - unlearned) : ids;
}

#define IDS_MAX 1e18 /* the hand may have written one half of a mark when it was read */

/* Rounds up to two digits. */
static uint64_t rounded_up_to_2_digits(double n)
{
	uint64_t unit = 1;

	n = fmin(n, IDS_MAX);
	while (n > 99.0 * unit)
		unit *= 10;
	return (uint64_t)ceil(n / unit) * unit;
}

/* Rounds down to a time of one unit, as --window takes it. Returns 0 if that is too short. */
static uint64_t rounded_down_ns(double ns)
{
	static const uint64_t UNITS[] = { 86400000000000, 3600000000000, 60000000000, 1000000000,
					  10000000 };

	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
		if (ns >= UNITS[i])
			return (uint64_t)(ns / UNITS[i]) * UNITS[i];
	return 0;
}

/* Appends the commands for a filter that is too small. */
static void add_sizes(const struct advice_reading *r, char *text)
{
	double ids = ids_a_window(r),
	       needed = ids > r->config->memory.capacity ? ids : r->config->memory.capacity;
	uint64_t window_ns =
		rounded_down_ns(r->config->memory.window_ns * (double)r->config->memory.capacity /
				(HEADROOM * needed));
	const char *wait = r->uses_predecessor ? " --wait" : "";

	text_append(text, ADVICE_TEXT_MAX, "xdp-dedup resize %s --capacity %s%s", r->name,
		    FORMAT_COUNT(rounded_up_to_2_digits(HEADROOM * needed)), wait);
	if (window_ns)
		text_append(text, ADVICE_TEXT_MAX, "; or, with the memory that it has, --window %s",
			    FORMAT_TIME(window_ns));
}

/* Rows: each writes its sentence if it holds. */

static void stopped(const struct advice_reading *r, char *text)
{
	if (r->stopped)
		snprintf(text, ADVICE_TEXT_MAX,
			 "the window's clock has stopped, as when somebody removes the pin `timer`: all ids pass as stale; xdp-dedup unload --name %s, and load it again",
			 r->name);
}

static void held_up(const struct advice_reading *r, char *text)
{
	double part = stats_share(r->recent.stale, r->recent.rx);

	if (part < STALE_MIN || r->recent.rx < PACKETS_MIN)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "%.3g %% of the packets passed as stale, for the window's clock was held up: real-time threads, or a flood, starve the softirqs of its CPU; keep them to other CPUs (taskset, RPS, the NIC's queues)",
		 100 * part);
}

/* Appends the command that gives room to more senders of numbered streams. */
static void add_sources(const struct advice_reading *r, char *text)
{
	uint32_t sources = r->config->sources.sources;

	sources = sources > SPEC_SOURCES_MAX / HEADROOM ? SPEC_SOURCES_MAX : HEADROOM * sources;
	text_append(text, ADVICE_TEXT_MAX, "xdp-dedup resize %s --sources %u%s", r->name, sources,
		    r->uses_predecessor ? " --wait" : "");
}

/* Does what too_small() does, for a filter that has only numbered streams. */
static void too_few_sources(const struct advice_reading *r, char *text)
{
	snprintf(text, ADVICE_TEXT_MAX,
		 "the filter is too small: for %.3g %% of the fresh packets there was no room, and their copies pass; there are more than %u senders: ",
		 100 * unlearned_share(&r->recent), r->config->sources.sources);
	add_sources(r, text);
}

static void too_small(const struct advice_reading *r, char *text)
{
	double part = unlearned_share(&r->recent);

	if (part < UNLEARNED_MIN || r->recent.unlearned < PACKETS_MIN / 10)
		return;
	if (!streams_any_hashed(r->config)) {
		too_few_sources(r, text);
		return;
	}
	snprintf(text, ADVICE_TEXT_MAX,
		 "the filter is too small: for %.3g %% of the fresh ids there was no room, and their copies pass; more come than %s in %s: ",
		 100 * part, FORMAT_ABOUT(r->config->memory.capacity),
		 FORMAT_TIME(r->config->memory.window_ns));
	add_sizes(r, text);
	if (streams_any_numbered(r->config)) {
		text_append(text, ADVICE_TEXT_MAX,
			    "; or, if they are of more than %u senders of numbered streams, ",
			    r->config->sources.sources);
		add_sources(r, text);
	}
}

/* Holds if load makes the hand faster than the clock. After a request, few ids were learned. */
static void window_shortens(const struct advice_reading *r, char *text)
{
	if (!r->total.early || r->pace.age_ns >= SHORT * r->config->memory.window_ns ||
	    r->pace.ids <= r->config->memory.capacity / 2)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "the filter is too small: %s ids came within %s, so they are forgotten after that instead of %s, and later copies pass: ",
		 FORMAT_ABOUT(r->pace.ids), FORMAT_TIME(r->pace.age_ns),
		 FORMAT_TIME(r->config->memory.window_ns));
	add_sizes(r, text);
}

static void unseen(const struct advice_reading *r, char *text)
{
	if (r->unseen)
		snprintf(text, ADVICE_TEXT_MAX,
			 "%s receives packets that the filter does not see, so all of them pass: its driver has lost the program, as some do when the link goes down or an option of the NIC changes; xdp-dedup load --replace --name %s attaches it anew",
			 r->unseen, r->name);
}

static void mtu(const struct advice_reading *r, char *text)
{
	if (r->mtu)
		snprintf(text, ADVICE_TEXT_MAX,
			 "%s has an MTU above %u, for which its driver has no native XDP: it may lose every larger packet; ip link set dev %s mtu %u; for a larger one unload %s first, and load it afterwards",
			 r->mtu, r->mtu_max, r->mtu, r->mtu_max, r->name);
}

static void tags(const struct advice_reading *r, char *text)
{
	if (r->strips)
		snprintf(text, ADVICE_TEXT_MAX,
			 "%s takes VLAN tags off before the filter sees frames, so that frames of different VLANs look alike, and one of two is dropped: if there are VLANs, ethtool -K %s rxvlan off",
			 r->strips, r->strips);
}

static void macs_changed(const struct advice_reading *r, char *text)
{
	if (r->macs_changed)
		snprintf(text, ADVICE_TEXT_MAX,
			 "the MACs of %s or of what is on top of it have changed, and frames to the new ones pass as ignored: xdp-dedup refresh %s",
			 r->macs_changed, r->name);
}

static void all_ignored(const struct advice_reading *r, char *text)
{
	const struct dedup_config *c = r->config;
	const char *packets = FORMAT_ABOUT(r->total.rx);

	if (r->total.rx < PACKETS_MIN || r->total.ignored < r->total.rx)
		return;
	if (!dedup_is_gsp(c))
		snprintf(text, ADVICE_TEXT_MAX,
			 "none of %s packets is of a stream, all pass as ignored: look where they go (tcpdump -ne), then xdp-dedup set %s --profile PROFILE:PORTS%s",
			 packets, r->name,
			 c->policy.forwarded ? "" : ", with --forwarded for other hosts' frames");
	else
		snprintf(text, ADVICE_TEXT_MAX,
			 "none of %s packets is to UDP port %s%s, all pass as ignored: look where they go (tcpdump -ne udp), then xdp-dedup set %s --port PORTS%s",
			 packets, FORMAT_PORTS(c->policy.ports, c->policy.ports_cnt),
			 c->policy.to_cnt      ? " of --to"
			 : c->asked.vlans_cnt  ? " of --vlan"
			 : c->policy.forwarded ? ""
					       : " of this host",
			 r->name,
			 c->policy.forwarded ? "" : "; or --forwarded, if they are for other hosts");
}

static void not_gsp(const struct advice_reading *r, char *text)
{
	const struct filter_counters *c = &r->recent;
	double judged = (double)c->rx - c->ignored;
	double other = (double)c->bad_magic + c->bad_type + c->bad_count + c->bad_length;
	const char *ports = FORMAT_PORTS(r->config->policy.ports, r->config->policy.ports_cnt);

	if (!dedup_is_gsp(r->config) || judged < PACKETS_MIN || other < MOST * judged)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "%.3g %% of the packets to port %s are not GSP/1, and pass: another protocol needs its profile (xdp-dedup profile list), as in xdp-dedup set %s --profile PROFILE:%s",
		 100 * other / judged, ports, r->name, ports);
}

/* Counters are of all streams: a filter with streams that are not numbered gets no such advice. */
static void misread(const struct advice_reading *r, char *text)
{
	const struct filter_counters *c = &r->recent;
	double wrong = (double)c->far_number + c->bad_count + c->unlearned;
	double right = (double)c->new + c->untaken + c->duplicate + c->late_number;

	if (!streams_any_numbered(r->config) || streams_any_hashed(r->config) ||
	    wrong < PACKETS_MIN || wrong <= right)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "%.3g %% of the packets have numbers that do not go on (far_number), impossible counts (bad_count), or too many senders (unlearned), and pass: look at sequence, count, source and byte order of the profile; on a capture, xdp-dedup replay tries the other byte order",
		 100 * wrong / (wrong + right));
}

static void skb_mode(const struct advice_reading *r, char *text)
{
	if (r->skb)
		snprintf(text, ADVICE_TEXT_MAX,
			 "%s runs it in skb mode, so the kernel has made an skb of each packet before it is dropped, which saves less: %s",
			 r->skb,
			 r->skb_native == 1
				 ? "its driver has native XDP; load it there again with --mode native, which says what it lacks if it fails"
			 : r->skb_native == 0
				 ? "its driver has no native XDP; load the interface below it, if there is one that has"
				 : "xdp-dedup check says whether its driver has native XDP; if so, load it again with --mode native");
}

/* Returns which part of the fresh packets `which` of them are; 0 if these are few. */
static double undelivered(const struct filter_counters *c, uint64_t which)
{
	return which < PACKETS_MIN / 10 ? 0 : stats_share(which, stats_deliveries(c));
}

static void no_socket(const struct advice_reading *r, char *text)
{
	double part = undelivered(&r->recent, r->recent.no_socket);

	if (part < UNDELIVERED_MIN || (r->readers && !r->unread))
		return;
	if (!r->readers)
		snprintf(text, ADVICE_TEXT_MAX,
			 "fresh packets go to the stack, as no application has an AF_XDP socket for them: start the one that calls xdp_dedup_receive_open(); or, if there is none, xdp-dedup set %s --deliver stack",
			 r->name);
	else
		snprintf(text, ADVICE_TEXT_MAX,
			 "%.3g %% of the fresh packets went to the stack, as their queue had no AF_XDP socket: nobody reads queue %u of %s; the application needs a socket for each queue (ethtool -l %s), or there should be fewer (ethtool -L); meanwhile all copies pass",
			 100 * part, r->unread_queue, r->unread, r->unread);
}

static void no_room(const struct advice_reading *r, char *text)
{
	double part = undelivered(&r->recent, r->recent.no_room);

	if (part < UNDELIVERED_MIN)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "%.3g %% of the fresh packets went to the stack, as all frames of their AF_XDP socket were taken: the application should give packets back sooner, have more frames (the option of xdp_dedup_receive_open()), or more queues, each with a thread of its own; meanwhile all copies pass",
		 100 * part);
}

static void too_large(const struct advice_reading *r, char *text)
{
	double part = undelivered(&r->recent, r->recent.too_large);

	if (part < UNDELIVERED_MIN)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "%.3g %% of the fresh packets went to the stack, as they were larger than a frame: from Linux 6.6 on, where packets are copied, the application can have them in several (frames_a_packet of xdp_dedup_receive_open())",
		 100 * part);
}

static void detached(const struct advice_reading *r, char *text)
{
	if (r->detached)
		snprintf(text, ADVICE_TEXT_MAX,
			 "nothing is filtered on %s: somebody has detached the program, or put another one in its place: xdp-dedup set %s --add %s attaches it anew",
			 r->detached, r->name, r->detached);
}

static void behind(const struct advice_reading *r, char *text)
{
	if (r->behind)
		snprintf(text, ADVICE_TEXT_MAX, "%s", r->behind);
}

/* The search for a socket's program reads all of /proc, and the service gives advice often. */
static const char *program_of(uint32_t inode)
{
	static char program[STACK_PROGRAM_MAX];
	static uint32_t found;

	if (found != inode)
		stack_program_of(inode, program);
	found = inode;
	return program;
}

static void full_buffer(const struct advice_reading *r, char *text)
{
	if (!r->full_inode || r->full_dropped < FULL_PART * r->total.new)
		return;
	snprintf(text, ADVICE_TEXT_MAX,
		 "%s has lost %u messages in the full buffer of its socket on UDP port %u, and the filter drops their copies: SO_RCVBUF above %s, with sysctl net.core.rmem_max; or a program that reads faster",
		 program_of(r->full_inode), r->full_dropped, r->full_port,
		 FORMAT_BYTES(r->full_buffer));
}

static const struct row {
	const char *key;
	void (*write)(const struct advice_reading *r, char *text);
	const char *unless; /* not written beside this advice, which tells more; NULL: always */
} ADVICE_ROWS[] = {
	{ "stopped", stopped, NULL },
	{ "held_up", held_up, "stopped" },
	{ "detached", detached, NULL },
	{ "unseen", unseen, "detached" },
	{ "behind", behind, NULL },
	{ "full_buffer", full_buffer, NULL },
	{ "mtu", mtu, NULL },
	{ "tags", tags, NULL },
	{ "misread", misread, NULL },
	{ "too_small", too_small, NULL },
	{ "window_shortens", window_shortens, "too_small" },
	{ "macs_changed", macs_changed, NULL },
	{ "all_ignored", all_ignored, "macs_changed" },
	{ "not_gsp", not_gsp, NULL },
	{ "skb_mode", skb_mode, NULL },
	{ "no_socket", no_socket, NULL },
	{ "no_room", no_room, NULL },
	{ "too_large", too_large, NULL },
};
_Static_assert(sizeof(ADVICE_ROWS) / sizeof(ADVICE_ROWS[0]) == ADVICE_MAX, "ADVICE_MAX");

bool advice_has(const struct advice *list, int cnt, const char *key)
{
	for (int i = 0; i < cnt; i++)
		if (!strcmp(list[i].key, key))
			return true;
	return false;
}

int advice_of(const struct advice_reading *r, struct advice out[ADVICE_MAX])
{
	int cnt = 0;

	for (int i = 0; i < ADVICE_MAX; i++) {
		if (ADVICE_ROWS[i].unless && advice_has(out, cnt, ADVICE_ROWS[i].unless))
			continue;
		out[cnt] = (struct advice){ .key = ADVICE_ROWS[i].key };
		ADVICE_ROWS[i].write(r, out[cnt].text);
		cnt += *out[cnt].text != 0;
	}
	return cnt;
}
