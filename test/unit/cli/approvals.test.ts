import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseApproval } from '../../../src/cli/approvals.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { ApprovalQuestion } from '../../../src/index.ts';

// Reading an answer loads it; where a run goes on it is there already.
beforeAll(() => import('../../../src/compose.ts'), 60_000);

/** A terminal at which a person writes lines, and what was written to it. */
function terminal(isTTY = true) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const shown = { text: '' };
  const stderr = {
    isTTY,
    write: (text: string) => {
      shown.text += text;
    },
  };
  const io: Io = { stdin, stderr, stdout: stderr, env: { USER: 'ann' } };
  const interrupt = new AbortController();
  const still = { onEvent: () => undefined, note: () => undefined, pause: () => undefined };
  const progress = { ...still, resume: () => undefined, close: () => undefined };
  const choose = (yes?: string, isServed?: boolean) =>
    chooseApproval(yes, progress, interrupt.signal, io, isServed);
  const says = async (question: string, line: string): Promise<void> => {
    await expect.poll(() => shown.text).toContain(question);
    shown.text = '';
    stdin.write(`${line}\n`);
  };
  const types = (text: string): unknown => stdin.write(text);
  const hangUp = (): unknown => stdin.end();
  return { choose, says, types, hangUp, interrupt, shown };
}

function question(more: Partial<ApprovalQuestion> = {}): ApprovalQuestion {
  return {
    ...{ node: 's', tool: 'send', args: { to: 'x' }, question: 'consent', effect: 'irreversible' },
    signal: new AbortController().signal,
    ...more,
  };
}

async function isOpen(answer: Promise<unknown> | undefined): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(() => resolve('open'), 30));
  return (await Promise.race([answer, later])) === 'open';
}

describe('the person at the terminal', () => {
  it('is asked one question at a time', async () => {
    const { choose, says } = terminal();
    const { approve } = choose();
    const answers = [approve?.(question({ node: 'a' })), approve?.(question({ node: 'b' }))];
    await says('a wants to call send {"to":"x"}', 'y');
    await says('b wants to call send', 'no');
    expect([await answers[0], await answers[1]]).toEqual([
      { decision: 'approved', by: 'ann' },
      { decision: 'denied', by: 'ann' },
    ]);
  });

  it('does not answer by what was typed before the question was there', async () => {
    const { choose, says, types } = terminal();
    types('y\n');
    const answer = choose().approve?.(question());
    await says('s wants to call send', 'no');
    expect(await answer).toEqual({ decision: 'denied', by: 'ann' });
  });

  it('is asked nothing more once the terminal has hung up', async () => {
    const { choose, hangUp } = terminal();
    const { approve } = choose();
    const first = approve?.(question({ node: 'a' }));
    hangUp();
    expect(await first).toEqual({ decision: 'denied', by: 'ann' });
    expect(await approve?.(question({ node: 'b' }))).toEqual({ decision: 'denied', by: 'ann' });
  });

  it('answers what an interactive tool asks, until it is what was asked for', async () => {
    const { choose, says } = terminal();
    const args = { question: 'Which one?', choices: ['red', 'blue'] };
    const asked = { node: 'ask', tool: 'ask_human', question: 'answer', effect: 'read', args } as const;
    const { approve } = choose('irreversible');
    const answer = approve?.(question({ ...asked, answer: { type: 'string', enum: ['red', 'blue'] } }));
    await says('ask asks: Which one?\n  1 red\n  2 blue\nYour answer', 'green');
    await says('Invalid option', '2');
    expect(await answer).toEqual({ decision: 'done', by: 'ann', value: 'blue' });
    const number = approve?.(
      question({ ...asked, args: { question: 'How many?' }, answer: { type: 'integer' } }),
    );
    await says('as JSON: {"type":"integer"}', '12');
    expect(await number).toEqual({ decision: 'done', by: 'ann', value: 12 });
    const none = approve?.(question({ ...asked, answer: { type: 'string' } }));
    await says('Your answer', '');
    expect(await none).toEqual({ decision: 'denied', by: 'ann', reason: 'no answer was given' });
  });

  it('is not asked what --yes covers', async () => {
    const { choose, says } = terminal();
    const { approve, approves } = choose('write');
    expect(approves).toBeUndefined();
    expect(await approve?.(question({ effect: 'write' }))).toEqual({ decision: 'approved', by: '--yes' });
    const answer = approve?.(question());
    await says('wants to call', 'y');
    expect(await answer).toEqual({ decision: 'approved', by: 'ann' });
  });

  it('who ends the run has denied nothing', async () => {
    const { choose, interrupt, shown } = terminal();
    const { approve } = choose();
    const answer = approve?.(question());
    await expect.poll(() => shown.text).toContain('Allow it?');
    interrupt.abort();
    expect(await isOpen(answer)).toBe(true);
  });

  it('makes way where somebody else has answered', async () => {
    const { choose, says, shown } = terminal();
    const { approve } = choose();
    const elsewhere = new AbortController();
    const first = approve?.(question({ node: 'a', signal: elsewhere.signal }));
    const second = approve?.(question({ node: 'b' }));
    await expect.poll(() => shown.text).toContain('a wants');
    elsewhere.abort();
    await first;
    await says('b wants', 'y');
    expect(await second).toEqual({ decision: 'approved', by: 'ann' });
  });

  it('says what became of a call in doubt, which no consent covers', async () => {
    const { choose, says } = terminal();
    const { approve } = choose('irreversible');
    const inDoubt = (): ApprovalQuestion => question({ question: 'in_doubt' });
    const done = approve?.(inDoubt());
    await says('nobody knows whether it was done', 'perhaps');
    await says('nobody knows whether it was done', 'done');
    await says('as JSON', '{');
    await says('nobody knows', 'done');
    await says('as JSON', '"sent"');
    expect(await done).toEqual({ decision: 'done', by: 'ann', value: 'sent' });
    const again = approve?.(inDoubt());
    await says('nobody knows', 'again');
    expect(await again).toEqual({ decision: 'approved', by: 'ann' });
    const fail = approve?.(inDoubt());
    await says('nobody knows', 'fail');
    expect(await fail).toEqual({ decision: 'denied', by: 'ann' });
  });

  it('is nobody where there is no terminal: then --yes answers alone, or nothing does', () => {
    const { choose } = terminal(false);
    expect(choose()).toEqual({});
    expect(choose('write')).toMatchObject({ approves: 'write' });
    expect(choose('irreversible')).toMatchObject({ approves: 'consent' });
  });

  it('is whoever answers at the page, where one is served and --yes does not cover the call', async () => {
    const { choose } = terminal(false);
    const served = choose('write', true);
    expect(served.approves).toBeUndefined();
    expect(await served.approve?.(question({ effect: 'write' }))).toEqual({
      decision: 'approved',
      by: '--yes',
    });
    expect(await isOpen(served.approve?.(question()))).toBe(true);
    expect(await isOpen(choose(undefined, true).approve?.(question({ effect: 'write' })))).toBe(true);
  });
});
