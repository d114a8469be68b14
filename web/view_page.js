// SPDX-License-Identifier: GPL-2.0-or-later
//
// The last part of the viewer's page: what stands where, tabs, keys, the address, and what is drawn again after a change.
const TABS = [["flame", "Flame graph"], ["down", "Top-down"], ["up", "Bottom-up"], ["table", "Functions"], ["sandwich", "Sandwich"], ["code", "Code"], ["heat", "Heat map"], ["details", "Details"]];

const page = { bar: null, chips: null, undo: null, search: null, found: null, event: null, weight: null, inverted: null, order: null, colours: null, tabs: null, panels: new Map(), tabInSight: null, status: null, counts: null, help: null, helpOpener: null };
const trees = { down: null, up: null };

function say(text) {
	page.status.textContent = text;
}

// ---- what a change makes necessary: all below its own line ----

const STEPS = ["filters", "time", "zoom", "tab", "view"];
let waiting = STEPS.length;

function changed(what) {
	const step = STEPS.indexOf(what);
	if (waiting === STEPS.length)
		requestAnimationFrame(redraw);
	waiting = Math.min(waiting, step);
}

function redraw() {
	const step = waiting;
	if (step === STEPS.length)
		return;
	waiting = STEPS.length;
	if (step <= STEPS.indexOf("filters")) {
		choosePassing();
		shownVersion++;
		makeLines();
	}
	if (step <= STEPS.indexOf("time"))
		weighSelection();
	drawTimeline();
	drawBar();
	drawTabs();
	if (step < STEPS.indexOf("view") || state.tab !== "heat")
		drawPanel();
	writeHash();
}

let writing = 0, written = "";
function writeHash() {
	clearTimeout(writing);
	writing = setTimeout(() => {
		written = toHash();
		history.replaceState(null, "", written ? "#" + written : location.pathname + location.search);
	}, 60);
}

function drawPanel() {
	for (const [id, panel] of page.panels)
		panel.hidden = id !== state.tab;
	switch (state.tab) {
	case "flame": return drawFlame();
	case "down": return drawTree(trees.down);
	case "up": return drawTree(trees.up);
	case "table": return drawTable();
	case "sandwich": return drawSandwichPanel();
	case "code": return drawCode();
	case "heat": return drawHeat();
	}
}

// ---- the bar of filters ----

function drawBar() {
	page.chips.replaceChildren(...madeWith(), ...state.filters.map((f, i) => {
		const text = filterText(f), close = el("button", { type: "button", "aria-label": `remove ${text}` }, "×");
		close.addEventListener("click", () => removeFilter(i));
		return el("span", { class: `chip${isTransform(f) ? " transform" : ""}`, title: f.kind === "time" ? `--time ${clockText(f.from)},${clockText(f.to)}` : text, "data-kind": f.kind }, el("span", {}, shortName(text, 60)), close);
	}), ...(state.filters.length ? [clearButton()] : [el("span", { class: "none" }, about.filters.length ? "all samples of this page" : "all samples")]));
	page.undo.disabled = undone.every(before => before === snapshot());
	const { sum } = selection.weights, hits = searchHits(), time = timeFilter();
	page.counts.textContent = `${samplesText(selection.nrSamples)}${state.weight === "period" ? `, ${weightText(sum)}` : ""}${time ? ` in ${lengthText(time.to - time.from)}` : ""}`;
	page.found.textContent = hits ? `${percent(searchShare(hits), sum)} matched` : "";
	if (document.activeElement !== page.search)
		page.search.value = state.search;
	page.event.value = String(state.event);
	page.weight.value = state.weight;
	page.inverted.setAttribute("aria-pressed", state.inverted);
	page.inverted.disabled = state.order === "time";
	page.order.value = state.order;
	page.colours.value = state.colours;
}

// Filters that the page was made with: other samples are not in it.
const madeWithText = () => about.filters.map((word, i) => i % 2 ? ` ${word}` : (i ? " " : "") + word).join("");
const madeWith = () => about.filters.length ? [el("span", { class: "chip made", title: `this page was made with ${madeWithText()}: it has no other samples` }, shortName(madeWithText(), 60))] : [];

function clearButton() {
	const button = el("button", { type: "button", class: "clear" }, "clear all");
	button.addEventListener("click", clearFilters);
	return button;
}

