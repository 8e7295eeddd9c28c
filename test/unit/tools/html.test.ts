import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/tools/html/read-page.ts';
import { splitText } from '../../../src/tools/text/split-text.ts';

const { signal } = new AbortController();
const textOf = async (html: string): Promise<string> => (await readPage(html, null, signal)).text;

describe('the text of a page', () => {
  it.each([
    ['<p>one</p><p>two</p>', 'one\n\ntwo'],
    ['<div>one</div><div>two</div>', 'one\ntwo'],
    ['one<br>two', 'one\ntwo'],
    ['  one \n\t two  ', 'one two'],
    ['<b>one</b> <i>two</i>three', 'one twothree'],
    ['<b>one</b>\n<i>two</i>', 'one two'],
    ['<h1>Title</h1>text<h3>Part</h3>', '# Title\n\ntext\n\n### Part'],
    ['<ul><li>one<li>two</ul>', '- one\n- two'],
    ['<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'a | b\n1 | 2'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['a &amp; b &lt;c&gt; &#x20ac;', 'a & b <c> €'],
    ['<img alt="a tree">', 'a tree'],
    ['<title>no</title>text', 'text'],
    ['<script>no()</script><style>p{}</style>text', 'text'],
    ['<noscript>no</noscript><template>no</template><svg><text>no</text></svg>text', 'text'],
    ['<p hidden>no</p><p aria-hidden="true">no</p>text', 'text'],
    ['<p style="color:red; display : none">no<b>no</b></p>text', 'text'],
    [
      '<p style="visibility:hidden">no</p><p style="font-size:0">no</p><p style="opacity:0">no</p>text',
      'text',
    ],
    ['<p style="opacity:0.9">yes</p>', 'yes'],
    ['<!-- no -->text', 'text'],
    ['<script>if (a < b) "</p>"</script>text', 'text'],
    ['<div><p hidden>no<p>yes</div>', 'yes'],
    ['', ''],
    ['<', '<'],
    ['no tags', 'no tags'],
  ])('%s', async (html, text) => {
    expect(await textOf(html)).toBe(text);
  });

  it('holds together over the pieces that it is read in', async () => {
    const words = Array.from({ length: 40_000 }, (_, index) => `w${index}`).join(' ');
    expect(await textOf(`<p>${words}</p>`)).toBe(words);
  });

  it('is refused where it is nested without end or too long', async () => {
    await expect(textOf('<div>'.repeat(5000))).rejects.toMatchObject({ code: 'tool_failed' });
    await expect(textOf('x'.repeat(8 * 1024 * 1024 + 1))).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it('ends when it is aborted', async () => {
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(readPage('<p>x</p>', null, aborted)).rejects.toThrow('stopped');
  });
});

describe('the links of a page', () => {
  const linksOf = async (
    html: string,
    base: string | null = 'https://a.example/dir/page',
  ): Promise<string[]> =>
    (await readPage(html, base, signal)).links.map(({ url, text }) => `${url} ${text}`.trim());

  it.each([
    ['<a href="x">one</a>', ['https://a.example/dir/x one']],
    ['<a href="/x">o<b>n</b>e</a>', ['https://a.example/x one']],
    ['<a href="//b.example/">b</a>', ['https://b.example/ b']],
    ['<a href="#part">part</a>', ['https://a.example/dir/page#part part']],
    ['<a href=" https://b.example/?a=1&amp;b=2 ">b</a>', ['https://b.example/?a=1&b=2 b']],
    ['<a href="x"><img alt="picture"></a><a href="x">words</a>', ['https://a.example/dir/x picture']],
    ['<a href="x"></a><a href="x">words</a>', ['https://a.example/dir/x words']],
    ['<base href="https://c.example/"><a href="x">c</a>', ['https://c.example/x c']],
    ['<a href="x">one<a href="y">two', ['https://a.example/dir/x one', 'https://a.example/dir/y two']],
    ['<area href="x" alt="map">', ['https://a.example/dir/x map']],
    ['<a href="javascript:x()">no</a><a href="mailto:a@b.example">no</a><a href="data:,x">no</a>', []],
    ['<a>no</a><a href="">no</a><a href="http://[">no</a>', []],
    ['<div hidden><a href="x">no</a></div>', []],
  ])('%s', async (html, links) => {
    expect(await linksOf(html)).toEqual(links);
  });

  it('stay as they are where nobody knows where the page is from', async () => {
    expect(await linksOf('<a href="x">x</a><a href="https://b.example/y">y</a>', null)).toEqual([
      'x x',
      'https://b.example/y y',
    ]);
  });
});

it('the title of a page is the first one, in one line', async () => {
  const { title } = await readPage(
    '<head><title>\n A &amp; B\n</title></head><svg><title>no</title></svg>',
    null,
    signal,
  );
  expect(title).toBe('A & B');
});

describe('a text in parts', () => {
  it.each([
    ['short', 10, ['short']],
    ['one two three', 8, ['one two', 'three']],
    ['aaaa\nbbbb cc', 8, ['aaaa', 'bbbb cc']],
    ['aaaaaaaaaaaa', 5, ['aaaaa', 'aaaaa', 'aa']],
    ['😀😀😀', 3, ['😀', '😀', '😀']],
    ['   ', 10, []],
  ])('%j by %i', (text, maxChars, parts) => {
    expect(splitText(text, maxChars)).toEqual(parts);
  });
});
