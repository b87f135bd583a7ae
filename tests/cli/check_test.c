// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `check`: its findings about interfaces as users have them; that `load` then reports them, too;
 * and that nothing is changed.
 */
#include "cli_runner.h"

/* Words of these scripts:
 * asked CODE ARGS...       check with these ends so, in JSON, with nothing on stderr
 * says CHECK IFNAME TEXT   its finding, as VERDICT: FOUND -> ADVICE, has this in it; - is no interface
 * values CHECK IFNAME TEXT its values, as an object, have this in them
 * same ARGS...             load fails, by the words of check's first problem
 * notes ARGS...            load works, by saying this note: the words of the check $1
 * notes_of CHECK IFNAME ARGS...  notes, for a check of this interface, on which load runs
 */
static const char WORDS[] =
	"asked() { want=$1; shift; code=0; $XD check \"$@\" --json >/mnt/j 2>/mnt/e || code=$?\n"
	"	[ $code = $want ] || { cat /mnt/j /mnt/e; return 1; }; [ ! -s /mnt/e ]; }\n"
	"says() { output=$(jq -r --arg c $1 --arg i \"${2#-}\" '.checks[] | select(.check == $c "
	"and\n"
	"	(.interface // \"\") == $i) | .verdict + \": \" + .found + \" -> \" + .advice' "
	"/mnt/j)\n"
	"	has \"$3\"; }\n"
	"values() { output=$(jq -c --arg c $1 --arg i \"${2#-}\" '.checks[] | select(.check == $c "
	"and (.interface // \"\") == $i) | .values' /mnt/j); has \"$3\"; }\n"
	"first() { jq -r --arg v $1 '[.checks[] | select(.verdict == $v)][0] |\n"
	"	.found + if .advice then \"; \" + .advice else \"\" end' /mnt/j; }\n"
	"same() { words=$(first problem); fails \"$words\" $XD load \"$@\"\n"
	"	is \"xdp-dedup: $words\"; }\n"
	"notes() { says $1 - 'note: '; words=${output#note: }; words=${words%% -> *}; shift\n"
	"	got $XD load \"$@\"; has \"xdp-dedup: note: $words\"; $XD unload --all; }\n"
	"notes_of() { says $1 $2 'note: '; words=${output#note: }; words=${words%% -> *}; shift\n"
	"	got $XD load \"$@\"; has \"xdp-dedup: note: $words\"; $XD unload --all; }\n";

