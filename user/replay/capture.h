/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture files: pcap and pcapng to Ethernet frames, and back to pcap. Files are hostile: whatever
 * their bytes, nothing here reads or writes out of bounds, and memory is bounded: mostly below 1
 * MiB, at most 40 MiB (the largest pcapng block is 16 MiB).
 */
#ifndef XDP_DEDUP_CAPTURE_H
#define XDP_DEDUP_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CAPTURE_IFACES_MAX 1024

struct capture; /* an open capture file */

/* One packet, valid until the next call with the same capture. */
struct capture_frame {
	const uint8_t *data; /* an Ethernet frame without FCS, network order; may be no header long */
	uint32_t len;	     /* bytes of data */
	uint32_t wire_len; /* bytes it had on the wire; > len: cut by the snap length. Never less */
	uint64_t ns;	   /* when it was captured, since the Unix epoch */
	uint64_t number;   /* 1 for the file's first packet, as Wireshark numbers them */
	uint32_t iface;	   /* its interface, below capture_iface_cnt() */
	bool outgoing;	   /* sent by the host that captured it: XDP never sees such packets */
};

/* Opens a file; "-" is standard input. The file may be a pipe. Logs why it cannot, and returns
 * -errno: -EBADMSG if it is no capture, -EPROTONOSUPPORT if its link type is none of these:
 *
 * - Ethernet. Frames are passed on as they are, VLAN tags in them; nothing is copied.
 * - Linux cooked, version 1 and 2 (as `tcpdump -i any` writes). The EtherType is the protocol; the
 *   source MAC the sender's, or zero; the destination MAC follows from the packet's type. To this
 *   host: `mac`. Broadcast: ff:ff:ff:ff:ff:ff. Multicast: the MAC of the IP destination's group.
 *   To another host, or outgoing: one that is not `mac`.
 * - Raw IP, and BSD loopback. The source MAC is zero; the destination MAC is `mac`, or that of the
 *   IP destination's group, or broadcast.
 *
 * `mac` is this host's, no group's; it is copied.
 */
int capture_open(const char *path, const uint8_t mac[6], struct capture **out);

/* The same of a stream, which it takes over: also if it fails, the stream is closed. `name` is what
 * errors call it, and is copied.
 */
int capture_open_file(FILE *file, const char *name, const uint8_t mac[6], struct capture **out);

/* Returns 1 with the next frame in *f; 0 at the end; or -errno after logging in which packet the
 * file is truncated or corrupt. All frames before were good, and after an error or the end the same
 * is returned again, silently.
 *
 * Times are the file's: they may go backwards and jump. One before 1970 is 0, one that does not
 * fit is UINT64_MAX.
 */
int capture_next(struct capture *c, struct capture_frame *f);

/* Interfaces that the file has named up to now: at least 1, at most CAPTURE_IFACES_MAX; what is
 * beyond counts as the last one. pcap files have one. In pcapng files each interface description
 * is one, but that those of several sections with the same name are the same. In Linux cooked
 * version 2 each interface index is one.
 */
uint32_t capture_iface_cnt(const struct capture *c);

/* The name that the file gives it, in printable ASCII (other bytes are '?'), at most 63
 * characters; else "interface 0", or "index 3". Valid until capture_close().
 */
const char *capture_iface_name(const struct capture *c, uint32_t iface);

/* Packets so far that are no frames, and were left out: cooked ones whose protocol is no EtherType
 * (802.2, CAN, netlink, 802.11), or that end within the cooked header; raw ones that are neither
 * IPv4 nor IPv6.
 */
uint64_t capture_foreign_cnt(const struct capture *c);

/* For progress: bytes read so far (64 KiB ahead of the frames, at most), and the file's size; 0 if
 * that is not known, as of pipes.
 */
uint64_t capture_bytes_read(const struct capture *c);
uint64_t capture_file_bytes(const struct capture *c);

/* NULL is fine. */
void capture_close(struct capture *c);

struct capture_out; /* a capture file that is being written: pcap, Ethernet, nanoseconds */

enum capture_out_mode {
	CAPTURE_AT_ONCE, /* written to PATH.part, which becomes PATH when it is finished */
	CAPTURE_LIVE,	 /* written to PATH, each frame before capture_write() returns */
};

/* Creates a file, or empties it; "-" is standard output. What is no regular file (a pipe,
 * /dev/stdout) is written to as it is, in either mode. `snap`: bytes of a frame that are kept at
 * most, 1 to 262144. Logs why it cannot, and returns -errno.
 */
int capture_create(const char *path, uint32_t snap, enum capture_out_mode mode,
		   struct capture_out **out);

/* Writes a frame (its data, len, wire_len and ns; what is beyond `snap` is cut). Times must be
 * before 2106. 0, or -errno, which is logged the first time only. After a failure nothing more is
 * written, and no half file is left: PATH.part is removed and what PATH was is still there; a live
 * file ends with its last whole frame.
 */
int capture_write(struct capture_out *o, const struct capture_frame *f);

/* Writes what is buffered, puts the file in its place and frees everything. 0, or -errno (logged)
 * unless capture_write() has logged it.
 */
int capture_finish(struct capture_out *o);

/* Instead of capture_finish(), if what was to be written did not come to its end: PATH stays what
 * it was; a live file keeps what it has. NULL is fine.
 */
void capture_discard(struct capture_out *o);

#endif
