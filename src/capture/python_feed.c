/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of the BPF program become samples: code objects get numbers, their names become UTF-8.
 */
#include "capture/python_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/python_sample.h"
#include "abi/record.h"
#include "base/log.h"
#include "base/mem.h"

#define BATCH_BYTES (256u << 10)
#define RING_BYTES (16u << 20)
#define SAMPLE_MAX 4096u
#define EVENT_ID (UINT64_MAX / 3 + 2) /* above what the kernel gives out */
#define CODES_MAX (4u << 20)
#define CODE_NONE 0u
#define LINES_MAX (8u << 20) /* ranges in memory; code that is met later has none */

_Static_assert(sizeof(struct python_sample_stack) + PYTHON_FRAMES * sizeof(struct python_sample_frame) + 256 < SAMPLE_MAX, "stacks fit");
_Static_assert(sizeof(struct python_sample_code) + 4 * PYTHON_TEXT_BYTES + 256 < SAMPLE_MAX, "names fit");

static void put_sample(struct python_feed *f, uint64_t time_ns, uint32_t pid, uint32_t tid, uint32_t cpu, const void *raw, size_t size)
{
	struct record_header head = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct sample s = { .id = EVENT_ID, .pid = pid, .tid = tid, .cpu = cpu, .time_ns = time_ns, .period = 1, .raw = raw };
	int64_t n;

	s.raw_size = (uint32_t)size;
	n = sample_encode(&f->feed.layout, &s, f->buf + f->len + sizeof(head), SAMPLE_MAX - sizeof(head));
	if (n <= 0)
		return;
	head.size = (uint16_t)(sizeof(head) + (size_t)n);
	memcpy(f->buf + f->len, &head, sizeof(head));
	f->len += head.size;
	f->nr_put++;
}

/* Numbers begin at 1. */
static uint32_t number_of(struct python_feed *f, uint64_t code, uint32_t stamp, uint32_t image)
{
	struct python_code_key key = { code, stamp, image };
	uint64_t h = hash_bytes(&key, sizeof(key), 0);
	uint32_t found = HINDEX_FIND_ITEM(&f->index, h, &f->codes, c, c->code == code && c->stamp == stamp && c->image == image);

	if (found != HINDEX_NONE)
		return found + 1;
	if (f->codes.nr >= CODES_MAX)
		return CODE_NONE;
	hindex_add(&f->index, h, f->codes.nr);
	vec_push(&f->codes, key);
	vec_push(&f->code_lines, ((struct python_code_lines){ 0 }));
	return f->codes.nr;
}

static uint32_t char_at(const struct python_text *t, uint32_t i)
{
	uint32_t c = 0;

	memcpy(&c, t->bytes + (size_t)i * t->char_size, t->char_size);
	return c;
}

