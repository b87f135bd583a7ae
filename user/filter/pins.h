/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds a loaded filter by its name and opens it, for the tool and the library alike. The filter
 * NAME is the directory PIN_ROOT/NAME of pinned maps. Prints nothing; what fails returns a negative
 * errno.
 */
#ifndef XDP_DEDUP_PINS_H
#define XDP_DEDUP_PINS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "counters.h"
#include "memory.h"

#define BPFFS "/sys/fs/bpf"
#define PIN_ROOT BPFFS "/xdp-dedup"
#define PIN_PROG "prog"
#define PIN_PROG_NEXT "prog-next" /* while it takes the place of that */
#define NAME_MAX_LEN 32

/* The maps of a filter; PINS has the names of their pins in the filter's directory. */
enum pin {
	PIN_FILTER,
	PIN_STATS,
	PIN_STATE,
	PIN_CONFIG,
	PIN_RECORD,
	PIN_WANTED,
	PIN_TIMER,
	PIN_SAMPLES,
	PIN_HANDLED,
	PIN_BEFORE_STATE,
	PIN_BEFORE_FILTER,
	PIN_BEFORE_CONFIG,
	/* Of filters that deliver (include/deliver.h), alone: */
	PIN_XSKS,
	PIN_QUEUES,
	PIN_SOCKETS,
	PIN_HANDED,
	PINS_CNT, /* so many are the packet program's */
	/* Of the predecessor, if there is one: its state, its memory and its hand's timer. */
	PIN_PREDECESSOR_STATE = PINS_CNT,
	PIN_PREDECESSOR_FILTER,
	PIN_PREDECESSOR_TIMER,
	PINS_ALL
};

extern const char *const PINS[PINS_ALL];

static inline bool pin_is_delivery(enum pin pin)
{
	return pin >= PIN_XSKS && pin <= PIN_HANDED;
}

/* Beside the directory of a filter NAME there may be +NAME, a name that no filter can have: what is
 * about to take its place, or has just been in it (handover.h).
 */
#define BESIDE "+"

/* A filter of format 10 may have ~NAME: its predecessor. */
#define BEFORE_10 "~"

/* An open filter: its maps, mapped into this process. The kernel works on the same memory
 * meanwhile: read what may change by READ_ONCE. If it is of the format before (config->format),
 * what that has not reads as 0, and is not the filter's when written.
 */
struct filter {
	char name[sizeof(BESIDE) + NAME_MAX_LEN]; /* of its directory: NAME or +NAME */
	const struct dedup_config *config;
	struct dedup_state *state;
	struct dedup_record *record; /* of its program */
	struct dedup_block *blocks;  /* config->blocks of them */
	uint32_t state_id;	     /* kernel's id of the state map: which filter this is */
	int stream; /* ids are of this one; filter_open() sets it to the only one, 0; or to
		     * -1: there are several (streams.h)
		     */
	int stats_fd, wanted_fd;
	uint32_t counters_bytes; /* of a CPU in a row of `stats` */
	uint64_t serial; /* state->serial; if that is another one now, the filter may be opened anew */
	struct filter *before; /* its predecessor, if filter_open_before() has found one */
	struct filter *beside; /* what is in +NAME, if filter_open_change() has found it */
};

/* As users know it: NAME, also of what is in +NAME. */
static inline const char *filter_shown_name(const struct filter *f)
{
	return f->name + (*f->name == *BESIDE);
}

/* Is a bpffs mounted at BPFFS, as this process sees it? */
bool pin_bpffs_mounted(void);

/* Writes the path PIN_ROOT/name/pin; that of the filter's directory if pin is NULL. */
void pin_path(char path[PATH_MAX], const char *name, const char *pin);

/* Can a filter have this name? 1 to NAME_MAX_LEN letters, digits, '-' and '_' (bpffs takes no
 * dots).
 */
bool filter_name_ok(const char *name);

/* May a new filter be given it? Then it must not begin with '-', as options do. */
bool filter_new_name_ok(const char *name);

/* 0 if nobody but root or this process's user can change what is in this directory, or put another
 * one in its place, and, with is_private, nobody else can even look into it; -EPERM if others can;
 * -ENOTDIR if it is none; another -errno if that cannot be told.
 */
