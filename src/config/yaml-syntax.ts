import type { Document } from 'yaml';
import { Composer, Lexer, Parser } from 'yaml';

/** A problem at an offset of the text. */
export interface OffsetProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

/** Levels of nesting that a task file may have; far below what would overflow the stack of the YAML library. */
export const MAX_NESTING = 100;

/** Words, signs and gaps that a task file may have: some 20 000 lines; the YAML library needs a second for them. */
const MAX_LEXEMES = 200_000;

const TOO_MUCH_HINT = 'move data out of the task, to where a tool reads it';

/** Faults of syntax that are reported; a text with more of them is hardly YAML. */
const MAX_SYNTAX_PROBLEMS = 50;

type Tokens = Parameters<Composer['compose']>[0] extends Iterable<infer Token> ? Token[] : never;

/**
 * The one YAML 1.2 document of a text, or the problems of its syntax: at most one a line, since what follows on the
 * same line is usually a consequence.
 */
export function parseYamlSyntax(text: string): Document.Parsed | OffsetProblem[] {
  const tokens = tokenize(text);
  if (!Array.isArray(tokens)) return [tokens];
  // The options that differ from the defaults: duplicate keys are reported with their path elsewhere, and nothing
  // of YAML 1.1 (dates, binary, NO as false) is read.
  const composer = new Composer({ uniqueKeys: false, stringKeys: true, resolveKnownTags: false });
  for (const document of composer.compose(tokens, true, text.length)) {
    const problems = documentProblems(document, text);
    return problems.length === 0 ? document : problems;
  }
  return [{ offset: 0, message: 'no YAML document' }];
}

function tokenize(text: string): Tokens | OffsetProblem {
  const parser = new Parser();
  const tokens: Tokens = [];
  let [documents, lexemes] = [0, 0];
  const take = (batch: Iterable<Tokens[number]>): OffsetProblem | null => {
    for (const token of batch) {
      tokens.push(token);
      if (token.type !== 'document') continue;
      documents++;
      if (documents > 1) return { offset: token.offset, ...SEVERAL_DOCUMENTS };
    }
    return null;
  };
  for (const lexeme of new Lexer().lex(text)) {
    const problem = take(parser.next(lexeme));
    if (problem !== null) return problem;
    lexemes++;
    if (lexemes > MAX_LEXEMES) {
      return {
        offset: parser.offset,
        message: `more than ${MAX_LEXEMES} words and signs`,
        hint: TOO_MUCH_HINT,
      };
    }
    // The composer recurses once a level, so the depth is checked before it runs.
    if (parser.stack.length > MAX_NESTING + 2) {
      return { offset: parser.offset, message: `nested deeper than ${MAX_NESTING} levels` };
    }
  }
  return take(parser.end()) ?? tokens;
}

const SEVERAL_DOCUMENTS = {
  message: 'a second document begins here; a task file holds one',
  hint: 'put the other task into a file of its own',
};

function documentProblems(document: Document.Parsed, text: string): OffsetProblem[] {
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') {
    return [{ offset: 0, message: 'a task file is YAML 1.2', hint: 'take the %YAML line out' }];
  }
  const problems: OffsetProblem[] = [];
  let lineEnd = -1;
  const faults = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  for (const fault of faults) {
    const offset = fault.pos[0];
    if (offset <= lineEnd) continue;
    const newline = text.indexOf('\n', offset);
    lineEnd = newline === -1 ? text.length : newline;
    problems.push({ offset, ...describeFault(fault.code, fault.message) });
    if (problems.length === MAX_SYNTAX_PROBLEMS) break;
  }
  return problems;
}

function describeFault(code: string, message: string): { message: string; hint?: string } {
  if (code === 'TAB_AS_INDENT') return { message: 'a tab indents this line', hint: 'YAML indents by spaces' };
  if (code === 'NON_STRING_KEY') return { message: 'a key must be a plain word or text' };
  if (code === 'TAG_RESOLVE_FAILED') return { message: message.replace('Unresolved tag:', 'unknown tag') };
  return { message: `not valid YAML: ${message}` };
}
