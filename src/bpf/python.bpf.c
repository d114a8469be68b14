// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * On each sample of an event: the frames of the Python interpreter that the thread runs, read from its memory at that moment, as addresses of
 * code objects with a sum of what these say of themselves; and once for each code object, its names.
 *
 * Which programs are interpreters, and where they have what, the recorder says (`images`). A program is known by where its code and its stack
 * are, which a fork does not change and an exec does. Everything read is the thread's own memory, and no more than a fixed number of
 * steps is done whatever it contains. A thread state is believed if it says that it is this thread's.
 */
#include "bpf/python_events.h"
#include "bpf/task_ids.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Names of code objects that are copied at one sample, each once; others at the next. A stack may be met only once: more than most are deep. */
#define NEW_CODE_MAX 64
#define NAMES_CHECKED 8
#define MASK(off) ((off)&0x7f)
/* glibc from 2.34 on: where the thread-specific values of the first 32 keys are, behind the thread pointer; of each its sequence first. */
#define SPECIFIC_OFFSET 0x310
#define SPECIFIC_KEYS 32
#define FIRST_LOOK_NS 10000000ull
#define PAGE_BYTES 4096ull
#define NEAR_BYTES 2048

extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;

unsigned int is_enabled = 0;	   /* by the reader */
unsigned long long nr_dropped = 0; /* records that the ring buffer had no room for */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct python_program);
	__type(value, struct python_image);
} images SEC(".maps");

struct known_code {
	unsigned long long code;
	unsigned int stamp, image;
};

/* Whose names were sent. What falls out is sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct known_code);
	__type(value, unsigned char);
} known_codes SEC(".maps");

/* Sums of stacks of which all names were sent. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, unsigned long long);
	__type(value, unsigned char);
} known_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

/* Memory that was read: bpf_probe_read_user() takes about as long for a word as for kilobytes. */
struct block {
	unsigned long long at, size;
	unsigned long long last; /* what was asked for last */
	unsigned char bytes[PYTHON_BLOCK_BYTES + 128];
};

struct walk {
	struct block frames, codes;
	unsigned char code[128];
	unsigned long long sum;
	struct python_layout layout; /* for names */
	struct python_event_stack stack;
	struct python_event_code names;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct walk);
} walks SEC(".maps");

static __always_inline unsigned long long word_at(const unsigned char *bytes, unsigned int off)
{
	return *(const unsigned long long *)(bytes + (off & 0x78));
}

static __always_inline unsigned long long read_word(unsigned long long at)
{
	unsigned long long word = 0;

	return at && !bpf_probe_read_user(&word, sizeof(word), (const void *)at) ? word : 0;
}

static __always_inline unsigned long long thread_pointer(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread.fsbase;
#else
	return 0;
#endif
}

static __always_inline bool is_of_thread(unsigned long long state, const struct python_layout *l, unsigned long long self)
{
	return state && read_word(state + l->thread_id) == self;
}

/* The state of this thread: the one that holds the lock, if it is this thread's, or else the thread-specific value. */
static __always_inline unsigned long long find_state(const struct python_image *image, unsigned long long self)
{
	const struct python_layout *l = &image->layout;
	unsigned long long state;
	unsigned int key = SPECIFIC_KEYS;

	if (l->runtime_current) {
		state = read_word(image->runtime + l->runtime_current);
		if (is_of_thread(state, l, self))
			return state;
	}
	if (bpf_probe_read_user(&key, sizeof(key), (const void *)(image->runtime + l->runtime_key)) || key >= SPECIFIC_KEYS)
		return 0;
	state = read_word(self + SPECIFIC_OFFSET + 16 * key + 8);
	return is_of_thread(state, l, self) ? state : 0;
}

/* Of an interpreter that another one has made: the thread may have frames of that one, too, which are not read. */
static __always_inline bool is_of_sub(const struct python_image *image, unsigned long long state)
{
	unsigned long long first = read_word(image->runtime + image->layout.runtime_main);

	return first && read_word(state + image->layout.thread_interp) != first;
}

