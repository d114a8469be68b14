// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: flame graphs on a canvas: of all stacks, and of the callers and callees of one function. Callers are above what they call.
// What is narrower than half a px is never unfolded, so that a drawing costs what can be seen of it.
const FRAME = 18, LEAST_PX = 0.5, MOST_RECTS = 60000;

/** @typedef {{ x: number, w: number, row: number, item: Item, isUp: boolean }} Rect */

const flame = { box: null, canvas: null, spacer: null, /** @type {Rect[]} */ rects: [], nrRows: 0, focus: /** @type {number[]} */ ([]), root: null, hover: null };
const sandwich = { box: null, canvas: null, spacer: null, /** @type {Rect[]} */ rects: [], nrRows: 0, hover: null, row: 0, shown: NONE };

const byName = (a, b) => nameOf(a.frame).localeCompare(nameOf(b.frame));

// The items on an item as rectangles: `direction` 1 goes down, -1 up.
function layOut(rects, root, x, w, row, direction, weights) {
	const perPx = root.total / w, todo = [{ x, w, row, item: root, isUp: false }];
	while (todo.length && rects.length < MOST_RECTS) {
		const at = todo.pop();
		rects.push(at);
		let left = at.x;
		const items = unfold(weights, at.item, at.item.shares ? 0 : LEAST_PX * perPx);
		for (const item of state.order === "name" ? [...items].sort(byName) : items) {
			const width = item.total / perPx;
			if (width >= LEAST_PX)
				todo.push({ x: left, w: width, row: at.row + direction, item, isUp: false });
			left += width;
		}
	}
	return rects;
}

const rowsOf = rects => rects.reduce((n, r) => Math.max(n, r.row + 1), 0);

// The item that a path of functions leads to, as far as there is one.
function follow(weights, root, path) {
	let item = root;
	for (const frame of path) {
		const next = unfold(weights, item).find(i => i.frame === frame);
		if (!next)
			break;
		item = next;
	}
	return item;
}

function layOutFlame(width) {
	const { weights } = selection, root = state.inverted ? upRoot(weights) : downRoot(weights), zoomed = follow(weights, root, state.zoom), rects = [];
	for (let i = zoomed.parent; i; i = i.parent)
		rects.push({ x: 0, w: width, row: i.depth, item: i, isUp: true });
	flame.root = root;
	return root.total ? layOut(rects, zoomed, 0, width, zoomed.depth, 1, weights) : [];
}

// In the order of time: what neighbours have in common is one rectangle, as wide as what they weigh. Those that are too narrow to see are not kept.
function layOutTime(width) {
	const { tree, passes, first, end, weights } = selection, weight = state.weight === "samples" ? rows.count : rows.period, depth = depthsOf(tree);
	const root = newItem(NONE, weights.sum, weights.self[ROOT], [ROOT], null, null), rects = [{ x: 0, w: width, row: 0, item: root, isUp: false }];
	if (!weights.sum)
		return [];
	const perPx = weights.sum / width, open = [ROOT], began = [0];
	let sum = 0;
	// Ends what is open below a depth.
	const close = to => {
		while (open.length > to + 1) {
			const row = open.length - 1, node = open.pop(), from = began.pop();
			if (sum - from >= (rects.length < MOST_RECTS ? LEAST_PX / 2 : 2) * perPx)
				rects.push({ x: from / perPx, w: (sum - from) / perPx, row, item: { ...newItem(tree.frame[node], sum - from, 0, [node], null, null), depth: row }, isUp: false });
		}
	};
	for (let i = first; i < end; i++) {
		const node = !passes[i] ? NONE : tree.of ? tree.of[rows.node[i]] : rows.node[i];
		if (node === NONE)
			continue;
		if (node !== open[open.length - 1]) {
			let above = node;
			while (depth[above] >= open.length || open[depth[above]] !== above)
				above = tree.parent[above];
			close(depth[above]);
			for (let n = node; n !== above; n = tree.parent[n]) {
				open[depth[n]] = n;
				began[depth[n]] = sum;
			}
		}
		sum += weight[i];
	}
	close(0);
	return rects;
}

// Search

