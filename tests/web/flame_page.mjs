// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page around the frames, on the pictures that flame_page.sh has made: windows of any width, phones, the search with what is too narrow to be
// drawn, matches one after the other, the address, and keys that lead nowhere.
import { check, details, finish, frameOf, middle, open, same, settle } from "./browser.mjs";

const PHONE = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true };
const address = page => page.evaluate(() => location.href);
const matched = page => page.textContent(".matched");
const boxes = (page, selector) => page.evaluate(s => [...document.querySelectorAll(s)].map(e => {
	const { left, right, top, bottom, width } = e.getBoundingClientRect();
	return { left, right, top, bottom, width, text: e.textContent };
}), selector);
const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;

async function tabs() {
	const page = await open("flame.svg");
	for (let i = 0; i < 8; i++) {
		await page.keyboard.press("Tab");
		const on = await page.evaluate(() => [document.activeElement?.localName, document.activeElement?.getAttribute("class")].join("."));
		check(!on.startsWith("g.frames"), `Tab stops at the group: ${on}`);
		if (!["input", "button"].includes(on.split(".")[0]))
			await page.keyboard.press("Enter");
		check(!(await address(page)).includes("zoom=-1"), `Tab and Enter lead to ${await address(page)}`);
		check(await frameOf(page, "all"), "the picture is still there");
	}
}

async function sumsOfNarrow() {
	for (const file of ["all.svg", "narrow.svg"]) {
		const page = await open(file);
		for (const [text, want] of [["^lookup$", "25.00%"], ["^part_7$", "0.01%"], ["rest|lookup", "25.00%"], ["end_1", "3.82%"], ["main", "100.00%"], ["busy", "75.00%"]]) {
			await page.fill(".tools input", text);
			same(await matched(page), "matched " + want, `${file}: ${text}`);
		}
	}
	const page = await open("huge.svg");
	await page.fill(".tools input", "busy");
	check(/^matched 15\.79% \(\+ up to \d+\.\d\d%\)$/.test(await matched(page)), `the unknown part is shown: ${await matched(page)}`);
	await page.fill(".tools input", "main");
	same(await matched(page), "matched 100.00%", "below a match nothing is unknown");
}

async function matches() {
	const page = await open("long.svg");
	await page.keyboard.press("/");
	await page.keyboard.type("MiXeR");
	same(await matched(page), "matched 9.90%", "capitals do not matter");
	await page.click("button:has-text('Aa')");
	same(await matched(page), "matched 0.00%", "unless one says so");
	await page.fill(".tools input", "MIXER|mixer");
	await page.press(".tools input", "Control+i");
	await page.press(".tools input", "Control+i");
	same(await matched(page), "matched 9.90%", "Ctrl-I is the same");
	const at = async () => [(await details(page)).split(" · ")[0], (await matched(page)).split(" · ")[1]].join(" ");
	for (const [key, want] of [["Enter", "MIXER 1/2"], ["Enter", "mixer 2/2"], ["Enter", "MIXER 1/2"], ["Shift+Enter", "mixer 2/2"]]) {
		await page.press(".tools input", key);
		same(await at(), want, `${key} in the search`);
		check((await frameOf(page, want.split(" ")[0])).class.includes("at"), `${want} is marked`);
	}
	await page.mouse.click(...middle(await frameOf(page, "main")));
	check((await address(page)).includes("zoom="), "zoomed");
	await page.focus(".tools input");
	await page.keyboard.press("Escape");
	check((await address(page)).includes("zoom=") && !(await address(page)).includes("search="), `Esc in the search ends the search alone: ${await address(page)}`);
	await page.fill(".tools input", "mixer");
	await page.focus("g[data-i='0']");
	await page.keyboard.press("n");
	same(await at(), "mixer 1/1", "n walks, too");
	await page.keyboard.press("Shift+N");
	same(await at(), "mixer 1/1", "and N");
	check(await page.evaluate(() => document.activeElement?.hasAttribute("data-i")), "and the frame has the keyboard");
}

async function addresses() {
	const page = await open("flame.svg");
	await page.mouse.click(...middle(await frameOf(page, "work")));
	await page.mouse.click(...middle(await frameOf(page, "leaf")));
	same(await frameOf(page, "parse"), null, "zoomed twice");
	await page.goBack();
	check(await frameOf(page, "parse"), "Back leads to the zoom before");
	same(await frameOf(page, "read_line"), null, "and no further");
	await page.goBack();
	check(await frameOf(page, "read_line"), "Back again: the whole picture");
	await page.goForward();
	same(await frameOf(page, "read_line"), null, "Forward");
	await page.evaluate(() => { location.hash = "#search=leaf&flip=1"; });
	await page.waitForFunction(() => document.querySelector(".matched").textContent);
	same(await matched(page), "matched 49.50%", "an address that is typed is followed");
	check(await frameOf(page, "read_line"), "without its zoom");
	await page.evaluate(() => { location.hash = ""; });
	await page.waitForFunction(() => !document.querySelector(".matched").textContent);
	await page.keyboard.down("Control");
	await page.mouse.click(...middle(await frameOf(page, "work")));
	await page.keyboard.up("Control");
	check(await frameOf(page, "read_line"), "Ctrl and a click is the browser's");
}

