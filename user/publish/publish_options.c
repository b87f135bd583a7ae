// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "publish_options.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "config_lines.h"
#include "diag.h"
#include "metrics_file.h"
#include "runtime_file.h"
#include "subject.h"

#define SECTION "publish"
#define BETWEEN ", "

static const char *parse_metrics(void *to, const char *text)
{
	struct publish_options *o = to;

	o->metrics = text;
	return metrics_file_wrong(text);
}

static const char *parse_listen(void *to, const char *text)
{
	struct publish_options *o = to;
	char one[96];
	size_t len;

	o->listen_cnt = 0;
	for (; *(text += strspn(text, BETWEEN)); text += len) {
		len = strcspn(text, BETWEEN);
		if (o->listen_cnt == PUBLISH_LISTEN_MAX)
			return "give at most 64 addresses";
		snprintf(one, sizeof(one), "%s%.*s",
			 memchr(text, ':', len) ? "" : "[::]:", (int)len, text);
		if (socket_address_read(one, &o->listen[o->listen_cnt++]))
			return "give ports, or addresses and ports, as in 8001,192.0.2.1:8002,[2001:db8::1]:8003";
	}
	return o->listen_cnt ? NULL : "give at least one port";
}

static const char *parse_subject(void *to, const char *text)
{
	struct publish_options *o = to;

	if (!subject_template_ok(text))
		return "give words separated by dots, without blanks and wildcards; what is in braces is stream, machine or shard";
	o->subject = text;
	return NULL;
}

static const char *parse_stream(void *to, const char *text)
{
	struct publish_options *o = to;

	if (!subject_stream_template_ok(text))
		return "give a name without dots, blanks, slashes and wildcards; what is in braces is stream or shard";
	o->stream = text;
	return NULL;
}

#define FIELD(member) ARGS_FIELD(struct publish_options, member)
#define STRING(member) ARGS_STRING, FIELD(member), .key = ARGS_KEY_ONCE

