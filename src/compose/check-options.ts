import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';

/** Throws `usage` where a program that is not type-checked gives no task, or an option that is something else. */
export function checkOptions(options: unknown): void {
  const task = isJsonObject(options) ? options['task'] : undefined;
  if (typeof task !== 'string' && (typeof task !== 'object' || task === null)) {
    throw new OrchestratorError(
      'usage',
      `task: expected the path of a task file, or a task, got ${nameOf(task)}`,
      {
        hint: "Such as orchestrate({ task: 'task.yaml' }).",
      },
    );
  }
  checkRunOptions(options);
}

/** Throws `usage` where an option that a run is made or driven with is something else. */
export function checkRunOptions(options: unknown): void {
  const given = options === undefined ? {} : options;
  if (!isJsonObject(given)) {
    throw new OrchestratorError('usage', `options: expected an object, got ${nameOf(options)}`);
  }
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value !== undefined && !Object.hasOwn(EXPECTED, name)) throw unknownOption(name);
  }
  for (const [name, [expected, isRight, hint]] of Object.entries(EXPECTED)) {
    const value = given[name];
    if (value === undefined || isRight(value)) continue;
    throw new OrchestratorError('usage', `${name}: expected ${expected}, got ${nameOf(value)}`, { hint });
  }
}

type Expectation = readonly [expected: string, isRight: (value: unknown) => boolean, hint: string];

const LEAVE_OUT = 'Leave the option out for its default.';

const TOOLS: Expectation = [
  'a list of what defineTool makes',
  (value) =>
    isListOf(value, (tool) => isJsonObject(tool) && isJsonObject(tool['spec']) && isFunction(tool['run'])),
  'Such as tools: [defineTool({ … })].',
];

const TEXT: Expectation = ['text', (value) => typeof value === 'string', LEAVE_OUT];
const FUNCTION: Expectation = ['a function', isFunction, LEAVE_OUT];
const FLAG: Expectation = ['true or false', (value) => typeof value === 'boolean', LEAVE_OUT];
const MAP: Expectation = ['an object', isJsonObject, LEAVE_OUT];

/** Every option of every function that makes or drives a run. */
const EXPECTED: Readonly<Record<string, Expectation>> = {
  // An agent may be made without one, of its tools and its provider.
  task: [
    'the path of a task file, or a task',
    (value) => typeof value === 'string' || isJsonObject(value),
    "Such as 'task.yaml'.",
  ],
  plan: ['the text of a plan', (value) => typeof value === 'string', 'Such as JSON.stringify(plan).'],
  tools: TOOLS,
  ownTools: TOOLS,
  provider: [
    'a provider',
    (value) => isJsonObject(value) && isFunction(value['complete']),
    'Such as defineMock({ … }); a provider by name or module stands in the task.',
  ],
  runsFolder: [
    'the path of a folder, or null',
    (value) => value === null || (typeof value === 'string' && value !== ''),
    'Name a folder, or leave the option out for its default.',
  ],
  signal: [
    'an AbortSignal',
    (value) => isJsonObject(value) && isFunction(value['addEventListener']),
    'Such as new AbortController().signal.',
  ],
  store: [
    'a store of runs',
    (value) => isJsonObject(value) && isFunction(value['create']) && isFunction(value['open']),
    'Such as openRunStore(); a folder is named by runsFolder.',
  ],
  memory: [
    'a memory with its store, or null',
    (value) => value === null || (isJsonObject(value) && isJsonObject(value['store'])),
    'With null nothing is remembered.',
  ],
  hooks: [
    'preToolCall, postToolCall, or both, as functions of an object',
    (value) => isJsonObject(value) && areHooks(value),
    LEAVE_OUT,
  ],
  approves: ['consent or write', (value) => value === 'consent' || value === 'write', LEAVE_OUT],
  clock: ['a clock', (value) => isJsonObject(value) && isFunction(value['now']), LEAVE_OUT],
  random: ['a source of chance', (value) => isJsonObject(value) && isFunction(value['draw']), LEAVE_OUT],
  secrets: ['a list of texts', (value) => isListOf(value, (text) => typeof text === 'string'), LEAVE_OUT],
  onEvent: FUNCTION,
  onDelta: FUNCTION,
  approve: FUNCTION,
  captureContent: FLAG,
  flags: MAP,
  inputs: MAP,
  env: MAP,
  runId: TEXT,
  workspace: TEXT,
  // Of runs that are taken up or forked.
  retryFailed: FLAG,
  at: TEXT,
  set: MAP,
  goal: TEXT,
  providerName: TEXT,
  // Of agents.
  session: TEXT,
  by: TEXT,
  continuous: ['a number', (value) => typeof value === 'number', LEAVE_OUT],
  authorise: FUNCTION,
  searchSessions: FUNCTION,
  onToolProgress: FUNCTION,
  onThinking: FUNCTION,
  onReasoning: FUNCTION,
  onClarify: FUNCTION,
  onStep: FUNCTION,
  onStreamDelta: FUNCTION,
  onToolGeneration: FUNCTION,
  onStatus: FUNCTION,
};

function unknownOption(name: string): OrchestratorError {
  const near = didYouMean(name, Object.keys(EXPECTED));
  const asked = near === null ? '' : ` (did you mean ${near}?)`;
  return new OrchestratorError('usage', `there is no option ${JSON.stringify(name)}${asked}`, {
    hint: 'What it was to do would not be done.',
  });
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

const HOOKS = ['preToolCall', 'postToolCall'];

/** Misspelt hooks would guard nothing: an object holds others beside the right ones, or none that is nearly right. */
function areHooks(value: JsonObject): boolean {
  const hooks = HOOKS.map((name) => value[name]).filter((hook) => hook !== undefined);
  const others = Object.keys(value).filter((name) => !HOOKS.includes(name));
  const areOthers = hooks.length > 0 && !others.some((name) => didYouMean(name, HOOKS) !== null);
  return hooks.every(isFunction) && (others.length === 0 || areOthers);
}

function isListOf(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
