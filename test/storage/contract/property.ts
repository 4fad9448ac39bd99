import fc from 'fast-check';
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted, RevisionInFuture } from '../../../runtime/storage/errors.ts';
import type { Entry, ScanOptions, Storage } from '../../../runtime/storage/storage.ts';
import { Model } from './model.ts';
import { bytes, rejection, type StoreFactory, scanned, shown, type TestStore, thrown, told, withRelativeStore } from './store.ts';

const key = fc.constantFrom(
  'a',
  'pods',
  'pods/a',
  'pods/a/b',
  'pods/b',
  'pods/\u{1f600}',
  'pods/\uffee',
  'pods0/a',
  'podtemplates/a',
  'q/r/s',
);
const bound = fc.oneof(key, fc.constantFrom('', 'pods/', 'pods0', 'pods/a\0', 'pods1', 'p', 'q/', 'zz'));
const prefix = fc.constantFrom('', 'pods/', 'pods/a', 'p', 'podtemplates/', 'q/r/', 'nothing/');
/** a point of the history: 0 the beginning, 1 the newest revision; a little beyond it too */
const point = fc.double({ min: 0, max: 1.1, noNaN: true });

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), key }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('update' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), point }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('index' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      start: bound,
      end: bound,
      limit: fc.integer({ min: 1, max: 4 }),
      prefix,
      point,
    }),
  },
);

export interface Histories {
  readonly count: number;
  /** stores at once, which know nothing of each other: one that waits for its disk leaves others their turn */
  readonly atOnce: number;
}

export function propertyCases(name: string, open: StoreFactory, { count, atOnce }: Histories): Test {
  const test = suite(`${name}: random histories`);

  test('the store agrees with the model', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      await withRelativeStore(open, async (store) => {
        const model = new Model();
        for (const [i, each] of steps.entries()) {
          if (each.do === 'compact') await compact(store.storage, model, Math.floor(each.point * model.revision));
          else if (each.do === 'index') await store.index?.();
          else if (each.do === 'read') compareAt(store.storage, model, Math.floor(each.point * model.revision), each);
          else await write(store, model, each.do, each.key, `${i} a${i % 2} b${i % 3}`);
        }
        compareAll(store.storage, model);
        compareAll(await store.reopen(), model);
      });
    });
    await Promise.all(Array.from({ length: atOnce }, () => fc.assert(property, { numRuns: Math.ceil(count / atOnce) })));
  });

  return test;
}

async function write(
  { storage, keepsLastValues }: TestStore,
  model: Model,
  operation: 'create' | 'update' | 'delete',
  at: string,
  given: string,
): Promise<void> {
  const value = keepsLastValues === true && operation === 'delete' ? (storage.get(at)?.value.toString() ?? given) : given;
  const before = model.at(model.revision).get(at)?.revision ?? 0;
  const expected = model.write(operation, at, value);
  const written = operation === 'create' ? storage.create(at, bytes(value)) : storage[operation](at, before, bytes(value));
  if (expected === undefined) await rejection(written);
  else assert.is(await written, expected);
}

async function compact(storage: Storage, model: Model, revision: number): Promise<void> {
  if (revision > model.revision) {
    assert.instance(await rejection(storage.compact(revision)), RangeError);
  } else {
    await storage.compact(revision);
    model.compacted = Math.max(model.compacted, revision);
  }
}

interface Question {
  readonly start: string;
  readonly end: string;
  readonly limit: number;
  readonly prefix: string;
}

function compareAt(storage: Storage, model: Model, revision: number, { start, end, limit, prefix }: Question): void {
  const range = { start, end, atRevision: revision };
  if (revision > model.revision || revision < model.compacted) {
    const refusal = revision > model.revision ? RevisionInFuture : RevisionCompacted;
    for (const call of [() => storage.range(range), () => storage.count(range), () => storage.get('pods/a', revision)]) {
      assert.instance(thrown(call), refusal);
    }
  } else {
    const expected = model.range(start, end, revision);
    assert.equal(shown(storage.range(range)), expected);
    assert.equal(pages(storage, start, end, revision, limit), expected);
    for (const requirements of REQUIREMENTS) compareScan(storage, { ...range, requirements }, expected, limit);
    assert.is(storage.count(range), expected.length);
  }
  if (revision < model.compacted) {
    assert.instance(
      thrown(() => storage.changes(revision, prefix)),
      RevisionCompacted,
    );
  } else {
    assert.equal(told(storage.changes(revision, prefix)), model.changesAfter(revision, prefix));
    assert.equal(told(storage.changes(revision, prefix, limit)), model.changesAfter(revision, prefix).slice(0, limit));
  }
}

const REQUIREMENTS = [[], [['a0']], [['b1', 'b2', 'b1']], [['a1'], ['b0']], [['b0'], ['a0', 'a1']], [['nothing']]];

/** What is found is what the range holds, in order, with all that meets the requirements. */
function compareScan(storage: Storage, options: ScanOptions, all: readonly string[], limit: number): void {
  const meets = (entry: string): boolean => {
    const terms = entry.slice(entry.indexOf('=') + 1).split(' ');
    return (options.requirements ?? []).every((alternatives) => alternatives.some((term) => terms.includes(term)));
  };
  const show = (entry: Entry): string => shown([entry])[0] as string;
  const found = scanned(storage, options, show);
  assert.equal(found.filter(meets), all.filter(meets));
  assert.equal(
    found,
    all.filter((entry) => found.includes(entry)),
  );
  assert.equal(scanned(storage, options, show, limit), found);
}

function pages(storage: Storage, start: string, end: string, atRevision: number, limit: number): string[] {
  const found: string[] = [];
  let from = start;
  for (;;) {
    const page = Array.from(storage.range({ start: from, end, atRevision, limit }), (entry) => ({ key: entry.key, text: shown([entry]) }));
    found.push(...page.flatMap(({ text }) => text));
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return found;
    from = `${last.key}\0`;
  }
}

/** Every readable revision, whole and key by key. */
function compareAll(storage: Storage, model: Model): void {
  assert.is(storage.currentRevision(), model.revision);
  assert.is(storage.compactedRevision(), model.compacted);
  const keys = new Set(model.changes.map((change) => change.key));
  for (let revision = model.compacted; revision <= model.revision; revision++) {
    for (const prefix of ['', 'pods/', 'p']) compareAt(storage, model, revision, { start: '', end: '', limit: 3, prefix });
    const entries = model.at(revision);
    for (const each of keys) assert.equal(storage.get(each, revision)?.revision, entries.get(each)?.revision);
  }
  for (const each of keys) assert.is(storage.revisionOf(each), model.at(model.revision).get(each)?.revision);
}