static const struct cli_script SCRIPTS[] = {
	{ "a-plain-veth", "asked 0 v0\n"
			  "says rights - 'ok: this process may load'; says size - 'ok: '\n"
			  "says jit - 'ok: BPF programs are compiled'; says lock - 'ok: '\n"
			  "says kernel - 'ok: Linux '; has 'timers and loops, frags'\n"
			  "says name - 'ok: no filter is called v0'; says memory - 'ok: the filter '\n"
			  "says interface v0 'ok: '; says programs v0 'ok: no XDP program'\n"
			  "says ethernet v0 'ok: '; says merging v0 'ok: '; says stacking - 'ok: '\n"
			  "says mtu v0 'ok: MTU 1500: packets take one'; says lro v0 'ok: '\n"
			  "says layers v0 'ok: nothing is on top'; says forwarding - 'ok: '\n"
			  "says ports - 'ok: '; says vlan_tags - 'ok: '; says window - 'ok: '\n"
			  "says driver v0 'driver veth'; says bpffs - 'ok: pins last'\n" },
	{ "of-several-each-is-looked-at",
	  "asked 0 v0 p0; says programs v0 ok; says programs p0 ok; says queues p0 queue\n"
	  "says stacking - 'none of them'\n" },
	{ "json-is-one-object",
	  "asked 1 v0 nope; [ \"$(jq -c keys /mnt/j)\" = '[\"checks\",\"load_fails\",\"worst\"]' "
	  "]\n"
	  "[ $(jq -s length /mnt/j) = 1 ]; [ $(jq .load_fails /mnt/j) = true ]\n"
	  "[ $(jq -r .worst /mnt/j) = problem ]\n"
	  "[ \"$(jq -c '[.checks[] | keys] | unique' /mnt/j)\" = \\\n"
	  "	'[[\"advice\",\"check\",\"found\",\"interface\",\"values\",\"verdict\"]]' ]\n"
	  "[ \"$(jq -c '[.checks[].verdict] | unique - [\"ok\", \"note\", \"unknown\", "
	  "\"problem\"]' /mnt/j)\" = '[]' ]\n"
	  "not jq -e '.checks[].check | select(test(\"^[a-z_]+$\") | not)' /mnt/j\n"
	  "not jq -e '.checks[] | select(.found == \"\" or .advice == \"\")' /mnt/j\n"
	  "asked 0 v0; [ $(jq .load_fails /mnt/j) = false ]\n" },
	{ "values-are-for-programs",
	  "asked 0 v0 --capacity 2K; values kernel - \"{\\\"kernel_release\\\":\\\"$(uname "
	  "-r)\\\"}\"\n"
	  "values jit - '{\"jit\":true}'; values size - '{\"capacity_ids\":2000,"
	  "\"window_ns\":600000000000}'\n"
	  "values mtu v0 '{\"mtu_bytes\":1500,\"one_buffer_mtu_bytes\":3498}'\n"
	  "values lro v0 '{\"lro\":false}'; values stacking - '{}'; values driver v0 "
	  "'\"driver\":\"veth\"'\n"
	  "values memory - \"$($XD size --json --capacity 2K | jq "
	  ".filter_bytes),\\\"available_bytes\"\n"
	  "values links - \"{\\\"interfaces\\\":$(ip -o link | wc -l)}\"; values window - '{}'\n"
	  "values dispatcher - '{}'\n"
	  "case $(uname -r) in 6.1.*) ;; *) values driver v0 '\"native_xdp\":true,"
	  "\"xdp_frags\":true,\"xdp_redirect\":true,\"xdp_zero_copy\":false,\"xdp_offload\":false'"
	  "\n"
	  "	asked 0 b0; values driver b0 '\"native_xdp\":false,\"xdp_frags\":false'; esac\n"
	  "asked 0 v0 --profile payload:80; values window - '{\"fitting_window_ns\":1000000000}'\n" },
	{ "text-has-a-line-each",
	  "exits 1 $XD check v0 nope; has 'ok       rights '; has 'load would fail: '\n"
	  "has '\nproblem  interface  nope     there is no interface nope here\n'\n"
	  "has ' -> ip link shows those there are\n'; got $XD check v0; has 'load should work: '\n"
	  "has ', 0 problems'\n" },
	{ "nothing-is-changed",
	  "[ ! -e $PINS ]; before=$(ls -R /sys/fs/bpf; ip -d link; cat /proc/mounts)\n"
	  "asked 0 v0; [ ! -e $PINS ]; idle v0\n"
	  "[ \"$before\" = \"$(ls -R /sys/fs/bpf; ip -d link; cat /proc/mounts)\" ]\n" LOAD
	  "; before=$(ls -R /sys/fs/bpf; ip -d link); asked 1 v0 p0\n"
	  "[ \"$before\" = \"$(ls -R /sys/fs/bpf; ip -d link)\" ]; $XD status v0\n" },
	{ "native-xdp-is-told-where-the-kernel-can",
	  "asked 0 v0 b0; case $(uname -r) in\n"
	  "6.1.*) says driver v0 'unknown: driver veth; whether it has native XDP cannot be told'\n"
	  "	asked 0 b0 --mode native; says driver b0 'unknown: ';;\n"
	  "*) says driver v0 'ok: driver veth: native XDP, frags, redirect'\n"
	  "	says driver b0 'note: b0 has no native XDP (Operation not supported): skb mode "
	  "is'\n"
	  "	asked 1 b0 --mode native; says driver b0 'problem: cannot attach to b0 in native'\n"
	  "	same b0 --port 80 --mode native; asked 0 v0 --mode native\n"
	  "	asked 1 v0 --mode hw; fails 'cannot attach to v0 in hw' $XD load v0 --port 80 "
	  "--mode hw;; esac\n"
	  "asked 0 b0 --mode skb; says driver b0 'ok: '\n" },
	{ "the-dispatcher-is-told-by-trying",
	  "asked 0 v0; says dispatcher - 'ok: the filter is alone'; asked 0 v0 --share\n"
	  "if values dispatcher - true; then says dispatcher - 'ok: libxdp'\n"
	  "else says dispatcher - 'note: libxdp'; fi\n" },
	{ "mtu-of-9000-takes-frags",
	  "ip link set v0 mtu 9000; asked 0 v0; case $(uname -r) in 6.1.*) says mtu v0 'unknown: "
	  "';;\n"
	  "*) says mtu v0 'ok: MTU 9000: packets take several buffers (frags), which the driver';; "
	  "esac\n"
	  "asked 0 v0 --mode skb; says mtu v0 'ok: MTU 9000: packets take one'\n"
	  /* A driver with native XDP and no frags. */
	  "ip tuntap add dev t0 mode tap; ip link set t0 mtu 9000; asked 0 t0 v0\n"
	  "case $(uname -r) in 6.1.*) ;; *) says mtu t0 'note: t0 has an MTU of 9000, and its'\n"
	  "	has '-> ip link set dev t0 mtu 34';; esac; ip link del t0\n"
	  "ip link set v0 mtu 3400; asked 0 v0; says mtu v0 'one buffer'\n" },
	{ "without-frags-an-mtu-has-a-limit",
	  "ip tuntap add dev t0 mode tap; asked 0 t0\n"
	  "case $(uname -r) in 6.1.*) ;; *) says mtu t0 'ok: MTU 1500: packets take one buffer; "
	  "above 34';; esac; ip link del t0\n" },
	{ "the-driver-says-why-it-refuses",
	  "ip link add w0 group 7 numrxqueues 1 type veth peer name w1 group 7 numtxqueues 4\n"
	  "ip link set w0 up; ip link set w1 up; ethtool -L w1 tx 4\n"
	  "got $XD load w0 --port 80; has 'w0 has no native XDP (veth: XDP expects number of rx'\n"
	  "$XD unload w0; fails 'native mode (veth: XDP expects number of rx queues not less' "
	  "$XD load w0 --port 80 --mode native\n" },
	{ "fewer-queues-than-cpus",
	  "[ $(nproc) -gt 1 ] || exit 0; ip link add w0 numrxqueues 2 numtxqueues 2 group 7 type "
	  "veth \\\n"
	  "	peer name q0 group 7\n"
	  "ethtool -L w0 rx 1; asked 0 w0; says queues w0 'note: w0 has 1 RX queue, and'\n"
	  "has '-> if they are too few: ethtool -L w0 combined 2 (or rx 2)'\n"
	  "values queues w0 "
	  "\"{\\\"rx_queues\\\":1,\\\"rx_queues_max\\\":2,\\\"cpus\\\":$(nproc)}\"\n"
	  "ethtool -L w0 rx 2; asked 0 w0; says queues w0 'ok: RX queues: 2, of 2'\n"
	  "asked 0 b0; says queues b0 'unknown: '\n" },
	{ "more-queues-than-sockets",
	  "ip link add w0 numrxqueues 63 numtxqueues 63 group 7 type veth peer name q0 group 7\n"
	  "ip link add w1 numrxqueues 2 numtxqueues 2 group 7 type veth peer name q1 group 7\n"
	  "asked 0 w0 --deliver xsk; says delivery - 'ok: '; asked 0 w0 w1; says delivery - 'ok: "
	  "'\n"
	  "asked 0 w0 w1 --deliver xsk; says delivery - 'note: there are 65 RX queues, and 64 of "
	  "them can have AF_XDP sockets: fresh packets of the others go to the stack'\n"
	  "has '-> ethtool -L makes them fewer'\n" },
	{ "another-program",
	  "ip link set v0 xdpdrv pinned $OTHER; asked 1 v0\n"
	  "says programs v0 'problem: v0 runs another XDP program (id '; has 'xdp off'\n"
	  "same v0 --port 80; ip link set v0 xdpdrv off\n" },
	{ "a-filter-of-ours", LOAD
	  "; asked 1 v0; says programs v0 'v0 already runs the filter v0 -> xdp-dedup set, "
	  "resize'\n"
	  "says name - 'problem: the filter v0 is loaded already -> xdp-dedup set'; asked 1 v0 --name x\n"
	  "says name - ok; same v0 --port 80 --name x; asked 1 p0 --name v0; same p0 --port 80 "
	  "--name v0\n"
	  "asked 0 p0\n" },
	{ "what-a-running-filter-needs",
	  LOAD " --mode skb; asked 1 v0; says running - 'note: v0 runs it in skb mode'\n"
	       "asked 0 p0; ! says running - note\n" },
	{ "pins-that-are-left", LOAD
	  "; mkdir $PINS/x; asked 0 p0 --name x; says name - 'note: there are pins of a filter x'\n"
	  "rmdir $PINS/x; asked 0 p0 --name x; says name - ok\n" },
	{ "directories-that-others-may-change", LOAD
	  "; chmod 777 $PINS; asked 1 p0; says lock - 'problem: /sys/fs/bpf/xdp-dedup could be'\n"
	  "same p0 --port 80; chmod 700 $PINS; chmod 755 $PINS-lock; asked 1 p0\n"
	  "same p0 --port 80; chmod 700 $PINS-lock; asked 0 p0\n" },
	{ "another-one-is-changing-filters", LOAD
	  "; flock $PINS-lock sh -c 'echo $$ >/mnt/p; exec sleep 60' >/dev/null 2>&1 &\n"
	  "until [ -s /mnt/p ]; do sleep 0.01; done; asked 0 p0\n"
	  "says lock - \"note: another xdp-dedup (process $!) is changing filters: load waits\"\n"
	  "kill $(cat /mnt/p); wait || :; rm /mnt/p; asked 0 p0; says lock - ok\n" },
	{ "interfaces-that-are-not-there",
	  "asked 1 nope; says interface nope 'problem: there is no interface nope here -> ip "
	  "link'\n"
	  "same nope --port 80; asked 1 v0 nope; says programs v0 ok; not says programs nope :\n"
	  "asked 1 v0 v0; says interface v0 'problem: v0 is named twice'; exits 2 $XD load v0 v0 "
	  "--port 80; has 'v0 is named twice'\n" },
	{ "a-port-and-its-bridge",
	  "ip link set v0 master b0; asked 1 v0 b0\n"
	  "says stacking - 'problem: b0 is on top of v0: a packet would meet the filter twice'\n"
	  "same v0 b0 --port 80; same b0 v0 --port 80; clean\n"
	  "asked 0 v0; says layers v0 'ok: on top of it: b0'\n"
	  "asked 0 b0; says layers b0 'note: b0 is on top of v0, where the filter would run'\n" },
	{ "a-vlan-on-a-bond",
	  "ip link add bo0 group 7 type bond && ip link set v0 master bo0 && ip link add vl0 link "
	  "bo0 \\\n"
	  "	group 7 type vlan id 5 || exit 0\n" /* this kernel has none */
	  "asked 1 v0 vl0; says stacking - 'problem: vl0 is on top of v0'; same v0 vl0 --port 80\n"
	  "asked 0 v0; says layers v0 'bo0, vl0'; asked 0 vl0; says layers vl0 'note: vl0 is on "
	  "top'\n"
	  "ip link del vl0; ip link del bo0\n" },
	{ "a-device-below-that-merges",
	  "ip link set v0 master b0; ethtool -K v0 gro on rx-udp-gro-forwarding on; asked 1 b0\n"
	  "says merging b0 'problem: v0 merges UDP packets before b0'; has 'ethtool -K v0'\n"
	  "same b0 --port 80; asked 0 v0; says merging v0 ok\n" },
	{ "tunnel-devices",
	  "asked 0 v0; says tunnels v0 'ok: no tunnel device takes'\n"
	  "ip link add x0 group 7 type vxlan id 1 dev v0 dstport 4789 || exit 0\n"
	  "asked 0 v0; says tunnels v0 'ok: no tunnel device takes'; ip link set x0 up\n"
	  "asked 0 v0; says tunnels v0 'ok: x0 takes packets out of tunnels behind the filter'\n"
	  "asked 0 v0 --tunnels gre; says tunnels v0 'ok: x0 takes'\n"
	  "asked 0 p0 --tunnels vxlan; says tunnels p0 'ok: no tunnel device takes'\n"
	  "asked 0 v0 --profile mirror --tunnels vxlan\n"
	  "says tunnels v0 'note: x0 gets tunnels behind the filter, which opens them'\n"
	  "has '-> if that is not wanted, name with --outer-to'\n"
	  "notes_of tunnels v0 --profile mirror --tunnels vxlan\n"
	  "asked 0 v0 --profile mirror --tunnels vxlan --outer-to 192.0.2.7\n"
	  "says tunnels v0 'ok: x0 gets tunnels behind the filter, which opens those to'\n"
	  "ip link del x0\n" },
	{ "outer-to-that-opens-nothing",
	  "for kinds in mpls pppoe mpls,pppoe,vlan; do\n"
	  "  asked 0 v0 --profile mirror --tunnels $kinds --outer-to 192.0.2.7\n"
	  "  says tunnels v0 'note: with --outer-to no tunnel of these kinds is opened'\n"
	  "done; notes_of tunnels v0 --profile mirror --tunnels mpls --outer-to 192.0.2.7\n"
	  "for options in '--tunnels mpls' '--tunnels vlan --outer-to 192.0.2.7' \\\n"
	  "    '--tunnels gre,mpls --outer-to 192.0.2.7'; do\n"
	  "  asked 0 v0 --profile mirror $options; says tunnels v0 'ok: no tunnel device takes'\n"
	  "done\n" },
	{ "on-a-tunnel-device",
	  "ip link add x0 group 7 type vxlan id 1 dev v0 dstport 4789 || exit 0; ip link set x0 up\n"
	  "asked 0 x0; says tunnels x0 'note: x0 is a tunnel device: it gets packets as skbs, and'\n"
	  "has 'their tunnels -> load the filter on v0, with --tunnels vxlan: it then drops'\n"
	  "asked 0 x0 --tunnels vxlan; says tunnels x0 ', so --tunnels finds only a tunnel inside of'\n"
	  "asked 0 x0 --tunnels gre; says tunnels x0 'out of their tunnels -> load'\n"
	  "notes_of tunnels x0 --profile mirror; ip link del x0\n"
	  "ip link add x0 group 7 type vxlan id 1 dstport 4789 || exit 0; ip link set x0 up\n"
	  "asked 0 x0; says tunnels x0 'load the filter on the interface by which the tunnels come'\n"
	  "ip link del x0\n" },
	/* A packet in a tunnel that is opened on v0 meets the filter on x0 again. */
	{ "a-tunnel-device-and-its-carrier",
	  "ip link add x0 group 7 type vxlan id 1 dev v0 dstport 4789 || exit 0; ip link set x0 up\n"
	  "asked 1 v0 x0 --profile mirror --tunnels vxlan\n"
	  "says stacking - 'problem: x0 takes packets out of tunnels that come by v0, where'\n"
	  "has '-> load v0 alone'; same v0 x0 --profile mirror --tunnels vxlan; clean\n"
	  "asked 1 x0 v0 --profile mirror --tunnels all; same x0 v0 --profile mirror --tunnels all\n"
	  "asked 0 v0 x0 --profile mirror; asked 0 v0 x0 --profile mirror --tunnels gre\n"
	  "asked 0 p0 x0 --profile mirror --tunnels vxlan\n"
	  "$XD load v0 x0 --profile mirror\n"
	  "$XD set v0 --tunnels gre\n"
	  "fails 'x0 takes packets out of tunnels that come by v0' $XD set v0 --tunnels vxlan\n"
	  "$XD unload --all; ip link del x0\n" },
	{ "a-tunnel-device-and-any-interface",
	  "ip link add x0 group 7 type vxlan id 1 dstport 4789 || exit 0; ip link set x0 up\n"
	  "asked 1 v0 x0 --profile mirror --tunnels vxlan\n"
	  "says stacking - 'problem: x0 takes packets out of tunnels that come by v0, where'\n"
	  "$XD load v0 x0 --profile mirror\n"
	  "fails 'x0 takes packets out of tunnels that come by v0' $XD set v0 --tunnels vxlan\n"
	  "fails 'x0 takes packets out of tunnels that come by v0' $XD load --replace v0 x0 \\\n"
	  "	--profile mirror --tunnels vxlan\n"
	  "$XD set v0 --tunnels gre; $XD unload --all; ip link del x0\n" },
	{ "no-ethernet", "ip tuntap add dev t0 mode tun; asked 1 t0; says ethernet t0 'problem: "
			 "packets of t0 have'\n"
			 "same t0 --port 80; ip link del t0\n" },
	{ "a-host-that-forwards",
	  "trap 'echo 0 >/proc/sys/net/ipv4/ip_forward' EXIT; echo 1 "
	  ">/proc/sys/net/ipv4/ip_forward\n"
	  "asked 0 v0\n"
	  "says forwarding - 'note: this host forwards packets: those for others'; has '-> --to '\n"
	  "notes forwarding v0 --port 80; asked 0 v0 --to 10.0.0.1; says forwarding - ok\n"
	  "asked 0 v0 --forwarded; says forwarding - ok\n" },
	{ "what-options-imply",
	  "asked 0 v0 --port 80,90; notes ports v0 --port 80,90; notes ports v0 --port 80-81\n"
	  "ethtool -K v0 rxvlan on; asked 0 v0 --profile r-tag; notes vlan_tags v0 --profile "
	  "r-tag\n"
	  "asked 0 v0 --vlan 7; notes vlan_tags v0 --port 80 --vlan 7; asked 0 v0 --vlan any\n"
	  "says vlan_tags - 'ok: the filter does not go by VLAN tags'\n"
	  "ethtool -K v0 rxvlan off; asked 0 v0 --profile r-tag; says vlan_tags - 'ok: VLAN tags'\n"
	  "asked 0 v0 --profile payload:80 --window 1h\n"
	  "notes window v0 --profile payload:80 --window 1h\n"
	  "asked 0 v0 --profile payload:80; says window - 'ok: a window of '; has fits\n"
	  "asked 0 v0 --for 8h\n" },
	{ "too-little-memory",
	  "asked 1 v0 --capacity $HUGE --fpr 0.01 --window 720h\n"
	  "says memory - 'problem: the filter takes '; has '-> lower --capacity or raise --fpr'\n"
	  /* What is free changes. */
	  "fails 'of memory are free; lower --capacity' $XD load v0 --port 80 --capacity $HUGE \\\n"
	  "	--fpr 0.01 --window 720h\n" },
	{ "filters-that-cannot-be",
	  "asked 1 v0 --capacity 1G --window 100ms; says size - 'problem: --window 100ms is too'\n"
	  "same v0 --port 80 --capacity 1G --window 100ms; not says memory - .\n"
	  "asked 1 v0 --layout countdown --capacity 1M; same v0 --port 80 --layout countdown "
	  "--capacity 1M\n" },
	{ "delivery",
	  "asked 0 v0; says delivery - 'ok: fresh packets go to the stack'; says redirect v0 'ok: "
	  "fresh'\n"
	  "asked 0 v0 --deliver xsk; says delivery - 'ok: this kernel has AF_XDP sockets; the maps "
	  "for them take 12.6 MB'; values delivery - '{\"delivery_bytes\":12591104}'\n"
	  "case $(uname -r) in 6.1.*) says redirect v0 'unknown: ';;\n"
	  "*) says redirect v0 'ok: packets can go to AF_XDP sockets: they are copied'\n"
	  "	asked 0 b0 --deliver xsk; says redirect b0 'note: b0 delivers in skb mode: ';; "
	  "esac\n"
	  "asked 0 v0 --deliver xsk --mode skb; notes_of redirect v0 --port 80 --deliver xsk "
	  "--mode skb\n"
	  "asked 1 v0 --deliver xsk --mode hw; says redirect v0 'problem: v0 has no AF_XDP sockets "
	  "in hw mode'; has '-> --mode native'\n"
	  "fails 'v0 has no AF_XDP sockets in hw mode' $XD load v0 --port 80 --deliver xsk --mode "
	  "hw; clean\n"
	  "asked 0 v0 --profile a=gsp:1 --profile b=gsp:2 --deliver xsk:b; says delivery - 'take "
	  "12.6 MB'\n" },
	{ "misuse",
	  "exits 2 $XD check; exits 2 $XD check v0 --profile rtp; has 'lacks UDP ports'\n"
	  "exits 2 $XD check v0 --name .; has '--name .: 1 to 32'; exits 2 $XD check v0 --all\n"
	  "exits 2 $XD check v0 --for 1h --action count; exits 2 $XD check v0 --json --port 0\n"
	  "got $XD check --help; has 'usage: xdp-dedup check IFNAME'; has '--json'; has '--mode'\n"
	  "lacks 'Needs root'\n" },
	/* What it cannot see it does not take for good, nor for bad. */
	{ "by-nobody", LOAD
	  "; code=0; $NOBODY check p0 --name v0 --json >/mnt/j 2>/mnt/e || code=$?; [ $code = 1 ]\n"
	  "[ ! -s /mnt/e ]; says rights - 'problem: not permitted: load needs CAP_BPF and'\n"
	  "[ \"$(jq -c '[.checks[] | select(.verdict == \"problem\").check]' /mnt/j)\" = "
	  "'[\"rights\"]' ]\n"
	  "fails \"$(first problem)\" $NOBODY load p0 --port 80\n"
	  "for c in kernel jit lock name; do says $c - 'unknown: '; done\n"
	  "says mtu p0 'ok: '; says forwarding - 'ok: '; says driver p0 'driver veth'\n" },
	{ "a-bpffs-that-load-mounts",
	  "unshare --pid --fork --mount-proc sh -ec 'while umount /sys/fs/bpf; do :; done\n"
	  "	mounts() { grep -c /sys/fs/bpf /proc/mounts || :; }; n=$(mounts)\n"
	  "	$XD check v0 --json >/mnt/j; [ $(mounts) = $n ]'\n"
	  "says bpffs - 'note: there is no BPF file system at /sys/fs/bpf: load mounts one'\n"
	  "[ $(jq .load_fails /mnt/j) = false ]\n" },
	{ "a-bpffs-that-cannot-be-had",
	  "unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf\n"
	  "	unshare --mount $XD check v0 --json >/mnt/j; [ $? = 1 ]'\n"
	  "says bpffs - 'problem: there is no bpffs at /sys/fs/bpf in this mount namespace'\n"
	  "fails \"$(first problem)\" unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf\n"
	  "	unshare --mount " LOAD "; exit $?'\n" },
};

int main(void)
{
	cli_environment();
	cli_words = WORDS;
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("check");
}
