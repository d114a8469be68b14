// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: what is looked at. A list of filters and transforms, in the order in which they were made, that can be undone; which rows
// pass them, and the weights of the tree that is left. Knows no pixels.

/**
 * @typedef {object} Filter
 * @property {string} kind time, thread, process, cpu, module, function; or a transform: merge, recursion, module (collapsed), focus
 * @property {boolean} [out] what it names is left out
 * @property {boolean} [collapse] of a module: it becomes one frame
 * @property {number} [from] of times, in ns since the first row
 * @property {number} [to] both inside
 * @property {number[]} [ids] threads by tid, processes by pid, CPUs by number
 * @property {number} [frame]
 * @property {number} [module]
 */

const state = {
	/** @type {Filter[]} */
	filters: [], event: 0, weight: "samples", tab: "flame", inverted: false, order: "weight", colours: "kind", search: "",
	/** @type {number[]} functions from the root to the frame that is zoomed to */
	zoom: [], focus: NONE, selected: NONE, sort: "total", rising: false, rowSort: "cost", view: { from: 0, to: 1 }, mode: "auto",
};
const collapsed = new Set(["cpus"]);
const undone = [];

// What is worked out from it.
const selection = {
	/** @type {Uint8Array} rows that pass all but the filter of time, and those that pass all but time and threads */
	passes: null, shown: null,
	/** @type {Uint8Array} as passes, of all events */
	passesOfAll: null,
	/** @type {Tree} */
	tree: null,
	weights: null, functions: null, nrSamples: 0, sumPeriods: 0, first: 0, end: 0,
	/** @type {{ event: number, weights: any, functions: any }[]} of the other events; null: not looked at yet */
	others: null,
};

const isTransform = f => f.kind === "merge" || f.kind === "recursion" || f.kind === "focus" || f.collapse === true;
const timeFilter = () => state.filters.find(f => f.kind === "time");

/** @param {Filter} f */
function filterText(f) {
	const not = f.out ? "not " : "";
	switch (f.kind) {
	case "time":
		return `${timeText(f.from, (f.to - f.from) / 1000)} – ${timeText(f.to, (f.to - f.from) / 1000)} (${lengthText(f.to - f.from)})`;
	case "thread":
		return `${not}thread ${f.ids.map(threadText).join(", ")}`;
	case "process":
		return `${not}process ${f.ids.map(processText).join(", ")}`;
	case "cpu":
		return `${not}CPU ${f.ids.join(", ")}`;
	case "module":
		return f.collapse ? `collapsed: ${about.modules[f.module] || "unknown"}` : `${not}in ${about.modules[f.module] || "unknown"}`;
	case "function":
		return f.out ? `without ${nameOf(f.frame)}` : `through ${nameOf(f.frame)}`;
	case "merge":
		return `merged: ${nameOf(f.frame)}`;
	case "focus":
		return `from ${nameOf(f.frame)} on`;
	case "recursion":
		return "recursion once";
	}
	return f.kind;
}

// A thread by its tid, as its task with most samples calls it.
const threadNames = new Map(), processNames = new Map();
function nameTasks() {
	const nr = new Float64Array(nrTasks());
	for (let i = 0; i < rows.nr; i++)
		nr[rows.task[i]] += rows.count[i];
	const order = [...nr.keys()].sort((a, b) => nr[b] - nr[a]);
	for (const task of order) {
		if (!threadNames.has(tidOf(task)))
			threadNames.set(tidOf(task), commOf(task));
		if (tidOf(task) === pidOf(task) && !processNames.has(pidOf(task)))
			processNames.set(pidOf(task), commOf(task));
	}
	for (const task of order)
		if (!processNames.has(pidOf(task)))
			processNames.set(pidOf(task), commOf(task));
}
const threadText = tid => `${threadNames.get(tid) ?? ""} ${tid}`.trim();
const processText = pid => `${processNames.get(pid) ?? ""} ${pid > 0 ? pid : ""}`.trim();

// Which stacks have a function, or a module, in them: by node of the recorded tree.
function stacksWith(test) {
	const has = new Uint8Array(recorded.nr);
	for (let i = 1; i < recorded.nr; i++)
		has[i] = has[recorded.parent[i]] || test(recorded.frame[i]) ? 1 : 0;
	return has;
}

function stackTests() {
	return state.filters.filter(f => (f.kind === "function" || f.kind === "module") && !f.collapse).map(f => ({
		out: f.out ? 1 : 0,
		has: stacksWith(f.kind === "function" ? at => at === f.frame : at => frames.module[at] === f.module),
	}));
}

// Of tasks: 0 passes, 1 a filter of threads or processes leaves it out.
function taskFlags() {
	const flags = new Uint8Array(nrTasks());
	for (const f of state.filters)
		if (f.kind === "thread" || f.kind === "process") {
			const ids = new Set(f.ids);
			for (let t = 0; t < flags.length; t++)
				if (ids.has(f.kind === "thread" ? tidOf(t) : pidOf(t)) === !!f.out)
					flags[t] = 1;
		}
	return flags;
}

