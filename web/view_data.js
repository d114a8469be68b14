// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: the profile as its file has it (src/view/viewer_data.c has the format), as columns, and words for what is in them. Knows
// nothing of the document but where the bytes stand.
const KERNEL = 1, JIT = 2, KIND_MASK = 3, IS_INLINED = 4, IS_UNRESOLVED = 8, ON_CPU = 0;
const ROOT = 0, NONE = -1;

/**
 * @typedef {object} Rows samples as columns, in the order of time (ns since the first)
 * @property {number} nr
 * @property {Float64Array} time
 * @property {Uint32Array} task
 * @property {Int32Array} cpu
 * @property {Uint32Array} event
 * @property {Uint32Array} node
 * @property {Uint32Array} line of the code that the page has; 0: none
 * @property {Uint8Array} state
 * @property {Float64Array} count
 * @property {Float64Array} period
 */

/** @type {any} */
let about;
/** @type {Rows} */
let rows;
/** What a function is: places in about.names, about.modules and about.files. */
let frames = { nr: 0, name: new Uint32Array(0), module: new Uint32Array(0), kind: new Uint32Array(0), file: new Uint32Array(0) };
/** The tree of all stacks as it was recorded. */
let recorded;
/** Where samples are missing; lost 0: the kernel throttled sampling. */
let gaps = { nr: 0, begin: new Float64Array(0), end: new Float64Array(0), cpu: new Int32Array(0), lost: new Float64Array(0) };
/** Spans of tasks with a state, by task: [from, to) in the columns. */
let spans = newSpans(0);
/** Of what is there: the last time. */
let lastTime = 0;

