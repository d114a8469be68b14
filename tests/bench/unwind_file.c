/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Does to a perf.data with raw stacks what the recorder does before it writes one: the same stage,
 * fed round by round as the file has them. For tests that compare stacks unwound while recording
 * with those that a reader of the raw file finds.
 *
 * usage: unwind_file INPUT OUTPUT [MEMORY_BYTES [WORKERS]]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/unwind_stage.h"
#include "capture/unwind_stream.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"

struct job {
	struct record_source *reader;
	struct writer *writer;
	struct unwind_stage *stage;
	struct perfdata_info info; /* the input's, with other attrs; all else is borrowed */
	struct perfdata_event *events;
	VEC(uint8_t) round;
	struct unwind_counts counts; /* of what was written */
};

static void introduce_events(struct job *j)
{
	const struct perfdata_info *in = j->reader->info;

	j->info = *in;
	j->events = mem_alloc(in->events.nr * sizeof(*j->events));
	j->info.events.v = j->events;
	for (uint32_t i = 0; i < in->events.nr; i++) {
		struct perfdata_event *e = &j->events[i];

		*e = in->events.v[i];
		unwound_attr(&e->attr);
		e->layout = sample_layout_of(&e->attr);
		unwind_stream_add_event(&j->stage->stream, &in->events.v[i].attr,
					&e->attr);
		for (uint32_t k = 0; k < e->nr_ids; k++)
			unwind_stream_add_id(&j->stage->stream, e->ids[k], e->ids[k], i);
	}
}

static int write_done(struct job *j, bool *finished)
{
	static const struct record_header round = { RECORD_FINISHED_ROUND, 0, sizeof(round) };
	struct unwind_chunk *c;
	int err = 0;

	while (!err && (c = unwind_queue_take(&j->stage->queue, finished))) {
		if (c->block.size)
			err = writer_append(j->writer, c->block.data, c->block.size, false);
		if (!err && c->ends_round && c->has_records)
			err = writer_append(j->writer, &round, sizeof(round), false);
		unwind_counts_add(&j->counts, &c->counts);
		unwind_chunk_free(c);
	}
	return err;
}

static void put_round(struct job *j)
{
	struct ring_span s = ring_span_of(j->round.v, j->round.nr);

	if (j->round.nr)
		unwind_stage_put(j->stage, 0, &s, NULL);
	j->round.nr = 0;
}

static int read_all(struct job *j, struct errbuf *eb)
{
	struct source_record rec;
	bool finished = false;
	int ret;

	while ((ret = record_source_next(j->reader, &rec, eb)) == 1) {
		uint32_t at = j->round.nr, size = rec.header->size;

		if (rec.header->type == RECORD_FINISHED_ROUND) {
			put_round(j);
			unwind_stage_end_round(j->stage, false);
			ret = write_done(j, &finished);
			if (ret)
				return ret;
			continue;
		}
		vec_reserve(&j->round, (uint64_t)at + size);
		memcpy(j->round.v + at, rec.header, size);
		j->round.nr += size;
	}
	put_round(j);
	unwind_queue_end(&j->stage->queue);
	while (!ret && !finished) {
		ret = write_done(j, &finished);
		usleep(1000);
	}
	return ret;
}

static void show_ends(const struct job *j)
{
	const struct unwind_counts *st = &j->counts;

	for (int i = 0; i < UNWIND_NR_ENDS; i++)
		if (st->nr_ends[i])
			printf("%s %llu\n", unwind_end_name((enum unwind_end)i),
			       (unsigned long long)st->nr_ends[i]);
	printf("spooled %llu\n",
	       (unsigned long long)j->stage->queue.spooled_bytes);
}

int main(int argc, char **argv)
{
	struct unwind_stage_options o = { .wake_fd = -1, .spool_dir = "." };
	const struct writer_options wo = { 0 };
	struct errbuf eb = { "" };
	struct job j = { 0 };
	int fd = -1, err;

	if (argc < 3 || argc > 5) {
		fputs("usage: unwind_file INPUT OUTPUT [MEMORY_BYTES [WORKERS]]\n", stderr);
		return 2;
	}
	o.memory_limit = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	o.max_workers = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
	err = reader_open(&j.reader, argv[1], READER_ANY_OWNER, &eb);
	if (err)
		goto out;
	j.stage = unwind_stage_new(&o);
	introduce_events(&j);
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	err = fd < 0 ? errbuf_set(&eb, -errno, "%s: %s", argv[2], strerror(errno))
		     : writer_open(&j.writer, fd, &wo, &j.info, &eb);
	if (!err)
		err = unwind_stage_start(j.stage, &eb);
	if (!err)
		err = read_all(&j, &eb);
	if (!err)
		err = writer_finish(j.writer, &j.info, &eb);
	if (!err)
		show_ends(&j);
out:
	if (err)
		fprintf(stderr, "unwind_file: %s\n", eb.text[0] ? eb.text : strerror(-err));
	unwind_stage_free(j.stage);
	writer_free(j.writer);
	record_source_close(j.reader);
	vec_fini(&j.round);
	free(j.events);
	if (fd >= 0)
		close(fd);
	return err ? 1 : 0;
}
