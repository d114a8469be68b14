// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: the time line. A row a process, thread and CPU; in it how many samples there are in each px, by kind of code, and states where
// the recording has them. Only rows in sight are counted and drawn.
const ROW = 22, AXIS = 22, BAND = 5, BIN = 3, KINDS = [0, 1, 2, "off"], NR_KINDS = 4;

/** @type {{ id: string, label: string, kind: string, key: number, tasks: number[], cost: number, start: number, level: number, group: string }[]} */
let lines = [];
const line = { box: null, labels: null, canvas: null, spacer: null, focus: 0, drag: null };

// ---- which rows there are ----

function costsOfTasks() {
	const cost = new Float64Array(nrTasks()), start = new Float64Array(nrTasks()).fill(Infinity);
	for (let i = 0; i < rows.nr; i++) {
		cost[rows.task[i]] += rows.event[i] === state.event ? rows.count[i] : 0;
		if (rows.time[i] < start[rows.task[i]])
			start[rows.task[i]] = rows.time[i];
	}
	return { cost, start };
}

const ORDERS = {
	cost: (a, b) => b.cost - a.cost || a.key - b.key, start: (a, b) => a.start - b.start || a.key - b.key,
	name: (a, b) => a.label.localeCompare(b.label) || a.key - b.key,
};

// A list by key. Programs have a hundred thousand threads: lists are not copied, nor spread into arguments.
function addTo(lists, key, value) {
	const list = lists.get(key);
	if (list)
		list.push(value);
	else
		lists.set(key, [value]);
}

function threadRows(tasks, cost, start, level) {
	const byTid = new Map();
	for (const t of tasks)
		addTo(byTid, tidOf(t), t);
	return [...byTid].map(([tid, of]) => ({
		id: `t${tid}`, label: threadText(tid), kind: "thread", key: tid, tasks: of, level, group: "",
		cost: of.reduce((n, t) => n + cost[t], 0), start: of.reduce((first, t) => Math.min(first, start[t]), Infinity),
	})).sort(ORDERS[state.rowSort]);
}

function processRows(cost, start) {
	const byPid = new Map();
	for (let t = 0; t < nrTasks(); t++)
		if (start[t] < Infinity || spans.of.has(t))
			addTo(byPid, pidOf(t), t);
	const groups = [...byPid].map(([pid, tasks]) => {
		const threads = threadRows(tasks, cost, start, 1);
		if (threads.length === 1)
			return { ...threads[0], level: 0, rows: [] };
		return {
			id: `p${pid}`, label: `${processText(pid)} (${threads.length} threads)`, kind: "process", key: pid, tasks, level: 0, group: `p${pid}`,
			cost: threads.reduce((n, t) => n + t.cost, 0), start: threads.reduce((first, t) => Math.min(first, t.start), Infinity), rows: threads,
		};
	}).sort(ORDERS[state.rowSort]);
	return groups.flatMap(g => collapsed.has(g.group) ? [g] : [g, ...g.rows]);
}

function cpuRows() {
	const cost = new Map();
	for (let i = 0; i < rows.nr; i++)
		if (rows.cpu[i] >= 0)
			cost.set(rows.cpu[i], (cost.get(rows.cpu[i]) || 0) + rows.count[i]);
	if (!cost.size || !about.events[state.event]?.cpu)
		return [];
	const cpus = [...cost.keys()].sort((a, b) => a - b);
	const head = { id: "cpus", label: `CPUs (${cpus.length})`, kind: "cpus", key: 0, tasks: [], cost: 0, start: 0, level: 0, group: "cpus" };
	return collapsed.has("cpus") ? [head] : [head, ...cpus.map(cpu =>
		({ id: `c${cpu}`, label: `CPU ${cpu}`, kind: "cpu", key: cpu, tasks: [], cost: cost.get(cpu), start: 0, level: 1, group: "" }))];
}

function makeLines() {
	const { cost, start } = costsOfTasks();
	lines = [...processRows(cost, start), ...cpuRows()];
	line.focus = Math.min(line.focus, lines.length - 1);
}

// ---- places ----

const labelWidth = () => Math.max(96, Math.min(220, Math.round(line.box.clientWidth * 0.2)));
const plotWidth = () => Math.max(50, line.box.clientWidth - labelWidth() - 8);
const xOfTime = time => (time - state.view.from) * plotWidth() / (state.view.to - state.view.from);
const timeOfX = x => state.view.from + x * (state.view.to - state.view.from) / plotWidth();

