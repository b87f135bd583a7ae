// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A mirror interface between network namespaces: frames for other hosts, every packet mirrored at
 * two places of its way. A reader there, a packet socket or tcpdump, gets every packet once, and
 * every frame that is not IP at both places; with the profile mirror-l2 these once, too.
 */
#include "e2e_runner.h"
#include "udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <net/if.h>
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
#define FRAME_BYTES 1514
#define BODY_MAX 1300
#define TRIES 5

/* Which packets there are. A retransmission is the same segment with another IP id. */
static const struct kind {
	const char *name;
	uint16_t ethertype; /* 0: a length, as spanning tree has it */
	uint8_t protocol;   /* of IP */
	bool fragment, wrong_checksum, retransmitted;
} KINDS[] = {
	{ "IPv4 UDP", .ethertype = ETH_P_IP, .protocol = 17 },
	{ "IPv4 TCP", .ethertype = ETH_P_IP, .protocol = 6 },
	{ "IPv4 TCP, sent again", .ethertype = ETH_P_IP, .protocol = 6, .retransmitted = true },
	{ "IPv4 ICMP", .ethertype = ETH_P_IP, .protocol = 1 },
	{ "IPv4 fragment", .ethertype = ETH_P_IP, .protocol = 17, .fragment = true },
	{ "IPv4, wrong checksum", .ethertype = ETH_P_IP, .protocol = 17, .wrong_checksum = true },
	{ "IPv6 UDP", .ethertype = ETH_P_IPV6, .protocol = 17 },
	{ "IPv6 TCP", .ethertype = ETH_P_IPV6, .protocol = 6 },
	{ "ARP", .ethertype = ETH_P_ARP },
	{ "LLDP", .ethertype = ETH_P_LLDP },
	{ "PTP", .ethertype = ETH_P_1588 },
	{ "MPLS", .ethertype = ETH_P_MPLS_UC },
	{ "spanning tree", .ethertype = 0 },
};

/* What each packet ends with, wherever it was mirrored; but padding may follow. */
struct mark {
	uint64_t seed;
	uint32_t number;
} __attribute__((packed));

struct frame_text {
	uint8_t bytes[FRAME_BYTES];
	size_t len;
};

static struct mirror {
	uint64_t seed;
	bool l2;       /* frames that are not IP are equal at all places, except for VLAN tags */
	int far, near; /* packet sockets, at pe0 and ve0 */
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
	return k->ethertype == ETH_P_IP || k->ethertype == ETH_P_IPV6;
}

static bool is_seen(const struct kind *k)
{
	return is_ip(k) || m.l2;
}

/* Is the copy at each place one frame, as for a switched frame? */
static bool is_switched(const struct kind *k)
{
	return m.l2 && !is_ip(k);
}

/* How many copies of a packet are captured. */
static uint32_t expected_reads(const struct kind *k)
{
	if (k->retransmitted)
		return 2; /* each of the two once */
	return is_seen(k) && !k->wrong_checksum ? 1 : PLACES;
}

static void append(struct frame_text *f, const void *bytes, size_t len)
{
	memcpy(f->bytes + f->len, bytes, len);
	f->len += len;
}

static void append16(struct frame_text *f, uint16_t value)
{
	uint16_t v = htons(value);

	append(f, &v, sizeof(v));
}

/* A repeatable random number for this packet. */
static uint64_t random_of(uint32_t number, uint32_t what)
{
	uint64_t state = m.seed + number * 1000ULL + what;

	return random_next(&state);
}

/* Hosts, routers and VLANs differ by place; every fourth copy has no tag, every fourth two. */
static void append_link(struct frame_text *f, uint32_t number, uint32_t place)
{
	uint32_t hop = is_switched(kind_of(number)) ? 0 : place;
	uint64_t random = random_of(number, 1 + hop);
	uint8_t macs[12] = { 0x02, 0xaa, 0, 0, 0, hop, 0x02, 0xbb };

	memcpy(macs + 8, &random, 4);
	append(f, macs, sizeof(macs));
	if ((number + place) % 4 == 3) {
		append16(f, ETH_P_8021AD);
		append16(f, 100 + place);
	}
	if ((number + place) % 4) {
		append16(f, ETH_P_8021Q);
		append16(f, 1 + place * 7);
	}
}

