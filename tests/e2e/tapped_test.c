// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's own tunnel devices as senders: a tap's packets are mirrored into two tunnels, by two
 * links, to interfaces that share a filter. Each inner packet is read once there, and every counter
 * is exact. Rows whose device this kernel lacks are skipped.
 *
 * once-*: every device. cut-*: what ERSPAN cuts off passes.
 */
#include "e2e_runner.h"
#include "neighbour.h"
#include "tapped_flow.h"
#include "tunnel_pairs.h"

#include <linux/if_packet.h>
#include <netinet/in.h>

#define ROUNDS 2
#define FILTER "taps"
#define SETTLE_US 20000
#define CUT_BYTES 1000 /* ERSPAN leaves of inner packets */
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static struct {
	const struct tunnel_device *device;
	bool is_open, is_loaded, is_busy;	   /* busy: a row has begun, and not ended */
	char options[256];			   /* which the filter has */
	int readers[E2E_LINKS], raw[2][E2E_LINKS]; /* raw: IPv4, IPv6 */
	uint64_t read;
	uint32_t fresh; /* packets of which one copy was read */
	struct filter_counters before;
} t;

static void close_all_of(int *fds, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		if (fds[i] > 0)
			close(fds[i]);
		fds[i] = 0;
	}
}

static void close_sockets(void)
{
	close_all_of(t.readers, ARRAY_SIZE(t.readers));
	close_all_of(t.raw[0], 2 * E2E_LINKS);
}

/* The links, hosts and filter are for all rows, until one fails. */
static int setup(void **state)
{
	if (t.is_open)
		return 0;
	e2e_setup(state);
	tunnel_quiet_links();
	tapped_open();
	t.is_open = true;
	return 0;
}

static int close_all(void **state)
{
	tapped_close();
	memset(&t, 0, sizeof(t));
	return e2e_teardown(state);
}

static int teardown(void **state)
{
	close_sockets();
	tunnel_remove();
	return t.is_busy ? close_all(state) : 0;
}

/* Opens packet sockets at both links, behind the filter. */
static void open_readers(void)
{
	int on = 1;

	for (int i = 0; i < E2E_LINKS; i++) {
		char interface[8];

		snprintf(interface, sizeof(interface), "ve%d", i);
		t.readers[i] = e2e_packet_socket(interface);
		assert_return_code(setsockopt(t.readers[i], SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
					      sizeof(on)),
				   errno);
	}
}

/* Raw sockets choose another IPv4 id than 0. */
static void open_raw(void)
{
	netns_enter(e2e_far());
	for (int i = 0; i < 2 * E2E_LINKS; i++) {
		int fd = socket(i < 2 ? AF_INET : AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);

		assert_return_code(fd, errno);
		assert_return_code(
			setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, i % 2 ? "pe1" : "pe0", 4), errno);
		t.raw[i / 2][i % 2] = fd;
	}
	netns_enter(0);
}

/* Adds the device's tunnels, and mirrors into them. What comes is read behind the filter. */
static void open_tunnels(const struct tunnel_device *d)
{
	t.device = d;
	tunnel_add(d);
	if (d->flags & BY_ROUTES)
		open_raw();
	else
		tapped_mirror();
	t.is_busy = true;
}

/* Loads the filter, or changes it. */
__attribute__((format(printf, 1, 2))) static void set_filter(const char *format, ...)
{
	char options[256];
	va_list args;

	va_start(args, format);
	vsnprintf(options, sizeof(options), format, args);
	va_end(args);
	if (t.is_loaded && !strcmp(options, t.options))
		return;
	if (t.is_loaded) {
		e2e_tool("set " FILTER " %s", options);
	} else {
		e2e_tool("load ve0 ve1 --name " FILTER
			 " --profile mirror --window 10m --capacity 64k %s",
			 options);
		t.is_loaded = true;
	}
	strcpy(t.options, options);
}

static struct filter_counters counters(void)
{
	struct filter_counters c = { 0 };

	return t.is_loaded ? e2e_counters(FILTER) : c;
}

/* The tap sees what it sends a moment after the copies have left. */
static bool note_copy(const uint8_t *ip, size_t len)
{
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		tapped_sent();
		if (tapped_note(ip, len))
			return true;
		usleep(1000);
	}
	return false;
}

static void read_copies(void)
{
	uint8_t frame[2048];
	ssize_t len;

	for (int i = 0; i < E2E_LINKS; i++) {
		while ((len = recv(t.readers[i], frame, sizeof(frame), 0)) > 0) {
			if (len <= t.device->ip_at ||
			    !note_copy(frame + t.device->ip_at, len - t.device->ip_at))
				fail_msg("%s: a frame of %zd bytes has no packet of the tap at byte %u",
					 t.device->name, len, t.device->ip_at);
			t.read++;
		}
		assert_int_equal(errno, EAGAIN);
	}
}

/* Sends a packet by routes into both tunnels as often as the tap saw it: TCP may repeat one. */
static void send_by_routes(struct tapped_packet *p)
{
	struct sockaddr_in a4 = { .sin_family = AF_INET };
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6 };
	bool is_ipv6 = p->bytes[0] >> 4 == 6;

	/* Raw sockets would change an IPv4 packet whose id is 0. */
	if (!is_ipv6 && !p->bytes[4] && !p->bytes[5])
		p->sent = 0;
	memcpy(&a4.sin_addr, p->bytes + 16, sizeof(a4.sin_addr));
	memcpy(&a6.sin6_addr, p->bytes + 24, sizeof(a6.sin6_addr));
	for (; p->routed < p->sent; p->routed++)
		for (int i = 0; i < E2E_LINKS; i++)
			assert_int_equal(sendto(t.raw[is_ipv6][i], p->bytes, p->len, 0,
						is_ipv6 ? (void *)&a6 : (void *)&a4,
						is_ipv6 ? sizeof(a6) : sizeof(a4)),
					 p->len);
}