function linesInSight() {
	const top = line.box.scrollTop, first = Math.max(0, Math.floor(top / ROW));
	return [first, Math.min(lines.length, Math.ceil((top + line.box.clientHeight - AXIS) / ROW) + 1)];
}

// Samples by row in sight, column of BIN px and kind; and of the chosen function by row and column.
function countCells(first, last) {
	const width = Math.ceil(plotWidth() / BIN), nr = last - first, cells = new Float32Array(nr * width * NR_KINDS), marked = new Float32Array(nr * width);
	const ofTask = new Int32Array(2 * nrTasks()).fill(NONE), ofCpu = new Map();
	for (let r = first; r < last; r++) {
		for (const t of lines[r].tasks)
			ofTask[2 * t + (lines[r].kind === "process" ? 1 : 0)] = r - first;
		if (lines[r].kind === "cpu")
			ofCpu.set(lines[r].key, r - first);
	}
	const has = state.selected === NONE ? null : selectedStacks(), scale = plotWidth() / BIN / (state.view.to - state.view.from);
	const end = firstRow(state.view.to + 1), kinds = kindsOfNodes();
	for (let i = firstRow(state.view.from); i < end; i++) {
		if (!selection.shown[i])
			continue;
		const x = Math.min(width - 1, Math.floor((rows.time[i] - state.view.from) * scale)), t = 2 * rows.task[i];
		const kind = rows.state[i] === ON_CPU ? kinds[rows.node[i]] : NR_KINDS - 1, hit = has ? has[rows.node[i]] : 0;
		for (let k = 0; k < 3; k++) {
			const r = k < 2 ? ofTask[t + k] : ofCpu.size ? ofCpu.get(rows.cpu[i]) ?? NONE : NONE;
			if (r === NONE)
				continue;
			cells[(r * width + x) * NR_KINDS + kind] += rows.count[i];
			if (hit)
				marked[r * width + x] += rows.count[i];
		}
	}
	return { width, cells, marked };
}

let nodeKinds = null;
function kindsOfNodes() {
	if (!nodeKinds) {
		nodeKinds = new Uint8Array(recorded.nr);
		for (let i = 1; i < recorded.nr; i++)
			nodeKinds[i] = Math.min(2, frames.kind[recorded.frame[i]] & KIND_MASK);
	}
	return nodeKinds;
}

let selectedKnown = { frame: NONE, has: null };
function selectedStacks() {
	if (selectedKnown.frame !== state.selected)
		selectedKnown = { frame: state.selected, has: stacksWith(at => at === state.selected) };
	return selectedKnown.has;
}

// ---- drawing ----

// What is full: the most samples of any column that is in sight.
function fullOf(counted, nr) {
	let most = 0;
	for (let i = 0; i < nr * counted.width; i++) {
		let sum = 0;
		for (let k = 0; k < NR_KINDS; k++)
			sum += counted.cells[i * NR_KINDS + k];
		most = Math.max(most, sum);
	}
	return most || 1;
}

function drawCells(context, counted, r, y, full) {
	const { width, cells, marked } = counted, height = ROW - 5 - (spans.nr ? BAND : 0);
	for (let k = 0; k < NR_KINDS; k++) {
		context.fillStyle = kindPaint(KINDS[k]);
		for (let x = 0; x < width; x++) {
			const at = (r * width + x) * NR_KINDS, count = cells[at + k];
			if (!count)
				continue;
			let below = 0;
			for (let j = 0; j < k; j++)
				below += cells[at + j];
			// The root keeps few samples in sight beside many.
			const bottom = Math.round(height * Math.sqrt(below / full)), upper = Math.max(bottom + 1, Math.round(height * Math.sqrt((below + count) / full)));
			context.fillRect(x * BIN, y + 2 + height - upper, BIN, upper - bottom);
		}
	}
	if (state.selected === NONE)
		return;
	context.fillStyle = inks.hit;
	for (let x = 0; x < width; x++) {
		const count = marked[r * width + x], size = Math.max(2, Math.round(height * Math.sqrt(count / full)));
		if (count)
			context.fillRect(x * BIN, y + 2 + height - size, BIN, size);
	}
}

