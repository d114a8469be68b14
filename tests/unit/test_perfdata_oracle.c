/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Real perf (6.1) as the judge of the perfdata module: recordings of perf's, read by our reader
 * and written again by our writer in every mode, must give the same text from `perf script`,
 * `perf evlist` and `perf report --header-only`; and the names that event_name_of() gives must
 * be perf's. Skips where there is no perf.
 */
#include "perfdata_sample.h"

#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/io.h"

extern char **environ;
static char dir[] = "/tmp/assay-test-XXXXXX";

/* Runs perf in `dir` with its output, both streams, in *text; the exit status, or -1. */
static int perf(char **text, const char *const *args)
{
	const char *argv[24] = { getenv("PERF") && *getenv("PERF") ? getenv("PERF") : "perf" };
	posix_spawn_file_actions_t fa;
	char path[64];
	int status = -1;
	size_t size;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/out", dir);
	for (int i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&fa, 1, 2);
	posix_spawn_file_actions_addchdir_np(&fa, dir);
	if (!posix_spawnp(&pid, argv[0], &fa, NULL, (char **)argv, environ) && waitpid(pid, &status, 0) == pid)
		status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	posix_spawn_file_actions_destroy(&fa);
	*text = NULL;
	if (status >= 0)
		assert_int_equal(io_read_file(path, 100 << 20, text, &size), 0);
	return status == 127 ? -1 : status;
}
#define PERF(text, ...) perf(text, (const char *const[]){ __VA_ARGS__, NULL })

static void need_perf_61(void)
{
	char *text;
	bool ok = PERF(&text, "version") == 0 && strstr(text, "6.1");

	free(text);
	if (!ok) {
		print_message("SKIP: there is no perf 6.1 here to compare with\n");
		skip();
	}
}

/* Without the lines that speak of the container and not of what is in it. */
static char *header_text(const char *file)
{
	static const char *const drop[] = { "# captured on",	  "# data ",	     "# feat offset", "# compressed",
					    "# missing features", "# directory data" };
	char *text, *line, *next, *to;

	assert_int_equal(PERF(&text, "report", "--header-only", "-I", "-i", file), 0);
	for (line = to = text; *line; line = next) {
		size_t len = strcspn(line, "\n");
		bool keep = true;

		next = line + len + (line[len] != 0);
		for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
			keep = keep && strncmp(line, drop[i], strlen(drop[i]));
		if (keep) {
			memmove(to, line, (size_t)(next - line));
			to += next - line;
		}
	}
	*to = 0;
	return text;
}

static struct record_source *open_file(const char *file)
{
	char path[128];
	struct errbuf eb = { 0 };
	struct record_source *r;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (reader_open(&r, path, READER_ANY_OWNER, &eb))
		fail_msg("%s", eb.text);
	return r;
}

