/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files whose code was mapped while we recorded: what each is (build-id, or device, inode, size and times), and its bytes, for as long
 * as the recording runs.
 *
 * At the path of a map record there may be another file by now, or in another mount namespace. So each file is opened when its first map
 * record arrives, through the process that maps it (/proc/PID/map_files, /proc/PID/root), checked against the record, and kept open. What is
 * needed of files that are no longer at their path when the recording ends is saved with it.
 *
 * Records are noted by the drain; files are opened by a thread of their own. Record-time unwinding asks for the open file. Every
 * mapped_files_* function may be called by any thread.
 */
#ifndef ASSAY_CAPTURE_MAPPED_FILES_H
#define ASSAY_CAPTURE_MAPPED_FILES_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "capture/event_fds.h"
#include "capture/jit_files.h"
#include "perfdata/info.h"
#include "session/dso.h"
#include "symbols/elf_file.h"
#include "symbols/file_identity.h"

/* Where a file is mapped. */
struct map_place {
	pid_t pid;
	uint64_t start, end;
	int64_t wall_ns; /* when; 0: unknown. A file that was written to later is not what was mapped */
};

/* A file that was found. */
struct opened_file {
	int fd;	     /* -1: not found, or not kept open */
	int copy_fd; /* of a file that changed lately, and may be rewritten in place: its bytes in memory; -1: none */
	bool has_stat;
	struct stat st;
};
#define OPENED_FILE_PATH_SIZE 32 /* of "/proc/self/fd/N" */
#define OPENED_FILE_NONE ((struct opened_file){ .fd = -1, .copy_fd = -1 })

/* The root directory of processes that have another than ours: files that they map are found there when they have ended. */
struct file_root {
	int fd;
	dev_t dev;
	ino_t ino, mount_ns;
};

/* file_opener.c: opens mapped files through the processes that map them, and keeps them open within bounds. */
struct file_opener {
	uint32_t nr_fds, max_fds;
	uint64_t copied_bytes;
	VEC(struct file_root) roots;
};

void file_opener_init(struct file_opener *o);
void file_opener_fini(struct file_opener *o);

/* Opens the file that has this path where it is mapped. *id is what is known of its build-id; where it is not, it is filled in. Without one
 * the file is checked by `identity`. -ENOENT where no such file can be reached any more, -ESTALE where it was written to after it was mapped,
 * -ENOEXEC where it is no ELF file. */
int file_opener_open(struct file_opener *o, const char *path, const struct map_place *place, struct build_id *id,
		     const struct file_identity *identity, struct opened_file *f);
/* The same file again, which has been rewritten since. -ESTALE where that was after `wall_ns`. */
int file_opener_reopen(struct file_opener *o, const struct opened_file *before, int64_t wall_ns, struct build_id *id,
		       struct opened_file *f);
void file_opener_close(struct file_opener *o, struct opened_file *f);

/* Whether what is open still has the bytes that it had when it was opened. */
bool opened_file_is_intact(const struct opened_file *f);
/* "/proc/self/fd/N" of the bytes; false: there are none. */
bool opened_file_path(const struct opened_file *f, char path[OPENED_FILE_PATH_SIZE]);

/* How often map records may wake the thread that opens mapped files. Each record and each wake cost the program that maps a file: they are
 * worth it only while they bring something new. */
#define WAKE_PERIOD_MS 10
#define WAKE_MAX_PER_PERIOD 20
#define WAKE_MAX_STALE 20 /* a program that is started again maps about five files: four such starts */
#define WAKE_PAUSE_MS 100

/* After a wake. */
enum wake_next {
	WAKE_AT_ONCE,
	WAKE_LATER,	  /* in WAKE_PERIOD_MS */
	WAKE_AFTER_PAUSE, /* in WAKE_PAUSE_MS: records need not even be made until then */
};

/* A zeroed struct is at the beginning. */
struct wake_pace {
	uint64_t since_ns; /* when this period began */
	uint64_t nr_news;  /* up to the last wake */
	uint32_t nr_wakes; /* in this period */
	uint32_t nr_stale; /* the last wakes, which brought nothing new */
};

/* When the next wake may be. `nr_news`: how many new things came, ever. Two limits: of wakes in a period, and of wakes in a row without
 * news. Something new lifts the second at once. */
static inline enum wake_next wake_pace_next(struct wake_pace *pace, uint64_t now_ns, uint64_t nr_news)
{
	pace->nr_stale = nr_news == pace->nr_news ? pace->nr_stale + 1 : 0;
	pace->nr_news = nr_news;
	if (now_ns - pace->since_ns > WAKE_PERIOD_MS * UINT64_C(1000000)) {
		pace->since_ns = now_ns;
		pace->nr_wakes = 0;
	}
	if (pace->nr_stale > WAKE_MAX_STALE)
		return WAKE_AFTER_PAUSE;
	return ++pace->nr_wakes > WAKE_MAX_PER_PERIOD ? WAKE_LATER : WAKE_AT_ONCE;
}

