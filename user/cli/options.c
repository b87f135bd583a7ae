// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config_streams.h"
#include "positions.h"
#include "prefixes.h"
#include "replay.h"
#include "sampling.h"
#include "say.h"
#include "layout.h"
#include "stream_options.h"
#include "units.h"

#define WATCH_EVERY_MIN_NS 100000000ULL
#define WATCH_EVERY_MAX_NS 86400000000000ULL

/* Notes that the option was given, and not by the environment, which sets a default. */
static void give(struct options *o, const char *what, enum given option)
{
	if (*what == '-')
		o->given |= option;
}

static int set_name(struct options *o, const char *what, const char *text)
{
	(void)what;
	o->name = text;
	return 0;
}

static int set_mode(struct options *o, const char *what, const char *text)
{
	if (!strcmp(text, "native"))
		o->mode = MODE_NATIVE;
	else if (!strcmp(text, "skb"))
		o->mode = MODE_SKB;
	else if (!strcmp(text, "hw"))
		o->mode = MODE_HW;
	else
		return say_err(-EINVAL, "%s %s: it is native, skb or hw", what, text);
	return 0;
}

static int set_port(struct options *o, const char *what, const char *text)
{
	int err = parse_ports(text, o->spec.ports, &o->spec.ports_cnt);

	give(o, what, GIVEN_PORT);
	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d ports or ranges", what, text,
			       DEDUP_PORTS_MAX);
	if (err)
		return say_err(-EINVAL, "%s %s: give UDP ports from 1 to 65535, as in 8001,9000-9010",
			       what, text);
	return 0;
}

static int add_profile(struct options *o, const char *what, const char *text)
{
	if (o->profiles_cnt == DEDUP_STREAMS_MAX)
		return say_err(-EINVAL, "%s %s: at most %d streams", what, text, DEDUP_STREAMS_MAX);
	o->profiles[o->profiles_cnt++] = (struct given_text){ text, say_place() };
	return 0;
}

static int add_file(struct options *o, const char *what, const char *text)
{
	if (o->files_cnt == OPTIONS_FILES_MAX)
		return say_err(-EINVAL, "%s %s: at most %d files", what, text, OPTIONS_FILES_MAX);
	o->files[o->files_cnt++] = (struct given_text){ text, say_place() };
	return 0;
}

static int set_to(struct options *o, const char *what, const char *text)
{
	int err = parse_prefixes(text, o->spec.to, &o->spec.to_cnt, &o->spec.to4_cnt);

	give(o, what, GIVEN_TO);
	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d destinations", what, text, DEDUP_TO_MAX);
	if (err == -EDOM)
		return say_err(-EINVAL,
			       "%s %s: write a prefix of IPv4 as 192.0.2.0/24, without ::ffff:", what,
			       text);
	if (err)
		return say_err(-EINVAL,
			       "%s %s: give addresses or prefixes, as in 192.0.2.1,2001:db8::/64",
			       what, text);
	return 0;
}

static int set_vlan(struct options *o, const char *what, const char *text)
{
	int err = parse_vlans(text, o->spec.vlans, &o->spec.vlans_cnt);

	give(o, what, GIVEN_VLAN);
	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d VLANs or ranges", what, text,
			       DEDUP_VLANS_MAX);
	if (err)
		return say_err(-EINVAL,
			       "%s %s: give VLAN ids from 1 to 4094, or none for frames without "
			       "a tag, as in 10,20-29,none; or any",
			       what, text);
	return 0;
}

static int set_forwarded(struct options *o, const char *what, const char *text)
{
	(void)text;
	give(o, what, GIVEN_FORWARDED);
	o->spec.forwarded = true;
	return 0;
}

static int set_capacity(struct options *o, const char *what, const char *text)
{
	uint64_t value;

	if (parse_count(text, &value))
		return say_err(-EINVAL, "%s %s: give a number of ids, as in 500000, 250k or 1M",
			       what, text);
	if (!value)
		return say_err(-EINVAL, "%s 0: a filter must hold at least 1 id", what);
	give(o, what, GIVEN_CAPACITY);
	o->spec.capacity = value;
	return 0;
}

static int set_fpr(struct options *o, const char *what, const char *text)
{
	give(o, what, GIVEN_FPR);
	return args_rate(&o->spec.fpr, what, text);
}