int filter_check_dir(const char *path, bool is_private);

/* Opens a directory at `at`, an open one or AT_FDCWD, if it is such a one; others could still put
 * another one in its place. The descriptor, which is the caller's; or -errno as above.
 */
int filter_open_dir(int at, const char *path, bool is_private);

/* Opens the filter of this name. All maps are of the same filter, also if it is unloaded and
 * another one of its name loaded meanwhile. 0, and the caller closes *out with filter_close().
 * -ENOENT: there is no such filter; -ENODEV: there is no bpffs at BPFFS (another mount may hide it,
 * as under ip netns exec); -EPROTO: the filter is of a format that cannot be read here (format.h),
 * or incomplete; -EACCES or -EPERM: this process may not open it; -EPERM also if others than root
 * may make pins there; another -errno: it cannot be told.
 */
int filter_open(const char *name, struct filter *out);
void filter_close(struct filter *f);

/* Opens what is in +NAME. Errors as of filter_open(). */
int filter_open_beside(const char *name, struct filter *out);

/* Opens, too, the predecessor of an open filter, if it has one, as f->before: its configuration,
 * state and memory alone. f->before->stream is the same stream as f->stream, or -1 if the
 * predecessor had none such. It is closed with *f. 0, also if there is none; -errno as of
 * filter_open().
 */
int filter_open_before(struct filter *f);

/* Opens, too, what is in +NAME beside an open filter, as f->beside: a change that has not ended.
 * Its program may run where that of *f is to; and if it is older than *f, what it counts is among
 * the counters of *f (totals.h). It is closed with *f. 0, also if there is none, or it is
 * incomplete; -errno as of filter_open().
 */
int filter_open_change(struct filter *f);

/* Is one of two open filters, whose names are the same, a later one than the other? */
static inline bool filter_is_later(const struct filter *f, const struct filter *than)
{
	return (int32_t)(f->config->serial - than->config->serial) > 0;
}

/* Is one of two open filters what became of the other by changes while it ran, so that their ids
 * are the same ones? 1 or 0; -errno if that cannot be told.
 */
int filter_is_kin(const struct filter *a, const struct filter *b);

/* The format of the filter of this name, whichever it is; 0 if its pins do not say. -errno if that
 * cannot be told.
 */
int filter_format(const char *name);

/* The kernel's ids by which a filter and its programs are told: 0 for what is not pinned. */
struct identity {
	uint32_t state_id;  /* of the state map: which filter */
	uint32_t config_id; /* of the map of its configuration: which of the programs it has had */
	uint32_t record_id; /* of its record's map; live_maps_of() alone finds it */
	uint32_t prog_id;   /* of the packet program */
};

/* Of any of a filter's directories. It need not be possible to open the filter: pins that are
 * incomplete, or of another version, have ids too. 0; -errno if it cannot be told.
 */
int filter_identity(const char *name, struct identity *out);

/* Is the open filter still the one that is loaded under its name? 0; -ENOENT if not; another -errno
 * if that cannot be told.
 */
int filter_is_loaded(const struct filter *f);

/* Opens the map `samples` of an open filter. The caller closes the descriptor. -ENOENT: the filter
 * has been unloaded; another -errno as of filter_open().
 */
int filter_open_samples(const struct filter *f);

/* Opens a map that filters have which deliver, one of pin_is_delivery(); or any; likewise. */
int filter_open_delivery(const struct filter *f, enum pin pin);
int filter_open_map(const struct filter *f, enum pin pin);

/* No packet is noted in the map `handled` (exchange.h). 0 or -errno. */
int filter_clear_handled(const struct filter *f);

/* Has the filter's program no predecessor any more: takes the predecessor's maps out of the maps of
 * maps, and removes their pins. Says so to whoever has it open. 0, also if there are none; or
 * -errno.
 */
int filter_drop_predecessor(const struct filter *f);

/* Do the programs of two open filters have the same predecessor, or none? 1 or 0; -errno. */
int filter_same_predecessor(const struct filter *a, const struct filter *b);

/* Removes the pin of the packet program; likewise. */
int filter_unpin_program(const struct filter *f);

#endif
