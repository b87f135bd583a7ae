/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests of the tool as its users meet it share. Commands have, beside what said.h gives
 * them: $NOBODY runs the tool without privileges, $OTHER is another XDP program's pin, and
 * $NAMESAKE that of another of our program's name; $HUGE is a capacity that this machine has
 * not the memory for; $HOW is what `status` says of a program on v0 that is attached as usual:
 * alone, or through libxdp's dispatcher, whose pins are in $LIBXDP_PINS. Every test has a veth pair
 * v0-p0, down so that no packet disturbs its counters, a bridge b0, which has no native XDP, and
 * /mnt for its files; after each, `unload --all` must leave nothing.
 */
#ifndef XDP_DEDUP_TESTS_CLI_BED_H
#define XDP_DEDUP_TESTS_CLI_BED_H

#include "said.h"

#include "config.h"

#define LOAD "$XD load v0 --port 8001"

extern struct dedup_config cli_plan; /* of the filters that tests load without options */

/* Gives commands their variables, and makes cli_plan; for main. */
void cli_environment(void);

/* For add_test() and add_rows(). */
int cli_setup(void **state);
int cli_teardown(void **state);

/* What there is: programs on interfaces, maps (which live as long as a program that uses
 * them), pins; and that it is what it was before, within seconds: the kernel frees late.
 */
void cli_take_stock(char *stock, size_t size);
void cli_assert_stock(const char *before);

/* Writes so many ids, one a line, as `add NAME -` reads them; other ids for another seed. */
void cli_write_ids(const char *path, int cnt, uint64_t seed);

/* A script, each line of which must succeed. It has 2000 ids in /mnt/ids, and may say:
 * got COMMAND            it succeeds; what it said is for the next three lines:
 * exits STATUS COMMAND   likewise, but it ends with this status
 * has, lacks, is TEXT    this is in it; is not; is all of it
 * fails TEXT COMMAND     it fails, with one line of the tool's on stderr, which has this in it
 * runs, idle IFNAME      there is XDP on it; is none
 * clean                  there are no pins, nor of dispatchers
 */
struct cli_story {
	const char *name, *script;
};

/* For add_rows() of such a table. */
void cli_run_story(void **state);

#endif
