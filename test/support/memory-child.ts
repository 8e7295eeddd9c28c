/*
 * A process of its own for the fault tests: puts memories into the store at a path (first argument) under ids that start
 * with a name (second), five a call, until it is killed or has made so many calls (third). Tells on stdout, a line each,
 * how many calls have returned.
 */
import { writeSync } from 'node:fs';
import { SqliteMemoryStore } from '../../src/memory/sqlite-store.ts';
import { embedded, fact, vectorOf } from './memory-entries.ts';

const [path = '', name = '', calls = 'Infinity'] = process.argv.slice(2);
const store = new SqliteMemoryStore({ path, warn: (message) => writeSync(1, `warning ${message}\n`) });

for (let call = 0; call < Number(calls); call++) {
  const entries = Array.from({ length: 5 }, (_value, index) =>
    embedded(
      fact(`${name}/${call}/${index}`, `${name} call${call} common`, call),
      vectorOf(call * 5 + index),
    ),
  );
  await store.put('s', entries);
  writeSync(1, `${call + 1}\n`);
}
await store.close();
