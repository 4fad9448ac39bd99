/** Lists that are under way together: each has its own objects, whoever has put their items together, and however fast its client reads. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Chunks, type Part } from '../../../runtime/endpoints/answers/chunks.ts';
import { SharedItems, SharedRuns } from '../../../runtime/endpoints/answers/shared-items.ts';
import type { Entry } from '../../../runtime/storage/storage.ts';

const test = suite('shared items');
const KIB = 1024;
const BEGINNING = Buffer.from('{');

const entriesOf = (revisions: readonly number[], size: number): Entry[] =>
  revisions.map((revision) => ({ key: String(revision), revision, value: Buffer.from(`${revision}`.padEnd(size + (revision % 5), '.')) }));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const textOf = (entries: readonly Entry[]): string => entries.map(({ value }) => `{${value.toString('latin1')}`).join(',');

/** A list that is read in turns, and whose client takes a part now and then. */
class List {
  readonly #shared: SharedRuns;
  readonly #entries: readonly Entry[];
  readonly #chunks = new Chunks();
  readonly #items: SharedItems;
  readonly #waiting: Part[] = [];
  #at = 0;
  #ended = false;
  /** revisions of which items were made */
  readonly made: number[] = [];
  text = '';

  constructor(shared: SharedRuns, entries: readonly Entry[], many: () => boolean) {
    this.#shared = shared;
    this.#entries = entries;
    this.#items = new SharedItems({
      shared,
      name: 'text',
      chunks: this.#chunks,
      isOneOfMany: many,
      prepared: { isFor: () => false, prepare: () => Promise.resolve() },
      itemOf: ({ revision, value }) => {
        this.made.push(revision);
        return [BEGINNING, value];
      },
    });
  }

  get done(): boolean {
    return this.#ended && this.#waiting.length === 0;
  }

  /** One slice of the list. */
  read(): void {
    for (let bytes = 0; bytes < 256 * KIB && this.#at < this.#entries.length; )
      bytes += this.#items.add(this.#entries[this.#at++] as Entry);
    if (this.#at < this.#entries.length) return void this.#waiting.push(...this.#chunks.full());
    if (this.#ended) return;
    this.#ended = true;
    this.#items.end();
    this.#waiting.push(...this.#chunks.rest());
  }

  /** The client takes up to so many parts. */
  send(parts: number): void {
    for (const part of this.#waiting.splice(0, parts)) {
      this.text += part.bytes.toString('latin1');
      part.sent();
    }
  }

  finish(): string {
    while (!this.done) {
      this.read();
      this.send(2);
    }
    this.#shared.clear();
    return this.text;
  }
}

const always = () => true;

test('what one has put together is not put together again', () => {
  const shared = new SharedRuns();
  const entries = entriesOf(upTo(1_000), 4 * KIB);
  const lists = Array.from({ length: 8 }, () => new List(shared, entries, always));
  while (lists.some((list) => !list.done))
    for (const list of lists) {
      list.read();
      list.send(4);
    }
  for (const { text } of lists) assert.ok(text === textOf(entries));
  const made = lists.flatMap((list) => list.made);
  assert.is(new Set(made).size, 1_000);
  assert.is(made.length, 1_000);
});

test('a list that is alone keeps nothing for others', () => {
  const shared = new SharedRuns();
  const entries = entriesOf(upTo(300), KIB);
  const list = new List(shared, entries, () => false);
  assert.ok(list.finish() === textOf(entries));
  assert.is(shared.get('text', 1), undefined);
});

test('a client that takes nothing holds up nobody, and gets its list in the end', () => {
  const shared = new SharedRuns();
  const entries = entriesOf(upTo(2_500), 4 * KIB);
  const slow = new List(shared, entries, always);
  slow.read();
  for (let i = 0; i < 3; i++) assert.ok(new List(shared, entries, always).finish() === textOf(entries));
  assert.ok(slow.finish() === textOf(entries));
});

for (const count of [0, 1, 2])
  test(`lists of ${count}`, () => {
    const entries = entriesOf(upTo(count), 10);
    assert.is(new List(new SharedRuns(), entries, always).finish(), textOf(entries));
  });

test('items that are longer than a part', () => {
  const shared = new SharedRuns();
  const entries = [...entriesOf([1, 2], 10), ...entriesOf([3, 4], 400 * KIB), ...entriesOf([5, 6], 10)];
  const lists = [new List(shared, entries, always), new List(shared, entries, always)];
  for (const list of lists) list.read();
  for (const list of lists) assert.ok(list.finish() === textOf(entries));
});

test('lists of different objects, in any order of turns', () => {
  const property = fc.property(
    fc.array(fc.record({ without: fc.array(fc.nat(80), { maxLength: 12 }), changed: fc.array(fc.nat(80), { maxLength: 12 }) }), {
      minLength: 2,
      maxLength: 5,
    }),
    fc.array(fc.record({ list: fc.nat(4), read: fc.boolean(), send: fc.nat(3), many: fc.boolean() }), { maxLength: 80 }),
    fc.constantFrom(30, 8 * KIB, 70 * KIB),
    (views, turns, size) => {
      const shared = new SharedRuns();
      let many = true;
      const lists = views.map(({ without, changed }) => {
        const revisions = upTo(60).filter((revision) => !without.includes(revision));
        const entries = entriesOf(
          revisions.map((revision) => (changed.includes(revision) ? revision + 1_000 : revision)),
          size,
        );
        return { entries, list: new List(shared, entries, () => many) };
      });
      for (const turn of turns) {
        const { list } = lists[turn.list % lists.length] as (typeof lists)[number];
        many = turn.many;
        if (turn.read) list.read();
        list.send(turn.send);
      }
      for (const { entries, list } of lists) assert.ok(list.finish() === textOf(entries));
    },
  );
  fc.assert(property, { numRuns: 40 });
  // one of these lists comes to the oldest run of all when it has one of its own to add
  fc.assert(property, { numRuns: 3, seed: -1673897605 });
});

test('nobody asks what an entry is that another list has put together', () => {
  const shared = new SharedRuns();
  const entries = entriesOf(upTo(20), 20 * KIB);
  const first = new List(shared, entries, always);
  first.read();
  const asked: number[] = [];
  const items = new SharedItems({
    shared,
    name: 'text',
    chunks: new Chunks(),
    isOneOfMany: always,
    prepared: { isFor: ({ revision }) => asked.push(revision) < 0, prepare: () => Promise.resolve() },
    itemOf: ({ value }) => [BEGINNING, value],
  });
  for (const entry of entries) {
    assert.not.ok(items.prepared.isFor(entry));
    items.add(entry);
  }
  items.end();
  const there = entries.length - asked.length;
  assert.ok(there > 0 && asked.length > 0, asked.join());
  assert.equal(asked, upTo(20).slice(there));
  first.finish();
});

test.run();
