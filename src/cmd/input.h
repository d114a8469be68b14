/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the commands that read a recording have in common: the options that say which file, symbols and samples, opening it, reading it
 * into a profile within bounds, its quality, and the closing warnings about losses and damage.
 */
#ifndef ASSAY_CMD_INPUT_H
#define ASSAY_CMD_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/errbuf.h"
#include "base/options.h"
#include "base/progress.h"
#include "import/import.h"
#include "model/filter.h"
#include "model/match.h"
#include "model/profile.h"
#include "model/quality.h"
#include "session/session.h"

#define INPUT_PROGRESS_EVERY 4096 /* records */
#define INPUT_FORGET_EVERY 16	  /* few enough that the deepest chains of a record's size add some megabytes at most */

#define INPUT_RECORDER "assay record --call-graph dwarf -- COMMAND"
#define INPUT_RECORDER_SCHED "assay sched record -- COMMAND"

struct input {
	struct session *session; /* this and the next: from input_open() to input_close() */
	struct profile *profile;
	struct progress progress; /* shown by input_load() */
	uint64_t nr_read;	  /* records */
	uint64_t nr_met;	  /* samples, by input_forget() */
	const char *path;	  /* -i; NULL: input_default_path() */
	const char *recorder;	  /* the command that makes such recordings; NULL: INPUT_RECORDER */
	bool is_imported;	  /* it was opened, and is a profile of another tool */
	struct symbolizer_options symbols;
	int verbose;
	bool quiet;
	bool cache_checked; /* whether the symbol index may be used was said */
	bool force;	    /* files of other users are read */
	uint64_t max_stack;
	enum profile_python python; /* --python */
	bool by_duration;	    /* input_load() takes only samples that say how long something took, and that is their period */
	struct filter filter;
	const char *times;		     /* --time as typed */
	bool takes_times;		     /* of several recordings, with ':' between them: the command takes them apart (cmd/sides.c) */
	bool takes_pairs;		     /* the command says itself what becomes of two counts a line */
	struct quality quality;		     /* filled by input_load(), or by the command */
	bool is_judged;			     /* input_load() fills it */
	bool quality_known;		     /* it is: names were looked for */
	bool quality_shown;		     /* the output has it: nothing of it is said again */
	uint64_t nr_passed;		     /* samples (or rows of them) that the filter left; counted by the command */
	const char *symbol_word;	     /* a word that was taken for a function, as it is no recording; NULL: none */
	bool reads_header_only;		     /* it does: records may not have been read */
	bool shows_header;		     /* nothing but that: damage of what follows is not of interest */
	struct source_damage header_damage;  /* then */
	bool checks_passed;		     /* it does: a filter that nothing passes is an error */
	bool is_stored;			     /* in a file: it can be read to its end before anything is shown */
	uint64_t bytes_present;		     /* of what was opened; 0: not known, it is a pipe */
	uint64_t output_limit;		     /* bytes; 0: none */
	struct budget tree_work, row_memory; /* for struct hist_options */
};

void input_init(struct input *in);
void input_fini(struct input *in);

/* Rows for an option table. */
#define INPUT_OPTIONS(in)                                                                                                                  \
	OPT_STRING('i', "input", &(in)->path, "FILE", "read FILE (- is stdin; default perf.data)", .complete = "file"), INPUT_SYMBOLS(in), \
		OPT_COUNT('v', "verbose", &(in)->verbose, "say more (twice: debugging)"),                                                  \
		OPT_BOOL('q', "quiet", &(in)->quiet, "no warnings"),                                                                       \
		OPT_BOOL('f', "force", &(in)->force, "read a file that another user owns")

#define INPUT_SYMBOLS(in)                                                                                                                  \
	OPT_STRING(0, "symfs", &(in)->symbols.symfs, "DIR", "look for binaries below DIR", .complete = "file"),                            \
		OPT_STRING('k', "vmlinux", &(in)->symbols.vmlinux, "FILE", "take kernel symbols from this vmlinux", .complete = "file"),   \
		OPT_STRING(0, "kallsyms", &(in)->symbols.kallsyms, "FILE", "take kernel symbols from this kallsyms file",                  \
			   .complete = "file"),                                                                                            \
		OPT_CALL_OPT(0, "demangle", input_option_demangle, in, "HOW",                                                              \
			     "names of C++, Rust and D: full (readable, the default), short (template arguments folded), no",              \
			     .complete = "short|full|no"),                                                                                 \
		OPT_BOOL(0, "raw-names", &(in)->symbols.raw_names,                                                                         \
			 "names of generated code as its compiler has them, with tiers (JS:*f) and signatures")

