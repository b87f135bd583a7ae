/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter NAME and what is in +NAME, while the one is exchanged for the other (live_exchange.h),
 * and where their programs run. Each of these can be repeated. Failures are logged.
 */
#ifndef XDP_DEDUP_PAIR_H
#define XDP_DEDUP_PAIR_H

#include <stdbool.h>

#include "attach.h"
#include "identity.h"
#include "open_filter.h"

struct pair {
	const char *name;
	struct filter f, beside;
	struct identity id, beside_id;
	struct attachment *list; /* pair_list()'s, of cnt: of all filters */
	int cnt;
};

/* 0, and the caller closes it; -errno (not logged). */
int pair_open(const char *name, struct pair *p);
void pair_close(struct pair *p);

/* Are they two programs over one memory? */
bool pair_same_memory(const struct pair *p);

/* Is what is in +NAME older, as the two were exchanged? */
bool pair_is_committed(const struct pair *p);

/* Lists the attachments of this network namespace: all of them, or an error. What is not known to
 * run must not be taken for what does not run. 0 or -errno.
 */
int pair_list(struct pair *p);

/* Brings both records up to date for interfaces that have moved here from another network namespace
 * and have taken either program along: attachments_follow(). An interface that the change itself
 * adds or removes has not moved. 0 or -errno (logged).
 */
int pair_follow(struct pair *p);

/* These go by pair_list()'s list. The attachment of a program with this identity to this interface; NULL if
 * there is none. And the interfaces of NAME's record that are here, on which its program does not
 * run, nor that of +NAME without a dispatcher: returns how many; `modes`: how it is to run there.
 */
const struct attachment *pair_attached(const struct pair *p, int ifindex, struct identity id);
int pair_missing(const struct pair *p, char names[][IF_NAMESIZE], enum attach_mode *modes);

/* Attaches NAME's program to these interfaces, each in its mode. Without a dispatcher that program
 * is then the one for all interfaces, and pinned. 0 or -errno.
 */
int pair_attach_to(const struct pair *p, char *const *names, const enum attach_mode *modes, int cnt);

/* Attaches NAME's program in the place of that of +NAME: where its record has the interface, and
 * that runs without a dispatcher. Goes by the list. 0 or -errno.
 */
int pair_attach_instead(struct pair *p);

/* Attaches NAME's program where its record says, as far as that is here. 0 or -errno. */
int pair_attach_new(struct pair *p);

/* Detaches the program of +NAME. Where an interface of the filter cannot be seen from here, as it
 * is in another network namespace, the program must then be gone: as long as it runs, what the two
 * have between them has to stay. 0; -EBUSY if it is not gone; another -errno.
 */
int pair_detach_beside(struct pair *p);

/* Pins NAME's program as it runs, in a dispatcher as libxdp has loaded it. 0 or -errno. */
int pair_pin_program(struct pair *p);

/* The time of --for is that of NAME's program, if that has a new one. */
void pair_begin_drops(const struct pair *p);

#endif
