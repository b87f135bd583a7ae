/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the checks of checks.h alone: what each is told, and how it answers. It reports by
 * diag_err() what makes load fail, by diag_note() what may surprise, and writes by inquiry_found()
 * what it found, which is shown if it reports nothing.
 */
#ifndef XDP_DEDUP_INQUIRY_H
#define XDP_DEDUP_INQUIRY_H

#include "checks.h"

#define INQUIRY_FOUND_MAX 512
#define INQUIRY_VALUES_MAX 6
#define INQUIRY_TEXT_MAX 96

struct inquiry {
	const struct checks_subject *subject;
	const char *ifname; /* of which interface; of checks that are not of one, the first; or NULL */
	int iface;	    /* its place in subject->where */
	char found[INQUIRY_FOUND_MAX];
	struct check_value values[INQUIRY_VALUES_MAX];
	char text[INQUIRY_TEXT_MAX]; /* of the only value that is one */
	int values_cnt;
};

/* A check's answer: 0; -errno (logged); or this: what it found, or noted, is that something
 * cannot be told.
 */
#define INQUIRY_UNTOLD 1

__attribute__((format(printf, 2, 3))) void inquiry_found(struct inquiry *q, const char *format, ...);

/* What was found, for programs: reported beside messages, too. A check has one text at
 * most.
 */
void inquiry_number(struct inquiry *q, const char *key, uint64_t number);
void inquiry_flag(struct inquiry *q, const char *key, bool flag);
void inquiry_text(struct inquiry *q, const char *key, const char *text);

/* Of this host and process: checks_host.c */
int check_rights(struct inquiry *q);
int check_kernel(struct inquiry *q);
int check_jit(struct inquiry *q);
int check_dispatcher(struct inquiry *q);
int check_bpffs(struct inquiry *q);
int check_lock(struct inquiry *q);
int check_name(struct inquiry *q);
int check_links(struct inquiry *q);

/* Of the filter, on all of its interfaces: checks_filter.c */
int check_size(struct inquiry *q);
int check_memory(struct inquiry *q);
int check_stacking(struct inquiry *q);
int check_tags(struct inquiry *q);
int check_ports(struct inquiry *q);
int check_forwarding(struct inquiry *q);
int check_window(struct inquiry *q);
int check_delivery(struct inquiry *q);

/* Of one interface: checks_iface.c */
int check_interface(struct inquiry *q);
int check_programs(struct inquiry *q);
int check_ethernet(struct inquiry *q);
int check_merging(struct inquiry *q);
int check_driver(struct inquiry *q);
int check_redirect(struct inquiry *q);
int check_lro(struct inquiry *q);
int check_queues(struct inquiry *q);
int check_mtu(struct inquiry *q);
int check_layers(struct inquiry *q);

#endif
