// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "numbers.h"

#include <stdbool.h>
#include <stdlib.h>

#define AHEAD_MOST 32 /* the most packets that are lost in a row, or overtaken */

void numbers_add(struct numbers *n, const uint8_t *header)
{
	uint16_t number = (uint16_t)(header[2] << 8 | header[3]);
	uint32_t ssrc = (uint32_t)header[8] << 24 | header[9] << 16 | header[10] << 8 | header[11];
	uint32_t at = (ssrc * 2654435761U) >> 27;
	bool known = n->sources[at].known && n->sources[at].ssrc == ssrc;
	int ahead = known ? abs((int16_t)(number - n->sources[at].last)) : 0;

	if (known && ahead && ahead <= AHEAD_MOST)
		n->go_on++;
	else if (known)
		n->jump++;
	n->sources[at].ssrc = ssrc;
	n->sources[at].last = number;
	n->sources[at].known = 1;
}
