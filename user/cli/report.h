/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The results of replay as a page for a browser (report.html), which needs no other file. */
#ifndef XDP_DEDUP_REPORT_H
#define XDP_DEDUP_REPORT_H

#include "json_out.h"

/* Writes the page of these results to the file. Returns 0; or -errno (logged), after it has removed
 * what it wrote.
 */
int report_write(const char *path, json_object *figures);

#endif
