/* What a program that is not type-checked gives wrongly, and where a report is written. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { orchestrate, planTask, type RunOptions } from '../../../src/index.ts';
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
  ])('%j are refused with what was expected', async (options, message) => {
    const refusal = { code: 'usage', message };
    await expect(orchestrate(options as unknown as RunOptions)).rejects.toMatchObject(refusal);
    await expect(planTask(options as unknown as RunOptions)).rejects.toMatchObject(refusal);
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
});
