/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of xdp-dedup-publish, from the command line and from a file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config_values.h"
#include "socket_address.h"

#define PUBLISH_PROGRAM "xdp-dedup-publish"
#define PUBLISH_LISTEN_MAX 64
#define PUBLISH_MACHINE_MAX 64 /* characters */

/* How fresh events are received. */
enum publish_receive {
	PUBLISH_AUTO, /* by AF_XDP if it works, else by UDP sockets alone */
	PUBLISH_XSK,  /* AF_XDP is required */
	PUBLISH_UDP,  /* by UDP sockets alone */
};

struct publish_options {
	const char *filter;  /* NAME */
	const char *servers; /* URLs, with commas or blanks between them */
	const char **urls;   /* each of them */
	int urls_cnt;
	const char *stream;  /* the JetStream stream; a template (subject.h) */
	const char *subject; /* a template */
	uint32_t shards;     /* 0: the templates have none */
	const char *machine; /* not NULL after publish_options_read() */

	/* Properties of a stream that is created. */
	bool create;
	uint32_t replicas;
	uint64_t duplicates_ns; /* the duplicate window */
	uint64_t max_bytes;	/* 0: no bound */
	uint64_t max_age_ns;	/* 0: no bound */

	uint64_t skew_ns;
	const char *secret_path; /* NULL: none */

	enum publish_receive receive;
	struct socket_address listen[PUBLISH_LISTEN_MAX]; /* a port alone: of [::] */
	int listen_cnt;					  /* 0: the ports of the filter's streams */

	uint32_t pending;	/* most messages in flight */
	uint64_t pending_bytes; /* most bytes of their payloads */
	uint64_t ack_timeout_ns;
	uint32_t retries;

	const char *credentials, *user, *password_path, *token_path;
	const char *tls_ca, *tls_cert, *tls_key;

	const char *metrics; /* a file, or "none"; NULL: the default file */
	uint64_t metrics_every_ns;
	bool check, version;
	bool new_ids;	    /* with check */
	const char *config; /* the file; NULL: none */

	struct config_values values; /* of the file; the fields point to them */
};

/* Reads options, and the file of --config. An option overrides a key of the file. Returns 0, and
 * the caller frees *out with publish_options_free(); or -EINVAL, or another -errno (logged).
 */
int publish_options_read(struct publish_options *out, int argc, char **argv);
void publish_options_free(struct publish_options *o);

void publish_options_help(FILE *out);
