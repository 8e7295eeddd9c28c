import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../src/flight/mask.ts';
import { resultAt } from '../../support/flight-events.ts';

const SECRET = 'sk-(live).42+$&';

describe('createMasker', () => {
  const mask = createMasker([SECRET, SECRET + '-longer', 'short']);

  it('masks every occurrence, in keys and nested values', () => {
    const event = resultAt(0, { list: [`a ${SECRET} b ${SECRET}`], [SECRET]: 1, plain: 'short' });
    expect(mask(event)).toEqual(
      resultAt(0, { list: ['a [masked] b [masked]'], '[masked]': 1, plain: 'short' }),
    );
  });

  it('masks the longest of credentials that begin alike', () => {
    expect(mask(`${SECRET}-longer!`)).toBe('[masked]!');
  });

  it.each(['Bearer', 'bearer ', 'Basic', 'Token', 'Bot', 'ApiKey'])(
    'masks what follows a scheme without it: %s',
    (scheme) => {
      const ofHeader = createMasker([`${scheme} zq81-key-of-it`, `${scheme} short`]);
      expect(ofHeader('it is zq81-key-of-it, not short')).toBe('it is [masked], not short');
      expect(ofHeader(`${scheme} zq81-key-of-it`)).toBe('[masked]');
    },
  );

  it('masks a credential without the blanks around it', () => {
    expect(createMasker([' zq81-key-of-it\n'])('it is zq81-key-of-it.')).toBe('it is [masked].');
  });

  it('takes no word off a credential that only looks like a scheme', () => {
    expect(createMasker(['Tokenized zq81-key-of-it'])('zq81-key-of-it')).toBe('zq81-key-of-it');
  });

  it('keeps keys named __proto__ beside a masked value', () => {
    const value: unknown = JSON.parse(`{"__proto__":{"a":"x"},"b":${JSON.stringify(SECRET)}}`);
    expect(JSON.stringify(mask(value as object))).toBe('{"__proto__":{"a":"x"},"b":"[masked]"}');
  });

  it('gives back the same object where there is nothing to mask', () => {
    const event = resultAt(0, { a: ['b', 1, null, true] });
    expect(mask(event)).toBe(event);
    expect(createMasker([])(event)).toBe(event);
    expect(createMasker(['short', ''])(event)).toBe(event);
  });
});
