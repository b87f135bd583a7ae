// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bed.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loader.h"

#define BPFFS "/sys/fs/bpf"
#define SOCKETS 8
#define PORTS 3 /* of a process: the tests' own, streams', probes' */
#define OBJECTS 64
#define STREAM_EVENTS 2000000
#define PROBE_EVENTS 20
#define PROBE_COPIES 3

struct object {
	bool is_map;
	uint32_t id;
};

/* Static, so that what a failed test leaves (cmocka jumps out of it) can be ended. */
static struct bed {
	pid_t far;
	struct gossip_sender senders[SOCKETS];
	struct gossip_receiver receivers[SOCKETS];
	struct {
		struct gossip_sender *s;
		struct gossip_receiver *r;
	} streams[BED_LINKS];
	struct object objects[OBJECTS];
	int objects_cnt;
	uint64_t seed;
} bed;

uint16_t bed_port(void)
{
	return 10000 + PORTS * (getpid() % 18000);
}

static const char *address(int link, int family)
{
	static const char *const ANY[] = { "0.0.0.0", "::" };
	static const char *const NEAR[][2] = { { "10.77.0.1", "fd77:0::1" },
					       { "10.77.1.1", "fd77:1::1" } };

	return (link < 0 ? ANY : NEAR[link])[family == AF_INET6];
}

/* Neighbours are told, not asked: a question would queue, and drop, the first packets. */
void bed_add_link(int link)
{
	/* ve0's is FRAME_MAC. */
	sh("set -e; i=%d\n"
	   "ip link add ve$i address 02:00:00:00:00:1$i type veth"
	   " peer name pe$i address 02:00:00:00:00:2$i netns %d\n"
	   "ip addr add 10.77.$i.1/24 dev ve$i\n"
	   "ip addr add fd77:$i::1/64 dev ve$i nodad\n"
	   "ip link set ve$i up\n"
	   /* Without GRO veth has NAPI only while XDP is attached, and empties its ring
	    * into nowhere when that ends: a loss of its own, with any program. */
	   "ethtool -K ve$i gro on\n",
	   link, bed.far);
	netns_enter(bed.far);
	sh("set -e; i=%d\n"
	   "ip addr add 10.77.$i.2/24 dev pe$i\n"
	   "ip addr add fd77:$i::2/64 dev pe$i nodad\n"
	   "ip link set pe$i up\n"
	   "ip neigh add 10.77.$i.1 lladdr 02:00:00:00:00:1$i dev pe$i nud permanent\n"
	   "ip neigh add fd77:$i::1 lladdr 02:00:00:00:00:1$i dev pe$i nud permanent\n",
	   link);
	netns_enter(0);
}

void bed_far_sh(const char *command)
{
	netns_enter(bed.far);
	sh("%s", command);
	netns_enter(0);
}

int bed_setup(void **state)
{
	(void)state;
	bed = (struct bed){ .far = netns_start(), .seed = gossip_now_ns() };
	for (int i = 0; i < BED_LINKS; i++)
		bed_add_link(i);
	return 0;
}

int bed_teardown(void **state)
{
	char out[4096];

	(void)state;
	for (int i = 0; i < SOCKETS; i++) {
		if (bed.senders[i].fd > 0)
			gossip_sender_close(&bed.senders[i]);
		if (bed.receivers[i].fd > 0)
			gossip_receiver_close(&bed.receivers[i]);
	}
	netns_enter(0);
	sh_out(out, sizeof(out), "%s unload --all", tool());
	for (int i = 0; i < BED_LINKS; i++)
		sh_out(out, sizeof(out), "ip link del ve%d", i);
	netns_stop(bed.far);
	return 0;
}

static void run_tool(const char *format, va_list args, const char *more)
{
	char *text;

	assert_return_code(vasprintf(&text, format, args), ENOMEM);
	sh("%s %s %s", tool(), text, more);
	free(text);
}

void bed_tool(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run_tool(format, args, "");
	va_end(args);
}

void bed_load(const char *format, ...)
{
	char port[32];
	va_list args;

	snprintf(port, sizeof(port), "--port %d-%d", bed_port(), bed_port() + PORTS - 1);
	va_start(args, format);
	run_tool(format, args, port);
	va_end(args);
}