/* The checksum of a header whose checksum is still 0; in network order, like the header. */
static uint16_t checksum(const struct iphdr *ip)
{
	uint16_t half[sizeof(*ip) / 2];
	uint32_t sum = 0;

	memcpy(half, ip, sizeof(half));
	for (size_t i = 0; i < ARRAY_SIZE(half); i++)
		sum += half[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* TTL, hop limit, DSCP and ECN differ by place. `again` is 1 for a retransmission. */
static void append_ip4(struct frame_text *f, uint32_t number, uint32_t place, uint32_t again,
		       size_t body)
{
	const struct kind *k = kind_of(number);
	struct iphdr ip = { .version = 4,
			    .ihl = 5,
			    .tos = place ? 0xba : 0,
			    .tot_len = htons(sizeof(ip) + body),
			    .id = htons(random_of(number, 0) + again),
			    .frag_off = htons(k->fragment ? 0x2000 | 185 : 0),
			    .ttl = 64 - place,
			    .protocol = k->protocol,
			    .saddr = htonl(0x0a010203),
			    .daddr = htonl(0xc0a80007) };

	ip.check = checksum(&ip) ^ k->wrong_checksum;
	append(f, &ip, sizeof(ip));
}

static void append_ip6(struct frame_text *f, uint32_t number, uint32_t place, size_t body)
{
	uint8_t h[40] = { 0x60 | (place ? 0xb : 0),  0xa5,	 0x12, 0x34, body >> 8, body,
			  kind_of(number)->protocol, 64 - place, 0x20, 0x01, 0x0d,	0xb8 };

	h[39] = number;
	append(f, h, sizeof(h));
}

/* The packet as it is mirrored at a place. */
static void write_frame(struct frame_text *f, uint32_t number, uint32_t place, uint32_t again)
{
	const struct kind *k = kind_of(number);
	struct mark mark = { m.seed, number };
	size_t body = 8 + (number % 4 ? random_of(number, 3) % BODY_MAX : 0);
	/* What had a tag once is padded to more. */
	size_t min = is_switched(k) ? 60 : 60 + 4 * place;

	*f = (struct frame_text){ .len = 0 };
	append_link(f, number, place);
	append16(f, k->ethertype ?: 3 + body + sizeof(mark));
	if (k->ethertype == ETH_P_IP)
		append_ip4(f, number, place, again, body + sizeof(mark));
	else if (k->ethertype == ETH_P_IPV6)
		append_ip6(f, number, place, body + sizeof(mark));
	else
		append(f, "\x42\x42\x03", 3);
	for (size_t i = 0; i < body; i++)
		f->bytes[f->len++] = random_of(number, 10 + i / 8) >> (i % 8 * 8);
	append(f, &mark, sizeof(mark));
	for (; f->len < min; f->len++)
		f->bytes[f->len] = is_switched(k) ? 0 : place; /* some leak what was there before */
}

/* It has nothing of what is sent by its interface, from the first frame on. */
static int packet_socket(const char *interface, uint16_t protocol)
{
	struct sockaddr_ll a = { .sll_family = AF_PACKET, .sll_protocol = htons(protocol) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1;

	a.sll_ifindex = (int)if_nametoindex(interface);
	assert_return_code(fd, errno);
	assert_return_code(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)),
			   errno);
	assert_return_code(bind(fd, (struct sockaddr *)&a, sizeof(a)), errno);
	return fd;
}

/* As tcpdump has it: promiscuous. */
static int capture_socket(void)
{
	struct packet_mreq promiscuous = { .mr_ifindex = (int)if_nametoindex("ve0"),
					   .mr_type = PACKET_MR_PROMISC };
	int fd = packet_socket("ve0", ETH_P_ALL), bytes = 64 << 20;

	assert_return_code(setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous,
				      sizeof(promiscuous)),
			   errno);
	assert_return_code(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)), errno);
	return fd;
}

static void send_frame(const struct frame_text *f)
{
	while (send(m.far, f->bytes, f->len, 0) < 0) {
		assert_int_equal(errno, ENOBUFS); /* the interface's ring is full */
		usleep(50);
	}
	m.sent++;
}

static void send_packet(uint32_t number)
{
	const struct kind *k = kind_of(number);
	struct frame_text f;

	m.sent_ns[number] = udp_now_ns();
	for (uint32_t again = 0; again < 1 + (uint32_t)k->retransmitted; again++) {
		for (uint32_t place = 0; place < PLACES; place++) {
			write_frame(&f, number, place, again);
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

/* A capture file has a header of 24 bytes, a frame one of 16: seconds, microseconds, how many bytes
 * follow, and how many there were.
 */
static void tcpdump_read(void)
{
	uint64_t since_boot_ns = udp_now_ns();
	uint8_t frame[2048];
	uint32_t header[6];
	struct timespec t;
	char path[64];
	FILE *f;

	clock_gettime(CLOCK_REALTIME, &t);
	since_boot_ns -= t.tv_sec * S + t.tv_nsec; /* less than 0: it wraps, here and below */
	snprintf(path, sizeof(path), "%s/frames", dump);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fread(header, sizeof(header), 1, f), 1);
	while (fread(header, 16, 1, f) == 1) {
		assert_true(header[2] <= sizeof(frame));
		assert_int_equal(fread(frame, 1, header[2], f), header[2]);
		note_frame(frame, header[2], since_boot_ns + header[0] * S + header[1] * 1000ULL);
	}
	fclose(f);
}

static void open_mirror(bool l2, bool by_tcpdump)
{
	m = (struct mirror){ .seed = udp_now_ns(), .l2 = l2 };
	print_message("# seed %llu\n", (unsigned long long)m.seed);
	/* Nothing else comes than what the test sends. */
	e2e_far_sh("echo 1 >/proc/sys/net/ipv6/conf/pe0/disable_ipv6");
	e2e_tool(l2 ? "load ve0 --profile mirror --profile mirror-l2" : "load ve0 --profile mirror");
	netns_enter(e2e_far());
	m.far = packet_socket("pe0", 0);
	netns_enter(0);
	if (by_tcpdump)
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
		cnt += kind_of(i)->wrong_checksum;
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
static bool run_mirror(bool l2, bool by_tcpdump)
{
	struct filter_counters c;
	uint32_t late;

	open_mirror(l2, by_tcpdump);
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

static void mirror(bool l2, bool by_tcpdump)
{
	int tries = TRIES;

	while (!run_mirror(l2, by_tcpdump)) {
		assert_true(--tries > 0);
		close_mirror();
		e2e_tool("unload ve0");
	}
}

TEST(packet_socket_reads_once)
{
	mirror(false, false);
}

TEST(other_frames_are_read_once)
{
	mirror(true, false);
}

TEST(tcpdump_reads_once)
{
	char out[256];

	if (sh_out(out, sizeof(out), "command -v tcpdump"))
		skip();
	mirror(false, true);
}

int main(void)
{
	add_own_tests(e2e_setup, teardown);
	return run_added_tests("mirror");
}
