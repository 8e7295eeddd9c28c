import type { KeyFigure } from '../contracts/memory.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { onDemand } from '../kernel/on-demand.ts';
import { isLatin1, latin1Source } from '../kernel/text-pattern.ts';
import { FIGURE_PATTERNS, type FigurePattern, knownUnit } from './figure-patterns.ts';

const MOST_CHARS = 100_000;
/** Sets of patterns that are kept compiled. */
const MOST_SCANNERS = 32;

/**
 * The figures of a result, each once, at most `limit` of them: numbers with their units, paths with line numbers,
 * versions, dates, URLs and ids, character by character as they stand there.
 */
export function keyFigures(value: Json, limit = 64): KeyFigure[] {
  const found = new Map<string, KeyFigure>();
  collect(value, undefined, (figure) => {
    found.set(`${figure.field ?? ''} ${figure.text}`, figure);
    return found.size < limit;
  });
  return [...found.values()].slice(0, limit);
}

/** Gives every figure to `add` until that says that it is enough. */
function collect(value: Json, field: string | undefined, add: (figure: KeyFigure) => boolean): boolean {
  const named = field === undefined ? {} : { field };
  if (typeof value === 'number') return add({ kind: 'number', text: String(value), ...named });
  if (typeof value === 'string') {
    for (const figure of figuresOf(value)) if (!add({ ...figure, ...named })) return false;
    return true;
  }
  if (Array.isArray(value)) return (value as readonly Json[]).every((item) => collect(item, field, add));
  if (!isJsonObject(value)) return true;
  for (const [key, item] of Object.entries(value)) {
    for (const figure of figuresOf(key)) {
      // A key that is a count is a place in a list.
      if (figure.kind !== 'number' && !add(figure)) return false;
    }
    if (!collect(item, key, add)) return false;
  }
  return true;
}

/** The patterns that can match in a text, as one expression; and those after the one with units, for where it has none. */
interface Scanner {
  readonly all: RegExp;
  readonly afterUnits: RegExp;
}

const scanners = new Map<string, Scanner>();

/** Compiling every pattern takes longer than all else that is done with a short text. */
function scannerOf(text: string): Scanner {
  const wanted = FIGURE_PATTERNS.filter(({ needs }) => needs.test(text));
  const isPlain = isLatin1(text);
  const key = [isPlain, ...wanted.map((pattern) => FIGURE_PATTERNS.indexOf(pattern))].join();
  const known = scanners.get(key);
  if (known !== undefined) return known;
  const units = wanted.findIndex(({ source }) => source.includes('(?<unit>'));
  const compile = (patterns: readonly FigurePattern[], flags: string): RegExp =>
    new RegExp(isPlain ? latin1Source(anyOf(patterns)) : anyOf(patterns), flags);
  const scanner = onDemand({
    all: () => compile(wanted, 'gu'),
    afterUnits: () => compile(wanted.slice(units + 1), 'uy'),
  });
  if (scanners.size >= MOST_SCANNERS) scanners.clear();
  scanners.set(key, scanner);
  return scanner;
}

/** Each pattern is a group whose name begins with its kind. */
function anyOf(patterns: readonly FigurePattern[]): string {
  const parts = patterns.map(({ kind, source }, index) => `(?<${kind}${index}>${source})`);
  return parts.length === 0 ? '(?!)' : parts.join('|');
}

function* figuresOf(text: string): Generator<KeyFigure> {
  const part = text.slice(0, MOST_CHARS);
  const scanner = scannerOf(part);
  for (let at = 0; ;) {
    scanner.all.lastIndex = at;
    const match = scanner.all.exec(part);
    if (match === null) return;
    const figure = settle(match, part, scanner);
    at = match.index + Math.max(1, figure?.text.length ?? 0);
    if (figure !== null) yield { ...figure, text: figure.text.replace(/[.,，．\s]+$/u, '') };
  }
}

/** What a match stands for: up to its unit, where that is one; else what it is without. */
function settle(match: RegExpExecArray, text: string, { afterUnits }: Scanner): KeyFigure | null {
  const [found] = match;
  const { unit, per } = match.groups ?? {};
  if (unit === undefined) return { kind: kindOf(match), text: found };
  const known = knownUnit(unit, per);
  if (known !== undefined) {
    const written = per === undefined ? unit : `${unit}/${per}`;
    return { kind: kindOf(match), text: found.slice(0, found.length - written.length + known.length) };
  }
  afterUnits.lastIndex = match.index;
  const other = afterUnits.exec(text);
  return other === null ? null : { kind: kindOf(other), text: other[0] };
}

function kindOf({ groups = {} }: RegExpExecArray): KeyFigure['kind'] {
  const matched = Object.entries<string | undefined>(groups).find(([, text]) => text !== undefined);
  const [name = ''] = matched ?? [];
  return name.replace(/\d+$/, '') as KeyFigure['kind'];
}