static const struct args_option OPTIONS[] = {
	{ "filter", "NAME", 0, STRING(filter), .help = "the filter, as `xdp-dedup status` names it" },
	{ "--server", "URL[,URL...]", 0, ARGS_STRING, FIELD(servers), .key = ARGS_KEY_JOINED,
	  .help = "servers, as in nats://192.0.2.1:4222 or tls://nats.example.com" },
	{ "--stream", "S", 0, ARGS_OWN, FIELD(stream), .parse = parse_stream, .key = ARGS_KEY_ONCE,
	  .help = "the JetStream stream; with the words stream or shard in braces, several" },
	{ "--subject", "SUBJECT", 0, ARGS_OWN, FIELD(subject), .parse = parse_subject,
	  .key = ARGS_KEY_ONCE,
	  .help = "subject of the messages; the words stream, machine and shard in braces\n"
		  "stand for the filter's stream, this machine, and a number by --shards" },
	{ "--shards", "N", 0, ARGS_COUNT, FIELD(shards), .min = 1, .max = SUBJECT_SHARDS_MAX,
	  .key = ARGS_KEY_ONCE,
	  .help = "spread events by a hash of their ids over the numbers 0 to N-1" },
	{ "--machine", "MACHINE", 0, STRING(machine), .help = "this machine's name (its host name)" },
	{ "--create", NULL, 0, ARGS_FLAG, FIELD(create), .key = ARGS_KEY_ONCE,
	  .help = "create the JetStream stream if there is none" },
	{ "--replicas", "N", 0, ARGS_COUNT, FIELD(replicas), .min = 1, .max = 5,
	  .key = ARGS_KEY_ONCE, .help = "of a stream that is created: servers that store it (1)" },
	{ "--duplicates", "TIME", 0, ARGS_TIME, FIELD(duplicates_ns), .min = 100000000,
	  .key = ARGS_KEY_ONCE, .expects = "give a time of at least {min}, as in 2m",
	  .help = "of a stream that is created: the time for which the engine knows ids\n"
		  "(2m)" },
	{ "--max-bytes", "N", 0, ARGS_COUNT, FIELD(max_bytes), .key = ARGS_KEY_ONCE,
	  .help = "of a stream that is created: the oldest messages are removed beyond\n"
		  "(no bound)" },
	{ "--max-age", "TIME", 0, ARGS_TIME, FIELD(max_age_ns), .key = ARGS_KEY_ONCE,
	  .help = "of a stream that is created: older messages are removed (no bound)" },
	{ "--skew", "TIME", 0, ARGS_TIME, FIELD(skew_ns), .key = ARGS_KEY_ONCE,
	  .help = "how much later another machine may publish an event; the stream's\n"
		  "duplicate window must not be shorter (30s)" },
	{ "--secret", "FILE", 0, STRING(secret_path),
	  .help = "a secret that all machines share, of at least 32 bytes, which only\n"
		  "its owner can read; needed for ids that are hashed" },
	{ "--receive", "WAY", 0, ARGS_NAMES("auto", "xsk", "udp"), FIELD(receive),
	  .key = ARGS_KEY_ONCE,
	  .help = "auto, xsk or udp: past the stack by AF_XDP, or by UDP sockets alone\n"
		  "(auto: xsk if the filter delivers, and kernel and driver can)" },
	{ "--listen", "[ADDRESS:]PORT,...", 0, ARGS_OWN, FIELD(listen), .parse = parse_listen,
	  .key = ARGS_KEY_JOINED,
	  .help = "where UDP sockets are opened (the ports of the filter's streams)" },
	{ "--pending", "N", 0, ARGS_COUNT, FIELD(pending), .min = 1, .max = 65536,
	  .key = ARGS_KEY_ONCE,
	  .help = "messages that wait for their acknowledgement, at most (4096)" },
	{ "--pending-bytes", "N", 0, ARGS_COUNT, FIELD(pending_bytes), .min = 65536,
	  .max = 1ULL << 32, .key = ARGS_KEY_ONCE, .help = "bytes of their payloads, at most (16M)" },
	{ "--ack-timeout", "TIME", 0, ARGS_TIME, FIELD(ack_timeout_ns), .min = 10000000,
	  .max = 3600000000000, .key = ARGS_KEY_ONCE, .expects = "give a time from {min} to {max}",
	  .help = "a message that is not acknowledged for so long is sent again (5s)" },
	{ "--retries", "N", 0, ARGS_COUNT, FIELD(retries), .max = 1000, .key = ARGS_KEY_ONCE,
	  .help = "times that it is sent again, then its event is given up (5)" },
	{ "--credentials", "FILE", 0, STRING(credentials), .help = "a file of credentials (.creds)" },
	{ "--user", "USER", 0, STRING(user), .help = "user name at the server" },
	{ "--password-file", "FILE", 0, STRING(password_path),
	  .help = "a file whose first line is the user's password" },
	{ "--token-file", "FILE", 0, STRING(token_path),
	  .help = "a file whose first line is a token" },
	{ "--tls-ca", "FILE", 0, STRING(tls_ca),
	  .help = "use TLS; certificates of authorities that are trusted (the system's)" },
	{ "--tls-cert", "FILE", 0, STRING(tls_cert), .help = "use TLS; this machine's certificate" },
	{ "--tls-key", "FILE", 0, STRING(tls_key), .help = "the key of this certificate" },
	{ "--metrics", "FILE", 0, ARGS_OWN, FIELD(metrics), .parse = parse_metrics,
	  .key = ARGS_KEY_ONCE,
	  .help = "file that metrics are written to, or none (publish-NAME.prom in\n"
		  "$RUNTIME_DIRECTORY, as systemd sets it, or else " RUNTIME_DIRECTORY ")" },
	{ "--metrics-every", "TIME", 0, ARGS_TIME, FIELD(metrics_every_ns), .key = ARGS_KEY_ONCE,
	  .min = METRICS_EVERY_MIN_NS, .expects = "give a time of at least {min}, as in 10s",
	  .help = "how often they are written (10s)" },
	{ "--config", "FILE", 0, ARGS_STRING, FIELD(config),
	  .help = "read options from the section [" SECTION "] of this file" },
	{ "--check", NULL, 0, ARGS_FLAG, FIELD(check),
	  .help = "check options, filter, server and stream; publish nothing" },
	{ "--new-ids", NULL, 0, ARGS_FLAG, FIELD(new_ids),
	  .help = "with --check: from now on all machines must make ids as this one does;\n"
		  "refused until no machine has published for --skew" },
	{ "--version", NULL, 0, ARGS_FLAG, FIELD(version), .help = "print the version" },
	{ 0 },
};

