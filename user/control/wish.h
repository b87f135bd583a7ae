/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The request to an operation (control.h). A command line or the service's file fills it in by the
 * rows of WISH_OPTIONS.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "attach.h"
#include "diag.h"
#include "config.h"

struct profiles;

#define WISH_FILES_MAX 16

/* The value of an option that may be given several times, and where it was given. */
struct given_text {
	const char *text;
	struct diag_location location;
};

struct wish {
	/* Its first stream has the ports of --port and the destinations of --to, until wish_end()
	 * makes streams of the profiles. `several` is not set here.
	 */
	struct filter_spec spec;
	struct given_text profiles[DEDUP_STREAMS_MAX]; /* --profile: streams */
	int profiles_cnt;
	struct given_text files[WISH_FILES_MAX]; /* --profiles */
	int files_cnt;
	const char *deliver;	    /* --deliver, if it names streams: wish_streams_deliver() */
	uint64_t fitting_window_ns; /* the longest that fits all profiles; 0: they have none */
	double fitting_fpr;	    /* the highest that fits all profiles; 0: they have none */

	const char *name; /* the filter's, or of an interface on which it runs; NULL: not given */
	const char *file; /* the snapshot's */
	struct placement where; /* cnt 0: no interface is named */
	/* set: interfaces */
	char *add[DEDUP_IFACES_MAX];
	int add_cnt;
	char *remove[DEDUP_IFACES_MAX];
	int remove_cnt;
	bool replace; /* load: in the place of a filter that runs */
	bool whole;   /* with `replace`: other values, except --for, become those of a new filter */
	bool renew;   /* with `whole`: exchange the program even if nothing else changes */
	bool stays;   /* with `replace`: where it runs now, too */
	uint64_t drop_until_ns; /* load: when --for ends, which was said earlier; 0: it is said now */
	bool force;		/* load: although messages would be lost behind the filter */
	bool wait, forget; /* while there is a predecessor: wait until it has gone; give it up */
	bool all;	   /* unload: every filter */
	bool verbose;	   /* show messages of libbpf and libxdp */
};

/* Groups of options. A verb takes a group as a whole; values are ORed. */
enum {
	OPT_NAME = 1 << 0,
	OPT_MODE = 1 << 1,
	OPT_PORT = 1 << 2,
	OPT_CAPACITY = 1 << 3,
	OPT_WINDOW = 1 << 4,
	OPT_ACTION = 1 << 5, /* --action, --for, --learn, --ihave, --deliver, --comment */
	OPT_LAYOUT = 1 << 6, /* --layout, --hash, and the options for m and k */
	OPT_FPR = 1 << 7,
	OPT_DESTINATION = 1 << 8, /* --to, --outer-to, --vlan, --tunnels, --forwarded */
	OPT_PROFILE = 1 << 9,
	OPT_PROFILES = 1 << 10,
	OPT_INTERFACES = 1 << 11,  /* --add, --remove */
	OPT_PREDECESSOR = 1 << 12, /* --wait, --forget */
	OPT_REPLACE = 1 << 13,
	OPT_SOURCES = 1 << 14,
	OPT_NEXT = 1 << 15, /* the first free bit */
	OPT_SIZE = OPT_CAPACITY | OPT_FPR,
	OPT_MEMORY = OPT_SIZE | OPT_WINDOW | OPT_LAYOUT | OPT_SOURCES,
	OPT_LOAD_FILTER = OPT_PORT | OPT_MEMORY | OPT_ACTION | OPT_DESTINATION | OPT_PROFILE |
			  OPT_PROFILES, /* the filter itself */
	OPT_LOAD = OPT_LOAD_FILTER | OPT_NAME | OPT_MODE,
};

/* The options of operations, up to one without a name. Their fields are those of a struct wish. */
extern const struct args_option WISH_OPTIONS[];

/* Sets the built-in defaults. Then come args_from_environment() and args_set(), then wish_end(). */
void wish_begin(struct wish *w);

/* Makes streams of the profiles, and sets what follows from all options. Returns 0; -EINVAL if
 * an option is wrong; or another -errno, as when a file of profiles cannot be read (logged).
 */
int wish_end(struct wish *w);

/* Writes the given values over the spec of a running filter: --port and --to over its first stream. */
void wish_apply(const struct wish *w, struct filter_spec *spec);

/* Was the option of this row of WISH_OPTIONS given? False of a row without a mark. */
bool wish_has(const struct wish *w, const struct args_option *row);

/* Was any option of these groups given, other than --profile? */
bool wish_gives(const struct wish *w, unsigned int groups);

/* Checks that --sources and --paths were not given if the spec has no numbered stream. What a
 * filter has from its earlier streams does not count. Returns 0; or -EINVAL (logged).
 */
int wish_check_sources(const struct wish *w, const struct filter_spec *spec);

/* Streams (wish_streams.c). Adds the built-in profiles, the host's, and those in the files of
 * --profiles. Returns 0, or -errno (logged). The caller frees *out in both cases.
 */
int wish_profiles(const struct wish *w, struct profiles *out);

/* Adds the profiles of one file. Returns 0; or -errno, after logging FILE:LINE:COLUMN, or why it
 * cannot be read; the message begins with the line of a configuration that named the file.
 */
int wish_profiles_file(struct profiles *p, const struct given_text *file);

/* Makes the spec's streams from w->profiles; with --port, GSP/1's stays the first. Sets
 * w->fitting_window_ns and w->fitting_fpr to the strictest values of the profiles. For wish_end().
 * Returns 0, or -errno (logged).
 */
int wish_streams_set(struct wish *w);

/* Sets which of the spec's streams are delivered, as in --deliver. Returns 0, also if it was not
 * given; or -EINVAL (logged) if it names a stream that does not exist.
 */
int wish_streams_deliver(const struct wish *w, struct filter_spec *spec);

/* Writes the options that give the wish its streams as a command line has them, each after a space;
 * as much as there is room for. Returns buf.
 */
#define WISH_STREAMS_TEXT_MAX 4096
const char *wish_streams_text(const struct wish *w, char buf[WISH_STREAMS_TEXT_MAX]);

/* Checks that each stream has what it must have to run: ports, destinations, --learn app. Returns
 * 0; or -EINVAL (logged).
 */
int wish_streams_check_needs(const struct filter_spec *spec);

/* Does wish_streams_check_needs() for the streams of --profile, and checks --deliver without any. */
int wish_streams_check(const struct wish *w);
