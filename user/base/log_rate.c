// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "log_rate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "diag.h"

void log_rate_flush(struct log_rate *r)
{
	if (r->cnt == 1)
		diag_note("%s", r->text);
	else if (r->cnt)
		diag_note("%s; %" PRIu64 " more since the last line about it", r->text, r->cnt - 1);
	r->cnt = 0;
}

void log_rate_flush_due(struct log_rate *r, uint64_t now_ns)
{
	if (!r->cnt || now_ns < r->quiet_until_ns)
		return;
	log_rate_flush(r);
	r->quiet_until_ns = now_ns + LOG_RATE_NS;
}

void log_rate_note(struct log_rate *r, uint64_t now_ns, uint64_t times, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->text, sizeof(r->text), format, args);
	va_end(args);
	r->cnt += times;
	log_rate_flush_due(r, now_ns);
}
