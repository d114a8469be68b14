// SPDX-License-Identifier: GPL-2.0-or-later
//
// The last part of a flame graph's page: where heading, tools, legend, frames and foot lie in a window of any width, the address that remembers
// what is looked at, and pointer, touch and keyboard.
const LEAST_WIDTH = 300, NARROW = 880, TOOLS_WIDTH = 600, MOST_PRINTED = 100000;
const details = svg.querySelector(".details");
details.setAttribute("role", "status");

const collapse = button("collapse", "recursion: calls of a function that is on the stack already are drawn in its first frame: c");
const flip = button("flip", "root on top, or at the bottom: i"), reset = button("reset", "the whole picture, no search: Esc");
// What is looked at, for when the heading itself is out of sight.
const textOf = selector => svg.querySelector(selector)?.textContent || "";
const heading = make(HTML, "span", { class: "heading", "aria-hidden": "true" }, make(HTML, "b", {}, textOf("text.title")), " ", textOf("text.subtitle"));
const tools = make(SVG, "foreignObject", { class: "tool-box", height: 30 },
	make(HTML, "div", { class: "tools" }, heading, matched, input, caseButton, ...(hasRecursion ? [collapse] : []), flip, reset));
svg.insertBefore(tools, tipBox);

const isTouched = window.matchMedia("(pointer: coarse)").matches;
const HINT = isTouched ? "touch: details · touch again: zoom · reset: the whole picture" :
	`click or Enter: zoom · / or Ctrl-F: search, n: next match · arrows: walk · ${hasRecursion ? "c: collapse recursion · " : ""}i: flip · Esc: reset`;
const nrDetailLines = () => width < 500 ? 3 : width < NARROW ? 2 : 1;
let detailsY = 0;
function tell(i) {
	setLines(details, i < 0 ? HINT : describe(i), detailsY, width - 2 * pad, nrDetailLines(), LINE);
}

// The page

const words = new Map([...svg.querySelectorAll(".title, .subtitle, .note")].map(e => [e, e.textContent]));
let toolsY = 0;

// Of a picture that is wider than its window, what the window shows.
function seenWidth() {
	const seen = sight();
	return Math.max(Math.min(width, LEAST_WIDTH), Math.floor(seen.right - seen.left));
}

function placeHeading() {
	const room = seenWidth() - 2 * pad, isNarrow = seenWidth() < NARROW, title = svg.querySelector(".title"), subtitle = svg.querySelector(".subtitle");
	let y = 26 + 22 * (setLines(title, words.get(title), 26, isNarrow ? room : room - TOOLS_WIDTH, isNarrow ? 2 : 1, 22) - 1);
	y += 20;
	if (subtitle)
		y += LINE * setLines(subtitle, words.get(subtitle), y, room, isNarrow ? 3 : 2, LINE);
	toolsY = isNarrow ? y - 4 : 6;
	svg.classList.toggle("narrow", isNarrow);
	tools.setAttribute("height", isNarrow ? 48 : 30);
	top = placeLegend(isNarrow ? toolsY + 62 : y + 5) + (isNarrow && !keys.length ? -6 : 0);
}

function placeFoot() {
	let y = top + nrRows * data.row + 20;
	detailsY = y;
	y += (nrDetailLines() - 1) * LINE + 18;
	for (const [e, text] of words)
		if (e.classList.contains("note"))
			y += 18 + LINE * (setLines(e, text, y, width - 2 * pad, 12, LINE) - 1);
	return y;
}

let contentHeight = 0;
const widthNow = () => data.fixed ? data.width : Math.max(LEAST_WIDTH, Math.floor(svg.getBoundingClientRect().width) || data.width);
// What is beside a frame has room below it in a short picture, too.
const heightNow = () => standalone && width <= window.innerWidth ? Math.max(contentHeight, Math.floor(window.innerHeight)) : contentHeight;

