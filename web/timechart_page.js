// SPDX-License-Identifier: GPL-2.0-or-later
//
// The last part of a time chart's page: where its parts lie in a window of any width, zoom and search, the address that remembers what is looked at,
// pointer, touch and keyboard.
const LEAST_WIDTH = 420, LEAST_SPAN = 50, TOOLS_WIDTH = 520, DRAG = 4, STEP = 1.5;
const button = (text, title) => make(HTML, "button", { type: "button", title }, text);
const input = make(HTML, "input", { type: "search", placeholder: "search (/)", "aria-label": "search", spellcheck: "false", autocomplete: "off",
	title: "a regular expression: /; Enter and Shift-Enter, or n and N: the next row and the one before" });
const matched = make(HTML, "span", { class: "matched", role: "status" });
const zoomIn = button("+", "zoom in: + or Ctrl and the wheel"), zoomOut = button("−", "zoom out: -"), reset = button("reset", "all of the time: Esc");
const tools = make(SVG, "foreignObject", { class: "tool-box", height: 30, width: TOOLS_WIDTH },
	make(HTML, "div", { class: "tools" }, matched, input, zoomOut, zoomIn, reset));
const plot = make(SVG, "rect", { class: "plot", tabindex: 0, role: "application", "aria-label": "time chart: + and - zoom, arrow keys move" });
const chosen = make(SVG, "rect", { class: "chosen", visibility: "hidden" }), pointed = make(SVG, "rect", { class: "pointed", visibility: "hidden" });
const status = make(SVG, "text", { class: "status", x: pad });
chart.append(plot, chosen, pointed, status);
svg.insertBefore(axis, tipBox);
svg.insertBefore(tools, tipBox);

const words = new Map([...svg.querySelectorAll(".title, .subtitle, .note")].map(e => [e, e.textContent]));
const widthNow = () => data.fixed ? data.fixed : Math.max(LEAST_WIDTH, Math.floor(svg.getBoundingClientRect().width) || width);

function lay() {
	if (!data.fixed)
		svg.style.width = "100%";
	width = widthNow();
	const title = svg.querySelector(".title"), subtitle = svg.querySelector(".subtitle"), isNarrow = width < 900, room = width - 2 * pad;
	let y = 26 + 22 * (setLines(title, words.get(title), 26, isNarrow ? room : room - TOOLS_WIDTH, 2, 22) - 1) + 20;
	if (subtitle)
		y += LINE * setLines(subtitle, words.get(subtitle), y, isNarrow ? room : room - TOOLS_WIDTH, 2, LINE);
	tools.setAttribute("x", isNarrow ? pad : width - pad - TOOLS_WIDTH);
	tools.setAttribute("y", isNarrow ? y - 8 : 8);
	tools.setAttribute("width", isNarrow ? room : TOOLS_WIDTH);
	top = placeLegend((isNarrow ? y + 28 : y) + 5) + AXIS;
	y = top + rowsHeight + 20;
	status.setAttribute("y", y);
	y += LINE + 3;
	for (const [e, text] of words)
		if (e.classList.contains("note"))
			y += 18 + LINE * (setLines(e, text, y, room, 12, LINE) - 1);
	height = standalone ? Math.max(y, Math.floor(window.innerHeight)) : y;
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	for (const [name, value] of Object.entries({ x: LEFT, y: top, width: plotWidth(), height: rowsHeight }))
		plot.setAttribute(name, value);
}

function tell() {
	const whole = view.from === 0 && view.to === data.span;
	status.textContent = `${lengthText(view.to - view.from)}${whole ? "" : ` from ${timeText(view.from, (view.to - view.from) / 1000)}`} · ` +
		(nrArrows > MOST_ARROWS ? "zoom in to see who woke whom · " : "") +
		"drag: zoom to a part · Ctrl and the wheel, + and -: zoom · Shift-drag, arrows: move · double click: zoom to a span · Esc: all";
	reset.disabled = whole && !search.expression;
}

// The address

function remember() {
	const parts = [];
	if (view.from !== 0 || view.to !== data.span)
		parts.push(`from=${Math.round(view.from)}`, `to=${Math.round(view.to)}`);
	if (input.value)
		parts.push("search=" + encodeURIComponent(input.value));
	const hash = parts.length ? "#" + parts.join("&") : "";
	if (!standalone || hash === location.hash)
		return;
	try {
		history.replaceState(null, "", hash || location.pathname + location.search);
	} catch {
		// a page inside another one may not
	}
}

function setView(from, to) {
	const span = Math.min(data.span, Math.max(LEAST_SPAN, to - from));
	view.from = Math.min(Math.max(0, from), data.span - span);
	view.to = view.from + span;
}