static void send_all_by_routes(void)
{
	uint32_t cnt;
	struct tapped_packet *all = tapped_record(&cnt);

	for (uint32_t i = 0; i < cnt; i++)
		send_by_routes(&all[i]);
}

/* Returns how many packets were sent into each tunnel. */
static uint32_t sent(void)
{
	uint32_t cnt, sum = 0;
	struct tapped_packet *all = tapped_record(&cnt);

	for (uint32_t i = 0; i < cnt; i++)
		sum += all[i].sent;
	return sum;
}

static void await_copies(void)
{
	uint64_t came = 0;

	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		if (t.device->flags & BY_ROUTES)
			send_all_by_routes();
		read_copies();
		came = t.read + counters().dropped - t.before.dropped;
		if (came >= 2 * sent())
			return;
		usleep(1000);
	}
	fail_msg("%s: %u packets were sent twice, but %llu came", t.device->name, sent(),
		 (unsigned long long)came);
}

/* Forgets what came late of earlier talk, as segments that TCP has sent again. */
static void forget_copies(void)
{
	uint8_t frame[2048];

	usleep(SETTLE_US);
	for (int i = 0; i < E2E_LINKS; i++)
		while (recv(t.readers[i], frame, sizeof(frame), 0) > 0)
			;
}

static void talk(uint32_t compared_bytes)
{
	uint32_t cnt;
	int families = t.device->flags & INNER_IPV4 ? TAPPED_IPV4 : TAPPED_IPV4 | TAPPED_IPV6;

	forget_copies();
	tapped_start(compared_bytes);
	t.read = 0;
	t.before = counters();
	tapped_talk(families, ROUNDS, await_copies);
	do { /* the last acknowledgements may come late */
		cnt = sent();
		usleep(SETTLE_US);
		await_copies();
	} while (sent() != cnt);
}

/* What a counter has counted since talk(). */
#define CAME(counter) (counters().counter - t.before.counter)

static void assert_counters(void)
{
	assert_int_equal(CAME(rx), 2 * sent());
	assert_int_equal(CAME(dropped), 2 * sent() - t.read);
	assert_int_equal(CAME(duplicate), CAME(dropped));
	assert_int_equal(CAME(bad_tunnel), 0);
	assert_int_equal(CAME(stale), 0);
}

/* Each packet was read once, but twice if it has more than `bytes` bytes. Returns how many have more. */
static uint32_t assert_read(uint32_t bytes)
{
	uint32_t cnt, longer = 0, fresh = 0;
	const struct tapped_packet *all = tapped_record(&cnt);

	for (uint32_t i = 0; i < cnt; i++) {
		const struct tapped_packet *p = &all[i];
		bool is_longer = p->len > bytes;
		uint32_t expected = is_longer ? 2 * p->sent : p->sent > 0;

		if (p->read != expected)
			fail_msg("%s: packet %u of %u, %u bytes, was sent %u times, read %u times, not %u",
				 t.device->name, i, cnt, p->len, p->sent, p->read, expected);
		longer += is_longer ? p->sent : 0;
		fresh += !is_longer && p->sent;
	}
	t.fresh = fresh;
	print_message("# %s: %u packets, each twice; %llu read\n", t.device->name, sent(),
		      (unsigned long long)t.read);
	return longer;
}

/* --tunnels that opens the device's tunnels: all, if they have their usual ports. */
static const char *usual(const struct tunnel_device *d)
{
	return strchr(d->tunnels, ':') ? d->tunnels : "all";
}

static void each_packet_comes_once(void **state)
{
	const struct tunnel_device *d = *state;

	open_tunnels(d);
	set_filter("--tunnels %s", usual(d));
	open_readers();
	talk(TAPPED_MTU);
	assert_read(TAPPED_MTU);
	assert_counters();
	assert_int_equal(CAME(truncated), 0);
	assert_int_equal(CAME(new), t.fresh);
	t.is_busy = false;
}

/* ERSPAN cuts long packets and says so by its T bit: they pass. */
static void what_erspan_cuts_passes(void **state)
{
	uint32_t cut;

	open_tunnels(tunnel_device(*state));
	e2e_far_sh("ip link set t0 mtu " TEXT(CUT_BYTES) "; ip link set t1 mtu " TEXT(CUT_BYTES));
	set_filter("--tunnels all");
	open_readers();
	talk(CUT_BYTES);
	cut = assert_read(CUT_BYTES);
	assert_true(cut);
	assert_counters();
	assert_int_equal(CAME(truncated), 2 * cut);
	assert_int_equal(CAME(new), t.fresh);
	t.is_busy = false;
}

/* Adds a row for each device: once-NAME. */
static void add_device_rows(void)
{
	char *name;

	for (size_t i = 0; i < TUNNEL_DEVICES_CNT; i++) {
		if (asprintf(&name, "once-%s", TUNNEL_DEVICES[i].name) < 0)
			abort();
		add_test(name, each_packet_comes_once, setup, teardown,
			 &TUNNEL_DEVICES[i]); /* name is for ever */
	}
}

int main(void)
{
	add_device_rows();
	add_test("cut-erspan-2", what_erspan_cuts_passes, setup, teardown, "erspan-2");
	add_test("cut-erspan-3", what_erspan_cuts_passes, setup, teardown, "erspan-3");
	return run_added_tests("tapped");
}