let hitsKnown = { text: "", nr: -1, hits: null };
function searchHits() {
	const nr = frames.nr + madeFrames.length;
	if (!state.search)
		return null;
	if (hitsKnown.text === state.search && hitsKnown.nr === nr)
		return hitsKnown.hits;
	const test = searchTest(state.search), hits = new Uint8Array(nr);
	for (let f = 0; f < nr; f++)
		hits[f] = test(nameOf(f)) ? 1 : 0;
	hitsKnown = { text: state.search, nr, hits };
	return hits;
}

// A regular expression, or, where it is none, text; without capitals both cases are meant.
function searchTest(text) {
	const ignores = text === text.toLowerCase();
	try {
		const pattern = new RegExp(text, ignores ? "i" : "");
		return name => pattern.test(name);
	} catch {
		return name => (ignores ? name.toLowerCase() : name).includes(text);
	}
}

// How much goes through what was found: a stack counts once.
function searchShare(hits) {
	const { tree, total } = selection.weights, inside = new Uint8Array(tree.nr);
	let sum = 0;
	for (let i = 1; i < tree.nr; i++) {
		inside[i] = inside[tree.parent[i]];
		if (!inside[i] && hits[tree.frame[i]]) {
			inside[i] = 1;
			sum += total[i];
		}
	}
	return sum;
}

// Drawing

function drawRect(context, rect, y, hits, isFocus) {
	const { frame } = rect.item, isHit = hits && frame !== NONE && hits[frame], width = rect.w > 3 ? rect.w - 1 : Math.max(rect.w, 0.6);
	context.globalAlpha = rect.isUp ? 0.55 : hits && !isHit ? 0.3 : 1;
	context.fillStyle = frame === NONE ? inks.line : isHit || frame === state.selected ? inks.hit : paintOf(frame);
	context.fillRect(rect.x, y, width, FRAME - 1);
	if (rect.w > 24) {
		context.globalAlpha = 1;
		context.fillStyle = frame === NONE || (hits && !isHit) || (rect.isUp && isDark()) ? inks.ink : isHit || frame === state.selected ? "#fff" : "#1d1a16";
		drawLabel(context, frame === NONE ? rootText() : nameOf(frame), Math.max(rect.x, 0), y + FRAME / 2, width);
	}
	context.globalAlpha = 1;
	if (isFocus) {
		context.strokeStyle = inks.ink;
		context.lineWidth = 2;
		context.strokeRect(rect.x + 1, y + 1, Math.max(1, width - 2), FRAME - 3);
	}
}

const rootText = () => `all (${weightText(selection.weights.sum)})`;
const isPath = (item, path) => path.length && item.depth === path.length && pathOf(item).every((f, i) => f === path[i]);

function drawGraph(graph, rects, focus) {
	const top = graph.box.scrollTop, height = graph.box.clientHeight, width = graph.box.clientWidth, hits = searchHits();
	graph.rects = rects;
	graph.nrRows = rowsOf(rects);
	graph.spacer.style.height = `${graph.nrRows * FRAME + 4}px`;
	const context = contextOf(graph.canvas, width, Math.max(height, 1));
	for (const rect of rects) {
		const y = rect.row * FRAME - top;
		if (y > -FRAME && y < height)
			drawRect(context, rect, y, hits, rect === graph.hover || (focus && isPath(rect.item, focus)));
	}
	if (!selection.weights.sum) {
		context.fillStyle = inks.dim;
		context.fillText(rows.nr ? "No sample passes these filters." : "This page has no samples.", 12, 20);
	}
}

function drawFlame() {
	const width = flame.box.clientWidth;
	drawGraph(flame, state.order === "time" ? layOutTime(width) : layOutFlame(width), document.activeElement === flame.canvas ? flame.focus : null);
}

// The function in the middle, its callers above it, what it calls below.
function drawSandwich() {
	sandwich.box.parentElement.classList.toggle("empty", state.focus === NONE);
	drawGraph(sandwich, state.focus === NONE ? [] : layOutSandwich(sandwich.box.clientWidth), null);
	if (sandwich.shown === state.focus)
		return;
	// Below callers as deep as stacks are, a function that was just chosen would be out of sight.
	sandwich.shown = state.focus;
	sandwich.box.scrollTop = Math.max(0, sandwich.row * FRAME - Math.round(sandwich.box.clientHeight * 0.6));
	drawGraph(sandwich, sandwich.rects, null);
}