function drawTabs() {
	for (const tab of page.tabs.children) {
		const isShown = tab.dataset.tab === state.tab;
		tab.setAttribute("aria-selected", isShown);
		tab.tabIndex = isShown ? 0 : -1;
		if (isShown && page.tabInSight !== tab) {
			page.tabInSight = tab;
			// In a narrow window the row of tabs scrolls.
			page.tabs.scrollLeft = tab.offsetLeft - page.tabs.offsetLeft - (page.tabs.clientWidth - tab.offsetWidth) / 2;
		}
	}
}

function select(label, entries, act) {
	const e = el("select", { "aria-label": label, title: label }, ...entries.map(([value, text]) => el("option", { value }, text)));
	e.addEventListener("change", () => act(e.value));
	return e;
}

function button(text, label, act) {
	const e = el("button", { type: "button", "aria-label": label, title: label }, text);
	e.addEventListener("click", act);
	return e;
}

function makeBar() {
	page.chips = el("div", { class: "chips", role: "group", "aria-label": "filters" });
	page.undo = button("Undo", "undo the last change of filters (Ctrl-Z)", () => undo());
	page.counts = el("span", { class: "counts", "aria-live": "polite" });
	page.search = el("input", { type: "search", placeholder: "Search functions ( / )", "aria-label": "search functions: text or a regular expression", spellcheck: "false" });
	page.search.addEventListener("input", () => {
		state.search = page.search.value;
		changed("tab");
	});
	onKeys(page.search, { Enter: focusPanel });
	page.found = el("span", { class: "found", "aria-live": "polite" });
	page.event = select("event", about.events.flatMap((e, i) => eventSamples()[i] ? [[String(i), e.name]] : []), value => {
		remember();
		state.event = Number(value);
		changed("filters");
	});
	page.event.hidden = page.event.options.length < 2;
	page.weight = select("weight", [["samples", "samples"], ["period", "periods"]], value => {
		state.weight = value;
		changed("time");
	});
	return el("div", { class: "filters" }, page.undo, page.chips, page.counts, el("span", { class: "tools" }, page.event, page.weight, page.search, page.found));
}

// ---- panels ----

function drawSandwichPanel() {
	const f = selectedFunctions(), { sum } = selection.weights;
	if (state.focus === NONE) {
		const hottest = [...f.self.keys()].filter(i => f.self[i] > 0).sort((a, b) => f.self[b] - f.self[a])[0];
		if (hottest !== undefined && hottest < frames.nr)
			state.focus = hottest;
	}
	const title = page.panels.get("sandwich").querySelector(".about");
	title.textContent = state.focus === NONE ? "No function is chosen." :
		`${nameOf(state.focus)}: total ${weightText(f.total[state.focus])} (${percent(f.total[state.focus], sum)}), itself ${weightText(f.self[state.focus])} (${percent(f.self[state.focus], sum)}). Callers above, what it calls below; click one to go there.`;
	// Last: how many lines the text has decides how much room is left.
	drawSandwich();
}

function detailRows() {
	const list = [["recording", about.recording]], span = rows.nr ? rows.time[rows.nr - 1] : 0;
	for (let i = 0; i < about.notes.length; i += 2)
		list.push([about.notes[i], about.notes[i + 1]]);
	list.push(["events", about.events.map((e, i) => eventText(e, eventSamples()[i], eventPeriods()[i])).join("; ")], ["samples", grouped(nrSamples())], ...(about.timed && rows.nr ? [["time", `${lengthText(span)} from ${clockText(0)} to ${clockText(span)}`]] : []),
		["processes", grouped(nrProcesses())], ["threads", grouped(nrThreads())], ["distinct stacks", `${grouped(new Set(rows.node).size)}, of ${grouped(frames.nr)} functions in ${grouped(about.modules.length)} modules`]);
	if (about.filters.length)
		list.push(["filters", `made with ${madeWithText()}: samples that these leave out are not in this page`]);
	if (about.spans_merged)
		list.push(["states", `there are too many spans for a page: those that are shorter than ${lengthText(about.spans_merged)} are one with their neighbours, shown as the state that most of it was in`]);
	if (about.states_note)
		list.push(["states", about.states_note]);
	if (about.merged)
		list.push(["merged", `equal samples less than ${lengthText(about.merged)} apart are one row with their sum and the time of one of them: counts of all of the time are exact, those of a part are close`]);
	if (about.spans_left_out)
		list.push(["states", `${grouped(about.spans_left_out)} spans are left out: there are too many for a page`]);
	if (gaps.nr)
		list.push(["gaps", gapsText()]);
	return list;
}

