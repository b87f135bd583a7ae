/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture files: reads Ethernet frames from pcap and pcapng, and writes pcap. Files may be hostile:
 * no bytes make these functions read or write out of bounds. They use less than 1 MiB of memory in
 * most cases, and at most 40 MiB (the largest pcapng block has 16 MiB).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ifaces.h"

#define CAPTURE_IFACES_MAX IFACES_MAX

struct capture; /* an open capture file */

/* One packet, valid until the next call for its capture. */
struct capture_frame {
	const uint8_t *data; /* an Ethernet frame without FCS, network order; may be cut */
	uint32_t len;	     /* bytes of data */
	uint32_t wire_len;   /* bytes on the wire, never fewer; > len: cut by the snap length */
	uint64_t ns;	     /* when it was captured, since the Unix epoch */
	uint64_t number;     /* 1 for the file's first packet, as Wireshark numbers them */
	uint32_t iface;	     /* its interface, below capture_iface_cnt() */
	bool outgoing;	     /* sent by the host that captured it: XDP never sees these */
};

/* Opens a file, which may be a pipe; "-" is standard input. Returns 0, and the caller closes *out
 * with capture_close(); or -errno (logged): -EBADMSG if it is no capture, -EPROTONOSUPPORT if its
 * link type is none of these:
 *
 * - Ethernet. Frames are returned unchanged, with their VLAN tags, and not copied.
 * - Linux cooked, version 1 and 2 (as `tcpdump -i any` writes). The EtherType is the protocol; the
 *   source MAC is the sender's, or zero; the destination MAC follows from the packet's type. To
 *   this host: `mac`. Broadcast: ff:ff:ff:ff:ff:ff. Multicast: the MAC of the IP destination's
 *   group. To another host, or outgoing: one that is not `mac`.
 * - Raw IP, and BSD loopback. The source MAC is zero; the destination MAC is `mac`, or that of the
 *   IP destination's group, or broadcast.
 *
 * `mac` is this host's, no group's; it is copied.
 */
int capture_open(const char *path, const uint8_t mac[6], struct capture **out);

/* Does what capture_open() does, for a stream, which it owns from now on: it closes the stream even
 * if it fails. `name` is for messages, and is copied.
 */
int capture_open_file(FILE *file, const char *name, const uint8_t mac[6], struct capture **out);

/* Reads the next frame. Returns 1 with the frame in *f; 0 at the end; or -errno, after logging in
 * which packet the file is truncated or corrupt. All earlier frames were good. After an error or
 * the end, each call returns the result again, and logs nothing.
 *
 * Times are the file's: they may go backwards and jump. One before 1970 is 0; one that does not
 * fit is UINT64_MAX.
 */
int capture_next(struct capture *c, struct capture_frame *f);

/* Returns the number of interfaces that the file has named up to now: at least 1, at most
 * CAPTURE_IFACES_MAX; further ones count as the last one. A pcap file has one. In pcapng files
 * each interface description is one, except that equal names in several sections are one
 * interface. In Linux cooked version 2 each interface index is one.
 */
uint32_t capture_iface_cnt(const struct capture *c);

/* Returns the name in the file, in printable ASCII (other bytes are '?'), at most 63 characters;
 * without a name, "interface 0" or "index 3". Valid until capture_close().
 */
const char *capture_iface_name(const struct capture *c, uint32_t iface);

/* Returns how many packets so far were left out because they are no frames: cooked ones whose
 * protocol is no EtherType (802.2, CAN, netlink, 802.11), or that end within the cooked header;
 * raw ones that are neither IPv4 nor IPv6.
 */
uint64_t capture_foreign_cnt(const struct capture *c);

/* For progress: return the bytes read so far (at most 64 KiB ahead of the frames), and the file's
 * size; 0 if the size is unknown, as for pipes.
 */
uint64_t capture_bytes_read(const struct capture *c);
uint64_t capture_file_bytes(const struct capture *c);

/* Accepts NULL. */
void capture_close(struct capture *c);

struct capture_out; /* a capture file for writing: pcap, Ethernet, nanoseconds */

enum capture_out_mode {
	CAPTURE_AT_ONCE, /* written to PATH.part, which becomes PATH when it is finished */
	CAPTURE_LIVE,	 /* written to PATH, each frame before capture_write() returns */
};

/* Creates a file, or empties it; "-" is standard output. A path that is no regular file (a pipe,
 * /dev/stdout) is written to directly in either mode. `snap`: the most bytes of a frame that are
 * kept, 1 to 262144. Returns 0, and the caller ends *out with capture_finish() or
 * capture_discard(); or -errno (logged).
 */
int capture_create(const char *path, uint32_t snap, enum capture_out_mode mode,
		   struct capture_out **out);

/* Writes a frame (its data, len, wire_len and ns; bytes beyond `snap` are cut). Times must be
 * before 2106. Returns 0; or -errno, which is logged only once. After a failure nothing more is
 * written, and no partial file is left: PATH.part is removed, and an older PATH stays; a live file
 * ends with its last whole frame.
 */
int capture_write(struct capture_out *o, const struct capture_frame *f);

/* Writes buffered data, renames PATH.part to PATH, and frees everything. Returns 0; or -errno,
 * which is logged unless capture_write() has logged it.
 */
int capture_finish(struct capture_out *o);

/* Frees everything, instead of capture_finish(), if not all frames were written: PATH stays
 * unchanged; a live file keeps its frames. Accepts NULL.
 */
void capture_discard(struct capture_out *o);
