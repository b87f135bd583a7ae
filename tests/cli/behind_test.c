// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the IP stack loses behind a filter. Each script first shows the loss: of 20 messages in two
 * copies, of which B's come first, none arrives, or few do. Then it shows that `check` says so,
 * that the remedy it names helps, and that then `check` says nothing.
 */
#include "cli_runner.h"

#include <stdio.h>

/* Receives on UDP port 5568 until there is /mnt/sent and nothing waits; prints how many different
 * messages came. Arguments: socket options in Python's words, as in "join('10.9.0.2')".
 */
#define RECEIVER                                                                   \
	"import os,socket,sys\n"                                                   \
	"s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"                   \
	"at = ''\n"                                                                \
	"join = lambda a: s.setsockopt(0, 35, socket.inet_aton('239.255.0.1') + "  \
	"socket.inet_aton(a))\n"                                                   \
	"device = lambda d: s.setsockopt(1, socket.SO_BINDTODEVICE, d.encode())\n" \
	"buffer = lambda n: s.setsockopt(1, socket.SO_RCVBUF, n)\n"                \
	"late = []\n"                                                              \
	"for word in sys.argv[1:]: exec(word)\n"                                   \
	"s.bind((at, 5568)); s.settimeout(0.1); open('/mnt/ready', 'w')\n"         \
	"while late and not os.path.exists('/mnt/sent'): pass\n"                   \
	"seen = set()\n"                                                           \
	"while True:\n"                                                            \
	"	sent = os.path.exists('/mnt/sent')\n"                                    \
	"	try: seen.add(s.recv(2048))\n"                                           \
	"	except TimeoutError:\n"                                                  \
	"		if sent: break\n"                                                       \
	"print(len(seen))\n"

/* Sends messages to $TO, each by p1, and then by p0. Arguments: how many, and "tag" for VLAN 10. */
#define SENDER                                                                                   \
	"import socket,struct,sys,time\n"                                                        \
	"to = socket.inet_aton('239.255.0.1')\n"                                                 \
	"def frame(n):\n"                                                                        \
	"	body = time.time_ns().to_bytes(8, 'big') + n.to_bytes(4, 'big')\n"                     \
	"	udp = struct.pack('>HHHH', 7, 5568, 8 + len(body), 0) + body\n"                        \
	"	ip = bytearray(struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(udp), n, 0, 9, 17, 0,\n" \
	"		socket.inet_aton('10.9.0.1'), to))\n"                                                 \
	"	sum = 0\n"                                                                             \
	"	for i in range(0, 20, 2): sum += ip[i] << 8 | ip[i + 1]\n"                             \
	"	while sum >> 16: sum = (sum & 0xffff) + (sum >> 16)\n"                                 \
	"	ip[10:12] = (sum ^ 0xffff).to_bytes(2, 'big')\n"                                       \
	"	tag = b'\\x81\\0\\0\\x0a' if 'tag' in sys.argv else b''\n"                             \
	"	mac = b'\\1\\0\\x5e' + bytes((to[1] & 127, to[2], to[3])) + b'\\2\\0\\0\\0\\0\\1'\n"   \
	"	return mac + tag + b'\\x08\\0' + bytes(ip) + udp\n"                                    \
	"ways = [socket.socket(17, 3) for i in 'ba']\n"                                          \
	"for s, name in zip(ways, ('p1', 'p0')): s.bind((name, 0))\n"                            \
	"for n in range(int(sys.argv[1])):\n"                                                    \
	"	one = frame(n)\n"                                                                      \
	"	for s in ways: s.send(one)\n"

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
	"cat >/mnt/rx <<'END'\n" RECEIVER "END\ncat >/mnt/tx <<'END'\n" SENDER "END\n"                   \
	"far; ip link add v1 group 7 type veth peer name p1; ip link set p1 netns $far\n"                \
	"ip link set p0 netns $far; there ip link set p0 up; there ip link set p1 up\n"                  \
	"ip link set v0 up; ip link set v1 up\n"                                                         \
	"ip addr add 10.9.0.2/24 dev v0; ip addr add 10.9.0.3/24 dev v1\n"                               \
	"FILTER='--profile payload:5568@239.255.0.1 --name both'\n"                                      \
	"strict() { for i in all v0 v1; do echo $1 >/proc/sys/net/ipv4/conf/$i/rp_filter; done; }\n"     \
	"arrive() { rm -f /mnt/ready /mnt/sent; want=$1; shift; send=; while [ $1 != -- ]; do "          \
	"send=\"$send $1\"; shift; done; shift\n"                                                        \
	"	python3 /mnt/rx \"$@\" >/mnt/n & rx=$!; soon test -e /mnt/ready\n"                             \
	"	$XD check v0 v1 $FILTER >/mnt/check || :\n"                                                    \
	"	there python3 /mnt/tx $send; $XD status both --json >/mnt/status 2>&1 || :\n"                  \
	"	touch /mnt/sent; wait $rx; n=$(cat /mnt/n)\n"                                                  \
	"	[ $n $want ] || { echo \"$n arrived: not $want\"; cat /mnt/check; return 1; }; }\n"            \
	"says() { output=$(cat /mnt/check); has \"$1\"; }\n"                                             \
	"behind() { jq -e \".behind | $1\" /mnt/status || { jq -c .behind /mnt/status; return 1; }; }\n" \
	"advises() { output=$(jq -r '.advice[] | select(.key == \"behind\") | .text' /mnt/status)\n"     \
	"	has \"$1\"; }\n"                                                                               \
	"silent() { ! grep -E '^(note|problem) +(reverse_path|groups|sockets|vlans|buffers) ' "          \
	"/mnt/check && ! grep '\"key\": \"behind\"' /mnt/status; }\n"                                    \
	"strict 0\n"

