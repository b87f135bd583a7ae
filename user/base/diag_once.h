/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An operation that is repeated, and may fail each time for one reason: the reason is logged once. */
#pragma once

#include "diag.h"

/* All zero before the first time. */
struct diag_once {
	char found[256], logged[256]; /* the first message: of this time, and of the last time */
	struct diag_receiver receiver;
};

/* Keeps the first message from now on, as it tells the most, and discards the others. */
void diag_once_begin(struct diag_once *o);

/* Ends that. Logs the message behind `about`, unless it is that of the last time. */
void diag_once_end(struct diag_once *o, const char *about);
