import { describe, expect, it } from 'vitest';
import { fitEvents } from '../../../../src/views/page/fit-events.ts';
import type { RunPageData } from '../../../../src/views/page/page-data.ts';
import { DATA_ELEMENT, pagePolicy, renderPage } from '../../../../src/views/page/render-page.ts';
import { visibleText } from '../../../../src/views/page/visible-text.ts';
import { FlightBuilder } from '../../../support/flight-builder.ts';

const ASSETS = { script: 'run()', scriptHash: 'aaa=', style: 'p{}', styleHash: 'bbb=' };

function dataOf(goal: string): RunPageData {
  const events = new FlightBuilder().start({ goal }).build();
  return {
    kind: 'run',
    program: '0.0.0',
    madeAtMs: 0,
    redacted: 0,
    cut: 0,
    events,
    isLeft: false,
    live: null,
  };
}

describe('renderPage', () => {
  it('carries its data whole, and nothing in them ends the element that they stand in', () => {
    const data = dataOf('a </script><!-- <script> & \u2028 "quoted"');
    const page = renderPage('a <b> & "c"', data, ASSETS);
    expect(page).toContain('<title>a &#60;b&#62; &#38; &#34;c&#34;</title>');
    const [, json = ''] = page.split(`id="${DATA_ELEMENT}">`);
    const text = json.slice(0, json.indexOf('</script>'));
    expect(text).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)));
    expect(page.match(/<script/g)).toHaveLength(2);
  });

  it('allows its own script and style alone, and only a page that is served its server', () => {
    expect(pagePolicy(ASSETS, false)).toBe(
      "default-src 'none'; script-src 'sha256-aaa='; style-src 'sha256-bbb='; img-src data:; base-uri 'none'; form-action 'none'",
    );
    expect(pagePolicy(ASSETS, true)).toContain("connect-src 'self'");
    expect(renderPage('x', dataOf('y'), ASSETS)).toContain(`content="${pagePolicy(ASSETS, false)}"`);
  });
});

describe('visibleText', () => {
  it('shows what would not be seen, and leaves everything else as it is', () => {
    expect(visibleText('pay 10\u202e000.1\u202c to\u200b me\u0007\r')).toBe(
      'pay 10⟨U+202E⟩000.1⟨U+202C⟩ to⟨U+200B⟩ me⟨U+0007⟩⟨U+000D⟩',
    );
    const plain = 'Größe: 60 m²\n\t日本 🙂 {"a": 1}';
    expect(visibleText(plain)).toBe(plain);
  });
});

describe('fitEvents', () => {
  const events = new FlightBuilder()
    .start()
    .plan([{ id: 'a', tool: 't' }], 'a')
    .nodeRun('a', 1, ['x'.repeat(5000), 'short'])
    .build();

  it('hands on what fits as it is', () => {
    expect(fitEvents(events)).toEqual({ events, cut: 0 });
    expect(fitEvents(events).events).toBe(events);
  });

  it('cuts the longest texts until the events fit, and counts them', () => {
    const { events: fitted, cut } = fitEvents(events, 5000);
    expect(cut).toBe(1);
    const done = fitted.find(({ type }) => type === 'node.done');
    expect(done).toMatchObject({ value: [expect.stringMatching(/^x+… \[cut: \d+ characters\]$/), 'short'] });
    expect(JSON.stringify(events)).toContain('x'.repeat(5000));
  });
});
