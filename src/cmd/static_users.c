/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * getpwnam_r() and getgrouplist() of the statically linked program, which this file is compiled into and no other: users of /etc/passwd and groups of
 * /etc/group, without the C library's name services. Those are shared objects of the machine, made for the machine's C library and not for the one linked here.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

int getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t size, struct passwd **found)
{
	FILE *f = fopen("/etc/passwd", "re");
	int err;

	*found = NULL;
	if (!f)
		return errno == ENOENT ? 0 : errno;
	while (!(err = fgetpwent_r(f, pw, buf, size, found)) && strcmp(pw->pw_name, name) != 0)
		*found = NULL;
	fclose(f);
	if (err)
		*found = NULL;
	return err == ENOENT ? 0 : err;
}

static int has_member(const struct group *g, const char *user)
{
	for (char **member = g->gr_mem; *member; member++)
		if (strcmp(*member, user) == 0)
			return 1;
	return 0;
}

int getgrouplist(const char *user, gid_t group, gid_t *groups, int *nr_groups)
{
	FILE *f = fopen("/etc/group", "re");
	int room = *nr_groups, nr = 0;
	struct group g, *found;
	static char buf[1 << 16];

	if (room > 0)
		groups[0] = group;
	nr++;
	while (f && !fgetgrent_r(f, &g, buf, sizeof(buf), &found)) {
		if (g.gr_gid == group || !has_member(&g, user))
			continue;
		if (nr < room)
			groups[nr] = g.gr_gid;
		nr++;
	}
	if (f)
		fclose(f);
	*nr_groups = nr;
	return nr > room ? -1 : nr;
}
