// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives the pages that flame.sh has made. The stacks are: 1,010 samples; parse 200 + 100, work 700, hostile names 100.
import { check, details, finish, frameOf, middle, open, same } from "./browser.mjs";

const HOSTILE = "</script><img src=x onerror=alert(1)>";
const TOTAL = 1010;

const nearly = (a, b) => Math.abs(a - b) < 1.5;

async function zoomAndReset(page) {
	const whole = await frameOf(page, "all"), work = await frameOf(page, "work");
	check(nearly(work.width, whole.width * 700 / TOTAL), "work has its share of the width");
	await page.mouse.move(...middle(work));
	check((await details(page)).includes("work · 700 samples, 69.31%"), `details on hover: ${await details(page)}`);
	check(await page.isVisible(".tip"), "a tip is shown");
	await page.mouse.click(...middle(work));
	const zoomed = await frameOf(page, "work"), inner = await frameOf(page, "inner");
	check(nearly(zoomed.width, whole.width), "a click zooms to the whole width");
	check(nearly(inner.width, whole.width * 600 / 700), "what stands on it grows along");
	check((await frameOf(page, "main")).class.includes("up"), "callers stay, faintly");
	same(await frameOf(page, "read_line"), null, "what is beside is gone");
	await page.click("button:has-text('reset')");
	check(nearly((await frameOf(page, "work")).width, work.width), "reset brings all back");
	check(await frameOf(page, "read_line"), "reset brings the others back");
}

async function search(page) {
	await page.keyboard.press("Control+f");
	await page.keyboard.type("^parse$");
	same(await page.textContent(".matched"), "matched 29.70%", "parse in two places");
	check((await frameOf(page, "parse")).class.includes("hit"), "a match is marked");
	check((await frameOf(page, "inner")).class.includes("miss"), "others are not");
	await page.fill(".tools input", "work|leaf");
	same(await page.textContent(".matched"), "matched 69.31%", "a match on a match counts once");
	await page.fill(".tools input", "le(af");
	same(await page.textContent(".matched"), "no regex", "half an expression is no error");
	await page.fill(".tools input", "nobody");
	same(await page.textContent(".matched"), "matched 0.00%", "nothing matches");
	await page.press(".tools input", "Escape");
	same(await page.textContent(".matched"), "", "Esc ends the search");
	check(!(await frameOf(page, "parse")).class.includes("hit"), "Esc takes the marks away");
}

async function keyboard(page) {
	const above = async () => (await details(page)).split(" · ")[0];
	await page.keyboard.press("Escape");
	await page.focus("g[data-i='0']");
	for (const want of ["app", "main", "work", "inner", "leaf"]) {
		await page.keyboard.press("ArrowUp");
		same(await above(), want, "up leads to what is called");
	}
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	same(await above(), "work", "down leads to the caller");
	await page.keyboard.press("ArrowLeft");
	check(await above() !== "work", "left leads to the neighbour");
	await page.keyboard.press("ArrowRight");
	same(await above(), "work", "and right back");
	await page.keyboard.press("Enter");
	same(await frameOf(page, "read_line"), null, "Enter zooms");
	check(page.url().includes("zoom="), "the address remembers it");
	await page.keyboard.press("Escape");
	check(await frameOf(page, "read_line"), "Esc resets");
	const before = await frameOf(page, "all");
	await page.keyboard.press("i");
	check((await frameOf(page, "all")).y < before.y, "i turns it over");
	await page.keyboard.press("i");
	await page.keyboard.press("/");
	await page.keyboard.type("/i");
	same(await page.evaluate(() => document.querySelector(".tools input").value), "/i", "keys belong to the search while one types there");
	await page.keyboard.press("Escape");
}

