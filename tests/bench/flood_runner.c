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

enum link {
	LINK_DEDUP,
	LINK_DEDUP_XSK,
	LINK_NUMBERED_XSK,
	LINK_LINE,
	LINK_LINE_XSK,
	LINK_TOLD,
	LINK_TOLD_XSK,
	LINK_ALL_XSK,
	LINK_PLAIN,
	LINK_SPARE,
	LINKS
};

/* Which of the links a flood takes. */
static const enum link LINK_OF[FLOOD_WAYS] = {
	[FLOOD_XDP_DEDUP] = LINK_DEDUP,
	[FLOOD_XDP_DEDUP_XSK] = LINK_DEDUP_XSK,
	[FLOOD_XDP_NUMBERED_XSK] = LINK_NUMBERED_XSK,
	[FLOOD_XDP_LINE] = LINK_LINE,
	[FLOOD_XDP_LINE_XSK] = LINK_LINE_XSK,
	[FLOOD_XDP_TOLD] = LINK_TOLD,
	[FLOOD_XDP_TOLD_XSK] = LINK_TOLD_XSK,
	[FLOOD_XSK_DEDUP] = LINK_ALL_XSK,
	[FLOOD_SOCKET_DEDUP] = LINK_PLAIN,
	[FLOOD_NOWHERE] = LINK_PLAIN,
};

static struct e2e {
	struct flood_sender sender;
	struct flood_target targets[LINKS];
	struct filter in_kernel, delivering, numbered;		 /* on the first three links */
	struct xdp_dedup_receiver *receiver, *numbered_receiver; /* of the last two */
	struct xsk first, line, all; /* on LINK_TOLD_XSK, LINK_LINE_XSK and LINK_ALL_XSK */
	struct xdp_dedup_filter *in_user_space;
	uint64_t seed;
} e2e;

static const char *near_end(enum link link)
{
	static char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "near%d", link);
	return name;
}

/* No IPv6: it talks without being asked. GRO is what makes NAPI run without XDP; there
 * is no packet here that it merges.
 */
static void make_link(enum link link)
{
	struct flood_target *t = &e2e.targets[link];
	char far_end[IFNAMSIZ];

	snprintf(far_end, sizeof(far_end), "far%d", link);
	*t = (struct flood_target){ .mac = { 2, 0, 0, 0, 1, link },
				    .address = 0x0a4f0001 + (link << 8) };
	sh("set -e; near=%s far=%s link=%d\n"
	   "ip link add $near address 02:00:00:00:01:%02x numrxqueues 1 numtxqueues 1 type veth"
	   " peer name $far numrxqueues 1 numtxqueues 1\n"
	   "ip link set $near addrgenmode none\n"
	   "ip link set $far addrgenmode none\n"
	   "ethtool -K $near gro on\n"
	   "ip addr add 10.79.$link.1/24 dev $near\n"
	   "ip link set $near up\n"
	   "ip link set $far up\n",
	   near_end(link), far_end, link, link);
	t->far_ifindex = if_nametoindex(far_end);
}

static void attach(enum link link, const char *program)
{
	int err = bpf_xdp_attach(if_nametoindex(near_end(link)),
				 flood_program_fd(&e2e.sender, program), XDP_FLAGS_DRV_MODE, NULL);

	assert_return_code(err, -err);
}

static void load(enum link link, const char *name, const char *size, const char *options,
		 struct filter *out)
{
	int err;

	sh("%s load %s --name %s --mode native %s --fpr %g %s", tool(), near_end(link), name, size,
	   FPR, options);
	err = filter_open(name, out);
	assert_return_code(err, -err);
}

/* The profile of the events as a numbered stream. */
static void write_profile(void)
{
	sh("printf '[profile numbered]\\nlayer = udp\\nsource = payload+%zu:8\\n"
	   "sequence = payload+%zu:8\\nhistory = 1M\\n' > /mnt/numbered",
	   offsetof(struct flood_payload, seed), offsetof(struct flood_payload, number));
}

static void open_receiver(const char *name, struct xdp_dedup_receiver **out)
{
	const struct xdp_dedup_receive_options options = {
		.size = sizeof(options),
		.timestamps = getenv("TIMES"),
	};
	int err = xdp_dedup_receive_open(name, &options, out);

	assert_return_code(err, -err);
}

static void open_xsk(enum link link, struct xsk *x, uint32_t place)
{
	int err = flood_xsk_open(x, if_nametoindex(near_end(link)));

	assert_return_code(err, -err);
	err = flood_enter(&e2e.sender, place, x->fd);
	assert_return_code(err, -err);
}

