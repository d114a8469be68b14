// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: samples as a heat map: a column is a length of time, a row the offset in it, from the bottom up. What a program does now and then
// is a pattern in it. Cells that are dragged over are a filter of time.
const HEAT_ROWS = 50, HEAT_LEFT = 64, HEAT_BOTTOM = 24, MOST_LENGTHS = 120, LENGTHS = [1e6, 1e7, 1e8, 1e9, 1e10, 6e10];

const heat = { box: null, canvas: null, length: 1e9, columns: 1, /** @type {Float64Array} */ cells: null, drag: null, at: null, about: null };

function countHeat() {
	heat.length = LENGTHS.find(length => lastTime / length <= MOST_LENGTHS) || LENGTHS[LENGTHS.length - 1] * Math.ceil(lastTime / LENGTHS[LENGTHS.length - 1] / MOST_LENGTHS);
	heat.columns = Math.floor(lastTime / heat.length) + 1;
	heat.cells = new Float64Array(heat.columns * HEAT_ROWS);
	for (let i = 0; i < rows.nr; i++)
		if (selection.passes[i])
			heat.cells[cellOf(rows.time[i])] += rows.count[i];
}

const cellOf = time => Math.floor(time / heat.length) * HEAT_ROWS + Math.min(HEAT_ROWS - 1, Math.floor(time % heat.length / heat.length * HEAT_ROWS));

function heatSize() {
	const width = heat.box.clientWidth, height = Math.max(160, heat.box.clientHeight - 4);
	return { width, height, cellWidth: Math.min(28, (width - HEAT_LEFT - 8) / heat.columns), cellHeight: (height - HEAT_BOTTOM - 8) / HEAT_ROWS };
}

function heatPaint(share) {
	const dark = isDark(), s = Math.sqrt(share);
	return dark ? `hsl(${52 - 40 * (1 - s)} 90% ${14 + 52 * s}%)` : `hsl(${46 - 36 * s} 88% ${92 - 48 * s}%)`;
}

function drawHeat() {
	countHeat();
	let most = 0;
	for (const n of heat.cells)
		most = Math.max(most, n);
	// First: how many lines it has decides how much room is left.
	describeHeat(most);
	const { width, height, cellWidth, cellHeight } = heatSize(), context = contextOf(heat.canvas, width, height), bottom = height - HEAT_BOTTOM;
	const time = timeFilter();
	for (let c = 0; c < heat.columns; c++)
		for (let r = 0; r < HEAT_ROWS; r++) {
			const count = heat.cells[c * HEAT_ROWS + r], begin = c * heat.length + r * heat.length / HEAT_ROWS;
			context.globalAlpha = time && (begin + heat.length / HEAT_ROWS <= time.from || begin > time.to) ? 0.25 : 1;
			context.fillStyle = count ? heatPaint(count / most) : inks.row;
			context.fillRect(HEAT_LEFT + c * cellWidth, bottom - (r + 1) * cellHeight, Math.max(0.6, cellWidth - (cellWidth > 5 ? 1 : 0)), cellHeight - (cellHeight > 5 ? 1 : 0));
		}
	context.globalAlpha = 1;
	if (heat.at && document.activeElement === heat.canvas) {
		context.strokeStyle = inks.ink;
		context.lineWidth = 2;
		context.strokeRect(HEAT_LEFT + heat.at.c * cellWidth, bottom - (heat.at.r + 1) * cellHeight, Math.max(3, cellWidth - 1), Math.max(3, cellHeight - 1));
	}
	context.fillStyle = inks.dim;
	for (const share of [0, 0.5, 1])
		context.fillText(share ? lengthText(share * heat.length) : "0", 4, bottom - share * (bottom - 14) - 2);
	for (let x = 0, c = 0; c < heat.columns; c++, x = c * cellWidth)
		if (c % Math.max(1, Math.ceil(80 / cellWidth)) === 0) {
			const text = timeText(c * heat.length, heat.length);
			if (HEAT_LEFT + x + context.measureText(text).width <= width)
				context.fillText(text, HEAT_LEFT + x, height - 10);
		}
}

const shortLength = ns => lengthText(ns).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");

