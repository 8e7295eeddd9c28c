import { describe, expect, it } from 'vitest';
import { nextCommands } from '../../../src/cli/next-commands.ts';
import { renderResult } from '../../../src/cli/result-text.ts';
import { createStyle } from '../../../src/cli/style.ts';
import { formatScore } from '../../../src/views/format-amounts.ts';
import type { RunResult } from '../../../src/index.ts';

const plain = createStyle({ write: () => true }, {});

const RESULT: RunResult = {
  runId: 'r1',
  folder: '/runs/r1',
  status: 'verified',
  exitCode: 0,
  reason: 'checks and judge passed',
  answer: 'the answer',
  verdict: {
    outcome: 'pass',
    tier: 'judge',
    checks: [{ name: 'includes x', ok: true, message: '' }],
    score: 1,
    reasons: [],
  },
  usage: { inputTokens: 1234, outputTokens: 56, llmCalls: 1, toolCalls: 2, costUsd: 0.5, wallSeconds: 1.25 },
  nodes: [{ id: 'a', tool: 'say', state: 'done', attempts: 1 }],
};

describe('the ending of a run', () => {
  it('has the answer, how it ended, the verdict and the spend', () => {
    expect(renderResult(RESULT, plain).split('\n')).toEqual([
      '',
      'the answer',
      '',
      'status   verified — checks and judge passed',
      'verdict  pass (by judge, 1 of 1 checks hold, score 1)',
      'spent    2 tool calls · 1 model call · 1,234 + 56 tokens · $0.5000 · 1.25 s',
      'run      r1  /runs/r1',
    ]);
  });

  it('prints what is no text as JSON, and a partial result where there is no answer', () => {
    expect(renderResult({ ...RESULT, answer: { a: [1] } }, plain)).toContain('{\n  "a": [\n    1\n  ]\n}');
    const partial = renderResult({ ...RESULT, answer: null, partial: 'half of it', status: 'budget' }, plain);
    expect(partial).toContain('partial result:\nhalf of it');
  });

  it('lets no answer steer the terminal', () => {
    expect(renderResult({ ...RESULT, answer: 'a\u001b[2Jb\n\tc\r' }, plain)).toContain('\na[2Jb\n\tc\n');
  });

  it('names what failed: checks, reasons, nodes, the problems of a plan', () => {
    const text = renderResult(
      {
        ...RESULT,
        status: 'failed',
        verdict: {
          outcome: 'fail',
          tier: 'checks',
          checks: [{ name: 'includes x', ok: false, message: 'x is missing' }],
          reasons: ['it is wrong'],
        },
        failure: {
          code: 'plan_invalid',
          class: 'PERMANENT',
          message: 'all of it on one line',
          details: {
            problems: [{ code: 'cycle', node: 'a', pointer: '/nodes/0', message: 'a → a', hint: 'Cut it.' }],
          },
        },
        nodes: [{ id: 'a', tool: 'say', state: 'failed', attempts: 1, error: 'tool_failed: no luck' }],
      },
      plain,
    );
    expect(text).toContain('✗ includes x: x is missing');
    expect(text).toContain('✗ it is wrong');
    expect(text).toContain('failed a (say): tool_failed: no luck');
    expect(text).toContain('failure  plan_invalid\n         cycle a /nodes/0: a → a (Cut it.)');
    expect(text).not.toContain('all of it on one line');
  });
});

describe('a plan file that holds no plan', () => {
  it('is told of as a file, not as an answer of a model', () => {
    const hint = 'Answer with the plan as one JSON object.';
    const problems = [{ code: 'not_json', pointer: '', message: 'no JSON', hint }];
    const render = (code: 'plan_invalid' | 'plan_unobtainable'): string => {
      const failure = { code, class: 'PERMANENT', message: 'm', details: { problems } } as const;
      return renderResult({ ...RESULT, status: 'failed', failure }, plain);
    };
    expect(render('plan_invalid')).toContain('no JSON (The file has to hold the plan as one JSON object.)');
    expect(render('plan_unobtainable')).toContain(`no JSON (${hint})`);
  });
});

describe('a score', () => {
  it('is printed without the noise of binary fractions', () => {
    const verdict: RunResult['verdict'] = {
      ...{ outcome: 'fail', tier: 'judge', checks: [], score: 0.6 - 0.3, reasons: [] },
    };
    expect(renderResult({ ...RESULT, verdict }, plain)).toContain('score 0.3)');
    expect(formatScore(0.6999)).toBe('0.6999');
  });
});

describe('the next commands', () => {
  it('can be pasted as they stand, and leave out the one that was just given', () => {
    expect(nextCommands({ runId: 'r1', status: 'failed' }, undefined)).toEqual([
      'orchestrate why r1',
      'orchestrate show r1',
      'orchestrate resume r1 --retry-failed',
    ]);
    const failure = { code: 'plan_invalid' };
    expect(nextCommands({ runId: 'r1', status: 'failed', failure }, undefined)).toEqual([
      'orchestrate why r1',
      'orchestrate show r1',
    ]);
    expect(nextCommands({ runId: 'r1', status: 'interrupted' }, 'my runs', 'why')).toEqual([
      "orchestrate resume r1 --runs-folder 'my runs'",
      "orchestrate show r1 --runs-folder 'my runs'",
    ]);
  });
});
