import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoadedTask } from '../../../src/config/load.ts';
import { loadTask } from '../../../src/config/load.ts';
import type { OverrideSources } from '../../../src/config/overrides.ts';
import { policySchema } from '../../../src/contracts/policy.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { BUILTINS, PROVIDERS, taskText } from './reading.ts';

describe('loadTask', () => {
  let folder = '';
  let file = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sortie-load-'));
    file = join(folder, 'task.yaml');
    writeFileSync(join(folder, 'tools.ts'), '');
    writeFileSync(join(folder, 'mock.ts'), '');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const load = (sources: OverrideSources = {}, path = file): Promise<LoadedTask> =>
    loadTask(path, { ...sources, builtins: BUILTINS, providers: PROVIDERS });

  const refusal = async (content: string | Buffer, sources: OverrideSources = {}): Promise<string> => {
    writeFileSync(file, content);
    return messageOf(load(sources));
  };

  const messageOf = (loading: Promise<LoadedTask>): Promise<string> =>
    loading.then(
      () => 'accepted',
      (error: unknown) => {
        expect(error).toBeInstanceOf(OrchestratorError);
        expect((error as OrchestratorError).exitCode).toBe(2);
        return (error as OrchestratorError).message;
      },
    );

  it('gives the task, its folder and the places of its values', async () => {
    writeFileSync(file, taskText().replace('[./tools.ts]', '[./tools.ts, read_file]'));
    const loaded = await load({ flags: { provider: 'mock' } });
    expect(loaded).toMatchObject({ goal: 'Compare Paris, Lima', file, folder: resolve(folder) });
    expect(loaded.locate('tools.1')).toEqual({ line: 5, column: 21 });
    expect(loaded.locate('provider')).toBeNull();
    expect(loaded.problemAt(['provider'], 'gone')).toEqual({
      override: '--provider',
      path: 'provider',
      message: 'gone',
    });
  });

  it('refuses denials that would hold for nothing, at their places', async () => {
    const bad = [
      '../x',
      'a/../b',
      '[ab].pem',
      '{a',
      'a}',
      '{1..3}',
      '/',
      './',
      '{a,}',
      ' ',
      'a\\b',
      'a\u200b',
    ];
    bad.push('*.@(a|b)', 'x:y', '~/.ssh', '/etc/passwd', `${folder}/private`, '{a,b,c,d}'.repeat(4), '［a］');
    for (const pattern of bad) {
      const text = taskText('policy:', '  paths:', `    deny: [ok, ${JSON.stringify(pattern)}]`);
      const message = await refusal(text);
      expect(message).toMatch(/:9:16 policy\.paths\.deny\.1: .+ \(.+\)$/);
      expect(message.split('\n')).toHaveLength(1);
    }
    expect(await refusal(taskText(`policy: {paths: {deny: [${folder}/private]}}`))).toContain(
      '(write private)',
    );
    expect(await refusal(taskText(), { flags: { 'policy.paths.deny': '[../x]' } })).toContain(
      '--policy.paths.deny',
    );
    expect(await refusal(taskText('policy: {paths: {allow: [../x, x:y]}}'))).toMatch(/allow\.0: [^\n]+$/);
  });

  it('leaves logs readable that hold such denials', () => {
    expect(policySchema.safeParse({ paths: { deny: ['../x', '[ab].pem', '/'] } }).success).toBe(true);
  });

  it('takes every other denial', async () => {
    const sound = [
      '/private/key',
      'private//key',
      'a/./b',
      '{a,{b,c}}.pem',
      'secret.',
      'README ',
      '.env*',
      '**',
    ];
    sound.push('~$*', 'a/~x', '{,.}env', 'Copy (1).txt', '..x', 'a...', '/build', './key');
    const text = taskText(`policy: {paths: {allow: ['.', './', docs], deny: ${JSON.stringify(sound)}}}`);
    expect(await refusal(text)).toBe('accepted');
  });

  it('reports modules and names that do not exist together with everything else', async () => {
    mkdirSync(join(folder, 'lib'));
    const text = taskText('walk: levle', 'verify: {checks: [function: "./checks.ts#ok"]}')
      .replace('[./tools.ts]', '[./tools.ts, ./nowhere.ts, raed_file, tools.ts, ./lib]')
      .replace('./mock.ts', 'antropic');
    expect((await refusal(text)).split('\n')).toEqual([
      `${file}:5:21 tools.1: no such module: ${join(folder, 'nowhere.ts')} (paths start at the task file)`,
      `${file}:5:35 tools.2: no built-in tool is named "raed_file" (did you mean read_file?)`,
      `${file}:5:46 tools.3: no built-in tool is named "tools.ts" (a module is written with ./, such as ./tools.ts)`,
      `${file}:5:56 tools.4: not a module: ${join(folder, 'lib')} (name a file in it)`,
      `${file}:6:11 provider: no provider is named "antropic" (did you mean anthropic?)`,
      `${file}:7:7 walk: expected level or eager, got the text "levle" (did you mean level?)`,
      `${file}:8:29 verify.checks.0.function: no such module: ${join(folder, 'checks.ts')} (paths start at the task file)`,
    ]);
    expect(await refusal(taskText().replace(/^provider: .*\n/m, ''))).toContain(
      ' provider: is missing (known are anthropic, openai, mock; a module is written with ./, such as ./mock.ts)',
    );
    expect(await refusal(taskText(), { flags: { provider: './no.ts' } })).toContain(
      '--provider: no such module',
    );
  });

  it('says what is wrong with a path', async () => {
    expect(await messageOf(load({}, join(folder, 'none.yaml')))).toBe(
      `${join(folder, 'none.yaml')}: no such file`,
    );
    expect(await messageOf(load({}, ''))).toBe('no task file is named');
    expect(await messageOf(load({}, join(file, 'x.yaml')))).toContain('no such file');
    symlinkSync(file, file);
    expect(await messageOf(load())).toBe(`${file}: cannot be read: ELOOP`);
    expect(await messageOf(load({}, folder))).toBe(`${folder}: this is a folder, not a task file`);
  });

  it('refuses files that are no text, or too large, without reading them whole', async () => {
    expect(await refusal(Buffer.from('name: t\ngoal: caf\xe9\n', 'latin1'))).toContain(
      `${file}:2:1: not UTF-8 text`,
    );
    expect(await refusal(Buffer.from(taskText(), 'utf16le'))).toContain(`${file}:1:2: a NUL character`);
    expect(await refusal(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]))).toContain(
      `${file}:1:5: a NUL character`,
    );
    expect(await refusal('# '.repeat(5 * 1024 * 1024))).toContain(`${file}:1:1: larger than 1024 KiB`);
    expect(await refusal('')).toContain(`${file}:1:1: the file is empty`);
  });
});
