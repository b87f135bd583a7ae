// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "dirs.h"
#include "identity.h"
#include "pins.h"

#define GONE_MS 3000 /* the kernel frees a program a little after its last holder has gone */

/* Is the program `id` a packet program (XDP; in a dispatcher EXT) and either prog_id or a user of
 * this map? The program that started the hand, which the timer holds, is of another type.
 */
static int is_user(__u32 id, uint32_t map_id, uint32_t prog_id)
{
	__u32 maps[IDENTITY_MAPS_MAX];
	struct bpf_prog_info info;
	int err, fd = bpf_prog_get_fd_by_id(id);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno; /* gone since it was listed */
	err = identity_program_info(fd, &info, maps);
	close(fd);
	if (err)
		return err;
	if (info.type != BPF_PROG_TYPE_XDP && info.type != BPF_PROG_TYPE_EXT)
		return 0;
	if (id == prog_id)
		return 1;
	for (__u32 i = 0; i < info.nr_map_ids; i++)
		if (map_id && maps[i] == map_id)
			return 1;
	return 0;
}

/* Does the machine have a program that is_user() finds? Returns 1, with the id of the first one in
 * *id; 0; or -errno. An argument of 0 matches no program.
 */
static int find_user(uint32_t map_id, uint32_t prog_id, uint32_t *id)
{
	int found = 0;

	*id = 0;
	while (!found) {
		if (bpf_prog_get_next_id(*id, id))
			return errno == ENOENT ? 0 : -errno;
		found = is_user(*id, map_id, prog_id);
	}
	return found;
}

static int has_users(uint32_t map_id, uint32_t prog_id)
{
	uint32_t id;

	return find_user(map_id, prog_id, &id);
}

/* has_users(), of a program that may be about to be freed. */
static int outlive(uint32_t map_id, uint32_t prog_id)
{
	int found = has_users(map_id, prog_id);

	for (int ms = 0; found > 0 && ms < GONE_MS; ms += 10) {
		usleep(10000);
		found = has_users(map_id, prog_id);
	}
	return found;
}

int live_find_program(uint32_t state_id, uint32_t *prog_id)
{
	int found = find_user(state_id, 0, prog_id);

	if (!found)
		*prog_id = 0;
	return found < 0 ? found : 0;
}

int live_program_of(uint32_t config_id)
{
	return outlive(config_id, 0);
}

int live_program_now(uint32_t config_id)
{
	return has_users(config_id, 0);
}

int live_can_tell(void)
{
	return has_users(0, 0); /* looks at every program, and finds none */
}

/* Is the filter's directory empty? 1 or 0; -errno. */
static int is_empty(const char *name)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int more;
	DIR *dir;

	pin_path(path, name, NULL);
	dir = opendir(path);
	if (!dir)
		return -errno;
	do
		more = dir_next(dir, &entry);
	while (more > 0 && entry->d_name[0] == '.');
	closedir(dir);
	return more < 0 ? more : !more;
}

static int pin_again(const char *path, uint32_t prog_id)
{
	int err, fd = bpf_prog_get_fd_by_id(prog_id);

	if (fd < 0)
		return -errno;
	err = bpf_obj_pin(fd, path) ? -errno : 0;
	close(fd);
	return err;
}

int live_anywhere(const char *name)
{
	struct identity id = { 0 };
	char path[PATH_MAX];
	int err = filter_identity(name, &id), found;

	if (!err && id.prog_id && !id.state_id)
		err = identity_of_program_id(id.prog_id, &id);
	if (err)
		return err;
	if (!id.state_id && !id.prog_id) {
		found = is_empty(name);
		return found == 1 ? 0 : found ?: -ENODATA;
	}
	/* Without a user there is nothing to try. Else its own pin is taken away: if the program
	 * then goes, nothing else held it. Its maps stay, which have pins of their own.
	 */
	found = has_users(id.state_id, id.prog_id);
	pin_path(path, name, PIN_PROG);
	if (found <= 0 || (id.prog_id && unlink(path)))
		return found <= 0 ? found : -errno;
	found = outlive(id.state_id, id.prog_id);
	/* It is still there: the pin comes back. -ENOENT: it has gone just now. */
	if (found && id.prog_id && pin_again(path, id.prog_id) == -ENOENT && found > 0)
		found = has_users(id.state_id, id.prog_id);
	return found;
}