function recall() {
	const known = new URLSearchParams(standalone ? location.hash.slice(1) : ""), from = Number(known.get("from")), to = Number(known.get("to"));
	setView(0, data.span);
	if (known.get("to") && from >= 0 && to > from)
		setView(from, to);
	input.value = known.get("search") || "";
	find(input.value);
}

// Moves

let isDue = false;
function drawSoon() {
	if (isDue)
		return;
	isDue = true;
	requestAnimationFrame(() => {
		isDue = false;
		draw();
		tell();
	});
}

function look(from, to) {
	setView(from, to);
	hideSpan();
	drawSoon();
	remember();
}

function zoomAt(time, factor) {
	look(time - (time - view.from) / factor, time + (view.to - time) / factor);
}

const middleTime = () => (view.from + view.to) / 2;
const move = part => look(...[view.from, view.to].map(t => Math.max(-view.from, Math.min(data.span - view.to, part * (view.to - view.from))) + t));

function find(text) {
	search.expression = null;
	search.hits = [];
	search.at = -1;
	input.removeAttribute("aria-invalid");
	try {
		search.expression = text ? new RegExp(text, "i") : null;
	} catch {
		input.setAttribute("aria-invalid", "true");
	}
	if (search.expression)
		search.hits = rows.map((row, i) => i).filter(i => search.expression.test(labelOf(rows[i])));
	matched.textContent = !text ? "" : search.expression ? `${search.hits.length} rows` : "no regex";
}

function bringInSight(i) {
	const y = top + rowTop[i], seen = sight();
	if (standalone && (y < seen.from + AXIS || y + rows[i].height > seen.to))
		window.scrollTo(window.scrollX, (y - (seen.to - seen.from) / 2) * seen.scale);
}

function nextHit(step) {
	if (!search.hits.length)
		return;
	search.at = (search.at + step + search.hits.length + (search.at < 0 && step < 0 ? 1 : 0)) % search.hits.length;
	bringInSight(search.hits[search.at]);
	matched.textContent = `${search.at + 1}/${search.hits.length} rows`;
	drawSoon();
}

function resetAll() {
	input.value = "";
	find("");
	look(0, data.span);
}

// Pointer and touch

let dragged = null, kept = false;

