// SPDX-License-Identifier: GPL-2.0-or-later
//
// Opens the page that view_large.sh has made and drags over its time line.
import { check, finish, open, same, settle } from "./browser.mjs";

const MOVES = 20;
const page = await open("large.html");
const asked = await page.context().newCDPSession(page);
await asked.send("Performance.enable", { timeDomain: "threadTicks" });
const spent = async () => 1000 * (await asked.send("Performance.getMetrics")).metrics.find(m => m.name === "TaskDuration").value;
const drawn = async () => {
	while (!await page.evaluate(() => performance.getEntriesByName("assay-drawn").length))
		await page.waitForTimeout(50);
	await settle(page);
};

await drawn();
await page.reload();
const begin = await spent();
await drawn();
const opened = await spent() - begin, wall = await page.evaluate(() => performance.getEntriesByName("assay-drawn")[0].startTime);
console.log(`NOTE: drawn after ${wall.toFixed(0)} ms, of which its thread worked ${opened.toFixed(0)} ms`);
check(opened < 3000, `opening takes ${opened} ms of CPU time`);
same(await page.textContent(".counts"), "1,000,000 samples", "all samples");

const box = await page.locator(".plot").boundingBox();
await page.mouse.move(box.x + 0.1 * box.width, box.y + 60);
await page.mouse.down();
for (const tab of ["Flame graph", "Functions", "Bottom-up"]) {
	await page.evaluate(label => [...document.querySelectorAll("[role=tab]")].find(t => t.textContent === label).click(), tab);
	await settle(page);
	await page.mouse.move(box.x + 0.2 * box.width, box.y + 60);
	await settle(page);
	const from = await spent();
	for (let i = 0; i < MOVES; i++) {
		await page.mouse.move(box.x + (0.3 + 0.03 * i) * box.width, box.y + 60 + i % 2);
		await settle(page);
	}
	const frame = (await spent() - from) / MOVES;
	console.log(`NOTE: a brush took ${frame.toFixed(1)} ms a frame with "${tab}" below`);
	check(frame < 150, `a brush takes ${frame} ms of CPU time a frame with "${tab}" below`);
}
await page.mouse.up();
await finish();
