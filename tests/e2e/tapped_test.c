// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's own tunnel devices as senders: each packet is sent into two tunnels, by two links,
 * to interfaces that share a filter. Each inner packet is read once there, and every counter is
 * exact. Rows whose device this kernel lacks are skipped.
 *
 * once-*: every device. cut-*: what ERSPAN cuts off passes.
 */
#include "e2e_runner.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "packet.h"

#define PACKETS 128
#define BURST 32       /* veth has room for 256 */
#define INNER_MAX 1280 /* bytes of a packet */
#define FILTER "taps"

/* For tc, which puts packets into tunnels that a device alone cannot make. */
#define DUMMY                                                     \
	"ip link add $t type dummy; tc qdisc add dev $t clsact\n" \
	"tc filter add dev $t egress protocol all matchall "
#define ONE_FOR_BOTH(what) "[ $i = 1 ] || { ip link add g0 type " what "; ip link set g0 up; }\n"

#define CUT_BYTES 1000
#define CUTTING(options)                                                                    \
	"ip link add u$i mtu 1000 type erspan local $l remote $r seq key 1$i " options "\n" \
	"ip link set u$i up\n" DUMMY "action mirred egress redirect dev u$i"

/* Where the inner IP header is, behind so many bytes of other headers than Ethernet's. */
#define PACKET(bytes) (ETH_HLEN + (bytes))
#define FRAME(bytes) (PACKET(bytes) + ETH_HLEN)

/* Commands of a row have: $i the tunnel, 0 or 1, $t its device; $p the link's interface; $l and $L
 * this end's outer addresses, $r and $R the other one's; $h and $H the last parts of $l and $r. A
 * tunnel that carries another one is u$i. `addrgenmode none up` in one call brings a device up
 * first, and it asks for routers.
 */
