/** Marks a file as an index of sessions, in SQLite's header ("srts"). */
export const APPLICATION_ID = 0x73727473;

/** Version of the tables; an index of another version is made anew. */
export const SCHEMA_VERSION = 1;

/**
 * `logs` says of every run what its log was like when it was read, so that only what changed is read again. The text of
 * messages stands in `messages`; `said` is the index over it.
 */
export const SCHEMA = `
CREATE TABLE logs (run TEXT PRIMARY KEY, stamp TEXT NOT NULL, is_session INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (
  session TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  started REAL NOT NULL,
  updated REAL NOT NULL,
  exchanges INTEGER NOT NULL,
  last_asked TEXT NOT NULL,
  status TEXT NOT NULL,
  origin TEXT
) WITHOUT ROWID;
CREATE TABLE messages (
  row INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  exchange TEXT NOT NULL,
  role TEXT NOT NULL,
  at REAL NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX messages_by_session ON messages (session);
CREATE VIRTUAL TABLE said USING fts5(
  text, content = 'messages', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO said (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  INSERT INTO said (said, rowid, text) VALUES ('delete', old.row, old.text);
END;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;
