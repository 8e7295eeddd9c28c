const HEADINGS = new Map([
  ['h1', '# '],
  ['h2', '## '],
  ['h3', '### '],
  ['h4', '#### '],
  ['h5', '##### '],
  ['h6', '###### '],
]);

const BLOCKS = new Set(
  [
    'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form header',
    'hr html legend main nav ol optgroup option p section select summary table tbody tfoot thead tr ul caption',
  ].flatMap((line) => line.split(' ')),
);

const SPACED = new Set([
  'p',
  'table',
  'ul',
  'ol',
  'blockquote',
  'pre',
  'section',
  'article',
  ...HEADINGS.keys(),
]);

/** Writes the text of a page as people see it: one line per block, white space as a browser draws it. */
export class TextWriter {
  readonly #parts: string[] = [];
  #length = 0;
  /** Line breaks owed before the next word. */
  #breaks = 0;
  #hasSpace = false;
  #isStart = true;
  #preformatted = 0;

  get length(): number {
    return this.#length;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const heading = HEADINGS.get(name);
    if (heading !== undefined || name === 'pre' || BLOCKS.has(name) || name === 'li') {
      this.#break(SPACED.has(name) ? 2 : 1);
    }
    if (heading !== undefined) this.#put(heading);
    else if (name === 'li') this.#put('- ');
    else if (name === 'br') this.#breaks++;
    else if (name === 'pre') this.#preformatted++;
    else if ((name === 'td' || name === 'th') && !this.#isAtLineStart) this.#put(' | ');
    else if (name === 'img') this.text(attributes['alt'] ?? '');
  }

  close(name: string): void {
    if (name === 'pre') this.#preformatted--;
    if (HEADINGS.has(name) || name === 'pre' || BLOCKS.has(name) || name === 'li') {
      this.#break(SPACED.has(name) ? 2 : 1);
    }
  }

  text(text: string): void {
    if (this.#preformatted > 0) {
      if (text !== '') this.#put(text);
      return;
    }
    const words = text.split(/[\t\n\f\r ]+/);
    for (const [index, word] of words.entries()) {
      if (index > 0) this.#hasSpace = true;
      if (word !== '') this.#put(word);
    }
  }

  /** The text so far, without white space around it. */
  toString(): string {
    return this.#parts
      .join('')
      .replace(/[^\S\n]+\n/g, '\n')
      .trim();
  }

  get #isAtLineStart(): boolean {
    return this.#isStart || this.#breaks > 0;
  }

  #break(count: number): void {
    this.#breaks = Math.max(this.#breaks, count);
  }

  #put(text: string): void {
    const before = this.#isStart
      ? ''
      : this.#breaks > 0
        ? '\n'.repeat(Math.min(this.#breaks, 2))
        : this.#hasSpace
          ? ' '
          : '';
    this.#parts.push(before + text);
    this.#length += before.length + text.length;
    this.#breaks = 0;
    this.#isStart = false;
    // What follows a mark of its own stands right behind it.
    this.#hasSpace = false;
  }
}
