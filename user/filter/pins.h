/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters in the kernel, found by name and opened: the tool and the library both do.
 * Says nothing; what fails returns a negative errno.
 *
 * A filter NAME is the directory PIN_ROOT/NAME of pinned maps.
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
#define NAME_MAX_LEN 32

/* The maps of a filter, and the names of their pins. */
enum pin { PIN_FILTER, PIN_STATS, PIN_STATE, PIN_CONFIG, PIN_WANTED, PIN_TIMER, PINS_CNT };

extern const char *const PINS[PINS_CNT];

/* An open filter: its maps in this process's memory. The kernel works on the same
 * memory; read what changes once, as a volatile.
 */
struct filter {
	char name[NAME_MAX_LEN + 1];
	const struct dedup_config *config;
	struct dedup_state *state;
	struct dedup_block *blocks; /* config->blocks of them */
	uint32_t state_id;	    /* kernel's id of the state map: which filter this is */
	int stats_fd, wanted_fd;
};

/* PIN_ROOT/name, or its pin where that is not NULL. */
void pin_path(char path[PATH_MAX], const char *name, const char *pin);

/* A NAME is 1 to NAME_MAX_LEN letters, digits, '-' and '_' (bpffs takes no dots). */
bool filter_name_ok(const char *name);

/* The same of a new filter's, which must not look like an option. */
bool filter_new_name_ok(const char *name);

/* May no one but root, or this process' user, change what is in this directory? And, if
 * `own` is set, not even look into it? -EPERM if others may; -errno if that cannot be told.
 */
int filter_check_dir(const char *path, bool own);

/* Opens a filter, all of it the same one, whatever is loaded and unloaded meanwhile.
 * -ENOENT if there is none of that name, -ENODEV if there is no bpffs at BPFFS (it may be
 * hidden, as under ip netns exec), -EPROTO if the filter is not of this version or
 * incomplete, -EACCES if this process may not, -EPERM likewise or if others than root may
 * make pins there; another -errno if it cannot be told.
 */
int filter_open(const char *name, struct filter *out);
void filter_close(struct filter *f);

/* The kernel's ids of a filter's state map and packet program, which also pins have
 * that are incomplete or of another version; 0 for what is not pinned. -errno if that
 * cannot be told.
 */
int filter_identity(const char *name, uint32_t *state_id, uint32_t *prog_id);

/* The counters, summed over the CPUs; credit too, which is learned but not yet used. */
struct filter_counters {
#define X(name, help) __u64 name;
	DEDUP_COUNTERS(X)
#undef X
	__s64 credit;
};
int filter_counters(const struct filter *f, struct filter_counters *sum);

#endif