static __always_inline unsigned long long mixed(unsigned long long sum, unsigned long long word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
	return sum ^ sum >> 29;
}

static __always_inline unsigned int code_bytes(const struct python_layout *l)
{
	return l->code_bytes < PYTHON_CODE_BYTES ? l->code_bytes : PYTHON_CODE_BYTES;
}

/* Sums up what is read of a code object: of all fields none changes as long as it lives. */
static __always_inline unsigned int stamp_of(const unsigned char *code, const struct python_layout *l, bool checks_name)
{
	unsigned long long sum = 1, name[2] = { 0, 0 };
	unsigned int size = code_bytes(l);

#pragma clang loop unroll(full)
	for (unsigned int i = 0; i < PYTHON_CODE_BYTES / 8; i++)
		if (8 * i < size)
			sum += *(const unsigned long long *)(code + 8 * i) * (0x9e3779b97f4a7c15ull * (2 * i + 1));
	/* Its length and hash: a string that took the place of a freed one. */
	if (checks_name && !bpf_probe_read_user(name, sizeof(name), (const void *)(word_at(code, l->code_name) + 16)))
		sum += name[0] * 0xc2b2ae3d27d4eb4full ^ name[1] * 0x165667b19e3779f9ull;
	return (unsigned int)(sum ^ sum >> 32) | 1;
}

/* Up to 3.11 a code object may look like one that was freed in all but the text of its name. That is read of the frames whose code changes
 * most. */
static __always_inline bool checks_name(const struct python_layout *l, unsigned int frame)
{
	return l->checks_name && frame < NAMES_CHECKED;
}

static __always_inline unsigned int instr_of(const unsigned char *frame, const struct python_layout *l, unsigned long long code)
{
	unsigned long long instr = word_at(frame, l->frame_instr);

	if (!l->instr_is_pointer)
		return (unsigned int)instr * l->instr_unit;
	return (unsigned int)(instr - code - l->code_bytecode);
}

/* Whether the frame is one that the interpreter puts below those it was called for: no Python function. */
static __always_inline bool is_shim(const unsigned char *frame, const struct python_layout *l)
{
	return l->entry == PYTHON_ENTRY_SHIM && frame[MASK(l->frame_owner)] == 3;
}

static __always_inline bool is_entry(const unsigned char *frame, const struct python_layout *l)
{
	return l->entry == PYTHON_ENTRY_EACH || (l->entry == PYTHON_ENTRY_FLAGGED && frame[MASK(l->frame_owner)]);
}

struct step {
	struct walk *w;
	const struct python_layout *l;
	unsigned long long at;
	unsigned int nr, size;
	/* Of the frame before: functions that call themselves are read once. */
	unsigned long long last_code;
	unsigned int last_stamp;
	bool last_has_name;
};

/* Reads `size` bytes from `from` on, with others before and behind them; these not beyond the page, which may be the only one that is there. */
static __always_inline bool load_block(struct block *b, unsigned long long from, unsigned int size, unsigned int before,
				       unsigned int behind)
{
	unsigned long long off = from % PAGE_BYTES, start = off > before ? off - before : 0, end = off + size, bytes;

	if (end < PAGE_BYTES)
		end = end + behind < PAGE_BYTES ? end + behind : PAGE_BYTES;
	bytes = end - start;
	b->at = from - off + start;
	b->size = bytes;
	asm volatile("" : "+r"(bytes));
	if (bytes <= sizeof(b->bytes) && !bpf_probe_read_user(b->bytes, bytes, (const void *)b->at))
		return true;
	b->size = 0;
	return false;
}

static __always_inline bool has_block(const struct block *b, unsigned long long from, unsigned int size)
{
	return from - b->at < b->size && from - b->at + size <= b->size;
}

