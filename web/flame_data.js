// SPDX-License-Identifier: GPL-2.0-or-later
//
// The first part of a flame graph's page behind page.js: the rectangles of the JSON beside it (src/view/flame_svg.h), what is looked
// at, and the words for a frame. Knows nothing of the document but where the JSON stands.
const ROOT = 0, GROUP = 1, KERNEL = 3, JIT = 4, CUT = 5;
const INLINED = 1, UNRESOLVED = 2, INTERPRETED = 4, FADED = 1 << 24;

const data = JSON.parse(svg.querySelector("script[type='application/json']").textContent);

// Rectangles as columns: their index is their name. Rows are runs of indices.
const newTree = nr => ({
	nr, x: new Float64Array(nr), w: new Float64Array(nr), self: new Float64Array(nr),
	frame: new Uint32Array(nr), parent: new Uint32Array(nr), rowOf: new Uint32Array(nr), rowStart: [],
});

function unpack() {
	const t = newTree(data.rows.reduce((n, row) => n + row.length / 4, 0));
	let i = 0;
	data.rows.forEach((row, r) => {
		let end = 0, above = r ? t.rowStart[r - 1] : 0;
		t.rowStart.push(i);
		for (let k = 0; k < row.length; k += 4, i++) {
			t.x[i] = end + row[k];
			t.w[i] = row[k + 1];
			t.frame[i] = row[k + 2];
			t.self[i] = row[k + 3];
			t.rowOf[i] = r;
			end = t.x[i] + t.w[i];
			while (r && t.x[above] + t.w[above] <= t.x[i])
				above++;
			t.parent[i] = above;
		}
	});
	t.rowStart.push(i);
	delete data.rows;
	return t;
}

// The tree that is shown.
let nr, x, w, self, frame, parent, rowOf, rowStart, nrRows;
function showTree(t) {
	({ nr, x, w, self, frame, parent, rowOf, rowStart } = t);
	nrRows = rowStart.length - 1;
}
const whole = unpack();
showTree(whole);

const nrFrames = data.frames.length / 5;
const field = (f, i) => data.frames[f * 5 + i];
const nameOf = i => data.names[field(frame[i], 0)];

// `at` is the match that was walked to, `focus` the frame that has or had the keyboard.
const state = { zoom: 0, inverted: data.inverted, collapsed: false, query: "", matchCase: false, hits: null, at: -1, focus: -1 };

// The first rectangle of a row that ends behind `where`.
function firstBehind(r, where) {
	let lo = rowStart[r], hi = rowStart[r + 1];
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (x[mid] + w[mid] <= where)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

// What is looked at: the frame that is zoomed to, all that stands on it and is wide enough, and below it its callers, which are as wide.

const LEAST_PX = 0.25;

function isUp(i) {
	const z = state.zoom;
	return rowOf[i] < rowOf[z] && x[i] <= x[z] && x[i] + w[i] >= x[z] + w[z];
}

function isShown(i) {
	const z = state.zoom;
	if (i === z || isUp(i))
		return true;
	return rowOf[i] > rowOf[z] && x[i] >= x[z] && x[i] < x[z] + w[z] && w[i] * (width - 2 * pad) >= LEAST_PX * w[z];
}

// Those of a row that lie on the frame that is zoomed to, or the one below it: [from, to).
function runOf(r) {
	const z = state.zoom, from = r === rowOf[z] ? z : firstBehind(r, x[z]);
	return [from, r <= rowOf[z] ? from + 1 : firstBehind(r, x[z] + w[z])];
}

function nrInRow(r) {
	const [from, to] = runOf(r);
	return to - from;
}

function shownInRow(r) {
	const found = [], [from, to] = runOf(r);
	for (let i = from; i < to; i++)
		if (isShown(i))
			found.push(i);
	return found;
}

// Words

const grouped = v => v.toLocaleString("en-US");
// A weight as it is shown: where there is a factor, times that, which widths are not; with four digits where it is small.
function weightText(weight) {
	const v = weight * (data.factor || 1);
	return data.factor && v < 1000 ? String(Number(v.toPrecision(4))) : grouped(Math.round(v));
}

function percent(part, whole) {
	const p = whole ? 100 * part / whole : 0;
	return (p && p < 0.01 ? "<0.01" : p.toFixed(2)) + "%";
}

function kindOf(i) {
	const f = frame[i], kind = field(f, 2), marks = field(f, 3), words = [];
	if (kind === KERNEL)
		words.push("kernel");
	if (kind === JIT)
		words.push(marks & INTERPRETED ? "interpreted" : "JIT");
	if (kind === CUT)
		words.push("stacks whose outer callers are missing");
	if (marks & INLINED)
		words.push("inlined");
	if (marks & UNRESOLVED)
		words.push("no symbol");
	return words.join(", ");
}

function figures(i) {
	if (data.details)
		return data.details[i];
	let text = `${weightText(w[i])} ${data.unit}, ${percent(w[i], data.total)}`;
	if (i && parent[i] !== 0)
		text += ` (${percent(w[i], w[parent[i]])} of ${shortName(nameOf(parent[i]), 40)})`;
	if (self[i] && self[i] !== w[i])
		text += `, itself ${weightText(self[i])}, ${percent(self[i], data.total)}`;
	return text;
}

function origin(i) {
	return [data.modules[field(frame[i], 1)], kindOf(i)].filter(Boolean).join(" · ");
}

// Of rectangles of the data: the line of their function that most of them is in, as text, and how much of them in percent (0: all).
const lineOf = new Map();
function unpackLines() {
	for (let k = 0, i = 0; k < (data.lines || []).length; k += 3) {
		const spot = data.lines[k + 1];
		i += data.lines[k];
		lineOf.set(i, [`${data.files[data.spots[2 * spot]]}:${data.spots[2 * spot + 1]}`, data.lines[k + 2]]);
	}
}
unpackLines();

function sourceOf(i) {
	const [place, share] = lineOf.get(dataOf(i)) || ["", 0];
	return share && !state.collapsed ? `${place} (${share}% of it)` : place;
}

const describe = i => [nameOf(i), figures(i), sourceOf(i), origin(i)].filter(Boolean).join(" · ");
