/** A look through an open store: it finds what is damaged, and nothing of what is written meanwhile. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ValueDamaged } from '../../../runtime/storage/errors.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { FileReading } from '../../../runtime/storage/lmdb/files/file-reading.ts';
import type { Finding, StoreVerification } from '../../../runtime/storage/storage.ts';
import { bytes, thrown, withStore } from '../contract/store.ts';
import { type LmdbTestStore, lmdbStore } from './lmdb-store.ts';

const test = suite('verification of an open store');

function begun(storage: LmdbStorage): { verification: StoreVerification; findings: Finding[] } {
  const findings: Finding[] = [];
  return { verification: storage.verification((finding) => findings.push(finding)), findings };
}

function looked(storage: LmdbStorage): Finding[] {
  const { verification, findings } = begun(storage);
  while (verification.step(100));
  return findings;
}

const put = async (storage: LmdbStorage, key: string, value: string): Promise<void> => {
  const revision = storage.revisionOf(key);
  await (revision === undefined ? storage.create(key, bytes(value)) : storage.update(key, revision, bytes(value)));
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key: fc.nat(12) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('compact' as const, 'index' as const, 'reopen' as const), key: fc.constant(0) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('look' as const), key: fc.constant(0) }) },
);

for (const exclusive of [true, false]) {
  const whose = exclusive ? 'of one process' : 'of several processes';
  const onStore = (title: string, body: (store: LmdbTestStore) => Promise<void>): void =>
    test(`${whose}: ${title}`, () => withStore(() => lmdbStore({ exclusive }), body));

  test(`${whose}: whatever is written between its steps, nothing is found`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) =>
        withStore(
          () => lmdbStore({ exclusive }),
          async (store) => {
            for (let i = 0; i < 40; i++) await put(store.storage, `a/${i % 25}`, `red ${i}`);
            let { verification, findings } = begun(store.storage);
            for (const [number, { do: what, key }] of steps.entries()) {
              const { storage } = store;
              const revision = storage.revisionOf(`a/${key}`);
              if (what === 'put') await put(storage, `a/${key}`, `blue ${number}`);
              else if (what === 'delete' && revision !== undefined) await storage.delete(`a/${key}`, revision, bytes('gone'));
              else if (what === 'compact') await storage.compact(Math.max(storage.compactedRevision(), storage.currentRevision() - 5));
              else if (what === 'index') await storage.index();
              else if (what === 'reopen') {
                await store.reopen();
                ({ verification, findings } = begun(store.storage));
                // a row or some at a time
              } else if (what === 'look' && !verification.step(0)) ({ verification, findings } = begun(storage));
              assert.equal(findings, []);
            }
            assert.equal(looked(store.storage), []);
          },
        ),
      ),
      { numRuns: 12 },
    ));

  onStore('counts what it looks at', async ({ storage }) => {
    for (let i = 0; i < 20; i++) await put(storage, `a/${i % 15}`, `value ${i}`);
    const { verification, findings } = begun(storage);
    while (verification.step(100));
    assert.equal(findings, []);
    const { bytes: length, ...rows } = verification.counts;
    assert.equal(rows, { keys: 15, tombstones: 0, history: 5, log: 20, index: 20 });
    assert.ok((length as number) > 0);
  });

  onStore('a value that is damaged after it was read is found', async ({ storage, directory }) => {
    for (let i = 0; i < 20; i++) await put(storage, `a/${i}`, `the value ${i}.`);
    // the file has them
    await storage.index();
    const values = Array.from(storage.range({ start: '', end: '' }), ({ value }) => String(value));
    assert.ok(values.includes('the value 7.'));
    overwrite(directory, 'the value 7.', 'Xhe value 7.');
    assert.equal(looked(storage), [{ key: 'a/7', revision: 8, found: 'its checksum is another one' }]);
    overwrite(directory, 'Xhe value 7.', 'the value 7.');
    assert.equal(looked(storage), []);
  });
}

/** In the file of a store that is open. */
function overwrite(directory: string, text: string, by: string): void {
  const file = path.join(directory, 'data.mdb');
  const data = readFileSync(file);
  const descriptor = openSync(file, 'r+');
  let count = 0;
  for (let at = data.indexOf(text); at >= 0; at = data.indexOf(text, at + 1), count++) writeSync(descriptor, by, at);
  closeSync(descriptor);
  assert.ok(count > 0, `${text} is not in the file`);
}

test('what was found damaged is read again, though it was whole before', () =>
  withStore(
    () => lmdbStore(),
    async (store) => {
      await put(store.storage, 'a/1', 'the value');
      await store.storage.index();
      // nothing is in memory then
      const storage = await store.reopen();
      assert.is(String(storage.get('a/1')?.value), 'the value');
      overwrite(store.directory, 'the value', 'Xhe value');
      assert.is(String(storage.get('a/1')?.value), 'Xhe value', 'it is known as whole');
      assert.is(looked(storage).length, 1);
      assert.instance(
        thrown(() => storage.get('a/1')),
        ValueDamaged,
      );
      overwrite(store.directory, 'Xhe value', 'the value');
      assert.is(String(storage.get('a/1')?.value), 'the value');
    },
  ));

test('a file is read to its end, and what its disk cannot read is told', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'file-reading-'));
  try {
    const found: string[] = [];
    const reading = new FileReading(folder, (what) => found.push(what));
    for (let steps = 0; reading.step(0); steps++) if (steps > 3) break;
    // a folder cannot be read as a file: each part of it fails
    assert.match(found[0] as string, /^from byte 0 on, its disk cannot read some of the next 262144 \(EISDIR\)$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
