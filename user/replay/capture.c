// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "blocks.h"
#include "diag.h"
#include "link.h"

#define NSEC_PER_SEC 1000000000

/* A stream between a capture file and libpcap. It finds the file's kind, counts bytes, and reads
 * pcapng's blocks.
 */
struct tap {
	FILE *source;
	uint8_t magic[8]; /* the file's first bytes */
	uint32_t magic_cnt, magic_given;
	uint64_t bytes_read, file_bytes;
	bool is_pcapng;
	struct blocks blocks;
	char buffer[BLOCKS_AHEAD_BYTES]; /* of libpcap's stream */
};

struct capture {
	char *name;
	pcap_t *pcap;
	int dlt;
	uint32_t fcs_bytes; /* at each frame's end */
	uint8_t mac[ETH_ALEN];
	int status; /* 1, or the final result of capture_next() */
	uint64_t number, foreign_cnt;
	uint8_t *frame; /* a frame whose Ethernet header was made */
	uint32_t frame_size;
	struct ifaces described; /* by the file; else by packets: */
	struct ifaces indexed;
	struct tap tap;
};

static uint64_t size_of(FILE *file)
{
	struct stat st;
	off_t at = ftello(file);

	if (fileno(file) < 0 || fstat(fileno(file), &st) || at < 0)
		return 0;
	return st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
}

/* Reads the first bytes of the stream. Returns 0, or -errno. */
static int tap_begin(struct tap *t, FILE *source, struct ifaces *ifaces)
{
	t->source = source;
	t->file_bytes = size_of(source);
	blocks_begin(&t->blocks, ifaces);
	errno = 0;
	t->magic_cnt = (uint32_t)fread(t->magic, 1, sizeof(t->magic), source);
	if (ferror(source))
		return errno ? -errno : -EIO;
	t->is_pcapng = t->magic_cnt >= 4 && !memcmp(t->magic, "\n\r\r\n", 4);
	return 0;
}

static size_t read_source(struct tap *t, char *to, size_t size)
{
	size_t n = t->magic_cnt - t->magic_given;

	if (!n)
		return fread(to, 1, size, t->source);
	if (n > size)
		n = size;
	memcpy(to, t->magic + t->magic_given, n);
	t->magic_given += (uint32_t)n;
	return n;
}

static ssize_t tap_read(void *cookie, char *to, size_t size)
{
	struct tap *t = cookie;
	size_t n = read_source(t, to, size);

	if (!n && ferror(t->source))
		return -1;
	t->bytes_read += n;
	if (t->is_pcapng)
		blocks_read(&t->blocks, (uint8_t *)to, n);
	if (t->blocks.too_many) {
		errno = EFBIG;
		return -1;
	}
	return (ssize_t)n;
}

static int tap_close(void *cookie)
{
	return fclose(((struct tap *)cookie)->source);
}

/* Returns the stream for libpcap, with all bytes of the source; NULL with errno set if there is no
 * memory. Closing it closes the source, too.
 */
static FILE *tap_stream(struct tap *t)
{
	FILE *f =
		fopencookie(t, "r", (cookie_io_functions_t){ .read = tap_read, .close = tap_close });

	if (!f)
		return NULL;
	__fsetlocking(f, FSETLOCKING_BYCALLER); /* only one thread reads it */
	setvbuf(f, t->buffer, _IOFBF, sizeof(t->buffer));
	return f;
}

/* Returns the command that unpacks the file if it is compressed, for example "zcat"; else NULL. */
static const char *tap_unpacker(const struct tap *t)
{
	static const struct {
		const char *unpacker, *magic;
	} KINDS[] = {
		{ "zcat", "\x1f\x8b" },		  { "bzcat", "BZh" },
		{ "xzcat", "\xfd\x37zXZ" },	  { "zstdcat", "\x28\xb5\x2f\xfd" },
		{ "lz4cat", "\x04\x22\x4d\x18" }, { "unzip -p", "PK\x03\x04" },
	};

	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (t->magic_cnt >= strlen(KINDS[i].magic) &&
		    !memcmp(t->magic, KINDS[i].magic, strlen(KINDS[i].magic)))
			return KINDS[i].unpacker;
	return NULL;
}

