/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay view BASE NEW: what changed between two sides, as a page. Reads as `flame --diff` does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/output_file.h"
#include "cmd/view.h"
#include "view/viewer.h"

#define MAX_NOTES 3

static int check_output(const struct flame_command *c, const char *path, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < c->sides.names.nr; i++)
		err = output_file_check(path, c->sides.names.v[i], eb);
	return err;
}

static char *basis_note(const struct flame_diff *d, const struct flame_functions *fs)
{
	const char *shares = d->absolute ? "Percentages are of what the baseline has." : "Percentages are of each side.";
	bool can_find = fs->self_tests.can_find || fs->total_tests.can_find;

	switch (d->basis) {
	case DIFF_BY_RECORDINGS:
		return mem_printf(
			"%s Significant: at %.0f%%, by moderated t over %u and %u recordings, corrected for %u functions (self) and %u (total).%s",
			shares, 100 - 100 * DIFF_LEVEL, d->nr_used[FLAME_DIFF_BASE], d->nr_used[FLAME_DIFF_NOW], fs->self_tests.nr_tests,
			fs->total_tests.nr_tests, can_find ? "" : " Too few recordings to find anything.");
	case DIFF_BY_SAMPLES:
		return mem_printf(
			"%s One recording a side tells of the sampling error alone: 'assay view A1,A2,A3 B1,B2,B3' tests every row against the noise from run to run.",
			shares);
	default:
		return mem_strdup("A side has no samples.");
	}
}

static void put_page(const struct flame_command *c, const struct flame *f, const struct flame_functions *fs, const struct flame_diff *d,
		     struct out *o)
{
	char *subtitle = flame_columns_title(f, &c->sides, &c->load);
	char *made[MAX_NOTES] = {
		basis_note(d, fs),
		sides_match_note(&c->sides),
		c->load.other_events ? mem_printf("Not in this page are samples of %s (-e NAME compares these).", c->load.other_events)
				     : NULL,
	};
	const char *notes[MAX_NOTES];
	struct viewer_comparison page = {
		.title = c->title ? c->title : "Comparison", .subtitle = subtitle, .notes = notes, .flame = f, .functions = fs
	};
	struct page_html html;
	struct flame_command graph = *c;

	for (int i = 0; i < MAX_NOTES; i++)
		if (made[i])
			notes[page.nr_notes++] = made[i];
	graph.title = NULL;    /* that of the page is above it */
	graph.inverted = true; /* what comes first in a page is what the stacks have in common, not the tip of the highest */
	viewer_compare_begin(&html, o, &page);
	flame_draw_put(&graph, f, d, html.nonce, o);
	viewer_compare_end(&html, o);
	for (int i = 0; i < MAX_NOTES; i++)
		free(made[i]);
	free(subtitle);
}

static int hand_out(const struct view_target *target, const struct out *page, struct errbuf *eb)
{
	struct output_file file;
	struct out o;
	int err;

	if (target->serves)
		return view_serve(page->buf, page->len, (uint16_t)target->port, eb);
	err = output_file_open(&file, target->output, eb);
	if (err)
		return err;
	out_init(&o, file.fd);
	out_mem(&o, page->buf, page->len);
	err = output_file_close(&file, out_fini(&o), eb);
	if (!err && !output_file_is_stdout(target->output))
		log_info("wrote %s", target->output);
	return err;
}

static int write_page(struct flame_command *c, struct flame *f, const struct view_target *target, struct errbuf *eb)
{
	struct flame_functions fs;
	struct flame_diff d;
	struct out page;
	int err = flame_draw_match(c, f, eb);

	if (err)
		return err;
	flame_functions_init(&fs, f);
	flame_draw_finish(c, f, &d);
	flame_functions_compare(&fs, &d);
	out_init(&page, -1);
	put_page(c, f, &fs, &d, &page);
	err = hand_out(target, &page, eb);
	out_fini(&page);
	flame_diff_fini(&d);
	flame_functions_fini(&fs);
	return err;
}

int view_compare(struct flame_command *c, char *const argv[2], const struct view_target *target, struct errbuf *eb)
{
	struct errbuf late = { 0 };
	uint32_t nr_read = 0;
	struct flame f;
	int err, write_err;

	if (c->load.event && !strcmp(c->load.event, "all"))
		return errbuf_set(eb, CMD_USAGE, "view: -e all: counts of different events do not add up; name one of them");
	c->is_diff = true;
	c->load.options.weight = FLAME_PERIODS;
	c->load.match = &c->sides.match;
	for (int i = 0; i < 2; i++)
		sides_add(&c->sides, argv[i]);
	err = sides_check(&c->sides, c->in.quiet, eb);
	if (!err && !target->serves)
		err = check_output(c, target->output, eb);
	if (err)
		return err;
	flame_init(&f, c->sides.names.nr);
	err = flame_columns_load(&c->load, &f, &c->sides, &c->in, &nr_read, eb);
	/* A page of what could be read of a damaged recording, with its sentence and exit status. */
	if (!err || nr_read == c->sides.names.nr) {
		write_err = write_page(c, &f, target, err ? &late : eb);
		err = err ? err : write_err;
	}
	flame_fini(&f);
	return err;
}
