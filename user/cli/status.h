/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What status shows of a filter, collected once (verb_status.c), and its two forms. */
#ifndef XDP_DEDUP_STATUS_H
#define XDP_DEDUP_STATUS_H

#include <json-c/json.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach.h"
#include "layout.h"
#include "pins.h"
#include "receivers.h"

struct status_iface {
	char name[IF_NAMESIZE];
	uint32_t ifindex; /* names change, and an interface may have several */
	enum attach_mode mode;
	bool dispatcher;
	const char *state; /* "attached", "detached", "gone", "other netns", "unknown" */
};

/* Everything that is shown, collected once. */
struct status {
	struct filter filter;
	const struct layout *layout;
	struct status_iface ifaces[2 * DEDUP_IFACES_MAX];
	int ifaces_cnt;
	struct links links;
	struct receivers_faults faults;
	const char *mode; /* of all attached interfaces, or "mixed", or "none" */
	struct filter_counters counters;
	struct fill fill;
	uint64_t *histogram;   /* countdown, where it is short enough to show */
	uint64_t approx_count; /* countdown */
	double hand;	       /* part of the turn that is done */
	uint32_t turns;
	uint64_t oldest_ns;
	bool stopped; /* the hand's clock */
	bool exact;   /* all of the memory is to be read */
};

/* Bytes of packets that the stack never saw. */
uint64_t status_bytes_kept_away(const struct status *s);

/* For people, to stdout. */
void status_print(const struct status *s);

/* For programs; the caller puts it. */
json_object *status_json(const struct status *s);

#endif
