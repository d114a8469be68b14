/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A sample as a line of text (and its call chain as lines below), in the columns of `perf script`.
 *
 * What repeats is rendered once: the line of a location, the lines of a stack, the name part of a task.
 */
#ifndef ASSAY_VIEW_SCRIPT_TEXT_H
#define ASSAY_VIEW_SCRIPT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/json.h"
#include "base/out.h"
#include "base/vec.h"
#include "model/profile.h"
#include "model/quality.h"

/* Bits of a field set; the name of the field, what it needs in the sample (0: nothing), the option of `record` for that. */
#define SCRIPT_FIELDS(FIELD)                                                                                                               \
	FIELD(COMM, "comm", 0, NULL)                                                                                                       \
	FIELD(TID, "tid", SAMPLE_TID, NULL)                                                                                                \
	FIELD(PID, "pid", SAMPLE_TID, NULL)                                                                                                \
	FIELD(TIME, "time", SAMPLE_TIME, "-T")                                                                                             \
	FIELD(CPU, "cpu", SAMPLE_CPU, "--sample-cpu")                                                                                      \
	FIELD(EVENT, "event", 0, NULL)                                                                                                     \
	FIELD(TRACE, "trace", 0, NULL)                                                                                                     \
	FIELD(IP, "ip", SAMPLE_IP, NULL)                                                                                                   \
	FIELD(SYM, "sym", 0, NULL)                                                                                                         \
	FIELD(DSO, "dso", 0, NULL)                                                                                                         \
	FIELD(ADDR, "addr", SAMPLE_ADDR, "-d")                                                                                             \
	FIELD(SYMOFF, "symoff", 0, NULL)                                                                                                   \
	FIELD(SRCLINE, "srcline", 0, NULL)                                                                                                 \
	FIELD(PERIOD, "period", 0, NULL)                                                                                                   \
	FIELD(MISC, "misc", 0, NULL)                                                                                                       \
	FIELD(WEIGHT, "weight", SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, "-W")                                                                \
	FIELD(DATA_SRC, "data_src", SAMPLE_DATA_SRC, "-d")                                                                                 \
	FIELD(PHYS_ADDR, "phys_addr", SAMPLE_PHYS_ADDR, "--phys-data")                                                                     \
	FIELD(DATA_PAGE_SIZE, "data_page_size", SAMPLE_DATA_PAGE_SIZE, "--data-page-size")                                                 \
	FIELD(CODE_PAGE_SIZE, "code_page_size", SAMPLE_CODE_PAGE_SIZE, "--code-page-size")

#define SCRIPT_FIELD_ID(id, ...) SCRIPT_##id,
enum script_field { SCRIPT_FIELDS(SCRIPT_FIELD_ID) SCRIPT_NR_FIELDS };
extern const struct script_field_info {
	const char *name;
	uint64_t sample_type;
	const char *option;
} script_field_infos[SCRIPT_NR_FIELDS];

/* The kinds of events that may have fields of their own (`-F sw:comm,ip`). */
enum script_kind { SCRIPT_HW, SCRIPT_SW, SCRIPT_TRACEPOINT, SCRIPT_RAW, SCRIPT_BREAKPOINT, SCRIPT_OTHER, SCRIPT_NR_KINDS };

struct script_fields {
	uint32_t set[SCRIPT_NR_KINDS];
	uint32_t removed[SCRIPT_NR_KINDS]; /* by name: not even a call chain brings them back */
	uint32_t wanted[SCRIPT_NR_KINDS];  /* by name: to miss one is an error */
	bool by_user[SCRIPT_NR_KINDS];	   /* a list of its own instead of the defaults */
};

/* A sample with the ids that the profile has for its places, as far as they are needed. */
enum script_need { SCRIPT_NEEDS_CHAIN = 1, SCRIPT_NEEDS_PLACE = 2, SCRIPT_NEEDS_DATA = 4, SCRIPT_NEEDS_NAMES = 8 };
struct script_sample {
	const struct session_record *sr;
	uint32_t stack;
	uint32_t location; /* of the sampled ip */
	uint32_t data;	   /* of the address that was accessed */
};

