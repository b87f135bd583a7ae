// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's own hsr device as the sender, HSR and PRP: it sends each frame by two links to a
 * host whose two interfaces share a filter. Each frame arrives once, and the accounts say so; also
 * if a link is cut. Without that device (CONFIG_HSR) the tests are skipped.
 *
 * Linux numbers supervision frames, too, and frames for other hosts: the filter does not judge
 * them, so their numbers are lost on all paths. What a path lost beside these, another one brought.
 */
#include "e2e_runner.h"
#include "senders_seen.h"
#include "udp.h"

#include <linux/if_ether.h>
#include <netinet/in.h>

#define PACKETS 70000 /* of 16 bits: the numbers go round */
#define MORE 20000    /* while a link is cut, at most, and then */
#define BURST 64
#define PORT 9999
#define PAYLOAD 44
#define SILENT_NS 2200000000ULL /* more than this reset and a second */
#define RESET "sed -e '$a reset = 1s' -e '/^reset/d'"

static const struct row {
	const char *name, *profile, *device;
	uint16_t ethertype; /* of its frames */
	uint32_t ip_at;	    /* where the IPv4 header is */
} ROWS[] = {
	{ "hsr_device", "hsr", "version 1", 0x892f, ETH_HLEN + 6 },
	{ "prp_device", "prp", "proto 1", ETH_P_IP, ETH_HLEN },
};

static struct {
	const struct row *row;
	int from, to[E2E_LINKS];
	uint32_t sent, passed_cnt;
	uint8_t passed[PACKETS + 2 * MORE];
} t;

/* Both ports of the sender have one MAC, and both of the receiver, as the standard has it. */
static void add_device(const struct row *row)
{
	char mac[E2E_MAC], command[1024], out[512];
	int status;

	e2e_near_mac(0, mac);
	sh("ip link set ve1 address %s", mac);
	e2e_far_sh(
		"ip link set pe0 address 02:00:00:00:00:20; ip link set pe1 address 02:00:00:00:00:20");
	netns_enter(e2e_far());
	status = sh_out(out, sizeof(out),
			"ip link add hsr0 type hsr slave1 pe0 slave2 pe1 supervision 45 %s",
			row->device);
	netns_enter(0);
	if (status) {
		print_message("# no hsr device here: %s\n", out);
		skip();
	}
	snprintf(command, sizeof(command),
		 "echo 1 >/proc/sys/net/ipv6/conf/hsr0/disable_ipv6; " /* it would send frames of its own */
		 "ip link set hsr0 up; ip addr add 10.77.9.2/24 dev hsr0; "
		 "ip neigh add 10.77.9.1 lladdr %s dev hsr0 nud permanent",
		 mac);
	e2e_far_sh(command);
}

static void open_device(const struct row *row)
{
	memset(&t, 0, sizeof(t));
	t.row = row;
	t.from = t.to[0] = t.to[1] = -1;
	add_device(row);
	netns_enter(e2e_far());
	t.from = udp_sender("10.77.9.1", PORT, "hsr0");
	netns_enter(0);
	assert_true(t.from >= 0);
	/* Linux 6.12 does not send the first frame of a PRP device. */
	assert_int_equal(send(t.from, row, 1, 0), 1);
	sh("%s profile show %s | " RESET
	   " | %s load ve0 ve1 --name hsr --profiles /dev/stdin --profile %s --paths 2 --sources 16",
	   tool(), row->profile, tool(), row->profile);
	for (int i = 0; i < E2E_LINKS; i++) {
		char near[] = { 'v', 'e', '0' + i, 0 };

		t.to[i] = e2e_packet_socket(near);
	}
}

static int close_device(void **state)
{
	for (int i = 0; i < E2E_LINKS; i++)
		close(t.to[i]);
	close(t.from);
	return e2e_teardown(state);
}

/* Notes a frame that has passed the filter, if it is one of ours. */
static void note_frame(const uint8_t *frame, ssize_t len)
{
	const uint8_t *ip = frame + t.row->ip_at, *udp = ip + 20;
	uint32_t number;

	if (len < (ssize_t)t.row->ip_at + 28 + PAYLOAD ||
	    (frame[12] << 8 | frame[13]) != t.row->ethertype || ip[9] != IPPROTO_UDP ||
	    (udp[2] << 8 | udp[3]) != PORT)
		return;
	memcpy(&number, udp + 8, sizeof(number));
	assert_true(number < t.sent);
	t.passed[number]++;
	t.passed_cnt++;
}