async function hostileNames(page) {
	const bad = await frameOf(page, HOSTILE), turned = await frameOf(page, "turn\\u202eed\\x01\\x1b[31m\ufffd\ufffd(");
	check(bad && HOSTILE.startsWith(bad.label.replace("…", "")), "markup in a name is shown as it is");
	check(turned, "what cannot be seen is spelled out");
	check(await frameOf(page, "\ufffd"), "what XML forbids is replaced");
	check(await frameOf(page, "]]><script>alert(2)</script>"), "the end of a section in a name ends nothing");
	await page.mouse.move(...middle(bad));
	same(await page.textContent(".tip b"), HOSTILE, "in the tip, too");
	same(await page.locator("img").count(), 0, "no element comes of a name");
	same(await page.locator("script").count(), 2, "no script comes of a name");
	same(await page.textContent(".title"), "<script>alert(3)</script> & more", "the title is text");
	same(await page.textContent(".subtitle"), "]]><b>", "the subtitle is text");
	const kernel = await frameOf(page, "vfs_read");
	check(await page.locator(`g[data-i="${kernel.i}"] .ek`).count() === 1, "kernel frames are marked");
}

async function inverted(page) {
	const root = await frameOf(page, "all"), leaf = await frameOf(page, "leaf");
	check(root.y < leaf.y, "the root of an icicle is on top");
	await page.click("button:has-text('flip')");
	check((await frameOf(page, "all")).y > (await frameOf(page, "leaf")).y, "flip turns it over");
	await page.keyboard.press("Escape");
	await page.mouse.click(...middle(await frameOf(page, "work")));
	check(nearly((await frameOf(page, "work")).width, root.width), "a turned one zooms, too");
}

async function touch(page) {
	const work = await frameOf(page, "work");
	await page.touchscreen.tap(...middle(work));
	check((await details(page)).includes("700 samples"), "a touch tells");
	check(nearly((await frameOf(page, "work")).width, work.width), "and does not zoom");
	await page.touchscreen.tap(...middle(work));
	check((await frameOf(page, "work")).width > work.width * 1.3, "a second one does");
	await page.tap("button:has-text('reset')");
	check(nearly((await frameOf(page, "work")).width, work.width), "reset by touch");
}

const page = await open("flame.svg");
check((await frameOf(page, "all")).y > (await frameOf(page, "leaf")).y, "the root of a flame graph is below");
check(nearly((await frameOf(page, "all")).width, 1260), "it is as wide as the window");
await zoomAndReset(page);
await search(page);
await keyboard(page);
await hostileNames(page);
await page.setViewportSize({ width: 700, height: 600 });
await page.waitForFunction(() => document.querySelector("g[data-i='0'] rect").getBoundingClientRect().width < 700);
check(nearly((await frameOf(page, "all")).width, 680), "it follows its window");

await inverted(await open("icicle.svg"));
await touch(await open("flame.svg", { hasTouch: true, viewport: { width: 800, height: 700 } }));

const remembered = await open("flame.svg", { hash: "#zoom=3&search=leaf" });
same(await remembered.textContent(".matched"), "matched 49.50%", "a link keeps the search");

const reverse = await open("reverse.svg");
check(nearly((await frameOf(reverse, "leaf")).width, 1260 * 500 / TOTAL), "bottom-up: leaf is next to the root");

const fixed = await open("fixed.svg");
check(nearly((await frameOf(fixed, "all")).width, 880), "--width stays");

const scaled = await open("scaled.svg");
check(nearly((await frameOf(scaled, "work")).width, 1260 * 700 / TOTAL), "--factor changes no width");
await scaled.mouse.move(...middle(await frameOf(scaled, "work")));
check((await details(scaled)).includes("work · 0.7 ms, 69.31%"), `--factor is shown: ${await details(scaled)}`);

const recorded = await open("recorded.svg");
check(await frameOf(recorded, "main"), "a recording has a main");
await recorded.mouse.click(...middle(await frameOf(recorded, "main")));
check((await recorded.textContent(".note")).startsWith("Quality: "), "the quality line is at the foot");

const dark = await open("deep.svg", { colorScheme: "dark" });
check(await dark.locator("g[data-i]").count() >= 300, "a deep stack is drawn");
const ground = await dark.evaluate(() => getComputedStyle(document.querySelector(".ground")).fill);
check(ground.match(/\d+/g).every(v => v < 60), `the ground of a dark page is dark: ${ground}`);
await finish();
