/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is active is dark and saturated, what rests is near the ground.
 */
#include "view/span_states.h"

const struct span_state_def span_states[SPAN_NR_STATES] = {
	[SPAN_UNKNOWN] = { "not known", "#f3c9cf", "#5c343a", 0, SPAN_VALUE_NONE, false },
	[SPAN_RUNNING] = { "running", "#2f74c0", "#5b9de6", 1, SPAN_VALUE_RUN, true },
	[SPAN_WOKEN] = { "runnable (woken)", "#f2b01e", "#e8b445", 9, SPAN_VALUE_WAKER, false },
	[SPAN_PREEMPTED] = { "runnable (preempted)", "#e0762d", "#e08648", 8, SPAN_VALUE_NONE, false },
	[SPAN_SLEEPS] = { "sleeping (S)", "#dfe6e4", "#34403e", 0, SPAN_VALUE_NONE, false },
	[SPAN_WAITS] = { "blocked (D)", "#c9344a", "#ea5d70", 10, SPAN_VALUE_NONE, false },
	[SPAN_IDLES] = { "idle kernel thread (I)", "#ebe8e2", "#2b2a28", 0, SPAN_VALUE_NONE, false },
	[SPAN_STOPPED] = { "stopped", "#b9a3cf", "#6d5c82", 0, SPAN_VALUE_NONE, false },
	[SPAN_PARKED] = { "parked", "#b9a3cf", "#6d5c82", 0, SPAN_VALUE_NONE, false },
	[SPAN_CPU_IDLE] = { "CPU idle", "#efede8", "#282725", 0, SPAN_VALUE_NONE, false },
	[SPAN_POWER_STATE] = { "C-state", "#7a9e87", "#4d7a60", 11, SPAN_VALUE_DEPTH, false },
	[SPAN_FREQUENCY] = { "frequency", "#8a86c4", "#6b66b0", 12, SPAN_VALUE_KHZ, false },
	[SPAN_READ] = { "read", "#2e8b57", "#47b077", 2, SPAN_VALUE_CALLS, true },
	[SPAN_WRITE] = { "write", "#b0562f", "#cf7a52", 3, SPAN_VALUE_CALLS, true },
	[SPAN_SYNC] = { "sync", "#8d2f5f", "#c45a90", 4, SPAN_VALUE_CALLS, true },
	[SPAN_TRANSMIT] = { "transmit", "#d1762a", "#e69a55", 5, SPAN_VALUE_CALLS, true },
	[SPAN_RECEIVE] = { "receive", "#2a9d9d", "#4cc0c0", 6, SPAN_VALUE_CALLS, true },
	[SPAN_POLL] = { "poll", "#d5d3ea", "#3d3b57", 7, SPAN_VALUE_CALLS, false },
	[SPAN_ON_DISK] = { "blocked on disk", "#d98c96", "#8c3a47", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_FUTEX] = { "blocked on a lock (futex)", "#c9a0dc", "#6f4a85", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_NETWORK] = { "blocked on network", "#9fd3c7", "#2f6f62", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_PIPE] = { "blocked on a pipe", "#b9d48b", "#55702a", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_TIMER] = { "asleep (timer)", "#dfe6e4", "#34403e", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_FAULT] = { "blocked in a page fault", "#e3b48f", "#7d5230", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_POLL] = { "blocked in poll", "#d5d3ea", "#3d3b57", 0, SPAN_VALUE_NONE, false },
	[SPAN_ON_OTHER] = { "blocked on something else", "#c8c4bc", "#4d4a45", 0, SPAN_VALUE_NONE, false },
};

const char *span_state_label(int state)
{
	return state < SPAN_NR_STATES ? span_states[state].label : "several";
}

void span_states_css(struct out *o, const char *scope)
{
	for (int state = 0; state < SPAN_NR_STATES; state++)
		out_printf(o, "%s .s%d { fill: %s; }\n", scope, state, span_states[state].light);
	out_str(o, "@media (prefers-color-scheme: dark) {\n");
	for (int state = 0; state < SPAN_NR_STATES; state++)
		out_printf(o, "%s .s%d { fill: %s; }\n", scope, state, span_states[state].dark);
	out_str(o, "}\n");
}

void span_states_json(struct out *o)
{
	out_char(o, '[');
	for (int state = 0; state < SPAN_NR_STATES; state++)
		out_printf(o, "%s[\"%s\",%d,%d]", state ? "," : "", span_states[state].label, span_states[state].place,
			   span_states[state].value);
	out_char(o, ']');
}