static const struct device {
	const char *name;
	const char *add;   /* shell: adds $t */
	uint32_t ip_at;	   /* the inner IP header, in frames of the link */
	uint32_t cut;	   /* longer inner packets are cut, and pass; 0: none is */
	bool is_ipv4_only; /* inner packets */
	const char *ports; /* of --tunnels, if they are not the usual ones */
} DEVICES[] = {
	{ "once-vxlan", "ip link add $t type vxlan id 10$i local $l remote $r dstport 4789",
	  .ip_at = FRAME(36) },
	{ "once-vxlan-ipv6", "ip link add $t type vxlan id 10$i local $L remote $R dstport 4789",
	  .ip_at = FRAME(56) },
	{ "once-vxlan-gpe",
	  ONE_FOR_BOTH("vxlan external gpe dstport 4790") DUMMY
	  "action tunnel_key set src_ip $l dst_ip $r dst_port 4790 id 10$i"
	  " action mirred egress redirect dev g0",
	  .ip_at = PACKET(36) },
	{ "once-geneve", "ip link add $t type geneve id 10$i remote $r", .ip_at = FRAME(36) },
	{ "once-geneve-ipv6", "ip link add $t type geneve id 10$i remote $R", .ip_at = FRAME(56) },
	{ "once-geneve-options",
	  ONE_FOR_BOTH("geneve external") DUMMY
	  "action tunnel_key set src_ip $l dst_ip $r dst_port 6081 id 10$i"
	  " geneve_opts 0102:80:001122334455667$i,0103:81:0011223$i"
	  " action mirred egress redirect dev g0",
	  .ip_at = FRAME(56) },
	{ "once-gre", "ip link add $t type gre local $l remote $r", .ip_at = PACKET(24) },
	{ "once-gre-flags", "ip link add $t type gre local $l remote $r key 1$i csum seq",
	  .ip_at = PACKET(36) },
	{ "once-gre-ipv6",
	  "ip link add $t type ip6gre local $L remote $R key 1$i csum seq encaplimit none",
	  .ip_at = PACKET(56) },
	{ "once-gretap", "ip link add $t type gretap local $l remote $r nopmtudisc ignore-df",
	  .ip_at = FRAME(24) },
	{ "once-nvgre", "ip link add $t type gretap local $l remote $r key 1$i", .ip_at = FRAME(28) },
	/* The outer header has an option for destinations, of 8 bytes. */
	{ "once-gretap-ipv6", "ip link add $t type ip6gretap local $L remote $R key 1$i",
	  .ip_at = FRAME(56) },
	{ "once-erspan-1", "ip link add $t type erspan local $l remote $r erspan_ver 0",
	  .ip_at = FRAME(24) },
	{ "once-erspan-2",
	  "ip link add $t type erspan local $l remote $r seq key 1$i erspan_ver 1 erspan 12$i",
	  .ip_at = FRAME(36) },
	{ "once-erspan-3",
	  "ip link add $t type erspan local $l remote $r seq key 1$i erspan_ver 2"
	  " erspan_dir ingress erspan_hwid 1$i",
	  .ip_at = FRAME(40) },
	{ "once-erspan-ipv6",
	  "ip link add $t type ip6erspan local $L remote $R seq key 1$i erspan_ver 1 erspan 12$i"
	  " encaplimit none",
	  .ip_at = FRAME(56) },
	/* ERSPAN cuts long packets and says so by its T bit. A packet socket sends none of these. */
	{ "cut-erspan-2", CUTTING("erspan_ver 1 erspan 12$i"), .ip_at = FRAME(36), .cut = CUT_BYTES },
	{ "cut-erspan-3", CUTTING("erspan_ver 2 erspan_dir ingress erspan_hwid 1$i"),
	  .ip_at = FRAME(40), .cut = CUT_BYTES },
	{ "once-ipip", "ip link add $t type ipip local $l remote $r", .ip_at = PACKET(20),
	  .is_ipv4_only = true },
	{ "once-sit", "ip link add $t type sit mode any local $l remote $r", .ip_at = PACKET(20) },
	{ "once-ip6tnl", "ip link add $t type ip6tnl mode any local $L remote $R encaplimit none",
	  .ip_at = PACKET(40) },
	{ "once-ip6tnl-limit", "ip link add $t type ip6tnl mode any local $L remote $R",
	  .ip_at = PACKET(48) },
	{ "once-mpls",
	  DUMMY "action mpls push protocol mpls_uc label 1$i ttl 9 pipe"
		" action mpls push protocol mpls_uc label 2$i ttl 9 pipe"
		" action mirred egress redirect dev $p",
	  .ip_at = PACKET(8) },
	/* Packet sockets have the first tag beside the packet. */
	{ "once-vlan",
	  "ip link add u$i link $p type vlan protocol 802.1ad id 1$i\n"
	  "ip link set u$i addrgenmode none; ip link set u$i up\n"
	  "ip link add w$i link u$i type vlan id 2$i\n"
	  "ip link set w$i addrgenmode none; ip link set w$i up\n"
	  "ip link add $t link w$i type vlan id 3$i",
	  .ip_at = PACKET(8) },
	{ "once-vxlan-in-vxlan",
	  "ip link add u$i type vxlan id 5$i local $l remote $r dstport 4789\n"
	  "ip addr add 10.66.$i.$h/24 dev u$i\n"
	  "ip link set u$i address 02:00:00:00:66:0$h addrgenmode none arp off; ip link set u$i up\n"
	  "ip neigh add 10.66.$i.$H lladdr 02:00:00:00:66:0$H dev u$i nud permanent\n"
	  "ip link add $t type vxlan id 10$i local 10.66.$i.$h remote 10.66.$i.$H dstport 4789",
	  .ip_at = FRAME(36 + ETH_HLEN + 36) },
	{ "once-sit-in-gre",
	  "ip link add u$i type gre local $l remote $r\n"
	  "ip addr add 10.66.$i.$h/24 dev u$i\n"
	  "ip link set u$i addrgenmode none; ip link set u$i up\n"
	  "ip link add $t type sit mode any local 10.66.$i.$h remote 10.66.$i.$H",
	  .ip_at = PACKET(24 + 20) },
	{ "once-vxlan-8472", "ip link add $t type vxlan id 10$i local $l remote $r dstport 8472",
	  .ip_at = FRAME(36), .ports = "vxlan:8472" },
};

static struct {
	const struct device *device;
	bool is_open, is_busy; /* busy: a row has begun, and not ended */
	const char *tunnels;   /* of which the filter opens */
	int sender, readers[E2E_LINKS];
	uint32_t sent, read;
	struct filter_counters before;
} t;

static struct packet {
	bool is_ipv6;
	uint32_t len, read;
	uint8_t bytes[INNER_MAX]; /* from the IP header on */
} packets[PACKETS];

/* From now on a link has only packets that the test sends, none of ARP and IPv6. Tags are part of
 * packets, as on a wire. The near end does not have the outer destinations, so nothing answers.
 */