#define INPUT_FIELD_FILTER(in)                                                                                                             \
	OPT_CALL(0, "filter", input_option_filter, in, "EXPRESSION",                                                                       \
		 "only samples whose fields are so, as in 'prev_state == 1 && comm ~ \"ba*\"' (tracepoints)")

#define INPUT_FILTERS(in)                                                                                                                  \
	OPT_CALL('c', "comms", input_option_filter, in, "NAME,…", "only tasks of these names"),                                            \
		OPT_CALL(0, "pid", input_option_filter, in, "PID,…", "only these processes", .complete = "pid"),                           \
		OPT_CALL(0, "tid", input_option_filter, in, "TID,…", "only these threads"),                                                \
		OPT_CALL('C', "cpu", input_option_filter, in, "LIST", "only these CPUs, as in 0-3,7"),                                     \
		OPT_CALL(0, "time", input_option_time, in, "FROM,TO",                                                                      \
			 "only samples of this time: seconds as in 12.5,13 or shares as in 10%/2 or 0%-10%"),                              \
		OPT_CALL(0, "python", input_option_python, in, "HOW",                                                                      \
			 "frames of Python: mixed (with native ones), only, off (default: as recorded)", .complete = "mixed|only|off"),    \
		INPUT_FIELD_FILTER(in), OPT_CALL('S', "symbols", input_option_filter, in, "NAME,…", "only samples in these functions"),    \
		OPT_U64(0, "max-stack", &(in)->max_stack, 1, 65535, "N", "keep at most N frames of a call chain (default 127)")

/* Rows for what both commands can show beside samples; `cmd` has the switches header, header_only, full_info and dump. */
#define INPUT_RAW_VIEWS(cmd)                                                                                                               \
	OPT_BOOL(0, "header", &(cmd)->header, "print how and where it was recorded first"),                                                \
		OPT_BOOL(0, "header-only", &(cmd)->header_only, "print that and nothing else"),                                            \
		OPT_BOOL('I', "show-info", &(cmd)->full_info, "with --header: topologies and caches too"),                                 \
		OPT_BOOL('D', "dump-raw-trace", &(cmd)->dump, "bytes and fields of every record")

/* --comms, --dsos, --symbols, --pid, --tid, --cpu and --filter, by their name. */
option_call_fn input_option_filter;
option_call_fn input_option_time, input_option_demangle, input_option_python;

/* Its events, as far as they fit into a sentence; the caller frees. */
char *input_event_names(const struct input *in);
/* What it is called in sentences. */
const char *input_name(const struct input *in);

/* Whether a word names something that can be read as a recording: a perf.data, a profile of another tool, a directory, a pipe, "-". */
bool input_is_recording(const char *word);
/* Takes the one word that names the recording; refuses a second one, and one beside -i. */
int input_take_file(const char **path, const char *command, int argc, char **argv, struct errbuf *eb);

/* Calls `put` with each option that the filter was made by, and its value. */
void input_filter_options(const struct filter *f, void (*put)(void *ctx, const char *option, const char *value), void *ctx);
/* " --comms app --cpu 0,1": what the filter was made by; NULL where all passes. The caller frees. */
char *input_filter_text(const struct filter *f);

/* What is read without -i: "-" where stdin is a pipe, else perf.data. NULL, with a sentence, where there is none. */
const char *input_default_path(const char *recorder, struct errbuf *eb);

/* Opens the session and an empty profile of it. `file_order`: see session.h. */
int input_open(struct input *in, bool file_order, struct errbuf *eb);
void input_close(struct input *in);
/* Refuses --cpu where no event says on which CPU its samples were taken. */
int input_check_cpus(const struct input *in, struct errbuf *eb);