#define BOTH "join('10.9.0.2')\" \"join('10.9.0.3')\""

static const struct cli_script SCRIPTS[] = {
	{ "reverse-path",
	  "strict 1; arrive '= 20' 20 -- \"" BOTH "\n"
	  "exits 1 $XD load v0 v1 $FILTER\n"
	  "has 'xdp-dedup: v1: the reverse path filter discards what its own network sends'\n"
	  "got $XD load v0 v1 $FILTER --force; has 'note: v1: the reverse path filter'\n"
	  "arrive '= 0' 20 -- \"" BOTH "\n"
	  "says 'problem  reverse_path v1'; says '-> sysctl -w net/ipv4/conf/v1/rp_filter=2'\n"
	  "advises 'v0: the reverse path filter discards what comes from other networks'\n"
	  "ip route add default via 10.9.0.9 dev v0; echo 2 >/proc/sys/net/ipv4/conf/v1/rp_filter\n"
	  "arrive '= 20' 20 -- \"" BOTH "; silent\n"
	  "ip route del default; arrive '= 20' 20 -- \"" BOTH "\n"
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
	  "$XD load v0 v1 $FILTER; arrive '= 0' 20 -- \"join('10.9.0.2')\"\n"
	  "says '239.255.0.1 is joined on v0 and not on v1'; advises 'joined on v0 and not on v1'\n"
	  "arrive '= 20' 20 -- \"" BOTH "; silent\n" },
	{ "an-ipv6-group-of-one-interface",
	  "cat >/mnt/join <<'END'\nimport socket, sys, time\n"
	  "s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.bind(('::', 5568))\n"
	  "for i in sys.argv[1:]: s.setsockopt(41, socket.IPV6_JOIN_GROUP,\n"
	  "	socket.inet_pton(10, 'ff05::1') + socket.if_nametoindex(i).to_bytes(4, sys.byteorder))\n"
	  "open('/mnt/ready', 'w'); time.sleep(99)\nEND\n"
	  "joined() { rm -f /mnt/ready; python3 /mnt/join $* & rx=$!; soon test -e /mnt/ready\n"
	  "	got $XD check v0 v1 --profile payload:5568@ff05::1; kill $rx; }\n"
	  "joined v0; has 'ff05::1 is joined on v0 and not on v1'\n"
	  "joined v0 v1; lacks 'and not on'\n" },
	{ "a-socket-of-one-interface",
	  "$XD load v0 v1 $FILTER; arrive '= 0' 20 -- \"" BOTH " \"device('v0')\"\n"
	  "says 'no socket gets what comes by v1, as python3 ('; says 'port 5568 to another'\n"
	  "arrive '= 20' 20 -- \"" BOTH "; silent\n" },
	{ "a-vlan-without-a-device", /* a kernel without VLAN devices has no remedy */
	  "FILTER=\"$FILTER --vlan 10\"; $XD load v0 v1 $FILTER\n"
	  "arrive '= 0' 20 tag -- \"" BOTH "; says 'there is no VLAN device on v1'\n"
	  "advises 'there is no VLAN device on v0'\n"
	  "ip link add link v0 name v0.10 type vlan id 10 || { kill $far; exit 0; }\n"
	  "ip link add link v1 name v1.10 type vlan id 10\n"
	  "for i in 0 1; do ip addr del 10.9.0.$((i + 2))/24 dev v$i\n"
	  "	ip addr add 10.9.0.$((i + 2))/24 dev v$i.10; ip link set v$i.10 up\n"
	  "	echo 0 >/proc/sys/net/ipv4/conf/v$i.10/rp_filter; done\n"
	  "arrive '= 20' 20 tag -- \"" BOTH "; silent\n" },
	{ "a-small-buffer",
	  "FILTER=\"$FILTER --capacity 20M --window 10s\"; $XD load v0 v1 $FILTER\n"
	  "arrive '-lt 200' 200 -- \"" BOTH " 'buffer(4096)' 'late = [1]'\n"
	  "says 'note     buffers'; says 'which is full after'; advises 'which is full after'\n"
	  "lost=$((200 - n)); behind \".sockets[0] | .port == 5568 and .dropped == $lost and\n"
	  "	.buffer_bytes == 8192 and (.program | startswith(\\\"python3 (\\\"))\"\n"
	  "jq -e '.advice[] | select(.key == \"full_buffer\")' /mnt/status\n"
	  "$XD set both --action count; $XD set both --action drop; $XD status both --json "
	  ">/mnt/status\n"
	  "behind \".host.no_room == $lost and .host.no_socket == 0\"\n"
	  "arrive '= 200' 200 -- \"" BOTH " 's.setsockopt(1, 33, 50000000)' 'late = [1]'; silent\n" },
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

int main(void)
{
	cli_environment();
	add_rows(SCRIPTS, run, cli_setup, cli_teardown);
	return run_added_tests("behind");
}
