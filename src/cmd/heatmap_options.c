/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Units, limits, and what does not go together.
 */
#include "cmd/heatmap.h"

#include <errno.h>
#include <string.h>

#include "abi/syscall_set.h"
#include "cmd/cmd.h"
#include "model/latency.h"

int heatmap_option_events(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)negated;
	if (event_patterns_add(ctx, arg))
		return 0;
	return errbuf_set(eb, -EINVAL, "heatmap: --%s: '%s' has an empty name; it takes events as in a:b or a:b,a:c", opt->long_name, arg);
}

int heatmap_option_key(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	char **key = ctx, *more = *key ? mem_printf("%s,%s", *key, arg) : mem_strdup(arg);

	(void)opt;
	(void)negated;
	(void)eb;
	free(*key);
	*key = more;
	return 0;
}

int heatmap_option_log(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt;
	(void)arg;
	(void)eb;
	((struct heatmap_command *)ctx)->rows.scale = negated ? HEAT_LINEAR : HEAT_LOG;
	return 0;
}

/* "us", or "s,us" where times have another one than latencies. */
static int parse_unit_pair(const char *name, const char *text, enum heat_unit *time_unit, enum heat_unit *unit, struct errbuf *eb)
{
	const char *comma = strchr(text, ',');
	char first[8] = "";

	if (comma && (size_t)(comma - text) < sizeof(first))
		memcpy(first, text, (size_t)(comma - text));
	if (!heat_unit_find(comma ? comma + 1 : text, unit) || (comma && !heat_unit_find(first, time_unit)))
		return errbuf_set(eb, CMD_USAGE, "heatmap: --%s: '%s' is none of s, ms, us, ns, nor two of them as in s,us", name, text);
	if (!comma)
		*time_unit = *unit;
	return 0;
}

static int parse_units(struct heatmap_command *c, struct errbuf *eb)
{
	struct heatmap_load *l = &c->load;
	int err = 0;

	c->unit = HEAT_UNIT_AUTO;
	l->time_unit = l->value_unit = HEAT_UNIT_S;
	if (c->units) {
		err = parse_unit_pair("units", c->units, &l->time_unit, &c->unit, eb);
		l->value_unit = c->unit;
	}
	if (!err && c->units && strchr(c->units, ',') && (l->kind != HEATMAP_LINES || c->input_units))
		return errbuf_set(eb, CMD_USAGE,
				  "heatmap: --units: '%s' are two units; what is shown has one, lines that are read have "
				  "--input-units",
				  c->units);
	if (!err && c->input_units)
		err = parse_unit_pair("input-units", c->input_units, &l->time_unit, &l->value_unit, eb);
	l->has_units = c->units || c->input_units;
	return err;
}

/* "10ms", "1.5s"; a number alone is in the unit that was named. */
static int parse_limit(const struct heatmap_command *c, const char *name, const char *text, bool *is_given, uint64_t *value,
		       struct errbuf *eb)
{
	bool is_named = c->units || c->input_units;
	enum heat_unit u = c->units ? c->unit : c->load.value_unit;
	const char *end = text + strspn(text, "0123456789.");
	const char *behind;

	if ((*end && !heat_unit_find(end, &u)) || latency_number(text, &behind, heat_unit_exponent(u), value) || behind != end ||
	    *value > HEAT_VALUE_MAX)
		return errbuf_set(eb, CMD_USAGE, "heatmap: --%s: '%s' is no time such as 10ms, 1.5s or 250us", name, text);
	if (!*end && !is_named && *value)
		return errbuf_set(eb, CMD_USAGE, "heatmap: --%s: %s of what? say --%s %sms, or another of s, ms, us, ns", name, text, name,
				  text);
	*is_given = true;
	return 0;
}