static struct gossip_sender *open_sender(int link, int family, uint16_t port, uint64_t seed)
{
	struct gossip_sender *s = bed.senders;
	int err;

	while (s->fd > 0)
		s++;
	assert_true(s < bed.senders + SOCKETS);
	netns_enter(bed.far);
	err = gossip_sender_open(s, address(link, family), port, seed);
	netns_enter(0);
	assert_return_code(err, -err);
	return s;
}

static struct gossip_receiver *open_receiver(int link, int family, uint16_t port, uint64_t seed,
					     uint32_t events)
{
	struct gossip_receiver *r = bed.receivers;
	int err;

	while (r->fd > 0)
		r++;
	assert_true(r < bed.receivers + SOCKETS);
	err = gossip_receiver_open(r, address(link, family), port, seed, events);
	assert_return_code(err, -err);
	return r;
}

struct gossip_sender *bed_sender(int link, int family, uint64_t seed)
{
	return open_sender(link, family, bed_port(), seed);
}

struct gossip_receiver *bed_receiver(int link, int family, uint64_t seed, uint32_t events)
{
	return open_receiver(link, family, bed_port(), seed, events);
}

void bed_close(struct gossip_sender *s, struct gossip_receiver *r)
{
	if (s)
		gossip_sender_close(s);
	if (r)
		gossip_receiver_close(r);
}

struct filter_counters bed_counters(const char *name)
{
	struct filter_counters c = { 0 };
	struct filter f;

	assert_return_code(filter_open_or_say(name, &f), EPROTO);
	assert_return_code(filter_counters(&f, &c), EIO);
	filter_close(&f);
	return c;
}

struct filter_counters bed_counters_after(const char *name, uint64_t packets)
{
	struct filter_counters c;

	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		c = bed_counters(name);
		if (c.rx - c.ignored >= packets)
			break;
		usleep(10000);
	}
	assert_int_equal(c.rx - c.ignored, packets);
	return c;
}

void bed_stream_start(int link, uint32_t rate_pps)
{
	uint64_t seed = bed.seed++;
	struct gossip_receiver *r = open_receiver(link, AF_INET, bed_port() + 1, seed, STREAM_EVENTS);
	struct gossip_sender *s = open_sender(link, AF_INET, bed_port() + 1, seed);

	s->rate_pps = rate_pps;
	bed.streams[link].s = s;
	bed.streams[link].r = r;
	assert_return_code(gossip_receiver_start(r), EAGAIN);
	assert_return_code(gossip_sender_start(s, NULL, STREAM_EVENTS), EAGAIN);
}

uint64_t bed_stream_stop(int link)
{
	struct gossip_receiver *r = bed.streams[link].r;
	struct gossip_sender *s = bed.streams[link].s;
	uint64_t sent;

	s->stop = true;
	assert_return_code(gossip_sender_wait(s), EIO);
	sent = s->sent;
	for (int ms = 0; ms < PATIENCE_MS && r->packets < sent; ms += 10)
		usleep(10000);
	assert_return_code(gossip_receiver_stop(r, 50), EIO);
	assert_int_equal(gossip_receiver_lost(r), 0);
	assert_int_equal(r->distinct, sent);
	assert_int_equal(r->packets, sent);
	assert_int_equal(r->strangers, 0);
	bed_close(s, r);
	return sent;
}

/* Sends some copies of fresh events; each must be delivered as often as said. */
static void probe(int link, uint16_t expected)
{
	uint64_t seed = bed.seed++;
	struct gossip_receiver *r = open_receiver(link, AF_INET, bed_port() + 2, seed, PROBE_EVENTS);
	struct gossip_sender *s = open_sender(link, AF_INET, bed_port() + 2, seed);
	uint32_t *order = gossip_shuffle(PROBE_EVENTS, PROBE_COPIES, 0, seed);
	int err = order ? gossip_send(s, order, PROBE_EVENTS * PROBE_COPIES) : -ENOMEM;

	free(order);
	assert_return_code(err, -err);
	for (int ms = 0; ms < PATIENCE_MS && r->packets < PROBE_EVENTS * expected; ms += 10)
		assert_return_code(gossip_receive(r, 10), EIO);
	assert_return_code(gossip_receive(r, 10), EIO); /* more than expected? */
	assert_int_equal(gossip_delivered(r, expected), PROBE_EVENTS);
	bed_close(s, r);
}

