import { didYouMean } from '../../kernel/did-you-mean.ts';
import { ToolError } from '../../kernel/errors.ts';
import { MATH_CONSTANTS, MATH_FUNCTIONS } from './math-functions.ts';
import { add, divide, multiply, negate, power, type Quantity, readQuantity, remainder } from './quantity.ts';

const MAX_DEPTH = 100;

const TOKEN =
  /\s*(?:(\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(\*\*|[-+*/%^(),×÷·−])|(\S))/uy;

const OPERATORS = new Map([
  ['**', '^'],
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
]);

interface Token {
  readonly kind: 'number' | 'name' | 'operator' | 'end';
  readonly text: string;
  /** Place of its first character, from 1. */
  readonly at: number;
}

/**
 * The value of an expression of numbers, names, `+ - * / % ^`, parentheses and functions. Throws a ToolError of class
 * TOOL_MISUSE that names the place where it cannot be understood.
 */
export function evaluate(expression: string, variables: ReadonlyMap<string, Quantity>): Quantity {
  return new Evaluation(readTokens(expression), variables).run();
}

function readTokens(expression: string): Token[] {
  const tokens: Token[] = [];
  const end = expression.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(expression);
    if (match === null) break;
    const [, number, name, operator, other] = match;
    const text = number ?? name ?? operator ?? other ?? '';
    const at = TOKEN.lastIndex - text.length + 1;
    if (other !== undefined) throw misuse(`${JSON.stringify(other)} means nothing here`, at);
    if (number !== undefined) tokens.push({ kind: 'number', text: number.replaceAll('_', ''), at });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at });
    else tokens.push({ kind: 'operator', text: OPERATORS.get(text) ?? text, at });
  }
  tokens.push({ kind: 'end', text: 'the end', at: end + 1 });
  return tokens;
}

class Evaluation {
  readonly #tokens: readonly Token[];
  readonly #variables: ReadonlyMap<string, Quantity>;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], variables: ReadonlyMap<string, Quantity>) {
    this.#tokens = tokens;
    this.#variables = variables;
  }

  run(): Quantity {
    const value = this.#sum();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    return value;
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: 'the end', at: 0 };
  }

  #take(...operators: readonly string[]): string | null {
    const { kind, text } = this.#token;
    if (kind !== 'operator' || !operators.includes(text)) return null;
    this.#next++;
    return text;
  }

  #sum(): Quantity {
    let value = this.#product();
    for (;;) {
      const operator = this.#take('+', '-');
      if (operator === null) return value;
      const right = this.#product();
      value = add(value, operator === '+' ? right : negate(right));
    }
  }

  #product(): Quantity {
    let value = this.#signed();
    for (;;) {
      const operator = this.#take('*', '/', '%');
      if (operator === null) return value;
      const right = this.#signed();
      value = (operator === '*' ? multiply : operator === '/' ? divide : remainder)(value, right);
    }
  }

  #signed(): Quantity {
    if (++this.#depth > MAX_DEPTH) throw misuse('it is nested too deep', this.#token.at);
    try {
      const sign = this.#take('+', '-');
      if (sign !== null) return sign === '-' ? negate(this.#signed()) : this.#signed();
      const base = this.#atom();
      return this.#take('^') === null ? base : power(base, this.#signed());
    } finally {
      this.#depth--;
    }
  }

  #atom(): Quantity {
    const token = this.#token;
    if (token.kind === 'number') {
      this.#next++;
      return readQuantity(token.text);
    }
    if (token.kind === 'name') {
      this.#next++;
      return this.#take('(') === null ? this.#named(token) : this.#call(token);
    }
    if (this.#take('(') === null) throw this.#unexpected();
    const value = this.#sum();
    this.#expect(')');
    return value;
  }

  #named({ text, at }: Token): Quantity {
    const value = this.#variables.get(text) ?? MATH_CONSTANTS.get(text);
    if (value !== undefined) return value;
    const near = didYouMean(text, [...this.#variables.keys(), ...MATH_CONSTANTS.keys()]);
    throw misuse(`there is no variable ${text}${near === null ? '' : `; did you mean ${near}?`}`, at);
  }

  #call({ text, at }: Token): Quantity {
    const known = MATH_FUNCTIONS.get(text);
    if (known === undefined) {
      const near = didYouMean(text, [...MATH_FUNCTIONS.keys()]);
      const hint =
        near === null ? `; there are ${[...MATH_FUNCTIONS.keys()].join(', ')}` : `; did you mean ${near}?`;
      throw misuse(`there is no function ${text}${hint}`, at);
    }
    const args: Quantity[] = [];
    do args.push(this.#sum());
    while (this.#take(',') !== null);
    this.#expect(')');
    if (args.length < known.min || args.length > known.max) {
      const wanted = known.min === known.max ? String(known.min) : `${known.min} to ${known.max}`;
      throw misuse(`${text} takes ${wanted} arguments, not ${args.length}`, at);
    }
    return known.run(args);
  }

  #expect(operator: string): void {
    if (this.#take(operator) === null) throw misuse(`"${operator}" is missing`, this.#token.at);
  }

  #unexpected(): ToolError {
    const { kind, text, at } = this.#token;
    return misuse(kind === 'end' ? 'it ends too early' : `${JSON.stringify(text)} is not expected here`, at);
  }
}

function misuse(fault: string, at: number): ToolError {
  return new ToolError('TOOL_MISUSE', `the expression cannot be understood at character ${at}: ${fault}`, {
    details: { at },
  });
}
