// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A mirror interface between network namespaces: frames for other hosts, every packet mirrored at
 * two places of its way. A reader there, a packet socket or tcpdump, gets every packet once, and
 * every frame that is not IP at both places; with the profile mirror-l2 these once, too.
 */
#include "e2e_runner.h"
#include "protocol_packets.h"
#include "udp.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ULL
#define S (1000 * MS)
#define WINDOW_NS (50 * MS) /* the profile's */
#define PACKETS 6000
#define STEP 20 /* packets between looks at what has arrived */
#define PLACES 2
#define BODY_MAX 1300
#define TRIES 5

/* Which packets there are. A retransmission is the same segment with another IP id. */
static const struct kind {
	const char *name;
	struct protocol_packet packet; /* OTHER_FRAME without an EtherType: its length is there */
	bool retransmitted;
} KINDS[] = {
	{ "IPv4 UDP", .packet = { .protocol = IP_PACKET, .ip_protocol = IPPROTO_UDP } },
	{ "IPv4 TCP", .packet = { .protocol = IP_PACKET } },
	{ "IPv4 TCP, sent again", .packet = { .protocol = IP_PACKET }, .retransmitted = true },
	{ "IPv4 ICMP", .packet = { .protocol = IP_PACKET, .ip_protocol = IPPROTO_ICMP } },
	{ "IPv4 fragment", .packet = { .protocol = IP_PACKET, .fragment = 0x2000 | 185 } },
	{ "IPv6 UDP", .packet = { .protocol = IP_PACKET, .ip_protocol = IPPROTO_UDP, .ipv6 = true } },
	{ "IPv6 TCP", .packet = { .protocol = IP_PACKET, .ipv6 = true } },
	{ "IPv4, wrong checksum", .packet = { .protocol = IP_PACKET, .sum_off = 1 } },
	{ "ARP", .packet = { .protocol = OTHER_FRAME, .ethertype = ETH_P_ARP } },
	{ "LLDP", .packet = { .protocol = OTHER_FRAME, .ethertype = ETH_P_LLDP } },
	{ "PTP", .packet = { .protocol = OTHER_FRAME, .ethertype = ETH_P_1588 } },
	{ "MPLS", .packet = { .protocol = OTHER_FRAME, .ethertype = ETH_P_MPLS_UC } },
	{ "spanning tree", .packet = { .protocol = OTHER_FRAME } },
};

/* What each packet ends with, wherever it was mirrored; but padding may follow. */
struct mark {
	uint64_t seed;
	uint32_t number;
} __attribute__((packed));

static const struct row {
	const char *name;
	const char *options;
	bool l2; /* frames that are not IP are equal at all places, except for VLAN tags */
	bool by_tcpdump;
} ROWS[] = {
	{ "packet_socket_reads_once", .options = "--profile mirror" },
	{ "other_frames_are_read_once", .options = "--profile mirror --profile mirror-l2",
	  .l2 = true },
	{ "tcpdump_reads_once", .options = "--profile mirror", .by_tcpdump = true },
};

static struct mirror {
	const struct row *row;
	uint64_t seed;
	int far, near;				     /* packet sockets, at pe0 and ve0 */
	uint64_t sent, sent_seen;		     /* seen: that a profile looks at */
	uint64_t sent_ns[PACKETS], read_ns[PACKETS]; /* the first, the latest copy */
	uint8_t reads[PACKETS];
	uint64_t read;
	uint32_t strangers;
} m;

static const struct kind *kind_of(uint32_t number)
{
	return &KINDS[number % ARRAY_SIZE(KINDS)];
}

static bool is_ip(const struct kind *k)
{
	return k->packet.protocol == IP_PACKET;
}

static bool is_seen(const struct kind *k)
{
	return is_ip(k) || m.row->l2;
}

/* Is the copy at each place one frame, as for a switched frame? */
static bool is_switched(const struct kind *k)
{
	return m.row->l2 && !is_ip(k);
}

/* How many copies of a packet are captured. */
static uint32_t expected_reads(const struct kind *k)
{
	if (k->retransmitted)
		return 2; /* each of the two once */
	return is_seen(k) && !k->packet.sum_off ? 1 : PLACES;
}

/* Makes the packet as it is mirrored at a place. TTL, DSCP, ECN and VLANs differ by place, and the
 * MACs of routers: every fourth copy has no tag, every fourth two. `again`: it is sent again.
 */
