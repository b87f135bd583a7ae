// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tap.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t size_of(FILE *file)
{
	struct stat st;
	off_t at = ftello(file);

	if (fileno(file) < 0 || fstat(fileno(file), &st) || at < 0)
		return 0;
	return st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
}

int tap_begin(struct tap *t, FILE *source, struct ifaces *ifaces)
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

FILE *tap_stream(struct tap *t)
{
	FILE *f =
		fopencookie(t, "r", (cookie_io_functions_t){ .read = tap_read, .close = tap_close });

	if (!f)
		return NULL;
	__fsetlocking(f, FSETLOCKING_BYCALLER); /* only one thread reads it */
	setvbuf(f, t->buffer, _IOFBF, sizeof(t->buffer));
	return f;
}

const char *tap_unpacker(const struct tap *t)
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
