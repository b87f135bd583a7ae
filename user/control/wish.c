// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wish.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "numbered.h"
#include "positions.h"
#include "prefixes.h"
#include "tunnels.h"
#include "units.h"

/* Returns a message for an error of a list's parser; NULL for no error. */
static const char *wrong(int err, const char *too_many, const char *expects)
{
	return !err ? NULL : err == -E2BIG ? too_many : expects;
}

static const char *parse_port(void *to, const char *text)
{
	struct spec_stream *gsp = ((struct wish *)to)->spec.streams;

	return wrong(parse_ports(text, gsp->ports, &gsp->ports_cnt), "at most {max} ports or ranges",
		     "give UDP ports from 1 to 65535, as in 8001,9000-9010");
}

/* Returns a message for an error of parse_prefixes(); NULL for no error. */
static const char *wrong_to(int err)
{
	if (err == -EDOM)
		return "write a prefix of IPv4 as 192.0.2.0/24, without ::ffff:";
	return wrong(err, "at most {max} destinations",
		     "give addresses or prefixes, as in 192.0.2.1,2001:db8::/64");
}

static const char *parse_to(void *to, const char *text)
{
	struct spec_stream *gsp = ((struct wish *)to)->spec.streams;

	return wrong_to(parse_prefixes(text, gsp->to, &gsp->to_cnt, &gsp->to4_cnt));
}

static const char *parse_outer_to(void *to, const char *text)
{
	struct filter_spec *spec = &((struct wish *)to)->spec;

	return wrong_to(
		parse_prefixes(text, spec->outer_to, &spec->outer_to_cnt, &spec->outer_to4_cnt));
}

static const char *parse_tunnels_option(void *to, const char *text)
{
	static char clash[sizeof(TUNNELS_CLASH) + 8];
	struct wish *w = to;
	int err = parse_tunnels(text, &w->spec.tunnels);

	if (err > 0) {
		snprintf(clash, sizeof(clash), TUNNELS_CLASH, err);
		return clash;
	}
	return wrong(err, "at most {max} UDP ports", "it is " TUNNELS_EXPECTS);
}

static const char *parse_vlan(void *to, const char *text)
{
	struct wish *w = to;

	return wrong(
		parse_vlans(text, w->spec.vlans, &w->spec.vlans_cnt), "at most {max} VLANs or ranges",
		"give VLAN ids from 1 to 4094, or none for frames without a tag, as in 10,20-29,none; or any");
}

static const char *add_profile(void *to, const char *text)
{
	struct wish *w = to;

	for (int i = 0; i < w->profiles_cnt; i++)
		if (!strcmp(w->profiles[i].text, text))
			return "it is given twice";
	if (w->profiles_cnt == DEDUP_STREAMS_MAX)
		return "at most {max} streams";
	w->profiles[w->profiles_cnt++] = (struct given_text){ text, diag_location() };
	return NULL;
}

static const char *add_file(void *to, const char *text)
{
	struct wish *w = to;

	if (w->files_cnt == WISH_FILES_MAX)
		return "at most {max} files";
	/* The service and the shell that checks its file have different current directories. */
	if (diag_location().path && *text != '/')
		return "give a file from / on";
	w->files[w->files_cnt++] = (struct given_text){ text, diag_location() };
	return NULL;
}

static const char *append_interface(const char *text, char **list, int *cnt)
{
	for (int i = 0; i < *cnt; i++)
		if (!strcmp(list[i], text))
			return "it is named twice";
	if (*cnt == DEDUP_IFACES_MAX)
		return "at most {max} interfaces";
	list[(*cnt)++] = (char *)text;
	return NULL;
}

static const char *parse_add(void *to, const char *text)
{
	struct wish *w = to;

	return append_interface(text, w->add, &w->add_cnt);
}

static const char *parse_remove(void *to, const char *text)
{
	struct wish *w = to;

	return append_interface(text, w->remove, &w->remove_cnt);
}

