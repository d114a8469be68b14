// SPDX-License-Identifier: GPL-2.0-or-later
//
// A page as a reader sees it who has just opened it in a window of this size: node photograph.mjs FILE PNG WIDTH HEIGHT
import { finish, open } from "./browser.mjs";

const [file, png, width, height] = process.argv.slice(2);
const page = await open(file, { viewport: { width: Number(width), height: Number(height) }, colorScheme: "light" });
// A viewer's page unpacks its profile first.
while (await page.evaluate(() => document.body?.classList.contains("assay-view") && !performance.getEntriesByName("assay-drawn").length))
	await page.waitForTimeout(50);
await page.screenshot({ path: png });
await finish();
