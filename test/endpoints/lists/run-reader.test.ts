/** Lists that are read again and again while objects come, change and go: each is what its objects say, whatever is kept of those before. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Chunks } from '../../../runtime/endpoints/answers/chunks.ts';
import type { FormRun } from '../../../runtime/endpoints/lists/form-run.ts';
import { RunReader } from '../../../runtime/endpoints/lists/run-reader.ts';
import { DerivedForms } from '../../../runtime/registry/lists/derived-forms.ts';
import type { Entry } from '../../../runtime/storage/storage.ts';

const test = suite('run reader');
const KIB = 1024;

/** Objects by key, each at the revision of its last change. */
class Objects {
  readonly #revisions = new Map<number, number>();
  #revision = 0;

  write(key: number): void {
    this.#revisions.set(key, ++this.#revision);
  }

  remove(key: number): void {
    this.#revisions.delete(key);
  }

  list(from = 0, to = Number.POSITIVE_INFINITY): Entry[] {
    const keys = [...this.#revisions.keys()].filter((key) => from <= key && key < to).sort((a, b) => a - b);
    return keys.map((key) => ({ key: String(key), revision: this.#revisions.get(key) as number, value: Buffer.alloc(0) }));
  }
}

/** What is made of an object: nothing is like what is made of another, and sizes differ. */
const textOf = ({ key, revision }: Entry, size: number): string => `<${key}@${revision}>`.padEnd(size + (revision % 7), '.');

interface Read {
  readonly text: string;
  /** revisions that something was made of */
  readonly made: readonly number[];
}

/** No form is made elsewhere. */
const HERE = { isFor: () => false, prepare: () => Promise.resolve() };

function read(entries: readonly Entry[], forms: DerivedForms, size: number, joins = true): Read {
  const chunks = new Chunks();
  const made: number[] = [];
  const reader = new RunReader({
    runs: forms.of<FormRun>(forms, 'text'),
    joins,
    forms: {
      ...HERE,
      make(entry) {
        made.push(entry.revision);
        const text = textOf(entry, size);
        return [Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))];
      },
    },
    take: (span) => span.addTo(chunks),
  });
  for (const entry of entries) {
    const bytes = reader.add(entry);
    const { run, index } = reader;
    assert.is(run.bytes.toString('latin1', run.start(index), run.ends[index]), textOf(entry, size));
    assert.is(bytes > 0, made.at(-1) === entry.revision);
  }
  reader.end();
  return { text: Buffer.concat(chunks.rest().map(({ bytes }) => bytes)).toString('latin1'), made };
}

const expected = (entries: readonly Entry[], size: number): string => entries.map((entry) => textOf(entry, size)).join('');

function filled(count: number): Objects {
  const objects = new Objects();
  for (let key = 0; key < count; key++) objects.write(key);
  return objects;
}

test('nothing is made twice, and of a change only what changed', () => {
  const objects = filled(500);
  const forms = new DerivedForms(64 * KIB * KIB);
  assert.is(read(objects.list(), forms, KIB).made.length, 500);
  assert.equal(read(objects.list(), forms, KIB), { text: expected(objects.list(), KIB), made: [] });
  objects.write(77);
  objects.remove(99);
  objects.write(1_000);
  assert.equal(read(objects.list(), forms, KIB), { text: expected(objects.list(), KIB), made: [501, 502] });
  assert.equal(read(objects.list(), forms, KIB).made, []);
});

test('whole runs are sent without a copy, also after changes', () => {
  const objects = filled(2_000);
  const forms = new DerivedForms(64 * KIB * KIB);
  const parts = (): Buffer[] => {
    const { chunks, reader } = newReader(forms);
    for (const entry of objects.list()) reader.add(entry);
    reader.end();
    return chunks.rest().map(({ bytes }) => bytes);
  };
  parts();
  for (let key = 0; key < 2_000; key += 400) objects.write(key);
  parts();
  const [first, second] = [parts(), parts()];
  assert.ok(first.length >= 8);
  assert.equal(
    second.map((bytes) => bytes.buffer).filter((memory, i) => memory !== first[i]?.buffer),
    [],
  );
});

for (const [name, budget] of [
  ['without a budget', 0],
  ['with less than a list needs', 300 * KIB],
  ['with all that is needed', 16 * KIB * KIB],
] as const)
  test(`every list is true to its objects, ${name}`, () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), key: fc.nat(400) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), key: fc.nat(400) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('list' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('part' as const), from: fc.nat(400), count: fc.nat(300) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('some' as const), each: fc.integer({ min: 2, max: 9 }) }) },
    );
    const property = fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(20, 3 * KIB), (steps, size) => {
      const objects = filled(300);
      const forms = new DerivedForms(budget);
      const check = (entries: readonly Entry[], joins: boolean) => {
        assert.ok(read(entries, forms, size, joins).text === expected(entries, size));
      };
      for (const each of steps) {
        if (each.kind === 'write') objects.write(each.key);
        else if (each.kind === 'remove') objects.remove(each.key);
        else if (each.kind === 'list') check(objects.list(), true);
        else if (each.kind === 'part') check(objects.list(each.from, each.from + each.count), true);
        else
          check(
            objects.list().filter((_, i) => i % each.each === 0),
            false,
          );
      }
      check(objects.list(), true);
    });
    fc.assert(property, { numRuns: 40 });
  });

test('lists that are read at the same time do not disturb each other', () => {
  const objects = filled(600);
  const forms = new DerivedForms(16 * KIB * KIB);
  const begin = () => ({ ...newReader(forms), entries: objects.list(), at: 0 });
  const readers = [begin(), begin(), begin()];
  for (const changed of [0, 100, 300]) objects.write(changed);
  readers.push(begin());
  for (let turn = 0; turn < 60; turn++)
    for (const [i, each] of readers.entries())
      for (let n = 0; n < 10 + 7 * i && each.at < each.entries.length; n++) each.reader.add(each.entries[each.at++] as Entry);
  for (const { reader, chunks, entries } of readers) {
    reader.end();
    assert.ok(Buffer.concat(chunks.rest().map(({ bytes }) => bytes)).toString() === expected(entries, KIB));
  }
});

function newReader(forms: DerivedForms): { chunks: Chunks; reader: RunReader } {
  const chunks = new Chunks();
  const reader = new RunReader({
    runs: forms.of<FormRun>(forms, 'text'),
    joins: true,
    forms: { ...HERE, make: (entry) => [Buffer.from(textOf(entry, KIB))] },
    take: (span) => span.addTo(chunks),
  });
  return { chunks, reader };
}

test('nobody asks what an entry is whose form is there', () => {
  const objects = new Objects();
  for (let key = 0; key < 50; key++) objects.write(key);
  const forms = new DerivedForms(64 * KIB * KIB);
  read(objects.list(), forms, 100);
  objects.write(7);
  const asked: number[] = [];
  const isFor = ({ revision }: Entry): boolean => asked.push(revision) < 0;
  const runs = forms.of<FormRun>(forms, 'text');
  const reader = new RunReader({ runs, joins: true, forms: { ...HERE, isFor, make: () => [Buffer.from('new')] }, take: () => {} });
  for (const entry of objects.list()) {
    assert.not.ok(reader.isFor(entry));
    reader.add(entry);
  }
  assert.equal(asked, [51]);
});

test.run();
