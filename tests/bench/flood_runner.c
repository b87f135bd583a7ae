// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flood_runner.h"

#include <net/if.h>

#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "e2e_runner.h"
#include "flood.h"
#include "open.h"

#define CPU 0
#define FPR 1e-4 /* the tool's default */
#define PORT_OPTION "--port 8001"
_Static_assert(FLOOD_PORT == 8001, "as PORT_OPTION");

/* What is on the link of each way, which has a veth pair of its own. */
static const struct way {
	const char *filter, *options; /* the tool's name for it, and options of its load */
	const char *program;	      /* of flood.bpf.c */
	bool is_received;	      /* from the filter, by the library's receiver */
	bool has_xsk, asks_library;
	uint32_t place; /* of the AF_XDP socket */
} WAYS[FLOOD_WAYS] = {
	[FLOOD_XDP_DEDUP] = { .filter = "kernel", .options = PORT_OPTION },
	[FLOOD_XDP_DEDUP_XSK] = { .filter = "deliver",
				  .options = PORT_OPTION " --deliver xsk",
				  .is_received = true },
	[FLOOD_XDP_NUMBERED_XSK] = { .filter = "numbered",
				     .options = "--profiles /mnt/numbered --profile numbered:8001"
						" --sources 16 --deliver xsk",
				     .is_received = true },
	[FLOOD_XDP_LINE] = { .program = "drop_by_line" },
	[FLOOD_XDP_LINE_XSK] = { .program = "redirect_by_line",
				 .has_xsk = true,
				 .place = FLOOD_XSK_LINE },
	[FLOOD_XDP_TOLD] = { .program = "drop_copies" },
	[FLOOD_XDP_TOLD_XSK] = { .program = "redirect_first",
				 .has_xsk = true,
				 .place = FLOOD_XSK_FIRST },
	[FLOOD_XSK_DEDUP] = { .program = "redirect_all",
			      .has_xsk = true,
			      .place = FLOOD_XSK_ALL,
			      .asks_library = true },
	[FLOOD_SOCKET_DEDUP] = { .asks_library = true },
	/* No packet gets here: the library's filter does not see them twice. */
	[FLOOD_NOWHERE] = { .filter = "user", .options = PORT_OPTION " --learn app" },
};

static struct e2e {
	struct flood_sender sender;
	struct link {
		struct flood_target target;
		struct filter filter;
		struct xdp_dedup_receiver *receiver;
		struct xsk xsk;
	} links[FLOOD_WAYS];
	struct xdp_dedup_filter *in_user_space;
	uint64_t seed;
} e2e;

static const char *near_end(enum flood_way way)
{
	static char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "near%d", way);
	return name;
}

/* No IPv6: it talks without being asked. GRO is what makes NAPI run without XDP; there
 * is no packet here that it merges.
 */
static void make_link(enum flood_way way)
{
	struct flood_target *t = &e2e.links[way].target;
	char far_end[IFNAMSIZ];

	snprintf(far_end, sizeof(far_end), "far%d", way);
	*t = (struct flood_target){ .mac = { 2, 0, 0, 0, 1, way },
				    .address = 0x0a4f0001 + (way << 8) };
	sh("set -e; near=%s far=%s link=%d\n"
	   "ip link add $near address 02:00:00:00:01:%02x numrxqueues 1 numtxqueues 1 type veth"
	   " peer name $far numrxqueues 1 numtxqueues 1\n"
	   "ip link set $near addrgenmode none\n"
	   "ip link set $far addrgenmode none\n"
	   "ethtool -K $near gro on\n"
	   "ip addr add 10.79.$link.1/24 dev $near\n"
	   "ip link set $near up\n"
	   "ip link set $far up\n",
	   near_end(way), far_end, way, way);
	t->far_ifindex = if_nametoindex(far_end);
}

static void load(enum flood_way way, const char *size)
{
	const struct xdp_dedup_receive_options options = {
		.size = sizeof(options),
		.timestamps = getenv("TIMES"),
	};
	const struct way *w = &WAYS[way];
	struct link *link = &e2e.links[way];
	int err;

	sh("%s load %s --name %s --mode native %s --fpr %g %s", tool(), near_end(way), w->filter,
	   size, FPR, w->options);
	err = filter_open(w->filter, &link->filter);
	if (!err && w->is_received)
		err = xdp_dedup_receive_open(w->filter, &options, &link->receiver);
	assert_return_code(err, -err);
}

static void attach(enum flood_way way)
{
	int ifindex = (int)if_nametoindex(near_end(way));
	struct xsk *xsk = &e2e.links[way].xsk;
	const struct way *w = &WAYS[way];
	int err = bpf_xdp_attach(ifindex, flood_program_fd(&e2e.sender, w->program),
				 XDP_FLAGS_DRV_MODE, NULL);

	if (!err && w->has_xsk)
		err = flood_xsk_open(xsk, ifindex);
	if (!err && w->has_xsk)
		err = flood_enter(&e2e.sender, w->place, xsk->fd);
	assert_return_code(err, -err);
}

