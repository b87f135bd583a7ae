/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* GSP/1, the project's own gossip wire format: a UDP payload in network byte order. */
#pragma once

#include <linux/types.h>

#define GSP_MAGIC 0x47535031 /* "GSP1" */
#define GSP_ID_BYTES 32
#define GSP_ID_WORDS (GSP_ID_BYTES / 8)
#define GSP_IDS_MAX 32 /* in an IHAVE or IWANT */

enum gsp_type {
	GSP_EVENT = 1, /* one id and its body */
	GSP_IHAVE = 2, /* ids only: "I have these events" */
	GSP_IWANT = 3, /* ids only: "send me these events" */
};

struct gsp_id {
	__u64 word[GSP_ID_WORDS]; /* the bytes as on the wire, read in host order */
};

struct gsp_header {
	__be32 magic;
	__u8 type;
	__u8 count;	 /* ids that follow: 1 for EVENT, else 1 to GSP_IDS_MAX */
	__be16 reserved; /* sent as 0, not checked */
};
_Static_assert(sizeof(struct gsp_header) == 8, "GSP/1 header");