static int set_window(struct options *o, const char *what, const char *text)
{
	uint64_t value;

	if (parse_time(text, &value))
		return say_err(-EINVAL,
			       "%s %s: give a time with its unit, as in 500ms, 30s, 10m, 2h or 1d",
			       what, text);
	if (value < SPEC_WINDOW_MIN_NS || value > SPEC_WINDOW_MAX_NS)
		return say_err(-EINVAL, "%s %s: a window is 10ms to 30d", what, text);
	give(o, what, GIVEN_WINDOW);
	o->spec.window_ns = value;
	return 0;
}

static int set_action(struct options *o, const char *what, const char *text)
{
	give(o, what, GIVEN_ACTION);
	o->spec.count_only = !strcmp(text, "count");
	if (!o->spec.count_only && strcmp(text, "drop"))
		return say_err(-EINVAL, "%s %s: it is drop or count", what, text);
	return 0;
}

static int set_for(struct options *o, const char *what, const char *text)
{
	uint64_t value;

	if (parse_time(text, &value))
		return say_err(-EINVAL, "%s %s: give a time with its unit, as in 90s, 8h or 3d",
			       what, text);
	if (value < SPEC_DROP_MIN_NS || value > SPEC_DROP_MAX_NS)
		return say_err(-EINVAL, "%s %s: it is 1s to 36500d", what, text);
	give(o, what, GIVEN_FOR);
	o->spec.drop_ns = value;
	return 0;
}

static int set_learn(struct options *o, const char *what, const char *text)
{
	give(o, what, GIVEN_LEARN);
	o->spec.learn_app = !strcmp(text, "app");
	if (!o->spec.learn_app && strcmp(text, "kernel"))
		return say_err(-EINVAL, "%s %s: it is kernel or app", what, text);
	return 0;
}

static int set_ihave(struct options *o, const char *what, const char *text)
{
	give(o, what, GIVEN_IHAVE);
	o->spec.ihave_pass = !strcmp(text, "pass");
	if (!o->spec.ihave_pass && strcmp(text, "drop"))
		return say_err(-EINVAL, "%s %s: it is drop or pass", what, text);
	return 0;
}

static int set_deliver(struct options *o, const char *what, const char *text)
{
	give(o, what, GIVEN_DELIVER);
	o->spec.deliver = !strcmp(text, "xsk");
	o->deliver = strncmp(text, "xsk:", 4) ? NULL : text + 4;
	if (!o->spec.deliver && !o->deliver && strcmp(text, "stack"))
		return say_err(-EINVAL, "%s %s: it is stack, xsk, or xsk:STREAM,STREAM", what, text);
	return 0;
}

static int set_layout(struct options *o, const char *what, const char *text)
{
	int layout = layout_find(text);

	if (layout < 0)
		return say_err(-EINVAL, "%s %s: it is blocked, flat or countdown", what, text);
	give(o, what, GIVEN_LAYOUT);
	o->spec.layout = layout;
	return 0;
}

static int set_hash(struct options *o, const char *what, const char *text)
{
	int hash = hash_find(text);

	if (hash < 0)
		return say_err(-EINVAL, "%s %s: it is fast, siphash, colibri, fips, fnv1a or tezos",
			       what, text);
	give(o, what, GIVEN_HASH);
	o->spec.hash = hash;
	return 0;
}

static int set_bits(struct options *o, const char *what, const char *text)
{
	return args_number(&o->spec.bits, what, text, UINT32_MAX);
}

static int set_hashes(struct options *o, const char *what, const char *text)
{
	return args_number(&o->spec.hashes, what, text, DEDUP_HASHES_MAX);
}

static int set_index_bits(struct options *o, const char *what, const char *text)
{
	return args_number(&o->spec.index_bits, what, text, SPEC_INDEX_BITS_MAX);
}

static int set_countdown_bits(struct options *o, const char *what, const char *text)
{
	return args_number(&o->spec.countdown_bits, what, text, SPEC_COUNTDOWN_BITS_MAX);
}

static int set_engine(struct options *o, const char *what, const char *text)
{
	o->engine = strcmp(text, "kernel") ? ENGINE_USER : ENGINE_KERNEL;
	if (o->engine == ENGINE_USER && strcmp(text, "user"))
		return say_err(-EINVAL, "%s %s: it is user or kernel", what, text);
	return 0;
}

static int set_write_passed(struct options *o, const char *what, const char *text)
{
	(void)what;
	o->write_passed = text;
	return 0;
}

static int set_write_dropped(struct options *o, const char *what, const char *text)
{
	(void)what;
	o->write_dropped = text;
	return 0;
}