// States of a thread as a band below its samples.
function drawStates(context, row, y) {
	if (row.kind !== "thread")
		return;
	for (const task of row.tasks) {
		const [from, to] = spansFrom(task, state.view.from);
		let drawnTo = -1;
		for (let i = from; i < to && spans.begin[i] <= state.view.to; i++) {
			const x = Math.max(0, xOfTime(spans.begin[i])), end = Math.min(plotWidth(), Math.max(x + 1, xOfTime(spans.end[i])));
			// Of spans that share a px the first is drawn.
			if (end <= drawnTo)
				continue;
			context.fillStyle = about.states[3 * spans.state[i] + (isDark() ? 2 : 1)];
			context.fillRect(Math.max(x, drawnTo), y + ROW - BAND - 2, end - Math.max(x, drawnTo), BAND);
			drawnTo = end;
		}
	}
}

// Where samples are missing: of one CPU on its row, and faintly on all others, since what ran there is not known.
function drawGaps(context, height, first, last) {
	const rowOfCpu = new Map();
	for (let r = first; r < last; r++)
		if (lines[r].kind === "cpu")
			rowOfCpu.set(lines[r].key, AXIS + r * ROW - line.box.scrollTop);
	const firstCpu = Math.min(height, ...rowOfCpu.values());
	context.fillStyle = inks.gap;
	for (let i = 0; i < gaps.nr; i++) {
		if (gaps.end[i] < state.view.from || gaps.begin[i] > state.view.to)
			continue;
		const x = Math.max(-2, xOfTime(gaps.begin[i])), end = Math.min(plotWidth() + 2, xOfTime(gaps.end[i])), y = rowOfCpu.get(gaps.cpu[i]);
		context.globalAlpha = 0.16;
		context.fillRect(x, AXIS, end - x, (y === undefined ? height : firstCpu) - AXIS);
		if (y !== undefined)
			context.fillRect(x, y, end - x, ROW);
		context.globalAlpha = 0.75;
		context.fillRect(x, AXIS, 1, 4);
		context.fillRect(Math.max(x, end - 1), AXIS, 1, (y === undefined ? height : firstCpu) - AXIS);
		if (y !== undefined)
			context.fillRect(x, y + ROW / 2 - 1, Math.max(2, end - x), 2);
	}
	context.globalAlpha = 1;
}

const gapAt = (row, x) => {
	for (let i = 0; i < gaps.nr; i++)
		if (x >= xOfTime(gaps.begin[i]) - 3 && x <= xOfTime(gaps.end[i]) + 3 && (row.kind !== "cpu" || gaps.cpu[i] < 0 || gaps.cpu[i] === row.key))
			return i;
	return NONE;
};

const gapText = i => gaps.lost[i] ? `${grouped(gaps.lost[i])} samples were lost${gaps.end[i] > gaps.begin[i] ? ` in these ${lengthText(gaps.end[i] - gaps.begin[i])}` : " here"}` :
	`the kernel throttled sampling${gaps.end[i] > gaps.begin[i] ? ` for ${lengthText(gaps.end[i] - gaps.begin[i])}` : " here"}`;

// Who woke whom, as long as there are few enough of them in sight to be seen.
const MOST_ARROWS = 300;

function arrowsInSight(first, last) {
	const rowOf = new Map(), found = [];
	for (let r = first; r < last; r++)
		if (lines[r].kind === "thread")
			for (const t of lines[r].tasks)
				rowOf.set(tidOf(t), r);
	for (let r = first; r < last; r++)
		for (const task of lines[r].kind === "thread" ? lines[r].tasks : []) {
			const [from, to] = spansFrom(task, state.view.from);
			for (let i = from; i < to && spans.begin[i] <= state.view.to; i++) {
				const waker = spans.waker[i] === NONE || spans.begin[i] < state.view.from ? undefined : rowOf.get(tidOf(spans.waker[i]));
				if (waker !== undefined && waker !== r && found.push({ time: spans.begin[i], from: waker, to: r }) > MOST_ARROWS)
					return [];
			}
		}
	return found;
}

