/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows the senders of numbered streams, and what each path brings, as text and as JSON. */
#pragma once

#include <json-c/json.h>

#include "sender_list.h"

#define SENDERS_SHOWN 8 /* senders in text */
#define SENDERS_IFACE_MAX 64

/* A filter's senders, or a capture's. */
struct senders_view {
	const struct dedup_config *config;
	struct sender_list list;
	uint64_t now_ns; /* CLOCK_MONOTONIC; 0: of a capture, whose accounts have no age */
	/* Returns the name of the interface with this index; NULL if it is gone. name[]: a buffer. */
	const char *(*iface_name)(const void *of, uint32_t ifindex, char name[SENDERS_IFACE_MAX]);
	const void *of;
};

/* Returns the percentage, as 12.5 for 1 of 8; 0 if `of` is 0. */
double percent_of(uint64_t part, uint64_t of);

/* Returns words for the numbers that no path has brought. */
const char *sender_lost_as(const struct source_figures *f);

/* Prints the senders to stdout. */
void senders_print(const struct senders_view *v);

/* Makes an object of a sender, with its paths. The caller frees it, or adds to it. */
json_object *sender_json(const struct senders_view *v, const struct source_figures *f);

/* Makes a list of objects. The caller frees it with json_object_put(). */
json_object *senders_json(const struct senders_view *v);
