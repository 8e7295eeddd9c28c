import { readGoal } from './read-goal.mjs';
import { callsLeft } from './policy.mjs';
import { answerOf, expressionOf, figuresOf, namesIn } from './question-rules.mjs';

const WORK_OUT = 'Only the arithmetic expression: ';
const ANSWER = 'Answer in one sentence: ';

/**
 * Step by step: look everything up, work out what is to be worked out, answer.
 * @type {import('./policy.mjs').Policy}
 */
export const questionPolicy = (question, seen) => {
  const searches = namesIn(question).map((query) => ({ tool: 'search', args: { query } }));
  const missing = callsLeft(searches, seen);
  if (missing.length > 0) {
    const [first] = missing;
    return { thought: `I need to know more about ${first?.args['query'] ?? ''}.`, calls: missing };
  }
  const articles = seen
    .filter(({ tool, isOk }) => tool === 'search' && isOk)
    .map(({ text }) => text)
    .join('\n');
  const figures = figuresOf(question).map((figure) => ({
    tool: 'calculate',
    args: { expression: expressionOf(figure, articles) },
  }));
  const open = callsLeft(figures, seen);
  if (open.length > 0) return { thought: 'Now I can work out what is asked.', calls: open };
  const values = figures.map(({ args }) => {
    const made = seen.find((each) => each.isOk && each.args['expression'] === args.expression);
    return /** @type {{ text: string }} */ (JSON.parse(made?.text ?? '{}')).text;
  });
  return { thought: 'I know the answer.', answer: answerOf(question, { articles, values }) };
};

/**
 * The planner, and the model behind the tool `llm` of its plan. Numbers that only an article will hold cannot stand in a
 * plan: a node asks a model for the expression, where whoever decides step by step writes it himself.
 * @type {import('./metered-provider.mjs').Rules}
 */
export const questionPlanRules = (request) => {
  if (request.role === 'planner') return { text: JSON.stringify(planFor(readGoal(request))) };
  if (request.role !== 'worker') throw new Error(`no rule for the role ${request.role}`);
  const prompt = String(request.messages.at(-1)?.content);
  const [head = '', ...lines] = prompt.split('\n');
  const data = lines.join('\n');
  if (head.startsWith(WORK_OUT)) return { text: expressionOf(head.slice(WORK_OUT.length), data) };
  return { text: answerOf(head.slice(ANSWER.length), { articles: data, values: lines }) };
};

/** @param {string} question */
function planFor(question) {
  const names = namesIn(question);
  const searches = names.map((query, index) => ({ id: `s${index}`, tool: 'search', args: { query } }));
  const figures = figuresOf(question).flatMap((figure, index) => {
    const needed = searches.filter(({ args }) => figure.includes(`"${args.query}"`));
    const prompt = { $text: [`${WORK_OUT}${figure}`, ...linesOf(needed.map(({ id }) => ({ $ref: id })))] };
    return [
      { id: `e${index}`, tool: 'llm', args: { prompt } },
      { id: `c${index}`, tool: 'calculate', args: { expression: { $ref: `e${index}` } } },
    ];
  });
  const values = figures
    .filter(({ tool }) => tool === 'calculate')
    .map(({ id }) => ({ $ref: id, path: '/text' }));
  const known = values.length > 0 ? values : searches.map(({ id }) => ({ $ref: id }));
  const prompt = { $text: [`${ANSWER}${question}`, ...linesOf(known)] };
  return {
    nodes: [...searches, ...figures, { id: 'answer', tool: 'llm', args: { prompt } }],
    output: 'answer',
  };
}

/** @param {readonly { $ref: string, path?: string }[]} references */
function linesOf(references) {
  return references.flatMap((reference) => ['\n', reference]);
}
