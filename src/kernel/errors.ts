import type { Json } from './json.ts';

/** Who has to act: the person who wrote the task, a model, its provider, a tool, or this program. */
export type Blame = 'user' | 'model' | 'provider' | 'tool' | 'system';

/**
 * What may be done about a failure. TRANSIENT: again, later. TOOL_MISUSE: again, with repaired arguments.
 * MISSING_INFO: plan around it. POLICY: stop. PERMANENT: not again.
 */
export type FailureClass = 'TRANSIENT' | 'TOOL_MISUSE' | 'MISSING_INFO' | 'POLICY' | 'PERMANENT';

interface CodeEntry {
  readonly blame: Blame;
  readonly retry: FailureClass;
  /** Exit code of the command when this ends a run. */
  readonly exit: number;
  readonly hint: string;
}

function entry(blame: Blame, retry: FailureClass, exit: number, hint: string): CodeEntry {
  return { blame, retry, exit, hint };
}

/** Every error code with its blame, class, exit code and what to do. */
export const ERROR_CODES = {
  usage: entry('user', 'PERMANENT', 2, 'See `orchestrate --help`.'),
  task_invalid: entry(
    'user',
    'PERMANENT',
    2,
    'Correct the task file; `orchestrate check FILE` reports every problem.',
  ),
  plan_invalid: entry('user', 'PERMANENT', 2, 'Correct the plan file; `orchestrate plan` draws a valid one.'),
  module_failed: entry('user', 'PERMANENT', 2, 'Run the module by itself to see its error.'),
  tool_invalid: entry('user', 'PERMANENT', 2, 'Correct the definition of the tool.'),
  tool_conflict: entry('user', 'PERMANENT', 2, 'Give each tool a name of its own.'),
  unknown_provider: entry(
    'user',
    'PERMANENT',
    2,
    'Name a provider that exists, or a module such as ./mock.ts.',
  ),
  key_missing: entry('user', 'PERMANENT', 2, 'Set the variable, or name another one with `apiKeyEnv`.'),
  price_unknown: entry(
    'user',
    'PERMANENT',
    2,
    'Give the model a price under `prices`, or leave out budget.costUsd.',
  ),
  run_not_found: entry('user', 'PERMANENT', 2, '`orchestrate runs` lists the runs here.'),
  run_exists: entry('user', 'PERMANENT', 2, 'Choose another run id, or resume that run.'),
  run_locked: entry('user', 'PERMANENT', 1, 'Wait for that process, or end it.'),
  not_resumable: entry('user', 'PERMANENT', 2, '`orchestrate show` says how the run ended.'),
  no_question: entry('user', 'PERMANENT', 2, '`orchestrate approvals` lists the open questions.'),
  already_decided: entry(
    'user',
    'PERMANENT',
    1,
    'The first decision holds; `orchestrate show` says what came of it.',
  ),
  not_json_value: entry(
    'tool',
    'PERMANENT',
    1,
    'Return plain JSON: no undefined, BigInt, cycle or class instance.',
  ),
  tool_failed: entry(
    'tool',
    'PERMANENT',
    1,
    'Read the message of the tool; throw a ToolError to give it a class.',
  ),
  tool_transient: entry('tool', 'TRANSIENT', 1, 'Try again later.'),
  tool_misuse: entry('model', 'TOOL_MISUSE', 1, 'Call the tool as its schema says.'),
  missing_info: entry('model', 'MISSING_INFO', 1, 'Plan around what cannot be known.'),
  policy_denied: entry('user', 'POLICY', 1, 'Change the policy of the task if this is wanted.'),
  tool_output_invalid: entry('tool', 'PERMANENT', 1, 'Correct the tool or its output schema.'),
  tool_unavailable: entry('tool', 'PERMANENT', 1, 'Load the tool again, or plan without it.'),
  mcp_unavailable: entry(
    'tool',
    'TRANSIENT',
    1,
    '`orchestrate tools FILE --check` reports each server; `optional: true` lets runs go on without one.',
  ),
  agent_incomplete: entry(
    'model',
    'PERMANENT',
    1,
    'Read its write-up; give it more rounds or turns in the section `agent`, or another task.',
  ),
  timeout: entry('tool', 'TRANSIENT', 1, 'Raise timeoutMs of the tool or limits.nodeTimeoutMs.'),
  aborted: entry('user', 'PERMANENT', 130, '`orchestrate resume` goes on from where it was.'),
  budget_refused: entry('user', 'PERMANENT', 4, 'Raise the budget.'),
  model_overloaded: entry('provider', 'TRANSIENT', 1, 'Try again later, or name a fallback provider.'),
  model_unreachable: entry('provider', 'TRANSIENT', 1, 'Check the network and baseUrl.'),
  model_unauthorized: entry('provider', 'PERMANENT', 1, 'Check the API key.'),
  model_quota: entry('provider', 'PERMANENT', 1, 'Check the account, or name a fallback provider.'),
  model_bad_request: entry('provider', 'PERMANENT', 1, 'The request was refused as malformed.'),
  model_truncated: entry('model', 'PERMANENT', 1, 'Raise maxOutputTokens.'),
  model_refused: entry('model', 'PERMANENT', 1, 'The model refused; word the goal otherwise.'),
  model_empty: entry('model', 'TRANSIENT', 1, 'The model answered nothing.'),
  model_unscripted: entry('user', 'PERMANENT', 1, 'Add the role to the script of the mock provider.'),
  model_malformed: entry('model', 'PERMANENT', 1, 'The answer has not the form that was asked for.'),
  plan_unobtainable: entry(
    'model',
    'PERMANENT',
    1,
    'See the problems of the last plan with `orchestrate why`.',
  ),
  log_corrupt: entry('system', 'PERMANENT', 1, 'The log was changed or damaged; restore it from a copy.'),
  log_write_failed: entry(
    'system',
    'PERMANENT',
    1,
    'Free some space or check the disk; what was written is kept.',
  ),
  memory_unavailable: entry(
    'system',
    'PERMANENT',
    1,
    'Install better-sqlite3 beside this package (`npm install better-sqlite3@12`).',
  ),
  memory_invalid: entry('user', 'PERMANENT', 2, 'Name another file, or move this one away.'),
  memory_not_found: entry('user', 'PERMANENT', 2, '`orchestrate memory list` lists the memories here.'),
  memory_busy: entry('system', 'TRANSIENT', 1, 'Another process writes these memories; try again later.'),
  weights_missing: entry(
    'user',
    'PERMANENT',
    1,
    '`orchestrate memory pull` gets the model; until then memories are found by their words.',
  ),
  weights_invalid: entry('system', 'PERMANENT', 1, '`orchestrate memory pull` replaces what is damaged.'),
  embedding_failed: entry('system', 'TRANSIENT', 1, 'Memories are found by their words meanwhile.'),
  download_failed: entry('system', 'TRANSIENT', 1, 'Check the network and HF_ENDPOINT; what came is kept.'),
  replay_diverged: entry(
    'system',
    'PERMANENT',
    1,
    'The log or the rules of this version differ from those of the run.',
  ),
  export_failed: entry('system', 'TRANSIENT', 1, 'Check that the collector runs and takes OTLP over HTTP.'),
  internal: entry('system', 'PERMANENT', 1, 'Please report this.'),
} as const satisfies Record<string, CodeEntry>;

