/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The names of code that Java virtual machines have compiled while they were recorded. A thread asks each of them (kernel/hotspot.h) now and then, so
 * that code which is freed, or a program that ends by itself, loses little; and a last time when the recording ends. The maps are saved with
 * the recording.
 *
 * The processes are not trusted: one that keeps the thread busy costs the recording a second at its end, not more.
 */
#ifndef ASSAY_CAPTURE_JVM_MAPS_H
#define ASSAY_CAPTURE_JVM_MAPS_H

#include "abi/record.h"
#include "kernel/tasks.h"
#include "perfdata/embedded_files.h"

struct jvm_maps;

/* `keep_files`: the maps stay where they were written, because the recording cannot hold them. */
struct jvm_maps *jvm_maps_new(bool keep_files);
/* Only these processes and what they start are asked, of all whose maps are recorded. `ids`: processes, or threads of them. Before the first map. */
void jvm_maps_limit(struct jvm_maps *j, const struct task_ids *ids);
/* Takes NULL. A thread that does not come back is left behind, with what it uses. */
void jvm_maps_free(struct jvm_maps *j);

/* A map record: notes the process where it is one of libjvm.so. By any thread; NULL: nothing is noted. */
void jvm_maps_see(struct jvm_maps *j, const struct record *rec);
/* Asks all that live a last time, and waits for that: a second at most. */
void jvm_maps_finish(struct jvm_maps *j);
/* When the last reader of the recording has ended: removes maps that stayed where they were written. */
void jvm_maps_remove(struct jvm_maps *j);
/* Appends a file for each process that has answered: its symbols are malloc'd, its path stays valid as long as `j`. */
void jvm_maps_save(struct jvm_maps *j, struct embedded_files *files);
/* Warns of those that could not be asked. */
void jvm_maps_tell(struct jvm_maps *j);

#endif
