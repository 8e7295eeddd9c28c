/* What a program that is not type-checked gives wrongly, and where a report is written. */
import { mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRunStore } from '../../../src/flight/file-store.ts';
import {
  createAgent,
  defineTool,
  forkTask,
  openRunStore,
  orchestrate,
  planTask,
  replayRun,
  resumeTask,
  type RunOptions,
  verifyLog,
} from '../../../src/index.ts';
import { planned } from '../../support/composed.ts';
import { echoTool, node } from '../../support/core.ts';

describe('options of a program in plain JavaScript', () => {
  it.each([
    [{}, 'task: expected the path of a task file, or a task, got nothing'],
    [undefined, 'task: expected the path of a task file, or a task, got nothing'],
    [{ task: 7 }, 'task: expected the path of a task file, or a task, got a value of type number'],
    [
      { task: 'x.yaml', plan: { nodes: [] } },
      'plan: expected the text of a plan, got a value of type object',
    ],
    [{ task: {}, tools: 'x' }, 'tools: expected a list of what defineTool makes, got a value of type string'],
    [{ task: {}, tools: [{ name: 'x' }] }, 'tools: expected a list of what defineTool makes, got a list'],
    [{ task: {}, provider: 3 }, 'provider: expected a provider, got a value of type number'],
    [
      { task: {}, runsFolder: 3 },
      'runsFolder: expected the path of a folder, or null, got a value of type number',
    ],
    [{ task: {}, runsFolder: '' }, 'runsFolder: expected the path of a folder, or null, got an empty text'],
    [{ task: {}, signal: 3 }, 'signal: expected an AbortSignal, got a value of type number'],
    [{ task: {}, onEvent: {} }, 'onEvent: expected a function, got a value of type object'],
    [{ task: {}, inputs: [] }, 'inputs: expected an object, got a list'],
    [{ task: {}, store: {} }, 'store: expected a store of runs, got a value of type object'],
    [
      { task: {}, memory: 3 },
      'memory: expected a memory with its store, or null, got a value of type number',
    ],
    [
      { task: {}, hooks: { preToolCal: 1 } },
      'hooks: expected preToolCall, postToolCall, or both, as functions of an object, got a value of type object',
    ],
    [
      { task: {}, hooks: { preToolCall: () => null, postToolcall: () => null } },
      'hooks: expected preToolCall, postToolCall, or both, as functions of an object, got a value of type object',
    ],
    [{ task: {}, onEvnt: () => undefined }, 'there is no option "onEvnt" (did you mean onEvent?)'],
    [{ task: {}, verbosity: 3 }, 'there is no option "verbosity"'],
    [
      { task: {}, captureContent: 'yes' },
      'captureContent: expected true or false, got a value of type string',
    ],
    [{ task: {}, approves: 'all' }, 'approves: expected consent or write, got a value of type string'],
    [{ task: {}, clock: 3 }, 'clock: expected a clock, got a value of type number'],
    [{ task: {}, random: {} }, 'random: expected a source of chance, got a value of type object'],
    [{ task: {}, secrets: 'x' }, 'secrets: expected a list of texts, got a value of type string'],
  ])('%j are refused with what was expected', async (options, message) => {
    const refusal = { code: 'usage', message };
    await expect(orchestrate(options as unknown as RunOptions)).rejects.toMatchObject(refusal);
    await expect(planTask(options as unknown as RunOptions)).rejects.toMatchObject(refusal);
  });

  it('are refused before a run is taken up or forked', async () => {
    const options = { runsFolder: null, signal: 'x' } as never;
    const refusal = { code: 'usage', message: expect.stringContaining('signal') as string };
    await expect(resumeTask('last', options)).rejects.toMatchObject(refusal);
    await expect(forkTask('last', options)).rejects.toMatchObject(refusal);
    await expect(createAgent({ ...(options as object), session: 'last' })).rejects.toMatchObject(refusal);
    await expect(resumeTask('last', { runsFolder: null, retryfailed: true } as never)).rejects.toMatchObject({
      message: 'there is no option "retryfailed" (did you mean retryFailed?)',
    });
  });

  it('are refused where a run is named by no text, or by none of them', async () => {
    const refusal = { code: 'usage', message: expect.stringContaining('run: expected the id') as string };
    await expect(replayRun(7 as never)).rejects.toMatchObject(refusal);
    await expect(verifyLog(undefined as never)).rejects.toMatchObject(refusal);
    await expect(resumeTask(undefined as never, { runsFolder: null })).rejects.toMatchObject(refusal);
    await expect(resumeTask('x', null as never)).rejects.toMatchObject({
      message: 'options: expected an object, got null',
    });
  });

  it('are told where a task or an input holds what JSON cannot', async () => {
    const { options } = planned([echoTool()], [node('a')]);
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const withInput = (value: unknown): RunOptions =>
      ({
        ...options,
        task: { ...options.task, inputs: { given: 'x' } },
        inputs: { given: value },
      }) as RunOptions;
    await expect(orchestrate(withInput(cycle))).rejects.toThrow(
      'input "given": not plain JSON at /self: a cycle',
    );
    await expect(orchestrate(withInput([1n]))).rejects.toThrow(
      'input "given": not plain JSON at /0: a bigint',
    );
    const task = { ...options.task, inputs: { given: cycle } } as never;
    await expect(orchestrate({ ...options, task })).rejects.toMatchObject({
      code: 'not_json_value',
      message: 'not plain JSON at /inputs/given/self: a cycle',
    });
  });

  it('are refused where runs are opened', async () => {
    expect(await openRunStore(null).list()).toEqual([]);
    expect(() => openRunStore('')).toThrow(/^runsFolder: expected the path of a folder/);
  });

  it.each([undefined, null, 'x', []])('a tool that is defined by %j is refused', (definition) => {
    expect(() => defineTool(definition as never)).toThrow(
      expect.objectContaining({ code: 'tool_invalid', message: 'a tool is defined by an object' }) as Error,
    );
  });
});