/** A code of the table of errors. */
export type ErrorCode = keyof typeof ERROR_CODES;

interface ErrorOptions {
  readonly retry?: FailureClass;
  readonly blame?: Blame;
  readonly details?: { readonly [key: string]: Json };
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The one root of errors that this program throws on purpose; everything else is a defect. */
export class OrchestratorError extends Error {
  override readonly name: string = 'OrchestratorError';
  readonly code: ErrorCode;
  readonly blame: Blame;
  readonly retry: FailureClass;
  readonly details: { readonly [key: string]: Json };
  readonly hint: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const known: CodeEntry = ERROR_CODES[code];
    this.code = code;
    this.blame = options.blame ?? known.blame;
    this.retry = options.retry ?? known.retry;
    this.details = options.details ?? {};
    this.hint = options.hint ?? known.hint;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Exit code of the command when this error ends it. */
  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}

/** What a tool throws to say which class its failure has: `new ToolError('MISSING_INFO', 'no city "Atlantis"')`. */
export class ToolError extends OrchestratorError {
  override readonly name = 'ToolError';

  constructor(
    retry: FailureClass,
    message: string,
    options: { details?: { readonly [key: string]: Json }; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(TOOL_CODE_OF_CLASS[retry], message, { ...options, retry });
  }
}

const TOOL_CODE_OF_CLASS: Record<FailureClass, ErrorCode> = {
  TRANSIENT: 'tool_transient',
  TOOL_MISUSE: 'tool_misuse',
  MISSING_INFO: 'missing_info',
  POLICY: 'policy_denied',
  PERMANENT: 'tool_failed',
};
