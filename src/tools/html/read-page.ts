import { feedHtml } from './feed-html.ts';
import { TextWriter } from './text-writer.ts';

const MAX_LINKS = 5000;
const MAX_LINK_TEXT = 300;

/** Elements whose content is no text for people. */
const SILENT = new Set(
  'script style noscript template svg math iframe object embed canvas audio video datalist head title'.split(
    ' ',
  ),
);

/** A link of a page. */
export interface PageLink {
  /** Absolute where the address of the page is known. */
  readonly url: string;
  readonly text: string;
}

/** A page as people see it. */
export interface Page {
  readonly title: string;
  readonly text: string;
  /** In the order of the page, each address once. */
  readonly links: readonly PageLink[];
}

/** Reads a page: its text without markup, scripts and what is hidden, and its links to the web. */
export async function readPage(html: string, baseUrl: string | null, signal: AbortSignal): Promise<Page> {
  const reader = new PageReader(baseUrl);
  await feedHtml(html, reader, signal);
  return reader.page();
}

class PageReader {
  readonly #writer = new TextWriter();
  readonly #links = new Map<string, PageLink>();
  #base: string | null;
  #depth = 0;
  /** Depth of the outermost element that is not shown. */
  #silentFrom: number | null = null;
  #title: string | null = null;
  #isTitle = false;
  #anchor: { readonly href: string; readonly from: number; text: string } | null = null;

  constructor(baseUrl: string | null) {
    this.#base = baseUrl;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#depth++;
    if (name === 'title' && this.#title === null) {
      this.#title = '';
      this.#isTitle = true;
    }
    if (name === 'base' && attributes['href'] !== undefined) {
      this.#base = resolveUrl(attributes['href'], this.#base) ?? this.#base;
    }
    if (this.#silentFrom === null && (SILENT.has(name) || isHidden(attributes)))
      this.#silentFrom = this.#depth;
    if (this.#silentFrom !== null) return;
    this.#writer.open(name, attributes);
    if (name === 'a' || name === 'area') {
      this.#endAnchor();
      this.#anchor = {
        href: attributes['href'] ?? '',
        from: this.#depth,
        text: attributes['alt'] ?? '',
      };
    } else if (name === 'img' && this.#anchor !== null) this.#anchor.text += ` ${attributes['alt'] ?? ''}`;
  }

  onclosetag(name: string): void {
    if (name === 'title') this.#isTitle = false;
    if (this.#silentFrom === null) {
      this.#writer.close(name);
      if (this.#anchor?.from === this.#depth) this.#endAnchor();
    } else if (this.#silentFrom === this.#depth) this.#silentFrom = null;
    this.#depth--;
  }

  ontext(text: string): void {
    if (this.#isTitle && this.#title !== null && this.#title.length < MAX_LINK_TEXT) this.#title += text;
    if (this.#silentFrom !== null) return;
    this.#writer.text(text);
    if (this.#anchor !== null && this.#anchor.text.length < MAX_LINK_TEXT) this.#anchor.text += text;
  }

  page(): Page {
    this.#endAnchor();
    return {
      title: oneLine(this.#title ?? ''),
      text: this.#writer.toString(),
      links: [...this.#links.values()],
    };
  }

  #endAnchor(): void {
    const anchor = this.#anchor;
    this.#anchor = null;
    if (anchor === null || anchor.href.trim() === '' || this.#links.size >= MAX_LINKS) return;
    const url = resolveUrl(anchor.href, this.#base);
    if (url === null) return;
    const text = oneLine(anchor.text);
    const known = this.#links.get(url);
    // An image often links to the same place as the words beside it.
    if (known === undefined || (known.text === '' && text !== '')) this.#links.set(url, { url, text });
  }
}

/** Content that nobody sees is where pages hide what is meant for machines. */
function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  return (
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d]))/i.test(
      (attributes['style'] ?? '').slice(0, 2000),
    )
  );
}

/** The absolute address of a link to the web; without a base it stays as it is. */
function resolveUrl(href: string, base: string | null): string | null {
  const trimmed = href.trim();
  if (trimmed.length > 4096) return null;
  if (base === null && !URL.canParse(trimmed)) return /^[\w+.-]*:/.test(trimmed) ? null : trimmed;
  if (!URL.canParse(trimmed, base ?? undefined)) return null;
  const url = new URL(trimmed, base ?? undefined);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_LINK_TEXT);
}
