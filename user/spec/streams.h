/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks that the streams of a spec fit together, and plans the packet program's policy. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define STREAMS_SAYS_MAX 256

/* Returns NULL if these streams can be in one filter; else a sentence for the user. says: room for
 * it, STREAMS_SAYS_MAX bytes.
 */
const char *streams_refusal(const struct filter_spec *spec, char *says);

/* Returns whether a stream other than the i-th has this name. given[]: which streams have names. */
bool streams_has_name(const struct filter_spec *spec, uint32_t i, const char *name,
		      const bool given[DEDUP_STREAMS_MAX]);

/* Gives names to the streams that are not given[]: their profile's name, with -2 after it for the
 * second stream of a name, and so on. Sets given[].
 */
void streams_choose_names(struct filter_spec *spec, bool given[DEDUP_STREAMS_MAX]);

/* Fills in the policy of *c, except its action, from c->asked: which packets are looked at, which
 * ids they have, and where fresh ones go. Realms are numbered from 0 on in the streams' order, and
 * so are slots; the realms' keys stay 0. streams_refusal() has let c->asked pass.
 */
void streams_plan(struct dedup_config *c);

/* Chooses the packet program's entry, and what goes by it: a realm key that is not 0 makes GSP/1
 * one of several streams, though it is alone. For streams_plan(), and once the realms have keys.
 */
void streams_choose_entry(struct dedup_config *c);

/* Return whether fresh packets of the stream go to UDP sockets; and whether those to this port
 * (host order) do, of any stream.
 */
bool streams_go_to_sockets(const struct filter_spec *spec, const struct spec_stream *s);
bool streams_have_socket_port(const struct filter_spec *spec, uint16_t port);

/* Returns config.deliver's bits of all streams. */
uint32_t streams_all(const struct dedup_config *c);
