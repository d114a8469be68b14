// SPDX-License-Identifier: GPL-2.0-or-later
//
// A time chart's page: the rows in sight, in the window of time that is looked at. A path a state, so that a drawing costs what can be seen of it.
// src/view/timechart_layout.c draws the still picture the same way. Where things lie on the page is timechart_page.js's: it sets `width` and `top`.
const LEFT = data.left, BIN = 2, MOST_ARROWS = 80, MOST_NAMES = 600, TICK_ROOM = 90, AXIS = 24, LETTER = 6.2, BESIDE = 4, APART = 5, LEAST_LETTERS = 6;
const ACTIVE = PLACES.map((place, state) => state).filter(state => PLACES[state]).sort((a, b) => PLACES[a] - PLACES[b]);
const RESTING = PLACES.map((place, state) => state).filter(state => !PLACES[state]);
const view = { from: 0, to: data.span };
let top = data.top, nrArrows = 0;

// Where rows begin, below `top`, and where the last one ends.
const rowTop = [0];
rows.forEach((row, i) => {
	const gap = i + 1 < rows.length && isTask(rows[i + 1]) !== isTask(row) ? data.gap : 0;
	rowTop.push(rowTop[i] + row.height + gap);
});
const rowsHeight = rowTop[rows.length];
const rowAt = y => rows.findIndex((row, i) => y >= top + rowTop[i] && y < top + rowTop[i] + row.height);

svg.querySelector(".still").remove();
const chart = make(SVG, "g", { class: "chart" });
const grid = make(SVG, "path", { class: "grid" }), marks = make(SVG, "g"), labels = make(SVG, "g", { class: "labels" });
const paths = STATES.slice(0, MIXED).map((name, state) => make(SVG, "path", { class: "s" + state }));
const names = make(SVG, "g", { class: "names" }), arrows = make(SVG, "g", { class: "arrows", "pointer-events": "none" });
const axis = make(SVG, "g", { class: "axis" });
chart.append(marks, grid, labels, make(SVG, "g", { class: "rows" }, ...[...RESTING, ...ACTIVE].map(state => paths[state])), names, arrows);
svg.insertBefore(chart, svg.querySelector(".note, script"));

const plotWidth = () => Math.max(50, width - LEFT - pad);
const scaleOf = () => plotWidth() / (view.to - view.from);
const xOf = time => LEFT + (time - view.from) * scaleOf();
const timeOf = x => view.from + (x - LEFT) / scaleOf();

// Rectangles of a state, which grow where the next one goes on at the same height.
function newPieces() {
	return paths.map(() => ({ text: [], x: 0, end: -1, y: 0, height: 0 }));
}

const tenths = n => String(Math.round(n * 10) / 10);

function flush(piece) {
	if (piece.end > piece.x)
		piece.text.push(`M${tenths(piece.x)} ${piece.y}h${tenths(piece.end - piece.x)}v${piece.height}h${tenths(piece.x - piece.end)}z`);
}

function rectangle(pieces, state, x, end, y, height) {
	const left = Math.max(x, LEFT), right = Math.min(end, LEFT + plotWidth()), piece = pieces[state];
	if (right <= left)
		return;
	if (y === piece.y && height === piece.height && left >= piece.x && left <= piece.end + 0.01) {
		piece.end = Math.max(right, piece.end);
		return;
	}
	flush(piece);
	piece.x = left;
	piece.end = right;
	piece.y = y;
	piece.height = height;
}

// All states of a sum between two places: those in which nothing happens lie behind the others.
function stack(pieces, sums, x, end, y, height) {
	let total = 0, bottom = 0, rest = -1;
	for (let state = 0; state < MIXED; state++)
		total += sums[state];
	for (const state of RESTING)
		if (sums[state] > 0 && (rest < 0 || sums[state] > sums[rest]))
			rest = state;
	if (rest >= 0)
		rectangle(pieces, rest, x, end, y, height);
	for (const state of ACTIVE) {
		if (!sums[state])
			continue;
		const size = Math.min(Math.max(Math.round(sums[state] / total * height), 1), height - bottom);
		if (size > 0)
			rectangle(pieces, state, x, end, y + height - bottom - size, size);
		bottom += size;
	}
}

