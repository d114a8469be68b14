// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: what is shown, as a file: the flame graph as SVG or PNG, the stacks as text. Names are text nodes.

function save(name, blob) {
	const url = URL.createObjectURL(blob), link = el("a", { href: url, download: name });
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
	say(`saved ${name}`);
}

/** Stacks with their weights, one a line, as flame graph scripts read them. */
function foldedText() {
	// Of functions without a caller that were merged into it.
	const { tree, self } = selection.weights, found = self[ROOT] > 0 ? [`[no function] ${Math.round(self[ROOT])}\n`] : [];
	for (let i = 1; i < tree.nr; i++) {
		if (!(self[i] > 0))
			continue;
		const path = [];
		for (let n = i; n > ROOT; n = tree.parent[n])
			path.push(nameOf(tree.frame[n]).replaceAll(";", ":").replaceAll("\n", " "));
		found.push(`${path.reverse().join(";")} ${Math.round(self[i])}\n`);
	}
	return found.join("");
}

// The graph that is looked at, of the selection as it is now; where there is none in sight, the flame graph at the width of the page.
function graphToSave() {
	const isSandwich = state.tab === "sandwich" && state.focus !== NONE, width = document.querySelector("main").clientWidth - 16;
	const rects = isSandwich ? layOutSandwich(width) : state.order === "time" ? layOutTime(width) : layOutFlame(width);
	return { rects, width, height: rowsOf(rects) * FRAME + 2 };
}

function flameSvg() {
	const { rects, width, height } = graphToSave();
	const picture = make(SVG, "svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "system-ui, sans-serif", "font-size": 12 });
	for (const rect of rects) {
		const { frame } = rect.item, chars = Math.floor((rect.w - 6) / CHAR), g = make(SVG, "g", {}, make(SVG, "title", {}, describeItem(rect.item).filter(Boolean).join("\n")));
		g.append(make(SVG, "rect", { x: rect.x.toFixed(2), y: rect.row * FRAME, width: Math.max(0.4, rect.w - 0.5).toFixed(2), height: FRAME - 1, fill: frame === NONE ? "#ccc" : paintOf(frame) }));
		if (chars >= 3)
			g.append(make(SVG, "text", { x: (rect.x + 3).toFixed(2), y: rect.row * FRAME + 13 }, shortName(frame === NONE ? rootText() : nameOf(frame), chars)));
		picture.append(g);
	}
	return new XMLSerializer().serializeToString(picture);
}

// Of the whole graph, not of the part in sight. Returns how many rows are too deep for a picture.
function flamePng(take) {
	const canvas = /** @type {any} */ (el("canvas")), { rects, width, height: all } = graphToSave(), height = Math.min(all, 16000), context = contextOf(canvas, width, height);
	context.fillStyle = inks.ground;
	context.fillRect(0, 0, width, height);
	for (const rect of rects)
		drawRect(context, rect, rect.row * FRAME, searchHits(), false);
	canvas.toBlob(take);
	return all > height ? Math.ceil((all - height) / FRAME) : 0;
}

function savePng() {
	const cut = flamePng(blob => {
		if (!blob)
			return say("this browser cannot make a picture of that size");
		save(`${baseName()}.png`, blob);
		if (cut)
			say(`saved ${baseName()}.png without the innermost ${grouped(cut)} rows, for which a picture has no room: the SVG has them`);
	});
}

const baseName = () => (about.recording.split("/").pop() || "profile").replace(/\.(data|html)$/, "") || "profile";

function showExports(x, y) {
	const graph = state.tab === "sandwich" && state.focus !== NONE ? "Sandwich" : "Flame graph";
	showMenu("Save what is shown", [
		[`${graph} as SVG`, () => save(`${baseName()}.svg`, new Blob([flameSvg()], { type: "image/svg+xml" }))],
		[`${graph} as PNG`, savePng],
		["Stacks as folded text", () => save(`${baseName()}.folded`, new Blob([foldedText()], { type: "text/plain" }))],
		["Copy the command line of these filters", () => copyText(commandLine())],
	], x, y);
}

// One word for a shell, whatever is in it.
const quoted = word => /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Filters that other commands know; the others are named behind it, as a comment. */
function commandLine() {
	const words = ["assay report -i", quoted(about.recording.startsWith("-") ? `./${about.recording}` : about.recording)], ids = kind => state.filters.filter(f => f.kind === kind && !f.out).flatMap(f => f.ids).join();
	for (const [kind, option] of [["thread", "--tid"], ["process", "--pid"], ["cpu", "--cpu"]])
		if (ids(kind))
			words.push(option, ids(kind));
	const time = timeFilter();
	// Filters that the page was made with, but for those that are narrower now.
	for (let i = 0; i < about.filters.length; i += 2)
		if (!words.includes(about.filters[i]) && !(time && about.filters[i] === "--time"))
			words.push(about.filters[i], quoted(about.filters[i + 1]));
	if (time)
		words.push("--time", `${clockText(time.from)},${clockText(time.to)}`);
	const others = state.filters.filter(f => f.kind !== "time" && (f.out || !["thread", "process", "cpu"].includes(f.kind))).map(filterText);
	return words.join(" ") + (others.length ? ` # and in the page alone: ${others.join("; ").replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ")}` : "");
}