/* Writes `from` again as "copy". */
static void copy(const char *from, const struct writer_options *opts, bool killed)
{
	struct record_source *known = open_file(from), *r = open_file(from);
	struct source_record rec;
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct writer *w;
	char path[128];
	uint32_t nr = 0;
	int fd;

	/* A pipe tells all about itself only while it is read. */
	while (record_source_next(known, &rec, &eb) == 1)
		;
	assert_string_equal(known->damage->text, "");
	info = *known->info;
	snprintf(path, sizeof(path), "%s/copy", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(writer_open(&w, fd, opts, &info, &eb), 0);
	while (record_source_next(r, &rec, &eb) == 1) {
		uint32_t type = rec.header->type;

		if (type == RECORD_HEADER_ATTR || type == RECORD_HEADER_FEATURE || type == RECORD_HEADER_TRACING_DATA)
			continue;
		assert_int_equal(writer_append(w, rec.header, rec.header->size, type < 64), 0);
		if (nr++ % 100 == 99)
			assert_int_equal(writer_sync(w), 0);
	}
	assert_int_equal(killed ? writer_sync(w) : writer_finish(w, &info, &eb), 0);
	writer_free(w);
	close(fd);
	record_source_close(r);
	record_source_close(known);
}

static void compare(const char *from, const char *command, const char *option)
{
	char *want, *got;

	assert_int_equal(PERF(&want, command, option, "-i", from), 0);
	assert_int_equal(PERF(&got, command, option, "-i", "copy"), 0);
	assert_string_equal(got, want);
	free(want);
	free(got);
}

static void check_copies(const char *from)
{
	for (int mode = 0; mode < 6; mode++) {
		const struct writer_options opts = { .pipe_mode = mode >= 4, .compress_level = mode & 1 };
		char *want, *got;

		copy(from, &opts, mode == 2 || mode == 3);
		compare(from, "script", "--no-inline");
		if (opts.pipe_mode) /* evlist does not read that far */
			continue;
		compare(from, "evlist", "-v");
		want = header_text(from);
		got = header_text("copy");
		/* A pipe has no cache line; the rest is in its order. */
		if (strcmp(from, "pipe"))
			assert_string_equal(got, want);
		free(want);
		free(got);
	}
}

/* The recording is `file`; of a pipe, that is made of what was printed. 0, or the status of perf, which cannot read its own file where
 * another recorder asked for build-ids at the same time. */
static int try_record(const char *file, const char *const *args)
{
	char out[64], kept[64], *text;
	int status = perf(&text, args);

	if (status)
		print_message("perf cannot record: %s\n", text ? text : "");
	free(text);
	if (status)
		return status;
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(kept, sizeof(kept), "%s/%s", dir, file);
	if (!strcmp(file, "pipe"))
		assert_int_equal(rename(out, kept), 0);
	status = PERF(&text, "script", "-i", file);
	free(text);
	return status;
}

static void record(const char *file, const char *const *args)
{
	for (int i = 0; i < 10; i++) {
		if (!try_record(file, args))
			return;
		sleep(i < 3 ? 0 : 3); /* the other one takes longer */
	}
	print_message("SKIP: perf cannot record here\n");
	skip();
}
/* perf 6.1 writes records of BPF programs wrongly while others load some. */
#define RECORD(file, ...) record(file, (const char *const[]){ "record", "-q", "--no-bpf-event", __VA_ARGS__, "--", "true", NULL })

static void test_file(void **state)
{
	(void)state;
	need_perf_61();
	RECORD("plain", "-g", "-o", "plain", "-e", "cpu-clock:u,task-clock,page-faults");
	check_copies("plain");
}

static void test_compressed(void **state)
{
	(void)state;
	need_perf_61();
	RECORD("zstd", "-z", "-F", "20000", "-o", "zstd");
	check_copies("zstd");
}

static void test_directory(void **state)
{
	(void)state;
	need_perf_61();
	RECORD("threads", "--threads", "-o", "threads");
	check_copies("threads");
}

static void test_pipe(void **state)
{
	(void)state;
	need_perf_61();
	RECORD("pipe", "-o", "-");
	check_copies("pipe");
}

static void add_event(struct perfdata_info *info, uint32_t type, uint64_t config, uint64_t flags)
{
	struct perfdata_event e = { .attr = { .type = type, .config = config, .flags = flags } };

	e.attr.size = ATTR_SIZE_VER7;
	e.attr.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP;
	e.attr.config1 = 0x1000;
	e.attr.bp_type = type == ATTR_TYPE_BREAKPOINT ? (uint32_t)config : 0;
	e.name = "";
	e.ids = arena_alloc(&info->arena, 8);
	e.ids[0] = 100 + info->events.nr;
	e.nr_ids = 1;
	vec_push(&info->events, e);
}

static void test_names(void **state)
{
	const struct record_header round = { RECORD_FINISHED_ROUND, 0, 8 };
	const struct writer_options opts = { 0 };
	struct perfdata_info info;
	struct errbuf eb = { 0 };
	struct writer *w;
	char path[64], *text, *line;
	int fd;

	(void)state;
	need_perf_61();
	perfdata_info_init(&info);
	for (uint32_t config = 0; config < 10; config++) { /* later software events have names here only */
		add_event(&info, ATTR_TYPE_HARDWARE, config, 0);
		add_event(&info, ATTR_TYPE_SOFTWARE, config, ATTR_EXCLUDE_GUEST);
		add_event(&info, ATTR_TYPE_BREAKPOINT, config, ATTR_EXCLUDE_USER);
	}
	for (uint64_t i = 0; i < 10 * 4 * 3; i++)
		add_event(&info, ATTR_TYPE_HW_CACHE, i / 12 | i / 3 % 4 << 8 | i % 3 << 16, 0);
	for (uint64_t i = 0; i < 128; i++) /* user, kernel, hv; precise; host, guest */
		add_event(&info, ATTR_TYPE_RAW, i, (i & 7) << 4 | (i >> 3 & 3) << ATTR_PRECISE_IP_SHIFT | (i >> 5) << 19);
	add_event(&info, 9999, 1, 0);
	snprintf(path, sizeof(path), "%s/names", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(writer_open(&w, fd, &opts, &info, &eb), 0);
	assert_int_equal(writer_append(w, &round, sizeof(round), false), 0);
	assert_int_equal(writer_finish(w, &info, &eb), 0);
	writer_free(w);
	close(fd);
	assert_int_equal(PERF(&text, "evlist", "-i", "names"), 0);
	line = text;
	for (uint32_t i = 0; i < info.events.nr; i++) {
		char name[EVENT_NAME_MAX];

		line[strcspn(line, "\n")] = 0;
		event_name_of(&info.events.v[i].attr, name, sizeof(name));
		assert_string_equal(name, line);
		line += strlen(line) + 1;
	}
	free(text);
	perfdata_info_fini(&info);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file), cmocka_unit_test(test_compressed), cmocka_unit_test(test_directory),
		cmocka_unit_test(test_pipe), cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
