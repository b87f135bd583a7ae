/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the packet program and applications say to each other of AF_XDP sockets (include/deliver.h).
 */
#ifndef XDP_DEDUP_SOCKETS_BPF_H
#define XDP_DEDUP_SOCKETS_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "deliver.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DEDUP_SOCKETS_MAX);
	__type(key, __u32);
	__type(value, struct dedup_socket);
} sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DEDUP_SOCKETS_MAX *DEDUP_IN_FLIGHT_MAX);
	__type(key, __u32);
	__type(value, struct dedup_in_flight);
} in_flight SEC(".maps");

#endif
