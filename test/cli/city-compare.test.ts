/* The example on real data verifies whatever ordinary cities it is given, in whatever mode its budget leaves it. */
import { describe, expect, it } from 'vitest';
import { CITY_COMPARE, runCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const run = (...args: string[]) =>
  runCommand(folder, ['run', CITY_COMPARE, '--memory.enabled=false', '--json', ...args]);

const SIX = 'Tokyo,Paris,Lima,Osaka,Berlin,Madrid';

describe('city-compare', () => {
  it.each<[string, string[]]>([
    ['six cities', ['--input', `cities=${SIX}`]],
    ['ten cities', ['--input', `cities=${SIX},Rome,Vienna,Cairo,Lagos`]],
    ['names that several places bear', ['--input', 'cities=San Jose,Springfield,Portland']],
    ['names of several words', ['--input', 'cities=San Francisco,Rio de Janeiro,Santiago']],
    ['little room', ['--input', `cities=${SIX}`, '--memory.contextChars=4000']],
    ['less room', ['--input', `cities=${SIX}`, '--memory.contextChars=2000']],
    ['calls that leave it in economy mode', ['--budget.toolCalls=14']],
    ['calls that leave it in economy mode sooner', ['--budget.toolCalls=13']],
    ['economy mode in little room', ['--budget.toolCalls=13', '--memory.contextChars=4000']],
  ])('verifies %s', async (_what, args) => {
    const { exitCode, stdout } = await run(...args);
    const { status, verdict } = JSON.parse(stdout) as { status: string; verdict: { tier: string } };
    expect([exitCode, status, verdict.tier]).toEqual([0, 'verified', 'judge']);
  });

  it('verifies with memories of earlier runs beside the results', async () => {
    const remembering = temporaryFolder();
    const cities = ['Tokyo,Paris,Lima', 'Paris,Lima,Osaka', 'Tokyo,Paris,Lima,Osaka'];
    for (const list of cities) {
      const { exitCode } = await runCommand(remembering, ['run', CITY_COMPARE, '--input', `cities=${list}`]);
      expect(exitCode).toBe(0);
    }
  });
});
