// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `run` as whoever starts it meets it, systemd or a person: what the file says is loaded, stays
 * loaded, and follows the file; whatever becomes of the service, the filter goes on.
 */
#include "cli_runner.h"

#include <sys/un.h>

#include "late_hand.h"

/* $SYSTEMD FILE: takes what is sent to the socket /mnt/notify, as systemd does, and adds it to the
 * file, a line each; until it is killed.
 */
static int take_notes(char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "/mnt/notify" };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	FILE *to = fopen(argv[2], "we");
	char note[4096];
	ssize_t len;

	unlink(at.sun_path);
	if (fd < 0 || !to || bind(fd, (void *)&at, sizeof(at)))
		return 1;
	setvbuf(to, NULL, _IOLBF, 0);
	while ((len = recv(fd, note, sizeof(note) - 1, 0)) >= 0)
		fprintf(to, "%.*s\n", (int)len, note);
	return 1;
}

/* Beside cli_runner.h's:
 * conf LINE...     is the file
 * more LINE...     is added to it
 * serve [ENV=...]  starts the service, with $opt, and waits until it is ready; it ends with the test
 * quits SIGNAL     ends it by that one
 * exited STATUS    it has ended, with this status
 * reload           has it read the file, and waits until it has
 * told TEXT        it has told systemd this, within a while; logs TEXT: its log has it
 * soon COMMAND     succeeds, within a while
 * read_once        it has filters open
 * prog             the id of the program on v0
 * $LATE NS         delays the next step of feed's hand by this time
 */
static const char WORDS[] =
	"s= n= x= opt=; trap 'for p in $s $n $x; do kill -9 $p; done 2>/dev/null || :' EXIT\n"
	"conf() { printf '%s\\n' \"$@\" >/mnt/conf; }; more() { printf '%s\\n' \"$@\" "
	">>/mnt/conf; }\n"
	"soon() { for i in $(seq 600); do if \"$@\"; then return; fi; sleep 0.05; done "
	"2>/dev/null\n"
	"	echo \"NOT SOON: $*\"; tail -n 20 /mnt/log /mnt/notes; return 1; }\n"
	"told() { soon grep -q -e \"$1\" /mnt/notes; }\n"
	"logs() { soon grep -q -e \"$1\" /mnt/log; }\n"
	"start() { [ -z \"$n\" ] || kill -9 $n; rm -f /mnt/notify /mnt/notes; $SYSTEMD "
	"/mnt/notes & n=$!\n"
	"	soon test -S /mnt/notify; : >/mnt/log\n"
	"	env NOTIFY_SOCKET=/mnt/notify STATE_DIRECTORY=/mnt/state RUNTIME_DIRECTORY=/mnt/run "
	"\"$@\" $XD run $opt --config /mnt/conf >/mnt/log 2>&1 & s=$!; }\n"
	"serve() { start \"$@\"; told READY=1; }\n"
	"exited() { code=0; wait $s || code=$?; s=; [ $code = $1 ] || { cat /mnt/log; return 1; "
	"}; }\n"
	"quits() { kill -$1 $s; exited 0; told STOPPING=1; }\n"
	"ready() { [ $(grep -c READY=1 /mnt/notes) -ge $1 ]; }\n"
	"reload() { r=$(($(grep -c READY=1 /mnt/notes) + 1)); kill -HUP $s; soon ready $r; }\n"
	"read_once() { ls -l /proc/$s/fd | grep -q bpf-map; }\n"
	"prog() { ip -j link show v0 | jq -r '.[0].xdp.prog.id'; }\n"
	"says() { [ \"$($XD status $1 --json | jq -r \".$2\")\" = \"$3\" ]; }\n"
	"mkdir -p /mnt/state; rm -f /mnt/state/*\n";

#define OFTEN "'[service]' 'metrics-every = 100ms' " /* the file is /mnt/run/conf.prom */
#define NONE "'[service]' 'filters = none'"
#define FEED "'[filter feed]' 'interfaces = v0' 'port = 8001'"

