import { didYouMean } from '../../kernel/did-you-mean.ts';

/** The commands of a chat, with what they do. */
const CHAT_COMMANDS = {
  help: 'list these commands',
  stop: 'interrupt what goes on; what was half said is not kept (Ctrl-C does the same)',
  resume: 'go on with another session: /resume ID; without an id, list them',
  new: 'begin a new session',
  exit: 'leave; the session is kept',
} as const;

/** What a line of a chat is. */
export type ChatLine =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: keyof typeof CHAT_COMMANDS; readonly rest: string }
  | { readonly kind: 'unknown'; readonly text: string }
  | { readonly kind: 'nothing' };

const OTHER_NAMES: Readonly<Record<string, keyof typeof CHAT_COMMANDS>> = {
  quit: 'exit',
  q: 'exit',
  '?': 'help',
};

/** Reads a line: `/name` is a command, a line that begins with a space is a message whatever it holds. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  const [, word, rest = ''] = /^\/([a-z?]+)(?:\s+(.*))?$/s.exec(line.trimEnd()) ?? [];
  if (word === undefined) return { kind: 'message', text };
  const name = OTHER_NAMES[word] ?? word;
  if (isCommand(name)) return { kind: 'command', name, rest: rest.trim() };
  const near = didYouMean(word, Object.keys(CHAT_COMMANDS));
  const hint = near === null ? '/help lists the commands' : `did you mean /${near}?`;
  return {
    kind: 'unknown',
    text: `there is no command /${word}; ${hint} (a message that begins with / is written with a space before it)`,
  };
}

function isCommand(name: string): name is keyof typeof CHAT_COMMANDS {
  return Object.hasOwn(CHAT_COMMANDS, name);
}

/** The commands as lines of help. */
export function describeChatCommands(): string[] {
  const names = Object.entries(CHAT_COMMANDS).map(([name, what]) => `  /${name.padEnd(8)} ${what}`);
  return [
    'Write what is to be done. A message while something goes on interrupts it.',
    ...names,
    'Where a call waits for you: y allows it, y -3 this and the next three, n does not; anything else is told to the agent.',
  ];
}
