// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* plain_publisher URL[,URL...] SUBJECT ADDRESS PORT [headers]: the program beside which `make
 * bench-publish` measures. It reads GSP/1 events from a UDP socket and publishes all of them to
 * JetStream, with libnats' own asynchronous calls. Nats-Msg-Id is the event's id, as with
 * xdp-dedup-publish; `headers` adds its other headers, with constant values. SIGTERM ends it, once
 * all that was published is acknowledged.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nats/nats.h>

#include "gsp.h"
#include "udp.h"

#define SERVERS_MAX 8
#define PENDING_MAX 4096 /* as many as xdp-dedup-publish has by default */
#define PAYLOAD_MAX 2048
#define WAIT_MS 100
#define DONE_MS 10000

static volatile sig_atomic_t stop;
static bool has_headers;
static uint64_t failed;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void on_error(jsCtx *js, jsPubAckErr *e, void *closure)
{
	(void)js;
	(void)closure;
	__atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
	if (e->Err == NATS_CONNECTION_CLOSED)
		stop = 1;
}

static natsStatus connect_to(char *urls, natsConnection **nc, jsCtx **js)
{
	const char *servers[SERVERS_MAX];
	natsOptions *o = NULL;
	jsOptions jo;
	natsStatus s;
	int cnt = 0;

	for (char *url; cnt < SERVERS_MAX && (url = strsep(&urls, ","));)
		servers[cnt++] = url;
	jsOptions_Init(&jo);
	jo.PublishAsync.MaxPending = PENDING_MAX;
	jo.PublishAsync.StallWait = DONE_MS;
	jo.PublishAsync.ErrHandler = on_error;
	s = natsOptions_Create(&o);
	if (s == NATS_OK)
		s = natsOptions_SetServers(o, servers, cnt);
	if (s == NATS_OK)
		s = natsConnection_Connect(nc, o);
	if (s == NATS_OK)
		s = natsConnection_JetStream(js, *nc, &jo);
	natsOptions_Destroy(o);
	return s;
}

/* Publishes an event with as many and as long headers as those of xdp-dedup-publish. */
static natsStatus publish_with_headers(jsCtx *js, const char *subject, const uint8_t *payload,
				       int len, jsPubOptions *o)
{
	static const char *const HEADERS[][2] = {
		{ "Dedup-Stream", "gsp" },
		{ "Dedup-Source", "10.76.0.1:40000" },
		{ "Dedup-Arrival", "2026-01-01T00:00:00.000000000Z" },
		{ "Dedup-Machine", "node0" },
	};
	natsMsg *m = NULL;
	natsStatus s = natsMsg_Create(&m, subject, NULL, (const char *)payload, len);

	for (size_t i = 0; i < sizeof(HEADERS) / sizeof(*HEADERS) && s == NATS_OK; i++)
		s = natsMsgHeader_Set(m, HEADERS[i][0], HEADERS[i][1]);
	if (s == NATS_OK)
		s = js_PublishMsgAsync(js, &m, o);
	natsMsg_Destroy(m);
	return s;
}

/* Publishes an event under its id. */
static natsStatus publish(jsCtx *js, const char *subject, const uint8_t *payload, int len)
{
	char id[4 + 2 * GSP_ID_BYTES + 1] = "gsp:", *hex = id + 4;
	jsPubOptions o;

	for (int i = 0; i < GSP_ID_BYTES; i++) {
		uint8_t byte = payload[sizeof(struct gsp_header) + i];

		hex[2 * i] = "0123456789abcdef"[byte >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[byte & 15];
	}
	hex[2 * GSP_ID_BYTES] = '\0';
	jsPubOptions_Init(&o);
	o.MsgId = id;
	if (has_headers)
		return publish_with_headers(js, subject, payload, len, &o);
	return js_PublishAsync(js, subject, payload, len, &o);
}

/* Reads and publishes until SIGTERM. Returns how many events it published, or -errno. */
static int64_t run(int fd, jsCtx *js, const char *subject)
{
	static uint8_t payloads[UDP_BATCH][PAYLOAD_MAX];
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct mmsghdr msgs[UDP_BATCH] = { 0 };
	struct iovec iov[UDP_BATCH];
	int64_t published = 0;

	for (int i = 0; i < UDP_BATCH; i++) {
		iov[i] = (struct iovec){ payloads[i], PAYLOAD_MAX };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	while (!stop) {
		int n = recvmmsg(fd, msgs, UDP_BATCH, MSG_DONTWAIT, NULL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n <= 0)
			poll(&poll_fd, 1, WAIT_MS);
		for (int i = 0; i < n; i++) {
			if (msgs[i].msg_len < sizeof(struct gsp_header) + GSP_ID_BYTES)
				continue;
			if (publish(js, subject, payloads[i], (int)msgs[i].msg_len) != NATS_OK)
				return -EIO;
			published++;
		}
	}
	return published;
}

int main(int argc, char **argv)
{
	natsConnection *nc = NULL;
	jsPubOptions o;
	jsCtx *js = NULL;
	int64_t published;
	int fd;

	if (argc < 5)
		return 2;
	has_headers = argc > 5;
	signal(SIGTERM, on_signal);
	fd = udp_receiver(argv[3], (uint16_t)atoi(argv[4]));
	if (fd < 0 || connect_to(argv[1], &nc, &js) != NATS_OK) {
		fprintf(stderr, "plain_publisher: %s\n",
			fd < 0 ? strerror(-fd) : nats_GetLastError(NULL));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	published = run(fd, js, argv[2]);
	jsPubOptions_Init(&o);
	o.MaxWait = DONE_MS;
	js_PublishAsyncComplete(js, &o);
	printf("published %jd failed %ju lost %jd\n", (intmax_t)published, (uintmax_t)failed,
	       (intmax_t)udp_lost(fd));
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
	return published < 0;
}