static const char *parse_deliver(void *to, const char *text)
{
	struct wish *w = to;

	w->spec.deliver = !strcmp(text, "xsk");
	w->deliver = strncmp(text, "xsk:", 4) ? NULL : text + 4;
	if (!w->spec.deliver && !w->deliver && strcmp(text, "stack"))
		return "it is stack, xsk, or xsk:STREAM,STREAM";
	return NULL;
}

static const char *parse_comment(void *to, const char *text)
{
	struct filter_spec *spec = &((struct wish *)to)->spec;
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)text[i]))
			return "give printable ASCII";
	if (len >= sizeof(spec->comment))
		return "at most {max} characters";
	memset(spec->comment, 0, sizeof(spec->comment));
	memcpy(spec->comment, text, len);
	return NULL;
}

#define FIELD(member) ARGS_FIELD(struct wish, member)
#define FIELDS(first, last) ARGS_FIELDS(struct wish, first, last)
#define GIVEN(mark) .given = offsetof(struct wish, spec.given.mark)

const struct args_option WISH_OPTIONS[] = {
	{ "--name", "NAME", OPT_NAME, ARGS_STRING, FIELD(name),
	  .help = "the filter's name (load: that of the first interface)" },
	{ "--mode", "MODE", OPT_MODE, ARGS_NAMES("native", "skb", "hw"), FIELD(where.mode),
	  .min = MODE_NATIVE, .key = ARGS_KEY_ONCE, .help = "{names} (native, or else skb)" },
	{ "--share", NULL, OPT_MODE, ARGS_FLAG, FIELD(where.share), .key = ARGS_KEY_ONCE,
	  .help = "attach by libxdp's dispatcher, beside other XDP programs (a link\n"
		  "of its own)" },
	{ "--port", "PORTS", OPT_PORT, ARGS_OWN,
	  FIELDS(spec.streams[0].ports_cnt, spec.streams[0].ports), GIVEN(port),
	  .parse = parse_port, .max = DEDUP_PORTS_MAX, .key = ARGS_KEY_JOINED,
	  .help = "GSP/1's UDP destination ports, as in 8001,9000-9010 (no default)" },
	{ "--profile", "PROFILE", OPT_PROFILE, ARGS_OWN, FIELDS(profiles, profiles_cnt),
	  .parse = add_profile, .max = DEDUP_STREAMS_MAX, .key = ARGS_KEY_LIST,
	  .help = "a stream of another protocol (`xdp-dedup profile list`), as in\n"
		  "rtp:5004; up to {max}. In full:\n"
		  "[STREAM=]NAME[:PORTS[@DESTINATIONS]][#REALM]" },
	{ "--profiles", "FILE", OPT_PROFILES, ARGS_OWN, FIELDS(files, files_cnt), .parse = add_file,
	  .max = WISH_FILES_MAX, .key = ARGS_KEY_LIST, .help = "more profiles, from this file" },
	{ "--capacity", "N", OPT_CAPACITY, ARGS_COUNT, FIELD(spec.capacity), GIVEN(capacity),
	  .min = 1, .max = SPEC_CAPACITY_MAX, .key = ARGS_KEY_ONCE, .env = "XDP_DEDUP_CAPACITY",
	  .expects = "give a number of ids, as in 500000, 250k or 1M",
	  .range = "a filter must hold at least {min} id, and at most {max}",
	  .help = "ids a window, as in 250k or 1M (1M)" },
	{ "--fpr", "P", OPT_FPR, ARGS_RATE, FIELD(spec.fpr_e18), GIVEN(fpr), .key = ARGS_KEY_ONCE,
	  .env = "XDP_DEDUP_FPR",
	  .help = "the highest rate at which fresh events may be lost\n"
		  "(1e-4, or the lowest of its profiles)" },
	{ "--window", "TIME", OPT_WINDOW, ARGS_TIME, FIELD(spec.window_ns), GIVEN(window),
	  .min = SPEC_WINDOW_MIN_NS, .max = SPEC_WINDOW_MAX_NS, .key = ARGS_KEY_ONCE,
	  .env = "XDP_DEDUP_WINDOW",
	  .expects = "give a time with its unit, as in 500ms, 30s, 10m, 2h or 1d",
	  .range = "a window is {min} to {max}",
	  .help = "ids are remembered for this time, at most for twice this\n"
		  "time, as in 30s or 1d (10m, or the shortest of its profiles)" },
	{ "--sources", "N", OPT_SOURCES, ARGS_COUNT, FIELD(spec.sources), GIVEN(sources), .min = 1,
	  .max = SPEC_SOURCES_MAX, .key = ARGS_KEY_ONCE,
	  .help = "numbered streams: how many senders are known at once (1024)" },
	{ "--paths", "N", OPT_SOURCES, ARGS_COUNT, FIELD(spec.paths), GIVEN(paths),
	  .max = DEDUP_PATHS_MAX, .key = ARGS_KEY_ONCE, .expects = "give a number of paths, 0 to 8",
	  .help = "numbered streams: report what each of N paths brings, loses,\n"
		  "and how much later; a path is a stream on an interface (0)" },
	{ "--action", "ACTION", OPT_ACTION, ARGS_NAMES("drop", "count"), FIELD(spec.count_only),
	  GIVEN(action), .key = ARGS_KEY_ONCE, .help = "drop duplicates, or only count them (drop)" },
	/* No key: the time begins with the command, and a file has no such moment. */
	{ "--for", "TIME", OPT_ACTION, ARGS_TIME, FIELD(spec.drop_ns), GIVEN(drop_for),
	  .min = SPEC_DROP_MIN_NS, .max = SPEC_DROP_MAX_NS,
	  .expects = "give a time with its unit, as in 90s, 8h or 3d", .range = "it is {min} to {max}",
	  .help = "drop for this time, as in 8h, then only count (for ever)" },
	{ "--learn", "WHO", OPT_ACTION, ARGS_NAMES("kernel", "app"), FIELD(spec.learn_app),
	  GIVEN(learn), .key = ARGS_KEY_ONCE,
	  .help = "kernel: packets add ids; app: only `add` and the library do\n"
		  "(kernel)" },
	{ "--to", "DESTINATIONS", OPT_DESTINATION, ARGS_OWN,
	  FIELDS(spec.streams[0].to_cnt, spec.streams[0].to), GIVEN(to), .parse = parse_to,
	  .max = DEDUP_TO_MAX, .key = ARGS_KEY_JOINED,
	  .help = "only packets to these addresses or prefixes, as in\n"
		  "192.0.2.1,2001:db8::/64 (all that are for this host)" },
	{ "--vlan", "VLANS", OPT_DESTINATION, ARGS_OWN, FIELDS(spec.vlans_cnt, spec.vlans),
	  GIVEN(vlan), .parse = parse_vlan, .max = DEDUP_VLANS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "only frames of these VLANs, by their outermost tag, as in\n"
		  "10,20-29,none; none: those without a tag (any)" },
	{ "--tunnels", "TUNNELS", OPT_DESTINATION, ARGS_OWN, FIELD(spec.tunnels), GIVEN(tunnels),
	  .parse = parse_tunnels_option, .max = DEDUP_TUNNEL_PORTS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "look inside these: none, all, or as in erspan,vxlan:4789,8472\n"
		  "(none, or those of its profiles)" },
	{ "--outer-to", "DESTINATIONS", OPT_DESTINATION, ARGS_OWN,
	  FIELDS(spec.outer_to_cnt, spec.outer_to), GIVEN(outer_to), .parse = parse_outer_to,
	  .max = DEDUP_TO_MAX, .key = ARGS_KEY_JOINED,
	  .help = "only tunnels to these addresses or prefixes (any)" },
	{ "--forwarded", NULL, OPT_DESTINATION, ARGS_FLAG, FIELD(spec.forwarded), GIVEN(forwarded),
	  .key = ARGS_KEY_ONCE,
	  .help = "also frames for other hosts' MACs: mirrored or forwarded traffic" },
	{ "--ihave", "WHAT", OPT_ACTION, ARGS_NAMES("drop", "pass"), FIELD(spec.ihave_pass),
	  GIVEN(ihave), .key = ARGS_KEY_ONCE,
	  .help = "drop IHAVEs if all their ids are known, or pass all (drop)" },
	{ "--deliver", "WHERE", OPT_ACTION, ARGS_OWN, FIELD(spec.deliver), GIVEN(deliver),
	  .parse = parse_deliver, .key = ARGS_KEY_ONCE,
	  .help = "fresh packets go to the network stack, or past it to AF_XDP\n"
		  "sockets: xsk, or xsk:STREAM,STREAM for these streams (stack)" },
	{ "--comment", "TEXT", OPT_ACTION, ARGS_OWN, FIELD(spec.comment), GIVEN(comment),
	  .parse = parse_comment, .max = SPEC_COMMENT_BYTES - 1, .key = ARGS_KEY_ONCE,
	  .help = "what the filter is for: `status` shows it (none)" },
	{ "--layout", "LAYOUT", OPT_LAYOUT, ARGS_NAMES("blocked", "flat", "countdown"),
	  FIELD(spec.layout), GIVEN(layout), .key = ARGS_KEY_ONCE, .help = "{names} (blocked)" },
	{ "--hash", "HASH", OPT_LAYOUT,
	  ARGS_NAMES("fast", "siphash", "colibri", "fips", "fnv1a", "tezos"), FIELD(spec.hash),
	  GIVEN(hash), .key = ARGS_KEY_ONCE,
	  .help = "fast or siphash; flat and countdown also have\n"
		  "colibri, fips, fnv1a and tezos (fast)" },
	{ "--bits", "M", OPT_LAYOUT, ARGS_COUNT, FIELD(spec.bits), GIVEN(bits), .min = 1,
	  .max = UINT32_MAX, .key = ARGS_KEY_ONCE,
	  .help = "flat: bits of an array (as many as --fpr needs)" },
	{ "--hashes", "K", OPT_LAYOUT, ARGS_COUNT, FIELD(spec.hashes), GIVEN(hashes), .min = 1,
	  .max = DEDUP_HASHES_MAX, .key = ARGS_KEY_ONCE,
	  .help = "flat, countdown: probes, {min} to {max} (as many as --fpr needs)" },
	{ "--index-bits", "N", OPT_LAYOUT, ARGS_COUNT, FIELD(spec.index_bits), GIVEN(index_bits),
	  .min = 1, .max = SPEC_INDEX_BITS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "countdown: 2^N cells, {min} to {max} (as many as --fpr needs)" },
	{ "--countdown-bits", "N", OPT_LAYOUT, ARGS_COUNT, FIELD(spec.countdown_bits),
	  GIVEN(countdown_bits), .min = 1, .max = SPEC_COUNTDOWN_BITS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "countdown: an id lasts 2^N - 1 countdowns, {min} to {max} (4)" },
	{ "--add", "IFNAME", OPT_INTERFACES, ARGS_OWN, FIELDS(add, add_cnt), .parse = parse_add,
	  .repeats = true, .max = DEDUP_IFACES_MAX,
	  .help = "run on this interface, too; may be repeated" },
	{ "--remove", "IFNAME", OPT_INTERFACES, ARGS_OWN, FIELDS(remove, remove_cnt),
	  .parse = parse_remove, .repeats = true, .max = DEDUP_IFACES_MAX,
	  .help = "no longer run on this interface, which may be gone; may be\n"
		  "repeated" },
	{ "--replace", NULL, OPT_REPLACE, ARGS_FLAG, FIELD(replace),
	  .help = "over a running filter: replace its program by this version's,\n"
		  "and change the given options; forgets no id" },
	{ "--force", NULL, OPT_REPLACE, ARGS_FLAG, FIELD(force),
	  .help = "load although messages would be lost behind the filter" },
	{ "--wait", NULL, OPT_PREDECESSOR, ARGS_FLAG, FIELD(wait),
	  .help = "if a predecessor still knows ids: wait until it is gone (fail)" },
	{ "--forget", NULL, OPT_PREDECESSOR, ARGS_FLAG, FIELD(forget),
	  .help = "if a predecessor still knows ids: give up these ids (fail)" },
	{ 0 },
};

