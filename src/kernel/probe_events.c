/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of uprobe_events and kprobe_events. It comes from the kernel, but names and paths in it are those of whoever defined a probe:
 * every part is looked for, never assumed.
 */
#include "kernel/probe_events.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"

/* A kernel with a million probes has other problems first. */
#define EVENTS_MAX_BYTES (256u << 20)

struct words {
	const char *pos, *end;
};

static bool next_word(struct words *w, const char **word, size_t *len)
{
	while (w->pos < w->end && *w->pos == ' ')
		w->pos++;
	*word = w->pos;
	while (w->pos < w->end && *w->pos != ' ')
		w->pos++;
	*len = (size_t)(w->pos - *word);
	return *len > 0;
}

/* All of the text is 0x and hexadecimal digits. */
static bool parse_hex(const char *s, size_t len, uint64_t *value)
{
	if (len < 3 || len > 2 + 16 || s[0] != '0' || s[1] != 'x')
		return false;
	*value = 0;
	for (size_t i = 2; i < len; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return false;
		*value = *value << 4 | (uint64_t)(isdigit((unsigned char)s[i]) ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	}
	return true;
}

static bool parse_decimal(const char *s, size_t len, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)s[i]) || *value > (UINT64_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(s[i] - '0');
	}
	return len > 0;
}

/* "p:GROUP/NAME" or "r12:GROUP/NAME" */
static bool parse_head(struct arena *a, struct probe_event *e, const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len), *slash = colon ? memchr(colon, '/', len - (size_t)(colon - s)) : NULL;
	uint64_t max_active;

	if (!slash || (s[0] != 'p' && s[0] != 'r') || slash == colon + 1 || slash == s + len - 1)
		return false;
	e->is_return = s[0] == 'r';
	if (colon > s + 1) {
		if (!parse_decimal(s + 1, (size_t)(colon - s - 1), &max_active) || max_active > UINT32_MAX)
			return false;
		e->max_active = (uint32_t)max_active;
	}
	e->group = arena_str(a, colon + 1, (size_t)(slash - colon - 1));
	e->name = arena_str(a, slash + 1, (size_t)(s + len - slash - 1));
	return true;
}

/* "FILE:0xOFF" or "FILE:0xOFF(0xREF)"; the file may have colons and parentheses, too. */
static bool parse_user_place(struct arena *a, struct probe_event *e, const char *s, size_t len)
{
	const char *colon = memrchr(s, ':', len), *end = s + len, *off, *paren;

	if (!colon || colon == s)
		return false;
	off = colon + 1;
	paren = memchr(off, '(', (size_t)(end - off));
	if (paren && (end[-1] != ')' || !parse_hex(paren + 1, (size_t)(end - paren - 2), &e->ref_ctr)))
		return false;
	if (!parse_hex(off, (size_t)((paren ? paren : end) - off), &e->file_off))
		return false;
	e->file = arena_str(a, s, (size_t)(colon - s));
	return true;
}

/* "0xADDRESS" or "[MODULE:]SYMBOL[+OFF]" */
static bool parse_kernel_place(struct arena *a, struct probe_event *e, const char *s, size_t len)
{
	static const char suffix[] = "%return";
	const char *colon, *plus, *end;

	if (len > sizeof(suffix) - 1 && !memcmp(s + len - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1)) {
		len -= sizeof(suffix) - 1;
		e->is_return = true;
	}
	if (parse_hex(s, len, &e->address))
		return true;
	end = s + len;
	colon = memchr(s, ':', len);
	if (colon == s || colon == end - 1)
		return false;
	if (colon) {
		e->module = arena_str(a, s, (size_t)(colon - s));
		s = colon + 1;
	}
	plus = memrchr(s, '+', (size_t)(end - s));
	if (plus == s)
		return false;
	if (plus && !parse_decimal(plus + 1, (size_t)(end - plus - 1), &e->symbol_off) &&
	    !parse_hex(plus + 1, (size_t)(end - plus - 1), &e->symbol_off))
		return false;
	e->symbol = arena_str(a, s, (size_t)((plus ? plus : end) - s));
	return true;
}

static void add_args(struct probe_event *e, struct arena *a, struct words *w)
{
	const char *word;
	size_t len;

	while (next_word(w, &word, &len)) {
		const char *eq = memchr(word, '=', len), *fetch = eq && eq > word ? eq + 1 : word;

		vec_push(&e->args, ((struct probe_event_arg){ fetch > word ? arena_str(a, word, (size_t)(eq - word)) : NULL,
							      arena_str(a, fetch, (size_t)(word + len - fetch)) }));
	}
}

void probe_event_add_args(struct probe_event *e, struct arena *a, const char *text)
{
	struct words w = { text, text + strlen(text) };

	add_args(e, a, &w);
}