function choosePassing() {
	const passes = selection.passes ??= new Uint8Array(rows.nr), shown = selection.shown ??= new Uint8Array(rows.nr);
	const ofAll = selection.passesOfAll ??= new Uint8Array(rows.nr), hasOthers = otherEvents().length > 0;
	const leftOut = taskFlags(), tests = stackTests(), cpus = state.filters.filter(f => f.kind === "cpu");
	for (let i = 0; i < rows.nr; i++) {
		const isChosen = rows.event[i] === state.event ? 1 : 0;
		let pass = isChosen || hasOthers ? 1 : 0;
		for (let k = 0; pass && k < tests.length; k++)
			pass = tests[k].has[rows.node[i]] ^ tests[k].out;
		for (let k = 0; pass && k < cpus.length; k++)
			pass = cpus[k].ids.includes(rows.cpu[i]) === !cpus[k].out ? 1 : 0;
		shown[i] = pass & isChosen;
		ofAll[i] = pass & (leftOut[rows.task[i]] ^ 1);
		passes[i] = ofAll[i] & isChosen;
	}
	selection.tree = state.filters.filter(isTransform).reduce(transformed, wholeTree());
}

let whole = null;
function wholeTree() {
	whole ??= newTree(recorded.nr, recorded.parent, recorded.frame, null);
	return whole;
}

// The weights of an event's rows that pass, also of the time that is chosen.
function weighEvent(event) {
	const { tree, passesOfAll } = selection, time = timeFilter(), self = new Float64Array(tree.nr), weight = state.weight === "samples" ? rows.count : rows.period;
	const from = time ? firstRow(time.from) : 0, end = time ? firstRow(time.to + 0.5) : rows.nr, { of } = tree;
	let nrSamples = 0, sumPeriods = 0;
	for (let i = from; i < end; i++) {
		if (!passesOfAll[i] || rows.event[i] !== event)
			continue;
		const node = of ? of[rows.node[i]] : rows.node[i];
		if (node < 0)
			continue;
		self[node] += weight[i];
		nrSamples += rows.count[i];
		sumPeriods += rows.period[i];
	}
	return { weights: weigh(tree, self), functions: null, nrSamples, sumPeriods, first: from, end };
}

// What every picture but the time line is drawn from.
function weighSelection() {
	Object.assign(selection, weighEvent(state.event), { others: null });
}

const MOST_OTHERS = 3;

// The events beside the chosen one, those with most samples.
const otherEvents = () => [...eventSamples().keys()].filter(i => i !== state.event && eventSamples()[i] > 0).sort((a, b) => eventSamples()[b] - eventSamples()[a] || a - b).slice(0, MOST_OTHERS);

// What they have of what is shown: for the columns of tables.
function selectedOthers() {
	selection.others ??= otherEvents().map(event => ({ event, ...weighEvent(event) }));
	return selection.others;
}

function selectedFunctions() {
	selection.functions ??= functionsOf(selection.weights);
	return selection.functions;
}

const samplesText = nr => `${grouped(nr)} ${nr === 1 ? "sample" : "samples"}`;

// Weights as they are shown: samples, or periods in the unit of their event.
function weightText(weight) {
	return state.weight === "samples" ? samplesText(weight) : periodText(about.events[state.event], weight);
}

const periodText = (event, sum) => event && event.unit === "nanoseconds" ? lengthText(sum) : `${grouped(sum)}${event && event.unit ? " " + event.unit : ""}`;

// Changes that can be undone

const snapshot = () => JSON.stringify({ filters: state.filters, event: state.event, zoom: state.zoom, inverted: state.inverted });

function remember() {
	const now = snapshot();
	if (undone.at(-1) !== now)
		undone.push(now);
	if (undone.length > 200)
		undone.shift();
}

function undo() {
	const now = snapshot();
	let before = undone.pop();
	// Some changes came to nothing.
	while (before === now)
		before = undone.pop();
	if (before === undefined)
		return false;
	Object.assign(state, JSON.parse(before));
	changed("filters");
	return true;
}

/** Adds a filter; one of time takes the place of another. @param {Filter} f */
function addFilter(f) {
	remember();
	if (f.kind === "time")
		state.filters = state.filters.filter(other => other.kind !== "time");
	if (state.filters.some(other => JSON.stringify(other) === JSON.stringify(f)))
		return;
	state.filters.push(f);
	state.zoom = [];
	changed(f.kind === "time" ? "time" : "filters");
}

function removeFilter(i) {
	remember();
	state.filters.splice(i, 1);
	state.zoom = [];
	changed("filters");
}

function clearFilters() {
	if (!state.filters.length)
		return;
	remember();
	state.filters = [];
	state.zoom = [];
	changed("filters");
}

