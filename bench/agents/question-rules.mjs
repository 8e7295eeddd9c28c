/**
 * What a model knows that answers such questions: how to read one, what to look up and work out for it, and how to
 * answer from articles and figures. It sees the texts and nothing else of the world.
 *
 * @typedef {{ task: string, expression(articles: string): string }} Figure something to be worked out of articles
 */

/**
 * The names in a text, in the order in which they stand there.
 * @param {string} text
 */
export function namesIn(text) {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '');
}

/**
 * The figures that a question needs; none where the articles alone answer it.
 * @param {string} question
 * @returns {string[]}
 */
export function figuresOf(question) {
  const asked = question.replace(/^What is the |\?$/g, '');
  if (asked.startsWith('total ')) return [asked];
  if (asked.startsWith('Which has the most inhabitants per area')) {
    return namesIn(question).map((name) => `inhabitants per area of "${name}"`);
  }
  return [];
}

/**
 * The arithmetic of a figure, with the numbers that stand in the articles.
 * @param {string} figure
 * @param {string} articles one article a line
 */
export function expressionOf(figure, articles) {
  const [over = '', under] = figure.split(' divided by that of ');
  if (over.startsWith('inhabitants per area')) {
    const [name = ''] = namesIn(over);
    return `${readNumber(articles, name, 'population')} / ${readNumber(articles, name, 'area')}`;
  }
  const what = over.startsWith('total area') ? 'area' : 'population';
  const sum = (/** @type {string} */ part) =>
    namesIn(part)
      .map((name) => readNumber(articles, name, what))
      .join(' + ');
  return under === undefined ? sum(over) : `(${sum(over)}) / (${sum(under)})`;
}

/**
 * The answer in one sentence, from the articles or from the figures in the order of `figuresOf`.
 * @param {string} question
 * @param {{ articles: string, values: readonly string[] }} known
 */
export function answerOf(question, { articles, values }) {
  const names = namesIn(question);
  const [value = ''] = values;
  if (question.startsWith('What is the total population')) return `In total it is ${value}.`;
  if (question.startsWith('What is the total area')) return `The ratio is ${Number(value).toFixed(2)}.`;
  if (question.startsWith('Which has the most')) {
    const numbers = values.map(Number);
    return `It is ${names[numbers.indexOf(Math.max(...numbers))] ?? ''}.`;
  }
  if (question.startsWith('Which was founded first')) {
    const years = names.map((name) => Number(/founded in (\d+)/.exec(articleOf(articles, name))?.[1]));
    return `It is ${names[years.indexOf(Math.min(...years))] ?? ''}.`;
  }
  const traits = names.map((name) => traitsOf(articleOf(articles, name)));
  const likeness = traits
    .slice(0, 4)
    .map((own) =>
      traits.slice(4).reduce((sum, liked) => sum + own.filter((trait, at) => trait === liked[at]).length, 0),
    );
  return `It is ${names[likeness.indexOf(Math.max(...likeness))] ?? ''}.`;
}

/** @param {string} article */
function traitsOf(article) {
  return (/ is a (.*?) by (.*?) from the (\d+s)\./.exec(article) ?? []).slice(1, 4);
}

/**
 * @param {string} articles
 * @param {string} name
 */
function articleOf(articles, name) {
  const article = articles.split('\n').find((line) => line.startsWith(`${name} is a `));
  if (article === undefined) throw new Error(`no article about ${name}`);
  return article;
}

/**
 * @param {string} articles
 * @param {string} name
 * @param {'population' | 'area'} what
 */
function readNumber(articles, name, what) {
  const number = new RegExp(`${what} of ([\\d,]+)`).exec(articleOf(articles, name))?.[1];
  if (number === undefined) throw new Error(`no ${what} in the article about ${name}`);
  return number.replaceAll(',', '');
}
