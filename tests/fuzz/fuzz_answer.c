// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Answers of JetStream to xdp-dedup-publish. */
#include "fuzz.h"
#include "publish_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct publish_answer a;

	publish_answer_read((const char *)data, size, "S", &a);
	must(a.ok || *a.text);
	must(!a.ok || (!*a.text && !a.code));
	must(!a.duplicate || a.ok);
	for (const char *c = a.text; *c; c++)
		must((unsigned char)*c >= ' ');
	return 0;
}
