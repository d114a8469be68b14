// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's pages: elements, and tables of which only the rows in sight are in the document.
const el = (tag, attributes, ...children) => make(HTML, tag, attributes, ...children);

const CELL = 22;

/**
 * @typedef {object} Sheet
 * @property {HTMLElement} box
 * @property {HTMLElement} body
 * @property {HTMLElement} head
 * @property {number} nr
 * @property {number} focus
 * @property {(i: number) => HTMLElement} make
 * @property {number} nameWidth of the column of names, in pixels; 0: not known
 */

/** @returns {Sheet} */
function newSheet(label, role) {
	const head = el("div", { class: "head", role: "row" }), body = el("div", { class: "body", role: "rowgroup" });
	return { head, body, box: el("div", { class: "sheet", role, "aria-label": label }, head, body), nr: 0, focus: 0, make: null, nameWidth: 0 };
}

// Names of one class are often the same up to their end: they are shortened in the middle. `used`: of the column, by what stands before the name.
const measured = document.createElement("canvas").getContext("2d");

function fittingName(sheet, name, used = 0) {
	const width = sheet.nameWidth - used, fits = t => measured.measureText(t).width <= width;
	if (width <= 0 || fits(name))
		return name;
	for (let letters = Math.floor(name.length * width / measured.measureText(name).width) + 4; letters > 8; letters--)
		if (fits(shortName(name, letters)))
			return shortName(name, letters);
	return name;
}

function measureNames(sheet) {
	const head = sheet.head.querySelector(".name");
	sheet.nameWidth = head ? head.getBoundingClientRect().width : 0;
	measured.font = getComputedStyle(sheet.body).font;
}

function drawSheet(sheet) {
	measureNames(sheet);
	const top = Math.max(0, sheet.box.scrollTop), first = Math.max(0, Math.floor(top / CELL) - 2), last = Math.min(sheet.nr, first + Math.ceil(sheet.box.clientHeight / CELL) + 5);
	const hadFocus = sheet.body.contains(document.activeElement), shown = [];
	sheet.focus = Math.max(0, Math.min(sheet.focus, sheet.nr - 1));
	sheet.body.style.height = `${sheet.nr * CELL}px`;
	for (let i = first; i < last; i++)
		shown.push(i);
	if (sheet.nr && !shown.includes(sheet.focus))
		shown.push(sheet.focus);
	sheet.body.replaceChildren(...shown.map(i => {
		const row = sheet.make(i);
		row.style.top = `${i * CELL}px`;
		row.dataset.row = String(i);
		row.tabIndex = i === sheet.focus ? 0 : -1;
		row.setAttribute("aria-rowindex", i + 1);
		return row;
	}));
	if (hadFocus)
		sheet.body.querySelector(`[data-row="${sheet.focus}"]`)?.focus({ preventScroll: true });
}

function focusRow(sheet, i) {
	sheet.focus = Math.max(0, Math.min(sheet.nr - 1, i));
	const y = sheet.focus * CELL, room = sheet.box.clientHeight - 2 * CELL;
	if (y < sheet.box.scrollTop)
		sheet.box.scrollTop = y;
	else if (y > sheet.box.scrollTop + room)
		sheet.box.scrollTop = y - room;
	drawSheet(sheet);
	sheet.body.querySelector(`[data-row="${sheet.focus}"]`)?.focus({ preventScroll: true });
}

/** `act` is what Enter and a click do, `menuAt` shows the menu of a row, where rows have one.
 * @param {(i: number, x: number, y: number) => void} menuAt may be null */
function listenToSheet(sheet, menuAt, act, keys) {
	const rowOf = e => {
		const row = /** @type {Element} */ (e.target).closest("[data-row]");
		return row ? Number(row.dataset.row) : -1;
	};
	sheet.box.addEventListener("scroll", () => drawSheet(sheet));
	sheet.body.addEventListener("click", e => {
		const i = rowOf(e);
		if (i < 0)
			return;
		sheet.focus = i;
		act(i, e);
	});
	sheet.body.addEventListener("contextmenu", e => {
		const i = rowOf(e);
		if (i >= 0 && menuAt) {
			e.preventDefault();
			menuAt(i, e.clientX, e.clientY);
		}
	});
	const menuOfFocus = () => {
		if (!menuAt || sheet.focus >= sheet.nr)
			return false;
		const box = sheet.body.querySelector(`[data-row="${sheet.focus}"]`).getBoundingClientRect();
		menuAt(sheet.focus, box.left + 40, box.bottom);
		return true;
	};
	onKeys(sheet.body, {
		ArrowDown: () => focusRow(sheet, sheet.focus + 1), ArrowUp: () => focusRow(sheet, sheet.focus - 1), PageDown: () => focusRow(sheet, sheet.focus + 15),
		PageUp: () => focusRow(sheet, sheet.focus - 15), Home: () => focusRow(sheet, 0), End: () => focusRow(sheet, sheet.nr - 1), Enter: e => act(sheet.focus, e),
		m: menuOfFocus, ContextMenu: menuOfFocus, ...keys,
	});
}