static int set_mac(struct options *o, const char *what, const char *text)
{
	if (parse_mac(text, o->mac))
		return say_err(-EINVAL, "%s %s: give a MAC, as in 02:00:00:00:00:01", what, text);
	o->has_mac = true;
	return 0;
}

static int set_memory(struct options *o, const char *what, const char *text)
{
	if (parse_count(text, &o->memory))
		return say_err(-EINVAL, "%s %s: give bytes, as in 500M or 4G", what, text);
	return 0;
}

ARGS_FLAG(set_drops, sample.drops)
ARGS_FLAG(set_fresh, sample.fresh)

static int set_rate(struct options *o, const char *what, const char *text)
{
	size_t len = strlen(text);
	char number[32];

	if (len > 2 && !strcmp(text + len - 2, "/s"))
		len -= 2;
	if (len >= sizeof(number))
		return say_err(-EINVAL, "%s %s: give packets a second, as in 10/s or 1k/s", what,
			       text);
	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	return args_number(&o->sample.rate, what, number, SAMPLING_RATE_MAX);
}

static int set_snap(struct options *o, const char *what, const char *text)
{
	return args_number(&o->sample.snap, what, text, DEDUP_SNAP_MAX);
}

static int set_count(struct options *o, const char *what, const char *text)
{
	if (parse_count(text, &o->sample.count) || !o->sample.count)
		return say_err(-EINVAL, "%s %s: give a number of packets, 1 or more", what, text);
	return 0;
}

static int set_end(struct options *o, const char *what, const char *text)
{
	if (parse_time(text, &o->sample.for_ns) || !o->sample.for_ns)
		return say_err(-EINVAL, "%s %s: give a time with its unit, as in 500ms, 30s or 10m",
			       what, text);
	return 0;
}

static int set_write(struct options *o, const char *what, const char *text)
{
	if (!*text)
		return say_err(-EINVAL, "%s: give a file, or - for standard output", what);
	o->sample.write = text;
	return 0;
}

static int set_every(struct options *o, const char *what, const char *text)
{
	if (parse_time(text, &o->watch.every_ns) || o->watch.every_ns < WATCH_EVERY_MIN_NS ||
	    o->watch.every_ns > WATCH_EVERY_MAX_NS)
		return say_err(-EINVAL, "%s %s: give a time from 100ms to 1d, as in 500ms or 10s",
			       what, text);
	return 0;
}

static int set_readings(struct options *o, const char *what, const char *text)
{
	if (parse_count(text, &o->watch.count) || !o->watch.count)
		return say_err(-EINVAL, "%s %s: give a number of readings, 1 or more", what, text);
	return 0;
}

static int add_interface(const char *what, char *text, char **list, int *cnt)
{
	if (*cnt == DEDUP_IFACES_MAX)
		return say_err(-EINVAL, "%s %s: at most %d interfaces", what, text, DEDUP_IFACES_MAX);
	list[(*cnt)++] = text;
	return 0;
}

static int set_add(struct options *o, const char *what, const char *text)
{
	return add_interface(what, (char *)text, o->add, &o->add_cnt);
}

static int set_remove(struct options *o, const char *what, const char *text)
{
	return add_interface(what, (char *)text, o->remove, &o->remove_cnt);
}

static int set_config(struct options *o, const char *what, const char *text)
{
	(void)what;
	o->config = text;
	return 0;
}

static int set_user(struct options *o, const char *what, const char *text)
{
	(void)what;
	o->user = text;
	return 0;
}

static int set_queues(struct options *o, const char *what, const char *text)
{
	int err = parse_queues(text, o->queues, &o->queues_cnt);

	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d queues or ranges", what, text,
			       DEDUP_PORTS_MAX);
	return err ? say_err(-EINVAL, "%s %s: give numbers of RX queues, as in 0-31,40", what, text)
		   : 0;
}

ARGS_FLAG(set_check, check)
ARGS_FLAG(set_replace, replace)
ARGS_FLAG(set_wait, wait)
ARGS_FLAG(set_forget, forget)
ARGS_FLAG(set_json, json)
ARGS_FLAG(set_exact, exact)
ARGS_FLAG(set_all, all)
ARGS_FLAG(set_force, force)
ARGS_FLAG(set_verbose, verbose)

