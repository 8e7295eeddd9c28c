/** What an API can hold a model to. */
export interface StrictRules {
  /** Whether every property must be required, so that optional ones are made nullable. */
  readonly isAllRequired: boolean;
  readonly hasRecursion: boolean;
  /** Keywords that are enforced; any other is told to the model in the description. */
  readonly keywords: ReadonlySet<string>;
  /** Largest `minItems`. */
  readonly maxMinItems: number;
  readonly maxProperties: number;
  readonly maxDepth: number;
  readonly maxEnumValues: number;
  readonly maxOptional: number;
  readonly maxUnions: number;
}

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** OpenAI's strict JSON Schema. */
export const OPENAI_STRICT: StrictRules = {
  isAllRequired: true,
  hasRecursion: true,
  keywords: new Set([...NUMBERS, 'minItems', 'maxItems', 'pattern', 'format']),
  maxMinItems: Infinity,
  maxProperties: 5000,
  maxDepth: 10,
  maxEnumValues: 1000,
  maxOptional: Infinity,
  maxUnions: Infinity,
};

/** Anthropic's structured output. */
export const ANTHROPIC_STRICT: StrictRules = {
  isAllRequired: false,
  hasRecursion: false,
  keywords: new Set(['minItems', 'format']),
  maxMinItems: 1,
  maxProperties: Infinity,
  maxDepth: Infinity,
  maxEnumValues: Infinity,
  maxOptional: 24,
  maxUnions: 16,
};

/** The string formats that both enforce. */
export const STRICT_FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);
