const TASK = `# A task: what is to be reached, with which tools, and how the result is checked.
# Run it with: orchestrate run task.yaml
# Every field can be overridden: orchestrate run task.yaml --input text="Another text" --concurrency=2
name: describe-text

# The goal that the planner draws a plan for. {{text}} is filled in from the inputs below.
goal: 'Say how many words this text has and which is the longest: {{text}}'

inputs:
  text: The quick brown fox jumps over the lazy dog

# Modules with tools, relative to this file.
tools: [./tools.ts]

# Where models run. This mock answers without a key or a network.
provider: ./mock.ts

# What the run may spend at most; a run that reaches a limit ends with what it found so far.
budget:
  toolCalls: 10
  llmCalls: 10
  tokens: 20000
  wallSeconds: 60

# What makes the result a verified one.
verify:
  checks:
    - includes: [Words, Longest word]
    - matches: 'Words: \\d+'
  # A model judges what passed the checks: on, off, or required.
  judge: 'on'
  rubric: The report names a number of words and one longest word.
`;

const TOOLS = `import { defineTool } from 'sortie';

/** The one tool of this task. The planner sees its name, description and schemas; nothing else. */
export const describeText = defineTool({
  name: 'describe_text',
  description: 'Counts the words and characters of a text and names its longest word.',
  input: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1 } },
    required: ['text'],
    additionalProperties: false,
  },
  output: { type: 'string' },
  // A weight for estimates, never money.
  costHint: 0.1,
  // read: changes nothing; write: can be done again; irreversible: asks a person first.
  effect: 'read',
  run({ text }) {
    const words = String(text).split(/\\s+/).filter((word) => word !== '');
    const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
    return \`Words: \${words.length}. Characters: \${String(text).length}. Longest word: "\${longest}".\`;
  },
});
`;

const MOCK = `import { defineMock } from 'sortie';

/** Stands in for a model: each role answers from the request that it is sent. */
export default defineMock({
  roles: {
    // Draws the plan from the catalogue and the inputs, as a model would.
    planner(_request, kit) {
      const { text } = kit.section('inputs') as { text: string };
      const catalogue = kit.section('catalogue') as { name: string }[];
      const nodes = catalogue
        .filter(({ name }) => name === 'describe_text')
        .map(({ name }) => ({ id: 'report', tool: name, args: { text } }));
      return JSON.stringify({ nodes, output: 'report' });
    },
    // Judges the report; a score of at least verify.passScore passes.
    critic(_request, kit) {
      const report = String(kit.section('report'));
      const isGood = /Words: \\d+/.test(report) && report.includes('Longest word');
      return JSON.stringify({ score: isGood ? 1 : 0, issues: isGood ? [] : ['the report lacks a count or a word'] });
    },
  },
});
`;

/** The files of a first task, by name: it runs at once, without a key. */
export const INIT_FILES: Readonly<Record<string, string>> = {
  'task.yaml': TASK,
  'tools.ts': TOOLS,
  'mock.ts': MOCK,
};
