/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes the container that perfdata/tracing_data.h takes apart, and raw data for it.
 */
#include "import/recording.h"

#include <string.h>

#include "base/out.h"

#define RAW_HEAD 12u /* the common fields, and where the text is */

static void put_u32(struct out *o, uint32_t v)
{
	out_mem(o, &v, sizeof(v));
}

static void put_text(struct out *o, const struct out *text)
{
	uint64_t size = text->len;

	out_mem(o, &size, sizeof(size));
	if (size)
		out_mem(o, text->buf, text->len);
}

static const char page_format[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static void put_format(struct out *o, const struct import_builder *b, const struct import_event *e)
{
	struct out f;

	out_init(&f, -1);
	out_printf(&f, "name: %s\nID: %llu\nformat:\n", strchr(import_str(b, e->name), ':') + 1, (unsigned long long)e->config);
	out_str(&f, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		    "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
		    "print fmt: \"%s\", __get_str(text)\n");
	put_text(o, &f);
	out_fini(&f);
}

static bool has_format(const struct import_event *e)
{
	return e->type == ATTR_TYPE_TRACEPOINT;
}

/* Every event is a system of its own as far as the container goes: readers look formats up by id. */
static void put_events(struct out *o, const struct import_builder *b)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < b->events.nr; i++)
		nr += has_format(&b->events.v[i]);
	put_u32(o, nr);
	for (uint32_t i = 0; i < b->events.nr; i++) {
		const char *name = import_str(b, b->events.v[i].name);

		if (!has_format(&b->events.v[i]))
			continue;
		out_mem(o, name, strcspn(name, ":"));
		out_char(o, 0);
		put_u32(o, 1);
		put_format(o, b, &b->events.v[i]);
	}
}

void text_fields_formats(const struct import_builder *b, struct perfdata_info *info)
{
	static const char head[] = "\x17\x08\x44tracing0.6";
	const uint16_t order = 1;
	struct out o, page;
	bool any = false;

	for (uint32_t i = 0; i < b->events.nr; i++)
		any |= has_format(&b->events.v[i]);
	if (!any)
		return;
	out_init(&o, -1);
	out_init(&page, -1);
	out_str(&page, page_format);
	out_mem(&o, head, sizeof(head)); /* with its NUL */
	out_char(&o, *(const uint8_t *)&order ? 0 : 1);
	out_char(&o, (char)sizeof(long));
	put_u32(&o, 4096);
	out_mem(&o, "header_page", 12);
	put_text(&o, &page);
	out_mem(&o, "header_event", 13);
	page.len = 0;
	put_text(&o, &page);
	put_u32(&o, 0); /* formats of ftrace's own events */
	put_events(&o, b);
	put_u32(&o, 0); /* kallsyms */
	put_u32(&o, 0); /* printk formats */
	put_u32(&o, 0); /* command lines: a size of 8 bytes */
	put_u32(&o, 0);
	info->tracing_data = arena_copy(&info->arena, o.buf, o.len);
	info->tracing_data_size = o.len;
	info->features |= 1ULL << FEAT_TRACING_DATA;
	out_fini(&o);
	out_fini(&page);
}

uint32_t text_fields_raw(const struct import_builder *b, const struct import_event *e, const struct import_sample *s, uint8_t *raw)
{
	const char *text = strtab_get(&b->texts, s->text);
	uint32_t len = strtab_len(&b->texts, s->text), at;
	uint16_t type = (uint16_t)e->config;

	if (len > TEXT_FIELDS_MAX)
		len = TEXT_FIELDS_MAX;
	memset(raw, 0, RAW_HEAD);
	memcpy(raw, &type, sizeof(type));
	memcpy(raw + 4, &s->tid, sizeof(s->tid));
	at = (len + 1) << 16 | RAW_HEAD;
	memcpy(raw + 8, &at, sizeof(at));
	memcpy(raw + RAW_HEAD, text, len);
	raw[RAW_HEAD + len] = 0;
	return RAW_HEAD + len + 1;
}
