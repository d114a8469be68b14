// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: the table of functions and the trees as tables.
const functionMenu = frameAt => (i, x, y) => showFunctionMenu(frameAt(i), null, x, y);

function bar(share) {
	const e = el("span", { class: "bar" });
	e.style.width = `${Math.max(0, Math.min(100, 100 * share)).toFixed(2)}%`;
	return e;
}

const numberCell = (weight, sum) => el("span", { class: "number", role: "gridcell" }, bar(weight / (sum || 1)), el("span", { class: "share" }, percent(weight, sum)), el("span", { class: "amount" }, amountText(weight)));
const amountText = weight => state.weight === "samples" ? grouped(weight) : weightText(weight);

// The other events of the recording, a column each: total and self.
const otherText = other => about.events[other.event].name;
const otherHeads = () => selectedOthers().map(other => el("span", { role: "columnheader", class: "other", title: `${otherText(other)}: total and self` }, otherText(other)));

function otherCell(other, total, self) {
	const { sum } = other.weights, share = weight => el("span", { class: "share" }, weight ? percent(weight, sum) : "–");
	return el("span", { class: "number other", role: "gridcell", title: `${otherText(other)}: total ${percent(total, sum)}, self ${percent(self, sum)}` }, bar(total / (sum || 1)), share(total), share(self));
}

const makeRoom = sheet => sheet.box.style.setProperty("--others", selectedOthers().length ? `repeat(${selectedOthers().length}, 132px)` : "");

const SWATCH_WIDTH = 16, TWIST_WIDTH = 12;

/** `used`: of the column, by what stands before the name. */
function nameCell(sheet, frame, used, ...before) {
	const swatch = el("span", { class: "swatch" }), hits = searchHits();
	swatch.style.background = paintOf(frame);
	return el("span", { class: `name${hits && hits[frame] ? " hit" : ""}`, role: "gridcell", title: nameOf(frame) }, ...before, swatch, fittingName(sheet, nameOf(frame), used + SWATCH_WIDTH));
}

// ---- functions ----

const table = { sheet: null, order: [] };

const COMPARED = {
	self: f => (a, b) => f.self[b] - f.self[a], total: f => (a, b) => f.total[b] - f.total[a],
	name: () => (a, b) => nameOf(a).localeCompare(nameOf(b)), module: () => (a, b) => (about.modules[moduleOf(a)] || "").localeCompare(about.modules[moduleOf(b)] || ""),
};

function drawTable() {
	const f = selectedFunctions(), hits = searchHits(), { sheet } = table, sum = selection.weights.sum, found = [];
	for (let i = 0; i < f.total.length; i++)
		if (f.total[i] > 0 && (!hits || hits[i]))
			found.push(i);
	const compare = COMPARED[state.sort](f);
	found.sort((a, b) => (state.rising ? -compare(a, b) : compare(a, b)) || a - b);
	table.order = found;
	sheet.nr = found.length;
	makeRoom(sheet);
	const heads = [["total", "Total"], ["self", "Self"], ["name", "Function"], ["module", "Module"]].map(([key, label]) => {
		const isSorted = state.sort === key, button = el("button", { type: "button", class: key }, label, isSorted ? (state.rising ? " ▴" : " ▾") : "");
		button.addEventListener("click", () => {
			state.rising = isSorted && !state.rising;
			state.sort = key;
			changed("tab");
		});
		return el("span", { role: "columnheader", class: key, "aria-sort": isSorted ? (state.rising ? "ascending" : "descending") : "none" }, button);
	});
	sheet.head.replaceChildren(...heads.slice(0, 2), ...otherHeads(), ...heads.slice(2));
	const others = frame => selectedOthers().map(other => {
		other.functions ??= functionsOf(other.weights);
		return otherCell(other, other.functions.total[frame], other.functions.self[frame]);
	});
	sheet.make = i => el("div", { class: `row${found[i] === state.selected ? " chosen" : ""}`, role: "row" }, numberCell(f.total[found[i]], sum), numberCell(f.self[found[i]], sum), ...others(found[i]), nameCell(sheet, found[i], 0),
		el("span", { class: "module", role: "gridcell", title: originText(found[i]) }, originWords(found[i])));
	drawSheet(sheet);
}

