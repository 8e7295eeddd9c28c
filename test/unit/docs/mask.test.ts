import { describe, expect, it } from 'vitest';
import { isSameOutput } from '../../../scripts/docs/mask.mjs';

const OUTPUT = `run 20261130-080129-110-fqkf: city-compare
   0.203s done      location (get_location)
   0.224s done      population (get_population)
location    ███████████       61 ms
      ▁▁▁▁▄▄▄▄████████
population  ██                <1 ms
status   verified — checks passed
started  2026-11-30 08:06:48 UTC, took 278 ms
`;

const AGAIN = `run 20270101-000000-000-0000: city-compare
   1.900s done      population (get_population)
   1.901s done      location (get_location)
location      ██     1 min 02 s
      ▁▄▄▄▄▄▄████████████
population    █      3 s
status   verified — checks passed
started  2027-01-01 00:00:00 UTC, took 2.5 s
`;

describe('two outputs of a command', () => {
  it('are the same where only times, run ids, bars and the order of lines differ', () => {
    expect(isSameOutput(OUTPUT, AGAIN)).toBe(true);
  });

  it.each([
    ['a word', OUTPUT.replace('verified', 'rejected')],
    ['a number', OUTPUT.replace('get_location', 'get_location, 3 calls')],
    ['a line', `${OUTPUT}warning: none\n`],
  ])('differ by %s', (_what, other) => {
    expect(isSameOutput(OUTPUT, other)).toBe(false);
  });
});
