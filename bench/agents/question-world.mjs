import { createRandom } from '../random.mjs';

/**
 * A made world in which the questions of three shapes can be answered: what can be looked up, and the questions with
 * what is true of them. The shapes are those of the LLMCompiler paper (Kim et al., 2024): ParallelQA has 113 questions
 * in which 2-5 look-ups lead to arithmetic, movie recommendation compares eight articles, HotpotQA (comparison) two.
 * The questions are not those of the data sets, whose articles are not at hand; only their shapes are.
 *
 * @typedef {'parallel-qa' | 'movie' | 'hotpot-qa'} Shape
 * @typedef {{ question: string, answer: string }} Item `answer` has to stand in what an engine answers
 * @typedef {{ items: Item[], articles: Map<string, string> }} QuestionWorld
 */

/** The shapes, with how many questions of each there are. */
export const SHAPES = /** @type {const} */ ({ 'parallel-qa': 113, movie: 50, 'hotpot-qa': 50 });

const FIRST = ['Ar', 'Bel', 'Cor', 'Dun', 'El', 'Fal', 'Gor', 'Hal', 'Is', 'Jor', 'Kel', 'Lor', 'Mar', 'Nor'];
const SECOND = ['venia', 'mont', 'dale', 'wick', 'stad', 'burgh', 'holm', 'minster', 'port', 'haven', 'grad'];
const GENRES = ['comedy', 'drama', 'western', 'thriller', 'musical', 'documentary'];
const DIRECTORS = ['A. Holt', 'B. Reyes', 'C. Lind', 'D. Okoro', 'E. Sato', 'F. Novak'];
const DECADES = ['1960s', '1970s', '1980s', '1990s', '2000s', '2010s'];

const FILLER = [
  'Its name is older than any record that has been kept of it, and several explanations compete.',
  'A detailed history was first written in the nineteenth century and has been revised many times since.',
  'Critics and visitors have described it in quite different terms over the years.',
  'The archive that holds most of the sources was moved twice and suffered in a fire.',
  'It has been the subject of two exhibitions and of a long series of radio programmes.',
  'Neighbours have at times claimed it as their own, without much success.',
  'A society of friends looks after what is left of the original documents.',
  'Its anniversary is kept every ten years with a programme of lectures and concerts.',
  'The standard work on the subject has been translated into eleven languages.',
  'Little of this was known before the letters were found and published.',
  'Later accounts differ in the details but agree on the main points.',
];

/**
 * The questions of a shape, the same for the same seed.
 * @param {Shape} shape
 * @param {number} count
 * @param {number} seed
 * @returns {QuestionWorld}
 */
export function createQuestionWorld(shape, count, seed) {
  const random = createRandom(seed);
  /** @type {Map<string, string>} */
  const articles = new Map();
  const names = createNames(random);
  const create = { 'parallel-qa': createCityItem, movie: createMovieItem, 'hotpot-qa': createMagazineItem }[
    shape
  ];
  const items = Array.from({ length: count }, (_, index) => create({ random, articles, names, index }));
  return { items, articles };
}

/**
 * @typedef {{ random: () => number, articles: Map<string, string>, names: Generator<string, never>, index: number }} Source
 */

/**
 * Two-part names, each once.
 * @param {() => number} random
 * @returns {Generator<string, never>}
 */
function* createNames(random) {
  /** @type {Set<string>} */
  const taken = new Set();
  for (;;) {
    const parts = [pick(random, FIRST) + pick(random, SECOND), pick(random, FIRST) + pick(random, SECOND)];
    const name = parts.join(' ');
    if (taken.has(name)) continue;
    taken.add(name);
    yield name;
  }
}

/**
 * Two to five cities and what is to be worked out of them, in turn of three patterns.
 * @param {Source} source
 * @returns {Item}
 */