static __always_inline const unsigned char *block_bytes(const struct block *b, unsigned long long from)
{
	return b->bytes + ((from - b->at) & (PYTHON_BLOCK_BYTES - 1));
}

static __always_inline bool is_near(const struct block *b, unsigned long long from)
{
	return from - b->last + NEAR_BYTES < 2 * NEAR_BYTES;
}

/* What counts of a frame. From 3.11 on callers lie in front of what they call; before, often near it, on either side. NULL: it cannot be read. */
static __always_inline const unsigned char *read_frame(struct step *s, unsigned int size)
{
	unsigned long long from = s->at + s->l->frame_base;
	unsigned int before = s->l->frame_block, behind = 0;
	struct block *b = &s->w->frames;

	if (!has_block(b, from, size)) {
		if (!before && is_near(b, from)) {
			before = from < b->last ? NEAR_BYTES : 0;
			behind = NEAR_BYTES - before;
		}
		if (!load_block(b, from, size, before, behind))
			return NULL;
	}
	b->last = from;
	return block_bytes(b, from);
}

/* Functions of one module lie near each other. */
static __always_inline unsigned int read_stamp(struct step *s, unsigned long long code, bool has_name)
{
	unsigned long long from = code + s->l->code_base;
	unsigned int size = code_bytes(s->l), near;
	struct block *b = &s->w->codes;

	if (!has_block(b, from, size)) {
		near = is_near(b, from) ? NEAR_BYTES : 0;
		if (!load_block(b, from, size, near, near))
			return 0;
	}
	b->last = from;
	return stamp_of(block_bytes(b, from), s->l, has_name);
}

static __always_inline unsigned int step_stamp(struct step *s, unsigned long long code)
{
	bool has_name = checks_name(s->l, s->nr);

	if (code != s->last_code || has_name != s->last_has_name)
		s->last_stamp = read_stamp(s, code, has_name);
	s->last_code = code;
	s->last_has_name = has_name;
	return s->last_stamp;
}

/* One frame; non-zero: it was the last. For bpf_loop(), so that it is verified once. */
static long step(unsigned int i, struct step *s)
{
	const struct python_layout *l = s->l;
	struct walk *w = s->w;
	struct python_event_frame *f;
	unsigned int size = s->size;
	const unsigned char *frame;
	unsigned long long code;

	if (size > PYTHON_FRAME_BYTES)
		size = PYTHON_FRAME_BYTES;
	frame = s->at ? read_frame(s, size) : NULL;
	if (!frame)
		return 1;
	s->at = word_at(frame, l->frame_previous);
	if (is_shim(frame, l)) {
		if (s->nr)
			w->stack.frames[(s->nr - 1) & (PYTHON_FRAMES - 1)].code |= PYTHON_EVENT_ENTRY;
		return 0;
	}
	if (s->nr >= PYTHON_FRAMES) {
		w->stack.flags |= PYTHON_EVENT_CUT;
		return 1;
	}
	code = word_at(frame, l->frame_code);
	f = &w->stack.frames[s->nr & (PYTHON_FRAMES - 1)];
	f->stamp = step_stamp(s, code);
	if (!f->stamp)
		return 1;
	f->instr = instr_of(frame, l, code);
	f->code = code | (is_entry(frame, l) ? PYTHON_EVENT_ENTRY : 0);
	w->sum = mixed(w->sum, code + f->stamp);
	s->nr++;
	return 0;
}

static __always_inline unsigned int walk_frames(struct walk *w, const struct python_layout *l, unsigned long long at)
{
	struct step s = { .w = w, .l = l, .at = at, .size = l->frame_bytes };

	w->frames.size = w->codes.size = 0;
	w->frames.last = w->codes.last = 0;
	w->sum = 1;
	w->stack.flags = 0;
	/* Shims are no frames of the record. */
	bpf_loop(PYTHON_FRAMES + PYTHON_FRAMES / 2, step, &s, 0);
	return s.nr;
}

