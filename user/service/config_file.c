// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* inih parses the lines. It gets one line at a time, so that messages have their line numbers. */
#include "config_file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_lines.h"
#include "diag.h"
#include "metrics_file.h"
#include "pins.h"
#include "plan.h"
#include "runtime_file.h"

#define BLANKS " \t"

struct parsing {
	struct config_file *out;
	struct config_lines lines;
	unsigned int section_line;    /* where the section began */
	struct config_filter *filter; /* the section's; NULL: in [service], or in no section yet */
	bool in_section, has_service;
};

/* Sets the line that messages name from now on. */
static void set_message_line(const struct parsing *r, unsigned int line)
{
	diag_at((struct diag_location){ r->lines.path, line });
}

static const char *parse_metrics(void *to, const char *text)
{
	struct config_file *c = to;

	c->metrics = text;
	return metrics_file_wrong(text);
}

static const char *parse_state(void *to, const char *text)
{
	struct config_file *c = to;

	if (*text != '/')
		return "give a directory from / on";
	c->state = text;
	return NULL;
}

static const char *parse_filters(void *to, const char *text)
{
	struct config_file *c = to;

	c->no_filters = !strcmp(text, "none");
	return c->no_filters ? NULL : "it is none, or else each filter has a section [filter NAME]";
}

#define FIELD(member) ARGS_FIELD(struct config_file, member)

static const struct args_option SERVICE_KEYS[] = {
	{ "metrics", "FILE", 0, ARGS_OWN, FIELD(metrics), .key = ARGS_KEY_ONCE, .parse = parse_metrics,
	  .help = "file that metrics are written to, or none ($RUNTIME_DIRECTORY, as\n"
		  "systemd sets it, or else " RUNTIME_DIRECTORY ", and in it the name of\n"
		  "this file with .prom at its end)" },
	{ "metrics-every", "TIME", 0, ARGS_TIME, FIELD(metrics_every_ns), .key = ARGS_KEY_ONCE,
	  .min = METRICS_EVERY_MIN_NS, .expects = "give a time of at least {min}, as in 10s",
	  .help = "how often they are written (10s)" },
	{ "metrics-all", NULL, 0, ARGS_FLAG, FIELD(metrics_all), .key = ARGS_KEY_ONCE,
	  .help = "metrics also of filters that are not in this file (no)" },
	{ "recover", NULL, 0, ARGS_FLAG, FIELD(recover), .key = ARGS_KEY_ONCE,
	  .help = "let the next copy pass of what the kernel discards behind the\n"
		  "filters; needs CAP_SYS_ADMIN (no)" },
	{ "filters", "none", 0, ARGS_OWN, FIELD(no_filters), .key = ARGS_KEY_ONCE,
	  .parse = parse_filters,
	  .help = "the file has no filter, on purpose: without this key such a file\n"
		  "is an error" },
	{ "on-exit", "ACTION", 0, ARGS_NAMES("leave", "unload"), FIELD(unload), .key = ARGS_KEY_ONCE,
	  .help = "leave or unload: when the service ends, filters stay loaded, or\n"
		  "are unloaded (leave)" },
	{ "save", NULL, 0, ARGS_FLAG, FIELD(save), .key = ARGS_KEY_ONCE,
	  .help = "save filters when the service ends; restore them when it\n"
		  "starts and they are not loaded, as after a reboot (no)" },
	{ "save-every", "TIME", 0, ARGS_TIME, FIELD(save_every_ns), .key = ARGS_KEY_ONCE,
	  .min = CONFIG_SAVE_EVERY_MIN_NS, .expects = "give a time of at least {min}, as in 10m",
	  .help = "save also at this interval, for machines that crash;\n"
		  "implies save = yes (only at the end)" },
	{ "state", "DIRECTORY", 0, ARGS_OWN, FIELD(state), .key = ARGS_KEY_ONCE, .parse = parse_state,
	  .help = "directory of snapshots ($STATE_DIRECTORY, as systemd sets it, or\n"
		  "else " CONFIG_STATE_DEFAULT ")" },
	{ 0 },
};

/* The only key of a filter that is no option of `load`: its arguments. */
static const struct args_option INTERFACES[] = {
	{ "interfaces", "IFNAME...", .key = ARGS_KEY_LIST,
	  .help = "interfaces on which the filter runs, separated by blanks; the\n"
		  "service waits for missing ones" },
	{ 0 },
};

