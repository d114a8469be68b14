// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: trees of stacks with weights, what transforms make of them, and items: nodes of a tree that are shown as one, which are
// unfolded where they are looked at. Nothing recurses: stacks are as deep as recordings make them.

/**
 * @typedef {object} Tree
 * @property {number} nr
 * @property {Uint32Array} parent smaller than its children
 * @property {Uint32Array} frame
 * @property {Int32Array | null} of by node of the recorded tree; NONE: left out. null: the same
 * @property {Int32Array} first child
 * @property {Int32Array} next sibling
 * @property {Uint8Array} outermost whether no caller is the same function
 * @property {Uint32Array} depth of the root: 0
 */

/** @returns {Tree} */
function newTree(nr, parent, frame, of) {
	const first = new Int32Array(nr).fill(NONE), next = new Int32Array(nr).fill(NONE);
	for (let i = nr - 1; i > 0; i--) {
		next[i] = first[parent[i]];
		first[parent[i]] = i;
	}
	return { nr, parent, frame, of, first, next, outermost: null, depth: null };
}

// By a walk through the tree that counts the open calls of each function.
function outermostOf(tree) {
	if (tree.outermost)
		return tree.outermost;
	const open = new Uint32Array(frames.nr + madeFrames.length), flags = new Uint8Array(tree.nr);
	let node = tree.first[ROOT];
	while (node > ROOT) {
		flags[node] = open[tree.frame[node]]++ === 0;
		if (tree.first[node] !== NONE) {
			node = tree.first[node];
			continue;
		}
		for (;;) {
			open[tree.frame[node]]--;
			if (tree.next[node] !== NONE) {
				node = tree.next[node];
				break;
			}
			node = tree.parent[node];
			if (node === ROOT)
				break;
		}
	}
	tree.outermost = flags;
	return flags;
}

function depthsOf(tree) {
	if (!tree.depth) {
		tree.depth = new Uint32Array(tree.nr);
		for (let i = 1; i < tree.nr; i++)
			tree.depth[i] = tree.depth[tree.parent[i]] + 1;
	}
	return tree.depth;
}

// Weights of one selection: by node its own and that of all below it, and how much of that is not counted twice by function.

function weigh(tree, self) {
	const total = self.slice();
	for (let i = tree.nr - 1; i > 0; i--)
		if (total[i] !== 0)
			total[tree.parent[i]] += total[i];
	return { tree, self, total, sum: total[ROOT] };
}

/** Self and total of each function. */
function functionsOf(weights) {
	const { tree, self, total } = weights, nr = frames.nr + madeFrames.length, outermost = outermostOf(tree);
	const own = new Float64Array(nr), all = new Float64Array(nr);
	for (let i = 1; i < tree.nr; i++) {
		if (total[i] === 0)
			continue;
		own[tree.frame[i]] += self[i];
		if (outermost[i])
			all[tree.frame[i]] += total[i];
	}
	return { self: own, total: all };
}

// Transforms: where each node of a tree goes to. A step returns the frame of a node in the new tree, SAME for its parent's place, or LEFT_OUT.

const SAME = -2, LEFT_OUT = -3;

function madeFrame(name, module, kind) {
	let i = madeFrames.findIndex(f => f.name === name && f.module === module);
	if (i < 0)
		i = madeFrames.push({ name, module, kind }) - 1;
	return frames.nr + i;
}

const transforms = {
	// Calls of it are their callers' own work.
	merge: ({ frame }) => at => at === frame ? SAME : at,
	// A function that calls itself is one.
	recursion: () => (at, above) => at === above ? SAME : at,
	// All of a module's functions that call each other are one frame.
	module: ({ module }) => {
		const made = madeFrame(`[${about.modules[module] || "unknown"}]`, module, frames.kind[frames.module.indexOf(module)] & KIND_MASK);
		return (at, above) => moduleOf(at) !== module ? at : above === made ? SAME : made;
	},
	// Stacks begin at it.
	focus: ({ frame }) => (at, above, isRoot) => isRoot && at !== frame ? LEFT_OUT : at,
};

function transformed(tree, transform) {
	const step = transforms[transform.kind](transform), size = frames.nr + madeFrames.length, known = new Map();
	const parent = [0], frame = [0], to = new Int32Array(tree.nr);
	for (let i = 1; i < tree.nr; i++) {
		const above = to[tree.parent[i]], at = step(tree.frame[i], above > 0 ? frame[above] : NONE, above === 0);
		if (at === SAME || at === LEFT_OUT) {
			to[i] = above;
			continue;
		}
		const key = above * size + at;
		let node = known.get(key);
		if (node === undefined) {
			node = parent.push(above) - 1;
			frame.push(at);
			known.set(key, node);
		}
		to[i] = node;
	}
	// What is left out has no place: it stays at the root, which is no function.
	const of = new Int32Array(recorded.nr);
	for (let i = 0; i < recorded.nr; i++) {
		const before = tree.of ? tree.of[i] : i;
		of[i] = before === NONE || (transform.kind === "focus" && to[before] === ROOT) ? NONE : to[before];
	}
	return newTree(parent.length, Uint32Array.from(parent), Uint32Array.from(frame), of);
}