function createCityItem(source) {
  const { random, articles, names, index } = source;
  const cities = Array.from({ length: 2 + (index % 4) }, () => {
    const name = names.next().value;
    const population = 20_000 + Math.floor(random() * 5_000_000);
    const area = 20 + Math.floor(random() * 900);
    const fact = `${name} is a city with a population of ${population.toLocaleString('en')} and an area of ${area} square kilometres.`;
    articles.set(name, writeArticle(random, fact));
    return { name, population, area };
  });
  const quoted = cities.map(({ name }) => `"${name}"`);
  const pattern = Math.floor(index / 4) % 3;
  if (pattern === 0) {
    const total = cities.reduce((sum, { population }) => sum + population, 0);
    return { question: `What is the total population of ${joinWords(quoted)}?`, answer: String(total) };
  }
  if (pattern === 1) {
    const densest = cities.reduce((most, city) => (densityOf(city) > densityOf(most) ? city : most));
    return {
      question: `Which has the most inhabitants per area: ${joinWords(quoted)}?`,
      answer: densest.name,
    };
  }
  const half = Math.ceil(cities.length / 2);
  const [over, under] = [cities.slice(0, half), cities.slice(half)].map((group) =>
    group.reduce((sum, { area }) => sum + area, 0),
  );
  return {
    question: `What is the total area of ${joinWords(quoted.slice(0, half))} divided by that of ${joinWords(quoted.slice(half))}?`,
    answer: ((over ?? NaN) / (under ?? NaN)).toFixed(2),
  };
}

/** @param {{ population: number, area: number }} city */
function densityOf({ population, area }) {
  return population / area;
}

/**
 * Four films that somebody liked and four of which one is most like them.
 * @param {Source} source
 * @returns {Item}
 */
function createMovieItem({ random, articles, names }) {
  const liked = [pick(random, GENRES), pick(random, DIRECTORS), pick(random, DECADES)];
  const other = [GENRES, DIRECTORS, DECADES].map((values, at) =>
    pick(
      random,
      values.filter((value) => value !== liked[at]),
    ),
  );
  const best = Math.floor(random() * 4);
  const films = Array.from({ length: 8 }, (_, index) => {
    const name = names.next().value;
    // The liked ones share all three traits; of the others the best shares two and the rest at most one.
    const shared = index < 4 ? 3 : index - 4 === best ? 2 : Math.floor(random() * 2);
    const [genre, director, decade] = liked.map((trait, at) => (at < shared ? trait : other[at]));
    const fact = `${name} is a ${genre ?? ''} by ${director ?? ''} from the ${decade ?? ''}.`;
    articles.set(name, writeArticle(random, fact));
    return name;
  });
  const quoted = films.map((name) => `"${name}"`);
  return {
    question: `Which of ${joinWords(quoted.slice(4))} is most like ${joinWords(quoted.slice(0, 4))}?`,
    answer: films[4 + best] ?? '',
  };
}

/**
 * Two magazines, one older than the other.
 * @param {Source} source
 * @returns {Item}
 */
function createMagazineItem({ random, articles, names }) {
  const first = 1850 + Math.floor(random() * 80);
  const isLeftFirst = random() < 0.5;
  const years = isLeftFirst ? [first, first + 7] : [first + 7, first];
  const [left = '', right = ''] = years.map((year) => {
    const name = names.next().value;
    articles.set(name, writeArticle(random, `${name} is a magazine that was founded in ${year}.`));
    return name;
  });
  return {
    question: `Which was founded first, "${left}" or "${right}"?`,
    answer: isLeftFirst ? left : right,
  };
}

/**
 * An article of about a thousand characters, on one line, which begins with what matters.
 * @param {() => number} random
 * @param {string} fact
 */
function writeArticle(random, fact) {
  const from = Math.floor(random() * FILLER.length);
  return [fact, ...FILLER.slice(from), ...FILLER.slice(0, from)].join(' ').slice(0, 1000);
}

/** @param {readonly string[]} words */
function joinWords(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/**
 * @template T
 * @param {() => number} random
 * @param {readonly T[]} values
 */
function pick(random, values) {
  return /** @type {T} */ (values[Math.floor(random() * values.length)]);
}
