import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEnvironment } from '../../../runtime/storage/lmdb/tables/environment.ts';
import { DamagedSnapshot, extractSnapshot, SnapshotCheck, snapshotBytes } from '../../../runtime/storage/snapshot/snapshot-file.ts';

const test = suite('a snapshot as a file');
const folder = mkdtempSync(path.join(tmpdir(), 'snapshot-file-'));
test.after(() => rmSync(folder, { recursive: true }));
const named = (name: string) => path.join(folder, name);

async function made(data: Buffer, bytes = data.length): Promise<Buffer> {
  writeFileSync(named('data'), data);
  const header = { dialect: 'cluster', revision: 7, made: '2026-01-01T00:00:00.000Z', bytes };
  return Buffer.concat(await Array.fromAsync(snapshotBytes(header, named('data'))));
}

/** As it comes in pieces of these sizes, one after the other. */
function read(snapshot: Buffer, sizes: readonly number[]): Buffer {
  const check = new SnapshotCheck();
  const data: Buffer[] = [];
  for (let at = 0, i = 0; at < snapshot.length; i++) {
    const size = sizes[i % sizes.length] as number;
    data.push(check.add(snapshot.subarray(at, at + size)));
    at += size;
  }
  check.end();
  return Buffer.concat(data);
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each));
const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });

test('has its data, in whatever pieces it comes', () =>
  fc.assert(fc.asyncProperty(bytes, sizes, async (data, each) => assert.equal(read(await made(data), each), data))));

test('tells of any byte that was changed', () =>
  fc.assert(
    fc.asyncProperty(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), sizes, async (data, place, change, each) => {
      const snapshot = await made(data);
      const at = place % snapshot.length;
      snapshot[at] = (snapshot[at] as number) ^ change;
      assert.throws(
        () => read(snapshot, each),
        (error: Error) => error instanceof DamagedSnapshot,
      );
    }),
  ));

test('tells of an end that is missing, and of more behind it', () =>
  fc.assert(
    fc.asyncProperty(bytes, fc.nat(), sizes, async (data, place, each) => {
      const snapshot = await made(data);
      const isDamaged = (error: Error) => error instanceof DamagedSnapshot;
      assert.throws(() => read(snapshot.subarray(0, place % snapshot.length), each), isDamaged);
      assert.throws(() => read(Buffer.concat([snapshot, Buffer.from('x')]), each), isDamaged);
    }),
  ));

const wrong: [name: string, text: string, problem: RegExp][] = [
  ['another file', 'something else entirely\n{}\n', /no snapshot of a store/],
  [
    'another form',
    'cluster-apiserver store snapshot 2\n{}\n',
    /of form 2, of another release; this program reads form 1: restore it by that/,
  ],
  ['a form of two digits', 'cluster-apiserver store snapshot 12\n{}\n', /of form 12, of another release/],
  ['a form that is no number', 'cluster-apiserver store snapshot x\n{}\n', /no snapshot of a store/],
  ['what is no JSON', 'cluster-apiserver store snapshot 1\nnone\n', /cannot be read/],
  ['what lacks a member', 'cluster-apiserver store snapshot 1\n{"dialect":"cluster","revision":1,"made":"x"}\n', /cannot be read/],
  [
    'a size that is none',
    'cluster-apiserver store snapshot 1\n{"dialect":"cluster","revision":1,"made":"x","bytes":-1}\n',
    /cannot be read/,
  ],
  [
    'what has a backslash',
    'cluster-apiserver store snapshot 1\n{"dialect":"a\\u0062","revision":1,"made":"x","bytes":0}\n',
    /in another way/,
  ],
  ['a line without an end', `cluster-apiserver store snapshot 1\n${'x'.repeat(5_000)}`, /too long/],
  ['nothing', '', /ends before it says/],
];
for (const [name, text, problem] of wrong) test(`is not ${name}`, () => assert.throws(() => read(Buffer.from(text), [1_000]), problem));

test('is extracted to a new file for its owner alone', async () => {
  writeFileSync(named('snapshot'), await made(Buffer.from('all that is stored')));
  const told: number[][] = [];
  const { revision } = await extractSnapshot(named('snapshot'), named('new'), (done, total) => told.push([done, total]));
  assert.equal([revision, readFileSync(named('new'), 'utf8'), told.at(-1)], [7, 'all that is stored', [18, 18]]);
  await extractSnapshot(named('snapshot'), named('new'), () => {}).then(
    () => assert.unreachable(),
    ({ code }) => assert.is(code, 'EEXIST'),
  );
});

const stores: [name: string, format: number, dialect: string, problem?: string][] = [
  ['its own dialect', 6, 'cluster'],
  [
    'another dialect than it says',
    6,
    'kubernetes',
    'it says that its store is of the dialect "cluster", where its data is of "kubernetes"',
  ],
  ['a later release', 7, 'cluster', 'its data has storage format 7; this program reads format 6: a later release has written it'],
];
for (const [name, format, dialect, problem] of stores)
  test(`with the data of ${name}${problem === undefined ? '' : ' is refused'}`, async () => {
    const directory = mkdtempSync(named('store-'));
    const record = JSON.stringify({ format, dialect });
    await openEnvironment({ directory, addressSpace: 2 ** 30, checkFormat: ({ put }) => put(record), defers: false }).close();
    writeFileSync(named('of-store'), await made(readFileSync(path.join(directory, 'data.mdb'))));
    const found = await extractSnapshot(named('of-store'), path.join(directory, 'taken'), () => {}).catch((error: Error) => error.message);
    if (typeof found !== 'string') assert.is(problem, undefined);
    else assert.match(found, problem ?? 'nothing');
  });

test.run();