function gapsText() {
	const throttled = [...gaps.lost.keys()].filter(i => !gaps.lost[i]), lost = gaps.nr - throttled.length;
	return [lost ? `${grouped(gaps.lost.reduce((n, c) => n + c, 0))} samples lost at ${grouped(lost)} places` : "",
		throttled.length ? `throttled ${grouped(throttled.length)} times, ${lengthText(throttled.reduce((n, i) => n + gaps.end[i] - gaps.begin[i], 0))} in all` : ""].filter(Boolean).join("; ");
}

// Those that have a row in the time line.
function nrThreads() {
	const tids = new Set();
	for (let i = 0; i < rows.nr; i++)
		tids.add(rows.task[i]);
	for (const task of spans.of.keys())
		tids.add(task);
	return new Set([...tids].map(tidOf)).size;
}

function nrProcesses() {
	const pids = new Set();
	for (let i = 0; i < rows.nr; i++)
		pids.add(pidOf(rows.task[i]));
	for (const task of spans.of.keys())
		pids.add(pidOf(task));
	return pids.size;
}

// An event with what all of its samples are.
const eventText = (event, nr, periods) => `${event.name}: ${samplesText(nr)}${nr && periods !== nr ? `, ${periodText(event, periods)}` : ""}`;

function makeDetails() {
	const warnings = [];
	for (let i = 0; i < (about.warnings || []).length; i += 2)
		warnings.push(el("li", {}, about.warnings[i + 1]));
	return el("div", { class: "details" }, el("dl", {}, ...detailRows().flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)])), ...(warnings.length ? [el("h2", {}, "What is missing"), el("ul", {}, ...warnings)] : []));
}

function makeBanner() {
	const loud = [];
	for (let i = 0; i < (about.warnings || []).length; i += 2)
		if (about.warnings[i])
			loud.push(about.warnings[i + 1]);
	if (about.states_note_is_loud)
		loud.push(about.states_note);
	if (about.merged)
		loud.push(`Equal samples less than ${lengthText(about.merged)} apart are merged in this page: counts of parts of the time are close, not exact.`);
	const banner = el("div", { class: `quality${loud.length ? " loud" : ""}`, role: loud.length ? "alert" : "note" }, el("b", {}, loud.length ? "Mind: " : "Quality: "), loud.length ? loud.join(" · ") : about.quality || "not known");
	banner.hidden = !loud.length && !about.quality;
	return banner;
}

function makeLegend() {
	const swatch = (paint, text) => {
		const e = el("i", {});
		e.style.background = paint;
		return el("span", { class: "key" }, e, text);
	};
	const kinds = new Set();
	for (let i = 0; i < frames.nr; i++)
		kinds.add(frames.kind[i] & KIND_MASK);
	const used = new Set();
	for (let i = 0; i < spans.nr; i++)
		used.add(spans.state[i]);
	return [...["user", "kernel", "JIT"].flatMap((text, k) => kinds.has(k) ? [swatch(kindPaint(k), text)] : []), ...(rows.state.some(s => s !== ON_CPU) ? [swatch(kindPaint("off"), "off CPU")] : []),
		...[...used].sort((a, b) => a - b).map(s => swatch(about.states[3 * s + (isDark() ? 2 : 1)], about.states[3 * s])), ...(gaps.nr ? [swatch(inks.gap, gaps.lost.some(Boolean) ? "samples lost" : "throttled")] : []),
		...(spans.waker.some(w => w !== NONE) ? [swatch(inks.accent, "woken by")] : [])];
}

function makePanels() {
	trees.down = newTreeView("call tree, from the outermost function", downRoot);
	trees.up = newTreeView("call tree, from the sampled function", upRoot);
	page.inverted = button("Invert", "inverted: from the sampled function to its callers (i)", () => invert());
	page.order = select("order", [["weight", "heaviest first"], ["name", "by name"], ["time", "in order of time"]], value => {
		state.order = value;
		changed("zoom");
	});
	page.colours = select("colours", [["kind", "colours: kind of code"], ["module", "colours: module"]], value => {
		state.colours = value;
		changed("tab");
	});
	const tools = el("div", { class: "graph-tools" }, page.inverted, page.order, page.colours, button("Reset zoom", "show all stacks (Esc)", resetZoom));
	const add = (id, ...children) => page.panels.set(id, el("section", { class: `panel ${id}`, id: `panel-${id}`, role: "tabpanel", "aria-label": TABS.find(t => t[0] === id)[1], hidden: "" }, ...children));
	add("flame", tools, makeFlame());
	add("down", trees.down.sheet.box);
	add("up", trees.up.sheet.box);
	add("table", makeTable());
	add("sandwich", el("p", { class: "about" }), makeSandwich());
	add("code", ...makeCode());
	add("heat", ...makeHeat());
	add("details", makeDetails());
	return [...page.panels.values()];
}

