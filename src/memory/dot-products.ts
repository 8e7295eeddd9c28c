import { DOT_KERNEL } from './dot-kernel.ts';

/** The part of WebAssembly used here; the compiler's library for Node has no types for it. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly dots: (query: number, codes: number, dimensions: number, count: number, out: number) => void;
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: Runtime }).WebAssembly;

const PAGE_BYTES = 65_536;
const MOST_DIMENSIONS = 4096;
const QUERY_SCALE = 4095;
const CODE_SCALE = 127;

/** Codes are scored in blocks of so many, whose products stay in the processor's nearest cache. */
const BLOCK = 2048;
const OUT_AT = MOST_DIMENSIONS * 2;
const CODES_AT = OUT_AT + BLOCK * 4;

let compiled: object | undefined;

/** A vector in 8-bit integers: component × `scale` ≈ the vector's component. */
export interface Code {
  readonly code: Int8Array;
  readonly scale: number;
}

/** The code of a vector; its length is the next multiple of 32. */
export function encodeVector(vector: Float32Array): Code {
  const code = new Int8Array(paddedLength(vector.length));
  const scale = largest(vector) / CODE_SCALE;
  if (scale > 0) for (const [index, value] of vector.entries()) code[index] = Math.round(value / scale);
  return { code, scale };
}

function paddedLength(dimensions: number): number {
  return Math.ceil(dimensions / 32) * 32;
}

function largest(vector: Float32Array): number {
  let result = 0;
  for (const value of vector) result = Math.max(result, Math.abs(value));
  return result;
}

/** Codes of one length, and their dot products with a query, at what memory bandwidth allows. */
export class DotProducts {
  readonly #length: number;
  readonly #exports: Exports;
  #count = 0;
  #bytes: Int8Array;

  constructor(dimensions: number) {
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS) {
      throw new RangeError(`a vector has 1 to ${MOST_DIMENSIONS} dimensions, not ${dimensions}`);
    }
    this.#length = paddedLength(dimensions);
    compiled ??= new Module(Buffer.from(DOT_KERNEL, 'base64'));
    this.#exports = new Instance(compiled).exports;
    this.#bytes = new Int8Array(this.#exports.memory.buffer);
  }

  /** Adds a code as the last. */
  add(code: Int8Array): void {
    const at = CODES_AT + this.#count * this.#length;
    this.#reserve(at + this.#length);
    this.#bytes.set(code, at);
    this.#count += 1;
  }

  /** Calls `visit` with the products of each block: those of the codes `first`, `first + 1` and so on. */
  forEachBlock(
    query: Float32Array,
    visit: (products: Int32Array, first: number, queryScale: number) => void,
  ): void {
    const { memory, dots } = this.#exports;
    this.#reserve(CODES_AT);
    const scale = largest(query) / QUERY_SCALE;
    const integers = new Int16Array(memory.buffer, 0, this.#length).fill(0);
    if (scale > 0) for (const [index, value] of query.entries()) integers[index] = Math.round(value / scale);
    for (let first = 0; first < this.#count; first += BLOCK) {
      const count = Math.min(BLOCK, this.#count - first);
      dots(0, CODES_AT + first * this.#length, this.#length, count, OUT_AT);
      visit(new Int32Array(memory.buffer, OUT_AT, count), first, scale);
    }
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const { memory } = this.#exports;
    // Growing may copy everything, so it grows by a half at least.
    const wanted = Math.max(bytes, this.#bytes.length * 1.5);
    memory.grow(Math.ceil((wanted - this.#bytes.length) / PAGE_BYTES));
    this.#bytes = new Int8Array(memory.buffer);
  }
}