static void quiet_link(int link)
{
	char mac[E2E_MAC], command[1024];

	e2e_near_mac(link, mac);
	/* GRO is on, but merges nothing: each frame is to be one that was sent. */
	sh("ip -batch - <<END\n"
	   "link set ve%d gro_max_size 1 down\n"
	   "addr flush dev ve%d\n"
	   "link set ve%d addrgenmode none arp off\n"
	   "link set ve%d up\n"
	   "END\n",
	   link, link, link, link);
	snprintf(command, sizeof(command),
		 "set -e; i=%d; ethtool -K pe$i tx off txvlan off tx-vlan-stag-hw-insert off\n"
		 "ip -batch - <<END\n"
		 "link set pe$i down\n"
		 "addr flush dev pe$i\n"
		 "link set pe$i addrgenmode none arp off\n"
		 "link set pe$i up\n"
		 "addr add 10.77.$i.2/24 dev pe$i\n"
		 "addr add fd77:$i::2/64 dev pe$i nodad\n"
		 "neigh add 10.77.$i.9 lladdr %s dev pe$i nud permanent\n"
		 "neigh add fd77:$i::9 lladdr %s dev pe$i nud permanent\n"
		 "END\n",
		 link, mac, mac);
	e2e_far_sh(command);
}

/* The links and the filter are for all rows, until one fails. */
static int setup(void **state)
{
	if (t.is_open)
		return 0;
	e2e_setup(state);
	for (int i = 0; i < E2E_LINKS; i++)
		quiet_link(i);
	t.tunnels = "all";
	e2e_tool("load ve0 ve1 --name " FILTER " --profile mirror --window 10m --capacity 64k"
		 " --tunnels all");
	t.is_open = true;
	return 0;
}

static int teardown(void **state)
{
	char out[2048];

	close(t.sender);
	for (int i = 0; i < E2E_LINKS; i++)
		close(t.readers[i]);
	netns_enter(e2e_far());
	sh_out(out, sizeof(out),
	       "ip -force -batch - <<END\n"
	       "link del t0\nlink del t1\nlink del u0\nlink del u1\nlink del g0\n"
	       "END\n");
	netns_enter(0);
	if (!t.is_busy)
		return 0;
	t.is_open = t.is_busy = false;
	return e2e_teardown(state);
}

/* Adds the device's tunnels, t0 and t1. If this kernel lacks what they need, the test is skipped. */
static void add_tunnels(const struct device *d)
{
	char out[2048];
	int status;

	netns_enter(e2e_far());
	status = sh_out(out, sizeof(out),
			"set -e\n"
			"for i in 0 1; do\n"
			"	t=t$i p=pe$i h=2 H=9\n"
			"	l=10.77.$i.$h L=fd77:$i::$h r=10.77.$i.$H R=fd77:$i::$H\n"
			"	%s\n"
			"	echo 1 >/proc/sys/net/ipv6/conf/$t/disable_ipv6\n"
			"	ip link set $t up\n"
			"done\n",
			d->add);
	netns_enter(0);
	if (status && (strstr(out, "Unknown device type") || strstr(out, "not supported") ||
		       strstr(out, "not found") || strstr(out, "Failed to load TC action module"))) {
		print_message("# %s: this kernel lacks it: %s\n", d->name, out);
		skip();
	}
	if (status)
		fail_msg("%s: %s", d->name, out);
}

/* The sender writes packets without their link's header. */
static void open_sockets(void)
{
	int on = 1;

	netns_enter(e2e_far());
	t.sender = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netns_enter(0);
	assert_return_code(t.sender, errno);
	for (int i = 0; i < E2E_LINKS; i++) {
		t.readers[i] = e2e_packet_socket(i ? "ve1" : "ve0");
		assert_return_code(setsockopt(t.readers[i], SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
					      sizeof(on)),
				   errno);
	}
}

/* Makes new packets, of all lengths. */
static void make_packets(bool is_ipv4_only)
{
	static struct frame f;

	for (uint32_t i = 0; i < PACKETS; i++) {
		struct packet *p = &packets[i];
		struct id id = id_fresh();

		*p = (struct packet){ .is_ipv6 = i % 2 && !is_ipv4_only };
		frame_build(&f, &(struct frame_plan){ .ipv6 = p->is_ipv6, .body = i * 9 }, &id);
		frame_checksums(&f);
		p->len = f.len - f.ip;
		assert_true(p->len <= INNER_MAX);
		memcpy(p->bytes, f.data + f.ip, p->len);
	}
}