function resetZoom() {
	if (!state.zoom.length)
		return;
	remember();
	state.zoom = [];
	changed("zoom");
}

function invert() {
	remember();
	state.inverted = !state.inverted;
	state.zoom = [];
	flame.focus = [];
	changed("zoom");
}

function makeTabs() {
	page.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "views" }, ...TABS.map(([id, label]) => {
		const tab = el("button", { type: "button", role: "tab", "data-tab": id, "aria-controls": `panel-${id}` }, label);
		tab.addEventListener("click", () => showTab(id));
		return tab;
	}));
	const step = by => {
		const at = TABS.findIndex(([id]) => id === state.tab);
		showTab(TABS[(at + by + TABS.length) % TABS.length][0]);
		page.tabs.children[TABS.findIndex(([id]) => id === state.tab)].focus();
	};
	onKeys(page.tabs, { ArrowRight: () => step(1), ArrowLeft: () => step(-1) });
	return page.tabs;
}

// At once: the next key may be for what is shown.
function showTab(id) {
	state.tab = id;
	changed("tab");
	redraw();
}

// ---- light, keys, help ----

function showMode() {
	document.documentElement.dataset.mode = state.mode;
	readInks();
	document.querySelector(".legend").replaceChildren(...makeLegend());
}

function nextMode() {
	state.mode = isDark() ? "light" : "dark";
	showMode();
	cellsKnown.key = "";
	changed("time");
}

const KEYS = [["1 … 8", "the views"], ["/ or Ctrl-F", "search; Enter goes to what was found"], ["Esc", "close, end the search, reset the zoom"], ["Ctrl-Z, u", "undo"], ["c", "clear all filters"], ["i", "invert the flame graph"], ["d", "dark or light"],
	["t", "to the time line's rows: arrows, Enter chooses a thread, Ctrl-Enter adds one, m opens its menu"], ["p", "to its plot: arrows move, + and - zoom, 0 shows all, b chooses a range, Shift-arrows change it"],
	["g", "to the view below: arrows walk, Enter zooms or opens, m opens the menu of a function"], ["s", "save what is shown"], ["?", "this list"]];

function showHelp() {
	page.help.hidden = !page.help.hidden;
	if (page.help.hidden)
		return page.helpOpener?.focus();
	page.helpOpener = document.activeElement;
	page.help.querySelector("button").focus();
}

function makeHelp() {
	page.help = el("div", { class: "help", role: "dialog", "aria-label": "keys", hidden: "" }, el("h2", {}, "Keys"), el("dl", {}, ...KEYS.flatMap(([key, text]) => [el("dt", {}, key), el("dd", {}, text)])),
		el("p", {}, "Pointer: click a thread to see it alone (Ctrl: add it), drag in the time line to choose a range, the wheel zooms, with Shift or on its axis a drag moves; on the names it scrolls. Click a frame to zoom, right-click for more."), button("Close", "close", showHelp));
	return page.help;
}

function focusPanel() {
	const panel = page.panels.get(state.tab);
	(panel.querySelector("canvas, [data-row][tabindex='0']") || panel.querySelector("button"))?.focus();
}

const isTyping = () => document.activeElement === page.search || document.activeElement?.tagName === "SELECT";
const unlessTyping = act => e => isTyping() ? false : act(e);

function escape() {
	if (hideMenu())
		return;
	if (!page.help.hidden) {
		showHelp();
	} else if (state.search) {
		state.search = page.search.value = "";
		page.search.blur();
		changed("tab");
	} else if (state.zoom.length) {
		resetZoom();
	} else if (state.selected !== NONE) {
		selectFunction(state.selected);
	}
}

function focusSearch() {
	page.search.focus();
	page.search.select();
}