function addTo(sums, spans, i) {
	const state = spans.state[i];
	if (state !== MIXED) {
		sums[state] += spans.end[i] - spans.begin[i];
		return;
	}
	const shares = spans.shares[spans.value[i]];
	for (let k = 0; k < shares.length; k += 2)
		sums[shares[k]] += shares[k + 1];
}

function heightOf(row, spans, i) {
	const max = row.max || 0;
	if (VALUES[spans.state[i]] === DEPTH)
		return (spans.value[i] + 1) / (max + 1);
	return VALUES[spans.state[i]] === KHZ && max ? spans.value[i] / max : 1;
}

function drawRow(row, pieces, y) {
	const spans = spansOf(row), height = row.height - 3, scale = scaleOf(), left = LEFT - view.from * scale, sums = new Float64Array(MIXED);
	const isIo = row.kind === "io";
	let bin = -1, binX = 0, binEnd = 0;
	const endBin = () => {
		if (bin >= 0)
			stack(pieces, sums, binX, Math.max(binEnd, binX + 1), y, height);
		bin = -1;
	};
	const beginBin = (x, end) => {
		const at = Math.floor(Math.max(0, x) / BIN);
		if (at !== bin) {
			endBin();
			bin = at;
			binX = x;
			sums.fill(0);
		}
		binEnd = end;
	};
	for (let i = firstBehind(spans, view.from); i < spans.nr && spans.begin[i] < view.to; i++) {
		const x = left + spans.begin[i] * scale, state = spans.state[i], hole = i && !isIo ? spans.begin[i] - spans.end[i - 1] : 0;
		let end = left + spans.end[i] * scale;
		if (hole > 0 && hole * scale < BIN) {
			beginBin(x - hole * scale, x);
			sums[UNKNOWN] += hole;
		} else if (hole > 0) {
			endBin();
			rectangle(pieces, UNKNOWN, xOf(spans.end[i - 1]), x, y, height);
		}
		if (VALUES[state] === CALLS)
			end = Math.max(end, x + data.least * scale);
		if (end - x < BIN) {
			beginBin(x, end);
			addTo(sums, spans, i);
			continue;
		}
		endBin();
		if (state === MIXED) {
			const own = new Float64Array(MIXED);
			addTo(own, spans, i);
			stack(pieces, own, x, end, y, height);
			continue;
		}
		const size = Math.max(1, Math.round(height * heightOf(row, spans, i)));
		rectangle(pieces, state, x, end - x > APART ? end - 0.7 : end, y + height - size, size);
	}
	endBin();
}

// What stands on a span: of a CPU the task, of a task the CPU, C-states and frequencies; and how many of its letters are worth showing.
function nameOn(row, spans, i) {
	switch (VALUES[spans.state[i]]) {
	case RUN:
		return row.kind === "cpu" ? [nameOf(spans.value[i]), LEAST_LETTERS] : [`CPU ${spans.value[i]}`, Infinity];
	case DEPTH:
	case KHZ:
		return [valueText(row, spans, i), Infinity];
	}
	return ["", Infinity];
}

function drawNames(row, y, found) {
	const spans = spansOf(row), leastTime = (2 * LETTER + 6) / scaleOf(), kind = row.max === undefined ? "name" : "name value";
	for (let i = firstBehind(spans, view.from); i < spans.nr && spans.begin[i] < view.to && found.length < MOST_NAMES; i++) {
		if (spans.end[i] - spans.begin[i] < leastTime)
			continue;
		const x = Math.max(LEFT, xOf(spans.begin[i])), most = Math.floor((Math.min(LEFT + plotWidth(), xOf(spans.end[i])) - x - 6) / LETTER);
		const [text, least] = nameOn(row, spans, i);
		if (text && most >= Math.min(text.length, least))
			found.push(make(SVG, "text", { class: kind, x: (x + 3).toFixed(1), y: y + row.height - (row.max === undefined ? 6 : 5) },
				text.length > most ? text.slice(0, most - 1) + "…" : text));
	}
}

