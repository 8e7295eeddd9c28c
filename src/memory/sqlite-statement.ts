import type Database from 'better-sqlite3';

const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** The statement of a text, compiled once per database; its rows are objects. */
export function statement(database: Database.Database, sql: string): Database.Statement {
  const known = prepared.get(database) ?? new Map<string, Database.Statement>();
  prepared.set(database, known);
  const compiled = known.get(sql) ?? database.prepare(sql);
  known.set(sql, compiled);
  return compiled;
}

/** The same for a text that selects one column; its rows are values. */
export function valueStatement(database: Database.Database, sql: string): Database.Statement {
  // Another text, since whether rows are values is kept by the statement.
  return statement(database, `${sql} `).pluck();
}
