/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of libxdp-dedup share: one filter that this process has open with the
 * library, beside the packet program on the same filter. A test named KIND-x runs on a
 * filter of each kind, which stays loaded for the next one.
 */
#ifndef XDP_DEDUP_TESTS_LIB_BED_H
#define XDP_DEDUP_TESTS_LIB_BED_H

#include "bed.h"

#include <stdbool.h>

#include "filter.h"
#include "packet.h"
#include "xdp-dedup.h"

#define LIB_NAME "lib"

extern struct lib {
	struct xdp_dedup_filter *f; /* what is tested */
	struct filter raw;	    /* the same, to look into */
	int prog;		    /* its packet program */
} lib;

/* Unloads what there is, and loads LIB_NAME on ve0, so sparse that nothing is known by
 * chance. No packets come but the test's own.
 */
void lib_load(const char *options);

/* Opens a filter that is loaded; closes it. */
void lib_take(const char *name);
void lib_let_go(void);

/* Stops the hand, so that the test has the state for itself, without its being stale. */
void lib_freeze(void);

/* For cmocka_unit_test_setup(): with no filter; the same with links that nobody used. */
int lib_setup_none(void **state);
int lib_setup_links(void **state);

bool lib_is_countdown(void);

/* One packet with this id through the program, on no interface: is it dropped? */
bool lib_dropped(enum gsp_type type, const struct id *id);
bool lib_packet_dropped(const struct id *id); /* an EVENT */

/* What the library answers to xdp_dedup_test(), _add() and _check_and_add(). */
int lib_asked(const struct id *id);
int lib_added(const struct id *id);
int lib_seen(const struct id *id);

struct xdp_dedup_stats lib_stats(void); /* exact */

/* Adds, as add_tests() does: tests called kind_x, all of them for one kind after the other, as
 * KIND-x; one, whose name is `before` and `name` together.
 */
void lib_add_kind_tests(const struct CMUnitTest *tests, size_t cnt);
void lib_add_row(const char *before, const char *name, CMUnitTestFunction f,
		 CMFixtureFunction setup, const void *row);

/* As run_added_tests(); then closes the filter and removes the links. */
int lib_run_tests(const char *group);

#endif