void bed_assert_works(int link)
{
	probe(link, 1);
}

void bed_assert_unfiltered(int link)
{
	probe(link, PROBE_COPIES);
}

/* What a descriptor stands for, as the kernel tells it; false if for neither. */
static bool identify(int fd, struct object *o)
{
	char path[64], line[128];
	bool found = false;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "re");
	while (info && !found && fgets(line, sizeof(line), info)) {
		o->is_map = sscanf(line, "map_id: %u", &o->id) == 1;
		found = o->is_map || sscanf(line, "prog_id: %u", &o->id) == 1;
	}
	if (info)
		fclose(info);
	return found;
}

static void remember(struct object o)
{
	for (int i = 0; i < bed.objects_cnt; i++)
		if (bed.objects[i].is_map == o.is_map && bed.objects[i].id == o.id)
			return;
	assert_true(bed.objects_cnt < OBJECTS);
	bed.objects[bed.objects_cnt++] = o;
}

static int remember_pin(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	int fd = type == FTW_F ? bpf_obj_get(path) : -1;
	struct object o;

	(void)st;
	(void)ftw;
	if (fd >= 0) {
		if (identify(fd, &o))
			remember(o);
		close(fd);
	}
	return 0;
}

int bed_remember(void)
{
	bed.objects_cnt = 0;
	nftw(PIN_ROOT, remember_pin, 8, FTW_PHYS);
	for (int i = 0; i < BED_LINKS; i++) {
		char name[] = { 'v', 'e', '0' + i, 0 };
		struct object o = { .is_map = false };
		int ifindex = if_nametoindex(name);

		if (ifindex && !bpf_xdp_query_id(ifindex, 0, &o.id) && o.id)
			remember(o);
	}
	return bed.objects_cnt;
}

/* Does this map say that it is the config of a filter on our port? Ids are the whole
 * machine's, where others may run the same tests.
 */
static bool is_our_config(int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info), key = 0;
	struct dedup_config config;

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(info.name, ".rodata.config") &&
	       info.value_size == sizeof(config) && !bpf_map_lookup_elem(fd, &key, &config) &&
	       config.ports[0].lo == bed_port();
}

/* Maps and programs of ours that are still in the kernel. */
static int objects_left(void)
{
	int left = 0, fd;

	for (int i = 0; i < bed.objects_cnt; i++) {
		const struct object *o = &bed.objects[i];

		fd = o->is_map ? bpf_map_get_fd_by_id(o->id) : bpf_prog_get_fd_by_id(o->id);
		left += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	for (__u32 id = 0; !bpf_map_get_next_id(id, &id);) {
		fd = bpf_map_get_fd_by_id(id);
		if (fd < 0)
			continue;
		left += is_our_config(fd);
		close(fd);
	}
	return left;
}

static int count_pins(void)
{
	DIR *dir = opendir(PIN_ROOT);
	struct dirent *entry;
	int cnt = 0;

	while (dir && (entry = readdir(dir)))
		cnt += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return cnt;
}

void bed_assert_nothing_left(void)
{
	assert_int_equal(count_pins(), 0);
	for (int i = 0; i < BED_LINKS; i++) {
		char name[] = { 'v', 'e', '0' + i, 0 };
		__u32 id = 0;

		if (if_nametoindex(name) && !bpf_xdp_query_id(if_nametoindex(name), 0, &id))
			assert_int_equal(id, 0);
	}
	for (int ms = 0; ms < PATIENCE_MS && objects_left(); ms += 5)
		usleep(5000);
	assert_int_equal(objects_left(), 0);
}

double poisson_bound(double mean)
{
	/* Six standard deviations; the constant is for small means, which are skewed. */
	return mean + 6 * sqrt(mean) + 6;
}