function bindKeys() {
	const box = () => document.querySelector("header .save").getBoundingClientRect();
	onKeys(window, {
		...Object.fromEntries(TABS.map(([id], i) => [String(i + 1), unlessTyping(() => showTab(id))])), "/": unlessTyping(focusSearch), "Ctrl-f": focusSearch, Escape: escape,
		"Ctrl-z": () => isTyping() ? false : undo(), u: unlessTyping(undo), c: unlessTyping(clearFilters), i: unlessTyping(invert), d: unlessTyping(nextMode),
		t: unlessTyping(() => focusLine(line.focus)), p: unlessTyping(() => line.canvas.focus()), g: unlessTyping(focusPanel), s: unlessTyping(() => showExports(box().left, box().bottom)), "?": unlessTyping(showHelp),
	});
}

// ---- all of it ----

const nrSamples = () => rows.count.reduce((n, c) => n + c, 0);

// The first events that have samples. A profile of one kind of number has no other name for it.
function eventsSampled() {
	const names = about.events.flatMap((e, i) => eventSamples()[i] ? [e.name] : []), shown = names.slice(0, 3).join(", ");
	return !shown || shown === "samples" ? "" : ` of ${shown}${names.length > 3 ? " and more" : ""}`;
}

function makeHeader() {
	const save = button("Save…", "save what is shown (s)", e => showExports(e.clientX || 20, e.clientY || 20));
	save.classList.add("save");
	// The recorder by its name; the details have its path.
	const command = about.notes.indexOf("command"), subtitle = [command >= 0 && command % 2 === 0 ? about.notes[command + 1].replace(/^\S*\//, "") : "", about.timed && rows.nr && rows.time[rows.nr - 1] > 0 ? lengthText(rows.time[rows.nr - 1]) : "",
		`${samplesText(nrSamples())}${eventsSampled()}`].filter(Boolean).join(" · ");
	return el("header", {}, el("h1", {}, document.title), el("span", { class: "subtitle", title: subtitle }, subtitle), el("span", { class: "tools" }, save, button("◐", "dark or light (d)", nextMode), button("?", "keys (?)", showHelp)));
}

function makeLineTools() {
	const sort = select("order of rows", [["cost", "rows: most samples"], ["start", "rows: first seen"], ["name", "rows: name"]], value => {
		state.rowSort = value;
		makeLines();
		cellsKnown.key = "";
		changed("view");
	});
	sort.value = state.rowSort;
	return el("div", { class: "line-tools" }, el("span", { class: "legend" }), sort, button("Zoom to range", "zoom the time line to the range that is chosen", zoomToBrush), button("All time", "show all of the time", () => moveTime(0, lastTime)));
}

// As high as its rows, up to a part of the window; where it was dragged to another height, that stays.
let heightGiven = "";
function resizeTimeline() {
	const most = Math.round(window.innerHeight * (window.innerWidth > 700 ? 0.38 : 0.24));
	if (line.box.style.height !== heightGiven)
		return;
	line.box.style.height = `${Math.max(AXIS + 2 * ROW, Math.min(most, AXIS + lines.length * ROW + 2))}px`;
	heightGiven = line.box.style.height;
}

async function beginPage() {
	await readProfile();
	nameTasks();
	fromHash(location.hash.slice(1));
	for (const groups of [processNames])
		if (nrThreads() > 60)
			groups.forEach((name, pid) => collapsed.add(`p${pid}`));
	page.status = el("div", { class: "status", role: "status", "aria-live": "polite" });
	document.body.append(makeHeader(), makeBanner(), makeBar(), makeLineTools(), makeTimeline(), makeTabs(), el("main", {}, ...makePanels()), page.status, makeHelp(), menu, tip);
	showMode();
	bindKeys();
	choosePassing();
	makeLines();
	resizeTimeline();
	changed("filters");
	window.addEventListener("resize", () => {
		resizeTimeline();
		changed("zoom");
	});
	new ResizeObserver(() => changed("tab")).observe(line.box);
	window.addEventListener("hashchange", () => {
		if (location.hash.slice(1) === written)
			return;
		fromHash(location.hash.slice(1));
		showMode();
		changed("filters");
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		showMode();
		changed("filters");
	});
	requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("assay-drawn")));
}

beginPage().catch(error => document.body.append(el("p", { class: "broken" }, `This page could not be drawn: ${error.message}`)));