/* A string as the interpreter has it: of a long one the end, which tells more of a path. */
static __always_inline void read_text(struct python_text *t, const struct python_layout *l, unsigned long long at)
{
	struct {
		unsigned long long length, hash;
		unsigned int state, reserved;
	} head = { 0 };
	unsigned long long size, skipped = 0;

	t->length = t->nr_bytes = 0;
	t->char_size = 1;
	t->is_ascii = 0;
	if (bpf_probe_read_user(&head, sizeof(head), (const void *)(at + 16)) || !(head.state & 32))
		return;
	t->char_size = head.state >> 2 & 7;
	t->is_ascii = head.state >> 6 & 1;
	if (head.length > 0xffff)
		return;
	size = head.length * t->char_size;
	if (size > PYTHON_TEXT_BYTES) {
		skipped = (size - PYTHON_TEXT_BYTES) & ~3ull;
		size = PYTHON_TEXT_BYTES;
	}
	at += t->is_ascii ? l->text_ascii : l->text_wide;
	if (size > PYTHON_TEXT_BYTES || bpf_probe_read_user(t->bytes, size, (const void *)(at + skipped)))
		return;
	t->length = head.length;
	t->nr_bytes = size;
}

/* The table of lines, an object of bytes. */
static __always_inline void read_lines(struct python_event_code *e, const struct python_layout *l, unsigned long long at)
{
	unsigned long long size = 0;

	e->lines_kind = e->lines_are_cut = e->nr_lines = 0;
	if (!at || bpf_probe_read_user(&size, sizeof(size), (const void *)(at + 16)))
		return;
	e->lines_are_cut = size > PYTHON_LINES_BYTES;
	if (size > PYTHON_LINES_BYTES)
		size = PYTHON_LINES_BYTES;
	if (bpf_probe_read_user(e->lines, size, (const void *)(at + 32)))
		return;
	e->lines_kind = l->lines_kind;
	e->nr_lines = size;
}

enum sent { SENT_BEFORE, SENT_NOW, SENT_FAILED };

/* The names of a frame's code object, where it was not met before. Global, so that it is verified once and not for each frame. */
__noinline int send_name(unsigned int frame)
{
	unsigned int zero = 0;
	unsigned char yes = 1;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct python_event_code *e;
	unsigned long long size;
	struct known_code key;

	if (!w)
		return SENT_FAILED;
	key.code = w->stack.frames[frame & (PYTHON_FRAMES - 1)].code & ~PYTHON_EVENT_ENTRY;
	key.stamp = w->stack.frames[frame & (PYTHON_FRAMES - 1)].stamp;
	key.image = w->stack.image;
	if (bpf_map_lookup_elem(&known_codes, &key))
		return SENT_BEFORE;
	if (bpf_probe_read_user(w->code, code_bytes(&w->layout), (const void *)(key.code + w->layout.code_base)) ||
	    stamp_of(w->code, &w->layout, checks_name(&w->layout, frame)) != key.stamp)
		return SENT_FAILED; /* another thread was faster */
	e = &w->names;
	e->kind = PYTHON_EVENT_CODE;
	e->image = key.image;
	e->code = key.code;
	e->stamp = key.stamp;
	e->first_line = *(unsigned int *)(w->code + (w->layout.code_line & 0x7c));
	read_text(&e->file, &w->layout, word_at(w->code, w->layout.code_file));
	read_text(&e->name, &w->layout, word_at(w->code, w->layout.code_name));
	read_lines(e, &w->layout, word_at(w->code, w->layout.code_lines));
	size = sizeof(*e) - sizeof(e->lines) + (e->nr_lines & (2 * PYTHON_LINES_BYTES - 1));
	asm volatile("" : "+r"(size));
	if (size > sizeof(*e) || bpf_ringbuf_output(&ring, e, size, BPF_RB_NO_WAKEUP)) {
		__sync_fetch_and_add(&nr_dropped, 1);
		return SENT_FAILED;
	}
	bpf_map_update_elem(&known_codes, &key, &yes, BPF_ANY);
	return SENT_NOW;
}

