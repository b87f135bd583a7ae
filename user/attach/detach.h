/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Detaches the packet program from interfaces of this network namespace. */
#ifndef XDP_DEDUP_DETACH_H
#define XDP_DEDUP_DETACH_H

#include "attach.h"

/* Detaches the program from every interface of the list that is `meant`; some may be on top of
 * others. An interface that is gone, or does not run the program any more, counts as detached. One
 * that cannot be detached goes on filtering and is logged. Returns 0, or the -errno of one of
 * these.
 */
int detach_meant(struct attachment *list, int cnt);

#endif
