// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* lost: what the kernel discards behind a filter is shown, with the reason, and nothing else. The
 * drop monitor is only in the initial network namespace, where no test may make an interface: so
 * this runs only on machines that say in MACHINE that they are for tests (tests/run-vm).
 */
#include <linux/genetlink.h>
#include <linux/if_packet.h>
#include <linux/net_dropmon.h>
#include <linux/netlink.h>
#include <net/if.h>

#include "netlink.h"
#include "protocol_packets.h"
#include "support.h"

#define PORT 5568
#define MESSAGES 20

static const struct row {
	const char *name;
	const char *before;	  /* a shell command; NULL: none */
	uint8_t source[4], to[4]; /* zeros: 10.0.1.1, and this host */
	bool multicast, bad_checksum;
	int socket_bytes; /* the size of an open socket's buffer; 0: none is open */
	const char *reason;
	const char *behind; /* what `status` says of it */
	int lost;	    /* at least so many of the messages */
} ROWS[] = {
	{ "reverse-path", "for i in all v9; do echo 1 >/proc/sys/net/ipv4/conf/$i/rp_filter; done",
	  .source = { 192, 0, 2, 77 }, .socket_bytes = 1 << 20, .reason = "reverse_path",
	  .behind = "by the reverse path filter", .lost = MESSAGES },
	{ "no-socket", .reason = "no_socket", .behind = "as no socket is open on the port",
	  .lost = MESSAGES },
	{ "full-buffer", .socket_bytes = 1, .reason = "no_room",
	  .behind = "as a socket.s buffer was full", .lost = 5 },
	{ "not-a-member", .to = { 239, 255, 0, 9 }, .multicast = true, .socket_bytes = 1 << 20,
	  .reason = "no_member", .behind = "", .lost = MESSAGES },
	{ "checksum", .bad_checksum = true, .socket_bytes = 1 << 20, .reason = "bad_checksum",
	  .behind = "as the UDP checksum is wrong", .lost = MESSAGES },
};

/* Opens the program's socket; -1 if the row has none. */
static int open_receiver(const struct row *row)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd;

	if (!row->socket_bytes)
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &row->socket_bytes, sizeof(int)), 0);
	assert_int_equal(bind(fd, (void *)&at, sizeof(at)), 0);
	return fd;
}

static void make_message(struct frame *f, const struct row *row, int n)
{
	struct protocol_packet p = {
		.protocol = DATAGRAM, .port = PORT, .body = 200, .fill = (uint8_t)n
	};
	static const uint8_t US[4] = { 10, 0, 1, 2 };

	memcpy(p.to, row->to[0] ? row->to : US, 4);
	if (row->multicast)
		memcpy(p.to_mac,
		       (uint8_t[]){ 1, 0, 0x5e, row->to[1] & 127, row->to[2], row->to[3] }, 6);
	protocol_frame(f, &p);
	if (row->source[0])
		memcpy(f->data + f->ip + 12, row->source, 4);
	ipv4_sum(f);
	if (row->bad_checksum)
		frame_put(f, f->udp + 6, 2, 0x1234);
}

/* Each message in two copies. */
static void send_messages(const struct row *row)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = if_nametoindex("p9") };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	struct frame f;

	for (int n = 0; n < MESSAGES; n++) {
		make_message(&f, row, n);
		for (int copy = 0; copy < 2; copy++)
			assert_int_equal(sendto(fd, f.data, f.len, 0, (void *)&to, sizeof(to)),
					 f.len);
	}
	close(fd);
}

/* Waits until the command has ended. Meanwhile reads datagrams with a wrong checksum: it may be
 * looked at only then.
 */
static void await_end(const struct row *row, int fd)
{
	char bytes[512];

	while (!sh_out(bytes, sizeof(bytes), "kill -0 $(cat /tmp/pid) 2>/dev/null && sleep 0.1"))
		while (row->bad_checksum && recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) >= 0)
			;
}