/* The options: all rows except `filter`, which is an argument. */
static const struct args_command PUBLISH = {
	.name = "publish",
	.command = PUBLISH_PROGRAM,
	.usage = "NAME --server URL --stream S --subject SUBJECT [options]",
	.help = "publish the fresh events of a filter into a NATS JetStream stream",
	.options = OPTIONS + 1,
	.args_max = 1,
};

void publish_options_help(FILE *out)
{
	args_write_help(out, &PUBLISH);
	fputs("\nOptions without their dashes, and `filter = NAME`, are keys of the file's section\n"
	      "[" SECTION "].\n"
	      "Exit status: 0 done, 1 failed, 2 misused.\n",
	      out);
}

/* The state of reading a file. */
struct reading {
	struct publish_options *o;
	struct config_lines lines;
};

/* An ini_handler. Returns 1, so that inih continues after an error. */
static int take_key(void *user, const char *section, const char *key, const char *value)
{
	const struct args_option *row = args_find_key(OPTIONS, key);
	struct reading *r = user;

	if (strcmp(section, SECTION))
		r->lines.failed = diag_err(
			-EINVAL, "keys come behind the section [" SECTION "], not [%s]", section);
	else if (!row)
		r->lines.failed =
			diag_err(-EINVAL, "there is no key %s" ADVICE PUBLISH_PROGRAM " --help", key);
	else
		r->lines.failed = config_values_set(&r->o->values, OPTIONS, row, r->o, value);
	return 1;
}

static int read_file(struct publish_options *o)
{
	struct reading r = { .o = o, .lines = { .path = o->config } };
	struct diag_location before;
	int err;

	r.lines.from = fopen(o->config, "re");
	if (!r.lines.from)
		return diag_err(-errno, "%s: %s", o->config, strerror(errno));
	before = diag_at((struct diag_location){ o->config, 1 });
	err = ini_parse_stream(config_lines_next, &r.lines, take_key, &r);
	err = config_lines_end(&r.lines, err, "this is no section, key or comment");
	diag_at(before);
	fclose(r.lines.from);
	return err;
}

/* Reads options of the command line into *o. args_parse() reorders arguments, so it gets a copy. */
static int read_arguments(struct publish_options *o, int argc, char **argv)
{
	char *copy[argc + 1];
	int cnt;

	memcpy(copy, argv, sizeof(copy));
	cnt = args_parse(&PUBLISH, o, argc, copy);
	if (cnt > 0)
		o->filter = copy[1];
	return cnt < 0 ? cnt : 0;
}

static int fail_missing(const char *option, const char *example)
{
	return diag_err(-EINVAL, "%s is missing, as in %s", option, example);
}

