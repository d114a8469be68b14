// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pictures too deep for a document that holds all of it. The stacks are: 20 of 7,000 frames, 1 to 20 samples each; the widest has its own
// name in row 5,001.
import { check, details, finish, frameOf, middle, open, same } from "./browser.mjs";

const ROW = 18, MOST_ELEMENTS = 20000, MOST_MS = 3000;
const nrElements = page => page.evaluate(() => document.querySelectorAll("*").length);
const settle = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0))));
const inSight = f => f && f.y > 30 && f.y + f.height <= 800;

// Of the rows between the upmost and the lowest that can be seen: how many there are, and how many have no frame.
const missingRows = page => page.evaluate(row => {
	const boxes = [...document.querySelectorAll("g[data-i] > :first-child")].map(e => e.getBoundingClientRect());
	const seen = boxes.filter(b => b.bottom > 0 && b.top < innerHeight).map(b => Math.round(b.top / row));
	const rows = new Set(seen), least = Math.min(...seen), most = Math.max(...seen);
	let missing = 0;
	for (let r = least; r <= most; r++)
		missing += !rows.has(r);
	return { missing, rows: rows.size };
}, ROW);

async function scrolls(page) {
	for (const y of [100000, 63000, 63900, 64800, 20000, 126000, 400]) {
		await page.evaluate(to => window.scrollTo(0, to), y);
		await settle(page);
		const { missing, rows } = await missingRows(page);
		check(missing === 0 && rows >= 30, `scrolled to ${y}: ${rows} rows, ${missing} missing`);
		check(await nrElements(page) < MOST_ELEMENTS, `scrolled to ${y}: ${await nrElements(page)} elements`);
		check(await frameOf(page, "all"), "the root is always there");
	}
}

async function searches(page) {
	await page.keyboard.press("/");
	await page.keyboard.type("^needle$");
	same(await page.textContent(".matched"), "matched 9.52%", "a match far out counts");
	same(await frameOf(page, "needle"), null, "and is not in the document");
	await page.keyboard.press("Enter");
	const hit = await frameOf(page, "needle");
	check(inSight(hit), `Enter brings it in sight: ${JSON.stringify(hit)}`);
	check(hit?.class.includes("at"), "and marks it");
	same(await page.textContent(".matched"), "matched 9.52% · 1/1", "it is counted");
	const { missing } = await missingRows(page);
	same(missing, 0, "rows around it are drawn at once");
	check((await page.textContent(".tip")).includes("needle"), "with its tip");
}

async function keyboard(page) {
	await page.keyboard.press("Escape");
	const name = async () => (await details(page)).split(" · ")[0];
	await page.evaluate(() => window.scrollTo(0, 60000));
	await settle(page);
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowDown");
	same(await name(), "needle", "the arrows go on from the match, wherever the page is scrolled to");
	check(inSight(await frameOf(page, "needle")), "and bring it in sight");
	for (let k = 0; k < 150; k++)
		await page.keyboard.press("ArrowUp");
	same(await name(), `f${(19 * 7 + 5150) % 997}`, "150 rows further");
	const on = await page.evaluate(() => document.activeElement.getBoundingClientRect().y);
	check(on > 0 && on < 800, `the frame with the keyboard is in sight: ${on}`);
	await page.evaluate(() => window.scrollTo(0, 0));
	await settle(page);
	check(await page.evaluate(() => document.activeElement?.hasAttribute("data-i")), "a scroll away does not take the keyboard from it");
	await page.keyboard.press("ArrowDown");
	same(await name(), `f${(19 * 7 + 5149) % 997}`, "and the next key goes on there");
}

async function zooms(page) {
	await page.keyboard.press("Enter");
	await settle(page);
	check(page.url().includes("zoom="), "Enter zooms");
	check((await missingRows(page)).missing === 0, "callers and callees of a far frame are drawn");
	const link = await open("deep20.svg", { hash: new URL(page.url()).hash });
	const at = await link.evaluate(i => document.querySelector(`g[data-i="${i}"]`)?.getBoundingClientRect().y, new URL(page.url()).hash.match(/zoom=(\d+)/)[1]);
	check(at > 0 && at < 800, `a link to a far frame shows it: ${at}`);
	await page.keyboard.press("Escape");
	await page.keyboard.press("i");
	await settle(page);
	check(inSight(await frameOf(page, "all")), "turned over, the root is in sight");
	check((await missingRows(page)).missing === 0, "and all rows on it");
}

// In a browser that runs already, up to three times: the machine may be busy.
async function opened() {
	let page = null, least = Infinity;
	for (let k = 0; k < 3 && least >= MOST_MS; k++) {
		await page?.close();
		const begin = Date.now();
		page = await open("deep20.svg");
		await settle(page);
		least = Math.min(least, Date.now() - begin);
	}
	return [page, least];
}

const image = await open("image.html");
same(await image.evaluate(() => document.querySelector("img").naturalHeight < 8000), true, "as an image it has a bound");
await image.close();
const [page, took] = await opened();
check(took < MOST_MS, `it opens in ${took} ms`);
check(await nrElements(page) < MOST_ELEMENTS, `${await nrElements(page)} elements`);
check(inSight(await frameOf(page, "all")), "it begins at its root");
await scrolls(page);
await searches(page);
await keyboard(page);
await zooms(page);

await page.mouse.move(...middle(await frameOf(page, "all")));
check((await details(page)).startsWith("all"), "and the page still tells what is pointed at");
console.log(`NOTE: 140,000 frames: ${took} ms, ${await nrElements(page)} elements`);
await finish();
