/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay doctor: what this machine allows, before a recording shows it the hard way.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "kernel/machine_checks.h"
#include "view/doctor.h"

/* Exit status where something is in the way; 0 where nothing is, 2 is for the command line. */
#define EXIT_DEGRADED 1

_Static_assert((int)CHECK_OK == DOCTOR_OK && (int)CHECK_FAIL == DOCTOR_FAIL, "the same levels");

static int examine(bool json, bool quiet)
{
	struct machine_check *checks = mem_alloc(MACHINE_MAX_CHECKS * sizeof(*checks));
	struct doctor_item items[MACHINE_MAX_CHECKS];
	struct machine_facts facts = { 0 };
	bool degraded = false;
	struct out o;
	uint32_t nr;
	int err;

	machine_facts_ask(&facts);
	machine_facts_read(&facts, "");
	nr = machine_checks(&facts, checks);
	for (uint32_t i = 0; i < nr; i++) {
		const struct machine_check *c = &checks[i];

		items[i] = (struct doctor_item){ c->name, c->title, (enum doctor_level)c->level, c->state, c->effect, c->fix };
		degraded |= c->level >= CHECK_WARN;
	}
	out_init(&o, STDOUT_FILENO);
	if (json)
		doctor_json(&o, items, nr, facts.uid);
	else
		doctor_text(&o, items, nr, out_is_colourful(STDOUT_FILENO), quiet);
	free(checks);
	err = out_fini(&o);
	return err ? err : degraded ? EXIT_DEGRADED : 0;
}

int cmd_doctor(int argc, char **argv, struct errbuf *eb)
{
	bool json = false, quiet = false;
	const struct option table[] = {
		OPT_BOOL('q', "quiet", &quiet, "show only what is not well"),
		OPT_BOOL('j', "json", &json, "write JSON (schema: assay-doctor(1))"),
		OPT_END,
	};
	const struct options opts = {
		.command = "doctor",
		.usage = "assay doctor [--json] [--quiet]",
		.summary =
			"Checks what this machine allows the user who asks: each restriction, what degrades, and the command that fixes it.",
		.examples = "  assay doctor\n"
			    "  assay doctor -q || echo 'profiles from here are poorer than they could be'\n",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (argc)
		return errbuf_set(eb, CMD_USAGE, "doctor: unexpected argument '%s'", argv[0]);
	return examine(json, quiet);
}
