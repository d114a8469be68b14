// SPDX-License-Identifier: GPL-2.0-or-later
//
// Part 4 of 6 of a flame graph's page: the frames that are looked at, as elements, and the tip beside the pointer. Names reach the
// document as text nodes only. Where things lie on the page is part 6's: it sets `width`, `top` and `height`.
const LEAST_CHARS = 3, TIP_WIDTH = 440, MOST = 3000;
let top = data.top, height = 0;
let drawn = new Map(), drawnRows = [0, -1];

function make(ns, tag, attributes, ...children) {
	const e = document.createElementNS(ns, tag);
	for (const [key, value] of Object.entries(attributes || {}))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

svg.querySelector(".still").remove();
const frames = make(SVG, "g", { class: "frames", role: "group", "aria-label": "frames" });
svg.insertBefore(frames, svg.querySelector(".details"));
const tip = make(HTML, "div", { class: "tip" });
const tipBox = make(SVG, "foreignObject", { class: "tip-box", height: 1, visibility: "hidden", "aria-hidden": "true" }, tip);
svg.append(tipBox);

function rowY(r) {
	return top + (state.inverted ? r : nrRows - 1 - r) * data.row;
}

function paintOf(i) {
	const f = frame[i];
	const c = data.colours ? data.colours[i] : field(f, 4);
	return field(f, 2) === CUT ? "url(#cut)" : "#" + (c & 0xffffff).toString(16).padStart(6, "0");
}

function labelOf(i, px) {
	const chars = Math.floor((px - 6) / data.char);
	return chars < LEAST_CHARS ? "" : shortName(nameOf(i), chars);
}

function classOf(i) {
	const names = isUp(i) ? ["up"] : [];
	if (state.hits)
		names.push(state.hits[frame[i]] ? "hit" : "miss");
	if (state.at === i)
		names.push("at");
	return names.join(" ");
}

// Left and width, in px.
function spanOf(i) {
	const z = state.zoom, area = width - 2 * data.pad, scale = w[z] ? area / w[z] : 0;
	return isUp(i) ? [data.pad, area] : [data.pad + (x[i] - x[z]) * scale, w[i] * scale];
}

function draw(i) {
	const y = rowY(rowOf[i]), kind = field(frame[i], 2), inlined = field(frame[i], 3) & INLINED;
	const [left, px] = spanOf(i), shown = px > 4 ? px - 0.5 : px;
	const rect = make(SVG, "rect", { x: left.toFixed(2), y, width: shown.toFixed(2), height: data.row - 1, fill: paintOf(i) });
	const g = make(SVG, "g", { "data-i": i, tabindex: i === 0 ? 0 : -1 }, rect);
	if (data.edges && (kind === KERNEL || kind === JIT))
		g.append(make(SVG, "rect", { class: kind === KERNEL ? "ek" : "ej", x: left.toFixed(2), y: y + data.row - 3, width: shown.toFixed(2), height: 2 }));
	if (data.colours && data.colours[i] & FADED)
		g.setAttribute("opacity", ".3");
	const label = labelOf(i, px), names = classOf(i);
	if (label)
		g.append(make(SVG, "text", { x: (left + 3).toFixed(2), y: y + 12, ...(inlined && { class: "in" }) }, label));
	if (names)
		g.setAttribute("class", names);
	drawn.set(i, g);
	return g;
}

// Rows in the document: those in sight and, for a scroll to find them there, as many around them as have MOST frames. An ordinary picture is
// there as a whole. Of a deeper one, the root is there always, for the Tab key to find it, and the frame that has the keyboard.

function clampRow(r) {
	return Math.max(0, Math.min(nrRows - 1, r));
}

function rowsInSight() {
	const seen = sight(), upper = Math.floor((seen.from - top) / data.row), lower = Math.floor((seen.to - top) / data.row);
	return (state.inverted ? [upper, lower] : [nrRows - 1 - lower, nrRows - 1 - upper]).map(clampRow);
}

function rowsToDraw(most) {
	let [first, last] = rowsInSight(), room = most;
	for (let r = first; r <= last; r++)
		room -= nrInRow(r);
	while (room > 0 && (first > 0 || last < nrRows - 1)) {
		if (first > 0)
			room -= nrInRow(--first);
		if (last < nrRows - 1)
			room -= nrInRow(++last);
	}
	return [first, last];
}

function showRows(first, last) {
	const fragment = document.createDocumentFragment();
	for (const [i, g] of drawn)
		if (i && (rowOf[i] < first || rowOf[i] > last) && g !== document.activeElement) {
			g.remove();
			drawn.delete(i);
		}
	for (let r = first; r <= last; r++)
		if (r < drawnRows[0] || r > drawnRows[1])
			for (const i of shownInRow(r))
				if (!drawn.has(i))
					fragment.append(draw(i));
	frames.append(fragment);
	drawnRows = [first, last];
}

// After a scroll.
function follow() {
	const [first, last] = rowsInSight();
	if (first < drawnRows[0] || last > drawnRows[1])
		showRows(...rowsToDraw(MOST));
}

function render() {
	const hadFocus = frames.contains(document.activeElement);
	drawn = new Map();
	drawnRows = [0, -1];
	frames.replaceChildren(draw(0));
	showRows(...rowsToDraw(MOST));
	if (state.focus >= 0 && hadFocus)
		focusOn(isShown(state.focus) ? state.focus : state.zoom);
}

// The element of a frame, wherever that is.
function reach(i) {
	if (!drawn.has(i))
		frames.append(draw(i));
	return drawn.get(i);
}

function focusOn(i) {
	if (i < 0)
		return;
	const g = reach(i);
	state.focus = i;
	g.setAttribute("aria-label", describe(i));
	g.setAttribute("role", "button");
	g.focus({ preventScroll: false });
	const hidden = sight().from + barHeight() - rowY(rowOf[i]);
	if (standalone && hidden > 0)
		window.scrollBy(0, -hidden * sight().scale);
	follow();
	tell(i);
}

// The part of the picture that can be seen, in its own units. A window's scroll bars are no part of it.
function sight() {
	const box = svg.getBoundingClientRect(), scale = box.width / width || 1, windowWidth = standalone && svg.clientWidth || window.innerWidth;
	const from = Math.max(0, -box.top / scale), left = Math.max(0, -box.left / scale);
	return {
		scale, from, to: Math.max(from, Math.min(height, (window.innerHeight - box.top) / scale)),
		left, right: Math.max(left, Math.min(width, (windowWidth - box.left) / scale)),
	};
}

// Not below the tools, which float over the upper end.
function bringInSight(i) {
	const y = rowY(rowOf[i]), seen = sight();
	if (!standalone)
		reach(i).scrollIntoView({ block: "nearest" });
	else if (y < seen.from + barHeight() || y + data.row > seen.to)
		window.scrollTo(window.scrollX, (y - (seen.to - seen.from) / 2) * seen.scale);
}

// Beside a point; above it where there is no room below, and always in sight.
function showTip(i, atX, atY) {
	const seen = sight(), most = Math.min(TIP_WIDTH, seen.right - seen.left - 8);
	tip.replaceChildren(make(HTML, "b", {}, nameOf(i)), ...[figures(i), sourceOf(i), origin(i)].filter(Boolean).map(text => make(HTML, "div", {}, text)));
	tip.style.maxWidth = most + "px";
	tip.style.maxHeight = Math.max(80, seen.to - seen.from - 8) + "px";
	tipBox.setAttribute("width", most);
	tipBox.setAttribute("visibility", "visible");
	const size = tip.getBoundingClientRect(), tw = size.width / seen.scale, th = size.height / seen.scale;
	let left = atX + 14, y = atY + 18;
	if (left + tw > seen.right - 4)
		left = Math.max(seen.left + 4, Math.min(atX - 14 - tw, seen.right - tw - 4));
	if (y + th > seen.to - 4)
		y = atY - 10 - th;
	tipBox.setAttribute("x", left);
	tipBox.setAttribute("y", Math.max(seen.from + 4, Math.min(y, seen.to - 4 - th)));
}

function showTipOf(i) {
	showTip(i, spanOf(i)[0], rowY(rowOf[i]) + data.row);
}

function hideTip() {
	tipBox.setAttribute("visibility", "hidden");
}
