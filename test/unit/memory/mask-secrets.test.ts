import { expect, it } from 'vitest';
import { maskSecrets } from '../../../src/memory/mask-secrets.ts';

// Put together here, so that no scanner takes them for real ones.
const letters = 'abcdEFGH1234ijklMNOP5678qrstUVWX';

it.each([
  [`key sk-ant-${letters} used`, 'key [masked] used'],
  [`ghp_${letters}`, '[masked]'],
  ['AKIA' + 'ABCD1234EFGH5678 and', '[masked] and'],
  [`Authorization: Bearer ${letters}`, 'Authorization: Bearer [masked]'],
  [`eyJ${letters}.${letters}.${letters}`, '[masked]'],
  ['password=hunter22;user=tom', 'password=[masked];user=tom'],
  ['"api_key": "0123456789"', '"api_key": "[masked]"'],
  ['postgres://tom:geheim@db/x', 'postgres://tom:[masked]@db/x'],
  ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----.', '[masked].'],
])('masks %j', (text, masked) => {
  expect(maskSecrets(text)).toBe(masked);
});

it.each(['The token budget is spent.', 'secretary: Tom', 'sk-short', 'https://a.b:80/c@d', 'word'])(
  'leaves %j',
  (text) => {
    expect(maskSecrets(text)).toBe(text);
  },
);

it.each([
  'my_token=abcdefgh',
  'GITHUB_TOKEN: abcdefgh',
  'accessToken="abcdefgh"',
  'client_secret_key=abcdefgh',
])('masks what its name gives away: %s', (text) => {
  expect(maskSecrets(text)).toContain('[masked]');
  expect(maskSecrets(text)).not.toContain('abcdefgh');
});