function layOutSandwich(width) {
	const { weights } = selection, callees = functionRoot(weights, state.focus, false), callers = functionRoot(weights, state.focus, true), above = [], rects = [];
	if (!callers.total)
		return rects;
	layOut(above, callers, 0, width, 0, -1, weights);
	const depth = above.reduce((n, r) => Math.min(n, r.row), 0);
	sandwich.row = -depth;
	above.filter(r => r.row < 0).forEach(r => rects.push({ ...r, row: r.row - depth }));
	return layOut(rects, callees, 0, width, -depth, 1, weights);
}

// Hands

function rectAt(graph, e) {
	const box = graph.canvas.getBoundingClientRect(), x = e.clientX - box.left, row = Math.floor((e.clientY - box.top + graph.box.scrollTop) / FRAME);
	return graph.rects.find(r => r.row === row && x >= r.x && x < r.x + Math.max(r.w, 1)) || null;
}

/** Lines of a tip. */
function describeItem(item) {
	if (item.frame === NONE)
		return [rootText()];
	const sum = selection.weights.sum;
	const parent = item.parent && item.parent.frame !== NONE ? ` (${percent(item.total, item.parent.total)} of ${shortName(nameOf(item.parent.frame), 40)})` : "";
	return [nameOf(item.frame), `${weightText(item.total)}, ${percent(item.total, sum)}${parent}`, item.self && item.self !== item.total ? `itself ${weightText(item.self)}, ${percent(item.self, sum)}` : "",
		originText(item.frame)];
}

function zoomTo(item) {
	remember();
	state.zoom = pathOf(item);
	flame.focus = state.zoom;
	if (state.tab !== "flame")
		state.inverted = false;
	state.tab = "flame";
	changed("zoom");
}

function selectFunction(frame) {
	state.selected = state.selected === frame ? NONE : frame;
	changed("view");
	say(state.selected === NONE ? "" : `${nameOf(frame)} is marked on the time line`);
}

function showSandwich(frame) {
	if (frame >= frames.nr)
		return;
	state.focus = frame;
	state.tab = "sandwich";
	changed("tab");
}

function listenTo(graph, act) {
	graph.canvas.addEventListener("pointermove", e => {
		const rect = rectAt(graph, e);
		if (rect !== graph.hover) {
			graph.hover = rect;
			drawGraph(graph, graph.rects, null);
		}
		if (rect)
			showTip(describeItem(rect.item), e.clientX, e.clientY);
		else
			hideTip();
	});
	graph.canvas.addEventListener("pointerleave", () => {
		graph.hover = null;
		hideTip();
		drawGraph(graph, graph.rects, null);
	});
	graph.canvas.addEventListener("click", e => {
		const rect = rectAt(graph, e);
		if (rect)
			act(rect.item);
	});
	graph.canvas.addEventListener("contextmenu", e => {
		const rect = rectAt(graph, e);
		if (!rect || rect.item.frame === NONE)
			return;
		e.preventDefault();
		showFunctionMenu(rect.item.frame, graph === flame && state.order !== "time" ? rect.item : null, e.clientX, e.clientY);
	});
	graph.box.addEventListener("scroll", () => drawGraph(graph, graph.rects, null));
}

function graphBox(graph, label) {
	graph.canvas = el("canvas", { class: "graph", tabindex: 0, role: "application", "aria-label": label });
	graph.spacer = el("div", { class: "spacer" });
	graph.box = el("div", { class: "graph-box" }, graph.canvas, graph.spacer);
	return graph.box;
}

// The keyboard: a path of functions, and its neighbours.
function moveFocus(way) {
	if (state.order === "time")
		return moveInGraph(flame, { up: -1, down: 1 }[way] || 0, { left: -1, right: 1 }[way] || 0);
	const { weights } = selection, item = follow(weights, flame.root, flame.focus);
	let next = null;
	if (way === "up")
		next = item.parent;
	else if (way === "down")
		next = unfold(weights, item)[0];
	else if (item.parent) {
		const siblings = unfold(weights, item.parent), at = siblings.findIndex(i => i.frame === item.frame);
		next = siblings[at + (way === "right" ? 1 : -1)];
	}
	if (next) {
		flame.focus = pathOf(next);
		const y = next.depth * FRAME;
		if (y < flame.box.scrollTop || y + FRAME > flame.box.scrollTop + flame.box.clientHeight)
			flame.box.scrollTop = y - flame.box.clientHeight / 2;
		say(describeItem(next).filter(Boolean).join(" · "));
	}
	drawFlame();
}

