// A heat map's details: the cell under the pointer, or the one that the arrow keys reached, gets a frame, a cross over its row and
// column, and its tooltip at once. A click or a touch keeps it until Escape or a click elsewhere. Names are only ever set as text.
"use strict";
(() => {
const svg = document.documentElement;
const cells = svg.querySelector(".cells");
if (!cells)
	return;
const focus = svg.querySelector(".focus");
const tip = svg.querySelector(".tip");
const plot = svg.querySelector(".plot");
const make = (name, attributes, parent) => {
	const e = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [k, v] of Object.entries(attributes))
		e.setAttribute(k, v);
	parent.append(e);
	return e;
};
const number = (e, name) => Number(e.getAttribute(name));

// columns[i]: the cells of one column, from below; the browser's own tooltips would come twice
const columns = [...cells.querySelectorAll("g")].map(g => ({ at: Number(g.dataset.c), cells: [...g.children] }));
for (const column of columns) {
	for (const rect of column.cells) {
		const title = rect.querySelector("title");
		rect.setAttribute("aria-label", title.textContent);
		title.remove();
	}
}

let here = null, kept = false;

const box = rect => {
	const shift = rect.parentNode.transform.baseVal.consolidate().matrix.e;
	return { x: shift, y: number(rect, "y"), width: number(rect, "width"), height: number(rect, "height") };
};

// What of the picture the window shows, in the picture's own units: it may be wider than the window, scrolled, or scaled.
const view = () => {
	const m = svg.getScreenCTM().inverse();
	const page = svg.viewBox.baseVal;
	const left = Math.max(0, m.e), top = Math.max(0, m.f);
	return { left, top, right: Math.min(page.width, innerWidth * m.a + m.e), bottom: Math.min(page.height, innerHeight * m.d + m.f) };
};

const show_tip = (b, lines) => {
	tip.replaceChildren();
	const ground = make("rect", { rx: 6 }, tip);
	let width = 0;
	lines.forEach((line, i) => {
		const text = make("text", { x: 10, y: 19 + i * 17 }, tip);
		text.textContent = line;
		width = Math.max(width, text.getBBox().width);
	});
	const seen = view(), height = 12 + lines.length * 17;
	width += 20;
	ground.setAttribute("width", width);
	ground.setAttribute("height", height);
	let x = b.x + b.width + 14, y = b.y - height - 8;
	if (x + width > seen.right - 6)
		x = b.x - width - 14;
	if (y < seen.top + 6)
		y = b.y + b.height + 8;
	// where neither side has room enough the whole tip still is in the window, or at least its beginning
	x = Math.max(seen.left + 6, Math.min(x, seen.right - width - 6));
	y = Math.max(seen.top + 6, Math.min(y, seen.bottom - height - 6));
	tip.setAttribute("transform", `translate(${x} ${y})`);
};

const show = rect => {
	if (here === rect)
		return;
	here = rect;
	focus.replaceChildren();
	tip.replaceChildren();
	if (!rect)
		return;
	const b = box(rect), p = plot.getBBox();
	make("rect", { class: "cross", x: p.x, y: b.y, width: p.width, height: b.height }, focus);
	make("rect", { class: "cross", x: b.x, y: p.y, width: b.width, height: p.height }, focus);
	make("rect", { x: b.x - 1, y: b.y - 1, width: b.width + 2, height: b.height + 2 }, focus);
	show_tip(b, rect.getAttribute("aria-label").split("\n"));
};

const cell_of = e => e.target.closest ? e.target.closest(".cells rect") : null;

// The cell of a column whose row is nearest.
const nearest = (column, row) => column.cells.reduce((best, c) =>
	Math.abs(Number(c.dataset.r) - row) < Math.abs(Number(best.dataset.r) - row) ? c : best);

const step = (dx, dy) => {
	if (!here)
		return nearest(columns[0], 0);
	let i = columns.findIndex(c => c.cells.includes(here));
	const row = Number(here.dataset.r), at = columns[i].cells.indexOf(here);
	if (dy)
		return columns[i].cells[Math.min(Math.max(at + dy, 0), columns[i].cells.length - 1)];
	i = Math.min(Math.max(i + dx, 0), columns.length - 1);
	return nearest(columns[i], row);
};

// Scrolls so that a cell that the keyboard reached is seen, with room for its tip around it.
const reach = rect => {
	const r = rect.getBoundingClientRect(), room = 24;
	const by = (low, high, size) => low < room ? low - room : high > size - room ? Math.min(low - room, high - size + room) : 0;
	window.scrollBy(by(r.left, r.right, innerWidth), by(r.top, r.bottom, innerHeight));
};

svg.addEventListener("pointermove", e => { if (!kept) show(cell_of(e)); });
svg.addEventListener("pointerleave", () => { if (!kept) show(null); });
svg.addEventListener("click", e => {
	const rect = cell_of(e);
	kept = rect !== null;
	here = null;
	show(rect);
});
cells.addEventListener("focus", () => {
	if (here || !cells.matches(":focus-visible"))
		return;
	const rect = step(0, 0);
	kept = true; // the page may move under the pointer
	reach(rect);
	show(rect);
});
// Only while the cells have the focus: elsewhere the arrow keys scroll, as in every page. Escape gives it back.
svg.addEventListener("keydown", e => {
	const far = e.shiftKey ? 10 : 1;
	const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far], Home: [-1e9, 0], End: [1e9, 0] };
	if (e.key === "Escape") {
		kept = false;
		show(null);
		cells.blur();
	} else if (document.activeElement === cells && moves[e.key] && !e.ctrlKey && !e.altKey && !e.metaKey) {
		const rect = step(...moves[e.key]);
		kept = true;
		reach(rect);
		show(rect);
		e.preventDefault();
	}
});
})();
