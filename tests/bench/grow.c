/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Makes a perf.data of any number of samples out of one: passes over the input follow one another,
 * each shifted in time to begin where the one before ended. Tasks and maps come from the first pass
 * alone, and exits are left out, since the task goes on. Rounds are kept, and one more ends each
 * pass. For tests/bench/run; one reader, one writer, and no knowledge of what a sample means but
 * its time.
 *
 * usage: grow INPUT OUTPUT SAMPLES
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/reader.h"
#include "perfdata/writer.h"

#define PASS_GAP_NS 1000000u

struct grow {
	const char *input;
	uint64_t wanted, written; /* samples */
	struct writer *writer;
	struct perfdata_info info;  /* the input's, with the new last time; all else is borrowed */
	size_t time_off;	    /* of a sample, from the start of the record */
	uint64_t first_ns, last_ns; /* of the input's samples: known after the first pass */
	uint64_t shift_ns;
};

/* Where the time stands in a sample: behind those of the three fields before it that there are. */
static int find_time(struct grow *g, struct errbuf *eb)
{
	const uint64_t placed = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME;
	uint64_t type;

	if (!g->info.events.nr)
		return errbuf_set(eb, -EINVAL, "%s has no events", g->input);
	type = g->info.events.v[0].attr.sample_type & placed;
	for (uint32_t i = 0; i < g->info.events.nr; i++)
		if ((g->info.events.v[i].attr.sample_type & placed) != type)
			return errbuf_set(eb, -EINVAL, "%s has times in several places of its samples",
					  g->input);
	if (!(type & SAMPLE_TIME))
		return errbuf_set(eb, -EINVAL, "%s has no times", g->input);
	g->time_off = sizeof(struct record_header) +
		      8u * (unsigned)__builtin_popcountll(
				   type & (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID));
	return 0;
}

static int copy_sample(struct grow *g, const struct record_header *h)
{
	uint8_t copy[1 << 16];
	uint64_t time_ns;

	if (h->size < g->time_off + sizeof(time_ns))
		return -EBADMSG;
	memcpy(copy, h, h->size);
	memcpy(&time_ns, copy + g->time_off, sizeof(time_ns));
	if (!g->shift_ns) {
		if (!g->first_ns || time_ns < g->first_ns)
			g->first_ns = time_ns;
		if (time_ns > g->last_ns)
			g->last_ns = time_ns;
	}
	time_ns += g->shift_ns;
	if (time_ns > g->info.last_sample_ns)
		g->info.last_sample_ns = time_ns;
	memcpy(copy + g->time_off, &time_ns, sizeof(time_ns));
	g->written++;
	return writer_append(g->writer, copy, h->size, true);
}

static int copy_record(struct grow *g, const struct record_header *h)
{
	switch (h->type) {
	case RECORD_SAMPLE:
		return copy_sample(g, h);
	case RECORD_FINISHED_ROUND:
		return writer_append(g->writer, h, h->size, false);
	case RECORD_EXIT:
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		return 0;
	default:
		return g->shift_ns
			       ? 0
			       : writer_append(g->writer, h, h->size, h->type < RECORD_USER_FIRST);
	}
}

static int pass(struct grow *g, struct record_source *r, struct errbuf *eb)
{
	const struct record_header round = { RECORD_FINISHED_ROUND, 0, sizeof(round) };
	struct source_record rec;
	int err;

	while (g->written < g->wanted) {
		err = record_source_next(r, &rec, eb);
		if (err <= 0) {
			if (!err && r->damage->err)
				return errbuf_set(eb, r->damage->err, "%s",
						  r->damage->text);
			if (err)
				return err;
			break;
		}
		err = copy_record(g, rec.header);
		if (err)
			return errbuf_set(eb, err, "cannot copy a record: %s", strerror(-err));
	}
	err = writer_append(g->writer, &round, sizeof(round), false);
	return err ? errbuf_set(eb, err, "cannot write: %s", strerror(-err)) : 0;
}

/* The first reader stays open to the end: the writer borrows what it says of the events. */
static int grow(struct grow *g, int fd, struct errbuf *eb)
{
	const struct writer_options opts = { 0 };
	struct record_source *first = NULL, *again = NULL;
	int err = reader_open(&first, g->input, READER_ANY_OWNER, eb);

	if (err)
		goto out;
	g->info = *first->info;
	g->info.last_sample_ns = 0;
	err = find_time(g, eb);
	if (!err)
		err = writer_open(&g->writer, fd, &opts, &g->info, eb);
	if (!err)
		err = pass(g, first, eb);
	if (!err && !g->written && g->wanted)
		err = errbuf_set(eb, -ENODATA, "%s has no samples", g->input);
	while (!err && g->written < g->wanted) {
		g->shift_ns += g->last_ns - g->first_ns + PASS_GAP_NS;
		err = reader_open(&again, g->input, READER_ANY_OWNER, eb);
		if (!err)
			err = pass(g, again, eb);
		record_source_close(again);
		again = NULL;
	}
	g->info.first_sample_ns = g->first_ns;
	if (!err)
		err = writer_finish(g->writer, &g->info, eb);
out:
	writer_free(g->writer);
	record_source_close(first);
	return err;
}

int main(int argc, char **argv)
{
	struct errbuf eb = { 0 };
	struct grow g = { 0 };
	char *end;
	int fd, err;

	if (argc != 4 || (g.wanted = strtoull(argv[3], &end, 10)) == 0 || *end) {
		fputs("usage: grow INPUT OUTPUT SAMPLES\n", stderr);
		return 2;
	}
	g.input = argv[1];
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		perror(argv[2]);
		return 1;
	}
	err = grow(&g, fd, &eb);
	close(fd);
	if (err)
		fprintf(stderr, "grow: %s\n", eb.text[0] ? eb.text : strerror(-err));
	return err ? 1 : 0;
}
