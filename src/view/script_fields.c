/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which fields `script` prints: perf's defaults and the syntax of -F: `[KIND:]FIELD,…`, or `+FIELD`, `-FIELD` against the defaults.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "view/script_text.h"

#define BIT(f) (1u << (f))

#define SCRIPT_FIELD_INFO(id, ...) [SCRIPT_##id] = { __VA_ARGS__ },
const struct script_field_info script_field_infos[SCRIPT_NR_FIELDS] = { SCRIPT_FIELDS(SCRIPT_FIELD_INFO) };

static const char *const kind_names[SCRIPT_NR_KINDS] = {
	[SCRIPT_HW] = "hw",	  [SCRIPT_SW] = "sw", [SCRIPT_TRACEPOINT] = "trace", [SCRIPT_RAW] = "raw", [SCRIPT_BREAKPOINT] = "break",
	[SCRIPT_OTHER] = "other",
};

#define DEFAULT_FIELDS                                                                                                                     \
	(BIT(SCRIPT_COMM) | BIT(SCRIPT_TID) | BIT(SCRIPT_CPU) | BIT(SCRIPT_TIME) | BIT(SCRIPT_EVENT) | BIT(SCRIPT_IP) | BIT(SCRIPT_SYM) |  \
	 BIT(SCRIPT_SYMOFF) | BIT(SCRIPT_DSO) | BIT(SCRIPT_PERIOD))

void script_fields_init(struct script_fields *f)
{
	memset(f, 0, sizeof(*f));
	for (int k = 0; k < SCRIPT_NR_KINDS; k++)
		f->set[k] = DEFAULT_FIELDS;
	f->set[SCRIPT_TRACEPOINT] = BIT(SCRIPT_COMM) | BIT(SCRIPT_TID) | BIT(SCRIPT_CPU) | BIT(SCRIPT_TIME) | BIT(SCRIPT_EVENT) |
				    BIT(SCRIPT_TRACE);
	f->set[SCRIPT_RAW] |= BIT(SCRIPT_ADDR) | BIT(SCRIPT_DATA_SRC) | BIT(SCRIPT_WEIGHT) | BIT(SCRIPT_PHYS_ADDR);
	f->set[SCRIPT_BREAKPOINT] |= BIT(SCRIPT_ADDR);
}

char *script_fields_words(char separator)
{
	struct out o;

	out_init(&o, -1);
	for (int i = 0; i < SCRIPT_NR_FIELDS; i++) {
		if (i)
			out_char(&o, separator);
		out_str(&o, script_field_infos[i].name);
	}
	out_char(&o, 0);
	return o.buf; /* changes hands */
}

bool script_fields_have(const struct script_fields *f, enum script_field field)
{
	for (int k = 0; k < SCRIPT_NR_KINDS; k++)
		if (f->set[k] & BIT(field))
			return true;
	return false;
}

/* perf's fields that are not there are no misspellings of others. */
static int refuse_perfs(const char *name, size_t len, struct errbuf *eb)
{
	static const struct {
		const char *names; /* with commas around */
		const char *instead;
	} absent[] = {
		{ ",iregs,uregs,", ": -D prints registers" },
		{ ",brstack,brstacksym,brstackoff,brstackinsn,brstackinsnlen,brstackdisasm,brcntr,",
		  ": 'assay report -b' shows branches, -D their addresses" },
		{ ",insn,insnlen,disasm,srccode,", ": 'assay script -F ip,sym,srcline' prints file and line" },
		{ ",dsoff,", ": dso and symoff are there" },
		{ ",flags,callindent,synth,ipc,machine_pid,vcpu,", ": traces of the hardware and guests are not recorded" },
		{ ",metric,", ": 'assay stat -M' shows metrics" },
		{ ",tod,", ": time is there" },
		{ ",bpf-output,ins_lat,retire_lat,cgroup,", ": -D prints what a sample has" },
	};
	char word[32];

	if (len + 3 > sizeof(word) || memchr(name, ',', len))
		return 0;
	snprintf(word, sizeof(word), ",%.*s,", (int)len, name);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (strstr(absent[i].names, word))
			return errbuf_set(eb, -EINVAL, "script: -F: perf's field '%.*s' is not in this version of assay%s", (int)len, name,
					  absent[i].instead);
	return 0;
}

static int find_field(const char *name, size_t len, struct errbuf *eb)
{
	struct suggest s;
	char *all;
	int err;

	for (int i = 0; i < SCRIPT_NR_FIELDS; i++)
		if (strlen(script_field_infos[i].name) == len && !memcmp(script_field_infos[i].name, name, len))
			return i;
	err = refuse_perfs(name, len, eb);
	if (err)
		return err;
	suggest_init_part(&s, name, len);
	for (int i = 0; i < SCRIPT_NR_FIELDS; i++)
		suggest_offer(&s, script_field_infos[i].name);
	all = script_fields_words(' ');
	err = suggest_refuse(&s, "script: -F", "field", all, eb);
	free(all);
	return err;
}

static int kind_of_prefix(const char **arg)
{
	for (int k = 0; k < SCRIPT_NR_KINDS; k++) {
		size_t len = strlen(kind_names[k]);

		if (!strncmp(*arg, kind_names[k], len) && (*arg)[len] == ':') {
			*arg += len + 1;
			return k;
		}
	}
	return -1;
}

static void change(struct script_fields *f, int kind, char sign, uint32_t bits)
{
	for (int k = 0; k < SCRIPT_NR_KINDS; k++) {
		if (kind >= 0 && k != kind)
			continue;
		if (sign == '-') {
			f->set[k] &= ~bits;
			f->removed[k] |= bits;
			f->wanted[k] &= ~bits;
		} else {
			f->set[k] |= bits;
			f->removed[k] &= ~bits;
			f->wanted[k] |= bits;
		}
	}
}

int script_fields_parse(struct script_fields *f, const char *arg, struct errbuf *eb)
{
	int kind = kind_of_prefix(&arg);
	bool relative = *arg == '+' || *arg == '-';

	if (!relative)
		for (int k = 0; k < SCRIPT_NR_KINDS; k++)
			if (kind < 0 || k == kind) {
				f->set[k] = f->wanted[k] = 0;
				f->by_user[k] = true;
			}
	while (*arg) {
		size_t len = strcspn(arg, ",");
		const char *word = arg;
		char sign = '+';
		int field;

		if (*word == '+' || *word == '-') {
			if (!relative)
				return errbuf_set(eb, -EINVAL, "script: -F: '+' and '-' go with every field or with none");
			sign = *word++;
			len--;
		} else if (relative) {
			return errbuf_set(eb, -EINVAL, "script: -F: '+' and '-' go with every field or with none");
		}
		field = find_field(word, len, eb);
		if (field < 0)
			return field;
		change(f, kind, sign, 1u << field);
		arg = word + len;
		if (*arg == ',')
			arg++;
	}
	for (int k = 0; k < SCRIPT_NR_KINDS; k++) {
		if ((f->set[k] & BIT(SCRIPT_SYMOFF)) && !(f->set[k] & BIT(SCRIPT_SYM)))
			return errbuf_set(eb, -EINVAL, "script: -F: 'symoff' needs 'sym'");
		if (!(f->set[k] & BIT(SCRIPT_SRCLINE)) || (f->set[k] & BIT(SCRIPT_IP)))
			continue;
		/* Added to all kinds it is meant for those that show addresses. */
		if (f->by_user[k] || k == kind)
			return errbuf_set(eb, -EINVAL, "script: -F: 'srcline' needs 'ip'");
		change(f, k, '-', BIT(SCRIPT_SRCLINE));
	}
	return 0;
}