/* The upper bits of a pcap file's link type: whether frames end with an FCS, and its length in
 * units of 2 bytes.
 */
static uint32_t fcs_bytes(uint32_t link_type_ext)
{
	return link_type_ext & 0x04000000 ? 2 * (link_type_ext >> 28) : 0;
}

static int log_unknown(const struct capture *c, const char *why)
{
	const char *unpacker = tap_unpacker(&c->tap);

	if (!c->tap.magic_cnt)
		return diag_err(-EBADMSG, "%s is empty", c->name);
	if (unpacker)
		return diag_err(-EBADMSG, "%s is compressed: unpack it with %s, and pipe that in",
				c->name, unpacker);
	if (!strcmp(why, "unknown file format"))
		return diag_err(-EBADMSG, "%s is neither pcap nor pcapng", c->name);
	return diag_err(-EBADMSG, "%s: %s", c->name, why);
}

static int log_link_type(const struct capture *c)
{
	const char *name = pcap_datalink_val_to_name(c->dlt);

	return diag_err(-EPROTONOSUPPORT,
			"%s has link type %s (%d); Ethernet, Linux cooked and raw IP can be read",
			c->name, name ? name : "unknown", c->dlt);
}

static int log_broken(const struct capture *c)
{
	const char *why = pcap_geterr(c->pcap);
	int err = ferror(c->tap.source) ? -EIO : -EBADMSG;

	if (c->tap.blocks.too_many)
		why = "more interfaces than can be read";
	return diag_err(
		err,
		strncmp(why, "an interface has a ", 19)
			? "%s: packet %llu: %s"
			: "%s: packet %llu: %s" ADVICE
			  "libpcap reads none such: capture each interface into a file of its own",
		c->name, (unsigned long long)c->number + 1, why);
}

static int open_pcap(struct capture *c, FILE *file)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	int err = tap_begin(&c->tap, file, &c->described);
	FILE *stream;

	if (err) {
		fclose(file);
		return diag_err(err, "cannot read %s: %s", c->name, strerror(-err));
	}
	stream = tap_stream(&c->tap);
	if (!stream) {
		fclose(file);
		return diag_err(-ENOMEM, "cannot read %s: no memory", c->name);
	}
	c->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (!c->pcap) {
		err = log_unknown(c, why);
		fclose(stream);
		return err;
	}
	c->dlt = pcap_datalink(c->pcap);
	c->fcs_bytes = fcs_bytes((uint32_t)pcap_datalink_ext(c->pcap));
	return link_is_known(c->dlt) ? 0 : log_link_type(c);
}

int capture_open_file(FILE *file, const char *name, const uint8_t mac[6], struct capture **out)
{
	struct capture *c = calloc(1, sizeof(*c));
	int err;

	if (c)
		c->name = strdup(name);
	if (!c || !c->name) {
		fclose(file);
		free(c);
		return diag_err(-ENOMEM, "cannot read %s: no memory", name);
	}
	memcpy(c->mac, mac, sizeof(c->mac));
	c->status = 1;
	err = open_pcap(c, file);
	if (err) {
		capture_close(c);
		return err;
	}
	*out = c;
	return 0;
}

int capture_open(const char *path, const uint8_t mac[6], struct capture **out)
{
	FILE *file;
	int err;

	if (!strcmp(path, "-"))
		return capture_open_file(stdin, "standard input", mac, out);
	file = fopen(path, "re");
	if (!file) {
		err = -errno;
		return diag_err(err, "cannot open %s: %s", path, strerror(-err));
	}
	return capture_open_file(file, path, mac, out);
}

/* Returns the time in ns. tv_usec has nanoseconds, and any value in a corrupt file. pcap's seconds
 * are unsigned 32 bits, which libpcap sign-extends in files of this machine's byte order.
 */
