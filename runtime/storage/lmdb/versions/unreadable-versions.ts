/** Which versions cannot be read, and whose they are: a record that is damaged does not tell, and one that is missing is not met where records are read. */
import { ValueDamaged } from '../../errors.ts';
import type { TextRevision } from '../codecs/codecs.ts';
import type { Row } from '../tables/read-table.ts';
import type { Table } from '../tables/table.ts';
import type { Tables } from '../tables/tables.ts';
import { type Version, versionRecord } from './versions.ts';

/** Rows that are looked at in one turn of the event loop. */
const PAGE = 512;

export interface UnreadableVersion extends Version {
  readonly error: ValueDamaged;
}

/**
 * Versions with values and `after < revision <= upTo` that are there during all of the call. A version that another one follows meanwhile goes from the keys
 * to the history, which is looked through behind them.
 */
export async function unreadableVersions(tables: Tables, after: number, upTo: number): Promise<UnreadableVersion[]> {
  const found: UnreadableVersion[] = [];
  const look = (key: string, revision: number): void => {
    const error = revision > after && revision <= upTo ? damageOf(tables, key, revision) : undefined;
    if (error !== undefined) found.push({ key, revision, error });
  };
  await eachRow(tables, tables.keys, { first: '', next: (key) => `${key}\0` }, ({ key, value }) => look(key, value.revision));
  const revisions = { first: { text: '', revision: 0 }, next: (key: TextRevision) => ({ ...key, revision: key.revision + 1 }) };
  await eachRow(tables, tables.history, revisions, ({ key, value }) => {
    if (!value.tombstone) look(key.text, key.revision);
  });
  return found;
}

function damageOf(tables: Tables, key: string, revision: number): ValueDamaged | undefined {
  try {
    versionRecord(tables, key, revision);
    return undefined;
  } catch (error) {
    if (error instanceof ValueDamaged) return error;
    throw error;
  }
}

interface KeyOrder<Key> {
  readonly first: Key;
  /** the place just behind a key */
  readonly next: (key: Key) => Key;
}

/** Some at a time, between which others get their turn. */
async function eachRow<Key, Value>(
  tables: Tables,
  table: Table<Key, Value>,
  { first, next }: KeyOrder<Key>,
  visit: (row: Row<Key, Value>) => void,
): Promise<void> {
  for (let start = first; ; ) {
    const page = tables.read(() => {
      const rows = Array.from(table.rows(start, undefined, PAGE));
      for (const row of rows) visit(row);
      return rows;
    });
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    start = next(last.key);
    await new Promise(setImmediate);
  }
}
