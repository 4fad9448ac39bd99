/** What clients know of their writes to config maps over all ends of a server, and what the server has to have of that afterwards. */
import * as assert from 'uvu/assert';
import type { Json } from '../../../harness/client.ts';
import type { WatchEvent } from '../../../harness/watch.ts';

export type Operation = 'create' | 'update' | 'delete';

/** One write. Of each name no more than one is under way, and it is the last one. */
export interface Write {
  readonly operation: Operation;
  readonly name: string;
  /** what the object has; of a delete it tells nothing */
  readonly seed: string;
  /** number of the round: the one since whose beginning watches have it */
  readonly round: number;
  /** by the answer, a list or a watch; the answer to a delete does not tell it */
  revision: number | undefined;
  acknowledged: boolean;
}

const EVENTS: Readonly<Record<Operation, WatchEvent['type']>> = { create: 'ADDED', update: 'MODIFIED', delete: 'DELETED' };

export class WriteLedger {
  /** of each name in their order; those that were lost without an acknowledgement are taken out */
  readonly #writes = new Map<string, Write[]>();
  readonly #byRevision = new Map<number, Write>();
  /** beginnings of rounds: before anything was written in them */
  readonly #beginnings: number[] = [];
  #newest = 0;

  /** -1 before the first one */
  get round(): number {
    return this.#beginnings.length - 1;
  }

  /** the newest revision that is known */
  get newest(): number {
    return this.#newest;
  }

  /** the revision with which the round began */
  beginning(round: number): number {
    return this.#beginnings[round] as number;
  }

  /** Nothing is under way. @param revision of a write that was made just now */
  beginRound(revision: number): void {
    assert.ok(revision > this.#newest, `revision ${revision} is not beyond ${this.#newest}, which was given before`);
    this.#newest = revision;
    this.#beginnings.push(revision);
  }

  /** What an object of that name has now, by all that is known. */
  latest(name: string): Write | undefined {
    return this.#writes.get(name)?.at(-1);
  }

  /** To be called before the write is sent. */
  begin(operation: Operation, name: string, seed: string): Write {
    const write: Write = { operation, name, seed, round: this.round, revision: undefined, acknowledged: false };
    const writes = this.#writes.get(name);
    if (writes === undefined) this.#writes.set(name, [write]);
    else writes.push(write);
    return write;
  }

  /** @param revision absent for a delete */
  acknowledge(write: Write, revision: number | undefined): void {
    write.acknowledged = true;
    if (revision !== undefined) this.#give(write, revision);
  }

  /** It was answered that the write was not made: nobody is ever to see it. */
  refuse(write: Write): void {
    const writes = this.#writes.get(write.name);
    assert.is(writes?.pop(), write);
    if (writes?.length === 0) this.#writes.delete(write.name);
  }

  #give(write: Write, revision: number): void {
    if (write.revision !== undefined) return assert.is(revision, write.revision, `${shown(write)} has another revision than before`);
    const other = this.#byRevision.get(revision);
    assert.is(other, undefined, `revision ${revision} was given twice: to ${other && shown(other)} and to ${shown(write)}`);
    assert.ok(revision > this.beginning(write.round), `${shown(write)} has revision ${revision}, which was given before`);
    write.revision = revision;
    this.#newest = Math.max(this.#newest, revision);
    this.#byRevision.set(revision, write);
  }

  /**
   * Holds a list of all config maps against all that was acknowledged, and learns what became of writes without an answer.
   * @param others names of objects that are of nobody here
   */
  checkList({ metadata, items }: Json, others: (name: string) => boolean): void {
    const found = new Map<string, Json>(items.map((item: Json) => [item.metadata.name, item]));
    for (const [name, writes] of this.#writes) {
      const item = found.get(name);
      found.delete(name);
      const last = writes.at(-1) as Write;
      if (!last.acknowledged && last.revision === undefined && !isEffectOf(last, item)) writes.pop();
      else last.acknowledged = true;
      const latest = writes.at(-1);
      const there = `${JSON.stringify(item)?.slice(0, 300)} at ${metadata.resourceVersion}, where ${this.#newest} was given`;
      assert.ok(isEffectOf(latest, item), `${latest ? shown(latest) : name} is lost: there is ${there}`);
      if (latest !== undefined && item !== undefined) this.#give(latest, Number(item.metadata.resourceVersion));
      if (writes.length === 0) this.#writes.delete(name);
    }
    assert.equal(
      [...found.keys()].filter((name) => !others(name)),
      [],
      'objects that nobody has written',
    );
    assert.ok(Number(metadata.resourceVersion) >= this.#newest, `the list is of ${metadata.resourceVersion}, before ${this.#newest}`);
  }

  /** Holds all events of a watch from the beginning of a round against what was written since. */
  checkEvents(round: number, events: readonly WatchEvent[], others: (name: string) => boolean): void {
    let last = this.beginning(round);
    const found = new Map<string, WatchEvent[]>();
    for (const event of events) {
      const { name, resourceVersion } = event.object.metadata;
      assert.ok(Number(resourceVersion) > last, `a watch has revision ${resourceVersion} behind ${last}`);
      last = Number(resourceVersion);
      if (!others(name)) found.set(name, [...(found.get(name) ?? []), event]);
    }
    for (const [name, writes] of this.#writes) {
      const expected = writes.filter((write) => write.round >= round);
      this.#checkEventsOf(expected, found.get(name) ?? []);
      found.delete(name);
    }
    assert.equal([...found.keys()], [], 'changes of objects that nobody has changed');
  }

  #checkEventsOf(expected: readonly Write[], events: readonly WatchEvent[]): void {
    const told = events.map(({ type, object }) => `${type} ${object.metadata.name} ${type === 'DELETED' ? '' : object.data.seed}`);
    const wanted = expected.map(({ operation, name, seed }) => `${EVENTS[operation]} ${name} ${operation === 'delete' ? '' : seed}`);
    assert.equal(told, wanted, 'a watch does not have the changes that were acknowledged');
    for (const [i, write] of expected.entries()) this.#give(write, Number(events[i]?.object.metadata.resourceVersion));
  }
}

/** Whether the object, or its absence, is what the write left; without one, whether there is nothing. */
function isEffectOf(write: Write | undefined, item: Json | undefined): boolean {
  if (write === undefined || write.operation === 'delete') return item === undefined;
  if (item?.data.seed !== write.seed) return false;
  return write.revision === undefined || String(write.revision) === item.metadata.resourceVersion;
}

const shown = ({ operation, name, seed, round, revision }: Write): string =>
  `${operation} of ${name} (seed ${seed}, round ${round}, revision ${revision})`;