static void is_shown(void **state)
{
	const struct row *row = *state;
	int fd = open_receiver(row);
	char out[4096];

	sh("%s load v9 --profile payload:%d --name l >/tmp/load 2>&1 || { cat /tmp/load; false; }",
	   tool(), PORT);
	sh("%s", row->before ?: ":");
	sh("rm -f /tmp/said; %s lost l --json --for 60s --count %d >/tmp/lost 2>/tmp/said & echo $! >/tmp/pid\n"
	   "until grep -qs showing /tmp/said; do kill -0 $(cat /tmp/pid) || { cat /tmp/said; exit 1; }; "
	   "sleep 0.1; done\n"
	   /* Before that a device takes packets and loses them. */
	   "until [ $(ip link show v9 | grep -c 'state UP')$(ip link show p9 | grep -c 'state UP') = 11 ]; "
	   "do sleep 0.1; done",
	   tool(), row->lost);
	send_messages(row);
	await_end(row, fd);
	/* The host's part is known, also without udp_diag, by which sockets are listed. */
	sh("%s status l >/tmp/status; [ -z '%s' ] || grep -q 'of any port .*%s' /tmp/status && "
	   "[ $(grep -c 'is unknown' /tmp/status) != $(ls -d /sys/module/udp_diag 2>/dev/null | wc -l) ] || "
	   "{ cat /tmp/status; false; }",
	   tool(), row->behind, row->behind);
	if (sh_out(out, sizeof(out),
		   "n=%d; [ $(wc -l </tmp/lost) = $n ] && [ $(grep -c '\"reason\":\"%s\",\"stream\":\"payload\","
		   "\"interface\":\"v9\"' /tmp/lost) = $n ] && grep -q \"note: $n lost: .*(%s)\" /tmp/said "
		   "|| { head -n 3 /tmp/lost; wc -l /tmp/lost; cat /tmp/said; false; }",
		   row->lost, row->reason, row->reason))
		fail_msg("%s", out);
	sh("%s unload --name l >/dev/null 2>&1", tool());
	sh("for i in all v9; do echo 0 >/proc/sys/net/ipv4/conf/$i/rp_filter; done");
	if (fd >= 0)
		close(fd);
}

/* Takes the datagrams that wait, and notes which messages they are. Returns how many there were. */
static int take_messages(int fd, const struct row *row, int seen[MESSAGES])
{
	uint8_t bytes[512];
	struct frame f;
	int cnt = 0;
	ssize_t len;

	for (; (len = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) >= 0; cnt++) {
		for (int n = 0; n < MESSAGES; n++) {
			make_message(&f, row, n);
			seen[n] += !memcmp(f.data + f.gsp, bytes, len);
		}
	}
	return cnt;
}

/* Of three copies of each message, the buffer has room for a few each time. Each message comes once
 * in the end; without --want, what was lost at first is lost.
 */
static void arrive_by_wants(const char *options, int *arrived, int *twice)
{
	static const struct row row = { .socket_bytes = 1 };
	int fd = open_receiver(&row), seen[MESSAGES] = { 0 };

	sh("%s load v9 --profile payload:%d --window 10m --name l >/dev/null 2>&1", tool(), PORT);
	sh("rm -f /tmp/said; %s lost l --for 10m %s >/tmp/lost 2>/tmp/said & echo $! >/tmp/pid\n"
	   "until grep -qs showing /tmp/said; do sleep 0.1; done\n"
	   "until [ $(ip link show v9 | grep -c 'state UP')$(ip link show p9 | grep -c 'state UP') = 11 ]; "
	   "do sleep 0.1; done",
	   tool(), options);
	for (int round = 0; round < 40; round++) {
		send_messages(&row);
		usleep(300000); /* until the monitor has told of it */
		take_messages(fd, &row, seen);
	}
	sh("kill -INT $(cat /tmp/pid); while kill -0 $(cat /tmp/pid) 2>/dev/null; do sleep 0.1; done");
	*arrived = *twice = 0;
	for (int n = 0; n < MESSAGES; n++) {
		*arrived += seen[n] > 0;
		*twice += seen[n] > 1;
	}
	close(fd);
	sh("%s unload --name l >/dev/null 2>&1", tool());
}

TEST(what_is_wanted_arrives)
{
	int arrived, twice;

	arrive_by_wants("", &arrived, &twice);
	assert_in_range(arrived, 1, MESSAGES / 2);
	assert_int_equal(twice, 0);
	arrive_by_wants("--want", &arrived, &twice);
	assert_int_equal(arrived, MESSAGES);
	assert_int_equal(twice, 0);
}

static bool monitor_is_on(void)
{
	FILE *f = fopen("/sys/module/drop_monitor/refcnt", "r");
	int users = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &users), 1);
	fclose(f);
	return users > 0;
}

/* On a veth, without --for: of messages that are lost all the time, some are shown, and the monitor
 * is off most of the time.
 */