static void make_frame(struct frame *f, uint32_t number, uint32_t place, uint32_t again)
{
	const struct kind *k = kind_of(number);
	struct mark mark = { m.seed, number };
	uint32_t hop = is_switched(k) ? 0 : place;
	uint32_t tags = (number + place) % 4;
	struct protocol_packet p = k->packet;
	uint64_t random = m.seed + number;
	/* What had a tag once is padded to more, and some leak what was there before. */
	uint32_t least = 60 + 4 * hop;

	memcpy(p.to_mac, (uint8_t[]){ 2, 0xaa, 0, 0, 0, hop }, sizeof(p.to_mac));
	p.from_mac = number + hop;
	if (tags == 3) {
		p.tags[0] = ETH_P_8021AD;
		p.tci[0] = 100 + place;
	}
	if (tags) {
		p.tags[tags == 3] = ETH_P_8021Q;
		p.tci[tags == 3] = 1 + 7 * place;
	}
	p.tos = place ? 0xba : 0;
	p.ttl = 64 - place;
	p.ip_id = number + again * 0x8000;
	p.fill = number;
	p.body = 8 + sizeof(mark) + (number % 4 ? random_next(&random) % BODY_MAX : 0);
	if (!is_ip(k) && !p.ethertype)
		p.ethertype = p.body;
	protocol_frame(f, &p);
	memcpy(f->data + f->len - sizeof(mark), &mark, sizeof(mark));
	for (; f->len < least; f->len++)
		f->data[f->len] = hop;
}

/* As tcpdump has it: promiscuous. What the interface itself has sent by now is left out. */
static int capture_socket(void)
{
	struct packet_mreq promiscuous = { .mr_ifindex = (int)if_nametoindex("ve0"),
					   .mr_type = PACKET_MR_PROMISC };
	int fd = e2e_packet_socket("ve0"), on = 1;
	uint8_t ignored;

	assert_return_code(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)),
			   errno);
	assert_return_code(setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous,
				      sizeof(promiscuous)),
			   errno);
	while (recv(fd, &ignored, sizeof(ignored), 0) >= 0)
		;
	return fd;
}

static void send_frame(const struct frame *f)
{
	while (send(m.far, f->data, f->len, 0) < 0) {
		assert_true(errno == ENOBUFS || errno == EAGAIN); /* the interface's ring is full */
		usleep(50);
	}
	m.sent++;
}

static void send_packet(uint32_t number)
{
	const struct kind *k = kind_of(number);
	static struct frame f;

	m.sent_ns[number] = udp_now_ns();
	for (uint32_t again = 0; again < 1 + (uint32_t)k->retransmitted; again++) {
		for (uint32_t place = 0; place < PLACES; place++) {
			make_frame(&f, number, place, again);
			send_frame(&f);
			m.sent_seen += is_seen(k);
		}
	}
}

static void note_frame(const uint8_t *frame, size_t len, uint64_t read_ns)
{
	const uint8_t *at = memmem(frame, len, &m.seed, sizeof(m.seed));
	struct mark mark;

	if (!at || at + sizeof(mark) > frame + len) {
		m.strangers++;
		return;
	}
	memcpy(&mark, at, sizeof(mark));
	if (mark.number >= PACKETS) {
		m.strangers++;
		return;
	}
	m.reads[mark.number]++;
	m.read_ns[mark.number] = read_ns;
	m.read++;
}

static void read_frames(void)
{
	uint8_t frame[2048];
	ssize_t len;

	while ((len = recv(m.near, frame, sizeof(frame), MSG_DONTWAIT)) >= 0)
		note_frame(frame, len, udp_now_ns());
	assert_int_equal(errno, EAGAIN);
}

/* tcpdump, writing a file in its own directory. */

static char dump[32];

static void tcpdump_start(void)
{
	strcpy(dump, "/tmp/dump-XXXXXX");
	assert_non_null(mkdtemp(dump));
	sh("cd %s; tcpdump -Z root -i ve0 -Q in -B 65536 -U -w frames >said 2>&1 & echo $! "
	   ">%s/pid\n"
	   "cd %s; until grep -q listening said; do kill -0 $(cat pid) || exit; sleep 0.05; done",
	   dump, dump, dump);
}

/* Ends it once its file no longer grows: it has frames handed over once in a second. */
static void tcpdump_stop(void)
{
	sh("cd %s; had=0; size=1\n"
	   "while [ $size -ne $had ]; do had=$size; sleep 1.5; size=$(stat -c %%s frames); done\n"
	   "kill -INT $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do sleep 0.05; done\n"
	   "rm pid; cat said; grep -q '^0 packets dropped by kernel' said",
	   dump);
}

