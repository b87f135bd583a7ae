// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "monitor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

void monitor_begin(struct monitor *m, bool reads_links)
{
	struct filter_counters c;

	for (int i = 0; i < m->cnt; i++) {
		struct watched *f = m->list[i];
		bool is_read = reads_links && f->status.filter.stats_fd >= 0 &&
			       !filter_counters(&f->status.filter, &c);

		f->seen = false;
		f->rx_before = is_read ? c.rx : WATCH_UNKNOWN;
	}
}

struct watched *monitor_get(struct monitor *m, const char *name)
{
	struct watched **more, *f;
	int i = 0;

	while (i < m->cnt && strcmp(m->list[i]->name, name) < 0)
		i++;
	if (i < m->cnt && !strcmp(m->list[i]->name, name))
		return m->list[i];
	more = reallocarray(m->list, m->cnt + 1, sizeof(struct watched *));
	f = calloc(1, m->bytes ?: sizeof(*f));
	if (more)
		m->list = more;
	if (!more || !f) {
		free(f);
		diag_err(-ENOMEM, "no memory");
		return NULL;
	}
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->status.filter = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	f->rx_before = WATCH_UNKNOWN;
	memmove(&m->list[i + 1], &m->list[i], (m->cnt - i) * sizeof(struct watched *));
	m->list[i] = f;
	m->cnt++;
	return f;
}

void monitor_remove(struct monitor *m, int i)
{
	monitor_forget(m->list[i]);
	free(m->list[i]);
	m->cnt--;
	memmove(&m->list[i], &m->list[i + 1], (m->cnt - i) * sizeof(struct watched *));
}

void monitor_free(struct monitor *m)
{
	while (m->cnt)
		monitor_remove(m, m->cnt - 1);
	free(m->list);
	m->list = NULL;
}

void monitor_forget(struct watched *f)
{
	status_free(&f->status);
	f->status = (struct status){ .filter = { .stats_fd = -1, .wanted_fd = -1 } };
	watch_free(&f->watch);
	sender_watch_free(&f->senders);
	f->rx_before = WATCH_UNKNOWN;
	f->advice_cnt = 0;
}

uint64_t monitor_window_ns(const struct watched *f)
{
	uint64_t window_ns = f->status.filter.config->memory.window_ns;
	uint64_t age_ns = f->status.pace.age_ns;

	return f->status.stopped ? 0 : age_ns < window_ns ? age_ns : window_ns;
}

void monitor_advise(struct watched *f)
{
	memcpy(f->status.unseen, f->watch.unseen, sizeof(f->status.unseen));
	f->advice_cnt =
		status_advice(&f->status, f->watch.seconds ? &f->watch.recent : NULL, f->advice);
}

void monitor_log_advice(struct watched *f, bool ends)
{
	for (int i = 0; i < f->advice_cnt; i++)
		if (!advice_has(f->logged, f->logged_cnt, f->advice[i].key))
			diag_note("%s: %s", f->name, f->advice[i].text);
	for (int i = 0; i < f->logged_cnt && ends; i++)
		if (!advice_has(f->advice, f->advice_cnt, f->logged[i].key))
			diag_note("%s: is over: %s", f->name, f->logged[i].key);
	memcpy(f->logged, f->advice, sizeof(f->logged));
	f->logged_cnt = f->advice_cnt;
}