/* What the line of a sample shows without its places. */
struct script_line {
	const char *comm; /* interned: equal names are one pointer */
	uint32_t pid, tid, cpu;
	int32_t event;
	uint64_t time_ns, period;
	const struct record_header *header;
	const void *raw; /* NULL: none */
	uint32_t raw_size;
};

static inline struct script_line script_line_of(const struct machine *m, const struct session_record *sr)
{
	const struct sample *s = &sr->rec.sample;

	return (struct script_line){
		.comm = machine_comm(m, sr->task),
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.event = sr->event,
		.time_ns = s->time_ns,
		.period = s->period,
		.header = sr->header,
		.raw = s->raw,
		.raw_size = s->raw_size,
	};
}

/* An event as threads know it. */
struct script_event {
	const char *name;
	const struct tracepoint *tracepoint; /* NULL: none */
};

struct script_text_span {
	uint32_t off, len; /* len 0: not rendered yet */
};

/* "PERIOD EVENT: " of the last sample of an event. */
struct script_measure {
	uint64_t period;
	struct out text; /* empty: not rendered yet */
};

struct script_text {
	struct out *o;
	struct profile *profile;
	struct script_fields fields;
	bool nanoseconds;
	bool hide_chain; /* -G */
	bool full_paths; /* of source files */
	/* of a thread beside the one that reads, which may change what is known of events; NULL: it is that one */
	struct tracepoints_printer *printer;
	VEC(struct script_event) events;
	/* derived */
	VEC(uint32_t) event_fields; /* per event, after checks */
	VEC(int) event_needs;	    /* enum script_need */
	int name_width;
	/* rendered text, kept */
	struct out text;
	VEC(struct script_text_span) locations;
	VEC(struct script_text_span) stacks;
	uint32_t kept_fields; /* what the kept text shows */
	struct out prefix;
	const char *prefix_comm;
	uint32_t prefix_look; /* what of it is shown, and how wide */
	uint64_t prefix_pid_tid;
	VEC(struct script_measure) measures; /* by event */
	uint32_t nr_forgets;		     /* of the profile, when text was last kept */
	uint64_t last_sec;
	char last_sec_text[24];
	int last_sec_len;
};

/* perf's defaults, then each `-F` argument in turn. Negative with a sentence for what makes no sense. */
void script_fields_init(struct script_fields *f);
/* The names of all fields with `separator` between them; the caller frees. */
char *script_fields_words(char separator);
/* True where events of any kind show it. */
bool script_fields_have(const struct script_fields *f, enum script_field field);
int script_fields_parse(struct script_fields *f, const char *arg, struct errbuf *eb);

void script_text_init(struct script_text *v, struct out *o, struct profile *p);
void script_text_fini(struct script_text *v);
/* What a sample of this event shows (enum script_need). Negative: the event lacks a field that was asked for by name. */
int script_text_learn(struct script_text *v, struct errbuf *eb);
static inline int script_text_needs(struct script_text *v, const struct session_record *sr, struct errbuf *eb)
{
	/* In pipe mode events turn up while records are read. */
	int err = v->event_needs.nr == v->profile->recording->info->events.nr ? 0 : script_text_learn(v, eb);

	return err ? err : v->event_needs.v[sr->event];
}
/* The line of a sample up to its places, without its end. */
void script_text_line(struct script_text *v, const struct script_line *l);
/* Prints one sample. */
void script_text_sample(struct script_text *v, const struct script_sample *s);
/* The columns in front of a record that is no sample (--show-task-events …). */
int script_text_prefix(struct script_text *v, const struct session_record *sr, struct errbuf *eb);

struct script_json {
	struct json json;
	struct out *o;
	struct profile *profile;
};

void script_json_begin(struct script_json *v, struct out *o, struct profile *p);
void script_json_sample(struct script_json *v, const struct script_sample *s);
void script_json_end(struct script_json *v, const struct quality *q);

#endif