function bytesOf(text) {
	const letters = atob(text), bytes = new Uint8Array(letters.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = letters.charCodeAt(i);
	return bytes;
}

/** @param {Uint8Array} packed */
async function unpacked(packed) {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Uint8Array} bytes */
function newReader(bytes) {
	let at = 0;
	function number() {
		let byte = bytes[at++];
		if (byte < 128)
			return byte;
		let n = byte & 127;
		for (let scale = 128;; scale *= 128) {
			byte = bytes[at++];
			if (!(byte >= 128))
				return n + byte * scale;
			n += (byte & 127) * scale;
		}
	}
	function signed() {
		const n = number();
		return n % 2 ? -(n + 1) / 2 : n / 2;
	}
	function numbers(column, offset = 0) {
		for (let i = 0; i < column.length; i++)
			column[i] = number() + offset;
		return column;
	}
	// Each is the difference to the one before.
	function steps(column) {
		for (let i = 0, last = 0; i < column.length; i++)
			column[i] = last += signed();
		return column;
	}
	function text(size) {
		at += size;
		return new TextDecoder().decode(bytes.subarray(at - size, at));
	}
	return { number, signed, numbers, steps, text };
}

function readRecorded(reader, nr) {
	const parent = new Uint32Array(nr), frame = new Uint32Array(nr);
	for (let i = 1; i < nr; i++)
		parent[i] = i - reader.number();
	for (let i = 1; i < nr; i++)
		frame[i] = reader.number();
	return { nr, parent, frame };
}

function newSpans(nr) {
	return { nr, task: new Uint32Array(nr), state: new Uint8Array(nr), isMixed: new Uint8Array(nr), begin: new Float64Array(nr), end: new Float64Array(nr), waker: new Int32Array(nr).fill(NONE), of: new Map() };
}

function readSpans(reader, nr) {
	const found = newSpans(nr);
	for (let i = 0, last = 0; i < nr; i++) {
		const task = found.task[i] = reader.number();
		const state = reader.number(), nrStates = about.states.length / 3;
		found.isMixed[i] = state >= nrStates ? 1 : 0;
		found.state[i] = state % nrStates;
		if (i === 0 || found.task[i - 1] !== task) {
			last = 0;
			found.of.set(task, [i, i]);
		}
		found.begin[i] = last + reader.signed();
		last = found.end[i] = found.begin[i] + reader.number();
		found.waker[i] = reader.number() - 1;
		found.of.get(task)[1] = i + 1;
	}
	return found;
}

// Waits that are samples: such a sample was taken at the end of its wait. Short waits may be one with their sum, so that a span begins no earlier than
// the sample before it.
function spansOfWaits() {
	const byTask = new Map(), seen = new Float64Array(nrTasks()).fill(-Infinity);
	for (let i = 0; i < rows.nr; i++) {
		const task = rows.task[i], end = rows.time[i], begin = Math.max(end - rows.period[i], seen[task]);
		seen[task] = end;
		if (rows.state[i] === ON_CPU || begin >= end)
			continue;
		if (!byTask.has(task))
			byTask.set(task, []);
		byTask.get(task).push(i, begin);
	}
	const found = newSpans([...byTask.values()].reduce((n, list) => n + list.length / 2, 0));
	let nr = 0;
	for (const [task, list] of byTask) {
		found.of.set(task, [nr, nr + list.length / 2]);
		for (let k = 0; k < list.length; k += 2, nr++) {
			found.task[nr] = task;
			found.state[nr] = about.waits[rows.state[list[k]]];
			found.begin[nr] = list[k + 1];
			found.end[nr] = rows.time[list[k]];
		}
	}
	return found;
}

// The first span of a task that ends behind a time, and the place behind its last.
function spansFrom(task, time) {
	let [low, end] = spans.of.get(task) || [0, 0], high = end;
	while (low < high) {
		const middle = low + high >> 1;
		if (spans.end[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return [low, end];
}

async function readProfile() {
	const element = document.getElementById("profile"), reader = newReader(await unpacked(bytesOf(element.textContent)));
	element.remove();
	about = JSON.parse(reader.text(reader.number()));
	const column = nr => reader.numbers(new Uint32Array(nr));
	const nr = about.frames;
	frames = { nr, name: column(nr), module: column(nr), kind: column(nr), file: column(nr) };
	recorded = readRecorded(reader, about.nodes);
	rows = {
		nr: about.rows, time: reader.steps(new Float64Array(about.rows)), task: column(about.rows),
		cpu: reader.numbers(new Int32Array(about.rows), -1), event: column(about.rows), node: column(about.rows), line: column(about.rows),
		state: reader.numbers(new Uint8Array(about.rows)), count: reader.numbers(new Float64Array(about.rows)),
		period: reader.steps(new Float64Array(about.rows)),
	};
	gaps = { nr: about.gaps, begin: new Float64Array(about.gaps), end: new Float64Array(about.gaps), cpu: new Int32Array(about.gaps), lost: new Float64Array(about.gaps) };
	for (let i = 0; i < gaps.nr; i++) {
		gaps.begin[i] = reader.signed();
		gaps.end[i] = gaps.begin[i] + reader.number();
		gaps.cpu[i] = reader.number() - 1;
		gaps.lost[i] = reader.number();
	}
	spans = readSpans(reader, about.spans);
	if (!spans.nr && !about.merged)
		spans = spansOfWaits();
	lastTime = Math.max(1, rows.nr ? rows.time[rows.nr - 1] : 1);
}

// The first row that is not before a time.
function firstRow(time) {
	let low = 0, high = rows.nr;
	while (low < high) {
		const middle = low + high >> 1;
		if (rows.time[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Words

const grouped = v => Math.round(v).toLocaleString("en-US");
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
	const exact = BigInt(about.from) + BigInt(Math.round(ns));
	return `${exact / 1000000000n}.${String(exact % 1000000000n).padStart(9, "0")}`;
}

function percent(part, whole) {
	const p = whole ? 100 * part / whole : 0;
	return (p && p < 0.01 ? "<0.01" : p.toFixed(p < 9.995 ? 2 : 1)) + "%";
}

const nameOf = frame => frame < frames.nr ? about.names[frames.name[frame]] : madeFrames[frame - frames.nr].name;
const moduleOf = frame => frame < frames.nr ? frames.module[frame] : madeFrames[frame - frames.nr].module;
const kindOf = frame => frame < frames.nr ? frames.kind[frame] : madeFrames[frame - frames.nr].kind;
const fileOf = frame => frame < frames.nr ? about.files[frames.file[frame]] : "";
// Frames that transforms make: a module that was collapsed.
const madeFrames = [];

function kindText(frame) {
	const kind = kindOf(frame), words = [];
	if ((kind & KIND_MASK) === KERNEL)
		words.push("kernel");
	if ((kind & KIND_MASK) === JIT)
		words.push("JIT");
	if (kind & IS_INLINED)
		words.push("inlined");
	if (kind & IS_UNRESOLVED)
		words.push("no symbol");
	return words.join(", ");
}

const originText = frame => [about.modules[moduleOf(frame)], kindText(frame), fileOf(frame)].filter(Boolean).join(" · ");
// The same with less of the path, for a column.
const originWords = frame => [about.modules[moduleOf(frame)], kindText(frame), fileOf(frame).split("/").slice(-2).join("/")].filter(Boolean).join(" · ");

const pidOf = task => about.tasks[3 * task], tidOf = task => about.tasks[3 * task + 1], commOf = task => about.tasks[3 * task + 2];
const nrTasks = () => about.tasks.length / 3;
