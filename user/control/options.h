/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of all verbs: from the command line and the environment to a struct. */
#ifndef XDP_DEDUP_OPTIONS_H
#define XDP_DEDUP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "attach.h"
#include "diag.h"
#include "engine.h"
#include "spec.h"

#define OPTIONS_MAX 63
#define OPTIONS_FILES_MAX 16

struct sample_options {
	bool drops, fresh; /* --drops, --new */
	uint32_t rate;	   /* a second */
	uint32_t snap;	   /* bytes, if it was given */
	uint64_t count;	   /* ends after so many; 0: it goes on */
	uint64_t for_ns;   /* ends after that time; 0: it goes on */
	const char *write; /* a file, or "-"; NULL: none */
};

struct watch_options {
	uint64_t every_ns; /* between two readings */
	uint64_t count;	   /* ends after so many; 0: it goes on */
};

/* The value of an option that may be given several times, and where it was given. */
struct given_text {
	const char *text;
	struct diag_location location;
};

/* Which options were given, on a command line or as keys of a file: a verb changes only these. The
 * environment does not count, as it sets defaults.
 */
struct options_given {
	bool port, to, vlan, forwarded, action, drop_for, learn, ihave, deliver;
	bool capacity, fpr, window, layout, hash, bits, hashes, index_bits, countdown_bits;
	bool mac, snap;
};

struct options {
	struct filter_spec spec; /* ports_cnt is 0 without --port; `several` is not set here */
	struct options_given given;
	struct given_text profiles[DEDUP_STREAMS_MAX]; /* --profile: streams */
	int profiles_cnt;
	struct given_text files[OPTIONS_FILES_MAX]; /* --profiles */
	int files_cnt;
	const char *deliver; /* --deliver, if it names streams: stream_options_deliver() */
	uint64_t window_ns;  /* the longest that fits all streams' profiles; 0: they do not say */
	double fpr;	     /* the highest one, likewise */
	const char *name;    /* --name; NULL without */
	enum attach_mode mode;
	bool json;
	bool all;
	bool exact; /* status reads all of the memory, not a sample */
	bool force; /* unload removes pins also if it cannot be told whether they are in use */
	/* set: interfaces */
	char *add[DEDUP_IFACES_MAX];
	int add_cnt;
	char *remove[DEDUP_IFACES_MAX];
	int remove_cnt;
	bool replace; /* load: in the place of a filter that runs */
	bool whole;   /* with that: what is not given is not to stay, but as for a new filter */
	bool wait, forget; /* while there is a predecessor: wait until it has gone; give it up */
	/* replay */
	enum engine_kind engine;
	const char *write_passed, *write_dropped; /* paths; NULL: not written */
	uint8_t mac[6];				  /* if it was given */
	uint64_t memory;			  /* bytes for ids that came */

	struct sample_options sample;
	struct watch_options watch;
	const char *config; /* run: the file; NULL without */
	bool check;	    /* run: only see whether the file is right */
	const char *user;   /* exec: who the command is to be; NULL: who this is */
	/* exec: numbers of the queues that are granted, of each interface; none: all */
	struct dedup_ports queues[DEDUP_PORTS_MAX];
	uint32_t queues_cnt;
	bool verbose; /* show what libbpf and libxdp say */

	char **args; /* arguments that are no options, in order; they belong to argv */
	int args_cnt;
};

/* Groups of options, which a verb takes as a whole; to be ORed. */
enum {
	OPT_NAME = 1 << 0,
	OPT_MODE = 1 << 1,
	OPT_PORT = 1 << 2,
	OPT_CAPACITY = 1 << 3,
	OPT_WINDOW = 1 << 4,
	OPT_ACTION = 1 << 5, /* --action, --for, --learn, --ihave, --deliver */
	OPT_JSON = 1 << 6,
	OPT_ALL = 1 << 7,
	OPT_SHAPE = 1 << 8, /* --layout, --hash, and what m and k come from */
	OPT_FPR = 1 << 9,
	OPT_EXACT = 1 << 10,
	OPT_DESTINATION = 1 << 11, /* --to, --forwarded */
	OPT_FORCE = 1 << 12,
	OPT_PROFILE = 1 << 13,
	OPT_PROFILES = 1 << 14,
	OPT_REPLAY = 1 << 15,
	OPT_SAMPLE = 1 << 16,
	OPT_INTERFACES = 1 << 17,  /* --add, --remove */
	OPT_PREDECESSOR = 1 << 18, /* --wait, --forget */
	OPT_REPLACE = 1 << 19,
	OPT_WATCH = 1 << 20,
	OPT_CONFIG = 1 << 21,
	OPT_EXEC = 1 << 22, /* --user, --queues */
	OPT_SIZE = OPT_CAPACITY | OPT_FPR,
	OPT_LOAD_FILTER = OPT_PORT | OPT_SIZE | OPT_WINDOW | OPT_ACTION | OPT_SHAPE |
			  OPT_DESTINATION | OPT_PROFILE | OPT_PROFILES, /* what it is */
	OPT_LOAD = OPT_LOAD_FILTER | OPT_NAME | OPT_MODE,
};

/* All options of all verbs, up to one without a name. */
extern const struct args_option OPTIONS[OPTIONS_MAX + 1];

/* Fills in *o: built-in defaults, over them what the profiles of --profile say, over that the
 * environment (XDP_DEDUP_CAPACITY, XDP_DEDUP_FPR, XDP_DEDUP_WINDOW), over that argv[1] on, whose
 * order changes (args_parse). 0; or -EINVAL after logging why.
 */
int options_parse(struct options *o, const struct args_command *c, int argc, char **argv);

/* The same in parts, for options that do not come from a command line: the built-in defaults; then
 * args_from_environment() and args_set(); then what follows from all of them.
 */
void options_begin(struct options *o);
int options_end(struct options *o);

/* Is none of these interfaces named twice? 0; or -EINVAL (logged). */
int options_check_once(char *const *ifnames, int cnt);

#endif