static bool parse_line(struct probe_list *l, const char *line, size_t len, bool is_kernel)
{
	struct probe_event e = { .is_kernel = is_kernel };
	struct words w = { line, line + len };
	const char *word;
	size_t word_len;

	if (!next_word(&w, &word, &word_len) || !parse_head(&l->arena, &e, word, word_len))
		return false;
	if (!next_word(&w, &word, &word_len))
		return false;
	if (!(is_kernel ? parse_kernel_place(&l->arena, &e, word, word_len) : parse_user_place(&l->arena, &e, word, word_len)))
		return false;
	add_args(&e, &l->arena, &w);
	vec_push(&l->events, e);
	return true;
}

void probe_list_parse(struct probe_list *l, const char *text, size_t size, bool is_kernel)
{
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;

		if (stop > text && !memchr(text, 0, (size_t)(stop - text)))
			l->nr_unknown += !parse_line(l, text, (size_t)(stop - text), is_kernel);
		else
			l->nr_unknown += stop > text;
		text = stop + 1;
	}
}

static int read_file(struct probe_list *l, const char *root, bool is_kernel, struct errbuf *eb)
{
	char path[512], *text;
	size_t size;
	int err;

	snprintf(path, sizeof(path), "%s/%s", root, is_kernel ? "kprobe_events" : "uprobe_events");
	err = io_read_file(path, EVENTS_MAX_BYTES, &text, &size);
	if (err == -ENOENT)
		return 0;
	if (err == -EACCES || err == -EPERM)
		return errbuf_set(eb, err, "only root may read %s: 'sudo assay probe …'", path);
	if (err)
		return errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	probe_list_parse(l, text, size, is_kernel);
	free(text);
	return 0;
}

int probe_list_read(struct probe_list *l, const char *root, struct errbuf *eb)
{
	int err = read_file(l, root, true, eb);

	return err ? err : read_file(l, root, false, eb);
}

const struct probe_event *probe_list_find(const struct probe_list *l, const char *group, const char *name)
{
	for (uint32_t i = 0; i < l->events.nr; i++)
		if (!strcmp(l->events.v[i].name, name) && !strcmp(l->events.v[i].group, group))
			return &l->events.v[i];
	return NULL;
}

static int compare_lines(const void *a, const void *b)
{
	const struct probe_event *x = a, *y = b;
	int order = COMPARE(y->is_kernel, x->is_kernel);
	char *left, *right;

	if (order)
		return order;
	left = probe_event_line(x);
	right = probe_event_line(y);
	order = strcmp(left, right);
	free(left);
	free(right);
	return order;
}

void probe_list_sort(struct probe_list *l)
{
	vec_sort(&l->events, compare_lines);
}

void probe_list_fini(struct probe_list *l)
{
	for (uint32_t i = 0; i < l->events.nr; i++)
		vec_fini(&l->events.v[i].args);
	vec_fini(&l->events);
	arena_fini(&l->arena);
	l->nr_unknown = 0;
}

/* The place in the form of the kernel's own lists, by which it finds a probe that is to be deleted. */
static char *place_text(const struct probe_event *e)
{
	char ref[32] = "";

	if (!e->is_kernel) {
		if (e->ref_ctr)
			snprintf(ref, sizeof(ref), "(0x%" PRIx64 ")", e->ref_ctr);
		return mem_printf("%s:0x%0*" PRIx64 "%s", e->file, (int)(2 * sizeof(void *)), e->file_off, ref);
	}
	if (!e->symbol)
		return mem_printf("0x%" PRIx64, e->address);
	return mem_printf("%s%s%s+%" PRIu64, e->module ? e->module : "", e->module ? ":" : "", e->symbol, e->symbol_off);
}

char *probe_event_line(const struct probe_event *e)
{
	char *place = place_text(e), active[16] = "", *line;

	if (e->max_active)
		snprintf(active, sizeof(active), "%" PRIu32, e->max_active);
	line = mem_printf("%c%s:%s/%s %s", e->is_return ? 'r' : 'p', active, e->group, e->name, place);
	free(place);
	for (uint32_t i = 0; i < e->args.nr; i++) {
		const struct probe_event_arg *arg = &e->args.v[i];
		char *longer = mem_printf("%s %s%s%s", line, arg->name ? arg->name : "", arg->name ? "=" : "", arg->fetch);

		free(line);
		line = longer;
	}
	return line;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool probe_name_is_valid(const char *s)
{
	size_t len = 0;

	while (is_name_char(s[len]))
		len++;
	return len && !s[len] && len < PROBE_NAME_SIZE && !(s[0] >= '0' && s[0] <= '9');
}

void probe_group_of_file(char group[PROBE_NAME_SIZE], const char *path)
{
	static const char prefix[] = "probe_";
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = sizeof(prefix) - 1;

	memcpy(group, prefix, len);
	for (; is_name_char(*base) && len < PROBE_NAME_SIZE - 1; base++)
		group[len++] = *base;
	group[len] = 0;
}