// Items

/**
 * @typedef {object} Item
 * @property {number} frame NONE: of the root
 * @property {number} total
 * @property {number} self
 * @property {number[] | Uint32Array} nodes
 * @property {Float64Array | number[] | null} shares of each node, where callers are shown; null: its total
 * @property {Item | null} parent
 * @property {number} depth
 * @property {Item[] | null} children once unfolded
 */

/** @returns {Item} */
const newItem = (frame, total, self, nodes, shares, parent) =>
	({ frame, total, self, nodes, shares, parent, depth: parent ? parent.depth + 1 : 0, children: null });

/** All stacks, from the outermost function on. */
const downRoot = weights => newItem(NONE, weights.sum, weights.self[ROOT], [ROOT], null, null);

/** All stacks, from the sampled function on. */
function upRoot(weights) {
	const nodes = [], shares = [];
	for (let i = 1; i < weights.tree.nr; i++)
		if (weights.self[i] > 0) {
			nodes.push(i);
			shares.push(weights.self[i]);
		}
	const root = newItem(NONE, weights.sum, 0, nodes, shares, null);
	root.children = groupedBy(weights, nodes, shares, root, i => i);
	for (const child of root.children)
		child.self = child.total;
	return root;
}

/** What one function calls, or who calls it. */
function functionRoot(weights, frame, isUp) {
	const { tree, total, self } = weights, outermost = outermostOf(tree), nodes = [], shares = [];
	let all = 0, own = 0;
	for (let i = 1; i < tree.nr; i++)
		if (tree.frame[i] === frame && total[i] > 0) {
			own += self[i];
			if (!outermost[i])
				continue;
			nodes.push(i);
			shares.push(total[i]);
			all += total[i];
		}
	return newItem(frame, all, own, nodes, isUp ? shares : null, null);
}

// Nodes by function: `place` says which node a share goes to; the root is no function.
function groupedBy(weights, nodes, shares, parent, place) {
	const byFrame = new Map();
	for (let i = 0; i < nodes.length; i++) {
		const node = place(nodes[i]);
		if (node === ROOT)
			continue;
		const frame = weights.tree.frame[node];
		let item = byFrame.get(frame);
		if (!item) {
			item = newItem(frame, 0, 0, [], [], parent);
			byFrame.set(frame, item);
		}
		item.nodes.push(node);
		item.shares.push(shares[i]);
		item.total += shares[i];
	}
	return [...byFrame.values()].sort(byWeight);
}

const byWeight = (a, b) => b.total - a.total || a.frame - b.frame;

function childrenBelow(weights, item, least) {
	const { tree, total, self } = weights;
	if (item.nodes.length === 1) {
		const found = [];
		for (let c = tree.first[item.nodes[0]]; c !== NONE; c = tree.next[c])
			if (total[c] > least)
				found.push(newItem(tree.frame[c], total[c], self[c], [c], null, item));
		return found.sort(byWeight);
	}
	const byFrame = new Map();
	for (const node of item.nodes)
		for (let c = tree.first[node]; c !== NONE; c = tree.next[c]) {
			if (!(total[c] > 0))
				continue;
			let child = byFrame.get(tree.frame[c]);
			if (!child)
				byFrame.set(tree.frame[c], child = newItem(tree.frame[c], 0, 0, [], null, item));
			child.nodes.push(c);
			child.total += total[c];
			child.self += self[c];
		}
	return [...byFrame.values()].sort(byWeight);
}

/** The items on an item that weigh more than `least`, the heaviest first. */
function unfold(weights, item, least = 0) {
	if (item.children)
		return item.children;
	const found = item.shares ? groupedBy(weights, item.nodes, item.shares, item, i => weights.tree.parent[i]) : childrenBelow(weights, item, least);
	if (least === 0)
		item.children = found;
	return found;
}

/** The functions from the root to an item. */
function pathOf(item) {
	const path = [];
	for (let i = item; i && i.frame !== NONE; i = i.parent)
		path.push(i.frame);
	return path.reverse();
}

/** The item of other weights of the same tree that has the same path. @returns {Item | null} null: it weighs nothing there */
function sameItem(weights, root, item) {
	let found = root;
	for (const frame of pathOf(item))
		found = found && (unfold(weights, found).find(child => child.frame === frame) || null);
	return found;
}
