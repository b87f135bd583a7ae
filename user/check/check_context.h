/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The input of a check, and its result; only for the checks of checks.h. A check reports a problem
 * that makes load fail by diag_err(), and other advice by diag_note(). It writes its finding by
 * check_found(); the finding is shown if the check reports nothing else, or if the result is
 * unknown and it reports no error.
 */
#pragma once

#include "checks.h"

#define CHECK_FOUND_MAX 512
#define CHECK_VALUES_MAX 6
#define CHECK_TEXT_MAX 96

struct check_context {
	const struct checks_subject *subject;
	const char *ifname; /* the checked interface; checks of the host: the first one, or NULL */
	int iface;	    /* its index in subject->where */
	char found[CHECK_FOUND_MAX];
	struct check_value values[CHECK_VALUES_MAX];
	char text[CHECK_TEXT_MAX]; /* storage of the value of kind VALUE_TEXT */
	int values_cnt;
};

/* A check returns 0; -errno (logged); or CHECK_IS_UNKNOWN if the result is unknown, also because of
 * a failed query (logged). check_found() returns 0, check_unknown() returns CHECK_IS_UNKNOWN.
 */
#define CHECK_IS_UNKNOWN 1

__attribute__((format(printf, 2, 3))) int check_found(struct check_context *q, const char *format,
						      ...);
#define check_unknown(q, ...) (check_found(q, __VA_ARGS__), CHECK_IS_UNKNOWN)

/* Add a value to the finding, for programs. Values are reported with messages, too. A check may add
 * one text.
 */
void check_number(struct check_context *q, const char *key, uint64_t number);
void check_flag(struct check_context *q, const char *key, bool flag);
void check_text(struct check_context *q, const char *key, const char *text);

/* Checks of this host and process: checks_host.c */
int check_rights(struct check_context *q);
int check_kernel(struct check_context *q);
int check_preemption(struct check_context *q);
int check_jit(struct check_context *q);
int check_dispatcher(struct check_context *q);
int check_bpffs(struct check_context *q);
int check_lock(struct check_context *q);
int check_name(struct check_context *q);
int check_links(struct check_context *q);

/* Checks of the filter, on all of its interfaces: checks_filter.c */
int check_size(struct check_context *q);
int check_memory(struct check_context *q);
int check_stacking(struct check_context *q);
int check_tags(struct check_context *q);
int check_ports(struct check_context *q);
int check_forwarding(struct check_context *q);
int check_window(struct check_context *q);
int check_delivery(struct check_context *q);

/* Checks of one interface: checks_iface.c */
int check_interface(struct check_context *q);
int check_programs(struct check_context *q);
int check_ethernet(struct check_context *q);
int check_merging(struct check_context *q);
int check_driver(struct check_context *q);
int check_redirect(struct check_context *q);
int check_lro(struct check_context *q);
int check_queues(struct check_context *q);
int check_mtu(struct check_context *q);
int check_layers(struct check_context *q);
int check_tunnels(struct check_context *q);

/* Checks of what the IP stack does behind the filter: checks_stack.c. Of each interface, and
 * of all.
 */
int check_reverse_path(struct check_context *q);
int check_groups(struct check_context *q);
int check_sockets(struct check_context *q);
int check_vlans(struct check_context *q);
int check_buffers(struct check_context *q);
int check_rules(struct check_context *q);