// What a column, a cell and the colours are.
function describeHeat(most) {
	const swatch = share => {
		const e = el("i", {});
		e.style.background = heatPaint(share);
		return e;
	};
	const scale = most > 1 ? [swatch(1 / most), "1 sample … ", swatch(1), samplesText(most)] : most ? [swatch(1), samplesText(most)] : ["no samples"];
	heat.about.replaceChildren(`A column is ${shortLength(heat.length)}, a cell ${shortLength(heat.length / HEAT_ROWS)} of it, the earliest at the bottom. `, el("span", { class: "key" }, ...scale));
}

// The cell below the pointer, as begin of its time.
function heatAt(e) {
	const box = heat.canvas.getBoundingClientRect(), { height, cellWidth, cellHeight } = heatSize();
	let c = Math.floor((e.clientX - box.left - HEAT_LEFT) / cellWidth), r = Math.floor((height - HEAT_BOTTOM - (e.clientY - box.top)) / cellHeight);
	// A drag may leave the map.
	if (heat.drag) {
		c = Math.max(0, Math.min(heat.columns - 1, c));
		r = Math.max(0, Math.min(HEAT_ROWS - 1, r));
	}
	return c < 0 || c >= heat.columns || r < 0 || r >= HEAT_ROWS ? null : { begin: c * heat.length + r * heat.length / HEAT_ROWS, count: heat.cells[c * HEAT_ROWS + r] };
}

// The keyboard: a cell, from which Enter chooses the time, and Shift-Enter more of it.
function moveInHeat(columns, cellsUp) {
	const at = heat.at || { c: 0, r: -cellsUp };
	heat.at = { c: Math.max(0, Math.min(heat.columns - 1, at.c + columns)), r: Math.max(0, Math.min(HEAT_ROWS - 1, at.r + cellsUp)) };
	const size = heat.length / HEAT_ROWS, begin = heat.at.c * heat.length + heat.at.r * size;
	say(`${timeText(begin, size)} – ${timeText(begin + size, size)}: ${samplesText(heat.cells[heat.at.c * HEAT_ROWS + heat.at.r])}`);
	drawHeat();
}

function chooseInHeat(e) {
	if (!heat.at)
		return;
	const size = heat.length / HEAT_ROWS, begin = heat.at.c * heat.length + heat.at.r * size, time = e.shiftKey && timeFilter();
	remember();
	setBrush(time ? Math.min(time.from, begin) : begin, Math.max(time ? time.to : 0, begin + size - 1));
}

function makeHeat() {
	heat.canvas = el("canvas", { class: "heat", tabindex: 0, role: "application", "aria-label": "samples by time and offset; drag over cells to choose their time; arrow keys walk, Enter chooses, with Shift more" });
	onKeys(heat.canvas, { ArrowRight: () => moveInHeat(1, 0), ArrowLeft: () => moveInHeat(-1, 0), ArrowUp: () => moveInHeat(0, 1), ArrowDown: () => moveInHeat(0, -1), Enter: chooseInHeat });
	heat.canvas.addEventListener("focus", drawHeat);
	heat.canvas.addEventListener("blur", drawHeat);
	heat.box = el("div", { class: "graph-box" }, heat.canvas);
	heat.canvas.addEventListener("pointerdown", e => {
		if (e.button !== 0)
			return;
		heat.drag = heatAt(e);
		if (!heat.drag)
			return;
		heat.canvas.setPointerCapture(e.pointerId);
		remember();
	});
	heat.canvas.addEventListener("pointermove", e => {
		const at = heatAt(e), size = heat.length / HEAT_ROWS;
		if (!at)
			hideTip();
		else if (heat.drag)
			setBrush(Math.min(heat.drag.begin, at.begin), Math.max(heat.drag.begin, at.begin) + size - 1);
		else
			showTip([samplesText(at.count), `${timeText(at.begin, size)} – ${timeText(at.begin + size, size)}`], e.clientX, e.clientY);
	});
	heat.canvas.addEventListener("pointerup", e => {
		const at = heatAt(e);
		if (heat.drag && at)
			setBrush(Math.min(heat.drag.begin, at.begin), Math.max(heat.drag.begin, at.begin) + heat.length / HEAT_ROWS - 1);
		heat.drag = null;
	});
	heat.canvas.addEventListener("pointercancel", () => {
		heat.drag = null;
	});
	heat.canvas.addEventListener("pointerleave", hideTip);
	heat.about = el("p", { class: "about" });
	return [heat.about, heat.box];
}
