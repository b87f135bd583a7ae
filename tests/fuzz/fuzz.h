/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of `make fuzz` share: each gives libFuzzer's bytes to one reader of input. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer calls it with each input. 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input. */
#define must(condition)                                                                         \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

/* The input as a text, to be freed: it ends where the input does, or has a 0. */
static inline char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = 0;
	return text;
}
