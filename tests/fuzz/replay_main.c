/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs a fuzz target over stored inputs, so that every compiler and every test run replays the
 * corpus without libFuzzer. The arguments are files and directories; directories are walked.
 * Each input gets a heap block of its exact size, so that a sanitizer sees one byte too many.
 */
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static unsigned long nr_inputs; /* nftw() passes no context on */

static int replay_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type != FTW_F)
		return 0;
	FILE *f = fopen(path, "rb");
	size_t size = (size_t)st->st_size;
	uint8_t *data = malloc(size ? size : 1);
	if (!f || !data || fread(data, 1, size, f) != size) {
		fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
		exit(1);
	}
	fclose(f);
	if (getenv("REPLAY_VERBOSE"))
		fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	nr_inputs++;
	return 0;
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	/* libFuzzer begins with an empty input too; its pointer is never NULL. */
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		if (nftw(argv[i], replay_file, 16, FTW_PHYS) != 0) {
			fprintf(stderr, "%s: cannot be read: %s\n", argv[i], strerror(errno));
			return 1;
		}
	}
	printf("%lu inputs replayed\n", nr_inputs);
	return 0;
}