struct sending {
	unsigned int nr_new;
	bool failed;
};

/* For bpf_loop(); non-zero: no more at this sample. */
static long send_next(unsigned int frame, struct sending *s)
{
	int sent = send_name(frame);

	s->failed = sent == SENT_FAILED || (sent == SENT_NOW && ++s->nr_new >= NEW_CODE_MAX);
	return s->failed;
}

/* True: those of all frames were sent by now. */
static __always_inline bool send_names(struct walk *w, const struct python_image *image)
{
	struct sending s = { 0 };

	w->layout = image->layout;
	bpf_loop(w->stack.nr_frames, send_next, &s, 0);
	return !s.failed;
}

/* Asks the recorder what a program is: at once, and then less and less often, because libraries may be loaded later. */
static __always_inline void ask(const struct python_program *program, struct python_image *image)
{
	struct python_event_look e = { .kind = PYTHON_EVENT_LOOK, .program = *program };
	struct python_image new = { .state = PYTHON_UNKNOWN };
	unsigned long long now = bpf_ktime_get_ns();

	if (!image) {
		new.next_look_ns = now + FIRST_LOOK_NS;
		bpf_map_update_elem(&images, program, &new, BPF_NOEXIST);
	} else {
		if (now < image->next_look_ns)
			return;
		if (image->nr_looks < 12)
			image->nr_looks++;
		image->next_look_ns = now + (FIRST_LOOK_NS << image->nr_looks);
	}
	e.pid = current_ids() >> 32;
	if (e.pid)
		bpf_ringbuf_output(&ring, &e, sizeof(e), BPF_RB_FORCE_WAKEUP);
}

static __always_inline void take_stack(void *ctx, struct python_image *image, unsigned long long self)
{
	struct bpf_perf_event_data_kern *kern = bpf_cast_to_kern_ctx(ctx);
	unsigned long long state = find_state(image, self), at, ids, size;
	const struct python_layout *l = &image->layout;
	unsigned int zero = 0;
	unsigned char yes = 1;
	struct walk *w = state ? bpf_map_lookup_elem(&walks, &zero) : NULL;

	if (!w)
		return;
	at = read_word(state + l->thread_frame);
	if (l->has_cframe)
		at = read_word(at ? at + l->cframe_frame : 0);
	w->stack.nr_frames = walk_frames(w, l, at);
	if (!w->stack.nr_frames)
		return;
	if (is_of_sub(image, state))
		w->stack.flags |= PYTHON_EVENT_SUB;
	w->stack.image = image->image;
	w->sum = mixed(w->sum, image->image);
	if (!bpf_map_lookup_elem(&known_stacks, &w->sum) && send_names(w, image))
		bpf_map_update_elem(&known_stacks, &w->sum, &yes, BPF_ANY);
	ids = current_ids();
	w->stack.kind = PYTHON_EVENT_STACK;
	w->stack.pid = ids >> 32;
	w->stack.tid = (unsigned int)ids;
	w->stack.time_ns = kern->data->time;
	w->stack.cpu = bpf_get_smp_processor_id();
	size = sizeof(w->stack) - sizeof(w->stack.frames) + (w->stack.nr_frames & 0xff) * sizeof(struct python_event_frame);
	asm volatile("" : "+r"(size));
	if (size > sizeof(w->stack) || bpf_ringbuf_output(&ring, &w->stack, size, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&nr_dropped, 1);
}

SEC("perf_event")
int on_sample(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm = task->mm;
	struct python_program program;
	struct python_image *image;

	if (!is_enabled || !mm)
		return 1;
	program.start_code = mm->start_code;
	program.start_stack = mm->start_stack;
	image = bpf_map_lookup_elem(&images, &program);
	if (!image || image->state != PYTHON_FOUND)
		ask(&program, image);
	else
		take_stack(ctx, image, thread_pointer(task));
	return 1;
}