static void tcpdump_read(void)
{
	uint64_t since_boot_ns = udp_now_ns();
	char error[PCAP_ERRBUF_SIZE], path[64];
	struct pcap_pkthdr *header;
	const uint8_t *frame;
	struct timespec t;
	pcap_t *capture;

	clock_gettime(CLOCK_REALTIME, &t);
	since_boot_ns -= t.tv_sec * S + t.tv_nsec; /* less than 0: it wraps, here and below */
	snprintf(path, sizeof(path), "%s/frames", dump);
	capture = pcap_open_offline(path, error);
	assert_non_null(capture);
	while (pcap_next_ex(capture, &header, &frame) == 1)
		note_frame(frame, header->caplen,
			   since_boot_ns + header->ts.tv_sec * S + header->ts.tv_usec * 1000ULL);
	pcap_close(capture);
}

static void open_mirror(const struct row *row)
{
	m = (struct mirror){ .row = row, .seed = environment_number("SEED", udp_now_ns()) };
	print_message("# SEED=%llu\n", (unsigned long long)m.seed);
	/* Nothing else comes than what the test sends. */
	e2e_far_sh("echo 1 >/proc/sys/net/ipv6/conf/pe0/disable_ipv6");
	e2e_tool("load ve0 %s", row->options);
	netns_enter(e2e_far());
	m.far = e2e_packet_socket("pe0");
	netns_enter(0);
	if (row->by_tcpdump)
		tcpdump_start();
	else
		m.near = capture_socket();
}

static void close_mirror(void)
{
	char out[256];

	if (m.far > 0)
		close(m.far);
	if (m.near > 0)
		close(m.near);
	m.far = m.near = -1;
	if (*dump)
		sh_out(out, sizeof(out), "cd %s && [ ! -e pid ] || kill $(cat pid); rm -r %s", dump,
		       dump);
	*dump = 0;
}

static int teardown(void **state)
{
	close_mirror();
	return e2e_teardown(state);
}

/* Sends all packets, and reads what the filter lets pass. */
static struct filter_counters mirror_all(void)
{
	struct filter_counters c;

	for (uint32_t i = 0; i < PACKETS; i++) {
		send_packet(i);
		if (m.near > 0 && i % STEP == 0)
			read_frames();
	}
	c = e2e_counters_after("ve0", m.sent_seen);
	if (m.near <= 0) {
		tcpdump_stop();
		tcpdump_read();
	}
	for (int ms = 0; m.near > 0 && ms < PATIENCE_MS && m.read < m.sent - c.dropped; ms++) {
		read_frames();
		usleep(1000);
	}
	assert_int_equal(m.strangers, 0);
	assert_int_equal(m.read, m.sent - c.dropped);
	return c;
}

/* Frames whose IP header is wrong: they pass. */
static uint32_t wrong_checksums(void)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < PACKETS; i++)
		cnt += kind_of(i)->packet.sum_off;
	return PLACES * cnt;
}

/* How many packets were read too often, and may be: on a machine that stood still their copies were
 * seen further apart than the window.
 */
static uint32_t check_reads(void)
{
	uint32_t late = 0;

	for (uint32_t i = 0; i < PACKETS; i++) {
		uint32_t expected = expected_reads(kind_of(i));

		if (m.reads[i] > expected && m.read_ns[i] - m.sent_ns[i] >= WINDOW_NS) {
			late++;
			continue;
		}
		if (m.reads[i] != expected)
			fail_msg("%s, packet %u: read %u times, not %u", kind_of(i)->name, i,
				 m.reads[i], expected);
	}
	return late;
}

/* False if the machine stood still for too long. */
static bool run_mirror(const struct row *row)
{
	struct filter_counters c;
	uint32_t late;

	open_mirror(row);
	c = mirror_all();
	if (c.stale)
		return false;
	late = check_reads();
	print_message("# sent %llu frames, %llu of them looked at; read %llu, dropped %llu; %u late\n",
		      (unsigned long long)m.sent, (unsigned long long)m.sent_seen,
		      (unsigned long long)m.read, (unsigned long long)c.dropped, late);
	assert_int_equal(c.dropped + late, (m.sent_seen - wrong_checksums()) / PLACES);
	assert_int_equal(c.bad_ip, wrong_checksums());
	return late <= PACKETS / 100;
}

static void mirror(void **state)
{
	const struct row *row = *state;
	int tries = TRIES;
	char out[256];

	if (row->by_tcpdump && sh_out(out, sizeof(out), "command -v tcpdump"))
		skip();
	while (!run_mirror(row)) {
		assert_true(--tries > 0);
		close_mirror();
		e2e_tool("unload ve0");
	}
}

int main(void)
{
	add_rows(ROWS, mirror, e2e_setup, teardown);
	return run_added_tests("mirror");
}