void config_print_keys(void)
{
	puts("\nKeys of the file's section [service], with their defaults:");
	args_write_keys(stdout, SERVICE_KEYS);
	puts("\nKeys of a section [filter NAME], one for each filter:");
	args_write_keys(stdout, INTERFACES);
	args_write_keys(stdout, WISH_OPTIONS);
}

static int add_filter_interfaces(struct parsing *r, const char *text)
{
	char *names = config_values_keep(&r->out->values, text), *rest = NULL;
	struct wish *w = &r->filter->wish;

	if (!names)
		return -ENOMEM;
	for (char *name = strtok_r(names, BLANKS ",", &rest); name;
	     name = strtok_r(NULL, BLANKS ",", &rest)) {
		if (strlen(name) >= IF_NAMESIZE || strchr(name, '/'))
			return diag_err(-EINVAL, "interfaces: %s is no name of an interface", name);
		if (w->where.cnt == DEDUP_IFACES_MAX)
			return diag_err(-EINVAL, "interfaces: at most %d", DEDUP_IFACES_MAX);
		for (int i = 0; i < w->where.cnt; i++)
			if (!strcmp(r->filter->ifnames[i], name))
				return diag_err(-EINVAL, "interfaces: %s is there already", name);
		r->filter->ifnames[w->where.cnt++] = name;
	}
	return 0;
}

/* Applies a key of the present section. */
static int use_config_key(struct parsing *r, const char *key, const char *text)
{
	const struct args_option *rows = r->filter ? WISH_OPTIONS : SERVICE_KEYS;
	const struct args_option *row = args_find_key(rows, key);

	if (!r->in_section)
		return diag_err(-EINVAL, "keys come behind a section, [service] or [filter NAME]");
	if (r->filter && !strcmp(key, INTERFACES->option))
		return add_filter_interfaces(r, text);
	if (!row)
		return diag_err(-EINVAL, "[%s%s] has no key %s: xdp-dedup.conf(5) lists them",
				r->filter ? "filter " : "service", r->filter ? r->filter->name : "",
				key);
	return config_values_set(&r->out->values, rows, row,
				 r->filter ? (void *)&r->filter->wish : r->out, text);
}

static int check_filter(struct parsing *r)
{
	struct wish *w = &r->filter->wish;
	struct dedup_config plan;
	int err = wish_end(w);

	if (err)
		return err;
	if (!w->where.cnt)
		return diag_err(-EINVAL,
				"[filter %s]: interfaces are missing, as in interfaces = eth0",
				r->filter->name);
	if (!w->profiles_cnt && !w->spec.given.port)
		return diag_err(
			-EINVAL,
			"[filter %s]: port, or profile, is missing: which packets carry gossip? as in port = 8001",
			r->filter->name);
	if (wish_streams_check(w))
		return -EINVAL;
	w->spec.several = w->where.cnt > 1;
	return plan_local(&w->spec, &plan) ? -EINVAL : 0;
}

/* Refuses an interface that an earlier section has: an interface has at most one filter. */
static int check_interfaces(const struct parsing *r)
{
	const struct config_file *c = r->out;
	const struct wish *w = &r->filter->wish;

	for (const struct config_filter *f = c->filters; f < r->filter; f++)
		for (int i = 0; i < f->wish.where.cnt; i++)
			for (int j = 0; j < w->where.cnt; j++)
				if (!strcmp(f->ifnames[i], r->filter->ifnames[j]))
					return diag_err(
						-EINVAL,
						"[filter %s]: %s is in [filter %s] already: give that one more streams",
						r->filter->name, r->filter->ifnames[j], f->name);
	return 0;
}

static int end_config_section(struct parsing *r)
{
	int err;

	if (!r->filter)
		return 0;
	set_message_line(r, r->section_line);
	err = check_filter(r) ?: check_interfaces(r);
	set_message_line(r, r->lines.line);
	return err;
}

static int begin_filter(struct parsing *r, const char *name)
{
	struct config_file *c = r->out;
	struct config_filter *f = &c->filters[c->cnt];

	if (!filter_new_name_ok(name))
		return diag_err(
			-EINVAL,
			"[filter %s]: a filter's name is 1 to %d letters, digits, - and _, the first no -",
			name, NAME_MAX_LEN);
	if (config_find(c, name))
		return diag_err(-EINVAL, "there is a [filter %s] already", name);
	if (c->cnt == CONFIG_FILTERS_MAX)
		return diag_err(-EINVAL, "at most %d filters", CONFIG_FILTERS_MAX);
	snprintf(f->name, sizeof(f->name), "%s", name);
	wish_begin(&f->wish);
	f->wish.where.ifnames = f->ifnames;
	f->wish.name = f->name;
	r->filter = f;
	c->cnt++;
	return args_from_environment(WISH_OPTIONS, OPT_LOAD, &f->wish);
}

