/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the key of a pair of events is made of, and what is known of tasks. Included by the program, too.
 */
#ifndef ASSAY_BPF_LATENCY_PARTS_H
#define ASSAY_BPF_LATENCY_PARTS_H

#define LATENCY_KEY_PARTS 4

enum latency_key_kind { LATENCY_KEY_NONE, LATENCY_KEY_TID, LATENCY_KEY_PID, LATENCY_KEY_CPU, LATENCY_KEY_FIELD };

enum latency_task { LATENCY_TASK_MEASURED = 1, LATENCY_TASK_AWAITS_EXEC };

struct latency_key_part {
	unsigned char kind; /* enum latency_key_kind */
	unsigned char size; /* of a field: 1, 2, 4 or 8 */
	unsigned short offset;
};

#endif