TEST(sampled_where_it_costs)
{
	static const struct row row = { .name = "sampled" };
	int pid, on = 0, rounds = 0;
	char out[4096];

	sh("%s load v9 --profile payload:%d --window 20ms --name l >/dev/null 2>&1", tool(), PORT);
	sh_out(out, sizeof(out), "%s lost l >/tmp/lost 2>/tmp/said & echo $!", tool());
	/* No shell meanwhile: on a slow machine it takes longer than a sample. */
	for (pid = atoi(out); !kill(pid, 0); rounds++) {
		send_messages(&row);
		on += monitor_is_on();
		usleep(40000);
	}
	sh_out(out, sizeof(out), "grep -c no_socket /tmp/lost");
	assert_in_range(atoi(out), 1, rounds * MESSAGES / 2);
	assert_in_range(on, 1, rounds / 2);
	sh("grep -q 'takes a sample, 100 ms of each of 10 seconds; for every packet: --for' /tmp/said && "
	   "grep -q ' lost: .*(no_socket)' /tmp/said || { cat /tmp/said; false; }");
	sh("%s unload --name l >/dev/null 2>&1", tool());
}

#define LOST_OF_L(options) "%s lost l --for 10m " options " >/tmp/lost 2>/tmp/said & "

static void await_lost(void)
{
	sh("for i in $(seq 100); do grep -qs showing /tmp/said && exit; sleep 0.1; done; cat /tmp/said; false");
}

static void end_lost(const char *signal)
{
	sh("kill -%s $(cat /tmp/pid); while kill -0 $(cat /tmp/pid) 2>/dev/null; do sleep 0.1; done; rm "
	   "-f /tmp/said",
	   signal);
}

static int take_family(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *a;

	mnl_attr_for_each (a, message, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)arg = mnl_attr_get_u16(a);
	return MNL_CB_OK;
}

/* Starts or stops the monitor as dropwatch does: it reports counts. */
static int switch_monitor(uint8_t command)
{
	union netlink_request r;
	uint16_t family = 0;

	netlink_begin_generic(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&r.header, CTRL_ATTR_FAMILY_NAME, "NET_DM");
	assert_int_equal(netlink_query(NETLINK_GENERIC, &r.header, take_family, &family), 0);
	netlink_begin_generic(&r, family, command);
	mnl_attr_put(&r.header, NET_DM_ATTR_SW_DROPS, 0, NULL);
	return netlink_query(NETLINK_GENERIC, &r.header, NULL, NULL);
}

TEST(one_monitor_for_all)
{
	static const struct sockaddr_nl US = { .nl_family = AF_NETLINK,
					       .nl_groups = NET_DM_GRP_ALERT };
	int other = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	sh("%s load v9 --profile payload:%d --name l >/dev/null 2>&1; rm -f /tmp/said", tool(), PORT);
	/* One that was killed leaves it on. The next one ends that. */
	sh(LOST_OF_L("") "echo $! >/tmp/pid", tool());
	await_lost();
	end_lost("KILL");
	assert_true(monitor_is_on());
	sh("%s lost l --for 100ms 2>/dev/null", tool());
	assert_false(monitor_is_on());
	/* A second one listens, too, and the last one stops it. */
	sh(LOST_OF_L("") "echo $! >/tmp/pid", tool());
	await_lost();
	sh("%s lost l --for 100ms 2>/dev/null", tool());
	assert_true(monitor_is_on());
	end_lost("INT");
	assert_false(monitor_is_on());
	/* Another program has counts. */
	assert_int_equal(bind(other, (const void *)&US, sizeof(US)), 0);
	assert_int_equal(switch_monitor(NET_DM_CMD_START), 0);
	sh("got=$(%s lost l 2>&1) && exit 1; case $got in *'(%d) has the kernel'*'lost --force'*) ;; *) echo "
	   "\"$got\"; false ;; esac",
	   tool(), (int)getpid());
	sh("%s lost l --force --for 100ms 2>/dev/null", tool());
	assert_true(monitor_is_on());
	assert_int_equal(switch_monitor(NET_DM_CMD_STOP), 0);
	close(other);
	sh("%s unload --name l >/dev/null 2>&1", tool());
}

static int into_the_first_namespace(void **state)
{
	(void)state;
	netns_enter_path(netns_outside());
	sh("ip link add v9 address 02:00:00:00:00:10 type veth peer name p9; ip addr add 10.0.1.2/24 dev "
	   "v9; ip link set v9 up; ip link set p9 up");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	sh("%s unload --all >/dev/null 2>&1; ip link del v9", tool());
	netns_enter_path(netns_sandbox());
	return 0;
}

int main(void)
{
	if (!getenv("MACHINE")) {
		puts("1..0 # SKIP no machine for tests alone");
		return 0;
	}
	add_own_tests(into_the_first_namespace, leave);
	add_rows(ROWS, is_shown, into_the_first_namespace, leave);
	return run_added_tests("lost");
}