function makeTable() {
	table.sheet = newSheet("functions", "grid");
	listenToSheet(table.sheet, functionMenu(i => table.order[i]), i => showSandwich(table.order[i]), {});
	return table.sheet.box;
}

// ---- trees ----

const MOST_OPENED = 40, HOT = 0.5;

function newTreeView(label, rootOf) {
	const view = { sheet: newSheet(label, "treegrid"), rootOf, root: null, others: [], /** @type {Set<string>} */ open: new Set(), /** @type {Item[]} */ list: [], isTouched: false };
	const toggle = i => {
		const key = pathOf(view.list[i]).join();
		view.isTouched = true;
		if (!view.open.delete(key))
			view.open.add(key);
		listTree(view);
	};
	listenToSheet(view.sheet, functionMenu(i => view.list[i].frame), toggle, {
		ArrowRight: () => view.open.has(pathOf(view.list[view.sheet.focus]).join()) ? focusRow(view.sheet, view.sheet.focus + 1) : toggle(view.sheet.focus),
		ArrowLeft: () => view.open.has(pathOf(view.list[view.sheet.focus]).join()) ? toggle(view.sheet.focus) : focusRow(view.sheet, view.list.indexOf(view.list[view.sheet.focus].parent)),
		"*": () => openHottest(view, view.list[view.sheet.focus]),
	});
	return view;
}

// Opens the path that most of it goes along.
function openHottest(view, from) {
	let item = from;
	for (let i = 0; item && i < MOST_OPENED; i++) {
		if (item.frame !== NONE)
			view.open.add(pathOf(item).join());
		const [child] = unfold(selection.weights, item);
		item = child && (child.total >= HOT * item.total || i === 0) ? child : null;
	}
	listTree(view);
}

// What is open, line by line.
function listTree(view) {
	const { weights } = selection, todo = [], list = [];
	// One by one: there may be more than a call takes arguments.
	const addLast = items => {
		for (let i = items.length; i-- > 0;)
			todo.push(items[i]);
	};
	addLast(unfold(weights, view.root));
	while (todo.length) {
		const item = todo.pop();
		list.push(item);
		if (view.open.has(pathOf(item).join()))
			addLast(unfold(weights, item));
	}
	view.list = list;
	view.sheet.nr = list.length;
	drawSheet(view.sheet);
}

function treeRow(view, item) {
	const { weights } = selection, isOpen = view.open.has(pathOf(item).join()), hasMore = unfold(weights, item).length > 0;
	const twist = el("span", { class: "twist" }, hasMore ? isOpen ? "▾" : "▸" : "");
	const indent = Math.min(item.depth - 1, 60) * 14 + 4, name = nameCell(view.sheet, item.frame, indent + TWIST_WIDTH, twist);
	name.style.paddingLeft = `${indent}px`;
	return el("div", { class: `row${item.frame === state.selected ? " chosen" : ""}`, role: "row", "aria-level": item.depth, ...(hasMore && { "aria-expanded": isOpen }) }, numberCell(item.total, weights.sum),
		numberCell(item.self, weights.sum), ...view.others.map(({ other, root }) => {
			const same = sameItem(other.weights, root, item);
			return otherCell(other, same ? same.total : 0, same ? same.self : 0);
		}), name, el("span", { class: "module", role: "gridcell" }, about.modules[moduleOf(item.frame)] || ""));
}

function drawTree(view) {
	view.root = view.rootOf(selection.weights);
	view.others = selectedOthers().map(other => ({ other, root: view.rootOf(other.weights) }));
	makeRoom(view.sheet);
	const heads = [["total", "Total"], ["self", "Self"], ["name", "Function"], ["module", "Module"]].map(([key, label]) => el("span", { role: "columnheader", class: key }, label));
	view.sheet.head.replaceChildren(...heads.slice(0, 2), ...otherHeads(), ...heads.slice(2));
	view.sheet.make = i => treeRow(view, view.list[i]);
	if (view.isTouched)
		listTree(view);
	else {
		view.open.clear();
		openHottest(view, view.root);
	}
}