function place(event) {
	const box = svg.getBoundingClientRect(), scale = box.width / width || 1;
	return [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
}

function hideSpan() {
	kept = false;
	pointed.setAttribute("visibility", "hidden");
	hideTip();
}

// What is under a place: a span, or the gap or the cell of several at it.
function partAt(row, x) {
	const spans = spansOf(row), time = timeOf(x), i = firstBehind(spans, time), scale = scaleOf();
	if (i < spans.nr && spans.begin[i] <= time && (spans.end[i] - spans.begin[i]) * scale >= BIN)
		return { from: spans.begin[i], to: spans.end[i], lines: describe(row, spans, i) };
	if (i && i < spans.nr && spans.begin[i] > time && (spans.begin[i] - spans.end[i - 1]) * scale >= BIN)
		return row.kind === "io" ? null : { from: spans.end[i - 1], to: spans.begin[i], lines: describePart(row, spans.end[i - 1], spans.begin[i]) };
	const bin = LEFT + Math.floor((x - LEFT) / BIN) * BIN, from = Math.max(0, timeOf(bin)), to = Math.min(data.span, timeOf(bin + BIN));
	const near = firstBehind(spans, from);
	if (near === spans.nr || spans.begin[near] >= to)
		return null;
	if (firstBehind(spans, to) === near || near + 1 === spans.nr || spans.begin[near + 1] >= to)
		return { from: spans.begin[near], to: spans.end[near], lines: describe(row, spans, near) };
	return { from, to, lines: describePart(row, from, to) };
}

function showAt(x, y) {
	const r = rowAt(y), part = r >= 0 && x >= LEFT && x <= LEFT + plotWidth() ? partAt(rows[r], x) : null;
	if (!part) {
		hideSpan();
		return null;
	}
	const left = Math.max(LEFT, xOf(part.from)), right = Math.min(LEFT + plotWidth(), Math.max(left + 1, xOf(part.to)));
	for (const [name, value] of Object.entries({ x: left, y: top + rowTop[r], width: right - left, height: rows[r].height - 1, visibility: "visible" }))
		pointed.setAttribute(name, value);
	const [first, ...others] = part.lines;
	showTip([first, ...others], { x, y: top + rowTop[r], width: 0, height: rows[r].height });
	return part;
}

plot.addEventListener("pointerdown", e => {
	if (e.button !== 0)
		return;
	const [x] = place(e);
	dragged = { x, isMove: e.shiftKey, from: view.from, to: view.to, isFar: false };
	if (e.pointerType !== "touch")
		plot.setPointerCapture(e.pointerId);
});
plot.addEventListener("pointermove", e => {
	const [x, y] = place(e);
	if (!dragged || e.pointerType === "touch") {
		if (!kept)
			showAt(x, y);
		return;
	}
	dragged.isFar ||= Math.abs(x - dragged.x) > DRAG;
	if (!dragged.isFar)
		return;
	if (dragged.isMove) {
		const by = (dragged.x - x) / scaleOf();
		setView(dragged.from + by, dragged.from + by + dragged.to - dragged.from);
		drawSoon();
		return;
	}
	const left = Math.max(LEFT, Math.min(x, dragged.x)), right = Math.min(LEFT + plotWidth(), Math.max(x, dragged.x));
	for (const [name, value] of Object.entries({ x: left, y: top, width: Math.max(0, right - left), height: rowsHeight, visibility: "visible" }))
		chosen.setAttribute(name, value);
	const seen = sight();
	showTip([lengthText((right - left) / scaleOf())], { x: right, y: Math.max(y, seen.from + 30), width: 0, height: 0 });
});
plot.addEventListener("pointerup", e => {
	const [x, y] = place(e), was = dragged;
	dragged = null;
	chosen.setAttribute("visibility", "hidden");
	if (was?.isFar && !was.isMove)
		look(timeOf(Math.max(LEFT, Math.min(x, was.x))), timeOf(Math.min(LEFT + plotWidth(), Math.max(x, was.x))));
	else if (was?.isFar)
		remember();
	else
		kept = showAt(x, y) !== null;
});
plot.addEventListener("pointercancel", () => {
	dragged = null;
	chosen.setAttribute("visibility", "hidden");
});
plot.addEventListener("pointerleave", () => {
	if (!kept && !dragged)
		hideSpan();
});
plot.addEventListener("dblclick", e => {
	const part = showAt(...place(e));
	if (part)
		look(part.from - (part.to - part.from) * 0.1, part.to + (part.to - part.from) * 0.1);
});
plot.addEventListener("wheel", e => {
	const by = e.deltaMode === 1 ? 16 : 1;
	if (e.ctrlKey || e.metaKey)
		zoomAt(timeOf(place(e)[0]), Math.pow(1.002, -e.deltaY * by));
	else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
		move((e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX) * by / plotWidth());
	else
		return;
	e.preventDefault();
}, { passive: false });

// Keyboard

input.addEventListener("input", () => {
	find(input.value);
	drawSoon();
	tell();
	remember();
});
input.addEventListener("keydown", e => e.stopPropagation());
onKeys(input, {
	"Escape": () => {
		resetAll();
		plot.focus({ preventScroll: true });
	},
	"Enter": e => nextHit(e.shiftKey ? -1 : 1),
});
function beginSearch() {
	input.focus();
	input.select();
}
const zoomBy = factor => () => zoomAt(middleTime(), factor);
zoomIn.addEventListener("click", zoomBy(2));
zoomOut.addEventListener("click", zoomBy(1 / 2));
reset.addEventListener("click", resetAll);
onKeys(standalone ? window : svg, {
	"+": zoomBy(STEP), "=": zoomBy(STEP), "w": zoomBy(STEP), "-": zoomBy(1 / STEP), "s": zoomBy(1 / STEP),
	"ArrowLeft": () => move(-0.2), "ArrowRight": () => move(0.2), "a": () => move(-0.2), "d": () => move(0.2),
	"Home": () => look(0, view.to - view.from), "End": () => look(data.span - (view.to - view.from), data.span),
	"0": () => look(0, data.span), "Escape": resetAll, "/": beginSearch, "Ctrl-f": beginSearch, "n": () => nextHit(1), "N": () => nextHit(-1),
});

// Beginning

if (standalone && !data.fixed)
	svg.append(make(HTML, "meta", { name: "viewport", content: "width=device-width" }));
window.addEventListener("resize", () => {
	lay();
	drawSoon();
});
window.addEventListener("scroll", () => {
	const [first, last] = rowsInSight(0);
	if (first < drawn[0] || last > drawn[1])
		drawSoon();
	else
		drawAxis();
}, { passive: true, capture: true });
window.addEventListener("beforeprint", () => draw(rows.length));
window.addEventListener("afterprint", () => draw());
if (standalone)
	window.addEventListener("hashchange", () => {
		recall();
		drawSoon();
	});
recall();
lay();
if (widthNow() !== width)
	lay();
draw();
tell();
performance.mark("assay-drawn");