function laySize() {
	width = widthNow();
	placeHeading();
	contentHeight = placeFoot();
	height = heightNow();
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

function lay() {
	if (!data.fixed)
		svg.style.width = "100%";
	laySize();
	// its height may have brought a scroll bar
	if (widthNow() !== width)
		laySize();
	hideTip();
	stayInSight();
	tell(-1);
}

function fit() {
	lay();
	render();
}

// Tools go along where one scrolls, with the title beside them where that is out of sight.
function stayInSight() {
	const seen = sight(), scrolled = standalone ? seen.from : 0, isFloating = scrolled > toolsY - 4;
	const room = seenWidth() - 2 * pad, isWide = isFloating || svg.classList.contains("narrow");
	tools.setAttribute("y", isFloating ? scrolled + 4 : toolsY);
	tools.setAttribute("width", isWide ? room : TOOLS_WIDTH);
	tools.setAttribute("x", seen.left + pad + (isWide ? 0 : room - TOOLS_WIDTH));
	tools.classList.toggle("floating", isFloating);
}

// What the tools cover at the upper end of the window.
function barHeight() {
	return tools.classList.contains("floating") ? tools.firstChild.getBoundingClientRect().height / sight().scale + 8 : 0;
}

// The root is what one looks for first: of a tall picture it is at the lower end, with the details below it. Unless one came for another frame.
function scrollToBegin() {
	if (!standalone)
		return;
	window.scrollTo(0, state.inverted ? 0 : (detailsY + nrDetailLines() * LINE) * sight().scale - window.innerHeight);
	if (state.zoom)
		bringInSight(state.zoom);
}

// The address

function remember(isStep) {
	const parts = [];
	if (state.zoom)
		parts.push("zoom=" + state.zoom);
	if (state.query)
		parts.push("search=" + encodeURIComponent(state.query));
	if (state.matchCase)
		parts.push("case=1");
	if (state.inverted !== data.inverted)
		parts.push("flip=1");
	if (state.collapsed)
		parts.push("collapse=1");
	const hash = parts.length ? "#" + parts.join("&") : "";
	reset.disabled = !state.zoom && !state.query;
	if (!standalone || hash === location.hash)
		return;
	try {
		history[isStep ? "pushState" : "replaceState"](null, "", hash || location.pathname + location.search);
	} catch {
		// a page inside another one may not
	}
}

function recall() {
	const known = new URLSearchParams(standalone ? location.hash.slice(1) : ""), z = Number(known.get("zoom"));
	setCollapsed(Boolean(known.get("collapse")));
	collapse.setAttribute("aria-pressed", state.collapsed);
	state.zoom = Number.isInteger(z) && z > 0 && z < nr ? z : 0;
	state.inverted = known.get("flip") ? !data.inverted : data.inverted;
	state.matchCase = Boolean(known.get("case"));
	search(known.get("search") || "");
	reset.disabled = !state.zoom && !state.query;
}

// Moves

function change(isStep) {
	hideTip();
	render();
	remember(isStep);
}

function zoomTo(i) {
	state.zoom = i;
	change(true);
}

function searchAnew(text) {
	search(text);
	change(false);
}

function toggleCase() {
	state.matchCase = !state.matchCase;
	searchAnew(state.query);
}

function resetAll() {
	const wasZoomed = state.zoom !== 0;
	state.zoom = 0;
	search("");
	change(wasZoomed);
}

function flipOver() {
	state.inverted = !state.inverted;
	change(false);
	scrollToBegin();
	follow();
}

// The whole picture may be a fraction as high: it is laid out anew.
function toggleCollapsed() {
	if (!hasRecursion)
		return;
	setCollapsed(!state.collapsed);
	collapse.setAttribute("aria-pressed", state.collapsed);
	search(state.query);
	lay();
	change(true);
	scrollToBegin();
	follow();
}

function child(i) {
	const r = rowOf[i] + 1;
	let best = -1;
	if (r >= nrRows)
		return -1;
	if (isUp(i)) {
		best = state.zoom;
		while (parent[best] !== i)
			best = parent[best];
		return best;
	}
	for (let k = firstBehind(r, x[i]); k < rowStart[r + 1] && x[k] < x[i] + w[i]; k++)
		if (isShown(k) && (best < 0 || w[k] > w[best]))
			best = k;
	return best;
}

function beside(i, step) {
	for (let k = i + step; k >= rowStart[rowOf[i]] && k < rowStart[rowOf[i] + 1]; k += step)
		if (isShown(k))
			return k;
	return -1;
}

function walk({ key }) {
	const i = state.focus;
	if (i < 0 || !isShown(i))
		return focusOn(state.zoom);
	const outward = (key === "ArrowUp") !== state.inverted;
	const to = key === "ArrowLeft" ? beside(i, -1) : key === "ArrowRight" ? beside(i, 1) : outward ? child(i) : i ? parent[i] : -1;
	if (to < 0)
		return undefined;
	focusOn(to);
	showTipOf(to);
	return undefined;
}

// Pointer and touch

const indexOf = target => {
	const g = target instanceof Element ? target.closest("g[data-i]") : null;
	return g && frames.contains(g) ? Number(g.getAttribute("data-i")) : -1;
};

function place(event) {
	const box = svg.getBoundingClientRect(), scale = box.width / width || 1;
	return [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
}

let touched = -1, isTouch = false;
document.addEventListener("pointerdown", e => {
	isTouch = e.pointerType === "touch";
	if (indexOf(e.target) >= 0)
		return;
	touched = -1;
	hideTip();
	if (isTouch)
		tell(-1);
});
frames.addEventListener("pointermove", e => {
	const i = indexOf(e.target);
	if (i < 0 || e.pointerType === "touch")
		return;
	tell(i);
	showTipAt(i, ...place(e));
});
frames.addEventListener("pointerleave", e => {
	if (e.pointerType === "touch")
		return;
	hideTip();
	tell(indexOf(document.activeElement));
});
// A finger cannot hover: its first touch tells, the second one on the same frame zooms.
frames.addEventListener("click", e => {
	const i = indexOf(e.target);
	if (i < 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey)
		return;
	state.focus = i;
	tell(i);
	if (isTouch && touched !== i) {
		touched = i;
		focusOn(i);
		showTipAt(i, ...place(e));
		return;
	}
	touched = -1;
	zoomTo(i);
});
// Not on the group: a listener for focus would make it a stop for the Tab key.
document.addEventListener("focusin", e => {
	const i = indexOf(e.target);
	if (i >= 0) {
		state.focus = i;
		tell(i);
	}
});

// Keyboard

input.addEventListener("input", () => searchAnew(input.value));
input.addEventListener("keydown", e => e.stopPropagation());
onKeys(input, {
	"Escape": () => {
		searchAnew("");
		focusOn(state.focus >= 0 && isShown(state.focus) ? state.focus : state.zoom);
	},
	"Enter": e => void walkMatches(e.shiftKey ? -1 : 1),
	"Ctrl-i": toggleCase,
});
flip.addEventListener("click", flipOver);
reset.addEventListener("click", resetAll);
collapse.addEventListener("click", toggleCollapsed);
caseButton.addEventListener("click", toggleCase);

function beginSearch() {
	input.focus();
	input.select();
}

function zoomToActive() {
	const active = indexOf(document.activeElement);
	return active >= 0 && zoomTo(active);
}

const nextMatch = step => state.hits !== null && focusOn(walkMatches(step));

onKeys(standalone ? window : svg, {
	"/": beginSearch, "Ctrl-f": beginSearch, "Ctrl-i": toggleCase, "n": () => nextMatch(1), "N": () => nextMatch(-1),
	"ArrowUp": walk, "ArrowDown": walk, "ArrowLeft": walk, "ArrowRight": walk, "Enter": zoomToActive, " ": zoomToActive,
	"Escape": resetAll, "i": flipOver, "c": toggleCollapsed,
});

// Beginning

// Without it a phone lays the picture out as if it were a desk's.
if (standalone && !data.fixed)
	svg.append(make(HTML, "meta", { name: "viewport", content: "width=device-width" }));
window.addEventListener("resize", () => {
	// a phone's bars that come and go change nothing
	if (widthNow() !== width || heightNow() !== height)
		fit();
});

let isDue = false;
// Of what holds the picture in another page, too.
window.addEventListener("scroll", () => {
	stayInSight();
	if (isDue)
		return;
	isDue = true;
	requestAnimationFrame(() => {
		isDue = false;
		follow();
	});
}, { passive: true, capture: true });
window.addEventListener("beforeprint", () => showRows(...rowsToDraw(MOST_PRINTED)));
window.addEventListener("afterprint", () => showRows(...rowsToDraw(MOST)));

if (standalone)
	for (const moved of ["popstate", "hashchange"])
		window.addEventListener(moved, () => {
			recall();
			lay();
			if (state.zoom)
				bringInSight(state.zoom);
			render();
		});
recall();
lay();
scrollToBegin();
render();
