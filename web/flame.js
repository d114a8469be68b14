// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page of a flame graph: draws what is looked at from the rectangles in the JSON beside it (src/view/flame_svg_data.h), zooms, searches
// and tells details, by pointer, touch and keyboard. Names reach the document as text nodes only.
(() => {
"use strict";
const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const LEAST_PX = 0.25, LEAST_CHARS = 3, LEAST_WIDTH = 360, NARROW = 640;
const ROOT = 0, GROUP = 1, KERNEL = 3, JIT = 4, CUT = 5;
const INLINED = 1, UNRESOLVED = 2, FADED = 1 << 24;

const svg = document.currentScript.closest("svg");
const data = JSON.parse(svg.querySelector("script[type='application/json']").textContent);
const standalone = document.documentElement === svg;

// Rectangles as columns: their index is their name. Rows are runs of indices.
const nr = data.rows.reduce((n, row) => n + row.length / 4, 0);
const x = new Float64Array(nr), w = new Float64Array(nr), self = new Float64Array(nr);
const frame = new Uint32Array(nr), parent = new Uint32Array(nr), rowOf = new Uint32Array(nr);
const rowStart = [];
const nrFrames = data.frames.length / 5;
const field = (f, i) => data.frames[f * 5 + i];
const nameOf = i => data.names[field(frame[i], 0)];

function unpack() {
	let i = 0;
	data.rows.forEach((row, r) => {
		let end = 0, above = r ? rowStart[r - 1] : 0;
		rowStart.push(i);
		for (let k = 0; k < row.length; k += 4, i++) {
			x[i] = end + row[k];
			w[i] = row[k + 1];
			frame[i] = row[k + 2];
			self[i] = row[k + 3];
			rowOf[i] = r;
			end = x[i] + w[i];
			while (r && x[above] + w[above] <= x[i])
				above++;
			parent[i] = above;
		}
	});
	rowStart.push(i);
	delete data.rows;
}
unpack();

const state = { zoom: 0, inverted: data.inverted, query: "", hits: null, matched: 0, focus: -1 };
let width = data.width;
let drawn = new Map();

function make(ns, tag, attributes, ...children) {
	const e = document.createElementNS(ns, tag);
	for (const [key, value] of Object.entries(attributes || {}))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

// Words

const grouped = v => v.toLocaleString("en-US");
function percent(part, whole) {
	const p = whole ? 100 * part / whole : 0;
	return (p && p < 0.01 ? "<0.01" : p.toFixed(2)) + "%";
}

const shortened = name => name.length > 40 ? name.slice(0, 39) + "…" : name;

function kindOf(i) {
	const f = frame[i], kind = field(f, 2), marks = field(f, 3), words = [];
	if (kind === KERNEL)
		words.push("kernel");
	if (kind === JIT)
		words.push("JIT");
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
	let text = `${grouped(w[i])} ${data.unit}, ${percent(w[i], data.total)}`;
	if (i && parent[i] !== 0)
		text += ` (${percent(w[i], w[parent[i]])} of ${shortened(nameOf(parent[i]))})`;
	if (self[i] && self[i] !== w[i])
		text += `, itself ${grouped(self[i])}, ${percent(self[i], data.total)}`;
	return text;
}

function origin(i) {
	return [data.modules[field(frame[i], 1)], kindOf(i)].filter(Boolean).join(" · ");
}

const describe = i => [nameOf(i), figures(i), origin(i)].filter(Boolean).join(" · ");

// The fixed parts

svg.querySelector(".still").remove();
const frames = make(SVG, "g", { class: "frames", role: "group", "aria-label": "frames" });
const details = svg.querySelector(".details");
svg.insertBefore(frames, details);
details.setAttribute("role", "status");

const button = (text, title) => make(HTML, "button", { type: "button", title }, text);
const input = make(HTML, "input", { type: "search", placeholder: "search (/)", title: "a regular expression: Ctrl-F or /", "aria-label": "search", spellcheck: "false",
	autocomplete: "off" });
const matched = make(HTML, "span", { class: "matched", role: "status" });
const flip = button("flip", "root on top, or at the bottom: i"), reset = button("reset", "the whole picture, no search: Esc");
const tools = make(SVG, "foreignObject", { class: "tool-box", height: 30 },
	make(HTML, "div", { class: "tools" }, matched, input, flip, reset));
const tip = make(HTML, "div", { class: "tip" });
const tipBox = make(SVG, "foreignObject", { class: "tip-box", width: 440, height: 1, visibility: "hidden", "aria-hidden": "true" }, tip);
svg.append(tools, tipBox);

// Drawing

function rowY(r) {
	return data.top + (state.inverted ? r : rowStart.length - 2 - r) * data.row;
}

function paintOf(i) {
	const f = frame[i];
	const c = data.colours ? data.colours[i] : field(f, 4);
	return field(f, 2) === CUT ? "url(#cut)" : "#" + (c & 0xffffff).toString(16).padStart(6, "0");
}

function labelOf(i, px) {
	const chars = Math.floor((px - 6) / data.char), name = nameOf(i);
	if (chars < LEAST_CHARS)
		return "";
	if (name.length <= chars)
		return name;
	const letters = Array.from(name);
	return letters.length <= chars ? name : letters.slice(0, chars - 1).join("") + "…";
}

function draw(i, left, px, isUp) {
	const y = rowY(rowOf[i]), kind = field(frame[i], 2), inlined = field(frame[i], 3) & INLINED;
	const shown = px > 4 ? px - 0.5 : px;
	const rect = make(SVG, "rect", { x: left.toFixed(2), y, width: shown.toFixed(2), height: data.row - 1, fill: paintOf(i) });
	const g = make(SVG, "g", { "data-i": i, tabindex: i === 0 ? 0 : -1 }, rect);
	const names = [];
	if (data.edges && (kind === KERNEL || kind === JIT))
		g.append(make(SVG, "rect", { class: kind === KERNEL ? "ek" : "ej", x: left.toFixed(2), y: y + data.row - 3, width: shown.toFixed(2), height: 2 }));
	if (data.colours && data.colours[i] & FADED)
		g.setAttribute("opacity", ".3");
	const label = labelOf(i, px);
	if (label)
		g.append(make(SVG, "text", { x: (left + 3).toFixed(2), y: y + 12, ...(inlined && { class: "in" }) }, label));
	if (isUp)
		names.push("up");
	if (state.hits)
		names.push(state.hits[frame[i]] ? "hit" : "miss");
	if (names.length)
		g.setAttribute("class", names.join(" "));
	return g;
}

// The first rectangle of a row that ends behind `at`.
function firstBehind(r, at) {
	let lo = rowStart[r], hi = rowStart[r + 1];
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (x[mid] + w[mid] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

function render() {
	const z = state.zoom, area = width - 2 * data.pad, from = x[z], to = x[z] + w[z], scale = w[z] ? area / w[z] : 0;
	const fragment = document.createDocumentFragment();
	const hadFocus = frames.contains(document.activeElement);
	drawn = new Map();
	const add = (i, left, px, isUp) => {
		const g = draw(i, left, px, isUp);
		drawn.set(i, g);
		fragment.append(g);
	};
	for (let i = z; rowOf[i]; ) {
		i = parent[i];
		add(i, data.pad, area, true);
	}
	for (let r = rowOf[z]; r < rowStart.length - 1; r++) {
		for (let i = firstBehind(r, from); i < rowStart[r + 1] && x[i] < to; i++) {
			if (w[i] * scale >= LEAST_PX || i === z)
				add(i, data.pad + (x[i] - from) * scale, Math.max(w[i] * scale, 0), false);
		}
	}
	frames.replaceChildren(fragment);
	reset.disabled = !state.zoom && !state.query;
	if (state.focus >= 0 && hadFocus)
		focusOn(drawn.has(state.focus) ? state.focus : z);
}

// Details

function showTip(i, atX, atY) {
	const about = origin(i);
	tip.replaceChildren(make(HTML, "b", {}, nameOf(i)), make(HTML, "div", {}, figures(i)), ...(about ? [make(HTML, "div", {}, about)] : []));
	tipBox.setAttribute("visibility", "visible");
	const box = svg.getBoundingClientRect(), scale = box.width / width || 1;
	const size = tip.getBoundingClientRect(), tw = size.width / scale, th = size.height / scale;
	const top = standalone ? window.scrollY / scale : 0, bottom = standalone ? top + window.innerHeight / scale : box.height / scale;
	let left = atX + 14, y = atY + 18;
	if (left + tw > width - 4)
		left = Math.max(4, Math.min(atX - 14 - tw, width - tw - 4));
	if (y + th > bottom - 4)
		y = Math.max(top + 4, atY - 10 - th);
	tipBox.setAttribute("x", left);
	tipBox.setAttribute("y", y);
}

function hideTip() {
	tipBox.setAttribute("visibility", "hidden");
}

const HINT = "click or Enter: zoom · / or Ctrl-F: search · arrows: walk · i: flip · Esc: reset";
function tell(i) {
	cut({ e: details, text: i < 0 ? HINT : describe(i) }, width - 2 * data.pad);
}

// A line of the picture that is wider than the page.
function cut({ e, text }, room) {
	e.textContent = text;
	const length = e.getComputedTextLength();
	if (length > room)
		e.textContent = text.slice(0, Math.max(1, Math.floor(text.length * room / length) - 1)) + "…";
}

// Moves

function remember() {
	const parts = [];
	if (state.zoom)
		parts.push("zoom=" + state.zoom);
	if (state.query)
		parts.push("search=" + encodeURIComponent(state.query));
	if (state.inverted !== data.inverted)
		parts.push("flip=1");
	try {
		history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
	} catch {
		// a page inside another one may not
	}
}

function recall() {
	const known = new URLSearchParams(location.hash.slice(1)), z = Number(known.get("zoom"));
	if (!standalone)
		return;
	if (Number.isInteger(z) && z > 0 && z < nr)
		state.zoom = z;
	if (known.get("flip"))
		state.inverted = !data.inverted;
	if (known.get("search"))
		search(known.get("search"));
}

function zoomTo(i) {
	state.zoom = i;
	hideTip();
	render();
	remember();
}

// What matches, and its share: a match on another one counts once.
function search(text) {
	let expression = null;
	state.query = text;
	state.hits = null;
	input.removeAttribute("aria-invalid");
	matched.textContent = "";
	if (input.value !== text)
		input.value = text;
	try {
		expression = text ? new RegExp(text) : null;
	} catch {
		input.setAttribute("aria-invalid", "true");
		matched.textContent = "no regex";
	}
	if (!expression)
		return;
	const hitName = data.names.map(n => expression.test(n)), inside = new Uint8Array(nr);
	state.hits = new Uint8Array(nrFrames);
	for (let f = 0; f < nrFrames; f++)
		state.hits[f] = field(f, 2) !== ROOT && hitName[field(f, 0)];
	state.matched = 0;
	for (let i = 0; i < nr; i++) {
		inside[i] = i && inside[parent[i]];
		if (!inside[i] && state.hits[frame[i]]) {
			inside[i] = 1;
			state.matched += w[i];
		}
	}
	matched.textContent = "matched " + percent(state.matched, w[0]);
}

function searchAnew(text) {
	search(text);
	render();
	remember();
}

function resetAll() {
	state.zoom = 0;
	search("");
	hideTip();
	render();
	remember();
}

function flipOver() {
	state.inverted = !state.inverted;
	hideTip();
	render();
	remember();
}

function focusOn(i) {
	const g = drawn.get(i);
	if (!g)
		return;
	state.focus = i;
	g.setAttribute("aria-label", describe(i));
	g.setAttribute("role", "button");
	g.focus({ preventScroll: false });
	tell(i);
}

function child(i) {
	const r = rowOf[i] + 1;
	let best = -1;
	if (r >= rowStart.length - 1)
		return -1;
	if (drawn.get(i).classList.contains("up")) {
		best = state.zoom;
		while (parent[best] !== i)
			best = parent[best];
		return best;
	}
	for (let k = firstBehind(r, x[i]); k < rowStart[r + 1] && x[k] < x[i] + w[i]; k++)
		if (drawn.has(k) && (best < 0 || w[k] > w[best]))
			best = k;
	return best;
}

function beside(i, step) {
	for (let k = i + step; k >= rowStart[rowOf[i]] && k < rowStart[rowOf[i] + 1]; k += step)
		if (drawn.has(k))
			return k;
	return -1;
}

function walk(key) {
	const i = drawn.has(state.focus) ? state.focus : -1;
	if (i < 0)
		return focusOn(state.zoom);
	const outward = (key === "ArrowUp") !== state.inverted;
	const to = key === "ArrowLeft" ? beside(i, -1) : key === "ArrowRight" ? beside(i, 1) : outward ? child(i) : i ? parent[i] : -1;
	if (to < 0)
		return undefined;
	focusOn(to);
	const box = drawn.get(to).firstChild;
	showTip(to, Number(box.getAttribute("x")), Number(box.getAttribute("y")) + data.row);
	return undefined;
}

// Events

const indexOf = target => {
	const g = target instanceof Element ? target.closest("g[data-i]") : null;
	return g && frames.contains(g) ? Number(g.getAttribute("data-i")) : -1;
};

function place(event) {
	const box = svg.getBoundingClientRect(), scale = box.width / width || 1;
	return [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
}

let touched = -1, isTouch = false;
frames.addEventListener("pointerdown", e => { isTouch = e.pointerType === "touch"; });
frames.addEventListener("pointermove", e => {
	const i = indexOf(e.target);
	if (i < 0 || e.pointerType === "touch")
		return;
	tell(i);
	showTip(i, ...place(e));
});
frames.addEventListener("pointerleave", e => {
	if (e.pointerType === "touch")
		return;
	hideTip();
	tell(drawn.has(state.focus) && frames.contains(document.activeElement) ? state.focus : -1);
});
// A finger cannot hover: its first touch tells, the second one on the same frame zooms.
frames.addEventListener("click", e => {
	const i = indexOf(e.target);
	if (i < 0)
		return;
	state.focus = i;
	tell(i);
	if (isTouch && touched !== i) {
		touched = i;
		focusOn(i);
		showTip(i, ...place(e));
		return;
	}
	touched = -1;
	zoomTo(i);
});
frames.addEventListener("focusin", e => {
	const i = indexOf(e.target);
	if (i >= 0) {
		state.focus = i;
		tell(i);
	}
});

input.addEventListener("input", () => searchAnew(input.value));
input.addEventListener("keydown", e => {
	if (e.key === "Escape") {
		resetAll();
		focusOn(0);
	} else if (e.key === "Enter") {
		for (let i = 0; i < nr; i++)
			if (state.hits && state.hits[frame[i]] && drawn.has(i)) {
				focusOn(i);
				break;
			}
	} else {
		e.stopPropagation();
		return;
	}
	e.preventDefault();
	e.stopPropagation();
});
flip.addEventListener("click", flipOver);
reset.addEventListener("click", resetAll);

function onKey(e) {
	const isSearch = (e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "f";
	if (!isSearch && (e.ctrlKey || e.metaKey || e.altKey))
		return;
	if (isSearch || e.key === "/") {
		input.focus();
		input.select();
	} else if (e.key.startsWith("Arrow")) {
		walk(e.key);
	} else if ((e.key === "Enter" || e.key === " ") && frames.contains(document.activeElement)) {
		zoomTo(state.focus);
	} else if (e.key === "Escape") {
		resetAll();
	} else if (e.key === "i") {
		flipOver();
	} else {
		return;
	}
	e.preventDefault();
}
(standalone ? window : svg).addEventListener("keydown", onKey);

// Size

// Where the page is narrow, the tools take the place of the legend.
function stayInSight() {
	const top = width < NARROW ? 50 : 10;
	tools.setAttribute("y", standalone && window.scrollY > top ? window.scrollY + 4 : top);
}

const lines = [...svg.querySelectorAll(".title, .subtitle, .note")].map(e => ({ e, text: e.textContent }));

function fit() {
	if (!data.fixed) {
		svg.style.width = "100%";
		width = Math.max(LEAST_WIDTH, Math.floor(svg.getBoundingClientRect().width) || data.width);
	}
	const height = Number(svg.getAttribute("height")), room = Math.min(480, width - 2 * data.pad);
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	tools.setAttribute("width", room);
	tools.setAttribute("x", width - data.pad - room);
	svg.classList.toggle("narrow", width < NARROW);
	for (const line of lines)
		cut(line, width - 2 * data.pad - (width >= NARROW && line.e.classList.contains("title") ? 330 : 0));
	stayInSight();
	render();
}
window.addEventListener("resize", fit);
window.addEventListener("scroll", stayInSight, { passive: true });

recall();
fit();
tell(-1);
// The root is what one looks for first: of a tall picture, the lower end.
if (standalone && !state.inverted)
	window.scrollTo(0, document.documentElement.scrollHeight || Number(svg.getAttribute("height")));
})();
