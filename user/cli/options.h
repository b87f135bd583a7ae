/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the options of all verbs from the command line and the environment into a struct. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "engine.h"
#include "wish.h"

struct sample_options {
	bool drops, fresh; /* --drops, --new */
	bool snap_given;
	uint32_t rate;	   /* a second */
	uint32_t snap;	   /* bytes, if it was given */
	uint64_t count;	   /* end after this many samples; 0: no end */
	uint64_t for_ns;   /* end after this time; 0: no end */
	const char *write; /* a file, or "-"; NULL: none */
};

struct watch_options {
	uint64_t every_ns; /* between two readings */
	uint64_t count;	   /* end after this many readings; 0: no end */
};

struct options {
	struct wish wish; /* at offset 0, so that rows of WISH_OPTIONS fill it in */
	bool json;
	bool exact; /* status reads all of the memory, not a sample */
	/* replay */
	enum engine_kind engine;
	const char *write_passed, *write_dropped; /* paths; NULL: not written */
	const char *html;			  /* a path; NULL: no page is written */
	bool mac_given;
	uint8_t mac[6];
	uint64_t memory; /* bytes for the table of ids */

	struct sample_options sample; /* lost has some of these, too */
	bool take_over;		      /* lost: stops a drop monitor that is on */
	bool want_lost;		      /* lost: wants their ids */
	struct watch_options watch;
	const char *config; /* run: the file; NULL: the default file */
	bool check;	    /* run: only check the file */
	bool renew;	    /* run: --replace */

	char **args; /* arguments that are no options, in order; they belong to argv */
	int args_cnt;
};

/* Groups of options that belong to no operation (wish.h). */
enum {
	OPT_JSON = OPT_NEXT << 0,
	OPT_ALL = OPT_NEXT << 1,
	OPT_EXACT = OPT_NEXT << 2,
	OPT_REPLAY = OPT_NEXT << 3,
	OPT_SAMPLE = OPT_NEXT << 4,
	OPT_WATCH = OPT_NEXT << 5,
	OPT_CONFIG = OPT_NEXT << 6,
	OPT_LOST = OPT_NEXT << 7,
};

/* Returns all options of all verbs, up to one without a name. */
const struct args_option *options_table(void);

/* Sets the built-in defaults. */
void options_begin(struct options *o);

/* Fills in *o. argv, from argv[1] on, overrides the environment (XDP_DEDUP_CAPACITY, XDP_DEDUP_FPR,
 * XDP_DEDUP_WINDOW), which overrides the profiles of --profile, which override the built-in
 * defaults. Reorders argv (args_parse). Returns 0; or -EINVAL (logged).
 */
int options_parse(struct options *o, const struct args_command *c, int argc, char **argv);