function drawArrows(context, first, last) {
	context.strokeStyle = context.fillStyle = inks.accent;
	context.lineWidth = 1;
	context.globalAlpha = 0.8;
	for (const arrow of arrowsInSight(first, last)) {
		const isDown = arrow.to > arrow.from, x = Math.round(xOfTime(arrow.time)) + 0.5, top = AXIS - line.box.scrollTop;
		const y = top + arrow.from * ROW + ROW / 2, end = top + arrow.to * ROW + (isDown ? 2 : ROW - 2), head = isDown ? -5 : 5;
		context.beginPath();
		context.moveTo(x, y);
		context.lineTo(x, end);
		context.stroke();
		context.beginPath();
		context.moveTo(x, end);
		context.lineTo(x - 3, end + head);
		context.lineTo(x + 3, end + head);
		context.fill();
	}
	context.globalAlpha = 1;
}

// Events beside the one that is shown are marks. Switches and waits are the band of states already.
const isMarked = event => event !== state.event && eventSamples()[event] > 0 && !(spans.nr && (about.events[event].off_cpu || about.events[event].name.startsWith("sched:")));

function drawMarkers(context, first, last) {
	const ofTask = new Map(), seen = new Set(), marked = about.events.map((e, i) => isMarked(i));
	for (let r = first; r < last; r++)
		if (lines[r].kind === "thread")
			for (const t of lines[r].tasks)
				ofTask.set(t, r);
	context.fillStyle = inks.ink;
	const end = marked.some(Boolean) ? firstRow(state.view.to + 1) : 0;
	for (let i = firstRow(state.view.from); i < end; i++) {
		const r = marked[rows.event[i]] ? ofTask.get(rows.task[i]) : undefined;
		if (r === undefined)
			continue;
		const x = Math.floor(xOfTime(rows.time[i])), key = r * 65536 + x;
		if (seen.has(key))
			continue;
		seen.add(key);
		context.fillRect(x, AXIS + r * ROW - line.box.scrollTop + 1, 1, 3);
	}
}

function tickStep() {
	const least = (state.view.to - state.view.from) * 90 / plotWidth();
	let step = 1;
	for (; step < least; step *= 10)
		for (const factor of [2, 5])
			if (step * factor >= least)
				return step * factor;
	return step;
}

function drawAxis(context, height) {
	const step = tickStep();
	context.fillStyle = inks.ground;
	context.fillRect(0, 0, plotWidth(), AXIS);
	for (let time = Math.ceil(state.view.from / step) * step; time <= state.view.to; time += step) {
		const x = Math.round(xOfTime(time));
		context.fillStyle = inks.line;
		context.fillRect(x, AXIS - 5, 1, 5);
		context.globalAlpha = 0.35;
		context.fillRect(x, AXIS, 1, height);
		context.globalAlpha = 1;
		context.fillStyle = inks.dim;
		const text = timeText(time, step);
		if (x + 3 + context.measureText(text).width < plotWidth())
			context.fillText(text, x + 3, 9);
	}
	context.fillStyle = inks.line;
	context.fillRect(0, AXIS - 1, plotWidth(), 1);
}

function drawBrush(context, height) {
	const time = timeFilter();
	if (!time)
		return;
	const from = xOfTime(time.from), to = xOfTime(time.to);
	context.fillStyle = inks.shade;
	context.fillRect(0, 0, Math.max(0, from), height);
	context.fillRect(Math.min(plotWidth(), to), 0, plotWidth(), height);
	context.fillStyle = inks.accent;
	context.fillRect(from - 1, 0, 2, height);
	context.fillRect(to - 1, 0, 2, height);
}

const isChosen = row => !state.filters.some(f => (f.kind === "thread" || f.kind === "process") &&
	row.tasks.every(t => f.ids.includes(f.kind === "thread" ? tidOf(t) : pidOf(t)) === !!f.out)) &&
	!(row.kind === "cpu" && state.filters.some(f => f.kind === "cpu" && f.ids.includes(row.key) === !!f.out));

function labelElement(r) {
	const row = lines[r], isOpen = row.group && !collapsed.has(row.group);
	const e = el("div", {
		class: `line level${row.level} ${isChosen(row) ? "" : "faded"}`, role: "treeitem", "data-row": r, tabindex: r === line.focus ? 0 : -1, title: row.label,
		"aria-level": row.level + 1, "aria-label": `${row.label}, ${samplesText(row.cost)}`, "aria-selected": isChosen(row) && state.filters.some(f => f.kind === "thread" || f.kind === "process"),
		...(row.group && { "aria-expanded": isOpen }),
	}, ...(row.group ? [el("span", { class: "twist" }, isOpen ? "▾" : "▸")] : []), el("span", { class: "name" }, row.label), el("span", { class: "cost" }, row.cost ? grouped(row.cost) : ""));
	e.style.top = `${r * ROW}px`;
	return e;
}

