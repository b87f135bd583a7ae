// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "profile_keys.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "numbering.h"
#include "spec.h"
#include "tunnels.h"
#include "units.h"

int profile_fail(struct parse *p, struct position at, const char *format, ...)
{
	va_list args;

	if (p->failed)
		return -EINVAL;
	p->failed = true;
	p->err->line = at.line;
	p->err->column = at.column;
	va_start(args, format);
	vsnprintf(p->err->says, sizeof(p->err->says), format, args);
	va_end(args);
	return -EINVAL;
}

static int set_about(struct parse *p, const char *value, struct position at)
{
	if (strlen(value) >= PROFILE_ABOUT_MAX)
		return profile_fail(p, at, "about has at most %d characters", PROFILE_ABOUT_MAX - 1);
	snprintf(p->now.about, sizeof(p->now.about), "%s", value);
	return 0;
}

static int set_use(struct parse *p, const char *value, struct position at)
{
	if (strlen(value) >= PROFILE_USE_MAX)
		return profile_fail(p, at, "use has at most %d characters", PROFILE_USE_MAX - 1);
	snprintf(p->now.use, sizeof(p->now.use), "%s", value);
	return 0;
}

const char *const PROFILE_LAYERS[PROFILE_LAYERS_CNT] = {
	[DEDUP_UDP] = "udp", [DEDUP_IP] = "ip", [DEDUP_ETHERNET] = "ethernet"
};

static int set_layer(struct parse *p, const char *value, struct position at)
{
	for (uint32_t i = 0; i < PROFILE_LAYERS_CNT; i++) {
		if (!strcmp(value, PROFILE_LAYERS[i])) {
			p->now.stream.layer = i;
			return 0;
		}
	}
	return profile_fail(p, at, "layer is udp, ip or ethernet");
}

static int set_ethertype(struct parse *p, const char *value, struct position at)
{
	struct scan s = { .at = value };
	uint8_t bytes[2];
	uint32_t type;

	if (scan_hex(&s, "an EtherType", bytes, 2) || *s.at)
		return profile_fail(p, at, "an EtherType is written with 4 hex digits, as 0x88fb");
	type = (uint32_t)bytes[0] << 8 | bytes[1];
	if (type < 0x600)
		return profile_fail(p, at, "EtherTypes begin at 0x0600: below are lengths");
	if (type == 0x8100 || type == 0x88a8)
		return profile_fail(p, at, "the EtherType is the one behind any VLAN tags");
	p->now.stream.ethertype = (uint32_t)bytes[1] << 8 | bytes[0]; /* as in the frame */
	return 0;
}

static int set_decoder(struct parse *p, const char *value, struct position at)
{
	if (strcmp(value, "gsp") || p->origin != PROFILE_BUILTIN)
		return profile_fail(p, at, "only the built-in profile gsp has a decoder: give an id");
	p->now.stream.decoder = DEDUP_GSP;
	return 0;
}

static int add_gate(struct parse *p, const char *value, struct position at, bool exempt)
{
	struct dedup_stream *st = &p->now.stream;
	struct scan s = { .at = value };
	struct dedup_gate gate;
	uint32_t i = st->gates_cnt;

	if (i == DEDUP_GATES_MAX)
		return profile_fail(p, at, "require and exempt are at most %d together",
				    DEDUP_GATES_MAX);
	if (scan_gate(&s, &gate)) {
		at.column += s.at - value;
		return profile_fail(p, at, "%s", s.says);
	}
	if (!p->bases_at[gate.load.base].line)
		p->bases_at[gate.load.base] = at;
	gate.exempt = exempt;
	for (; !exempt && i > 0 && st->gates[i - 1].exempt; i--)
		st->gates[i] = st->gates[i - 1];
	st->gates[i] = gate;
	st->gates_cnt++;
	return 0;
}

static int add_require(struct parse *p, const char *value, struct position at)
{
	return add_gate(p, value, at, false);
}

static int add_exempt(struct parse *p, const char *value, struct position at)
{
	return add_gate(p, value, at, true);
}

static int add_id_parts(struct parse *p, const char *value, struct position at)
{
	struct scan s = { .at = value };

	p->id.stream = &p->now.stream;
	if (!*value)
		return profile_fail(p, at, "an id is missing here, as in payload+0:8");
	for (; *s.at; scan_blanks(&s)) {
		struct position part = { at.line, at.column + (s.at - value) };
		int base = scan_id_part(&s, &p->id);

		if (base < 0) {
			at.column += s.at - value;
			return profile_fail(p, at, "%s", s.says);
		}
		if (!p->bases_at[base].line)
			p->bases_at[base] = part;
	}
	return 0;
}

/* Parses a segment that is an integer. */
static int set_integer(struct parse *p, const char *value, struct position at, const char *what,
		       struct field_integer *out)
{
	struct scan s = { .at = value };

	if (scan_integer(&s, what, out)) {
		at.column += s.at - value;
		return profile_fail(p, at, "%s", s.says);
	}
	if (!p->bases_at[out->load.base].line)
		p->bases_at[out->load.base] = at;
	return 0;
}

static int set_sequence(struct parse *p, const char *value, struct position at)
{
	return set_integer(p, value, at, "a sequence number", &p->sequence);
}

