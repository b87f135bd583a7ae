// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* run --check: logs the errors of the file, and what a load of its filters would note. */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "config_file.h"
#include "device.h"
#include "driver.h"
#include "diag.h"
#include "exit.h"
#include "lost_packets.h"
#include "receivers.h"
#include "service.h"

/* Puts the filter's name before a message. */
static void add_filter_name(void *to, const struct diag *d)
{
	const struct config_filter *f = to;
	struct diag named = *d;
	char *finding;

	if (asprintf(&finding, "[filter %s]: %s", f->name, d->finding) < 0) {
		diag_give(d);
		return;
	}
	named.finding = finding;
	diag_give(&named);
	free(finding);
}

/* Logs the notes that a load of the filter on its existing interfaces would log. */
static void note_filter(struct config_filter *f, const struct links *links, bool recover)
{
	char *present[DEDUP_IFACES_MAX];
	const struct wish *w = &f->wish;
	struct diag_receiver receiver = { .take = add_filter_name, .to = f };
	struct placement where = { .ifnames = present, .mode = w->where.mode };
	const struct checks_subject subject = { .where = &where,
						.spec = &w->spec,
						.links = links,
						.fitting_window_ns = w->fitting_window_ns };

	diag_receive(&receiver);
	for (int i = 0; i < w->where.cnt; i++) {
		int ifindex = (int)if_nametoindex(w->where.ifnames[i]);
		uint64_t features;

		if (!ifindex)
			continue;
		present[where.cnt++] = w->where.ifnames[i];
		if (recover && lost_is_costly(w->where.ifnames[i], w->where.mode))
			diag_note("recover: off for all filters: " LOST_COSTLY, w->where.ifnames[i]);
		if (w->where.mode == MODE_ANY && !driver_xdp_features(ifindex, &features))
			attach_check_mode(w->where.ifnames[i], w->where.mode, features & DEVICE_XDP,
					  false);
	}
	checks_note(&subject);
	diag_receive_end(&receiver);
}

int service_check(const char *path)
{
	struct config_file config;
	struct links links;

	if (config_read(path, &config))
		return EXIT_MISUSED;
	if (!receivers_links(&links)) {
		for (int i = 0; i < config.cnt; i++)
			note_filter(&config.filters[i], &links, config.recover);
		links_free(&links);
	}
	diag_done("%s: %d filter%s", path, config.cnt, config.cnt == 1 ? "" : "s");
	config_free(&config);
	return EXIT_DONE;
}
