import { describe, expect, it } from 'vitest';
import { restoreRedacted } from '../../../src/compose/redact.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { redactSecrets } from '../../../src/kernel/redact-secrets.ts';

const SECRET = 'sk-abcdefghijklmnopqrstuvwxyz123456';
const ORIGINAL = { to: 'all', auth: [{ header: `Bearer ${SECRET}` }, 'plain'], note: `use ${SECRET} twice` };
const shown = redactSecrets(ORIGINAL).value as { auth: readonly Json[]; note: string };

describe('redactSecrets', () => {
  it('finds what its field says is one, whatever it looks like, and restores it', () => {
    const original = {
      my_token: 'short but so',
      apiKey: 'a b c d e',
      apiKeyEnv: 'OPENAI_API_KEY',
      tokens: 'many of them',
    };
    const { value, changed } = redactSecrets(original);
    expect(value).toEqual({ ...original, my_token: '[redacted]', apiKey: '[redacted]' });
    expect(changed).toBe(2);
    expect(restoreRedacted(value, original)).toEqual(original);
  });

  it.each([
    ...['sk-abcdefghijklmnopqrstuvwxyz', 'pk_live_abcdefgh12345678', 'ghp_abcdefghijklmnopqrstuv'],
    ...[
      'github_pat_abcdefghijklmnopqrstuv',
      'glpat-abcdefghijklmnopqr',
      'xoxb-1234567890-abc',
      'AKIAABCDEFGHIJKLMNOP',
    ],
    ...[
      'ASIAABCDEFGHIJKLMNOP',
      `AIza${'a'.repeat(35)}`,
      'hf_abcdefghijklmnopqrstuv',
      `npm_${'a'.repeat(36)}`,
    ],
    ...[
      'eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2',
      'bearer abcdefghijklmnop1234',
      'postgres://me:hunter2@host/db',
    ],
    ...[
      'API-KEY: abcdefghijkl1234',
      'password="abcdefghijkl1234"',
      'token=abcdefghijkl1234',
      'Secret: abcdefghijkl1',
      'my_token=abcdefghijkl1234',
      'accessToken: abcdefghijkl1234',
      'GITHUB_TOKEN=abcdefghijkl1234',
      'client-secret-key = abcdefghijkl1234',
      'token_2=abcdefghijkl1234',
    ],
    '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
  ])('finds %s anywhere in a text', (credential) => {
    const { value, changed } = redactSecrets({ deep: [`before ${credential} after`, 'plain'] });
    expect(changed).toBe(1);
    expect(value).toEqual({ deep: [expect.stringContaining('[redacted]'), 'plain'] });
  });
});

describe('restoreRedacted', () => {
  it('puts back what was left as it was shown, and keeps what was changed', () => {
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(restoreRedacted({ ...shown, to: 'me' }, ORIGINAL)).toEqual({ ...ORIGINAL, to: 'me' });
    expect(restoreRedacted({ ...shown, note: 'use nothing' }, ORIGINAL)).toEqual({
      ...ORIGINAL,
      note: 'use nothing',
    });
  });

  it.each<[string, Json]>([
    ['a text that was changed around it', { ...shown, note: 'use [redacted] once' }],
    ['a text that stands elsewhere', { note: shown.note, other: shown.note }],
    ['an item that was moved', { ...shown, auth: ['plain', ...shown.auth] }],
  ])('refuses %s: nobody would know what is sent', (_, changed) => {
    expect(() => restoreRedacted(changed, ORIGINAL)).toThrow(
      /holds \[redacted\], which stood for a credential/,
    );
  });

  it('takes a text that has always held the word', () => {
    expect(restoreRedacted({ x: 'was [redacted]' }, { x: 'was [redacted]' })).toEqual({
      x: 'was [redacted]',
    });
  });
});
