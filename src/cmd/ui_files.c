/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files of the terminal UI: what is saved, and what else there is to read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/report_ui.h"

#define MAX_NUMBER 10000
#define MAX_FILES 10000 /* of the directory that are looked into */

void ui_save(struct ui_app *app, const char *what, const struct out *text)
{
	char *path = NULL;
	int fd = -1, err;

	for (int i = 0; fd < 0 && i < MAX_NUMBER; i++) {
		free(path);
		path = mem_printf("assay.%s.%d", what, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	err = fd < 0 ? -errno : io_write(fd, text->buf, text->len, NULL);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err)
		ui_app_say(app, "%s cannot be written: %s", path, strerror(-err));
	else
		ui_app_say(app, "saved as %s", path);
	free(path);
}

static int is_file(const struct dirent *d)
{
	struct stat st;

	/* A line break in a name would be two lines. */
	return d->d_name[0] != '.' && !strchr(d->d_name, '\n') && !stat(d->d_name, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

void ui_list_recordings(struct out *o)
{
	struct dirent **files = NULL;
	int nr = scandir(".", &files, is_file, alphasort);

	for (int i = 0; i < nr; i++) {
		if (i < MAX_FILES && input_is_recording(files[i]->d_name)) {
			out_str(o, files[i]->d_name);
			out_char(o, '\n');
		}
		free(files[i]);
	}
	free(files);
}
