// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: colours, canvases that are as sharp as the screen, the tooltip, and the menu of what can be done with a function.

const isDark = () => state.mode === "dark" || (state.mode === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);

// Colours. User code is warm, the kernel blue, generated code green; what has no name is grey.
const HUES = [{ hue: 34, saturation: 86 }, { hue: 208, saturation: 58 }, { hue: 146, saturation: 46 }];

function toneOf(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return (hash >>> 8 & 0xffff) / 0xffff;
}

const paints = new Map();
function paintOf(frame) {
	const key = `${state.colours} ${isDark()} ${frame}`, known = paints.get(key);
	if (known)
		return known;
	const tone = toneOf(nameOf(frame)), kind = kindOf(frame), light = isDark() ? 50 : 62;
	let { hue, saturation } = HUES[kind & KIND_MASK] || HUES[0];
	if (state.colours === "module") {
		hue = Math.round(360 * toneOf(about.modules[moduleOf(frame)] || ""));
		saturation = 52;
	} else {
		hue += 22 * tone - 14;
	}
	if (kind & IS_UNRESOLVED)
		saturation = 8;
	const paint = `hsl(${hue.toFixed(0)} ${saturation}% ${(light + 10 * tone + (kind & IS_INLINED ? 8 : 0)).toFixed(0)}%)`;
	paints.set(key, paint);
	return paint;
}

const kindPaint = kind => kind === "off" ? `hsl(280 35% ${isDark() ? 55 : 65}%)` : `hsl(${HUES[kind].hue} ${HUES[kind].saturation}% ${isDark() ? 56 : 58}%)`;

// What the style sheet says, for canvases.
let inks = {};
function readInks() {
	const style = getComputedStyle(document.body), value = name => style.getPropertyValue(name).trim();
	inks = {
		ground: value("--ground"), ink: value("--ink"), dim: value("--dim"), line: value("--line"), panel: value("--panel"),
		accent: value("--accent"), shade: value("--shade"), row: value("--row"), hit: value("--hit"), gap: value("--gap"), heat: value("--heat"),
	};
}

/** Fits a canvas to a size in px of the page and returns its context, cleared. */
function contextOf(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1, w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
	}
	const context = canvas.getContext("2d");
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = "12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
	context.textBaseline = "middle";
	return context;
}

const CHAR = 6.6;
function drawLabel(context, name, x, y, width) {
	const chars = Math.floor((width - 6) / CHAR);
	if (chars < 3)
		return;
	let text = shortName(name, chars);
	if (context.measureText(text).width > width - 5)
		text = shortName(name, Math.max(3, Math.floor(chars * (width - 5) / context.measureText(text).width)));
	context.fillText(text, x + 3, y);
}

// The tooltip

const tip = el("div", { class: "tip", role: "tooltip", hidden: "" });

/** @param {string[]} texts the first is its heading */
function showTip(texts, x, y) {
	const [first, ...others] = texts;
	tip.replaceChildren(el("b", {}, first), ...others.filter(Boolean).map(text => el("div", {}, text)));
	tip.hidden = false;
	const size = tip.getBoundingClientRect(), right = window.innerWidth - size.width - 6, below = y + 18 + size.height < window.innerHeight;
	tip.style.left = `${Math.max(4, Math.min(x + 14, right))}px`;
	tip.style.top = `${Math.max(4, below ? y + 18 : y - 10 - size.height)}px`;
}

function hideTip() {
	tip.hidden = true;
}

// The menu

const menu = el("div", { class: "menu", role: "menu", hidden: "" });
let menuOpener = null;

/** @param {[string, () => void][]} entries */
function showMenu(title, entries, x, y) {
	menuOpener = document.activeElement;
	menu.replaceChildren(el("div", { class: "menu-title" }, title), ...entries.map(([label, act]) => {
		const button = el("button", { role: "menuitem", type: "button" }, label);
		button.addEventListener("click", () => {
			hideMenu();
			act();
		});
		return button;
	}));
	menu.hidden = false;
	hideTip();
	const size = menu.getBoundingClientRect();
	menu.style.left = `${Math.max(4, Math.min(x, window.innerWidth - size.width - 6))}px`;
	menu.style.top = `${Math.max(4, Math.min(y, window.innerHeight - size.height - 6))}px`;
	menu.querySelector("button").focus();
}

function hideMenu() {
	if (menu.hidden)
		return false;
	menu.hidden = true;
	if (menuOpener && menuOpener.isConnected)
		menuOpener.focus();
	return true;
}

function moveInMenu(step) {
	const buttons = [...menu.querySelectorAll("button")], at = buttons.findIndex(b => b === document.activeElement);
	buttons[(at + step + buttons.length) % buttons.length].focus();
}

onKeys(menu, { ArrowDown: () => moveInMenu(1), ArrowUp: () => moveInMenu(-1), Escape: e => { e.stopPropagation(); hideMenu(); } });
document.addEventListener("pointerdown", e => {
	if (!menu.hidden && !menu.contains(/** @type {Node} */ (e.target)))
		menu.hidden = true;
});

/** What can be done with a function. @returns {[string, () => void][]} */
function functionActions(frame, item) {
	const module = moduleOf(frame), own = frame < frames.nr;
	/** @type {[string, () => void][]} */
	const actions = [];
	if (item)
		actions.push(["Zoom to it in the flame graph", () => zoomTo(item)]);
	if (hasCode(frame))
		actions.push(["Show its code", () => showCode(frame)]);
	if (own)
		actions.push(["Callers and callees (sandwich)", () => showSandwich(frame)], ["Show where it runs on the time line", () => selectFunction(frame)],
			["Only stacks through it", () => addFilter({ kind: "function", frame })], ["Without stacks through it", () => addFilter({ kind: "function", frame, out: true })],
			["Stacks from it on", () => addFilter({ kind: "focus", frame })], ["Merge it into its callers", () => addFilter({ kind: "merge", frame })]);
	actions.push([`Only stacks through ${about.modules[module] || "its module"}`, () => addFilter({ kind: "module", module })],
		[`Without stacks through ${about.modules[module] || "its module"}`, () => addFilter({ kind: "module", module, out: true })],
		[`Collapse ${about.modules[module] || "its module"}`, () => addFilter({ kind: "module", module, collapse: true })],
		["Draw recursion once", () => addFilter({ kind: "recursion" })], ["Copy its name", () => copyText(nameOf(frame))]);
	return actions;
}

const showFunctionMenu = (frame, item, x, y) => showMenu(shortName(nameOf(frame), 48), functionActions(frame, item), x, y);

// Where the clipboard may not be written (pages from a disk, in some browsers), through a field.
function copyText(text) {
	const field = el("textarea", { class: "copied", "aria-hidden": "true" });
	field.value = text;
	document.body.append(field);
	field.select();
	const done = document.execCommand("copy");
	field.remove();
	say(done ? "copied" : "could not copy");
}