/* Into both tunnels. Addresses of some devices are longer than sockaddr_ll has room for. */
static void send_packet(const struct packet *p, const unsigned int ifindexes[E2E_LINKS])
{
	for (int i = 0; i < E2E_LINKS; i++, t.sent++) {
		struct sockaddr_storage to = { 0 };

		*(struct sockaddr_ll *)&to = (struct sockaddr_ll){
			.sll_family = AF_PACKET,
			.sll_protocol = htons(p->is_ipv6 ? ETH_P_IPV6 : ETH_P_IP),
			.sll_ifindex = (int)ifindexes[i],
			.sll_halen = ETH_ALEN,
			.sll_addr = { 2, 0, 0, 0, 0x88, 2 },
		};
		if (sendto(t.sender, p->bytes, p->len, 0, (void *)&to, sizeof(to)) != p->len)
			fail_msg("%s: %u bytes: %s", t.device->name, p->len, strerror(errno));
	}
}

/* Notes a packet, or what was left of one. */
static bool note_packet(const uint8_t *ip, ssize_t len)
{
	for (struct packet *p = packets; p < packets + PACKETS && len > 0; p++) {
		bool is_cut = t.device->cut && p->len > t.device->cut;

		if (len != p->len && !(is_cut && len == t.device->cut))
			continue;
		if (memcmp(ip, p->bytes, len))
			continue;
		p->read++;
		t.read++;
		return true;
	}
	return false;
}

/* Reads what has passed the filter. */
static void read_packets(void)
{
	uint8_t frame[2048];
	ssize_t len;

	for (int i = 0; i < E2E_LINKS; i++) {
		while ((len = recv(t.readers[i], frame, sizeof(frame), 0)) > 0)
			if (!note_packet(frame + t.device->ip_at, len - t.device->ip_at))
				fail_msg("%s: a frame of %zd bytes has no packet at byte %u",
					 t.device->name, len, t.device->ip_at);
		assert_int_equal(errno, EAGAIN);
	}
}

/* What a counter has counted since the row began. */
#define CAME(counter) (e2e_counters(FILTER).counter - t.before.counter)

/* Waits until all that was sent was read, or dropped. */
static void await_packets(void)
{
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		read_packets();
		if (t.read + CAME(dropped) >= t.sent)
			return;
		usleep(1000);
	}
	fail_msg("%s: of %u packets %u were read", t.device->name, t.sent, t.read);
}

static void each_packet_is_read_once(void **state)
{
	const struct device *d = *state;
	const char *tunnels = d->ports ?: "all";
	unsigned int ifindexes[E2E_LINKS];
	uint32_t cut = 0;

	t.device = d;
	t.sent = t.read = 0;
	t.sender = t.readers[0] = t.readers[1] = -1;
	add_tunnels(d);
	t.is_busy = true;
	if (strcmp(tunnels, t.tunnels))
		e2e_tool("set " FILTER " --tunnels %s", tunnels);
	t.tunnels = tunnels;
	netns_enter(e2e_far());
	for (int i = 0; i < E2E_LINKS; i++)
		ifindexes[i] = if_nametoindex(i ? "t1" : "t0");
	netns_enter(0);
	open_sockets();
	make_packets(d->is_ipv4_only);
	t.before = e2e_counters(FILTER);
	for (uint32_t i = 0; i < PACKETS; i++) {
		send_packet(&packets[i], ifindexes);
		if (i % BURST == BURST - 1)
			await_packets();
	}
	for (uint32_t i = 0; i < PACKETS; i++) {
		bool is_cut = d->cut && packets[i].len > d->cut;

		if (packets[i].read != (is_cut ? 2 : 1))
			fail_msg("%s: packet %u, %u bytes, was read %u times", d->name, i,
				 packets[i].len, packets[i].read);
		cut += is_cut;
	}
	assert_true(!d->cut == !cut);
	assert_int_equal(CAME(rx), t.sent);
	assert_int_equal(CAME(new), PACKETS - cut);
	assert_int_equal(CAME(duplicate), PACKETS - cut);
	assert_int_equal(CAME(dropped), PACKETS - cut);
	assert_int_equal(CAME(truncated), 2 * cut);
	assert_int_equal(CAME(bad_tunnel), 0);
	assert_int_equal(CAME(stale), 0);
	t.is_busy = false;
}

int main(void)
{
	add_rows(DEVICES, each_packet_is_read_once, setup, teardown);
	return run_added_tests("tapped");
}