void flood_run_make(uint32_t burst, uint32_t copies, const char *size)
{
	int err;

	e2e.seed = gossip_now_ns();
	for (int i = 0; i < LINKS; i++)
		make_link(i);
	err = flood_sender_open(&e2e.sender, CPU, burst, copies);
	assert_return_code(err, -err);
	attach(LINK_LINE, "drop_by_line");
	attach(LINK_LINE_XSK, "redirect_by_line");
	attach(LINK_TOLD, "drop_copies");
	attach(LINK_TOLD_XSK, "redirect_first");
	attach(LINK_ALL_XSK, "redirect_all");
	open_xsk(LINK_TOLD_XSK, &e2e.first, FLOOD_XSK_FIRST);
	open_xsk(LINK_LINE_XSK, &e2e.line, FLOOD_XSK_LINE);
	open_xsk(LINK_ALL_XSK, &e2e.all, FLOOD_XSK_ALL);
	write_profile();
	load(LINK_DEDUP, "kernel", size, PORT_OPTION, &e2e.in_kernel);
	load(LINK_DEDUP_XSK, "deliver", size, PORT_OPTION " --deliver xsk", &e2e.delivering);
	load(LINK_NUMBERED_XSK, "numbered", size,
	     "--profiles /mnt/numbered --profile numbered:8001 --sources 16 --deliver xsk",
	     &e2e.numbered);
	open_receiver("deliver", &e2e.receiver);
	open_receiver("numbered", &e2e.numbered_receiver);
	sh("%s load %s --name user --learn app --port %d %s --fpr %g", tool(), near_end(LINK_SPARE),
	   FLOOD_PORT, size, FPR);
	err = xdp_dedup_open("user", &e2e.in_user_space);
	assert_return_code(err, -err);
}

void flood_run_remove(void)
{
	xsk_close(&e2e.first);
	xsk_close(&e2e.line);
	xsk_close(&e2e.all);
	xdp_dedup_receive_close(e2e.receiver);
	xdp_dedup_receive_close(e2e.numbered_receiver);
	filter_close(&e2e.numbered);
	filter_close(&e2e.delivering);
	filter_close(&e2e.in_kernel);
	xdp_dedup_close(e2e.in_user_space);
	sh("%s unload --all", tool());
	for (int i = 0; i < LINKS; i++)
		sh("ip link del %s", near_end(i));
	flood_sender_close(&e2e.sender);
	e2e = (struct e2e){ 0 };
}

/* Packets for which the link's ring had no room. */
static uint64_t lost_in_ring(enum link link)
{
	unsigned long long cnt = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/rx_dropped", near_end(link));
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

/* The filter that packets meet in XDP, or NULL. */
static struct filter *filter_of(enum flood_way way)
{
	return way == FLOOD_XDP_DEDUP	       ? &e2e.in_kernel
	       : way == FLOOD_XDP_DEDUP_XSK    ? &e2e.delivering
	       : way == FLOOD_XDP_NUMBERED_XSK ? &e2e.numbered
					       : NULL;
}

static struct counts count(enum flood_way way)
{
	struct filter *filter = filter_of(way);
	struct filter_counters c = { 0 };

	if (filter)
		assert_return_code(filter_counters(filter, &c), EIO);
	else if (way <= FLOOD_XDP_TOLD_XSK)
		c.dropped = flood_dropped(&e2e.sender);
	return (struct counts){
		.dropped = c.dropped,
		.delivered = c.delivered,
		.stale = c.stale,
		.lost_in_ring = lost_in_ring(LINK_OF[way]),
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
	r->duplicates = reader->again + reader->duplicates;
	if (way <= FLOOD_XDP_TOLD_XSK)
		r->duplicates += r->dropped;
	r->received = r->dropped + reader->distinct + reader->again + reader->duplicates;
	r->reader_ns = reader->cpu_ns;
}

struct flood_result flood_run_run(enum flood_way way, uint64_t rate_pps, double seconds)
{
	struct flood_target to = e2e.targets[LINK_OF[way]];
	struct flood_reader reader = {
		.cpu = CPU,
		.seed = e2e.seed++,
		.events = rate_pps * seconds / e2e.sender.copies + FLOOD_SPREAD,
		.filter = way == FLOOD_SOCKET_DEDUP || way == FLOOD_XSK_DEDUP ? e2e.in_user_space
									      : NULL,
		.receiver = way == FLOOD_XDP_DEDUP_XSK	    ? e2e.receiver
			    : way == FLOOD_XDP_NUMBERED_XSK ? e2e.numbered_receiver
							    : NULL,
		.xsk = way == FLOOD_XDP_TOLD_XSK   ? &e2e.first
		       : way == FLOOD_XDP_LINE_XSK ? &e2e.line
		       : way == FLOOD_XSK_DEDUP	   ? &e2e.all
						   : NULL,
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
	assert_true((way != FLOOD_XDP_DEDUP_XSK && way != FLOOD_XDP_NUMBERED_XSK) ||
		    r->by_xsk == r->delivered);
	assert_true(r->distinct <= r->events);
	assert_true(r->events - r->distinct <= lost + poisson_bound(FPR * r->events));
	assert_int_equal(r->again, 0);
}
