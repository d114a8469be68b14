/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/wall.h, wall_events.h, wall_path.h and their views on any samples of abi/wall_sample.h. A record is a byte for the CPU, one for the time that
 * passed, one for the task of the sample, one for the length of its raw bytes, and these. The parts of each thread add up to its elapsed
 * time, whatever comes.
 */
#include "../unit/session_fixture.h"

#include "abi/wall_sample.h"
#include "model/wall_events.h"
#include "model/wall_path.h"
#include "view/wall_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RAW_MAX 48

static void add_sample(struct wall *w, struct fixture *f, const struct session_record *sr)
{
	struct timeline_step step;
	enum wall_class class;
	struct sched_event e;

	if (wall_events_read(&f->s.recording, sr, &e, &class) && timeline_add(w->timeline, &e, &step))
		wall_add(w, sr, &e, &step, class);
}

static void add_records(struct wall *w, struct fixture *f, const uint8_t *data, size_t size)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	uint64_t time_ns = 1;

	while (size >= 4) {
		size_t len = data[3] % RAW_MAX < size - 4 ? data[3] % RAW_MAX : size - 4;
		uint8_t *raw = malloc(len ? len : 1); /* as long as it says: ASan sees the end */
		struct session_record sr = { .header = &h, .event = 1 };

		memcpy(raw, data + 4, len);
		time_ns = data[1] == 255 ? time_ns / 2 + 1 : time_ns + data[1];
		sr.time_ns = time_ns;
		sr.task = task_table_get(&f->s.machine.tasks, 1, 1 + data[2] % 8);
		sr.rec.header = &h;
		sr.rec.sample = (struct sample){ .pid = 1,
						 .tid = 1u + data[2] % 8,
						 .cpu = data[0] == 255 ? UINT32_MAX : data[0] % 4,
						 .period = 1,
						 .raw = raw,
						 .raw_size = (uint32_t)len };
		if (data[0] == 254)
			timeline_lose(w->timeline, TIMELINE_NONE);
		else if (data[0] == 253)
			wall_add_sample(w, &sr);
		else
			add_sample(w, f, &sr);
		free(raw);
		data += 4 + len;
		size -= 4 + len;
	}
}

static void check_sums(const struct wall *w)
{
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		const struct wall_thread *k = &w->threads.v[i];
		uint64_t sum_ns = 0;

		for (int c = 0; c < WALL_NR_CLASSES; c++)
			sum_ns += k->ns[c];
		if (k->is_shown && sum_ns != wall_elapsed_ns(k))
			abort();
	}
}

static void print(struct wall *w, struct out *o)
{
	struct wall_text text = { .max_stacks = 3, .max_frames = 8 };
	struct wall_stacks stacks;
	struct wall_path path;
	bool has_path = wall_path_longest(&path, w);

	wall_stacks_make(&stacks, w);
	text.path = has_path ? &path : NULL;
	wall_text_print(&text, o, w, &stacks);
	wall_json_print(&text, o, w, &stacks);
	wall_path_fini(&path);
	if (wall_path_find(&path, w, 0, UINT64_MAX))
		wall_path_print(o, w, &path);
	wall_path_fini(&path);
	wall_stacks_fini(&stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct timeline t;
	struct fixture f;
	struct wall w;
	struct out o;

	fixture_init(&f);
	fixture_event(&f, WALL_SAMPLE_NAME);
	f.info.events.v[1].attr.type = ATTR_TYPE_TRACEPOINT;
	f.info.events.v[1].attr.config = WALL_SAMPLE_ID;
	timeline_init(&t, &f.s.machine);
	t.has_waking = true;
	wall_init(&w, &f.p, &t);
	out_init(&o, -1);
	add_records(&w, &f, data, size);
	if (w.last_ns > t.last_ns)
		t.last_ns = w.last_ns;
	timeline_finish(&t);
	wall_finish(&w, NULL, NULL);
	check_sums(&w);
	print(&w, &o);
	out_fini(&o);
	wall_fini(&w);
	timeline_fini(&t);
	fixture_fini(&f);
	return 0;
}
