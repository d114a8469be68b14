// SPDX-License-Identifier: GPL-2.0-or-later
//
// A heat map's details: the cell under the pointer, or the one that the arrow keys reached, gets a frame, a cross over its row and
// column, and its tooltip at once. A click or a touch keeps it until Escape or a click elsewhere.
const cells = svg.querySelector(".cells");
if (!cells)
	return;
const focus = svg.querySelector(".focus");
const plot = svg.querySelector(".plot");
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

const show = rect => {
	if (here === rect)
		return;
	here = rect;
	focus.replaceChildren();
	hideTip();
	if (!rect)
		return;
	const b = box(rect), p = plot.getBBox();
	focus.append(make(SVG, "rect", { class: "cross", x: p.x, y: b.y, width: p.width, height: b.height }));
	focus.append(make(SVG, "rect", { class: "cross", x: b.x, y: p.y, width: b.width, height: p.height }));
	focus.append(make(SVG, "rect", { x: b.x - 1, y: b.y - 1, width: b.width + 2, height: b.height + 2 }));
	showTip(rect.getAttribute("aria-label").split("\n"), b, true);
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
const move = (dx, dy) => e => {
	const far = e.shiftKey ? 10 : 1;
	if (document.activeElement !== cells)
		return false;
	const rect = step(dx * far, dy * far);
	kept = true;
	reach(rect);
	show(rect);
	return true;
};
onKeys(svg, {
	ArrowLeft: move(-1, 0), ArrowRight: move(1, 0), ArrowUp: move(0, 1), ArrowDown: move(0, -1), Home: move(-1e9, 0), End: move(1e9, 0),
	Escape: () => {
		kept = false;
		show(null);
		cells.blur();
		return false;
	},
});