describe('output.file', () => {
  it('is written into a folder that is not there yet', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'sortie-output-'));
    const { options } = planned([echoTool()], [node('a', { args: { value: 'the report' } })], { workspace });
    const task = { ...options.task, output: { file: 'out/deep/x.md' } };
    expect(await orchestrate({ ...options, task })).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(workspace, 'out/deep/x.md'), 'utf8')).toContain('the report');
    await rm(workspace, { recursive: true });
  });

  it('is told of in result.json where it cannot be written', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'sortie-output-'));
    const { options } = planned([echoTool()], [node('a', { args: { value: 'the report' } })], { workspace });
    const task = { ...options.task, output: { file: '.' } };
    const store = new FileRunStore(workspace);
    const result = await orchestrate({ ...options, task, store, memory: null });
    expect(result).toMatchObject({ exitCode: 1, warnings: [expect.stringContaining('output.file')] });
    expect(JSON.parse(await readFile(join(workspace, result.runId, 'result.json'), 'utf8'))).toEqual(result);
    await rm(workspace, { recursive: true });
  });
});

describe('a folder that takes no more once the run is over', () => {
  it('costs nobody the answer: the result says what is not there', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'sortie-output-'));
    const { options } = planned([echoTool()], [node('a', { args: { value: 'the report' } })], { workspace });
    const result = await orchestrate({
      ...options,
      store: new FileRunStore(workspace),
      memory: null,
      runId: 'x',
      onEvent({ type }) {
        if (type !== 'run.started') return;
        mkdirSync(join(workspace, 'x', 'report.md'));
        mkdirSync(join(workspace, 'x', 'result.json'));
      },
    });
    expect(result).toMatchObject({
      status: 'unverified',
      exitCode: 1,
      answer: 'the report',
      warnings: [
        expect.stringMatching(/^cannot write .*report\.md: /),
        expect.stringMatching(/^cannot write .*result\.json: /),
      ],
    });
    await rm(workspace, { recursive: true });
  });
});