function drawLabels(first, last) {
	const hadFocus = line.labels.contains(document.activeElement);
	line.labels.style.width = `${labelWidth()}px`;
	line.labels.style.height = `${lines.length * ROW}px`;
	const shown = new Set([line.focus]);
	for (let r = first; r < last; r++)
		shown.add(r);
	line.labels.replaceChildren(...[...shown].filter(r => lines[r]).map(labelElement));
	if (hadFocus)
		line.labels.querySelector(`[data-row="${line.focus}"]`)?.focus({ preventScroll: true });
}

// Cells stay what they are while a brush moves.
let cellsKnown = { key: "", counted: null, full: 1 };
let shownVersion = 0;

function drawTimeline() {
	const [first, last] = linesInSight(), width = plotWidth(), height = Math.min(line.box.clientHeight, AXIS + lines.length * ROW), top = line.box.scrollTop;
	const context = contextOf(line.canvas, width, height), key = [first, last, width, state.view.from, state.view.to, shownVersion, state.selected].join();
	line.canvas.style.left = `${labelWidth()}px`;
	if (cellsKnown.key !== key) {
		const counted = countCells(first, last);
		cellsKnown = { key, counted, full: fullOf(counted, last - first) };
	}
	for (let r = first; r < last; r++) {
		const y = AXIS + r * ROW - top;
		if (r % 2) {
			context.fillStyle = inks.row;
			context.fillRect(0, y, width, ROW);
		}
		context.globalAlpha = isChosen(lines[r]) ? 1 : 0.3;
		drawCells(context, cellsKnown.counted, r - first, y, cellsKnown.full);
		drawStates(context, lines[r], y);
		context.globalAlpha = 1;
	}
	drawMarkers(context, first, last);
	drawGaps(context, height, first, last);
	drawArrows(context, first, last);
	drawAxis(context, height);
	drawBrush(context, height);
	drawLabels(first, last);
}

// ---- what is under the pointer ----

function describeCell(r, x) {
	const { width, cells, marked } = cellsKnown.counted, [first] = linesInSight(), row = lines[r], at = Math.floor(x / BIN);
	if (!row || at < 0 || at >= width)
		return null;
	const words = ["user", "kernel", "JIT", "off CPU"], texts = [];
	for (let k = 0; k < NR_KINDS; k++) {
		const count = cells[((r - first) * width + at) * NR_KINDS + k];
		if (count)
			texts.push(`${words[k]} ${grouped(count)}`);
	}
	const time = timeOfX(x), task = row.tasks.find(t => spans.of.has(t)), state_ = row.kind === "thread" && task !== undefined ? stateAt(task, time) : "";
	const gap = gapAt(row, x);
	return [row.label, timeText(time, (state.view.to - state.view.from) / width), texts.length ? `samples: ${texts.join(", ")}` : "no samples", state_,
		marked[(r - first) * width + at] ? `${nameOf(state.selected)}: ${grouped(marked[(r - first) * width + at])}` : "",
		...marksAt(row, x), gap === NONE ? "" : gapText(gap), `--time ${clockText(time)}`];
}

function stateAt(task, time) {
	const [i, to] = spansFrom(task, time);
	if (i >= to || spans.begin[i] > time)
		return "";
	const by = spans.waker[i] === NONE ? "" : `, woken by ${threadText(tidOf(spans.waker[i]))}`;
	const name = about.states[3 * spans.state[i]], length = lengthText(spans.end[i] - spans.begin[i]);
	return spans.isMixed[i] ? `several states in ${length}, mostly ${name}` : `${name} for ${length}${by}`;
}

// The other events of a row at the pointer, by name.
function marksAt(row, x) {
	const nr = new Map(), tasks = new Set(row.tasks), end = firstRow(timeOfX(x + 2) + 1);
	for (let i = firstRow(timeOfX(x - 2)); i < end; i++)
		if (tasks.has(rows.task[i]) && rows.event[i] !== state.event && !about.events[rows.event[i]].off_cpu)
			nr.set(rows.event[i], (nr.get(rows.event[i]) || 0) + rows.count[i]);
	return [...nr].map(([event, count]) => `${about.events[event].name}${count > 1 ? ` ×${grouped(count)}` : ""}`);
}

