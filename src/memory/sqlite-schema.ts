/** Marks a file as a store of memories, in SQLite's header ("srtm"). */
export const APPLICATION_ID = 0x7372746d;

/** Version of the tables, in SQLite's header. */
export const SCHEMA_VERSION = 1;

/**
 * `row` only ever grows, so that a reader knows what is new to it. Codes and word hashes lie apart from the records,
 * by space (a scope and tier, for codes with a model too), because opening an index reads nothing but them.
 */
export const SCHEMA = `
CREATE TABLE memories (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  scope TEXT NOT NULL,
  id TEXT NOT NULL,
  tier TEXT NOT NULL,
  at REAL NOT NULL,
  bytes INTEGER NOT NULL,
  model TEXT NOT NULL,
  record TEXT NOT NULL,
  word_space INTEGER NOT NULL,
  code_space INTEGER,
  UNIQUE (scope, id)
);
CREATE INDEX memories_by_time ON memories (scope, at, row);
CREATE TABLE spaces (
  space INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  tier TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  UNIQUE (scope, tier, model, dimensions)
);
CREATE TABLE words (space INTEGER, row INTEGER, words BLOB NOT NULL, PRIMARY KEY (space, row)) WITHOUT ROWID;
CREATE TABLE codes (
  space INTEGER, row INTEGER, scale REAL NOT NULL, code BLOB NOT NULL, PRIMARY KEY (space, row)
) WITHOUT ROWID;
CREATE TABLE vectors (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE removed (seq INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;