void wish_begin(struct wish *w)
{
	*w = (struct wish){ .spec = { .capacity = SPEC_CAPACITY_DEFAULT,
				      .streams = { { SPEC_GSP } },
				      .streams_cnt = 1 } };
}

int wish_end(struct wish *w)
{
	int err = w->profiles_cnt ? wish_streams_set(w) ?: wish_streams_deliver(w, &w->spec) : 0;

	if (err)
		return err;
	if (!w->profiles_cnt && w->deliver && !strcmp(w->deliver, STREAM_GSP))
		w->spec.deliver = true;
	if (w->spec.drop_ns && w->spec.count_only)
		return diag_err(
			-EINVAL,
			"--for says how long duplicates are dropped, and --action count drops none" ADVICE
			"leave one of them out");
	/* Without these, the streams are those of a running filter: change_plan() checks them. */
	if ((w->profiles_cnt || w->spec.given.port) && wish_check_sources(w, &w->spec))
		return -EINVAL;
	/* 0, which no option accepts: not given. Then the profiles' values, or defaults, hold. */
	if (!w->spec.fpr_e18)
		w->spec.fpr_e18 = SPEC_FPR(w->fitting_fpr > 0 ? w->fitting_fpr : SPEC_FPR_DEFAULT);
	w->spec.window_ns = w->spec.window_ns ?: w->fitting_window_ns ?: SPEC_WINDOW_DEFAULT_NS;
	return 0;
}