// ---- hands ----

function zoomTime(factor, middle = (state.view.from + state.view.to) / 2) {
	const size = Math.min(lastTime, Math.max(1000, (state.view.to - state.view.from) * factor)), share = (middle - state.view.from) / (state.view.to - state.view.from);
	moveTime(middle - share * size, size);
}

function moveTime(from, size = state.view.to - state.view.from) {
	const begin = Math.max(0, Math.min(from, lastTime - size));
	state.view = { from: begin, to: begin + size };
	changed("view");
}

// By a key: reported for those who cannot see the axis.
function moveTimeByKey(...where) {
	moveTime(...where);
	sayTime("in sight", state.view);
}

const sayTime = (what, { from, to }) => say(`${what}: ${timeText(from, (to - from) / 1000)} – ${timeText(to, (to - from) / 1000)} (${lengthText(to - from)})`);

function beginDrag(e) {
	if (e.button !== 0)
		return;
	const x = e.clientX - line.canvas.getBoundingClientRect().left, y = e.clientY - line.canvas.getBoundingClientRect().top;
	line.drag = { x, from: state.view.from, isPan: e.shiftKey || y < AXIS, isMoved: false };
	line.canvas.setPointerCapture(e.pointerId);
}

function dragTo(e) {
	const box = line.canvas.getBoundingClientRect(), x = Math.max(0, Math.min(e.clientX - box.left, plotWidth())), { drag } = line;
	if (!drag) {
		const text = describeCell(Math.floor((e.clientY - box.top - AXIS + line.box.scrollTop) / ROW), e.clientX - box.left);
		if (text && e.clientY - box.top > AXIS)
			showTip(text, e.clientX, e.clientY);
		else
			hideTip();
		return;
	}
	hideTip();
	if (!drag.isMoved && Math.abs(x - drag.x) <= 3)
		return;
	if (!drag.isMoved && !drag.isPan)
		remember();
	drag.isMoved = true;
	if (drag.isPan)
		moveTime(drag.from - (x - drag.x) * (state.view.to - state.view.from) / plotWidth());
	else
		setBrush(timeOfX(Math.min(x, drag.x)), timeOfX(Math.max(x, drag.x)));
}

function setBrush(from, to) {
	state.filters = state.filters.filter(f => f.kind !== "time");
	state.filters.push({ kind: "time", from: Math.round(from), to: Math.round(to) });
	changed("time");
}

function endDrag() {
	if (line.drag && !line.drag.isMoved && !line.drag.isPan && timeFilter())
		removeFilter(state.filters.indexOf(timeFilter()));
	line.drag = null;
}

function actOnLine(r, e) {
	const row = lines[r], isAdded = e.ctrlKey || e.metaKey || e.shiftKey;
	line.focus = r;
	if (row.kind === "cpus")
		toggleGroup(row);
	else if (row.kind === "cpu") {
		const had = state.filters.find(f => f.kind === "cpu" && !f.out);
		remember();
		state.filters = state.filters.filter(f => f !== had);
		if (!had || had.ids[0] !== row.key)
			state.filters.push({ kind: "cpu", ids: [row.key] });
		changed("filters");
	} else {
		toggleTask(row.kind, row.key, isAdded);
	}
}

function toggleGroup(row) {
	if (!row || !row.group)
		return;
	if (!collapsed.delete(row.group))
		collapsed.add(row.group);
	makeLines();
	resizeTimeline();
	changed("view");
}

function focusLine(r) {
	line.focus = Math.max(0, Math.min(lines.length - 1, r));
	const top = line.focus * ROW, room = line.box.clientHeight - AXIS - ROW;
	if (top < line.box.scrollTop)
		line.box.scrollTop = top;
	else if (top > line.box.scrollTop + room)
		line.box.scrollTop = top - room;
	drawTimeline();
	line.labels.querySelector(`[data-row="${line.focus}"]`)?.focus({ preventScroll: true });
}

function lineMenu(r, x, y) {
	const row = lines[r];
	if (row.kind === "cpus")
		return;
	const kind = row.kind === "cpu" ? "cpu" : row.kind;
	showMenu(row.label, [[`Only this ${kind}`, () => addFilter({ kind, ids: [row.key] })], [`Without this ${kind}`, () => addFilter({ kind, ids: [row.key], out: true })],
		["Copy its name", () => copyText(row.label)]], x, y);
}