static int check_kind(struct heatmap_command *c, struct errbuf *eb)
{
	struct heatmap_load *l = &c->load;
	const struct filter *f = &c->in.filter;
	bool is_pairs = l->from.v.nr || l->to.v.nr, is_of_recording = is_pairs || c->offset || l->calls || l->state;
	struct syscall_set set = { 0 };

	if (l->calls && (is_pairs || c->offset))
		return errbuf_set(eb, CMD_USAGE, "heatmap: --syscall, --from/--to and --offset are different pictures: choose one");
	if (l->state && (is_pairs || c->offset || l->calls))
		return errbuf_set(
			eb, CMD_USAGE,
			"heatmap: states of tasks (--state, --run-queue, --off-cpu), --syscall, --from/--to and --offset are different pictures: choose one");
	if (l->state && f->symbols.nr)
		return errbuf_set(eb, CMD_USAGE,
				  "heatmap: --symbols does not apply to states of tasks: a task that waits is in no function");
	if (l->calls && syscall_set_add(&set, syscall_native_abi(), l->calls, eb))
		return CMD_USAGE;
	if (is_pairs && c->offset)
		return errbuf_set(eb, CMD_USAGE, "heatmap: --offset and --from/--to are two different pictures: choose one");
	if (is_pairs && !(l->from.v.nr && l->to.v.nr))
		return errbuf_set(eb, CMD_USAGE, "heatmap: a pair needs both --from EVENT and --to EVENT");
	if (l->key && !is_pairs)
		return errbuf_set(eb, CMD_USAGE, "heatmap: --key is for pairs of events: --from EVENT --to EVENT");
	if (l->events.v.nr && !c->offset)
		return errbuf_set(eb, CMD_USAGE, "heatmap: -e is for --offset; pairs are named by --from and --to");
	if (c->offset && (c->rows.scale == HEAT_LOG || c->min || c->max || c->units))
		return errbuf_set(eb, CMD_USAGE,
				  "heatmap: rows of --offset are parts of a second: --scale log, --min, --max and --units do not apply");
	if (!is_of_recording && (f->comms.nr || f->pids.nr || f->tids.nr || f->cpus.nr || f->symbols.nr || f->time_arg || f->fields))
		return errbuf_set(
			eb, CMD_USAGE,
			"heatmap: lines of TIME LATENCY have no tasks and CPUs: --comms, --pid, --tid, --cpu, --time, --symbols and --filter "
			"need --offset, --syscall, --state, --run-queue, --off-cpu, or --from and --to");
	if (c->input_units && is_of_recording)
		return errbuf_set(eb, CMD_USAGE, "heatmap: --input-units is for lines of TIME LATENCY; a recording has its own units");
	if (c->json && c->csv)
		return errbuf_set(eb, CMD_USAGE, "heatmap: --json and --csv are two different formats: choose one");
	l->kind = is_pairs    ? HEATMAP_PAIRS
		  : l->state  ? HEATMAP_STATES
		  : l->calls  ? HEATMAP_CALLS
		  : c->offset ? HEATMAP_OFFSETS
			      : HEATMAP_LINES;
	c->rows.is_offset = c->offset;
	return 0;
}

int heatmap_options_check(struct heatmap_command *c, struct errbuf *eb)
{
	int err = check_kind(c, eb);

	if (!err)
		err = parse_units(c, eb);
	if (!err && c->min)
		err = parse_limit(c, "min", c->min, &c->rows.has_min, &c->rows.min, eb);
	if (!err && c->max)
		err = parse_limit(c, "max", c->max, &c->rows.has_max, &c->rows.max, eb);
	if (err)
		return err;
	if (c->rows.has_max && (c->rows.min >= c->rows.max || !c->rows.max))
		return errbuf_set(eb, CMD_USAGE, "heatmap: --max has to be above %s", c->min ? "--min" : "zero");
	if (c->offset && !c->colours_set)
		c->colours = HEAT_COLOURS_SPREAD;
	c->rows.nr_rows = (uint32_t)c->nr_rows;
	c->rows.nr_columns = (uint32_t)c->nr_columns;
	return 0;
}

const char *heatmap_options_foreign(char **argv)
{
	static const struct {
		const char *name, *hint;
	} known[] = {
		{ "--unitstime",
		  "trace2heatmap's --unitstime and --unitslat are --input-units TIME,LATENCY here, as in --input-units us,us" },
		{ "--unitslat",
		  "trace2heatmap's --unitstime and --unitslat are --input-units TIME,LATENCY here, as in --input-units us,us" },
		{ "--unitslatency",
		  "trace2heatmap's --unitstime and --unitslatency are --input-units TIME,LATENCY here, as in --input-units us,us" },
		{ "--maxlat", "trace2heatmap's --maxlat is --max here, with its unit: --max 10ms" },
		{ "--minlat", "trace2heatmap's --minlat is --min here, with its unit: --min 1ms" },
		{ "--grid", "trace2heatmap's --grid has no option here: the lines are always drawn" },
		{ "--stepsec", "trace2heatmap's --stepsec is --columns N here: as many columns" },
		{ "--boxsize", "trace2heatmap's --boxsize has no option here: cells fill the picture, --rows and --columns say how many" },
	};

	for (; *argv && strcmp(*argv, "--"); argv++)
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (!strncmp(*argv, known[i].name, strcspn(*argv, "=")) && strlen(known[i].name) == strcspn(*argv, "="))
				return known[i].hint;
	return NULL;
}