/* map_watch.c: map records at once, by events of their own in small rings that wake their reader with each record: when the rings of the
 * recording are read, a short-lived program has ended, and with it the way to its files. A zeroed struct watches nothing. */
struct map_watch {
	struct event_list list; /* one event */
	struct event_fds events;
	struct sample_layout layout;
	int64_t wall_offset_ns; /* wall clock less the clock of records */
	bool knows_wall;
	uint8_t *record; /* one in one piece */
};

/* `tracking`: of the recording's event that tracks maps. Where the kernel does not allow it, or it would take too many fds, nothing is
 * watched. */
void map_watch_open(struct map_watch *w, const struct target *t, const struct attr *tracking);
void map_watch_close(struct map_watch *w);
/* While it is not enabled there are no records. */
void map_watch_enable(struct map_watch *w, bool enable);

/* events.nr_rings entries for poll(). */
void map_watch_polls(const struct map_watch *w, struct pollfd *polls);
/* Gives out the records that have come. An fd whose tasks have ended is taken out of the polls. */
void map_watch_read(struct map_watch *w, struct pollfd *polls, void (*take)(void *ctx, const struct record *rec), void *ctx);
/* The wall clock at the time of a record; 0: unknown. */
int64_t map_watch_wall_ns(const struct map_watch *w, uint64_t time_ns);

struct mapped_file {
	const char *path;
	uint16_t cpumode;      /* MISC_KERNEL or MISC_USER */
	bool has_recorded_id;  /* its map records have the build-id */
	uint8_t build_id_size; /* 0: it has none, or it is not known yet */
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t maj, min;
	uint64_t ino, generation;
	uint64_t since_ns;	/* time of the first map of this content; 0: the first that was seen of the file */
	uint64_t seen_ns;	/* time of the latest map */
	uint64_t opened_for_ns; /* time of the map for which it was opened */
	uint64_t first_seen_ns; /* of the earliest that was seen so far */
	uint32_t nr_versions;	/* of it that there were before */
	bool is_done;		/* it has been looked at; what follows stays as it is */
	bool is_other;		/* it is no ELF file: there are no symbols to lose */
	bool is_lost;		/* it was rewritten before it could be read */
	struct opened_file opened;
	char opened_as[OPENED_FILE_PATH_SIZE]; /* where its bytes are; "" where they are not at hand */
};

/* A map record that is to be looked at. */
struct mapped_look {
	uint32_t file;		 /* UINT32_MAX: none, but a process with generated code */
	struct jit_process *jit; /* that process */
	struct map_place place;
	uint64_t time_ns;
};

struct mapped_files {
	pthread_mutex_t lock;
	pthread_cond_t is_done;
	int wake_fd; /* eventfd: there is something to look at, or it is time to stop */
	struct map_watch watch;
	struct arena arena;
	VEC(struct mapped_file *) files;
	struct hindex index;
	VEC(struct mapped_look) looks;
	uint32_t next_look;	      /* of `looks`: those before are done */
	uint64_t nr_looks, nr_looked; /* ever */
	bool is_running, is_stopping;
	pthread_t thread;
	struct file_opener opener; /* the thread's, while it runs */
	struct out section;	   /* what was saved last */
	struct jit_files jits;	   /* looked at by the thread, while it runs */
	uint32_t nr_unsaved;	   /* files that are gone, and of which nothing could be saved */
};

/* Without a thread (never started) files are looked at when they are waited for. */
void mapped_files_init(struct mapped_files *m);
/* Watches the maps of a target, too. */
int mapped_files_start(struct mapped_files *m, const struct target *t, const struct attr *tracking);
void mapped_files_fini(struct mapped_files *m);

/* Notes the file of a MMAP or MMAP2 record; names that are no files are passed over. Costs a look-up. */
void mapped_files_see(struct mapped_files *m, const struct record *rec);
/* The same for a map that was read from /proc, now: puts the build-id of the file into the record, or else its generation. */
void mapped_files_identify(struct mapped_files *m, struct record *rec, struct record_header *h, bool with_build_id);
/* For machine.known_file: the build-id and the open file behind a record. Waits until the file has been looked at. */
void mapped_files_find(void *m, const struct record *rec, struct dso_file *f);

/* Until all files that were noted have been looked at. */
void mapped_files_settle(struct mapped_files *m);
uint32_t mapped_files_nr(struct mapped_files *m);
/* Stays where it is. Waits until the file has been looked at. */
struct mapped_file *mapped_files_get(struct mapped_files *m, uint32_t i);

struct mapped_save {
	bool header;		/* list build-ids in the header */
	bool section;		/* the file can have a section of ours: it is no pipe */
	bool unwind;		/* save unwind tables, too: stacks are not walked yet */
	struct jvm_maps *jvms;	/* whose maps are saved, too; NULL: none */
	int (*tick)(void *ctx); /* called between files; NULL: none */
	void *ctx;
};
/* What a recording has to say of its files: build-ids for the header and the section FEAT_MAPPED_FILES, valid until the next call. */
void mapped_files_save(struct mapped_files *m, struct perfdata_info *info, const struct mapped_save *save);

#endif
