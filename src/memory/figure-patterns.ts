import type { KeyFigure } from '../contracts/memory.ts';

/** Units that are written as they stand here. */
const SYMBOLS = [
  '% ‰ ％ °C °F ° K k M G T bn mn Mio Mrd pp bps kB KB kb MB mb GB gb TB PB KiB MiB GiB TiB B bit/s kbit/s Mbit/s Gbit/s',
  'ns µs μs us ms sec s min h d km² km2 km³ km/h km m² m2 m³ m3 mm² mm cm² cm³ cm m mph mi ft yd ha kg mg µg g t lb oz',
  'l L ml dl mW kW MW GW W kWh MWh GWh Wh mAh Ah mV kV V mA A Hz kHz MHz GHz rpm fps dB px pt Pa kPa hPa MPa bar psi N kN J',
  'kJ MJ kcal cal mol Ω kΩ € $ £ ¥ ₹ ₩ ₽ zł kr USD EUR GBP JPY CHF CNY x ×',
];

/** Units that are words: in the singular and the plural, with a capital too. */
const WORDS = [
  'byte bit second minute hour day week month year mile meter metre kilometer kilometre gram liter litre degree percent',
  'dollar euro cent pound yen thousand million billion trillion token row line column file record item request error',
  'warning failure test call user page word character message event node worker thread core retry commit time',
];

const splitAll = (lists: readonly string[]): string[] => lists.flatMap((list) => list.split(' '));
const withCapital = (word: string): string[] => [word, word.charAt(0).toUpperCase() + word.slice(1)];

/** What counts as a unit. A set, since an expression of so many choices takes a tenth of a second to compile. */
const UNITS: ReadonlySet<string> = new Set([
  ...splitAll(SYMBOLS),
  ...splitAll(WORDS).flatMap((word) => [...withCapital(word), ...withCapital(`${word}s`)]),
  ...['people', 'inhabitants', 'retries'].flatMap(withCapital),
  'per cent',
]);
/** What may be a unit. */
const UNIT = '(?:per cent|[A-Za-zµμΩł]{1,14}[²³23]?|°[CF]?|[%‰％€$£¥₹₩₽×])';
const DIVISOR = /^[A-Za-zµ]{1,10}[²³]?$/;

/** How much of what may be a unit is one: `unit/per`, `unit` alone, or nothing. */
export function knownUnit(unit: string, per: string | undefined): string | undefined {
  if (per !== undefined) {
    const whole = `${unit}/${per}`;
    if (UNITS.has(whole) || (UNITS.has(unit) && (UNITS.has(per) || DIVISOR.test(per)))) return whole;
  }
  return UNITS.has(unit) ? unit : undefined;
}

/** Counters of languages that are written without spaces, after powers of ten thousand. */
const COUNTER =
  '[千百]?[万億兆亿]?(?:[\uff21-\uff3a\uff41-\uff5a]{1,4}|キロ|メートル|トン|人|円|元|年|月|日|時間|小时|分|秒|個|个|件|回|次|台|本|歳|岁|％|度|点|倍|行|条|页|ページ)|[千百]?[万億兆亿]';

