// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page that compares two sides of recordings: the table of functions (src/view/viewer_compare.c has the data), above the flame graph, which is a
// picture with a script of its own. The table asks it for a function as a reader does: by its search field.
const data = JSON.parse(document.getElementById("comparison").textContent);
const WIDTH = 15, OF = { self: 3, total: 9 }, BASE = 0, NOW = 1, LOW = 2, HIGH = 3, P = 4, VERDICT = 5;
const NAME = 0, MODULE = 1, MARK = 2, BEYOND = 2, SIGNIFICANT = 6;
const nr = data.functions.length / WIDTH;
const COLUMNS = [
	{ key: "before", label: "Before", isNumber: true }, { key: "after", label: "After", isNumber: true }, { key: "delta", label: "Change", isNumber: true },
	{ key: "interval", label: "95% interval", isNumber: true }, { key: "verdict", label: "Verdict" }, { key: "name", label: "Function" }, { key: "module", label: "Module" },
];

const state = { of: "self", sort: "delta", rising: false, search: "", hidesNoise: false };
/** @type {{ sheet: Sheet, order: number[], search: any, found: any, of: any, noise: any, flame: any }} */
const page = { sheet: null, order: [], search: null, found: null, of: null, noise: null, flame: null };

const text = (row, i) => data.strings[data.functions[row * WIDTH + i]];
const figure = (row, i) => data.functions[row * WIDTH + OF[state.of] + i];
const delta = row => figure(row, NOW) - figure(row, BASE);
const isTold = row => figure(row, VERDICT) === SIGNIFICANT || figure(row, VERDICT) === BEYOND;

// Words

const share = v => `${v.toFixed(2)}%`;
const points = v => `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(2)}`;
const intervalText = row => figure(row, LOW) === null ? "" : `${points(figure(row, LOW))} … ${points(figure(row, HIGH))}`;

function verdictText(row) {
	const p = figure(row, P), word = data.verdicts[figure(row, VERDICT)].replace(/;.*/, "");
	const side = figure(row, BASE) && !figure(row, NOW) ? " · gone" : figure(row, NOW) && !figure(row, BASE) ? " · new" : "";
	return `${word}${p === null ? "" : p < 0.0001 ? " (p < 0.0001)" : ` (p = ${p.toFixed(4)})`}${side}`;
}

// The address remembers what is looked at.

let written = "";
function remember() {
	const words = new URLSearchParams();
	for (const [key, value, usual] of [["of", state.of, "self"], ["sort", state.sort, "delta"], ["rising", String(state.rising), "false"], ["search", state.search, ""], ["noise", String(!state.hidesNoise), "true"]])
		if (value !== usual)
			words.set(key, value);
	written = words.toString();
	try {
		history.replaceState(null, "", written ? `#${written}` : location.pathname + location.search);
	} catch {
		// a page inside another one may not
	}
}

function recall() {
	const words = new URLSearchParams(location.hash.slice(1));
	state.of = words.get("of") === "total" ? "total" : "self";
	state.sort = COLUMNS.some(c => c.key === words.get("sort")) ? words.get("sort") : "delta";
	state.rising = words.get("rising") === "true";
	state.search = words.get("search") || "";
	state.hidesNoise = words.get("noise") === "false";
}

// The table

const compared = {
	before: (a, b) => figure(b, BASE) - figure(a, BASE), after: (a, b) => figure(b, NOW) - figure(a, NOW), delta: (a, b) => Math.abs(delta(b)) - Math.abs(delta(a)),
	interval: (a, b) => (figure(b, HIGH) - figure(b, LOW)) - (figure(a, HIGH) - figure(a, LOW)),
	verdict: (a, b) => figure(b, VERDICT) - figure(a, VERDICT) || (figure(a, P) ?? 1) - (figure(b, P) ?? 1) || compared.delta(a, b),
	name: (a, b) => text(a, NAME).localeCompare(text(b, NAME)), module: (a, b) => text(a, MODULE).localeCompare(text(b, MODULE)),
};

function matcher() {
	page.search.removeAttribute("aria-invalid");
	try {
		const expression = new RegExp(state.search, "i");
		return name => expression.test(name);
	} catch {
		page.search.setAttribute("aria-invalid", "true");
		return name => name.toLowerCase().includes(state.search.toLowerCase());
	}
}

