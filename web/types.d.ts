// For tests/check-web alone, and in no page: what the scripts take for granted of the DOM. Elements are found by selectors of our own
// markup, so that their kind is known; attributes are numbers as often as strings.
interface Element {
	closest(selectors: string): any;
	setAttribute(name: string, value: string | number | boolean): void;
	getBBox(): DOMRect;
	blur(): void;
}
interface HTMLElement {
	getContext(kind: "2d"): CanvasRenderingContext2D;
	getScreenCTM(): DOMMatrix;
	viewBox: SVGAnimatedRect;
	value: any;
	disabled: boolean;
	select(): void;
}
interface ChildNode {
	getBoundingClientRect(): DOMRect;
}
interface Array<T> {
	findLast(test: (value: T, index: number) => unknown): T | undefined;
	findLastIndex(test: (value: T, index: number) => unknown): number;
}
// Flags of ours are bytes that are set to booleans.
interface Uint8ArrayConstructor {
	new (length: number): any;
}
// Younger than the compiler's declarations.
declare class DecompressionStream {
	constructor(format: "gzip");
	readable: ReadableStream;
	writable: WritableStream;
}
