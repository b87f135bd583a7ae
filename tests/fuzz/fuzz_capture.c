// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Capture files: any bytes. Every frame has the bytes that it says it has, and an interface. */
#include "fuzz.h"

#include <stdbool.h>

#include "capture.h"

static const uint8_t MAC[6] = { 2, 0, 0, 0, 0, 1 };

static void check_frame(const struct capture *c, const struct capture_frame *f, uint64_t before)
{
	uint8_t *copy = malloc(f->len ?: 1);

	must(copy);
	memcpy(copy, f->data, f->len);
	free(copy);
	must(f->len <= f->wire_len);
	must(f->number > before);
	must(f->iface < capture_iface_cnt(c));
	must(strlen(capture_iface_name(c, f->iface)) <= 63);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;
	struct capture_frame f = { 0 };
	struct capture *c;
	uint64_t number = 0;
	int more, err;

	if (!file || capture_open_file(file, "input", MAC, &c))
		return 0;
	while ((more = capture_next(c, &f)) == 1) {
		check_frame(c, &f, number);
		number = f.number;
	}
	err = capture_next(c, &f);
	must(err == more); /* that error again */
	must(capture_iface_cnt(c) >= 1 && capture_iface_cnt(c) <= CAPTURE_IFACES_MAX);
	must(capture_bytes_read(c) <= size);
	capture_close(c);
	return 0;
}
