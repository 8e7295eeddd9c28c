import type { PageData } from './page-data.ts';

/** The script and the style of the page, each with its SHA-256 in base64, as a content security policy takes it. */
export interface PageAssets {
  readonly script: string;
  readonly scriptHash: string;
  readonly style: string;
  readonly styleHash: string;
}

/** Where the page's data stand in it. */
export const DATA_ELEMENT = 'run-data';

/** One HTML page that needs nothing else: its data are text for its script, never markup. */
export function renderPage(title: string, data: PageData, assets: PageAssets): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${pagePolicy(assets, data.live !== null)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(title)}</title>`,
    // An icon of its own, or browsers ask the server for one.
    `<link rel="icon" href="${ICON}">`,
    `<style>${assets.style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page shows a run with a script of its own. It needs JavaScript, and no network.</noscript>',
    '<div id="page"></div>',
    `<script type="application/json" id="${DATA_ELEMENT}">${escapeJson(data)}</script>`,
    `<script>${assets.script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** The content security policy of a page: its own script and style alone, and its own server where it has one. */
export function pagePolicy({ scriptHash, styleHash }: PageAssets, isLive: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    ...(isLive ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const ICON =
  'data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20viewBox=%220%200%2016%2016%22%3E%3Cpath%20d=%22M3%208h4M9%204l-2%204%202%204M9%204h4M9%2012h4%22%20fill=%22none%22%20stroke=%22%234f6ef7%22%20stroke-width=%222%22%20stroke-linecap=%22round%22/%3E%3C/svg%3E';

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** JSON that cannot end the element it stands in, nor begin a comment. */
function escapeJson(data: PageData): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
