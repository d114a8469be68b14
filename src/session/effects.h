/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a record does to the session's tasks and maps.
 */
#ifndef ASSAY_SESSION_EFFECTS_H
#define ASSAY_SESSION_EFFECTS_H

struct session;
struct session_record;

/* Applies a decoded kernel record and sets sr->task. */
void session_apply(struct session *s, struct session_record *sr);

#endif