/* Begins a section. line: "[...", without blanks around it. */
static int begin_config_section(struct parsing *r, char *line)
{
	char *end = strchr(line, ']'), *rest = end ? end + 1 + strspn(end + 1, BLANKS) : NULL;
	size_t word = strlen("[filter");
	int err = end_config_section(r);

	if (err)
		return err;
	r->filter = NULL;
	config_values_begin(&r->out->values);
	r->in_section = true;
	r->section_line = r->lines.line;
	if (!end || (*rest && *rest != ';' && *rest != '#'))
		return diag_err(-EINVAL, "a section is [service] or [filter NAME]");
	*end = '\0';
	if (!strncmp(line, "[filter", word) && strspn(line + word, BLANKS))
		return begin_filter(r, line + word + strspn(line + word, BLANKS));
	if (strcmp(line, "[service"))
		return diag_err(-EINVAL, "%s]: a section is [service] or [filter NAME]", line);
	if (r->has_service)
		return diag_err(-EINVAL, "there is a [service] already");
	r->has_service = true;
	return 0;
}

/* An ini_reader. Handles section lines itself, as inih cuts names, and gives inih empty ones. */
static char *read_config_line(char *to, int size, void *from)
{
	struct parsing *r = from;

	if (!config_lines_next(to, size, &r->lines))
		return NULL;
	if (*to == '[') {
		to[strcspn(to, "\n")] = '\0';
		r->lines.failed = begin_config_section(r, to);
		strcpy(to, "\n");
	}
	return r->lines.failed ? NULL : to;
}

/* An ini_handler. Always returns success: a 0 could not be told from inih's own errors. */
static int take_config_key(void *user, const char *section, const char *key, const char *value)
{
	struct parsing *r = user;

	(void)section;
	r->lines.failed = use_config_key(r, key, value);
	return 1;
}

/* Refuses a file without filters unless it says so: an empty file would unload all filters. */
static int check_filters(const struct parsing *r)
{
	const struct config_file *c = r->out;

	if (c->no_filters && c->cnt)
		return diag_err(-EINVAL, "[service] says filters = none, but there is a [filter %s]",
				c->filters->name);
	if (!c->no_filters && !c->cnt)
		return diag_err(-EINVAL, "there is no [filter NAME]" ADVICE
					 "if that is meant, write filters = none into [service]");
	return 0;
}

static int parse_file(struct parsing *r)
{
	int bad = ini_parse_stream(read_config_line, r, take_config_key, r);

	bad = config_lines_end(&r->lines, bad,
			       "a line is a section, KEY = VALUE, or begins with ; or # as a comment");
	return bad ?: end_config_section(r) ?: check_filters(r);
}

int config_read_from(FILE *from, const char *path, struct config_file *out)
{
	struct parsing r = { .out = out, .lines = { .from = from, .path = path } };
	const char *state = getenv("STATE_DIRECTORY"); /* systemd.exec(5) */
	struct diag_location before;
	int err;

	*out = (struct config_file){ .state = state && *state ? state : CONFIG_STATE_DEFAULT,
				     .metrics_every_ns = METRICS_EVERY_NS };
	out->filters = calloc(CONFIG_FILTERS_MAX, sizeof(*out->filters));
	if (!out->filters)
		return diag_err(-ENOMEM, "out of memory");
	before = diag_at((struct diag_location){ path, 1 });
	err = parse_file(&r);
	diag_at(before);
	if (err)
		config_free(out);
	else
		out->save |= out->save_every_ns != 0;
	return err;
}

int config_read(const char *path, struct config_file *out)
{
	FILE *from = fopen(path, "re");
	int err;

	if (!from)
		return diag_err(-errno, "cannot read %s: %s", path, strerror(errno));
	err = config_read_from(from, path, out);
	fclose(from);
	return err;
}

void config_free(struct config_file *c)
{
	config_values_free(&c->values);
	free(c->filters);
	*c = (struct config_file){ 0 };
}

struct config_filter *config_find(const struct config_file *c, const char *name)
{
	for (int i = 0; i < c->cnt; i++)
		if (!strcmp(c->filters[i].name, name))
			return &c->filters[i];
	return NULL;
}