function makeTimeline() {
	line.canvas = el("canvas", { class: "plot", tabindex: 0, role: "application", "aria-label": "samples over time; drag to choose a range, arrow keys move, + and - zoom" });
	line.labels = el("div", { class: "lines", role: "tree", "aria-label": "processes and threads" });
	line.box = el("div", { class: "timeline" }, el("div", { class: "sticky" }, line.canvas), line.labels);
	line.box.addEventListener("scroll", () => drawTimeline());
	line.canvas.addEventListener("pointerdown", beginDrag);
	line.canvas.addEventListener("pointermove", dragTo);
	line.canvas.addEventListener("pointerup", endDrag);
	// The browser takes the pointer over, to scroll.
	line.canvas.addEventListener("pointercancel", () => {
		line.drag = null;
	});
	line.canvas.addEventListener("pointerleave", hideTip);
	line.canvas.addEventListener("dblclick", () => timeFilter() ? zoomToBrush() : moveTime(0, lastTime));
	// On the names of threads it scrolls these.
	line.canvas.addEventListener("wheel", e => {
		e.preventDefault();
		const along = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX, unit = e.deltaMode ? 20 : 1;
		if (Math.abs(along) > Math.abs(e.deltaY) || e.shiftKey)
			moveTime(state.view.from + unit * along * (state.view.to - state.view.from) / plotWidth());
		else
			zoomTime(Math.exp(unit * e.deltaY / 300), timeOfX(e.clientX - line.canvas.getBoundingClientRect().left));
	}, { passive: false });
	line.labels.addEventListener("click", e => {
		const target = /** @type {Element} */ (e.target).closest(".line");
		if (!target)
			return;
		if (/** @type {Element} */ (e.target).closest(".twist"))
			toggleGroup(lines[Number(target.dataset.row)]);
		else
			actOnLine(Number(target.dataset.row), e);
	});
	line.labels.addEventListener("contextmenu", e => {
		const target = /** @type {Element} */ (e.target).closest(".line");
		if (target) {
			e.preventDefault();
			lineMenu(Number(target.dataset.row), e.clientX, e.clientY);
		}
	});
	const menuOfFocus = () => {
		const box = line.labels.querySelector(`[data-row="${line.focus}"]`).getBoundingClientRect();
		lineMenu(line.focus, box.left + 30, box.bottom);
	};
	onKeys(line.labels, {
		ArrowDown: () => focusLine(line.focus + 1), ArrowUp: () => focusLine(line.focus - 1), Home: () => focusLine(0), End: () => focusLine(lines.length - 1),
		Enter: e => actOnLine(line.focus, e), " ": e => actOnLine(line.focus, e), m: menuOfFocus, ContextMenu: menuOfFocus,
		ArrowRight: () => { if (collapsed.has(lines[line.focus].group)) toggleGroup(lines[line.focus]); },
		ArrowLeft: () => { if (!collapsed.has(lines[line.focus].group)) toggleGroup(lines[line.focus]); },
	});
	const step = () => (state.view.to - state.view.from) / 10;
	onKeys(line.canvas, {
		"+": () => zoomByKey(0.7), "=": () => zoomByKey(0.7), "-": () => zoomByKey(1 / 0.7), 0: () => moveTimeByKey(0, lastTime),
		ArrowLeft: e => e.shiftKey ? brushByKey(-1) : moveTimeByKey(state.view.from - step()), ArrowRight: e => e.shiftKey ? brushByKey(1) : moveTimeByKey(state.view.from + step()),
		b: () => { remember(); setBrush(state.view.from + 2 * step(), state.view.from + 8 * step()); sayTime("chosen", timeFilter()); }, Enter: zoomToBrush,
	});
	return line.box;
}

function zoomByKey(factor) {
	zoomTime(factor);
	sayTime("in sight", state.view);
}

// Shift and an arrow move the later end of the range that is chosen.
function brushByKey(direction) {
	const time = timeFilter(), step = (state.view.to - state.view.from) / 20;
	remember();
	if (time)
		setBrush(time.from, Math.max(time.from, time.to + direction * step));
	else
		setBrush(state.view.from, state.view.from + step);
	sayTime("chosen", timeFilter());
}

function zoomToBrush() {
	const time = timeFilter();
	if (time && time.to > time.from)
		moveTime(time.from, Math.max(1000, time.to - time.from));
}
