/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Line by line, without a state but the section.
 */
#include "base/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/trusted_dir.h"

void config_fini(struct config *c)
{
	for (uint32_t i = 0; i < c->entries.nr; i++) {
		free(c->entries.v[i].key);
		free(c->entries.v[i].value);
	}
	for (uint32_t i = 0; i < c->sections.nr; i++)
		free(c->sections.v[i].name);
	vec_fini(&c->entries);
	vec_fini(&c->sections);
}

static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '-' && s[i] != '_')
			return false;
	return len;
}

bool config_is_key(const char *key)
{
	const char *dot = strchr(key, '.');

	return dot && is_name(key, (size_t)(dot - key)) && is_name(dot + 1, strlen(dot + 1));
}

static char *lower(const char *s, size_t len)
{
	char *text = mem_strndup(s, len);

	for (char *p = text; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return text;
}

static void trim(const char **s, size_t *len)
{
	while (*len && isspace((unsigned char)**s)) {
		++*s;
		--*len;
	}
	while (*len && isspace((unsigned char)(*s)[*len - 1]))
		--*len;
}

/* Without quotes, and without a comment behind it. */
static char *take_value(const char *s, size_t len)
{
	char *value = mem_zalloc(len + 1);
	bool in_quotes = false;
	size_t nr = 0, kept = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"') {
			in_quotes = !in_quotes;
			continue;
		}
		if (!in_quotes && (s[i] == '#' || s[i] == ';'))
			break;
		if (s[i] == '\\' && i + 1 < len && (s[i + 1] == '"' || s[i + 1] == '\\'))
			i++;
		if (s[i])
			value[nr++] = s[i];
		if (in_quotes || !isspace((unsigned char)s[i]))
			kept = nr;
	}
	value[kept] = 0;
	return value;
}

static bool take_section(struct config *c, const char *s, size_t len, uint32_t end)
{
	const char *close = memchr(s, ']', len), *name = s + 1;
	size_t nr = close ? (size_t)(close - name) : 0;

	if (!close)
		return false;
	trim(&name, &nr);
	if (!is_name(name, nr))
		return false;
	vec_push(&c->sections, ((struct config_section){ lower(name, nr), end }));
	return true;
}

static bool take_entry(struct config *c, const char *s, size_t len, uint32_t from, uint32_t to)
{
	const char *equals = memchr(s, '=', len), *name = s;
	size_t nr = equals ? (size_t)(equals - s) : strcspn(s, "#;") < len ? strcspn(s, "#;") : len;
	struct config_section *section = c->sections.nr ? &c->sections.v[c->sections.nr - 1] : NULL;
	const char *value = equals ? equals + 1 : "true";
	size_t value_len = equals ? len - (size_t)(value - s) : 4;
	char *word;

	trim(&name, &nr);
	if (!section || !is_name(name, nr))
		return false;
	trim(&value, &value_len);
	word = lower(name, nr);
	section->end = to;
	vec_push(&c->entries, ((struct config_entry){ mem_printf("%s.%s", section->name, word), take_value(value, value_len), from, to }));
	free(word);
	return true;
}

void config_parse(struct config *c, const char *text, size_t size)
{
	char *copy = mem_strndup(text, size); /* ends in a NUL, and at the first one */
	uint32_t line = 1;

	size = strlen(copy);
	for (size_t at = 0; at < size; line++) {
		const char *s = copy + at;
		size_t len = strcspn(s, "\n");
		uint32_t to = (uint32_t)(at + len + (s[len] == '\n'));
		bool is_good = true;
		uint32_t from = (uint32_t)at;

		at = to;
		trim(&s, &len);
		if (len && *s == '[')
			is_good = take_section(c, s, len, to);
		else if (len && *s != '#' && *s != ';')
			is_good = take_entry(c, s, len, from, to);
		if (!is_good && !c->bad_line)
			c->bad_line = line;
	}
	free(copy);
}

static const struct config_entry *find_entry(const struct config *c, const char *key)
{
	for (uint32_t i = c->entries.nr; i-- > 0;)
		if (!strcasecmp(c->entries.v[i].key, key))
			return &c->entries.v[i];
	return NULL;
}

const char *config_find(const struct config *c, const char *key)
{
	const struct config_entry *e = find_entry(c, key);

	return e ? e->value : NULL;
}

static void put_entry(struct out *o, const char *key, const char *value)
{
	out_printf(o, "\t%s = \"", strchr(key, '.') + 1);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			out_char(o, '\\');
		out_char(o, *value == '\n' ? ' ' : *value);
	}
	out_str(o, "\"\n");
}

void config_set(struct out *o, const char *text, size_t size, const char *key, const char *value)
{
	int len = (int)(strchr(key, '.') - key);
	const struct config_entry *e;
	struct config c = { 0 };
	size_t at = size, to = size;

	config_parse(&c, text, size);
	e = find_entry(&c, key);
	if (e) {
		at = e->from;
		to = e->to;
	}
	for (uint32_t i = 0; !e && i < c.sections.nr; i++)
		if (!strncasecmp(c.sections.v[i].name, key, (size_t)len) && !c.sections.v[i].name[len])
			at = to = c.sections.v[i].end;
	out_mem(o, text, at);
	if (at && text[at - 1] != '\n')
		out_char(o, '\n');
	if (!e && at == size && to == size) {
		bool is_open = c.sections.nr && !strncasecmp(c.sections.v[c.sections.nr - 1].name, key, (size_t)len) &&
			       !c.sections.v[c.sections.nr - 1].name[len];

		if (!is_open)
			out_printf(o, "[%.*s]\n", len, key);
	}
	put_entry(o, key, value);
	out_mem(o, text + to, size - to);
	config_fini(&c);
}

int config_bool(const char *value)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(value, words[i]))
			return (int)(i % 2);
	return -1;
}

int config_read(const char *path, char **text, size_t *size, struct errbuf *eb)
{
	int fd = io_open_regular(path), err = fd < 0 ? fd : 0;
	struct stat st;

	*text = NULL;
	if (err == -ENOENT || err == -ENOTDIR)
		return -ENOENT;
	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err && st.st_uid != 0 && st.st_uid != geteuid())
		err = errbuf_set(eb, -EPERM, "%s is not used: it belongs to another user (id %u)", path, st.st_uid);
	else if (!err && others_may_write(&st))
		err = errbuf_set(eb, -EPERM, "%s is not used: others can write to it; 'chmod go-w %s' changes that", path, path);
	else if (!err)
		err = io_read_rest(fd, CONFIG_MAX_BYTES, text, size);
	if (fd >= 0)
		close(fd);
	if (err == -ENOTSUP)
		errbuf_set(eb, err, "cannot read %s: it is no regular file", path);
	else if (err == -EFBIG)
		errbuf_set(eb, err, "cannot read %s: a configuration has at most %u kB", path, CONFIG_MAX_BYTES >> 10);
	else if (err && err != -EPERM)
		errbuf_set(eb, err, "cannot read %s: %s", path, strerror(-err));
	return err;
}
