/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files whose code was mapped while we recorded: what each is (build-id, or device, inode, size and times), and its bytes, for as
 * long as the recording runs.
 *
 * A map record says which file it means; its path does not: by the time that somebody looks there, a compiler or a package manager may
 * have put another file there, and in another mount namespace it always was another. So each file is opened when its first map record
 * passes by, through the process that maps it (/proc/PID/map_files, /proc/PID/root), held against the record, and kept open. What is
 * needed of files that are no longer at their path when the recording ends is saved with it.
 *
 * Records are noted by the drain; files are opened by a thread of our own. Record-time unwinding asks for the open file. Every function
 * may be called by any thread.
 */
#ifndef ASSAY_CAPTURE_MAPPED_FILES_H
#define ASSAY_CAPTURE_MAPPED_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "capture/file_opener.h"
#include "capture/map_watch.h"
#include "perfdata/info.h"
#include "session/dso.h"

struct mapped_file {
	const char *path;
	uint16_t cpumode;      /* MISC_KERNEL or MISC_USER */
	bool has_recorded_id;  /* its map records have the build-id */
	uint8_t build_id_size; /* 0: it has none, or it is not known yet */
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t maj, min;
	uint64_t ino, generation;
	uint64_t since_ns;    /* time of the first map of this content; 0: the first that was seen of the file */
	uint64_t seen_ns;     /* time of the latest map */
	uint32_t nr_versions; /* of it that there were before */
	bool is_done;	      /* it has been looked at; what follows stays as it is */
	bool is_other;	      /* it is no ELF file: there are no symbols to lose */
	bool is_lost;	      /* it was rewritten before it could be read */
	struct opened_file opened;
	char opened_as[OPENED_FILE_PATH_SIZE]; /* where its bytes are; "" where they are not at hand */
};

/* A map record that is to be looked at. */
struct mapped_look {
	uint32_t file;
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
	uint32_t nr_unsaved;	   /* files that are gone, and of which nothing could be saved */
};

/* Without a thread (never started) files are looked at when somebody waits for them. */
void mapped_files_init(struct mapped_files *m);
/* Watches the maps of a target (capture/map_watch.h), too. */
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
	int (*tick)(void *ctx); /* called between files; NULL: none */
	void *ctx;
};
/* What a recording has to say of its files: build-ids for the header and the section FEAT_MAPPED_FILES, valid until the next call. */
void mapped_files_save(struct mapped_files *m, struct perfdata_info *info, const struct mapped_save *save);

#endif
