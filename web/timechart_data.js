// SPDX-License-Identifier: GPL-2.0-or-later
//
// A time chart's page: the spans of its rows, which are decoded when a row is first seen (src/view/timechart_data.c has the format), and what is
// said of them.
const data = JSON.parse(svg.querySelector("script[type='application/json']").textContent);
// Label, place in a cell (0: behind the others) and sort of value of each state: src/view/span_states.c.
const NR_STATES = data.states.length, UNKNOWN = 0, MIXED = NR_STATES;
const STATES = [...data.states.map(([label]) => label), "several"], PLACES = data.states.map(([, place]) => place);
const VALUES = [...data.states.map(([, , value]) => value), 0];
const NO_VALUE = 0, RUN = 1, WAKER = 2, DEPTH = 3, KHZ = 4, CALLS = 5;
const HAS_GAP = 32, HAS_FAILED = 64;
const rows = data.rows;
const nameOf = task => data.tasks[3 * task], tidOf = task => data.tasks[3 * task + 1];
const isTask = row => row.kind === "task" || row.kind === "io";
const labelOf = row => isTask(row) ? `${nameOf(row.key)} ${tidOf(row.key)}` :
	`${row.kind === "cpu" ? "CPU" : row.kind === "power" ? "C-state of" : "MHz of"} ${row.key}`;
const rowOfTask = new Map(rows.map((row, i) => [row, i]).filter(([row]) => row.kind === "task").map(([row, i]) => [row.key, i]));

// Begin, end, state, value and count of each span, in columns; of mixed ones the value is the place of their shares.
function decode(row) {
	const bytes = atob(row.spans), size = bytes.length, most = row.nr;
	const begin = new Float64Array(most), end = new Float64Array(most), state = new Uint8Array(most);
	const value = new Uint32Array(most), count = new Uint32Array(most).fill(1), failed = new Uint8Array(most), shares = [];
	let at = 0, nr = 0, time = 0;
	const number = () => {
		let byte = bytes.charCodeAt(at++);
		if (byte < 128)
			return byte;
		let n = byte & 127;
		for (let scale = 128;; scale *= 128) {
			byte = bytes.charCodeAt(at++);
			if (byte < 128)
				return n + byte * scale;
			n += (byte & 127) * scale;
		}
	};
	for (; at < size; nr++) {
		const head = number(), kind = head & 31, sort = VALUES[kind];
		if (head & HAS_GAP)
			time += number();
		begin[nr] = time;
		end[nr] = time += number();
		state[nr] = kind;
		if (head & HAS_FAILED)
			failed[nr] = 1;
		if (sort !== NO_VALUE)
			value[nr] = number();
		if (sort === CALLS)
			count[nr] = number();
		if (kind === MIXED) {
			count[nr] = number();
			value[nr] = shares.length;
			const list = [];
			for (let left = number(); left > 0; left--)
				list.push(number(), number());
			shares.push(list);
		}
	}
	return { nr, begin, end, state, value, count, failed, shares };
}

function spansOf(row) {
	row.decoded ??= decode(row);
	return row.decoded;
}

// The first span that ends behind a time.
function firstBehind(spans, time) {
	let low = 0, high = spans.nr;
	while (low < high) {
		const middle = low + high >> 1;
		if (spans.end[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// Text

const UNITS = [{ size: 1e9, name: "s" }, { size: 1e6, name: "ms" }, { size: 1e3, name: "µs" }, { size: 1, name: "ns" }];
const unitOf = ns => UNITS.find(({ size }) => Math.abs(ns) >= size) || UNITS[3];

// A length of time, in four digits.
function lengthText(ns) {
	const { size, name } = unitOf(ns), n = ns / size;
	return `${size === 1 ? Math.round(n) : n.toFixed(n < 10 ? 3 : n < 100 ? 2 : 1)} ${name}`;
}

// A place in time, in as many digits as a step needs.
function timeText(ns, step) {
	if (ns === 0)
		return "0";
	const { size, name } = unitOf(ns);
	let digits = 0;
	for (let part = size; part > step && digits < 9; part /= 10)
		digits++;
	return `${(ns / size).toFixed(digits)} ${name}`;
}

// The time of the recording, for --time of other commands.
function clockText(ns) {
	const exact = BigInt(data.from) + BigInt(Math.round(ns));
	return `${exact / 1000000000n}.${String(exact % 1000000000n).padStart(9, "0")}`;
}

const percent = (part, whole) => (100 * part / whole).toFixed(1) + "%";

function valueText(row, spans, i) {
	const value = spans.value[i];
	switch (VALUES[spans.state[i]]) {
	case RUN:
		return row.kind === "cpu" ? `${nameOf(value)} ${tidOf(value)}` : `on CPU ${value}`;
	case WAKER:
		return value ? `woken by ${nameOf(value - 1)}${tidOf(value - 1) > 0 ? " " + tidOf(value - 1) : ", in an interrupt"}` : "";
	case DEPTH:
		return `C${value}`;
	case KHZ:
		return `${value / 1000} MHz`;
	case CALLS:
		return [spans.count[i] > 1 ? `${spans.count[i].toLocaleString("en")} calls` : "", value ? `${value.toLocaleString("en")} bytes` : "",
			spans.failed[i] ? "failed" : ""].filter(Boolean).join(", ");
	}
	return "";
}

// Lines of a tip: what a span is.
function describe(row, spans, i) {
	const length = spans.end[i] - spans.begin[i], lines = [labelOf(row)];
	if (spans.state[i] === MIXED) {
		const shares = spans.shares[spans.value[i]];
		lines.push(`${spans.count[i].toLocaleString("en")} spans in ${lengthText(length)}, merged`);
		for (let k = 0; k < shares.length; k += 2)
			lines.push(`${STATES[shares[k]]} ${lengthText(shares[k + 1])} (${percent(shares[k + 1], length)})`);
	} else {
		lines.push(`${STATES[spans.state[i]]} for ${lengthText(length)}`, valueText(row, spans, i));
	}
	lines.push(`from ${timeText(spans.begin[i], 1)} to ${timeText(spans.end[i], 1)}`, `--time ${clockText(spans.begin[i])},${clockText(spans.end[i])}`);
	return lines;
}

// Lines of a tip: what a row has between two times, if that is several things.
function describePart(row, from, to) {
	const spans = spansOf(row), sums = new Array(MIXED).fill(0);
	let nr = 0, known = 0;
	for (let i = firstBehind(spans, from); i < spans.nr && spans.begin[i] < to; i++) {
		const length = spans.end[i] - spans.begin[i], part = Math.min(to, spans.end[i]) - Math.max(from, spans.begin[i]);
		nr += spans.count[i];
		known += part;
		if (spans.state[i] !== MIXED) {
			sums[spans.state[i]] += part;
			continue;
		}
		const shares = spans.shares[spans.value[i]];
		for (let k = 0; k < shares.length; k += 2)
			sums[shares[k]] += shares[k + 1] * part / length;
	}
	sums[UNKNOWN] += row.kind === "io" ? 0 : Math.max(0, to - from - known);
	return [labelOf(row), `${nr.toLocaleString("en")} spans in ${lengthText(to - from)}`,
		...sums.map((ns, state) => [ns, state]).filter(([ns]) => ns > 0).sort((a, b) => b[0] - a[0])
			.map(([ns, state]) => `${STATES[state]} ${lengthText(ns)} (${percent(ns, to - from)})`),
		`--time ${clockText(from)},${clockText(to)}`];
}
