/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parsing for `assay flame`, and the words that people bring along from flamegraph.pl.
 */
#include "cmd/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "view/flame_svg.h"

void flame_command_init(struct flame_command *c)
{
	*c = (struct flame_command){ .min_width = 0.1, .width = FLAME_SVG_WIDTH, .load = { .inlines = true } };
	input_init(&c->in);
	sides_init(&c->sides);
	c->in.takes_times = true;
	c->load.options.by[0] = FLAME_BY_COMM;
	c->load.options.nr_by = 1;
	c->load.options.through = &c->through;
}

void flame_command_fini(struct flame_command *c)
{
	for (uint32_t i = 0; i < c->through.nr; i++)
		free(c->through.v[i]);
	vec_fini(&c->through);
	sides_fini(&c->sides);
	flame_load_fini(&c->load);
	input_fini(&c->in);
}

int flame_option_by(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	static const char *const words[FLAME_NR_GROUPS] = { "comm", "pid", "tid", "cpu", "event", "state" };
	struct flame_command *c = ctx;
	struct flame_options *o = &c->load.options;

	(void)opt, (void)negated;
	if (!*arg)
		return errbuf_set(eb, -EINVAL, "--by: by what? There is comm, pid, tid, cpu, event, state and none");
	if (!c->by_set)
		o->nr_by = 0;
	c->by_set = true;
	while (*arg) {
		size_t len = strcspn(arg, ",");
		uint32_t by = 0;
		bool is_new = true;

		while (by < FLAME_NR_GROUPS && !(strlen(words[by]) == len && !strncmp(words[by], arg, len)))
			by++;
		if (by == FLAME_NR_GROUPS && !(len == 4 && !strncmp(arg, "none", 4)))
			return errbuf_set(eb, -EINVAL, "--by: there is comm, pid, tid, cpu, event, state and none, but no '%.*s'", (int)len,
					  arg);
		for (uint32_t i = 0; i < o->nr_by; i++)
			is_new &= o->by[i] != by;
		if (by < FLAME_NR_GROUPS && is_new)
			o->by[o->nr_by++] = (enum flame_group)by;
		arg += len + (arg[len] == ',');
	}
	return 0;
}

int flame_option_min_width(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct flame_command *c = ctx;
	char *end;

	(void)negated;
	c->min_width = strtod(arg, &end);
	c->min_is_percent = *end == '%';
	if (end == arg || (*end && strcmp(end, "%") && strcmp(end, "px")) || !(c->min_width >= 0 && c->min_width <= 10000))
		return errbuf_set(eb, -EINVAL, "--%s: '%s' is no width in pixels such as 0.5, nor a share such as 0.1%%", opt->long_name,
				  arg);
	return 0;
}

int flame_option_normalize(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)arg, (void)eb;
	((struct flame_command *)ctx)->absolute = negated;
	return 0;
}

int flame_option_through(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct flame_command *c = ctx;

	(void)opt, (void)negated;
	filter_add_names(&c->through, arg);
	return c->through.nr ? 0 : errbuf_set(eb, -EINVAL, "--through: through which function?");
}

int flame_option_factor(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	double *factor = &((struct flame_command *)ctx)->load.factor;
	char *end;

	(void)opt, (void)negated;
	*factor = strtod(arg, &end);
	if (end == arg || *end || !(*factor >= 1e-12 && *factor <= 1e12))
		return errbuf_set(eb, -EINVAL, "--factor: '%s' is no number above 0, such as 0.001", arg);
	return 0;
}

int flame_option_looks(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)ctx, (void)arg, (void)negated, (void)eb;
	log_warn("--%s has no effect: %s", opt->long_name, opt->help);
	return 0;
}

int flame_option_chart(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)ctx, (void)arg;
	if (negated)
		return 0;
	return errbuf_set(
		eb, -EINVAL,
		"flame: --%s: a flame graph has no time in it. 'assay export --format speedscope -o out.json' or '--format firefox' makes a "
		"profile whose readers show stacks over time; --time FROM,TO draws a part",
		opt->long_name);
}