static uint64_t time_ns(const struct capture *c, const struct timeval *ts)
{
	int64_t sec = c->tap.is_pcapng ? ts->tv_sec : (uint32_t)ts->tv_sec;
	__int128 ns = (__int128)sec * NSEC_PER_SEC + ts->tv_usec;

	return ns < 0 ? 0 : ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* Replaces the packet's own header by an Ethernet header. */
static int make_frame(struct capture *c, const struct link_header *h, struct capture_frame *f)
{
	uint32_t grown = (uint32_t)sizeof(h->ethernet) - h->replaced; /* may be negative */
	uint32_t len = f->len + grown;
	uint8_t *bigger = c->frame_size < len ? realloc(c->frame, len) : c->frame;

	if (!bigger)
		return diag_err(-ENOMEM, "%s: packet %llu: no memory", c->name,
				(unsigned long long)f->number);
	c->frame = bigger;
	if (c->frame_size < len)
		c->frame_size = len;
	memcpy(c->frame, &h->ethernet, sizeof(h->ethernet));
	memcpy(c->frame + sizeof(h->ethernet), f->data + h->replaced, f->len - h->replaced);
	f->data = c->frame;
	f->len = len;
	f->wire_len = h->replaced < sizeof(h->ethernet) && f->wire_len > UINT32_MAX - grown
			      ? UINT32_MAX
			      : f->wire_len + grown;
	f->outgoing = h->outgoing;
	return 1;
}

/* Converts a packet to an Ethernet frame. Returns 1; 0 if it cannot be one; or -errno. */
static int to_ethernet(struct capture *c, struct capture_frame *f)
{
	struct link_header h;

	if (c->dlt == DLT_EN10MB)
		return 1;
	if (!link_make_header(&h, c->dlt, c->mac, f->data, f->len)) {
		c->foreign_cnt++;
		return 0;
	}
	if (c->dlt == DLT_LINUX_SLL2)
		f->iface = ifaces_by_index(&c->indexed, h.index);
	return make_frame(c, &h, f);
}

/* Reads the next packet without conversion. Returns what capture_next() returns. */
static int next_packet(struct capture *c, struct capture_frame *f)
{
	struct pcap_pkthdr *header;
	const u_char *data;
	int got = pcap_next_ex(c->pcap, &header, &data);

	if (got != 1)
		return got == PCAP_ERROR_BREAK ? 0 : log_broken(c);
	*f = (struct capture_frame){ .data = data,
				     .len = header->caplen,
				     .wire_len = header->len,
				     .ns = time_ns(c, &header->ts),
				     .number = ++c->number,
				     .iface = c->tap.is_pcapng ? blocks_pop(&c->tap.blocks) : 0 };
	if (f->wire_len < f->len)
		f->wire_len = f->len;
	f->wire_len -= c->fcs_bytes < f->wire_len ? c->fcs_bytes : f->wire_len;
	if (f->len > f->wire_len)
		f->len = f->wire_len;
	return 1;
}

int capture_next(struct capture *c, struct capture_frame *f)
{
	int made = 0;

	while (c->status == 1 && !made) {
		c->status = next_packet(c, f);
		if (c->status == 1)
			made = to_ethernet(c, f);
		if (made < 0)
			c->status = made;
	}
	return c->status;
}

static const struct ifaces *ifaces_of(const struct capture *c)
{
	return c->dlt == DLT_LINUX_SLL2 ? &c->indexed : &c->described;
}

uint32_t capture_iface_cnt(const struct capture *c)
{
	return ifaces_of(c)->cnt ? ifaces_of(c)->cnt : 1;
}

const char *capture_iface_name(const struct capture *c, uint32_t iface)
{
	return ifaces_of(c)->cnt ? ifaces_of(c)->names[iface] : "interface 0";
}

uint64_t capture_foreign_cnt(const struct capture *c)
{
	return c->foreign_cnt;
}

uint64_t capture_bytes_read(const struct capture *c)
{
	return c->tap.bytes_read;
}

uint64_t capture_file_bytes(const struct capture *c)
{
	return c->tap.file_bytes;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	if (c->pcap)
		pcap_close(c->pcap);
	free(c->frame);
	free(c->name);
	free(c);
}
