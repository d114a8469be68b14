// SPDX-License-Identifier: GPL-2.0-or-later
//
// A flame graph's page: the same tree with recursion drawn once, by the rule of src/model/flame.h: a call of a function that
// is on the stack already goes back to its frame there, unless a function would disappear by that. Widths are sums of what was merged.

// Frames that are one function have the same key; what may be several has one that no other frame has.
function recursionKeys() {
	const known = new Map(), keys = new Uint32Array(nrFrames), recurs = new Uint8Array(nrFrames);
	for (let f = 0; f < nrFrames; f++) {
		const kind = field(f, 2), isPlace = field(f, 3) & UNRESOLVED && data.names[field(f, 0)].startsWith("[");
		const name = [field(f, 0), field(f, 1), kind].join();
		recurs[f] = kind !== ROOT && kind !== GROUP && kind !== CUT && !isPlace;
		if (recurs[f] && !known.has(name))
			known.set(name, f);
		keys[f] = recurs[f] ? known.get(name) : f;
	}
	return [keys, recurs];
}

// Visits all rectangles, callers first; leave() when all on one was visited.
function walkTree(t, enter, leave) {
	const next = new Uint32Array(t.nr).fill(t.nr), way = [0];
	for (let i = t.nr - 1; i > 0; i--)
		next[t.parent[i]] = i;
	while (way.length) {
		const i = way.at(-1), c = next[i];
		if (c < t.nr && c && t.parent[c] === i) {
			next[i]++;
			enter(c);
			way.push(c);
		} else {
			leave(i);
			way.pop();
		}
	}
}

// Nodes of the new tree, in the order that they are met; `of` says for each rectangle which one it is part of.
function mergeRecursion(t) {
	const [keys, recurs] = recursionKeys(), onWay = new Uint32Array(nrFrames), known = new Map();
	const nodes = [{ frame: t.frame[0], parent: 0, isFirst: true, w: 0, self: 0, from: 0 }], of = new Uint32Array(t.nr);
	const own = Float64Array.from(t.w);
	for (let i = 1; i < t.nr; i++)
		own[t.parent[i]] -= t.w[i];
	const goBack = (at, key) => {
		for (let n = at; ; n = nodes[n].parent) {
			if (keys[nodes[n].frame] === key)
				return n;
			if (nodes[n].isFirst)
				return -1;
		}
	};
	// From a node a function leads to the same one always: which are on the stack, and where, is the node's.
	const callFrom = (at, i, isFirst) => {
		const id = at * nrFrames + t.frame[i];
		let n = known.get(id);
		if (n === undefined) {
			n = isFirst ? -1 : goBack(at, keys[t.frame[i]]);
			if (n < 0)
				n = nodes.push({ frame: t.frame[i], parent: at, isFirst, w: 0, self: 0, from: i }) - 1;
			known.set(id, n);
		}
		return n;
	};
	const take = i => {
		const node = nodes[of[i]];
		node.w += own[i];
		node.self += t.self[i];
		if (t.w[i] > t.w[node.from])
			node.from = i;
	};
	take(0);
	walkTree(t, i => {
		const f = t.frame[i], isFirst = !recurs[f] || !onWay[keys[f]]++;
		of[i] = callFrom(of[t.parent[i]], i, isFirst);
		take(i);
	}, i => recurs[t.frame[i]] && onWay[keys[t.frame[i]]]--);
	for (let n = nodes.length - 1; n > 0; n--)
		nodes[nodes[n].parent].w += nodes[n].w;
	return [nodes, of];
}

// As src/model/flame.c sorts siblings.
function frameRanks() {
	const text = f => [field(f, 2) === CUT ? 1 : 0, data.names[field(f, 0)], data.modules[field(f, 1)], field(f, 2) << 8 | field(f, 3)];
	const texts = Array.from({ length: nrFrames }, (_, f) => text(f)), ranks = new Uint32Array(nrFrames);
	const compare = (a, b) => {
		const i = texts[a].findIndex((v, k) => v !== texts[b][k]);
		return i < 0 ? 0 : texts[a][i] < texts[b][i] ? -1 : 1;
	};
	Array.from(texts.keys()).sort(compare).forEach((f, rank) => { ranks[f] = rank; });
	return ranks;
}

// The tree as columns, like the one it was made of; and which rectangle is which: `of` there, `from` back.
function layMerged(nodes, of) {
	const ranks = frameRanks(), made = newTree(nodes.length), at = new Uint32Array(nodes.length), children = nodes.map(() => []);
	let row = [0], i = 0;
	for (let n = 1; n < nodes.length; n++)
		children[nodes[n].parent].push(n);
	made.from = new Uint32Array(nodes.length);
	for (let r = 0; row.length; r++) {
		const above = [];
		made.rowStart.push(i);
		for (const n of row) {
			let end = made.x[i];
			[made.w[i], made.self[i], made.frame[i], made.rowOf[i], made.from[i]] = [nodes[n].w, nodes[n].self, nodes[n].frame, r, nodes[n].from];
			at[n] = i++;
			children[n].sort((a, b) => ranks[nodes[a].frame] - ranks[nodes[b].frame]);
			for (const c of children[n]) {
				const k = made.rowStart[r] + row.length + above.length;
				made.parent[k] = at[n];
				made.x[k] = end;
				end += nodes[c].w;
				above.push(c);
			}
		}
		row = above;
	}
	made.rowStart.push(i);
	made.of = of.map(n => at[n]);
	return made;
}

// Of a comparison, colours and figures are of the rectangles as they are: `assay flame --diff --collapse-recursion` makes others.
// Whether there is recursion in a picture that is slow to open anyway is found out when it is asked for.
const MOST_AT_ONCE = 30000, isCompared = Boolean(data.details || data.colours);
let merged = isCompared || whole.nr > MOST_AT_ONCE ? null : mergeRecursion(whole), collapsed = null;
const hasRecursion = merged ? merged[0].length < whole.nr : !isCompared;

// The rectangle of the tree that is shown which has or had this place in the other one.
function setCollapsed(isCollapsed) {
	const there = i => i < 0 ? -1 : isCollapsed ? collapsed.of[i] : collapsed.from[i];
	if (!hasRecursion || isCollapsed === state.collapsed)
		return;
	state.collapsed = isCollapsed;
	merged ??= mergeRecursion(whole);
	collapsed ??= layMerged(...merged);
	showTree(isCollapsed ? collapsed : whole);
	[state.zoom, state.at, state.focus] = [state.zoom, state.at, state.focus].map(there);
}

// Where a rectangle of the data is in the tree that is shown, and the other way round.
const shownOf = i => state.collapsed ? collapsed.of[i] : i;
const dataOf = i => state.collapsed ? collapsed.from[i] : i;