static const struct cli_script SCRIPTS[] = {
	{ "loads-what-the-file-says",
	  "conf " FEED " 'capacity = 30k' 'window = 1m' 'action = count'; serve; runs v0\n"
	  "says feed capacity 30000; says feed window_ns 60000000000; says feed action count\n"
	  "told 'STATUS=feed: v0$'; logs '^feed: v0$'; quits TERM; runs v0; $XD unload v0\n" },
	{ "picks-up-what-it-left",
	  "conf " FEED "; serve; $XD add feed " ID_A "; p=$(prog)\n"
	  "quits TERM; [ $(prog) = $p ]; serve; [ $(prog) = $p ]; $XD test feed " ID_A "\n"
	  "quits INT; [ $(prog) = $p ]; got cat /mnt/log; lacks replaced\n" },
	{ "picks-up-after-a-kill", "conf " FEED "; serve; $XD add feed " ID_A "; p=$(prog)\n"
				   "kill -9 $s; exited 137; [ $(prog) = $p ]; $XD test feed " ID_A "\n"
				   "serve; [ $(prog) = $p ]; $XD test feed " ID_A "; quits TERM\n" },
	/* As in a container of another image: what the file says is what runs already. */
	{ "replace-gives-this-versions-program",
	  "conf " FEED "; serve; $XD add feed " ID_A "; quits TERM; p=$(prog); opt=--replace; serve\n"
	  "[ $(prog) != $p ]; logs 'feed: replaced'; $XD test feed " ID_A "; p=$(prog)\n"
	  "reload; [ $(prog) = $p ]; quits TERM; conf " FEED " '[filter late]' 'interfaces = x0' "
	  "'port = 1'\n"
	  "serve; ip link add x0 group 7 type veth peer name x1 group 7; soon runs x0; quits TERM\n"
	  "$XD test feed " ID_A "\n" },
	{ "takes-over-what-was-loaded-by-hand",
	  "conf " FEED " 'capacity = 30k'; $XD load v0 --name feed --port 8001,8002\n"
	  "$XD add feed " ID_A "; serve; says feed capacity 30000; says feed 'ports|length' 1\n"
	  "$XD test feed " ID_A "; quits TERM\n" },
	{ "interface-that-comes-later",
	  "conf '[filter late]' 'interfaces = x0' 'port = 8001' " FEED "; serve\n"
	  "told 'late: waits for x0; feed: v0'; not $XD status late; runs v0\n"
	  "ip link add x0 group 7 type veth peer name x1 group 7; soon runs x0\n"
	  "told 'late: x0; feed: v0'; quits TERM; $XD status late >/mnt/said\n" },
	{ "interface-that-comes-back",
	  "conf " FEED "; serve; soon read_once; $XD add feed " ID_A
	  "; p=$(prog); ip link del v0; told 'waits for v0'\n"
	  "$XD test feed " ID_A "; ip link add v0 group 7 type veth peer name p0 group 7\n"
	  "soon runs v0; $XD test feed " ID_A "; soon says feed 'interfaces|length' 1\n"
	  "logs 'feed: runs on v0 again'; [ $(prog) = $p ]; got $XD status feed; lacks refresh; quits TERM\n" },
	{ "interface-that-comes-back-while-filters-are-changed",
	  "conf " FEED "; serve; ip link del v0; told 'waits for v0'; flock $PINS-lock sleep 300 & x=$!\n"
	  "held() { ! flock --nonblock $PINS-lock true; }; soon held\n"
	  "ip link add v0 group 7 type veth peer name p0 group 7; one() { pgrep -P $s; }; soon one\n"
	  "idle v0; pkill -P $x; wait $x || :; x=; soon runs v0; quits TERM\n" },
	{ "a-job-only-for-interfaces-of-filters",
	  "conf " FEED "; serve; soon read_once\n"
	  "flock $PINS-lock sleep 300 & x=$!; held() { ! flock --nonblock $PINS-lock true; }; soon held\n"
	  "ip link add x0 group 7 type veth peer name x1 group 7; sleep 0.5; not pgrep -P $s\n"
	  "ip link set v0 address 02:00:00:00:00:99; one() { pgrep -P $s; }; soon one\n"
	  "pkill -P $x; wait $x || :; x=; quits TERM\n" },
	{ "interfaces-changed-by-hand-stay-so",
	  "conf '[filter feed]' 'interfaces = v0 b0' 'port = 8001'; serve; runs v0; $XD unload b0\n"
	  "ip link add x0 group 7 type veth peer name x1 group 7; $XD set feed --add x1; ip link del v0\n"
	  "ip link add v0 group 7 type veth peer name p0 group 7; soon runs v0; idle b0; runs x1\n"
	  "reload; runs b0; idle x1; quits TERM; ip link del x0\n" },
	{ "interface-by-another-name",
	  "conf '[filter feed]' 'interfaces = other' 'port = 8001'; serve\n"
	  "ip link property add dev v0 altname other; ip link set v0 up; soon runs v0; quits TERM\n" },
	{ "another-filter-runs-on-the-interface-of-its-name",
	  "$XD load v0 --name gossip --port 80; conf '[filter v0]' 'interfaces = v0' 'port = 81'\n"
	  "serve; logs 'v0 already runs the filter'; got $XD status; has 'gossip: GSP/1 on UDP port 80'\n"
	  "$XD unload v0; quits TERM\n" },
	{ "reload-changes-a-capacity",
	  "conf " FEED "; serve; $XD add feed " ID_A "; more 'capacity = 50k'; reload\n"
	  "told RELOADING=1; told MONOTONIC_USEC=; says feed capacity 50000\n"
	  "$XD test feed " ID_A "; quits TERM; runs v0\n" },
	{ "reload-changes-what-packets-are-looked-at",
	  "conf " FEED "; serve; $XD add feed " ID_A "\n"
	  "conf '[filter feed]' 'interfaces = v0 b0' 'port = 8001,8003' 'action = count' 'ihave = "
	  "pass'\n"
	  "reload; says feed 'ports|length' 2; says feed action count; runs b0\n"
	  "$XD test feed " ID_A "; conf " FEED "; reload; says feed 'ports|length' 1; idle b0\n"
	  "says feed action drop; $XD test feed " ID_A "; quits TERM\n" },
	{ "interfaces-change-without-end",
	  "conf '[filter late]' 'interfaces = x0' 'port = 8001'; serve\n"
	  "ip link add x0 group 7 type veth peer name x1 group 7; runs x0 || late=1\n"
	  "while [ -d /sys/class/net/v0 ]; do ip link set b0 alias a; ip link set b0 alias b; done "
	  "& x=$!\n"
	  "ip link del x0; sleep 0.3; ip link add x0 group 7 type veth peer name x1 group 7\n"
	  "soon runs x0; kill $x; wait $x || :; x=; quits TERM\n" },
	{ "reload-of-a-wrong-file",
	  "conf " FEED "; serve; p=$(prog); more 'capacity = many'; reload\n"
	  "logs 'conf:4: capacity many'; logs 'stays as it was'; [ $(prog) = $p ]\n"
	  "rm /mnt/conf; reload; logs 'cannot read'; [ $(prog) = $p ]; quits TERM; runs v0\n" },
	{ "changed-while-its-interface-is-gone",
	  "conf " FEED "; serve; $XD add feed " ID_A "; ip link del v0; told 'waits for v0'\n"
	  "more 'capacity = 50k'; reload; says feed capacity $XDP_DEDUP_CAPACITY\n"
	  "ip link add v0 group 7 type veth peer name p0 group 7; soon says feed capacity 50000\n"
	  "soon runs v0; $XD test feed " ID_A "; quits TERM\n" },
	{ "reloads-one-after-the-other",
	  "conf " FEED "; serve; for i in 1 2 3 4 5 6; do conf " NONE "; kill -HUP $s; sleep 0.0$i\n"
	  "	conf '[filter other]' 'interfaces = b0' 'port = 8001'; kill -HUP $s; sleep 0.1$i\n"
	  "	conf " FEED "; kill -HUP $s; sleep 0.0$i; done\n"
	  "more 'capacity = 50k'; kill -HUP $s; soon says feed capacity 50000; soon idle b0\n"
	  "soon runs v0; says feed action drop; quits TERM\n" },
	{ "reload-adds-and-removes-filters",
	  "conf " FEED "; serve; conf '[filter other]' 'interfaces = b0' 'port = 8001'; reload\n"
	  "idle v0; runs b0; not $XD status feed; conf " FEED
	  "; reload; runs v0; idle b0; quits TERM\n" },
	{ "filters-of-others-are-left-alone",
	  "$XD load b0 --port 1; conf " FEED " '[service]' 'on-exit = unload'; serve; reload\n"
	  "quits TERM; idle v0; runs b0\n" },
	{ "changes-by-hand-of-what-the-file-says-stay",
	  "conf " FEED " 'action = drop' 'capacity = 30k'; serve\n"
	  "$XD set feed --action count --port 8001,8003; $XD resize feed --capacity 40k\n"
	  "ip link del v0; told 'waits for v0'\n"
	  "ip link add v0 group 7 type veth peer name p0 group 7; soon runs v0; says feed action "
	  "count\n"
	  "says feed 'ports|length' 2; says feed capacity 40000; got cat /mnt/log; lacks tried\n"
	  "quits TERM\n" },
	{ "nobody-waits-for-it",
	  "conf " FEED
	  "; serve; $XD resize feed --capacity 40k; $XD rotate feed; $XD add feed " ID_A "\n"
	  "$XD load b0 --port 1; $XD unload b0; $XD refresh; quits TERM\n" },
	{ "unloads-at-its-end",
	  "conf " FEED
	  " '[service]' 'on-exit = unload'; serve; runs v0; quits TERM; idle v0; clean\n" },
	{ "remembers-what-it-saved",
	  "conf " FEED " '[service]' 'on-exit = unload' 'save = yes'; serve; $XD add feed " ID_A "\n"
	  "quits TERM; clean; [ $(stat -c %a /mnt/state/feed.image) = 600 ]\n"
	  "serve; $XD test feed " ID_A "; [ $(grep -c 'ids a window' /mnt/log) = 1 ]\n"
	  "rm /mnt/state/feed.image; quits TERM; clean; serve; $XD test feed " ID_A "\n"
	  "says feed 'interfaces[0].name' v0; quits TERM; got cat /mnt/log; lacks 'is tried'\n" },
	{ "remembers-in-another-size",
	  "conf " FEED " 'capacity = 10k' '[service]' 'on-exit = unload' 'save = yes'; serve\n"
	  "$XD add feed " ID_A "; quits TERM; sed -i s/10k/70k/ /mnt/conf; serve\n"
	  "says feed capacity 70000; $XD test feed " ID_A "; quits TERM\n" },
	{ "time-of-for-goes-on",
	  "left() { $XD status feed --json | jq .drop_left_ns; }\n"
	  "goes_on() { [ $(left) -lt $((b - 900000000)) ] && [ $(left) -gt 3000000000000 ]; }\n"
	  "conf " FEED " 'capacity = 10k' '[service]' 'on-exit = unload' 'save = yes'; serve\n"
	  "$XD set feed --for 1h; b=$(left); p=$(prog); sleep 1; reload; goes_on; [ $(prog) = $p ]\n"
	  "sed -i s/8001/8001,8003/ /mnt/conf; reload; says feed 'ports|length' 2; goes_on\n"
	  "sed -i s/10k/20k/ /mnt/conf; reload; says feed capacity 20000; goes_on; quits TERM; clean; serve; goes_on; quits TERM; clean\n"
	  "sed -i s/20k/30k/ /mnt/conf; serve; says feed capacity 30000; goes_on\n"
	  "sed -i 's/capacity.*/&\\naction = drop/' /mnt/conf; reload; [ $(left) = null ]; quits TERM\n" },
	{ "what-was-saved-is-broken",
	  "conf " FEED " '[service]' 'on-exit = unload' 'save = yes'; serve; quits TERM\n"
	  "truncate -s 5000 /mnt/state/feed.image; serve; runs v0; quits TERM\n" },
	{ "no-memory-for-what-was-saved",
	  "conf " FEED
	  " 'capacity = 1M' '[service]' 'on-exit = unload' 'save = yes'; serve; $XD add feed " ID_A "\n"
	  "quits TERM; echo MemAvailable: 12000 kB >/mnt/free; mount -B /mnt/free /proc/meminfo\n"
	  "serve; umount /proc/meminfo; logs 'goes on with it, takes 16.2 MB, and 12.3 MB of "
	  "memory'\n"
	  "runs v0; not $XD test feed " ID_A "; quits TERM\n" },
	{ "state-is-made", "rmdir /mnt/state; conf " FEED " '[service]' 'save = yes'; serve; quits TERM\n"
			   "[ $(stat -c %a /mnt/state) = 700 ]; [ -s /mnt/state/feed.image ]\n" },
	{ "what-cannot-be-saved-stays",
	  "conf " FEED " '[service]' 'on-exit = unload' 'save = yes' 'state = /proc/none'; serve\n"
	  "$XD add feed " ID_A "; kill -TERM $s; exited 1; logs 'feed: stays loaded'\n"
	  "runs v0; $XD test feed " ID_A "\n" },
	{ "saves-every-so-often",
	  "conf " FEED " '[service]' 'save-every = 1s'; serve; soon test -s /mnt/state/feed.image\n"
	  "a=$(stat -c %i /mnt/state/feed.image)\n"
	  "again() { [ $(stat -c %i /mnt/state/feed.image) != $a ]; }; soon again; quits TERM\n" },
	{ "reloads-do-not-put-saves-off",
	  "conf " FEED " '[service]' 'save-every = 2s'; serve; f=/mnt/state/feed.image\n"
	  "for i in $(seq 20); do reload; sleep 0.3; [ ! -s $f ] || break; done; test -s $f; quits TERM\n" },
	{ "own-macs-are-refreshed",
	  "conf " FEED "; serve; ip link set v0 address 02:00:00:00:00:99\n"
	  "fresh() { ! $XD status feed | grep -q refresh; }; soon fresh; quits TERM\n" },
	{ "tries-again",
	  "ip link set v0 xdp pinned $OTHER; conf " FEED "; start; told READY=1\n"
	  "logs 'is tried again in 5 s'; told 'is tried again on v0'; ip link set v0 xdp off\n"
	  "soon $XD status feed; told 'STATUS=feed: v0'; quits TERM\n" },
	{ "tells-the-watchdog",
	  "conf " FEED "; serve WATCHDOG_USEC=200000; told WATCHDOG=1; quits TERM\n" },
	{ "says-which-right-is-missing",
	  "conf " FEED "; chmod 644 /mnt/conf; exits 0 $NOBODY run --check --config /mnt/conf\n"
	  "has '1 filter'; fails 'needs CAP_BPF and CAP_PERFMON and CAP_NET_ADMIN' $NOBODY run --config "
	  "/mnt/conf\n" },
	{ "a-filter-that-has-stopped-is-loaded-anew",
	  "left() { $XD status feed --json | jq .drop_left_ns; }\n"
	  "conf " FEED " 'window = 10s'; serve; $XD set feed --for 1h; p=$(prog); b=$(left)\n"
	  "rm $PINS/feed/timer\n"
	  "stopped() { says feed 'advice[0].key' stopped; }; soon stopped; reload\n"
	  "logs 'has stopped: it is loaded anew'; runs v0; [ $(prog) != $p ]; not stopped\n"
	  "[ $(left) -lt $((b - 900000000)) ]\n"
	  "$XD add feed " ID_A "; $XD test feed " ID_A "; quits TERM\n" },
	/* As the log says: to unload one of them lets the other one go on. */
	{ "two-filters-swap-interfaces",
	  "conf '[filter a]' 'interfaces = v0' 'port = 1' '[filter b]' 'interfaces = p0' 'port = 1'\n"
	  "serve; p=$(prog); $XD add a " ID_A "\n"
	  "conf '[filter a]' 'interfaces = p0' 'port = 1' '[filter b]' 'interfaces = v0' 'port = 1'\n"
	  "reload; logs 'unload p0 forgets all ids'; [ $(prog) = $p ]; $XD test a " ID_A "\n"
	  "$XD unload p0; runs() { says a 'interfaces[0].name' p0 && says b 'interfaces[0].name' v0; }\n"
	  "soon runs; $XD test a " ID_A "; quits TERM; $XD unload v0; $XD unload p0\n" },
	{ "a-late-hand-loses-no-id",
	  "conf " FEED " 'window = 60s'; serve; p=$(prog); $XD add feed " ID_A "\n"
	  "$LATE 60000000000; stopped() { says feed 'advice[0].key' stopped; }; soon stopped\n"
	  "$LATE 1500000000; reload; got cat /mnt/log; lacks stopped; [ $(prog) = $p ]; not stopped\n"
	  "$XD test feed " ID_A "; quits TERM\n" },
	{ "wrong-file-at-the-start", "conf nonsense; start; exited 2; logs 'conf:1: '; got "
				     "cat /mnt/notes; lacks READY; clean\n" },
	{ "no-file-at-the-start",
	  "rm -f /mnt/conf; start; exited 2; logs 'cannot read'\n"
	  "conf " FEED
	  " 'profiles = /none' 'profile = rtp:1'; start; exited 2; logs '/none: No such'\n" },
	{ "file-that-cannot-be-read-at-the-start",
	  "exits 1 $XD run --config /proc/self/mem; has 'cannot read it to its end'\n"
	  "conf " FEED " 'profiles = /proc/self/mem' 'profile = rtp:1' '[filter b]'; start; exited 1\n"
	  "logs 'mem: Input/output error'\n" },
	{ "no-filter-in-the-file", "conf ''; start; exited 2; logs 'there is no .filter NAME'\n"
				   "conf " NONE "; serve; told 'has no filter'; quits TERM; clean\n" },
	{ "reload-of-a-file-that-is-half-written",
	  "conf " FEED "; serve; $XD add feed " ID_A "; p=$(prog); : >/mnt/conf; reload\n"
	  "logs 'there is no .filter NAME'; printf '[service]\\nfilters = none' >/mnt/conf; reload\n"
	  "logs 'the last line has no end'; [ $(prog) = $p ]; $XD test feed " ID_A "\n"
	  "conf " NONE "; reload; idle v0; quits TERM; clean\n" },
	{ "a-second-service-of-the-file",
	  "conf " FEED "; serve; export RUNTIME_DIRECTORY=/mnt/run\n"
	  "fails \"conf: process $s is the service of a file of this name already\" "
	  "$XD run --config /mnt/conf\n"
	  "runs v0; cp /mnt/conf /mnt/other.conf; sed -i 's/feed/other/; s/v0/b0/' /mnt/other.conf\n"
	  "$XD run --config /mnt/other.conf >/mnt/said 2>&1 & x=$!; soon runs b0; kill $x; wait $x; x=\n"
	  "kill -9 $s; exited 137; serve; quits TERM\n" },
	{ "ended-while-it-works",
	  "conf " FEED " '[service]' 'on-exit = unload'; for i in 0 1 2 3 4 5; do\n"
	  "	start; sleep 0.$i; kill -TERM $s; code=0; wait $s || code=$?; s=; [ $code "
	  "= 0 ] || [ $code = 143 ]\n"
	  "	$XD unload --all; clean; done\n" },
	{ "writes-metrics",
	  "rm -rf /mnt/run; conf " OFTEN FEED " '[filter late]' 'interfaces = x0' 'port = 1'; serve\n"
	  "wrote() { output=$(cat /mnt/run/conf.prom) && has \"$1\"; }\n"
	  "soon wrote 'xdp_dedup_filter_up{filter=\"feed\"} 1'\n"
	  "has '# xdp-dedup: written every 1 s'; has 'xdp_dedup_filter_up{filter=\"late\"} 0'\n"
	  "has 'xdp_dedup_rx_packets_total{filter=\"feed\"'\n"
	  "[ $(stat -c %a /mnt/run) = 755 ]\n"
	  "[ $(stat -c %a /mnt/run/conf.prom) = 644 ]; [ $(ls -A /mnt/run | wc -l) -le 3 ]\n"
	  "i=$(stat -c %i /mnt/run/conf.prom)\n"
	  "anew() { [ $(stat -c %i /mnt/run/conf.prom) != $i ]; }; soon anew\n"
	  "sed -i '1a metrics = /mnt/other/x.prom' /mnt/conf; reload; soon test -s /mnt/other/x.prom\n"
	  "not test -e /mnt/run/conf.prom; sed -i 's/^metrics = .*/metrics = none/' /mnt/conf\n"
	  "reload; not test -e /mnt/other/x.prom; sed -i /^metrics.=/d /mnt/conf; reload\n"
	  "soon test -e /mnt/run/conf.prom; quits TERM; [ \"$(ls -A /mnt/run)\" = conf.lock ]\n" },
	{ "metrics-of-filters-of-others",
	  "conf " OFTEN FEED "; $XD load b0 --port 1 --name other; serve\n"
	  "wrote() { grep -q \"filter_up.*\\\"$1\\\"\" /mnt/run/conf.prom; }; soon wrote feed\n"
	  "not wrote other; sed -i '1a metrics-all = yes' /mnt/conf; reload; soon wrote other\n"
	  "sed -i /^metrics-all/d /mnt/conf; reload; gone() { ! wrote other; }; soon gone\n"
	  "wrote feed; quits TERM\n" },
	{ "metrics-that-cannot-be-written",
	  "conf " OFTEN "'metrics = /mnt/a/b/x.prom' " FEED "; serve; runs v0\n"
	  "logs 'cannot write /mnt/a/b/x.prom: No such file or directory'; sleep 0.5\n"
	  "[ $(grep -c 'cannot write' /mnt/log) = 1 ]; mkdir /mnt/a; soon test -s /mnt/a/b/x.prom\n"
	  "rm -r /mnt/a; again() { [ $(grep -c 'cannot write' /mnt/log) = 2 ]; }; soon again\n"
	  "quits TERM\n" },
	{ "an-interface-that-is-missing-is-told",
	  "conf " OFTEN "'[filter feed]' 'interfaces = v0 x0' 'port = 1'; serve\n"
	  "is() { grep -q \"interface_$2.*\\\"$1\\\"} $3\" /mnt/run/conf.prom; }\n"
	  "soon is x0 up 0; soon is v0 up 1; is x0 present 0; is v0 present 1\n"
	  "ip link add x0 group 7 type veth peer name x1 group 7; soon is x0 up 1; is x0 present 1\n"
	  "ip netns del far 2>/dev/null || :; ip netns add far; ip link set x0 netns far; soon is x0 present 0; is x0 up 1\n"
	  "quits TERM; $XD unload --name feed; ip netns del far\n" },
	{ "a-killed-job-is-done-again",
	  "conf " FEED "; serve; flock $PINS-lock sleep 300 & x=$!\n"
	  "held() { ! flock --nonblock $PINS-lock true; }; soon held; more 'capacity = 50k'\n"
	  "kill -HUP $s; one() { j=$(pgrep -P $s -x xdp-dedup); }; soon one\n"
	  "kill -9 $j\n"
	  "logs 'was ended by signal 9'; pkill -P $x; wait $x || :; x=\n"
	  "soon says feed capacity 50000; quits TERM\n" },
	{ "a-job-keeps-nothing-of-the-service-open",
	  "conf " FEED "; serve; flock $PINS-lock sleep 300 & x=$!\n"
	  "held() { ! flock --nonblock $PINS-lock true; }; soon held; more 'capacity = 50k'\n"
	  "kill -HUP $s; one() { j=$(pgrep -P $s -x xdp-dedup); }; soon one\n"
	  "none() { [ -z \"$(find /proc/$j/fd -lname '*eventpoll*')\" ]; }; soon none\n"
	  "kill -0 $j; pkill -P $x; wait $x || :; x=; soon says feed capacity 50000; quits TERM\n" },
	{ "status-is-what-runs",
	  "conf " FEED "; serve; told 'STATUS=feed: v0$'; $XD unload v0\n"
	  "told 'STATUS=feed: does not run on v0'; reload; told 'STATUS=feed: v0$'; quits TERM\n" },
	{ "check-notes-what-load-notes",
	  "conf '[filter feed]' 'interfaces = b0 x0' 'port = 1,2'\n"
	  "got $XD run --check --config /mnt/conf; has 'note: [filter feed]: several ports are'\n"
	  "has 'note: [filter feed]: b0 has no native XDP'; has '1 filter'\n" },
	/* tests/drivers/recover_test.c has what it does where it can. */
	{ "recover-where-it-cannot",
	  "conf " FEED " " OFTEN "'recover = yes'\n"
	  "got $XD run --check --config /mnt/conf; has 'feed]: recover: off for all filters: on v0 the kernel reports'\n"
	  "serve; logs 'recover: off for all filters: on v0 the kernel reports what XDP drops, too'\n"
	  "soon grep -q '^xdp_dedup_recover_on 0' /mnt/run/conf.prom\n"
	  "reload; sleep 0.2; [ $(grep -c recover: /mnt/log) = 1 ]\n"
	  "ip tuntap add t0 mode tap && ip link set t0 up || { quits TERM; exit 0; }\n"
	  "conf '[filter t]' 'interfaces = t0' 'port = 1' " OFTEN "'recover = yes'; reload\n"
	  "logs 'cannot recover losses: there is no drop monitor here'\n"
	  "$XD load v0 --port 7 --name another; reload; now() { [ $(grep -c 'filters: on v0' /mnt/log) = 2 ]; }\n"
	  "soon now; $XD unload --name another\n"
	  "sed -i s/yes/no/ /mnt/conf; reload; none() { ! grep recover /mnt/run/conf.prom; }; soon none\n"
	  "quits TERM\n" },
	{ "keeps-nothing-open",
	  "conf " FEED "; serve; soon read_once\n"
	  "reload; fds() { ls /proc/$s/fd | wc -l; }; a=$(fds)\n"
	  "for i in $(seq 10); do ip link add x0 group 7 type veth peer name x1 group 7; ip "
	  "link del x0; sleep 0.15; done\n"
	  "reload; no_more() { [ $(fds) -le $a ]; }; soon no_more; quits TERM\n" },
};

int main(int argc, char **argv)
{
	if (argc > 2)
		return strcmp(argv[1], "late") ? take_notes(argv)
					       : !late_hand("feed", strtoull(argv[2], NULL, 10));
	cli_environment();
	cli_helper("SYSTEMD", "notes");
	cli_helper("LATE", "late");
	cli_words = WORDS;
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("run");
}
