// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "metrics_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void metrics_family(struct metrics_out *m, enum metrics_type type, const char *name, const char *help)
{
	m->type = type;
	m->family = name;
	m->help = help;
	m->has_head = false;
}

/* The ends of samples' names, by type of the family. */
static const char *const SUFFIXES[] = {
	[METRICS_COUNTER] = "_total",
	[METRICS_GAUGE] = "",
	[METRICS_INFO] = "_info",
	[METRICS_HISTOGRAM] = "_bucket",
};

static void write_escaped(struct metrics_out *m, const char *text, bool quotes)
{
	while (*text) {
		size_t len = text_character(text);

		if (*text == '\n')
			fputs("\\n", m->out);
		else if (*text == '\\' || (*text == '"' && quotes))
			fprintf(m->out, "\\%c", *text);
		else if (!len)
			fprintf(m->out, "\\\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, len, m->out);
		text += len ?: 1;
	}
}

static void write_head(struct metrics_out *m)
{
	static const char *const TYPES[] = { "counter", "gauge", "gauge", "histogram" };
	const char *end = m->type == METRICS_HISTOGRAM ? "" : SUFFIXES[m->type];

	if (m->has_head)
		return;
	m->has_head = true;
	fprintf(m->out, "# TYPE " METRICS_PREFIX "%s%s %s\n", m->family, end, TYPES[m->type]);
	fprintf(m->out, "# HELP " METRICS_PREFIX "%s%s ", m->family, end);
	write_escaped(m, m->help, false);
	fputc('\n', m->out);
}

static void write_sample(struct metrics_out *m, const char *value, const char *const *labels)
{
	const char *separator = "{";

	write_head(m);
	fprintf(m->out, METRICS_PREFIX "%s%s", m->family, SUFFIXES[m->type]);
	for (; *labels; labels += 2) {
		fprintf(m->out, "%s%s=\"", separator, labels[0]);
		write_escaped(m, labels[1], true);
		fputc('"', m->out);
		separator = ",";
	}
	fprintf(m->out, "%s %s\n", *separator == ',' ? "}" : "", value);
}

void metrics_count(struct metrics_out *m, uint64_t value, const char *const *labels)
{
	char text[METRICS_NUMBER_MAX];

	snprintf(text, sizeof(text), "%ju", (uintmax_t)value);
	write_sample(m, text, labels);
}

const char *metrics_number(double value, char text[METRICS_NUMBER_MAX])
{
	if (isnan(value))
		return "NaN";
	if (isinf(value))
		return value < 0 ? "-Inf" : "+Inf";
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, METRICS_NUMBER_MAX, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}

void metrics_gauge(struct metrics_out *m, double value, const char *const *labels)
{
	char text[METRICS_NUMBER_MAX];

	write_sample(m, metrics_number(value, text), labels);
}

int metrics_end(struct metrics_out *m)
{
	return fflush(m->out) || ferror(m->out) ? -(errno ?: EIO) : 0;
}