// Nothing over anything else, nothing out of the window.
async function layout(file, options) {
	const page = await open(file, options), width = options.viewport.width, where = `${file} at ${width}`;
	same(await page.evaluate(() => window.innerWidth), width, `${where}: laid out as wide as the window`);
	check(await page.evaluate(() => document.documentElement.getBoundingClientRect().height >= window.innerHeight), `${where}: as high as the window`);
	await page.fill(".tools input", "a");
	await page.evaluate(() => window.scrollTo(0, 0));
	await settle(page);
	const texts = await boxes(page, ".title, .subtitle, .key, .note, .details"), parts = await boxes(page, ".tools > *"), [first] = await boxes(page, "g[data-i]");
	for (const box of [...texts, ...parts])
		check(box.left >= 0 && box.right <= width + 0.5, `${where}: '${box.text}' is out of the window: ${JSON.stringify(box)}`);
	for (const text of texts.filter(t => t.width))
		for (const part of parts)
			check(apart(text, part), `${where}: '${part.text}' over '${text.text}'`);
	check((await boxes(page, ".key")).every(k => k.width > 0), `${where}: the legend is shown`);
	const frames = await boxes(page, "g[data-i] rect"), upmost = Math.min(...frames.map(f => f.top));
	check((await boxes(page, ".key, .tools > *")).every(k => k.bottom <= upmost + 1), `${where}: frames begin below the legend and the tools`);
	check(first.width > 0.9 * width, `${where}: the root is as wide as the window`);
	const foot = (await boxes(page, ".note")).map(n => n.text).join(" ");
	check(!foot.includes("…"), `${where}: the foot is cut: ${foot}`);
	return page;
}

async function tips() {
	for (const options of [PHONE, { viewport: { width: 700, height: 300 }, hasTouch: true }]) {
		const page = await open("long.svg", options), long = await page.evaluate(() => {
			const { x, y } = [...document.querySelectorAll("g[data-i]")].find(g => g.textContent.includes("_M_")).getBoundingClientRect();
			return [x + 20, y + 5];
		});
		await page.touchscreen.tap(...long);
		const [tip] = await boxes(page, ".tip"), [svg] = await boxes(page, "svg");
		check(await page.isVisible(".tip"), "a touch shows the tip");
		check(tip.left >= 0 && tip.right <= options.viewport.width && tip.top >= 0 && tip.bottom <= Math.min(svg.bottom, options.viewport.height),
			`the tip is in the picture: ${JSON.stringify([tip, svg])}`);
		check(tip.text.includes("300 samples"), "with its figures");
		await page.touchscreen.tap(options.viewport.width / 2, (await boxes(page, ".subtitle"))[0].top + 4);
		check(!await page.isVisible(".tip"), "a touch elsewhere hides it");
	}
}

async function tallOnes() {
	const page = await open("deep.svg"), inSight = async () => {
		const root = await frameOf(page, "all");
		return root.y > 0 && root.y + root.height < 800;
	};
	check(await inSight(), "a tall picture begins at its root");
	await page.keyboard.press("i");
	await settle(page);
	check(await inSight(), "turned over, the root is in sight");
	await page.click("button:has-text('flip')");
	await settle(page);
	check(await inSight(), "and turned back");
	const panel = await page.evaluate(() => getComputedStyle(document.querySelector(".floating .tools")).backgroundColor);
	check(panel !== "rgba(0, 0, 0, 0)", "tools over frames have a ground");
	await page.fill(".tools input", "f190");
	await page.press(".tools input", "Enter");
	const hit = await frameOf(page, "f190"), [tools] = await boxes(page, ".tools");
	check(hit.y > tools.bottom && hit.y < 800, `a match is brought in sight: ${JSON.stringify(hit)}`);
}

await tabs();
await sumsOfNarrow();
await matches();
await addresses();
await layout("long.svg", PHONE);
await layout("long.svg", { viewport: { width: 700, height: 600 } });
await layout("long.svg", { viewport: { width: 1280, height: 800 } });
await layout("recorded.svg", PHONE);
await tips();
await tallOnes();
await finish();
