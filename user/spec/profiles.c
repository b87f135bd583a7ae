// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

/* The files of user/spec/profiles, which the Makefile converts. */
static const struct {
	const char *name, *text;
} BUILTIN[] = {
#include "builtin_profiles.h"
};

int profiles_add_builtin(struct profiles *p)
{
	for (size_t i = 0; i < sizeof(BUILTIN) / sizeof(BUILTIN[0]); i++) {
		const char *text = BUILTIN[i].text;
		struct profile_error wrong;
		int err = profiles_parse(p, text, strlen(text), PROFILE_BUILTIN, &wrong);

		if (err)
			return diag_err(err, "user/spec/profiles/%s.ini:%u:%u: %s", BUILTIN[i].name,
					wrong.line, wrong.column, wrong.says);
	}
	return 0;
}

int profiles_add_file(struct profiles *p, const char *path, enum profile_origin origin,
		      struct profile_error *err)
{
	char *text = malloc(PROFILES_FILE_MAX + 1);
	int result = 0;
	size_t len = 0;
	FILE *f;

	*err = (struct profile_error){ 0 };
	if (!text)
		return -ENOMEM;
	f = fopen(path, "re");
	if (!f) {
		result = -errno;
		goto out;
	}
	len = fread(text, 1, PROFILES_FILE_MAX + 1, f);
	if (ferror(f))
		result = errno ? -errno : -EIO;
	else if (len > PROFILES_FILE_MAX)
		result = -EFBIG;
	fclose(f);
out:
	if (!result)
		result = profiles_parse(p, text, len, origin, err);
	free(text);
	return result;
}

static int is_ini(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return end && end > entry->d_name && !strcmp(end, ".ini");
}

int profiles_add_host(struct profiles *p, char path[PATH_MAX], struct profile_error *err)
{
	struct dirent **entries;
	int cnt, result = 0;

	*err = (struct profile_error){ 0 };
	snprintf(path, PATH_MAX, PROFILES_DIRECTORY);
	cnt = scandir(PROFILES_DIRECTORY, &entries, is_ini, alphasort);
	if (cnt < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < cnt; i++) {
		if (!result) {
			snprintf(path, PATH_MAX, "%s/%s", PROFILES_DIRECTORY, entries[i]->d_name);
			result = profiles_add_file(p, path, PROFILE_OF_HOST, err);
		}
		free(entries[i]);
	}
	free(entries);
	return result;
}

const struct profile *profiles_find(const struct profiles *p, const char *name)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->list[i].stream.name, name))
			return &p->list[i];
	return NULL;
}

void profiles_keep(struct profiles *p, bool (*keep)(const char *name))
{
	size_t kept = 0;

	for (size_t i = 0; i < p->cnt; i++) {
		if (keep(p->list[i].stream.name))
			p->list[kept++] = p->list[i];
		else
			free(p->list[i].text);
	}
	p->cnt = kept;
}

void profiles_free(struct profiles *p)
{
	for (size_t i = 0; i < p->cnt; i++)
		free(p->list[i].text);
	free(p->list);
	*p = (struct profiles){ 0 };
}