function headOf({ key, label, isNumber }) {
	const isSorted = state.sort === key, button = el("button", { type: "button" }, label, isSorted ? (state.rising ? " ▴" : " ▾") : "");
	button.addEventListener("click", () => {
		state.rising = isSorted && !state.rising;
		state.sort = key;
		draw();
	});
	return el("span", { role: "columnheader", class: isNumber ? "number" : key, "aria-sort": isSorted ? (state.rising ? "ascending" : "descending") : "none" }, button);
}

function rowOf(row) {
	const v = figure(row, VERDICT), change = delta(row), cell = (name, words, title = words) => el("span", { class: name, role: "gridcell", title }, words);
	const names = ["row", isTold(row) ? change < 0 ? "shrank" : "grew" : "noise", ...(v === SIGNIFICANT ? ["significant"] : [])];
	return el("div", { class: names.join(" "), role: "row" }, cell("number", share(figure(row, BASE))), cell("number", share(figure(row, NOW))), cell("number delta", points(change)),
		cell("number", intervalText(row)), cell("verdict", verdictText(row), `${data.verdicts[v]}`), cell("name", fittingName(page.sheet, text(row, NAME)), text(row, NAME)), cell("module", [text(row, MODULE), text(row, MARK)].filter(Boolean).join(" · ")));
}

function draw() {
	const matches = matcher(), found = [];
	for (let row = 0; row < nr; row++)
		if ((figure(row, BASE) || figure(row, NOW)) && matches(text(row, NAME)) && (!state.hidesNoise || isTold(row)))
			found.push(row);
	found.sort((a, b) => (state.rising ? -1 : 1) * compared[state.sort](a, b) || a - b);
	page.order = found;
	page.sheet.nr = found.length;
	page.sheet.head.replaceChildren(...COLUMNS.map(headOf));
	page.sheet.make = i => rowOf(found[i]);
	page.found.textContent = `${found.length.toLocaleString("en-US")} of ${nr.toLocaleString("en-US")} functions`;
	page.of.value = state.of;
	page.noise.setAttribute("aria-pressed", String(state.hidesNoise));
	if (document.activeElement !== page.search)
		page.search.value = state.search;
	drawSheet(page.sheet);
	remember();
}

// The function in the flame graph below.
function showInFlame(i) {
	const field = page.flame.querySelector(".tools input"), name = text(page.order[i], NAME);
	field.value = `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
	field.dispatchEvent(new Event("input"));
	drawSheet(page.sheet);
}

function makeTools() {
	page.of = el("select", { "aria-label": "weight", title: "what is compared of a function" }, el("option", { value: "self" }, "self"), el("option", { value: "total" }, "total: with all it calls"));
	page.of.addEventListener("change", () => {
		state.of = page.of.value;
		draw();
	});
	page.noise = el("button", { type: "button", title: "leave out what may be noise" }, "hide noise");
	page.noise.addEventListener("click", () => {
		state.hidesNoise = !state.hidesNoise;
		draw();
	});
	page.search = el("input", { type: "search", placeholder: "Search functions ( / )", "aria-label": "search functions: text or a regular expression", spellcheck: "false" });
	page.search.addEventListener("input", () => {
		state.search = page.search.value;
		draw();
	});
	page.found = el("span", { class: "found", "aria-live": "polite" });
	return el("div", { class: "filters" }, page.found, el("span", { class: "tools" }, page.of, page.noise, page.search));
}

function beginPage() {
	page.flame = document.getElementById("flame");
	page.sheet = newSheet("functions that changed", "grid");
	listenToSheet(page.sheet, null, showInFlame, {});
	document.body.classList.add("compared");
	page.flame.before(el("header", {}, el("h1", {}, data.title), el("span", { class: "subtitle" }, data.subtitle)),
		...data.notes.map(note => el("p", { class: "about" }, note)), makeTools(), page.sheet.box);
	recall();
	draw();
	onKeys(window, {
		"/": e => {
			if (/** @type {Element} */ (e.target).closest("input, svg"))
				return false;
			page.search.focus();
			return true;
		},
	});
	window.addEventListener("resize", () => drawSheet(page.sheet));
	window.addEventListener("hashchange", () => {
		if (location.hash.slice(1) === written)
			return;
		recall();
		draw();
	});
	// The picture has less room than when it was drawn, if the page scrolls now.
	window.dispatchEvent(new Event("resize"));
	requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("assay-drawn")));
}

beginPage();