/** A thread or process is chosen alone, or with others, or no more. */
function toggleTask(kind, id, isAdded) {
	remember();
	const other = state.filters.find(f => f.kind === kind && !f.out), had = other ? other.ids.includes(id) : false;
	const ids = isAdded && other ? had ? other.ids.filter(i => i !== id) : [...other.ids, id] : had && other.ids.length === 1 ? [] : [id];
	state.filters = state.filters.filter(f => f.out || (f.kind !== "thread" && f.kind !== "process") || (isAdded && f.kind !== kind));
	if (ids.length)
		state.filters.push({ kind, ids });
	state.zoom = [];
	changed("filters");
}

// What is looked at, in the address

function toHash() {
	const words = new URLSearchParams();
	const put = (key, value, usual) => value !== usual && words.set(key, String(value));
	for (const f of state.filters)
		words.append("f", JSON.stringify(f));
	put("event", state.event, mainEvent());
	put("weight", state.weight, about.sums ? "period" : "samples");
	put("tab", state.tab, "flame");
	put("inverted", state.inverted ? 1 : 0, 0);
	put("order", state.order, "weight");
	put("colours", state.colours, "kind");
	put("search", state.search, "");
	put("zoom", state.zoom.join("."), "");
	put("focus", state.focus, NONE);
	put("sort", state.rising ? "-" + state.sort : state.sort, "total");
	put("rows", state.rowSort, "cost");
	put("view", `${Math.round(state.view.from)}-${Math.round(state.view.to)}`, `0-${Math.round(lastTime)}`);
	put("mode", state.mode, "auto");
	return words.toString();
}

const isFrame = n => Number.isInteger(n) && n >= 0 && n < frames.nr;

// Filters of an address are somebody else's words: what does not fit is left out.
function isFilter(f) {
	if (!f || typeof f !== "object")
		return false;
	if (f.kind === "time")
		return Number.isFinite(f.from) && Number.isFinite(f.to) && f.from <= f.to;
	if (f.kind === "thread" || f.kind === "process" || f.kind === "cpu")
		return Array.isArray(f.ids) && f.ids.every(Number.isInteger);
	if (f.kind === "module")
		return Number.isInteger(f.module) && f.module >= 0 && f.module < about.modules.length;
	return f.kind === "recursion" || (["function", "merge", "focus"].includes(f.kind) && isFrame(f.frame));
}

function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

// Samples of each event.
let samplesByEvent = null;
function eventSamples() {
	if (!samplesByEvent) {
		samplesByEvent = new Float64Array(about.events.length);
		for (let i = 0; i < rows.nr; i++)
			samplesByEvent[rows.event[i]] += rows.count[i];
	}
	return samplesByEvent;
}

let periodsByEvent = null;
function eventPeriods() {
	if (!periodsByEvent) {
		periodsByEvent = new Float64Array(about.events.length);
		for (let i = 0; i < rows.nr; i++)
			periodsByEvent[rows.event[i]] += rows.period[i];
	}
	return periodsByEvent;
}

// What the page begins with: where the CPU's time went, not waits and not what tracepoints count; of several the one with most samples.
function mainEvent() {
	const nr = eventSamples(), rank = e => e.off_cpu ? 0 : e.tracepoint ? 1 : 2;
	let best = 0;
	for (let i = 1; i < nr.length; i++)
		if (nr[i] && (!nr[best] || (rank(about.events[i]) - rank(about.events[best]) || nr[i] - nr[best]) > 0))
			best = i;
	return best;
}

function fromHash(text) {
	const words = new URLSearchParams(text), word = (key, usual, choices) => {
		const value = words.get(key);
		return value === null || (choices && !choices.includes(value)) ? usual : value;
	};
	const number = (key, usual) => words.has(key) && Number.isInteger(Number(words.get(key))) ? Number(words.get(key)) : usual;
	state.filters = words.getAll("f").map(parsed).filter(isFilter);
	const event = number("event", mainEvent()), focus = number("focus", NONE), sort = word("sort", "total");
	state.event = event >= 0 && event < about.events.length ? event : mainEvent();
	state.weight = word("weight", about.sums ? "period" : "samples", ["samples", "period"]);
	state.tab = word("tab", "flame", TABS.map(([id]) => id));
	state.inverted = words.get("inverted") === "1";
	state.order = word("order", "weight", ["weight", "name", "time"]);
	state.colours = word("colours", "kind", ["kind", "module"]);
	state.search = word("search", "");
	state.zoom = word("zoom", "").split(".").filter(Boolean).map(Number).filter(isFrame);
	state.focus = isFrame(focus) ? focus : NONE;
	state.rising = sort.startsWith("-");
	state.sort = ["self", "total", "name", "module"].find(s => s === sort.replace("-", "")) || "total";
	state.rowSort = word("rows", "cost", ["cost", "start", "name"]);
	const [from, to] = word("view", "").split("-").map(Number);
	state.view = to > from && from >= 0 ? { from, to: Math.min(to, lastTime) } : { from: 0, to: lastTime };
	state.mode = word("mode", "auto", ["auto", "dark", "light"]);
}
