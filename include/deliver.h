/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Delivery: fresh packets of a stream go to an application's AF_XDP socket, past the network
 * stack. A queue of an interface has one socket. The socket has a slot, one of DEDUP_SOCKETS_MAX.
 * The slot is the index in three maps: `xsks` has the socket itself, `sockets` the values that
 * application and packet program exchange, `in_flight` the packets that the socket was given and
 * has not given back.
 *
 * The kernel loses a packet that is redirected to a socket without room for it. So the program
 * first makes sure of the room: it takes credits, one for each frame of the socket's memory that
 * the packet fills. The application grants the credits: one for each frame that it has put into
 * the fill ring. If there are too few credits, the packet goes to the stack, as do packets of a
 * queue without a socket.
 *
 * The program takes the credits before it learns the packet's id. Without credits it does not learn
 * the id, so the packet's next copy passes, too. If the packet is a duplicate after all, because a
 * copy on another CPU was faster, the program gives the credits back: `taken` shrinks, unless
 * another CPU has taken more meanwhile.
 *
 * Credits are numbered. The number of a packet's first credit is the index of its entry in
 * `in_flight`, which describes the packet. The program writes the number over the packet's first
 * bytes, and saves these in the entry. So it need not make room in front of the packet: some
 * drivers have none, and programs may not make room in a dispatcher of libxdp before 1.5.5 on new
 * kernels. The application clears the entry when it gives the frames back. If the application is
 * killed, the entries that are left are the packets that were lost with it: the next process that
 * opens the queue wants their ids (wanted.h).
 *
 * If nobody will open the queue any more, because the filter delivers no more or leaves the
 * interface, the process that makes that change sets DEDUP_ENDED, and then wants the ids of all
 * entries. A living application may still read some of these packets, but it may be killed. When
 * the application gives a packet back, it clears the entry, and then, if it finds DEDUP_ENDED,
 * takes the want back. If both act at one instant, a want may stay, and a copy comes twice; no
 * event is missing.
 */
#pragma once

#include "id.h"

#define DEDUP_SOCKETS_MAX 64 /* queues with a socket, of all the filter's interfaces */

/* Entries in `in_flight` for each socket, a power of 2. Granted credits are never further than
 * this ahead of the oldest packet that was not given back.
 */
#define DEDUP_IN_FLIGHT_MAX 2048

#define DEDUP_ENDED (1U << 31) /* in dedup_socket.opened */

/* A key of the map `queues`, whose values are slots. */
struct dedup_queue {
	__u32 ifindex;
	__u32 queue;
};

/* A queue as one word; never 0. */
static __always_inline __u64 dedup_queue_word(struct dedup_queue q)
{
	return (__u64)q.ifindex << 32 | q.queue;
}

/* An element of `sockets`. The packet program writes only the second cache line. */
struct dedup_socket {
	__u64 granted;	   /* credits, ever */
	__u32 frame_bytes; /* of a packet that fit into one frame */
	__u32 frames_max;  /* that a packet may fill; 1: it must also be in one buffer */
	__u64 owner;	   /* the queue, dedup_queue_word(); 0: the slot is free */
	__u32 pid;	   /* of the application, as it sees itself */
	__u32 zerocopy;	  /* 1: the driver writes into the socket's memory; 0: packets are copied */
	__u32 timestamps; /* 1: `in_flight` is to have times */
	/* How often the slot was opened. A process that opened it at another number has lost it.
	 * With DEDUP_ENDED: no packets come until it is opened again.
	 */
	__u32 opened;
	__u32 pad1[6];
	__u64 taken; /* credits, ever, less those given back: the number of the next credit */
	__u64 pad2[7];
};
_Static_assert(sizeof(struct dedup_socket) == 128, "two cache lines");

/* An element of `in_flight`: slot * DEDUP_IN_FLIGHT_MAX + number % DEDUP_IN_FLIGHT_MAX is its index. */
struct dedup_in_flight {
	__u64 number;	  /* of the packet's first credit, and 1 added; 0: nothing, or given back */
	__u64 time_ns;	  /* CLOCK_MONOTONIC; 0 without dedup_socket.timestamps */
	__u32 slot;	  /* of its stream; 0 in a filter without streams */
	__u32 frames;	  /* credits that it took */
	__u32 front;	  /* the packet's first 4 bytes, where the number's lower half stands now */
	__u32 given_back; /* 1: no packet comes, as a copy was faster; the room ends unread */
	struct dedup_id id; /* followed by zeros */
};
_Static_assert(sizeof(struct dedup_in_flight) == 32 + DEDUP_ID_BYTES_MAX, "no hidden padding");

/* Returns how many frames of the socket's memory this many bytes fill. */
static __always_inline __u32 dedup_frames_of(const struct dedup_socket *s, __u32 bytes)
{
	__u32 frame_bytes = s->frame_bytes;

	return bytes <= frame_bytes ? 1 : (bytes + frame_bytes - 1) / frame_bytes;
}