const struct args_option OPTIONS[] = {
	{ "--name", "NAME", OPT_NAME, set_name, NULL,
	  "the filter's (load: the first interface's name)" },
	{ "--mode", "MODE", OPT_MODE, set_mode, NULL, "native, skb or hw (native, or else skb)" },
	{ "--port", "PORTS", OPT_PORT, set_port, NULL,
	  "GSP/1's UDP destination ports, as in 8001,9000-9010 (no default)" },
	{ "--profile", "PROFILE", OPT_PROFILE, add_profile, NULL,
	  "a stream of another protocol (`xdp-dedup profile list`), as in\n"
	  "rtp:5004; up to 16. In full:\n"
	  "[STREAM=]NAME[:PORTS[@DESTINATIONS]][#REALM]" },
	{ "--profiles", "FILE", OPT_PROFILES, add_file, NULL, "more profiles, from this file" },
	{ "--capacity", "N", OPT_CAPACITY, set_capacity, "XDP_DEDUP_CAPACITY",
	  "ids a window, as in 250k or 1M (1M)" },
	{ "--fpr", "P", OPT_FPR, set_fpr, "XDP_DEDUP_FPR",
	  "bound on the rate at which fresh events are lost\n(1e-4, or what its profiles say)" },
	{ "--window", "TIME", OPT_WINDOW, set_window,
	  "XDP_DEDUP_WINDOW", "an id is remembered so long, at most twice, as in 30s or 1d\n(10m, or what its profiles say)" },
	{ "--action", "ACTION", OPT_ACTION, set_action, NULL,
	  "drop duplicates, or only count them (drop)" },
	{ "--for", "TIME", OPT_ACTION, set_for, NULL,
	  "drop for so long, as in 8h, then only count (for ever)" },
	{ "--learn", "WHO", OPT_ACTION, set_learn, NULL,
	  "kernel: ids of packets; app: only what `add` adds (kernel)" },
	{ "--to", "DESTINATIONS", OPT_DESTINATION, set_to, NULL,
	  "only packets to these addresses or prefixes, as in\n"
	  "192.0.2.1,2001:db8::/64 (all that are for this host)" },
	{ "--vlan", "VLANS", OPT_DESTINATION, set_vlan, NULL,
	  "only frames of these VLANs, by their outermost tag, as in\n"
	  "10,20-29,none; none: those without a tag (any)" },
	{ "--forwarded", NULL, OPT_DESTINATION, set_forwarded, NULL,
	  "also frames for other hosts' MACs: mirrored or forwarded traffic" },
	{ "--ihave", "WHAT", OPT_ACTION, set_ihave, NULL,
	  "drop IHAVEs whose every id is known, or pass them all (drop)" },
	{ "--deliver", "WHERE", OPT_ACTION, set_deliver, NULL,
	  "fresh packets go to the network stack, or past it to AF_XDP\n"
	  "sockets: xsk, or xsk:STREAM,STREAM for these streams (stack)" },
	{ "--layout", "LAYOUT", OPT_SHAPE, set_layout, NULL, "blocked, flat or countdown (blocked)" },
	{ "--hash", "HASH", OPT_SHAPE, set_hash, NULL,
	  "fast or siphash; flat and countdown also have\n"
	  "colibri, fips, fnv1a and tezos (fast)" },
	{ "--bits", "M", OPT_SHAPE, set_bits, NULL, "flat: bits of an array (what --fpr asks for)" },
	{ "--hashes", "K", OPT_SHAPE, set_hashes, NULL,
	  "flat, countdown: probes, 1 to 32 (what --fpr asks for)" },
	{ "--index-bits", "N", OPT_SHAPE, set_index_bits, NULL,
	  "countdown: 2^N cells, 1 to 24 (what --fpr asks for)" },
	{ "--countdown-bits", "N", OPT_SHAPE, set_countdown_bits, NULL,
	  "countdown: an id lasts 2^N - 1 countdowns, 1 to 24 (4)" },
	{ "--add", "IFNAME", OPT_INTERFACES, set_add, NULL,
	  "run on this interface, too; may be given several times" },
	{ "--remove", "IFNAME", OPT_INTERFACES, set_remove, NULL,
	  "no longer run on this one, which may have gone; likewise" },
	{ "--replace", NULL, OPT_REPLACE, set_replace, NULL,
	  "if it runs already: put this version's program, and what else is\n"
	  "asked for, in its place; forgets nothing" },
	{ "--wait", NULL, OPT_PREDECESSOR, set_wait, NULL,
	  "while an earlier change is not over: wait (it fails)" },
	{ "--forget", NULL, OPT_PREDECESSOR, set_forget, NULL,
	  "likewise: give up what only its predecessor knows" },
	{ "--engine", "ENGINE", OPT_REPLAY, set_engine, NULL,
	  "user: the program compiled for user space; kernel: the\n"
	  "very one, by test runs, as root (user)" },
	{ "--mac", "MAC", OPT_REPLAY, set_mac, NULL,
	  "this host's: frames for others are ignored (all are ours)" },
	{ "--write-passed", "FILE", OPT_REPLAY, set_write_passed, NULL,
	  "packets that pass, as pcap; - is standard output" },
	{ "--write-dropped", "FILE", OPT_REPLAY, set_write_dropped, NULL,
	  "packets that are dropped, likewise" },
	{ "--memory", "BYTES", OPT_REPLAY, set_memory, NULL,
	  "for ids that came, by which false positives are told (1G)" },
	{ "--drops", NULL, OPT_SAMPLE, set_drops, NULL,
	  "only what is dropped, or would be but for --action count" },
	{ "--new", NULL, OPT_SAMPLE, set_fresh, NULL, "only what is new, and so passes" },
	{ "--rate", "N/s", OPT_SAMPLE, set_rate, NULL, "at most N packets in each second (10/s)" },
	{ "--snap", "BYTES", OPT_SAMPLE, set_snap, NULL,
	  "only the first BYTES of each, up to 9216 (256; --write: all)" },
	{ "--count", "N", OPT_SAMPLE, set_count, NULL, "end after N packets" },
	{ "--for", "TIME", OPT_SAMPLE, set_end, NULL, "end after this time, as in 30s" },
	{ "--write", "FILE", OPT_SAMPLE, set_write, NULL,
	  "write a pcap file, which Wireshark opens; - is standard output" },
	{ "--config", "FILE", OPT_CONFIG, set_config, NULL,
	  "what to load and keep (/etc/xdp-dedup/xdp-dedup.conf)" },
	{ "--check", NULL, OPT_CONFIG, set_check, NULL,
	  "only see whether that file is right, without root" },
	{ "--user", "USER", OPT_EXEC, set_user, NULL,
	  "run the command as this user, without any right (as who this is)" },
	{ "--queues", "QUEUES", OPT_EXEC, set_queues, NULL,
	  "lend only these RX queues of each interface, as in 0-31,40 (all)" },
	{ "--every", "TIME", OPT_WATCH, set_every, NULL, "between two readings (1s)" },
	{ "--count", "N", OPT_WATCH, set_readings, NULL, "end after N readings" },
	{ "--json", NULL, OPT_JSON, set_json, NULL,
	  "for programs: one object (sample, watch: one a line), raw numbers" },
	{ "--exact", NULL, OPT_EXACT, set_exact, NULL,
	  "fill and estimates from all of the memory, of more than 4 MB too;\n"
	  "else from a sample (counters are exact anyhow)" },
	{ "--all", NULL, OPT_ALL, set_all, NULL, "every filter" },
	{ "--force", NULL, OPT_FORCE, set_force, NULL,
	  "remove pins also if it cannot be told that nothing uses them" },
	{ "--verbose", NULL, 0, set_verbose, NULL, "show what libbpf and libxdp say" },
};