/* Reads until all that was sent has passed, or for some time. */
static void read_passed(void)
{
	uint8_t frame[2048] __attribute__((aligned(8)));

	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		for (int i = 0; i < E2E_LINKS; i++) {
			ssize_t len;

			while ((len = recv(t.to[i], frame, sizeof(frame), 0)) > 0)
				note_frame(frame, len);
			assert_int_equal(errno, EAGAIN);
		}
		if (t.passed_cnt >= t.sent)
			return;
		usleep(1000);
	}
	for (uint32_t i = 0; i < t.sent; i++)
		if (!t.passed[i])
			fail_msg("%u of %u frames passed, but not %u", t.passed_cnt, t.sent, i);
}

static void send_burst(uint32_t cnt)
{
	uint8_t payload[PAYLOAD] = { 0 };

	for (uint32_t i = 0; i < cnt; i++) {
		assert_true(t.sent < sizeof(t.passed));
		memcpy(payload, &t.sent, sizeof(t.sent));
		t.sent++;
		assert_int_equal(send(t.from, payload, sizeof(payload), 0), PAYLOAD);
	}
	read_passed();
}

static void send_frames(uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i += BURST)
		send_burst(cnt - i < BURST ? cnt - i : BURST);
}

/* Compares with the sender's figures: each frame has passed once, ve1 has brought all but `lacked`. */
static struct sender_seen assert_figures(uint32_t lacked)
{
	struct filter_counters c;
	struct sender_seen s;
	const struct path_seen *a, *b;
	uint64_t on_all;

	usleep(100000); /* the last copies */
	c = e2e_counters("hsr");
	read_passed();
	for (uint32_t i = 0; i < t.sent; i++)
		assert_int_equal(t.passed[i], 1);
	assert_int_equal(c.new, t.sent);
	assert_int_equal(c.duplicate, t.sent - lacked);
	s = sender_seen("hsr");
	a = path_seen(&s, "ve0", NULL);
	b = path_seen(&s, "ve1", NULL);
	on_all = s.lost + s.missing;
	print_message("# %s: %u frames, of %" PRIu64 " numbers; lost on all %" PRIu64
		      ", on ve0 %" PRIu64 ", on ve1 %" PRIu64 "\n",
		      t.row->profile, t.sent, s.messages, on_all, a->lost + a->missing,
		      b->lost + b->missing);
	assert_int_equal(s.paths_cnt, 2);
	assert_true(s.partial);
	assert_int_equal(s.restarts, 0);
	assert_int_equal(s.messages, t.sent + on_all);
	assert_int_equal(a->received, t.sent);
	assert_int_equal(b->received, t.sent - lacked);
	assert_int_equal(a->first + b->first, t.sent);
	assert_int_equal(a->lost + a->missing, on_all);
	assert_int_equal(a->repeated + b->repeated + a->far + b->far + a->late + b->late, 0);
	return s;
}

static void each_frame_arrives_once(void **state)
{
	uint64_t until_ns;
	uint32_t alone;
	struct sender_seen s;
	const struct path_seen *b;

	open_device(*state);
	send_frames(PACKETS);
	s = assert_figures(0);
	assert_true(s.redundant);
	b = path_seen(&s, "ve1", NULL);
	assert_int_equal(b->lost + b->missing, s.lost + s.missing);

	e2e_far_sh("ip link set pe1 down");
	alone = t.sent;
	for (until_ns = udp_now_ns() + SILENT_NS; udp_now_ns() < until_ns;) {
		send_burst(BURST);
		usleep(20000);
	}
	alone = t.sent - alone;
	s = assert_figures(alone);
	assert_false(s.redundant);
	assert_true(path_seen(&s, "ve1", NULL)->silent);
	assert_false(path_seen(&s, "ve0", NULL)->silent);
	assert_true(path_seen(&s, "ve1", NULL)->behind >= alone);

	e2e_far_sh("ip link set pe1 up");
	send_frames(MORE / 2);
	s = assert_figures(alone);
	b = path_seen(&s, "ve1", NULL);
	assert_int_equal(b->lost + b->missing, s.lost + s.missing + alone);
	assert_false(b->silent);
}

int main(void)
{
	add_rows(ROWS, each_frame_arrives_once, e2e_setup, close_device);
	return run_added_tests("hsr");
}
