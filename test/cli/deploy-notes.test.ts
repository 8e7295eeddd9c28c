import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from './command.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/deploy-notes', import.meta.url));

describe('the example deploy-notes', () => {
  const folder = temporaryFolder();
  cpSync(EXAMPLE, folder, { recursive: true });
  const script = join(folder, 'deploy.sh');

  it('waits before it writes, is approved, and writes what it showed', async () => {
    const waiting = await runCommand(folder, ['run', 'deploy-notes.yaml']);
    expect(waiting.exitCode).toBe(5);
    expect(existsSync(script)).toBe(false);
    const asked = await runCommand(folder, ['approvals', '--json']);
    const [question] = JSON.parse(asked.stdout) as {
      node: string;
      tool: string;
      args: { content: string };
    }[];
    expect(question).toMatchObject({ node: 'save', tool: 'write_file' });
    expect((await runCommand(folder, ['approve', 'last', 'save'])).exitCode).toBe(0);
    expect(existsSync(script)).toBe(false);
    const resumed = await runCommand(folder, ['resume', 'last']);
    expect(resumed.stdout).toMatch(/^status +verified/m);
    expect(resumed.exitCode).toBe(0);
    expect(readFileSync(script, 'utf8')).toBe(question?.args.content);
    expect(readFileSync(script, 'utf8')).toContain('npm run migrate\n');
    expect((await runCommand(folder, ['replay', 'last', '--strict'])).exitCode).toBe(0);
  });

  it('writes at once where the caller consents, and never what was denied', async () => {
    const other = ['--input', 'script=other.sh'];
    expect((await runCommand(folder, ['run', 'deploy-notes.yaml', ...other])).exitCode).toBe(5);
    expect((await runCommand(folder, ['deny', 'last', 'save', '--reason', 'not today'])).exitCode).toBe(0);
    expect((await runCommand(folder, ['resume', 'last'])).exitCode).toBe(1);
    expect(existsSync(join(folder, 'other.sh'))).toBe(false);
    const allowed = await runCommand(folder, ['run', 'deploy-notes.yaml', ...other, '--yes']);
    expect(allowed.exitCode).toBe(0);
    expect(existsSync(join(folder, 'other.sh'))).toBe(true);
  });
});
