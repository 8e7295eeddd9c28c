import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import { callBuiltin } from '../../support/builtin-call.ts';

const run = (code: string, more: Record<string, Json> = {}): Promise<Json> =>
  callBuiltin('run_javascript', { code, ...more });

// A thread compiles the sources of this program when it starts.
describe('run_javascript', { timeout: 60_000 }, () => {
  it.each<[code: string, input: Json, result: Json]>([
    ['return input.map((n) => n * 2)', [1, 2, 3], [2, 4, 6]],
    ['const { a } = await Promise.resolve(input); return a.at(-1)', { a: ['x', 'y'] }, 'y'],
    [
      'return Object.entries(input)',
      { 'a"b\u2028`${1}': { constructor: 1 } },
      [['a"b\u2028`${1}', { constructor: 1 }]],
    ],
    ['return [..."añ😀"].length', null, 3],
    ['return null', null, null],
    ['// a comment at its end\nreturn 1 // like this', null, 1],
  ])('of %j with %j gives %j', async (code, input, result) => {
    expect(await run(code, { input })).toEqual({ result, printed: '', truncated: false });
  });

  it('gives what the code prints, and says where that was too much', async () => {
    expect(await run('console.log("a", 1, {b: 2}); console.error(undefined); return 0')).toEqual({
      ...{ result: 0, printed: 'a 1 {"b":2}\nundefined\n', truncated: false },
    });
    const flood = (await run('for (let i = 0; i < 3000; i++) console.log("x".repeat(100)); return 0')) as {
      printed: string;
      truncated: boolean;
    };
    expect([flood.printed.length, flood.truncated]).toEqual([64 * 1024, true]);
  });

  it('has nothing of this machine', async () => {
    const names =
      'process require module fetch XMLHttpRequest WebSocket setTimeout setInterval Buffer std os scriptArgs Worker SharedArrayBuffer WebAssembly Deno Bun globalThis.parentPort'.split(
        ' ',
      );
    const code = `return { ${names.map((name) => `${JSON.stringify(name)}: typeof ${name}`).join(', ')} }`;
    const { result } = (await run(code)) as { result: Record<string, string> };
    const known = Object.entries(result).filter(([, type]) => type !== 'undefined');
    expect(known.map(([name]) => name).filter((name) => name !== 'SharedArrayBuffer')).toEqual([]);
    await expect(run('return await import("node:fs")')).rejects.toMatchObject({ code: 'tool_misuse' });
    await expect(
      run('return (async () => {}).constructor.constructor("return process")().version'),
    ).rejects.toThrow(/not defined/);
  });

  it.each<[code: string, message: RegExp]>([
    ['const a = 1;\nthrow new TypeError("no good")', /the code failed: TypeError: no good \(line 2\)/],
    ['throw new Error("x".repeat(1e6))', /^the code failed: Error: x{1900,1999}… \[cut: \d+ characters\]$/],
    ['return 1 +', /SyntaxError/],
    ['let x = 1', /returned nothing/],
    ['return () => 1', /returned nothing/],
    ['return 10n', /BigInt/i],
    ['const a = {}; a.a = a; return a', /circular/i],
    ['await new Promise(() => {})', /waits for a promise that nothing resolves/],
    ['throw "just a text"', /just a text/],
    ['return "x".repeat(5_000_000)', /returns more than/],
  ])('fails on %j as a misuse', async (code, message) => {
    await expect(run(code)).rejects.toMatchObject({
      code: 'tool_misuse',
      message: expect.stringMatching(message) as string,
    });
  });

  it.each<[code: string, limit: string]>([
    ['for (;;);', 'time'],
    ['try { for (;;); } catch { for (;;); } finally { for (;;); }', 'time'],
    ['await null; while (true) await null', 'time'],
    ['[1, 2].sort(() => { for (;;); })', 'time'],
    ['/(a+)+$/.test("a".repeat(50) + "b")', 'time'],
    ['const toJSON = () => { for (;;); }; return { toJSON }', 'time'],
    ['const a = []; for (;;) a.push(new Uint8Array(100_000))', 'memory'],
    ['return new Array(1e8).fill("x").join("").length', 'memory'],
    ['const f = () => f() + 1; return f()', 'stack'],
  ])('is ended where %j takes too much %s', async (code, limit) => {
    const startedAt = performance.now();
    await expect(
      run(code, { timeoutSeconds: limit === 'time' ? 1 : 20, memoryMiB: 16 }),
    ).rejects.toMatchObject({
      code: 'tool_misuse',
      details: { limit },
    });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('is ended by the abort of its call', async () => {
    const controller = new AbortController();
    const running = callBuiltin(
      'run_javascript',
      { code: 'for (;;);', timeoutSeconds: 60 },
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(new Error('enough')), 200);
    await expect(running).rejects.toThrow('enough');
  });
});
