import { describe, expect, it } from 'vitest';
import { policySchema } from '../../../../src/contracts/policy.ts';
import { policyProblems } from '../../../../src/tools/policy.ts';

describe('policyProblems', () => {
  it('names hosts that are none, which would guard nothing', () => {
    const allow = ['example.com', '*.example.com', '*', '127.0.0.1', '[::1]', 'bücher.example'];
    const deny = [
      'https://example.com',
      'example.com/x',
      '*.*.example.com',
      'exam*.com',
      'a b',
      '*.',
      'me@example.com',
    ];
    const problems = policyProblems(policySchema.parse({ hosts: { allow, deny } }), []);
    expect(problems.map(({ path }) => path)).toEqual(
      deny.map((_pattern, index) => ['policy', 'hosts', 'deny', index]),
    );
  });

  it('names tools that are none, and what may have been meant', () => {
    const problems = policyProblems(policySchema.parse({ deny: ['send_mial'] }), ['send_mail']);
    expect(problems).toMatchObject([{ path: ['policy', 'deny', 0], hint: 'did you mean send_mail?' }]);
  });
});
