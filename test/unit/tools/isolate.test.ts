import { beforeAll, describe, expect, it } from 'vitest';
import type { Tool, ToolContext } from '../../../src/contracts/tool.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { createToolContext } from '../../support/tool-context.ts';
import { createLoader, modulePath } from '../../support/user-modules.ts';

let tools: Tool[] = [];

beforeAll(async () => {
  tools = await createLoader().loadTools(modulePath('isolated.ts'));
});

async function call(name: string, args: Json, context: Partial<ToolContext> = {}): Promise<Json> {
  const tool = tools.find(({ spec }) => spec.name === name)!;
  return callTool(tool, args, createToolContext(context));
}

// A thread compiles the sources of this program when it starts.
describe('an isolated tool', { timeout: 60_000 }, () => {
  it('is ended by its signal although its code never yields, and can be called again', async () => {
    await call('spin', { forever: false });
    const controller = new AbortController();
    const spinning = call('spin', { forever: true }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('too late')), 50);
    await expect(spinning).rejects.toThrow('too late');
    expect(await call('spin', { forever: false })).toBe(1);
  });

  it('keeps its thread between calls', async () => {
    const first = Number(await call('spin', { forever: false }));
    expect(await call('spin', { forever: false })).toBe(first + 1);
  });

  it('asks and logs through its context', async () => {
    const lines: string[] = [];
    const value = await call(
      'talk',
      {},
      {
        key: 'talk/2',
        workspace: '/some/where',
        trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
        log: (line) => lines.push(line),
        ask: (role, { prompt }) => Promise.resolve(`${role}: ${prompt} fine`),
      },
    );
    expect(value).toEqual({ answer: 'worker: how are you? fine', key: 'talk/2' });
    expect(lines).toEqual([
      'working in /some/where',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ]);
  });

  it('passes on a failed question', async () => {
    await expect(call('talk', {}, { ask: () => Promise.reject(new Error('no model')) })).rejects.toThrow(
      'no model',
    );
  });

  it('keeps the class and details of a typed error', async () => {
    await expect(call('fail', { how: 'typed' })).rejects.toMatchObject({
      code: 'missing_info',
      retry: 'MISSING_INFO',
      message: 'not known',
      details: { city: 'Atlantis' },
    });
  });

  it.each([
    ['exit', 'tool_failed', /the thread of tool "fail" ended: it exited with code 7/],
    ['async', 'tool_failed', /the thread of tool "fail" ended: thrown later/],
    ['bigint', 'not_json_value', /the result of tool "fail" is not plain JSON at \(root\): a bigint/],
  ])('that ends by %s fails with %s', async (how, code, message) => {
    await expect(call('fail', { how })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('does not start when it is aborted already', async () => {
    await expect(
      call('spin', { forever: true }, { signal: AbortSignal.abort(new Error('no')) }),
    ).rejects.toThrow('no');
  });
});