static size_t put_utf8(uint32_t c, char *to)
{
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

static size_t put_text(const struct python_text *t, char *to)
{
	uint32_t nr = t->nr_bytes <= PYTHON_TEXT_BYTES ? t->nr_bytes : 0;
	size_t len = 0;

	if (t->char_size != 1 && t->char_size != 2 && t->char_size != 4)
		return 0;
	nr /= t->char_size;
	for (uint32_t i = 0; i < nr; i++)
		len += put_utf8(char_at(t, i), to + len);
	return len;
}

static void take_lines(struct python_feed *f, uint32_t number, const struct python_event_code *e)
{
	struct python_code_lines *lines = &f->code_lines.v[number - 1];

	/* It may come again. */
	if (lines->nr || f->lines.ranges.nr >= LINES_MAX)
		return;
	lines->first = f->lines.ranges.nr;
	python_lines_parse(&f->lines, (enum python_lines_kind)e->lines_kind, e->lines, e->nr_lines, e->first_line, e->lines_are_cut);
	lines->nr = f->lines.ranges.nr - lines->first;
}

/* 0: it is not known. */
static uint32_t line_of(const struct python_feed *f, uint32_t number, uint32_t instr)
{
	const struct python_code_lines *lines = number == CODE_NONE ? NULL : &f->code_lines.v[number - 1];

	return lines && lines->nr ? python_lines_find(f->lines.ranges.v + lines->first, lines->nr, instr) : 0;
}

static void take_code(struct python_feed *f, const struct python_event_code *e)
{
	struct {
		struct python_sample_code code;
		char text[2 * 2 *
			  PYTHON_TEXT_BYTES]; /* characters of one byte become two at most, larger ones no more than they had, half again */
	} raw = { .code = { .kind = PYTHON_SAMPLE_CODE, .first_line = e->first_line } };

	raw.code.code = number_of(f, e->code, e->stamp, e->image);
	raw.code.file_size = (uint16_t)put_text(&e->file, raw.text);
	raw.code.name_size = (uint16_t)put_text(&e->name, raw.text + raw.code.file_size);
	if (raw.code.code == CODE_NONE)
		return;
	take_lines(f, raw.code.code, e);
	put_sample(f, 0, 0, 0, 0, &raw, sizeof(raw.code) + raw.code.file_size + raw.code.name_size);
}

static void take_stack(struct python_feed *f, const struct python_event_stack *e, uint32_t nr)
{
	struct {
		struct python_sample_stack stack;
		struct python_sample_frame frames[PYTHON_FRAMES];
	} raw = { .stack = { .kind = PYTHON_SAMPLE_STACK, .image = e->image, .nr_frames = nr } };

	if (e->flags & PYTHON_EVENT_CUT)
		raw.stack.flags |= PYTHON_STACK_CUT;
	if (e->flags & PYTHON_EVENT_SUB)
		raw.stack.flags |= PYTHON_STACK_SUB;
	for (uint32_t i = 0; i < nr; i++) {
		const struct python_event_frame *frame = &e->frames[i];

		raw.frames[i].code = number_of(f, frame->code & ~PYTHON_EVENT_ENTRY, frame->stamp, e->image);
		raw.frames[i].line = line_of(f, raw.frames[i].code, frame->instr);
		if (frame->code & PYTHON_EVENT_ENTRY)
			raw.frames[i].code |= PYTHON_FRAME_ENTRY;
	}
	put_sample(f, e->time_ns - 1, e->pid, e->tid, e->cpu, &raw, sizeof(raw.stack) + nr * sizeof(*raw.frames));
}

static int take_event(void *ctx, void *data, size_t size)
{
	const size_t head = offsetof(struct python_event_stack, frames), code_head = offsetof(struct python_event_code, lines);
	const struct python_event_code *code = data;
	const struct python_event_stack *e = data;
	struct python_feed *f = ctx;

	if (size < sizeof(e->kind))
		return 0;
	if (e->kind == PYTHON_EVENT_LOOK && size >= sizeof(struct python_event_look))
		python_images_look(f->images, data);
	else if (e->kind == PYTHON_EVENT_CODE && size >= code_head && size >= code_head + code->nr_lines)
		take_code(f, code);
	else if (e->kind == PYTHON_EVENT_STACK && size >= head && e->nr_frames <= PYTHON_FRAMES &&
		 size >= head + e->nr_frames * sizeof(*e->frames))
		take_stack(f, e, e->nr_frames);
	return f->len < BATCH_BYTES ? 0 : -EAGAIN;
}

/* What was dropped meanwhile, as the kernel's rings say it. */
static void put_losses(struct python_feed *f)
{
	uint64_t nr = bpf_python_dropped(f->bpf);
	struct record_header h = { .type = RECORD_LOST };
	struct record rec = { .header = &h, .id = { .id = EVENT_ID } };
	int64_t size;

	if (nr == f->nr_dropped)
		return;
	rec.lost = (struct record_lost){ .id = EVENT_ID, .lost = nr - f->nr_dropped };
	size = record_encode(&rec, &f->feed.layout, f->buf + f->len, SAMPLE_MAX);
	if (size > 0)
		f->len += (size_t)size;
	f->nr_dropped = nr;
}

/* Images come behind the stacks that were read: none of these is of an image that was found later. They have no time, and so are read
 * before the stacks all the same. */
static size_t take(struct record_feed *feed, const uint8_t **records)
{
	struct python_feed *f = (struct python_feed *)feed;
	struct python_sample_image image;

	f->len = 0;
	bpf_python_consume(f->bpf, take_event, f);
	while (f->len < BATCH_BYTES + SAMPLE_MAX && python_images_take(f->images, &image)) {
		put_sample(f, 0, 0, 0, 0, &image, sizeof(image));
		f->nr_images++;
	}
	put_losses(f);
	*records = f->buf;
	return f->len;
}

static void make_attr(struct attr *a)
{
	*a = (struct attr){
		.type = ATTR_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = CONFIG_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_RAW,
		.read_format = READ_ID | READ_LOST,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_INHERIT,
	};
}

int python_feed_open(struct python_feed *f, struct errbuf *eb)
{
	int err = bpf_python_open(&f->bpf, RING_BYTES, eb);

	if (err)
		return err;
	make_attr(&f->feed.attr);
	f->feed.layout = sample_layout_of(&f->feed.attr);
	f->feed.event_id = EVENT_ID;
	f->feed.ring_bytes = RING_BYTES;
	f->feed.wake_fd = bpf_python_fd(f->bpf);
	f->feed.name = PYTHON_EVENT_NAME;
	f->feed.take = take;
	f->buf = mem_alloc(BATCH_BYTES + 4 * SAMPLE_MAX);
	f->images = mem_zalloc(sizeof(*f->images));
	err = python_images_start(f->images, f->bpf);
	return err ? errbuf_set(eb, err, "cannot start a thread: %s", strerror(-err)) : 0;
}

int python_feed_start(struct python_feed *f, struct event_fds *fds, struct stack_growth *growth, bool enabled, struct errbuf *eb)
{
	int program = bpf_python_program(f->bpf), err = event_fds_set_program(fds, program, eb);

	for (uint32_t i = 0; i < growth->twins.nr && !err; i++)
		err = event_set_program(growth->twins.v[i].fd, program);
	python_feed_enable(f, enabled);
	return err;
}

void python_feed_enable(struct python_feed *f, bool on)
{
	if (f->bpf)
		bpf_python_enable(f->bpf, on);
}

void python_feed_stop(struct python_feed *f)
{
	python_feed_enable(f, false);
}

void python_feed_close(struct python_feed *f)
{
	if (f->images && !python_images_stop(f->images)) {
		/* The thread uses both. */
		f->images = NULL;
		f->bpf = NULL;
	}
	if (f->images && f->images->unknown_version && !f->nr_images)
		log_warn("--python knows CPython 3.8 to 3.13 with its lock, not what was met here (3.%u)",
			 f->images->unknown_version >> 8 & 0xff);
	free(f->images);
	bpf_python_close(f->bpf);
	vec_fini(&f->codes);
	vec_fini(&f->code_lines);
	vec_fini(&f->lines.ranges);
	hindex_fini(&f->index);
	free(f->buf);
	memset(f, 0, sizeof(*f));
}
