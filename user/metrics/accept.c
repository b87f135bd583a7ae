// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "accept.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* A piece of the header. */
struct piece {
	const char *at;
	size_t len;
};

/* Takes the next piece off *rest, up to `end` or its end, without the blanks around it. Returns
 * false if nothing is left.
 */
static bool next(struct piece *rest, char end, struct piece *out)
{
	const char *stop;

	if (!rest->at)
		return false;
	stop = memchr(rest->at, end, rest->len);
	*out = (struct piece){ rest->at, stop ? (size_t)(stop - rest->at) : rest->len };
	*rest = stop ? (struct piece){ stop + 1, rest->len - out->len - 1 }
		     : (struct piece){ NULL, 0 };
	while (out->len && (*out->at == ' ' || *out->at == '\t'))
		out->at++, out->len--;
	while (out->len && (out->at[out->len - 1] == ' ' || out->at[out->len - 1] == '\t'))
		out->len--;
	return true;
}

static bool is(struct piece p, const char *word)
{
	return p.len == strlen(word) && !strncasecmp(p.at, word, p.len);
}

/* A weight from 0 to 1, in thousandths; what is none is 0. */
static int weight(struct piece p)
{
	int sum = 0, unit = 1000;

	if (!p.len || (*p.at != '0' && *p.at != '1') || (p.len > 1 && p.at[1] != '.') || p.len > 5)
		return 0;
	for (size_t i = 0; i < p.len; i++) {
		if (i == 1)
			continue;
		if (p.at[i] < '0' || p.at[i] > '9')
			return 0;
		sum += unit * (p.at[i] - '0');
		unit /= 10;
	}
	return sum <= 1000 ? sum : 0;
}

/* The weight of one media range; *format: what it means, METRICS_FORMATS: nothing that there is. */
static int range(struct piece text, enum metrics_format *format)
{
	struct piece type = { NULL, 0 }, parameter, name;
	int q = 1000;

	*format = METRICS_FORMATS;
	next(&text, ';', &type);
	if (is(type, "application/openmetrics-text"))
		*format = METRICS_OPENMETRICS;
	else if (is(type, "text/plain") || is(type, "text/*") || is(type, "*/*"))
		*format = METRICS_TEXT;
	while (next(&text, ';', &parameter)) {
		if (!next(&parameter, '=', &name) || !parameter.at)
			continue;
		if (is(name, "q"))
			q = weight(parameter);
		else if (is(name, "version") && *format == METRICS_OPENMETRICS &&
			 !is(parameter, "1.0.0"))
			*format = METRICS_FORMATS;
	}
	return q;
}

enum metrics_format accept_format(const char *accept)
{
	struct piece rest = { accept, accept ? strlen(accept) : 0 }, one;
	int best[METRICS_FORMATS + 1] = { 0 };

	while (next(&rest, ',', &one)) {
		enum metrics_format format;
		int q = range(one, &format);

		if (q > best[format])
			best[format] = q;
	}
	return best[METRICS_OPENMETRICS] && best[METRICS_OPENMETRICS] >= best[METRICS_TEXT]
		       ? METRICS_OPENMETRICS
		       : METRICS_TEXT;
}