const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`;
const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const ZONE = String.raw`(?:Z|[+-]\d{2}:?\d{2}| (?:UTC|GMT|CES?T|[ECMP][SD]T|[+-]\d{4}))?`;
const TIME = String.raw`\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?${ZONE}`;
const NOON = String.raw`(?:[AaPp]\.m\.|[AaPp][Mm]\b)`;
const AT = `(?:(?:,? | at )${TIME})?`;

/** Each part is bounded, so that no text takes more than linear time. */
const LETTER = String.raw`[\p{L}\p{N}_]`;
const SEGMENT_CHARACTER = String.raw`[\p{L}\p{M}\p{N}_@.+~-]`;
const SEGMENT = `${SEGMENT_CHARACTER}{1,100}`;
/** Folders of routes may be in brackets. */
const FOLDER = String.raw`(?:${SEGMENT_CHARACTER}|\[[\w.-]{1,50}\]|\([\w.-]{1,50}\)){1,100}`;
const PATH_START = String.raw`(?<![\p{L}\p{N}_@.+/\\~-])`;
const ROOT = String.raw`(?:[A-Za-z]:[\\/]|(?:~|\.{1,2})?[\\/])`;
const EXTENSION = String.raw`\.[A-Za-z]\w{0,9}`;
const LINE = String.raw`(?::\d{1,7}(?::\d{1,5})?(?:-\d{1,7})?|\(\d{1,7}(?:,\d{1,5})?\)|#L\d{1,7}(?:-L?\d{1,7})?|"?, lines? \d{1,7}(?:-\d{1,7})?)(?!\w)`;
const BARE_NAMES = String.raw`(?:[A-Z][a-z]{2,12}file|BUILD|WORKSPACE|README|LICENSE|CHANGELOG)`;
const FOLDERS = String.raw`(?:${ROOT}(?:${FOLDER}[\\/]){0,20}|(?:${FOLDER}[\\/]){1,20})`;

const DIGIT = String.raw`[\d\uff10-\uff19]`;
const GROUPED = String.raw`\d{1,3}(?:[ _'’\u00a0\u202f\u2009]\d{3}){1,8}(?!\d)(?:[.,]\d{1,30})?`;
const AMOUNT = String.raw`(?:${GROUPED}|${DIGIT}(?:[.,，．]|${DIGIT}){0,30}|(?<!\d)\.\d{1,30})`;
const POWER = String.raw`(?:[eE][-+]?\d{1,3}(?!${LETTER})|(?: ?[×x] ?10)?(?:\^[-+−]?\d{1,3}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))`;
const NUMBER_START = String.raw`(?<![\w\uff10-\uff19]|\d\.)[-+−±]?`;
const CURRENCY = String.raw`(?:(?:US|A|C)?[$€£¥₹₩₽]|\b(?:USD|EUR|GBP|JPY|CHF|CNY)) ?`;
const SCALE = String.raw`(?:(?: ?(?:[kKMBT]|bn|mn|m)| (?:thousand|million|billion|trillion))(?!${LETTER})|[万億兆亿])`;
const DURATION_UNIT = '(?:ms|min|[dhms])';

const MONTH_NAME = /Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec/;
const ANY_DIGIT = /[\d\uff10-\uff19]/;

/** One way in which a figure is written. */
export interface FigurePattern {
  readonly kind: KeyFigure['kind'];
  /** Source of an expression with the flag `u`; what may be a unit is in its groups `unit` and `per`. */
  readonly source: string;
  /** Found in every text in which the pattern matches, and cheaper to look for. */
  readonly needs: RegExp;
}

/** What a figure looks like, the first that matches at a place. */
export const FIGURE_PATTERNS: readonly FigurePattern[] = [
  {
    kind: 'url',
    needs: /:\/\//,
    source: String.raw`\b[A-Za-z][A-Za-z\d+.-]{1,15}:\/\/(?:[^\s"'<>()[\]{}\x60。、，；：！？）」』】》]|'(?=\w)|\([^\s"'<>()]{0,200}\)|\[[\da-fA-F:.%]{2,45}\]){1,2000}(?<![.,;:!?*])`,
  },
  { kind: 'date', needs: /\d{4}-\d\d-\d/, source: String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${TIME})?(?![\w-])` },
  { kind: 'date', needs: /\d{8}T\d/, source: String.raw`\b\d{8}T\d{4}(?:\d{2})?Z?(?!\w)` },
  { kind: 'date', needs: /\d\/\d/, source: String.raw`\b\d{4}\/\d{1,2}\/\d{1,2}(?:[T ]${TIME})?(?![\w/])` },
  { kind: 'date', needs: /\d\/\d/, source: String.raw`\b\d{1,2}\/\d{1,2}\/(?:\d{4}|\d{2})${AT}(?![\w/])` },
  {
    kind: 'date',
    needs: /[/-][A-Z][a-z]/,
    source: String.raw`\b${DAY}[/-]${MONTH}[/-]\d{4}(?:[: ]${TIME})?(?!\w)`,
  },
  {
    kind: 'date',
    needs: /\d\.(?:19|20|21)\d\d/,
    source: String.raw`(?<![\w.])${DAY}\.(?: ?(?:0?[1-9]|1[0-2])\.)(?:19|20|21)\d{2}${AT}(?![\w.]\d)`,
  },
  { kind: 'date', needs: MONTH_NAME, source: String.raw`\b${DAY}\.?(?: of)? ${MONTH}\.?,? \d{4}${AT}\b` },
  { kind: 'date', needs: MONTH_NAME, source: String.raw`\b${MONTH}\.? ${DAY},? \d{4}${AT}\b` },
  { kind: 'date', needs: MONTH_NAME, source: String.raw`\b${MONTH} (?:19|20|21)\d{2}\b` },
  {
    kind: 'date',
    needs: /[WQ]\d/,
    source: String.raw`\b(?:19|20|21)\d{2}-(?:W\d{2}(?:-\d)?|Q[1-4])(?!\w)|\bQ[1-4] (?:19|20|21)\d{2}\b`,
  },
  {
    kind: 'date',
    needs: MONTH_NAME,
    source: String.raw`\b${DAY}\.? ${MONTH}\b|\b${MONTH}\.? ${DAY}(?![\w.]\d|\w)`,
  },
  {
    kind: 'date',
    needs: /月/,
    source: `(?:${DIGIT}{2,4}年)?${DIGIT}{1,2}月${DIGIT}{1,2}日|${DIGIT}{2,4}年${DIGIT}{1,2}月`,
  },
  {
    kind: 'id',
    needs: /[\da-fA-F]{8}-/,
    source: String.raw`\b[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}\b`,
  },
  {
    kind: 'id',
    needs: /\d\.\d+\.\d/,
    source: String.raw`(?<![\w.])(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?:[:/]\d{1,5})?(?![\w.]\d|\w)`,
  },
  {
    kind: 'path',
    needs: /\.[A-Za-z]/,
    source: `${PATH_START}(?:${FOLDERS})?${SEGMENT_CHARACTER}{0,100}${EXTENSION}${LINE}`,
  },
  {
    kind: 'path',
    needs: /:\d/,
    source: String.raw`${PATH_START}${FOLDERS}(?=[^\s:]{0,100}\p{L})${SEGMENT}:\d{1,7}(?::\d{1,5})?(?!\w)`,
  },
  { kind: 'path', needs: /:\d/, source: String.raw`${PATH_START}${BARE_NAMES}:\d{1,7}(?!\w)` },
  {
    kind: 'path',
    needs: /\.[A-Za-z]/,
    source: String.raw`${PATH_START}${FOLDERS}${SEGMENT_CHARACTER}{0,100}${EXTENSION}\b`,
  },
  { kind: 'id', needs: /#\d/, source: String.raw`(?<![\w&/])(?:[\w.-]{1,50}\/[\w.-]{1,50})?#\d{1,9}\b` },
  {
    kind: 'date',
    needs: /\d:\d|\d ?[AaPp]\.?[Mm]/,
    source: String.raw`(?<![\w.:])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?${NOON})?${ZONE}(?![\d:])|\b\d{1,2} ?${NOON}`,
  },
  {
    kind: 'version',
    needs: /\d\.\d+\.\d/,
    source: String.raw`(?<![\w.])(?:v|[A-Za-z]{2,20}_?)?\d{1,5}\.\d{1,5}\.\d{1,9}(?:[-_][\w.-]{1,40})?(?:\+[\w.-]{1,40})?\b(?!\.\d)`,
  },
  { kind: 'version', needs: /v\d/, source: String.raw`\bv\d{1,5}(?:\.\d{1,5})?\b` },
  {
    kind: 'number',
    needs: /[$€£¥₹₩₽]|USD|EUR|GBP|JPY|CHF|CNY/,
    source: String.raw`${NUMBER_START}${CURRENCY}${AMOUNT}${POWER}?${SCALE}?`,
  },
  {
    kind: 'version',
    needs: /[A-Za-z]_?\d+\.\d/,
    source: String.raw`(?<![\w.-])[A-Za-z]{2,20}_?\d{1,4}\.\d{1,5}\b(?!\.\d)`,
  },
  { kind: 'id', needs: /[A-Z\d]-\d/, source: String.raw`\b[A-Z][A-Z\d]{1,9}(?:-\d{1,9}){1,4}\b(?!-\w)` },
  {
    kind: 'id',
    needs: /[\da-f]{7}/,
    source: String.raw`\b(?:sha\d{1,3}[:-])?(?=[\da-f]{0,63}\d)(?=[\da-f]{0,63}[a-f])[\da-f]{7,64}\b(?![-_]\w)`,
  },
  {
    kind: 'number',
    needs: /\d[dhms]/,
    source: String.raw`(?<![\w.])\d{1,6}(?:\.\d{1,6})?${DURATION_UNIT}(?: ?\d{1,6}(?:\.\d{1,6})?${DURATION_UNIT}){1,5}(?!${LETTER})`,
  },
  {
    kind: 'number',
    needs: /\d ?[x×]/,
    source: String.raw`(?<![\w.])\d{1,6}(?: ?[x×] ?\d{1,6}){1,3}(?![\p{L}\p{N}_^⁻.])`,
  },
  {
    kind: 'number',
    needs: /°/,
    source: String.raw`(?<![\w.])\d{1,3}°(?: ?\d{1,2}[′'])?(?: ?\d{1,2}(?:\.\d{1,6})?[″"])? ?[NSEW]\b`,
  },
  {
    kind: 'id',
    needs: /::/,
    source: String.raw`(?<![\w:.])(?=[\da-fA-F:]{0,38}::)(?=[a-fA-F:]{0,38}\d)[\da-fA-F:]{3,39}(?![\w:])`,
  },
  { kind: 'number', needs: /\d[/:]\d/, source: String.raw`(?<![\w.:/])\d{1,6}[/:]\d{1,6}(?![\w/:])` },
  { kind: 'id', needs: /\d-\d+-\d/, source: String.raw`(?<![\w.-])\d{1,7}(?:-\d{1,7}){2,5}(?![\w-])` },
  {
    kind: 'number',
    needs: ANY_DIGIT,
    source: String.raw`${NUMBER_START}${AMOUNT}${POWER}?(?: ?[-–—] ?${AMOUNT})?(?:[ \u00a0\u202f\u2009-]?(?<unit>${UNIT})(?:\/(?<per>${UNIT}))?(?![\p{L}\p{N}_])|${COUNTER})`,
  },
  {
    kind: 'id',
    needs: /\d/,
    source: String.raw`(?<![\p{L}\p{N}_.@-])(?=[A-Za-z\d_-]{6})(?=(?:[A-Za-z_-]{0,60}\d){2})(?=[\d_-]{0,60}[A-Za-z])[A-Za-z\d]{1,60}(?:[-_][A-Za-z\d]{1,60}){0,10}(?![\w-]|\.\d)`,
  },
  { kind: 'number', needs: ANY_DIGIT, source: `${NUMBER_START}${AMOUNT}${POWER}?` },
];
