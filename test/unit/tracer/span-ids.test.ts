import { describe, expect, it } from 'vitest';
import { parseTraceparent, spanIdOf, traceIdOf } from '../../../src/tracer/span-ids.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('ids', () => {
  it('follow from run id and effect key alone', () => {
    expect(traceIdOf('run-1')).toBe('4e65d3fbe8ad6535681b021b30785b12');
    expect(spanIdOf('run-1', 'plan/1')).toMatch(/^[0-9a-f]{16}$/);
    expect(spanIdOf('run-1', 'plan/1')).not.toBe(spanIdOf('run-1', 'plan/2'));
    expect(spanIdOf('run-1', 'plan/1')).not.toBe(spanIdOf('run-2', 'plan/1'));
  });

  it('take the trace of a valid traceparent, and no other', () => {
    expect(traceIdOf('run-1', `00-${TRACE}-${SPAN}-01`)).toBe(TRACE);
    expect(traceIdOf('run-1', 'nonsense')).toBe(traceIdOf('run-1'));
  });
});

describe('parseTraceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
    [` 00-${TRACE}-${SPAN}-00 `, { traceId: TRACE, spanId: SPAN, isSampled: false }],
    [`01-${TRACE}-${SPAN}-03-more`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
    [`00-${TRACE}-${SPAN}-01-more`, null],
    [`ff-${TRACE}-${SPAN}-01`, null],
    [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
    ['', null],
  ])('of %s', (text, expected) => {
    expect(parseTraceparent(text)).toEqual(expected);
  });
});