/* Splits the list of servers into URLs. */
static int split_servers(struct publish_options *o)
{
	char *rest = config_values_keep(&o->values, o->servers ?: "");

	o->urls = rest ? calloc(strlen(rest) + 1, sizeof(*o->urls)) : NULL;
	if (!o->urls)
		return diag_err(-ENOMEM, "out of memory");
	for (char *url; (url = strtok_r(rest, BETWEEN, &rest));) {
		if (strstr(url, "://") && strncmp(url, "nats://", 7) && strncmp(url, "tls://", 6))
			return diag_err(-EINVAL,
					"--server: %s is no URL of NATS" ADVICE
					"give nats://HOST:4222 or tls://HOST:4222",
					url);
		o->urls[o->urls_cnt++] = url;
	}
	if (!o->urls_cnt)
		return fail_missing("--server", "--server nats://127.0.0.1:4222");
	if (strchr(o->servers, '@'))
		return diag_err(-EINVAL, "--server: a login in a URL could be read in `ps`" ADVICE
					 "--user and --password-file, or --token-file");
	return 0;
}

static int check_together(struct publish_options *o)
{
	if (!o->filter)
		return fail_missing("the filter's name", PUBLISH_PROGRAM " eth0");
	if (split_servers(o))
		return -EINVAL;
	if (!o->stream)
		return fail_missing("--stream", "--stream GOSSIP");
	if (!o->subject)
		return fail_missing("--subject", "--subject gossip.{stream}");
	if (!o->shards != !strstr(o->subject, SUBJECT_SHARD))
		return diag_err(-EINVAL,
				"--shards goes together with " SUBJECT_SHARD " in --subject");
	if ((strstr(o->stream, SUBJECT_SHARD) && !o->shards) ||
	    (strstr(o->stream, SUBJECT_STREAM) && !strstr(o->subject, SUBJECT_STREAM)))
		return diag_err(-EINVAL,
				"what is in braces in --stream must be in --subject, too" ADVICE
				"two JetStream streams cannot take one subject");
	if (o->create && o->duplicates_ns < o->skew_ns)
		return diag_err(
			-EINVAL,
			"--duplicates is shorter than --skew" ADVICE
			"the engine must know an id for as long as another machine may publish it");
	if (o->new_ids && !o->check)
		return diag_err(-EINVAL, "--new-ids goes with --check");
	if (!o->user != !o->password_path)
		return diag_err(-EINVAL, "--user and --password-file go together");
	if (!!o->credentials + !!o->user + !!o->token_path > 1)
		return diag_err(-EINVAL, "give one of --credentials, --user and --token-file");
	if (!o->tls_cert != !o->tls_key)
		return diag_err(-EINVAL, "--tls-cert and --tls-key go together");
	return 0;
}

/* Names the machine by its host name, unless --machine was given. */
static int name_machine(struct publish_options *o)
{
	static char name[PUBLISH_MACHINE_MAX + 1];

	if (!o->machine && gethostname(name, sizeof(name)))
		return diag_err(-errno, "this host has no name" ADVICE "give --machine");
	o->machine = o->machine ?: name;
	if (!*o->machine || strlen(o->machine) > PUBLISH_MACHINE_MAX || strpbrk(o->machine, "\r\n"))
		return diag_err(-EINVAL, "a machine's name has 1 to %d characters",
				PUBLISH_MACHINE_MAX);
	return 0;
}

int publish_options_read(struct publish_options *o, int argc, char **argv)
{
	int err;

	*o = (struct publish_options){
		.replicas = 1,
		.duplicates_ns = 120000000000,
		.skew_ns = 30000000000,
		.pending = 4096,
		.pending_bytes = 16000000,
		.ack_timeout_ns = 5000000000,
		.retries = 5,
		.metrics_every_ns = METRICS_EVERY_NS,
	};
	err = read_arguments(o, argc, argv);
	if (err || o->version)
		return err;
	if (o->config)
		err = read_file(o) ?: read_arguments(o, argc, argv);
	err = err ?: check_together(o) ?: name_machine(o);
	if (err)
		publish_options_free(o);
	return err;
}

void publish_options_free(struct publish_options *o)
{
	free(o->urls);
	config_values_free(&o->values);
}
