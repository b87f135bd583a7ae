// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the IP stack loses behind a filter. Each script first shows the loss: of 20 messages in two
 * copies, of which B's come first, none arrives, or few do. Then it shows that `check` says so,
 * that the remedy it names helps, and that then `check` says nothing.
 */
#include "cli_runner.h"

#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/time.h>

#include "protocol_packets.h"
#include "udp.h"

#define PORT 5568
#define GROUP "239.255.0.1"
#define GROUP6 "ff05::1"
#define MESSAGES_MAX 256

/* $RX OPTION... receives until there is /mnt/sent and nothing waits; prints how many different
 * messages came. The options are below, and `late`: reads nothing before there is /mnt/sent.
 */
static int set_option(int fd, const char *word)
{
	const char *value = strchr(word, '=') + 1;
	int bytes = atoi(value);
	struct ipv6_mreq group = { .ipv6mr_interface = if_nametoindex(value) };

	if (!strncmp(word, "join=", 5))
		return udp_join(fd, GROUP, value);
	if (!strncmp(word, "device=", 7))
		return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, value, strlen(value));
	if (!strncmp(word, "buffer=", 7))
		return setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (!strncmp(word, "force=", 6))
		return setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	inet_pton(AF_INET6, GROUP6, &group.ipv6mr_multiaddr);
	return setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof(group));
}

static bool is_sent(void)
{
	return !access("/mnt/sent", F_OK);
}

static int count_messages(int fd)
{
	bool seen[MESSAGES_MAX] = { false }, was_sent;
	uint32_t number;
	int cnt = 0;

	do {
		was_sent = is_sent();
		while (recv(fd, &number, sizeof(number), 0) > 0) {
			cnt += !seen[ntohl(number) % MESSAGES_MAX];
			seen[ntohl(number) % MESSAGES_MAX] = true;
		}
	} while (!was_sent);
	return cnt;
}

