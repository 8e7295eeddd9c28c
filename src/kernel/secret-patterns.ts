/*
 * What credentials look like, for everything that is written down for others: pages, spans, exports, memory.
 *
 * 1. Each pattern begins with what only a credential begins with, or with the word before it, which is kept; so hashes,
 *    UUIDs and prose are left alone.
 * 2. Each takes time in proportion to the text, whatever the text is: what is repeated is never followed by something that
 *    is looked for from each of its characters anew.
 */

/** Known by their first characters. */
const ISSUED: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bxapp-[0-9]-[A-Za-z0-9-]{10,}/g,
  /\bhooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bGOCSPX-[A-Za-z0-9_-]{16,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-Ag[A-Za-z0-9_-]{16,}/g,
  /\b(?:gsk_|r8_|whsec_|dop_v1_|xai-|tvly-)[A-Za-z0-9]{20,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/g,
  // A run of these characters is looked at from few of its places.
  /\b(?=eyJ)(?<=(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{0,40})eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
];

/** What stands between a name and its value; within a text of JSON its quotes may be escaped. */
const QUOTE = String.raw`(?:\\{0,3}["'])?`;
const EQUALS = String.raw`${QUOTE}\s{0,9}=\s{0,9}${QUOTE}`;
const COLON = String.raw`${QUOTE}\s{0,9}:\s{0,9}`;

const PASSWORDS = String.raw`(?:pass(?:word|wd|phrase)|(?:db|user|admin|root|smtp|mail|mysql|pg|redis|ftp|proxy)_pass|(?:_|;\s?)pwd)`;
const NAMES = String.raw`(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|token|account[_-]?key|auth[_-]?key|${PASSWORDS})(?:[_-]?(?:id|value|base|[0-9]{1,3}))?`;

/** What is said of a password, and what stands in the place of one. */
const NO_PASSWORD = String.raw`(?!(?:null|nil|none|true|false|undefined|string|text|required|optional|missing|hidden|masked|redacted|changed|wrong|invalid|incorrect|expired|unknown|empty)\b|\$[{(A-Z_]|process\.env|os\.environ|[A-Za-z0-9_.]{0,80}\()`;
const NO_PROSE = String.raw`(?!(?:sha-?[0-9]|md5|base64|utf-?[0-9]|argon2|pbkdf2|oauth|[0-9]+(?:-[0-9]+)?[+-]?[a-z]+\b(?![!@#$%^&*+~0-9])))`;
const PASSWORD_START = String.raw`[^\s"'\`,;&=<>(){}\[\]*\\]`;
const PASSWORD = String.raw`${PASSWORD_START}[^\s"'\`,;&<>\\]{3,}`;

const WHOLE_PASSWORD = new RegExp(`^${NO_PASSWORD}${PASSWORD}$`, 'i');

/** What stands in a string of JSON goes to its end, whatever is escaped in it; also where that string is in another. */
const IN_JSON: readonly RegExp[] = [
  inJson(`${PASSWORDS}(?:_?[0-9])?`, PASSWORD_START, String.raw`[^\s"\\]`, 3, NO_PASSWORD),
  inJson(NAMES, '[A-Za-z0-9._~+/-]', '[A-Za-z0-9._~+/=-]', 11),
];

function inJson(names: string, first: string, further: string, least: number, not = ''): RegExp {
  const values = [1, 2, 4].map((slashes) => {
    const quote = String.raw`\\{${slashes - 1}}"`;
    const escaped = String.raw`\\{${2 * slashes - 1}}"|\\{${2 * slashes}}|\\{${slashes}}[/u]`;
    return String.raw`(?<=(?<!\\)${quote})(?:${first}|${escaped})(?:${further}|${escaped}){${least},}(?=${quote})`;
  });
  const begins = String.raw`(?<=")(?=${first}|\\)(?<=${names}${COLON}\\{0,3}")`;
  return new RegExp(`${begins}${not}(?:${values.join('|')})`, 'gi');
}

/** Known by the word before them. */
const NAMED: readonly RegExp[] = [
  ...IN_JSON,
  // What may begin a value is looked at before what stands before it, which takes longer.
  /(?=[A-Za-z0-9._~+/-])(?<=\bBearer\s{1,99})[A-Za-z0-9._~+/-]{16,}=*/gi,
  /(?=[A-Za-z0-9._~+/=:-])(?<=\b[Aa]uthorization["']?\s{0,9}[:=]\s{0,9}["']?(?:[Bb]asic|[Bb]earer|[Tt]oken|[Bb]ot|[Aa]pi-?[Kk]ey)\s{1,9})(?=[a-z._~-]*[A-Z0-9+/=:])[A-Za-z0-9._~+/=:-]{6,}/g,
  /(?=[A-Za-z0-9+/])(?<=\b[Bb]asic\s{1,9})(?=[A-Za-z+/]*[0-9=])(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)(?![A-Za-z0-9+/=])/g,
  /(?=[A-Za-z0-9+/])(?<=^\s{0,9}[Bb]asic\s{1,9})(?=[A-Za-z0-9+/]*[a-z][A-Z])(?:[A-Za-z0-9+/]{4}){3,}(?=\s*$)/g,
  /(?=[^\s/@])(?<=:)(?<=\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi,
  new RegExp(
    `(?=[A-Za-z0-9._~+/-])(?<=${NAMES}${QUOTE}\\s{0,99}[:=]\\s{0,99}${QUOTE})[A-Za-z0-9._~+/-]{12,}=*`,
    'gi',
  ),
  new RegExp(`(?=${PASSWORD_START})(?<=${PASSWORDS}(?:_?[0-9])?${EQUALS})${NO_PASSWORD}${PASSWORD}`, 'gi'),
  new RegExp(
    `(?=${PASSWORD_START})(?<=["'])(?<=${PASSWORDS}(?:_?[0-9])?${COLON}\\\\{0,3}["'])${NO_PASSWORD}${PASSWORD}(?=["'\\\\])`,
    'gi',
  ),
  // Without quotes a word is a word; a password has something in it that words have not.
  new RegExp(
    `(?=${PASSWORD_START})(?<=${PASSWORDS}(?:_?[0-9])?${COLON})${NO_PASSWORD}${NO_PROSE}(?=[0-9]{6}|[A-Za-z]+[0-9!@#$%^&*+~]|[0-9!@#$%^&*+~-]{1,40}[A-Za-z])${PASSWORD}`,
    'gi',
  ),
];

const KEY_BEGINS = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** As much of a key as stands there where its end was cut off. */
const KEY_BODY =
  /(?:(?:\n|\\{1,4}n)[A-Za-z-]{3,20}: (?:[^\n\\-]|-(?!----)){1,80}(?=[\n\\])|\s|\\{1,4}[nrt])*[A-Za-z0-9+/=]{16,}(?:(?:\s|\\{1,4}[nrt])+[A-Za-z0-9+/=]{16,})*(?:(?:\n|\\{1,4}n)[A-Za-z0-9+/=]{1,15}(?![^\S\n]*[A-Za-z0-9,.]))?/y;

/** What some part of each is like: a text without any of these holds none, and most texts hold none. */
const SIGNS_OF_ISSUED =
  /sk-|[spr]k_|gh[opusr]_|github_pat_|glpat-|xox|xapp-|hooks\.slack|A[KS]IA|AIza|ya29|GOCSPX|hf_|npm_|pypi-|gsk_|r8_|whsec_|dop_v1|xai-|tvly-|SG\.|AGE-SECRET|eyJ/;
const SIGNS_OF_NAMED =
  /bearer\s|authorization|basic\s|:\/\/[^\s/@]+@|(?:key|token|pass|pwd|secret)[\w-]{0,12}\\{0,3}["']?\s{0,99}[:=]/i;

/**
 * The text with a mark in the place of everything that looks like a credential; the words before it are kept. What several
 * patterns find parts of is taken out whole.
 */
export function markSecrets(text: string, mark: string): string {
  const left = markPrivateKeys(text, mark);
  const found = [
    ...(SIGNS_OF_ISSUED.test(left) ? ISSUED : []),
    ...(SIGNS_OF_NAMED.test(left) ? NAMED : []),
  ].flatMap((pattern) => findPlaces(left, pattern));
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  let marked = '';
  let done = 0;
  for (const { from, to } of found) {
    if (from >= done) marked += left.slice(done, from) + mark;
    done = Math.max(done, to);
  }
  return marked + left.slice(done);
}

function findPlaces(text: string, pattern: RegExp): { readonly from: number; readonly to: number }[] {
  const places = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    places.push({ from: found.index, to: pattern.lastIndex });
  return places;
}

/** Whether a text may be a password: it is no word that is said of one, and not too short. */
export function isPassword(text: string): boolean {
  return WHOLE_PASSWORD.test(text);
}

/** A key goes to its end, wherever that is; without one, as far as it looks like a key. */
function markPrivateKeys(text: string, mark: string): string {
  if (!text.includes('-----BEGIN ')) return text;
  let marked = '';
  let done = 0;
  let isEndAhead = true;
  KEY_BEGINS.lastIndex = 0;
  for (let begin = KEY_BEGINS.exec(text); begin !== null; begin = KEY_BEGINS.exec(text)) {
    const from = KEY_BEGINS.lastIndex;
    KEY_ENDS.lastIndex = from;
    isEndAhead &&= KEY_ENDS.test(text);
    const end = isEndAhead ? KEY_ENDS.lastIndex : endOfBody(text, from);
    if (end === null) continue;
    marked += text.slice(done, begin.index) + mark;
    done = end;
    KEY_BEGINS.lastIndex = end;
  }
  return marked + text.slice(done);
}

function endOfBody(text: string, from: number): number | null {
  KEY_BODY.lastIndex = from;
  return KEY_BODY.test(text) ? KEY_BODY.lastIndex : null;
}