// Where no path of functions says where the keyboard is: the rectangle at a place.
const rectOf = (graph, row, x) => graph.rects.find(r => r.row === row && x >= r.x && x < r.x + r.w) || null;

function moveInGraph(graph, rows_, columns) {
	const at = graph.hover && graph.rects.includes(graph.hover) ? graph.hover : null;
	let next = at ? null : graph.rects.find(r => r.item.frame === state.focus && graph === sandwich) || graph.rects[0];
	if (at && rows_)
		next = rectOf(graph, at.row + rows_, at.x + at.w / 2) || graph.rects.filter(r => r.row === at.row + rows_ && r.x < at.x + at.w && r.x + r.w > at.x).sort((a, b) => b.w - a.w)[0];
	else if (at)
		next = graph.rects.filter(r => r.row === at.row && (r.x - at.x) * columns > 0).sort((a, b) => columns * (a.x - b.x))[0];
	if (!next)
		return;
	const y = next.row * FRAME;
	if (y < graph.box.scrollTop || y + FRAME > graph.box.scrollTop + graph.box.clientHeight)
		graph.box.scrollTop = y - graph.box.clientHeight / 2;
	graph.hover = next;
	say(describeItem(next.item).filter(Boolean).join(" · "));
	drawGraph(graph, graph.rects, null);
}

const actInGraph = (graph, act) => graph.hover && graph.hover.item.frame !== NONE && act(graph.hover);

function menuInGraph(graph) {
	const box = graph.canvas.getBoundingClientRect();
	actInGraph(graph, r => showFunctionMenu(r.item.frame, null, box.left + Math.max(0, r.x) + 10, box.top + (r.row + 1) * FRAME - graph.box.scrollTop));
}

function menuOfFlame() {
	if (state.order === "time")
		return menuInGraph(flame);

	const item = follow(selection.weights, flame.root, flame.focus), rect = flame.rects.find(r => isPath(r.item, flame.focus)), box = flame.canvas.getBoundingClientRect();
	if (item.frame !== NONE)
		showFunctionMenu(item.frame, item, box.left + (rect ? rect.x : 0) + 10, box.top + item.depth * FRAME - flame.box.scrollTop + FRAME);
}

function makeFlame() {
	graphBox(flame, "flame graph: arrow keys walk through it, Enter zooms, m opens a menu");
	listenTo(flame, item => state.order === "time" ? selectFunction(item.frame) : zoomTo(item));
	flame.canvas.addEventListener("focus", drawFlame);
	flame.canvas.addEventListener("blur", drawFlame);
	onKeys(flame.canvas, {
		ArrowUp: () => moveFocus("up"), ArrowDown: () => moveFocus("down"), ArrowLeft: () => moveFocus("left"), ArrowRight: () => moveFocus("right"),
		Enter: () => state.order === "time" ? actInGraph(flame, r => selectFunction(r.item.frame)) : zoomTo(follow(selection.weights, flame.root, flame.focus)), m: menuOfFlame, ContextMenu: menuOfFlame,
	});
	return flame.box;
}

function makeSandwich() {
	graphBox(sandwich, "callers and callees of one function: arrow keys walk, Enter goes to a function, m opens a menu");
	listenTo(sandwich, item => showSandwich(item.frame));
	onKeys(sandwich.canvas, {
		ArrowUp: () => moveInGraph(sandwich, -1, 0), ArrowDown: () => moveInGraph(sandwich, 1, 0), ArrowLeft: () => moveInGraph(sandwich, 0, -1), ArrowRight: () => moveInGraph(sandwich, 0, 1),
		Enter: () => actInGraph(sandwich, r => showSandwich(r.item.frame)), m: () => menuInGraph(sandwich), ContextMenu: () => menuInGraph(sandwich),
	});
	return sandwich.box;
}