bool wish_has(const struct wish *w, const struct args_option *row)
{
	return row->given && *((const uint8_t *)w + row->given);
}

bool wish_gives(const struct wish *w, unsigned int groups)
{
	for (const struct args_option *row = WISH_OPTIONS; row->option; row++)
		if (row->group & groups && wish_has(w, row))
			return true;
	return false;
}

void wish_apply(const struct wish *w, struct filter_spec *spec)
{
	/* --action and --for belong together: the one that is not given gets its default. */
	if (w->spec.given.action || w->spec.given.drop_for) {
		spec->count_only = spec->given.action = spec->given.drop_for = false;
		spec->drop_ns = 0;
	}
	if (w->spec.given.tunnels && !w->spec.tunnels.kinds)
		spec->outer_to_cnt = spec->outer_to4_cnt = spec->given.outer_to = 0;
	if (wish_gives(w, OPT_MEMORY & ~OPT_SOURCES)) {
		spec->bits = spec->hashes = spec->index_bits = spec->countdown_bits = 0;
		spec->given.bits = spec->given.hashes = spec->given.index_bits =
			spec->given.countdown_bits = false;
	}
	for (const struct args_option *row = WISH_OPTIONS; row->option; row++)
		if (wish_has(w, row)) {
			memcpy((char *)spec + row->field - offsetof(struct wish, spec),
			       (const char *)w + row->field, row->size);
			*((uint8_t *)spec + row->given - offsetof(struct wish, spec)) = true;
		}
}

int wish_check_sources(const struct wish *w, const struct filter_spec *spec)
{
	if (!wish_gives(w, OPT_SOURCES) || numbered_any(spec))
		return 0;
	return diag_err(-EINVAL,
			"%s is for numbered streams, and the filter has none" ADVICE "leave it out",
			w->spec.given.sources ? "--sources" : "--paths");
}