void flood_run_make(uint32_t burst, uint32_t copies, const char *size)
{
	int err;

	e2e.seed = gossip_now_ns();
	err = flood_sender_open(&e2e.sender, CPU, burst, copies);
	assert_return_code(err, -err);
	/* The profile of the events as a numbered stream. */
	sh("printf '[profile numbered]\\nlayer = udp\\nsource = payload+%zu:8\\n"
	   "sequence = payload+%zu:8\\nhistory = 1M\\n' > /mnt/numbered",
	   offsetof(struct flood_payload, seed), offsetof(struct flood_payload, number));
	for (int way = 0; way < FLOOD_WAYS; way++) {
		make_link(way);
		if (WAYS[way].filter)
			load(way, size);
		else if (WAYS[way].program)
			attach(way);
	}
	err = xdp_dedup_open("user", &e2e.in_user_space);
	assert_return_code(err, -err);
}

void flood_run_remove(void)
{
	xdp_dedup_close(e2e.in_user_space);
	for (int way = 0; way < FLOOD_WAYS; way++) {
		struct link *link = &e2e.links[way];

		if (WAYS[way].has_xsk)
			xsk_close(&link->xsk);
		if (WAYS[way].is_received)
			xdp_dedup_receive_close(link->receiver);
		if (WAYS[way].filter)
			filter_close(&link->filter);
	}
	sh("%s unload --all", tool());
	for (int way = 0; way < FLOOD_WAYS; way++)
		sh("ip link del %s", near_end(way));
	flood_sender_close(&e2e.sender);
	e2e = (struct e2e){ 0 };
}

/* Packets for which the link's ring had no room. */
static uint64_t lost_in_ring(enum flood_way way)
{
	unsigned long long cnt = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/rx_dropped", near_end(way));
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu", &cnt), 1);
	fclose(f);
	return cnt;
}

/* What is counted from the link's beginning. */
struct counts {
	uint64_t dropped;   /* by XDP, of all floods */
	uint64_t delivered; /* by the filter there, past the stack */
	uint64_t stale;	    /* passed it unlearned, as its hand had not stepped for too long */
	uint64_t lost_in_ring;
};

static struct counts count(enum flood_way way)
{
	struct filter_counters c = { 0 };

	if (WAYS[way].filter)
		assert_return_code(filter_counters(&e2e.links[way].filter, &c), EIO);
	else
		c.dropped = flood_dropped(&e2e.sender);
	return (struct counts){
		.dropped = c.dropped,
		.delivered = c.delivered,
		.stale = c.stale,
		.lost_in_ring = lost_in_ring(way),
	};
}

static void fill_in(struct flood_result *r, enum flood_way way, const struct flood_reader *reader,
		    const struct counts *before)
{
	struct counts after = count(way);

	if (after.stale > before->stale)
		fail_msg("way %d at %.0f packets/s: the hand was late, %lu packets passed as "
			 "stale (before Linux 6.5: FAIR=1)",
			 way, r->rate_pps, after.stale - before->stale);
	r->dropped = after.dropped - before->dropped;
	r->delivered = after.delivered - before->delivered;
	r->lost_in_ring = after.lost_in_ring - before->lost_in_ring;
	r->lost_in_socket = reader->lost;
	r->by_xsk = reader->by_xsk;
	r->distinct = reader->distinct;
	r->again = reader->again;
	r->strangers = reader->strangers;
	r->duplicates = r->dropped + reader->again + reader->duplicates;
	r->received = r->dropped + reader->distinct + reader->again + reader->duplicates;
	r->reader_ns = reader->cpu_ns;
}

struct flood_result flood_run_run(enum flood_way way, uint64_t rate_pps, double seconds)
{
	struct link *link = &e2e.links[way];
	struct flood_target to = link->target;
	struct flood_reader reader = {
		.cpu = CPU,
		.seed = e2e.seed++,
		.events = rate_pps * seconds / e2e.sender.copies + FLOOD_SPREAD,
		.filter = WAYS[way].asks_library ? e2e.in_user_space : NULL,
		.receiver = link->receiver,
		.xsk = WAYS[way].has_xsk ? &link->xsk : NULL,
	};
	struct counts before = count(way);
	struct flood_result r = { 0 };
	int err = flood_reader_start(&reader, to.address), reader_err;

	assert_return_code(err, -err);
	if (way == FLOOD_NOWHERE)
		to.far_ifindex = 0;
	err = flood_start(&e2e.sender, &to, reader.seed, rate_pps, rate_pps * seconds);
	if (!err)
		err = flood_wait(&e2e.sender);
	reader_err = flood_reader_stop(&reader);
	assert_return_code(err, -err);
	assert_return_code(reader_err, -reader_err);
	r.rate_pps = e2e.sender.rate_pps;
	r.sent = e2e.sender.sent;
	r.sender_ns = e2e.sender.cpu_ns;
	r.events = (r.sent + e2e.sender.copies - 1) / e2e.sender.copies;
	fill_in(&r, way, &reader, &before);
	return r;
}

double flood_loss(const struct flood_result *r)
{
	return r->sent > r->received ? (double)(r->sent - r->received) / r->sent : 0;
}

void flood_run_check(enum flood_way way, const struct flood_result *r)
{
	uint64_t lost = r->lost_in_ring + r->lost_in_socket;

	if (way == FLOOD_NOWHERE)
		return;
	assert_int_equal(r->received + lost, r->sent);
	assert_int_equal(r->strangers, 0);
	assert_true(!WAYS[way].is_received || r->by_xsk == r->delivered);
	assert_true(r->distinct <= r->events);
	assert_true(r->events - r->distinct <= lost + poisson_bound(FPR * r->events));
	assert_int_equal(r->again, 0);
}