const size_t OPTIONS_CNT = sizeof(OPTIONS) / sizeof(OPTIONS[0]);

void options_begin(struct options *o)
{
	*o = (struct options){
		.spec = { .capacity = SPEC_CAPACITY_DEFAULT },
		.memory = REPLAY_MEMORY_DEFAULT,
	};
}

int options_end(struct options *o)
{
	if (stream_options_set(o))
		return -EINVAL;
	if (o->spec.streams_cnt && stream_options_deliver(o, &o->spec))
		return -EINVAL;
	if (!o->spec.streams_cnt && o->deliver && !strcmp(o->deliver, STREAM_GSP))
		o->spec.deliver = true;
	if (o->spec.drop_ns && o->spec.count_only)
		return say_err(-EINVAL, "--for says how long duplicates are dropped, and --action "
					"count drops none; leave one of them out");
	/* Not given, which no option can say as 0: by the profiles, or else the defaults. */
	if (o->spec.fpr <= 0)
		o->spec.fpr = o->fpr > 0 ? o->fpr : SPEC_FPR_DEFAULT;
	o->spec.window_ns = o->spec.window_ns ?: o->window_ns ?: SPEC_WINDOW_DEFAULT_NS;
	return 0;
}

int options_parse(struct options *o, const struct args_command *c, int argc, char **argv)
{
	int cnt;

	options_begin(o);
	cnt = args_parse(c, o, argc, argv);
	o->args = argv + 1;
	o->args_cnt = cnt;
	return cnt < 0 ? cnt : options_end(o);
}
