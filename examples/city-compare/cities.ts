import cityTimezones from 'city-timezones';
import { ToolError } from 'sortie';
import { fold } from './fold.ts';

/** A city of the data set. */
export interface City {
  readonly name: string;
  readonly country: string;
  /** State or province, where the data set has a legible one. */
  readonly province: string | null;
  /** IANA time zone. */
  readonly timezone: string;
  /** People, rounded: see POPULATION_COUNTED. */
  readonly population: number;
  readonly latitude: number;
  readonly longitude: number;
}

/** What a name led to: the city, and a remark where the name means several. */
export interface ResolvedCity extends City {
  readonly requested: string;
  readonly note?: string;
}

/** What the populations of the data set count. */
export const POPULATION_COUNTED =
  'the midpoint between the people of the city proper and of its agglomeration, Natural Earth';

type Row = (typeof cityTimezones.cityMapping)[number];

/** The rows of the data set by folded name; a row with two names stands under both. */
type Index = ReadonlyMap<string, readonly Row[]>;

/** Everyday names of countries that the data set calls otherwise. */
const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  uk: 'gb',
  'great britain': 'gb',
  'united states': 'us',
  america: 'us',
};

let index: Index | undefined;

/**
 * The city that a name means: `Paris`, `São Paulo` (case, accents and punctuation do not matter), or with what sets it
 * apart after a comma, as in `London, Canada`, `Springfield, IL` or `Paris, FRA`. Of several the most populous is
 * taken, and the note says so. An unknown name is a MISSING_INFO error with the nearest known names.
 */
export function resolveCity(requested: string): ResolvedCity {
  index ??= readIndex();
  const cities = findCities(index, requested);
  const [best] = cities;
  if (best === undefined) throw unknownCity(index, requested);
  if (cities.length === 1) return { requested, ...best };
  const note = `Several places are called "${requested}"; this is the most populous of them, in ${placeOf(best)}.`;
  return { requested, ...best, note };
}

/** The cities of that name, the most populous first. */
function findCities(cities: Index, requested: string): City[] {
  const parts = requested.split(',').map(fold);
  // Some names hold a comma themselves, such as "Washington, D.C.".
  for (let nameParts = parts.length; nameParts > 0; nameParts--) {
    const rows = cities.get(parts.slice(0, nameParts).join(' ').trim());
    if (rows === undefined) continue;
    const wanted = parts.slice(nameParts).filter((place) => place !== '');
    const found = rows.filter((row) => {
      const places = placesOf(row);
      return wanted.every((place) => places.includes(COUNTRY_NAMES[place] ?? place));
    });
    if (found.length > 0) return distinctCities(found);
  }
  return [];
}

/** What may follow the name after a comma: country, its ISO codes, state or province. */
function placesOf(row: Row): string[] {
  // The package's types are kinder than its data: some codes are numbers, and only American rows have a state.
  const places: unknown[] = [row.country, row.iso2, row.iso3, row.province, row.state_ansi];
  return places.flatMap((place) => (typeof place === 'string' && place !== '' ? [fold(place)] : []));
}

/** One city stands in the data set twice; the more populous row is kept. */
function distinctCities(rows: readonly Row[]): City[] {
  const cities = new Map<string, City>();
  for (const row of rows.toSorted((a, b) => b.pop - a.pop)) {
    const city = readCity(row);
    const identity = [city.name, city.country, city.province].join('|');
    if (!cities.has(identity)) cities.set(identity, city);
  }
  return [...cities.values()];
}

function unknownCity(cities: Index, requested: string): ToolError {
  const name = fold(requested.split(',')[0] ?? '');
  const namesakes = distinctCities(cities.get(name) ?? []).map((city) => `${city.name}, ${city.country}`);
  const suggestions = [...new Set(namesakes.length > 0 ? namesakes : nearNames(cities, name))].slice(0, 3);
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(' or ')}?` : '';
  return new ToolError('MISSING_INFO', `the data set has no city "${requested}"${hint}`, {
    details: { city: requested, suggestions },
  });
}

function readIndex(): Index {
  const cities = new Map<string, Row[]>();
  const add = (name: string, row: Row): void => {
    const known = cities.get(name);
    if (known === undefined) cities.set(name, [row]);
    else known.push(row);
  };
  for (const row of cityTimezones.cityMapping) {
    // Rows without a time zone (Antarctic stations) or without inhabitants are of no use here.
    if (!(Math.round(row.pop) > 0) || !row.timezone) continue;
    const name = fold(row.city);
    add(name, row);
    const plain = row.city_ascii === row.city ? name : fold(row.city_ascii);
    if (plain !== name) add(plain, row);
  }
  return cities;
}

function readCity(row: Row): City {
  return {
    name: row.city,
    country: row.country,
    // Letters were lost in the names of some provinces.
    province: row.province === '' || /[?Ã]/.test(row.province) ? null : row.province,
    timezone: row.timezone,
    population: Math.round(row.pop),
    latitude: round(row.lat),
    longitude: round(row.lng),
  };
}

function round(degrees: number): number {
  return Math.round(degrees * 100) / 100;
}

/** "Oregon, United States of America". */
function placeOf({ province, country }: City): string {
  return province === null ? country : `${province}, ${country}`;
}

/** Known names that share the most pairs of letters with the one asked for, the most populous first among equals. */
function nearNames(cities: Index, name: string): string[] {
  const wanted = letterPairs(name);
  const scored: { score: number; row: Row }[] = [];
  for (const [key, [row]] of cities) {
    const pairs = letterPairs(key);
    const shared = pairs.filter((pair) => wanted.includes(pair)).length;
    const score = (2 * shared) / (pairs.length + wanted.length);
    if (row !== undefined && score >= 0.6) scored.push({ score, row });
  }
  scored.sort((a, b) => b.score - a.score || b.row.pop - a.row.pop);
  return scored.map(({ row }) => row.city);
}

function letterPairs(word: string): string[] {
  const padded = ` ${word} `;
  return Array.from({ length: padded.length - 1 }, (_, start) => padded.slice(start, start + 2));
}
