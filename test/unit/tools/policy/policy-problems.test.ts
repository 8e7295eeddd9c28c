import { describe, expect, it } from 'vitest';
import { policySchema } from '../../../../src/contracts/policy.ts';
import { policyProblems } from '../../../../src/tools/policy.ts';

describe('policyProblems', () => {
  it('names hosts that are none, which would guard nothing', () => {
    const allow = [
      ...['example.com', '*.example.com', '*', '127.0.0.1', '[::1]', 'bücher.example', '例え。テスト'],
      ...['EXAMPLE.com', 'example.com.', 'localhost', '*.com', '_srv.example', 'my-host', '0x7f.1'],
    ];
    const deny = [
      ...[
        'example.com:8080',
        '[::1]:80',
        '::1',
        '.example.com',
        '*..example.com',
        'example..com',
        'example.com..',
      ],
      ...[
        'a.example,b.example',
        'a.example;b.example',
        '${HOST}',
        'http:example.com',
        'a%2eexample',
        '**.example.com',
      ],
      ...['256.1.1.1', '', '-', 'exam\u200bple.com'].filter((pattern) => pattern.length > 1),
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
