/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay version`: the version, and with --build-options what was compiled in, in the columns of `perf version --build-options`.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "cmd/cmd.h"

struct build_option {
	const char *name;
	const char *macro;
	bool on;
};

/* What every build needs is simply on; what meson may leave out says so by its macro. */
#ifdef HAVE_CAPSTONE
#define CAPSTONE_ON true
#else
#define CAPSTONE_ON false
#endif
#ifdef HAVE_NCURSES
#define NCURSES_ON true
#else
#define NCURSES_ON false
#endif
#ifdef HAVE_LIBPFM
#define LIBPFM_ON true
#else
#define LIBPFM_ON false
#endif

#ifdef HAVE_BPF
#define BPF_ON true
#else
#define BPF_ON false
#endif

static const struct build_option build_options[] = {
	{ "dwarf", "HAVE_DWARF_SUPPORT", true },       { "libelf", "HAVE_LIBELF_SUPPORT", true },
	{ "libdw", "HAVE_LIBDW_SUPPORT", false }, /* DWARF is read by src/symbols, without it */
	{ "demangle", "HAVE_DEMANGLE_SUPPORT", true }, { "zlib", "HAVE_ZLIB_SUPPORT", true },
	{ "zstd", "HAVE_ZSTD_SUPPORT", true },	       { "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", false },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", BPF_ON },      { "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", CAPSTONE_ON },
	{ "libpfm4", "HAVE_LIBPFM", LIBPFM_ON },       { "ncurses", "HAVE_NCURSES", NCURSES_ON },
};

int cmd_version(int argc, char **argv, struct errbuf *eb)
{
	bool with_options = false;
	const struct option table[] = {
		OPT_BOOL(0, "build-options", &with_options, "list what was compiled in"),
		OPT_END,
	};
	const struct options opts = {
		.command = "version",
		.usage = "assay version [--build-options]",
		.summary = "Show the version and what this build can do",
		.table = table,
	};
	struct out o;
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (argc > 0)
		return errbuf_set(eb, CMD_USAGE, "'%s': version takes no words", argv[0]);
	out_init(&o, STDOUT_FILENO);
	/* Scripts look for these words in what they take for perf. */
	if (!strcmp(program_invocation_short_name, "perf"))
		out_str(&o, "perf version " ASSAY_VERSION " (assay)\n");
	else
		out_str(&o, "assay version " ASSAY_VERSION "\n");
	if (with_options) {
		for (size_t i = 0; i < sizeof(build_options) / sizeof(build_options[0]); i++) {
			const struct build_option *b = &build_options[i];

			out_printf(&o, "%22s: [ %s ]  # %s\n", b->name, b->on ? "on " : "OFF", b->macro);
		}
	}
	return out_fini(&o);
}
