import type { Change } from '../../../runtime/storage/storage.ts';

interface ModelChange {
  readonly operation: Change['operation'];
  readonly key: string;
  readonly revision: number;
  readonly value: string;
  readonly previous: string | undefined;
}

/** What a store should hold, as plainly as it can be said: a list of changes, replayed for every question. */
export class Model {
  readonly changes: ModelChange[] = [];
  compacted = 0;

  get revision(): number {
    return this.changes.length;
  }

  /** @returns the revision, or undefined where the store has to refuse */
  write(operation: Change['operation'], key: string, value: string): number | undefined {
    const before = this.at(this.revision).get(key);
    if ((operation === 'create') !== (before === undefined)) return undefined;
    this.changes.push({ operation, key, revision: this.revision + 1, value, previous: before?.value });
    return this.revision;
  }

  at(revision: number): Map<string, { revision: number; value: string }> {
    const entries = new Map<string, { revision: number; value: string }>();
    for (const change of this.changes.slice(0, revision)) {
      if (change.operation === 'delete') entries.delete(change.key);
      else entries.set(change.key, change);
    }
    return entries;
  }

  range(start: string, end: string, atRevision: number): string[] {
    const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    return [...this.at(atRevision)]
      .filter(([key]) => byBytes(key, start) >= 0 && (end === '' || byBytes(key, end) < 0))
      .sort(([a], [b]) => byBytes(a, b))
      .map(([key, { revision, value }]) => `${key}@${revision}=${value}`);
  }

  changesAfter(after: number, prefix: string): string[] {
    return this.changes
      .slice(after)
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ operation, key, revision, value, previous }) => {
        return `${operation} ${key}@${revision}=${value}${previous === undefined ? '' : `<${previous}`}`;
      });
  }
}