static int set_count(struct parse *p, const char *value, struct position at)
{
	struct dedup_numbered *n = &p->now.numbered;
	struct field_integer count;

	if (set_integer(p, value, at, "a count of messages", &count))
		return -EINVAL;
	n->count = count.load;
	n->count_little = count.little;
	n->count_shift = count.shift;
	return 0;
}

static int set_history(struct parse *p, const char *value, struct position at)
{
	uint32_t shift = DEDUP_BLOCK_SHIFT;
	uint64_t history;

	if (parse_count(value, &history) || history < 1U << DEDUP_BLOCK_SHIFT ||
	    history > DEDUP_HISTORY(DEDUP_RING_MAX))
		return profile_fail(p, at, "a history is %u to %u numbers", 1U << DEDUP_BLOCK_SHIFT,
				    (uint32_t)DEDUP_HISTORY(DEDUP_RING_MAX));
	while (DEDUP_HISTORY(shift) < history)
		shift++;
	p->now.numbered.recovery.ring_shift = shift;
	return 0;
}

static int set_reset(struct parse *p, const char *value, struct position at)
{
	uint64_t ns;

	if (parse_time(value, &ns) || ns < PROFILE_RESET_MIN_NS || ns > PROFILE_RESET_MAX_NS)
		return profile_fail(p, at, "reset is 10ms to 1h");
	p->now.numbered.reset_ns = ns;
	return 0;
}

static int set_partial(struct parse *p, const char *value, struct position at)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return profile_fail(p, at, "partial is yes or no");
	p->now.numbered.partial = !strcmp(value, "yes");
	return 0;
}

static int set_window(struct parse *p, const char *value, struct position at)
{
	uint64_t ns;

	if (parse_time(value, &ns) || ns < SPEC_WINDOW_MIN_NS || ns > SPEC_WINDOW_MAX_NS)
		return profile_fail(p, at, "a window is 10ms to 30d");
	p->now.window_ns = ns;
	return 0;
}

static int set_fpr(struct parse *p, const char *value, struct position at)
{
	if (parse_rate(value, &p->now.fpr))
		return profile_fail(p, at, "fpr is a rate below 1 and at least 1e-18, as 1e-6");
	return 0;
}

static int set_profile_ports(struct parse *p, const char *value, struct position at)
{
	int err = parse_ports(value, p->now.ports, &p->now.ports_cnt);

	if (err == -E2BIG)
		return profile_fail(p, at, "at most %d ports or ranges", DEDUP_PORTS_MAX);
	if (err)
		return profile_fail(p, at,
				    "ports are UDP ports from 1 to 65535, as in 8001,9000-9010");
	return 0;
}

static int set_forwarded(struct parse *p, const char *value, struct position at)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return profile_fail(p, at, "forwarded is yes or no");
	p->now.stream.forwarded = !strcmp(value, "yes");
	return 0;
}

static int set_tunnels(struct parse *p, const char *value, struct position at)
{
	int err = parse_tunnels(value, &p->now.tunnels);

	if (err > 0)
		return profile_fail(p, at, TUNNELS_CLASH, err);
	if (err == -E2BIG)
		return profile_fail(p, at, "tunnels have at most %d UDP ports",
				    DEDUP_TUNNEL_PORTS_MAX);
	return err ? profile_fail(p, at, "tunnels is " TUNNELS_EXPECTS) : 0;
}

static int set_needs(struct parse *p, const char *value, struct position at)
{
	if (strcmp(value, "destination"))
		return profile_fail(p, at, "what a profile can need is: destination");
	p->now.needs_to = true;
	return 0;
}

static int set_learn(struct parse *p, const char *value, struct position at)
{
	if (strcmp(value, "app"))
		return profile_fail(p, at, "learn is app, or it is left out");
	p->now.needs_app = true;
	return 0;
}

const struct profile_key PROFILE_KEYS[] = {
	[KEY_ABOUT] = { "about", set_about, false },
	[KEY_USE] = { "use", set_use, false },
	[KEY_LAYER] = { "layer", set_layer, false },
	[KEY_ETHERTYPE] = { "ethertype", set_ethertype, false },
	[KEY_DECODER] = { "decoder", set_decoder, false },
	[KEY_REQUIRE] = { "require", add_require, true },
	[KEY_EXEMPT] = { "exempt", add_exempt, true },
	[KEY_ID] = { "id", add_id_parts, true },
	[KEY_SOURCE] = { "source", add_id_parts, true },
	[KEY_SEQUENCE] = { "sequence", set_sequence, false },
	[KEY_COUNT] = { "count", set_count, false },
	[KEY_HISTORY] = { "history", set_history, false },
	[KEY_RESET] = { "reset", set_reset, false },
	[KEY_PARTIAL] = { "partial", set_partial, false },
	[KEY_WINDOW] = { "window", set_window, false },
	[KEY_FPR] = { "fpr", set_fpr, false },
	[KEY_PORTS] = { "ports", set_profile_ports, false },
	[KEY_FORWARDED] = { "forwarded", set_forwarded, false },
	[KEY_TUNNELS] = { "tunnels", set_tunnels, false },
	[KEY_NEEDS] = { "needs", set_needs, false },
	[KEY_LEARN] = { "learn", set_learn, false },
};
_Static_assert(sizeof(PROFILE_KEYS) / sizeof(PROFILE_KEYS[0]) == KEYS_CNT, "each key has a row");
