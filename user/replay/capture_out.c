// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"

#define NSEC_PER_SEC 1000000000
#define FILE_HEADER_BYTES 24
#define FRAME_HEADER_BYTES 16

struct capture_out {
	char *path, *part; /* part: the path until it is finished; NULL: written to `path` */
	FILE *file;
	pcap_t *pcap; /* for the file's type only; no packet is read from it */
	uint32_t snap;
	bool live;
	uint64_t whole_bytes; /* up to the last whole frame */
	int err;	      /* the first failure, which is logged */
	char buffer[64 * 1024];
};

static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static FILE *open_part(struct capture_out *o)
{
	FILE *f;
	int fd;

	if (asprintf(&o->part, "%s.part", o->path) < 0) {
		o->part = NULL;
		return NULL;
	}
	unlink(o->part); /* a killed run may have left it; or it may link to another file */
	fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	f = fdopen(fd, "w");
	if (!f)
		close(fd);
	return f;
}

static FILE *open_out(struct capture_out *o)
{
	if (!strcmp(o->path, "-"))
		return stdout;
	if (o->live || is_special(o->path))
		return fopen(o->path, "we");
	return open_part(o);
}

/* Logs the error, and discards buffered data, which fclose() would write. */
static int fail(struct capture_out *o)
{
	o->err = errno ? -errno : -EIO;
	if (o->file)
		__fpurge(o->file);
	if (o->part)
		unlink(o->part);
	else if (o->live && o->file && o->file != stdout && !is_special(o->path) &&
		 ftruncate(fileno(o->file), (off_t)o->whole_bytes))
		diag_note("%s ends with a part of a frame", o->path);
	return diag_err(o->err, "cannot write %s: %s", o->path, strerror(-o->err));
}

static int start_file(struct capture_out *o)
{
	errno = 0;
	o->file = open_out(o);
	if (!o->file)
		return fail(o);
	if (o->file != stdout)
		setvbuf(o->file, o->buffer, _IOFBF, sizeof(o->buffer));
	o->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)o->snap,
						       PCAP_TSTAMP_PRECISION_NANO);
	if (!o->pcap || !pcap_dump_fopen(o->pcap, o->file) || (o->live && fflush(o->file)))
		return fail(o);
	o->whole_bytes = FILE_HEADER_BYTES;
	return 0;
}

/* Returns 0, or -errno if buffered data could not be written. */
static int close_file(struct capture_out *o)
{
	FILE *f = o->file;

	o->file = NULL;
	if (!f)
		return 0;
	return (f == stdout ? fflush(f) : fclose(f)) ? -errno : 0;
}

static void out_free(struct capture_out *o)
{
	close_file(o);
	if (o->pcap)
		pcap_close(o->pcap);
	free(o->part);
	free(o->path);
	free(o);
}

int capture_create(const char *path, uint32_t snap, enum capture_out_mode mode,
		   struct capture_out **out)
{
	struct capture_out *o = calloc(1, sizeof(*o));
	int err;

	if (o)
		o->path = strdup(path);
	if (!o || !o->path) {
		free(o);
		return diag_err(-ENOMEM, "cannot write %s: no memory", path);
	}
	o->snap = snap;
	o->live = mode == CAPTURE_LIVE;
	err = start_file(o);
	if (err) {
		out_free(o);
		return err;
	}
	*out = o;
	return 0;
}

int capture_write(struct capture_out *o, const struct capture_frame *f)
{
	struct pcap_pkthdr header = { .ts.tv_sec = (time_t)(f->ns / NSEC_PER_SEC),
				      .ts.tv_usec = (suseconds_t)(f->ns % NSEC_PER_SEC),
				      .caplen = f->len < o->snap ? f->len : o->snap,
				      .len = f->wire_len };

	if (o->err)
		return o->err;
	errno = 0;
	pcap_dump((u_char *)o->file, &header, f->data);
	if (ferror(o->file) || (o->live && fflush(o->file)))
		return fail(o);
	o->whole_bytes += FRAME_HEADER_BYTES + header.caplen;
	return 0;
}

int capture_finish(struct capture_out *o)
{
	int err = o->err;

	errno = 0;
	if (!err && (fflush(o->file) || close_file(o) || (o->part && rename(o->part, o->path))))
		err = fail(o);
	out_free(o);
	return err;
}

void capture_discard(struct capture_out *o)
{
	if (!o)
		return;
	if (o->part) {
		__fpurge(o->file);
		unlink(o->part);
	}
	out_free(o);
}