/* The next record, as session_next(). */
static inline int input_next(struct input *in, struct session_record *sr, struct errbuf *eb)
{
	if (++in->nr_read % INPUT_PROGRESS_EVERY == 0)
		progress_update(&in->progress, in->session->source->done_bytes);
	return session_next(in->session, sr, eb);
}
/* The same, each record once: where a sample is an event, and not a share of something. */
static inline int input_next_recorded(struct input *in, struct session_record *sr, struct errbuf *eb)
{
	if (++in->nr_read % INPUT_PROGRESS_EVERY == 0)
		progress_update(&in->progress, in->session->source->done_bytes);
	return session_next_recorded(in->session, sr, eb);
}
void input_forget_now(struct input *in);
/* Whether a sample passes all filters, for commands that keep no samples. These call input_forget() before each: what the profile and
 * in->quality have of the samples before is bounded so, and ids of places and stacks hold until then. */
static inline void input_forget(struct input *in)
{
	if (++in->nr_met % INPUT_FORGET_EVERY == 0)
		input_forget_now(in);
}
bool input_keeps(struct input *in, const struct session_record *sr);

struct input_load {
	struct match *match; /* is given what programs the recording is of; NULL: nothing is compared */
	/* Each record but for the samples that do not pass; NULL: not needed. */
	void (*see)(void *ctx, const struct session_record *sr);
	/* The samples of the profile are named and judged (in->quality): is called where its stacks take much memory, to use and forget
	 * them, and at the end. NULL: all are kept, and neither named nor judged. */
	int (*take_part)(void *ctx, bool is_last, struct errbuf *eb);
	void *ctx;
	bool trusts_whole_stacks; /* of imports that say so: they are judged only where they were cut here */
};
/* Reads all records, and the samples that pass the filters of tasks, CPUs and times into in->profile. */
int input_load(struct input *in, const struct input_load *l, struct errbuf *eb);
/* Names the places of the profile, with a progress line where that takes long. */
void input_symbolize(struct input *in);

/* What is printed of an input is bounded by its size, and, where each sample is printed, by the frames that are printed of it.
 * Dumps of bytes count as the former. input_limit_error() passes errors on, with a sentence where that limit was reached. */
void input_limit_output(struct input *in, struct out *o, bool prints_samples);
int input_limit_error(const struct input *in, int err, struct errbuf *eb);
/* in->tree_work and in->row_memory, once all records are read. */
struct budget *input_tree_work(struct input *in);
struct budget *input_row_memory(struct input *in);

/* Refuses options that say what text to print beside --json, which is one document. */
struct input_switch {
	const char *name;
	bool given;
};
int input_check_json(const char *command, const struct input_switch *others, uint32_t nr, struct errbuf *eb);

/* --header-only: the header with what is to be said of the quality, for which all records are read. */
void input_show_header(struct input *in, bool full, struct out *o);

/* To be called when all records were read and the output is flushed: says what in->quality has to say, unless the output shows it, and
 * returns 0, or a negative errno with the sentence where the file was damaged or nothing passed the filter. -v lists where all symbols came from. */
int input_finish(struct input *in, struct errbuf *eb);
/* What of it could not be read, as an error; 0: all could. A command that finds nothing it could use says this first. */
int input_damage(const struct input *in, struct errbuf *eb);
/* Where samples were not judged one by one: in->quality has their number and what was lost. */
void input_count_losses(struct input *in);

/* input_import.c: profiles of other tools as input of every command: what is no perf.data but one of them is imported into memory on the
 * way, and read from there. So is a perf.data that comes through a pipe though it is none that can be read from one. */

/* Opens what `path` ("-": stdin) is, and imports it before where it begins like a profile. 1: it was imported, *bytes_present is what was
 * read of it. 0: it was not, *bytes_present is what it has (0: it is a pipe). Recordings of other users, packed or not, take `force`. */
int input_open_source(struct record_source **s, const char *path, bool force, uint64_t *bytes_present, struct errbuf *eb);

/* Whether what comes next of `fd` is a recording or a profile; nothing is taken out of it, and a file stays where it is. */
bool input_import_is_profile(int fd);

/* Says on stderr what of the input was left out. */
void input_import_warn(const char *name, const struct import_result *result);

#endif
