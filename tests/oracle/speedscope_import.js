// SPDX-License-Identifier: GPL-2.0-or-later
//
// Has speedscope's own importer read a file and prints what it understood, as JSON: for each profile its name, unit, total weight, number of
// samples, and of each frame name the self and total weight.
//
// Usage: node speedscope_import.js DIRECTORY-OF-THE-PACKAGE FILE
//
// The package is the application, one script for a browser. Its importer is caught when the bundle defines its exports; the page itself is
// of no interest, so everything of a browser is a stub, and that drawing it fails does not matter.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [, , packageDir, file] = process.argv;
const release = path.join(packageDir, "dist", "release");
const bundle = fs.readdirSync(release).find((name) => /^speedscope.*\.js$/.test(name));

function stub() {
	return new Proxy(function () {}, {
		get: (target, key) => (key === Symbol.toPrimitive ? () => "" : key === Symbol.iterator ? function* () {} : key === "then" ? undefined : stub()),
		apply: () => stub(),
		construct: () => stub(),
		set: () => true,
	});
}

let importer = null;
const context = vm.createContext({
	console: { log() {}, error: console.error, warn() {} },
	window: stub(), document: stub(), navigator: stub(), location: stub(), localStorage: stub(), self: stub(),
	requestAnimationFrame() {}, setTimeout, clearTimeout, TextDecoder, TextEncoder, URL, Blob, atob, btoa, performance, WebAssembly,
	caught(target) { importer = target; },
});
vm.runInContext(`{
	const define = Object.defineProperty;
	Object.defineProperty = function (target, key, how) {
		if (key === "importProfileGroupFromText")
			caught(target);
		return define(target, key, how);
	};
}`, context);
try {
	vm.runInContext(fs.readFileSync(path.join(release, bundle), "utf8"), context);
} catch (e) {
	if (!importer)
		throw e;
}

function describe(profile) {
	const frames = {};
	profile.forEachFrame((f) => {
		const known = frames[f.name] || { self: 0, total: 0 };
		frames[f.name] = { self: known.self + f.getSelfWeight(), total: known.total + f.getTotalWeight() };
	});
	return {
		name: profile.getName(),
		unit: profile.getWeightUnit(),
		total: profile.getTotalWeight(),
		frames,
	};
}

setImmediate(async () => {
	try {
		const group = await importer.importProfileGroupFromText(path.basename(file), fs.readFileSync(file, "utf8"));
		if (!group)
			throw new Error("the importer does not know this format");
		process.stdout.write(JSON.stringify({ name: group.name, active: group.indexToView, profiles: group.profiles.map(describe) }) + "\n");
	} catch (e) {
		console.error(String((e && e.stack) || e));
		process.exitCode = 1;
	}
});
