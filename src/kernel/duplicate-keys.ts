import { toPointer } from './json.ts';

const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\],:]/g;

interface Level {
  /** Keys seen so far, or null in an array. */
  readonly keys: Set<string> | null;
  /** The key or index that the next value has. */
  step: string | number;
}

/** JSON pointers of the members whose key stands twice in its object, of which a parser keeps the last without a word. */
export function findDuplicateKeys(validJson: string): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  let text = '';
  for (const [token] of validJson.matchAll(TOKEN)) {
    const level = levels.at(-1);
    switch (token) {
      case '{':
        levels.push({ keys: new Set(), step: '' });
        break;
      case '[':
        levels.push({ keys: null, step: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (typeof level?.step === 'number') level.step++;
        break;
      case ':':
        if (level?.keys) {
          level.step = JSON.parse(text) as string;
          if (level.keys.has(level.step)) found.add(toPointer(levels.map(({ step }) => step)));
          level.keys.add(level.step);
        }
        break;
      default:
        text = token;
    }
  }
  return [...found];
}