static int receive(char **options)
{
	int fd = udp_receiver(strncmp(*options, "join6=", 6) ? "0.0.0.0" : "::", PORT);
	struct timeval wait = { .tv_usec = 100000 };
	bool late = false;

	for (char **word = options; *word; word++)
		if (!strcmp(*word, "late"))
			late = true;
		else if (set_option(fd, *word))
			return fprintf(stderr, "%s: %s\n", *word, strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	close(creat("/mnt/ready", 0600));
	while (late && !is_sent())
		usleep(10000);
	printf("%d\n", count_messages(fd));
	return 0;
}

static void make_message(struct frame *f, uint32_t n, bool tagged)
{
	static const uint8_t FROM[] = { 10, 9, 0, 1 }, TO_MAC[] = { 1, 0, 0x5e, 127, 0, 1 };
	struct protocol_packet p = { .protocol = DATAGRAM, .port = PORT, .body = 12 };

	inet_pton(AF_INET, GROUP, p.to);
	memcpy(p.to_mac, TO_MAC, sizeof(TO_MAC));
	if (tagged) {
		p.tags[0] = 0x8100;
		p.tci[0] = 10;
	}
	protocol_frame(f, &p);
	memcpy(f->data + f->ip + 12, FROM, sizeof(FROM));
	ipv4_sum(f);
	frame_put(f, f->gsp, 4, n);
	frame_put(f, f->gsp + 4, 8, udp_now_ns());
}

/* $TX COUNT [tag] sends messages to the group, each by p1, and then by p0; "tag": in VLAN 10. */
static int send_messages(char **words)
{
	int fds[2];
	struct frame f;

	for (int i = 0; i < 2; i++) {
		struct sockaddr_ll by = { .sll_family = AF_PACKET };

		by.sll_ifindex = (int)if_nametoindex(i ? "p0" : "p1");
		fds[i] = socket(AF_PACKET, SOCK_RAW, 0);
		if (bind(fds[i], (void *)&by, sizeof(by)))
			return 1;
	}
	for (int n = 0; n < atoi(words[0]); n++) {
		make_message(&f, n, words[1]);
		for (int i = 0; i < 2; i++)
			if (send(fds[i], f.data, f.len, 0) != f.len)
				return 1;
	}
	return 0;
}

/* Words of these scripts:
 * arrive COUNT COMMAND -- OPTION...  the receiver with these options gets so many messages, while
 *                                    COMMAND sends
 * says WORDS                         check, beside that receiver, has these words; $CHECK is its
 *                                    command line
 * advises WORDS                      status has advice with these words
 * behind EXPRESSION                  it holds of status's `behind` (jq)
 * silent                             neither has a note or problem of a loss
 */
#define WORDS                                                                                            \
	"far; ip link add v1 group 7 type veth peer name p1; ip link set p1 netns $far\n"                \
	"ip link set p0 netns $far; there ip link set p0 up; there ip link set p1 up\n"                  \
	"ip link set v0 up; ip link set v1 up\n"                                                         \
	"ip addr add 10.9.0.2/24 dev v0; ip addr add 10.9.0.3/24 dev v1\n"                               \
	"FILTER='--profile payload:5568@239.255.0.1 --name both'\n"                                      \
	"strict() { for i in all v0 v1; do echo $1 >/proc/sys/net/ipv4/conf/$i/rp_filter; done; }\n"     \
	"arrive() { rm -f /mnt/ready /mnt/sent; want=$1; shift; send=; while [ $1 != -- ]; do "          \
	"send=\"$send $1\"; shift; done; shift\n"                                                        \
	"	$RX $* >/mnt/n & rx=$!; soon test -e /mnt/ready\n"                                             \
	"	$XD check v0 v1 $FILTER >/mnt/check || :\n"                                                    \
	"	there $TX $send; $XD status both --json >/mnt/status 2>&1 || :\n"                              \
	"	touch /mnt/sent; wait $rx; n=$(cat /mnt/n)\n"                                                  \
	"	[ $n $want ] || { echo \"$n arrived: not $want\"; cat /mnt/check; return 1; }; }\n"            \
	"says() { output=$(cat /mnt/check); has \"$1\"; }\n"                                             \
	"behind() { jq -e \".behind | $1\" /mnt/status || { jq -c .behind /mnt/status; return 1; }; }\n" \
	"advises() { output=$(jq -r '.advice[] | select(.key == \"behind\") | .text' /mnt/status)\n"     \
	"	has \"$1\"; }\n"                                                                               \
	"silent() { ! grep -E '^(note|problem) +(reverse_path|groups|sockets|vlans|buffers) ' "          \
	"/mnt/check && ! grep '\"key\": \"behind\"' /mnt/status; }\n"                                    \
	"strict 0\n"

#define BOTH "join=v0 join=v1"

static const struct cli_script SCRIPTS[] = {
	{ "reverse-path",
	  "strict 1; arrive '= 20' 20 -- " BOTH "\n"
	  "exits 1 $XD load v0 v1 $FILTER\n"
	  "has 'xdp-dedup: v1: the reverse path filter discards what its own network sends'\n"
	  "got $XD load v0 v1 $FILTER --force; has 'note: v1: the reverse path filter'\n"
	  "arrive '= 0' 20 -- " BOTH "\n"
	  "says 'problem  reverse_path v1'; says '-> sysctl -w net/ipv4/conf/v1/rp_filter=2'\n"
	  "advises 'v0: the reverse path filter discards what comes from other networks'\n"
	  "ip route add default via 10.9.0.9 dev v0; echo 2 >/proc/sys/net/ipv4/conf/v1/rp_filter\n"
	  "arrive '= 20' 20 -- " BOTH "; silent\n"
	  "ip route del default; arrive '= 20' 20 -- " BOTH "\n"
	  "says 'v1: the reverse path filter discards what comes from other networks, as there is "
	  "no'\n" },
	/* By one interface, the stack discards all copies alike; else no copy is dropped. */
	{ "reverse-path-of-one-copy",
	  "strict 1; $XD load v0 --profile payload:5568@239.255.0.1; got $XD set v0 --add v1\n"
	  "has 'note: v1: the reverse path filter'; $XD unload v0 v1\n"
	  "for options in v1 'v0 v1 --action count' 'v0 v1 --learn app'; do\n"
	  "	got $XD check $options --profile payload:5568@239.255.0.1\n"
	  "	lacks 'that come there first'; done\n"
	  "got $XD check v0 v1 --profile mirror; lacks 'that come there first'\n" },
	{ "a-service-starts-all-the-same",
	  "strict 1; printf '[filter both]\\ninterfaces = v0 v1\\nprofile = payload:5568\\n' >/mnt/c\n"
	  "$XD run --config /mnt/c >/mnt/log 2>&1 & run=$!\n"
	  "soon grep -q 'v1: the reverse path filter' /mnt/log; soon runs v0; soon runs v1\n"
	  "kill $run; wait $run || :\n" },
	{ "a-group-of-one-interface",
	  "$XD load v0 v1 $FILTER; arrive '= 0' 20 -- join=v0\n"
	  "says '239.255.0.1 is joined on v0 and not on v1'; advises 'joined on v0 and not on v1'\n"
	  "arrive '= 20' 20 -- " BOTH "; silent\n" },
	{ "an-ipv6-group-of-one-interface",
	  "joined() { rm -f /mnt/ready /mnt/sent; $RX $* >/mnt/n & rx=$!; soon test -e /mnt/ready\n"
	  "	got $XD check v0 v1 --profile payload:5568@" GROUP6 "; kill $rx; wait $rx || :; }\n"
	  "joined join6=v0; has '" GROUP6 " is joined on v0 and not on v1'\n"
	  "joined join6=v0 join6=v1; lacks 'and not on'\n" },
	{ "a-socket-of-one-interface",
	  "$XD load v0 v1 $FILTER; arrive '= 0' 20 -- " BOTH " device=v0\n"
	  "says 'no socket gets what comes by v1, as behind_test ('; says 'port 5568 to another'\n"
	  "arrive '= 20' 20 -- " BOTH "; silent\n" },
	{ "a-vlan-without-a-device", /* a kernel without VLAN devices has no remedy */
	  "FILTER=\"$FILTER --vlan 10\"; $XD load v0 v1 $FILTER\n"
	  "arrive '= 0' 20 tag -- " BOTH "; says 'there is no VLAN device on v1'\n"
	  "advises 'there is no VLAN device on v0'\n"
	  "ip link add link v0 name v0.10 type vlan id 10 || { kill $far; exit 0; }\n"
	  "ip link add link v1 name v1.10 type vlan id 10\n"
	  "for i in 0 1; do ip addr del 10.9.0.$((i + 2))/24 dev v$i\n"
	  "	ip addr add 10.9.0.$((i + 2))/24 dev v$i.10; ip link set v$i.10 up\n"
	  "	echo 0 >/proc/sys/net/ipv4/conf/v$i.10/rp_filter; done\n"
	  "arrive '= 20' 20 tag -- join=v0.10 join=v1.10; silent\n" },
	{ "a-small-buffer",
	  "FILTER=\"$FILTER --capacity 20M --window 10s\"; $XD load v0 v1 $FILTER\n"
	  "arrive '-lt 200' 200 -- " BOTH " buffer=4096 late\n"
	  "says 'note     buffers'; says 'which is full after'; advises 'which is full after'\n"
	  "lost=$((200 - n)); behind \".sockets[0] | .port == 5568 and .dropped == $lost and\n"
	  "	.buffer_bytes == 8192 and (.program | startswith(\\\"behind_test (\\\"))\"\n"
	  "jq -e '.advice[] | select(.key == \"full_buffer\")' /mnt/status\n"
	  "$XD set both --action count; $XD set both --action drop; $XD status both --json "
	  ">/mnt/status\n"
	  "behind \".host.no_room == $lost and .host.no_socket == 0\"\n"
	  "got $XD status both; share=$((lost / 2)).$((lost % 2 * 5))0\n"
	  "has \"$lost packets of any port of this host are lost ($share % of new), as\"\n"
	  "arrive '= 200' 200 -- " BOTH " force=50000000 late; silent\n" },
};

static void run(void **state)
{
	const struct cli_script *row = *state;
	static char text[16384];
	const struct cli_script with_words = { row->name, text };
	void *with = (void *)&with_words;

	snprintf(text, sizeof(text), "%s%s\nkill $far\n", WORDS, row->script);
	cli_run_script(&with);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return strcmp(argv[1], "receive") ? send_messages(argv + 2) : receive(argv + 2);
	cli_environment();
	cli_helper("RX", "receive");
	cli_helper("TX", "send");
	add_rows(SCRIPTS, run, cli_setup, cli_teardown);
	return run_added_tests("behind");
}