// Who woke whom: from the row of the one to the row of the other. Too many would hide what they join.
function drawArrows(first, last) {
	const lines = [], heads = [];
	nrArrows = 0;
	for (let r = first; r <= last && nrArrows <= MOST_ARROWS; r++) {
		if (rows[r].kind !== "task")
			continue;
		const spans = spansOf(rows[r]);
		for (let i = firstBehind(spans, view.from); i < spans.nr && spans.begin[i] < view.to && nrArrows <= MOST_ARROWS; i++) {
			const from = VALUES[spans.state[i]] === WAKER && spans.value[i] && spans.begin[i] >= view.from ? rowOfTask.get(spans.value[i] - 1) : undefined;
			if (from === undefined || from === r || ++nrArrows > MOST_ARROWS)
				continue;
			const x = xOf(spans.begin[i]).toFixed(1), isDown = from < r, y = top + rowTop[r] + (isDown ? 1 : rows[r].height - 2), d = isDown ? -5 : 5;
			lines.push(`M${x} ${top + rowTop[from] + (isDown ? rows[from].height - 2 : 1)}V${y + d}`);
			heads.push(`M${x} ${y}l-3 ${d}h6z`);
		}
	}
	arrows.replaceChildren();
	if (nrArrows && nrArrows <= MOST_ARROWS)
		arrows.append(make(SVG, "path", { d: lines.join("") }), make(SVG, "path", { class: "head", d: heads.join("") }));
}

function tickStep() {
	const least = (view.to - view.from) * TICK_ROOM / plotWidth();
	let step = 1;
	for (; step < least; step *= 10)
		for (const factor of [2, 5])
			if (step * factor >= least)
				return step * factor;
	return step;
}

// The axis goes along where one scrolls.
function drawAxis() {
	const step = tickStep(), seen = sight(), y = Math.max(top - AXIS, standalone ? seen.from : 0), lines = [];
	axis.replaceChildren(make(SVG, "rect", { class: "axis-ground", x: 0, y, width, height: AXIS - 2 }));
	// Of a window far from the begin, labels say what is after it.
	const base = view.from > 100 * step ? Math.ceil(view.from / step) * step : 0;
	for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
		const x = xOf(at).toFixed(1), text = at === base || !base ? timeText(at, step) : "+" + timeText(at - base, step);
		lines.push(`M${x} ${top - 3}V${top + rowsHeight}`);
		if (xOf(at) + text.length * LETTER + 3 < width - 4)
			axis.append(make(SVG, "text", { class: "tick", x: xOf(at) + 3, y: y + 15 }, text));
		axis.append(make(SVG, "path", { class: "grid", d: `M${x} ${y + 18}v4` }));
	}
	grid.setAttribute("d", lines.join(""));
}

const search = { expression: null, hits: [] };

function drawLabel(row, i) {
	const y = top + rowTop[i], isHit = search.expression?.test(labelOf(row)), x = row.thread ? pad + 10 : pad;
	const most = Math.floor((LEFT - x - 4) / LETTER), text = labelOf(row), tid = isTask(row) ? " " + tidOf(row.key) : "";
	const names = ["label", ...(row.marked ? ["marked"] : []), ...(search.expression ? [isHit ? "hit" : "miss"] : [])];
	if (row.marked || isHit)
		marks.append(make(SVG, "rect", { class: "mark", x: 0, y, width: LEFT - 2, height: row.height }));
	const shown = text.length > most ? text.slice(0, Math.max(1, most - tid.length - 1)) + "…" + tid : text;
	labels.append(make(SVG, "text", { class: names.join(" "), x, y: y + row.height - 5, "data-row": i }, shown));
}

function rowsInSight(beside) {
	const seen = sight(), from = seen.from - top, to = seen.to - top;
	let first = 0, last = rows.length - 1;
	while (first < last && rowTop[first + 1] < from)
		first++;
	while (last > first && rowTop[last] > to)
		last--;
	return [Math.max(0, first - beside), Math.min(rows.length - 1, last + beside)];
}

let drawn = [0, -1];

function draw(beside = BESIDE) {
	const pieces = newPieces(), found = [];
	const [first, last] = drawn = rowsInSight(beside);
	labels.replaceChildren();
	marks.replaceChildren();
	for (let i = first; i <= last; i++) {
		drawLabel(rows[i], i);
		drawRow(rows[i], pieces, top + rowTop[i] + 1);
		if (rows[i].kind !== "io")
			drawNames(rows[i], top + rowTop[i], found);
	}
	paths.forEach((path, state) => {
		flush(pieces[state]);
		path.setAttribute("d", pieces[state].text.join(""));
	});
	names.replaceChildren(...found);
	drawArrows(first, last);
	drawAxis();
}
