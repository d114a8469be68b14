// SPDX-License-Identifier: GPL-2.0-or-later
//
// A flame graph's page: the frames that are looked at, as elements, and their tips. Where things lie on the page is flame_page.js's: it sets
// `width`, `top` and `height`.
const LEAST_CHARS = 3, MOST = 3000;
let top = data.top;
let drawn = new Map(), drawnRows = [0, -1];

svg.querySelector(".still").remove();
const frames = make(SVG, "g", { class: "frames", role: "group", "aria-label": "frames" });
svg.insertBefore(frames, svg.querySelector(".details"));

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
	const z = state.zoom, area = width - 2 * pad, scale = w[z] ? area / w[z] : 0;
	return isUp(i) ? [pad, area] : [pad + (x[i] - x[z]) * scale, w[i] * scale];
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

// Not below the tools, which float over the upper end.
function bringInSight(i) {
	const y = rowY(rowOf[i]), seen = sight();
	if (!standalone)
		reach(i).scrollIntoView({ block: "nearest" });
	else if (y < seen.from + barHeight() || y + data.row > seen.to)
		window.scrollTo(window.scrollX, (y - (seen.to - seen.from) / 2) * seen.scale);
}

function showTipAt(i, x, y) {
	showTip([nameOf(i), figures(i), sourceOf(i), origin(i)], { x, y, width: 0, height: 0 });
}

function showTipOf(i) {
	showTipAt(i, spanOf(i)[0], rowY(rowOf[i]) + data.row);
}
