import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ValueUntransformable } from '../../../runtime/storage/etcd/encryption/value-transformers.ts';
import type { ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { isUnreadable, readVersion, removedVersion, versionOf } from '../../../runtime/storage/etcd/value-reading.ts';
import { REVISION_GAP } from '../../../runtime/storage/storage.ts';
import { plainValues } from './plain-values.ts';

const reading = suite('values of etcd');

const GAP = '?'.repeat(REVISION_GAP);
const codecOf = (fromEtcd: ValueCodec['fromEtcd']): ValueCodec => ({ ...plainValues, fromEtcd });
const throwing = (error: unknown) => () => {
  throw error;
};

reading('the revision is filled in where the value says it', () => {
  const read = readVersion(plainValues, 'pods/a', Buffer.from(`{"r":"${GAP}}`), 123);
  assert.not.instance(read, Promise);
  if (read instanceof Promise) return;
  assert.is(read.value.toString(), `{"r":"123"${' '.repeat(REVISION_GAP - 4)}}`);
  assert.is(read.flaw, undefined);
  assert.not(isUnreadable(read));
});

reading('a value that says no revision stays as it is', () => {
  const { value, revisionOffset } = versionOf({ bytes: Buffer.from('abc'), revisionOffset: -1 }, 7);
  assert.is(value.toString(), 'abc');
  assert.is(revisionOffset, -1);
});

reading('a value that would be written otherwise now can be read', () => {
  const read = versionOf({ bytes: Buffer.from('abc'), revisionOffset: -1, outdated: true }, 7);
  assert.equal(read.flaw, { outdated: true });
  assert.not(isUnreadable(read));
});

for (const [what, error, flaw] of [
  ['that is damaged', new Error('no JSON'), { damage: 'no JSON' }],
  ['for which there is no key', new ValueUntransformable('no matching prefix found'), { cipherProblem: 'no matching prefix found' }],
  ['of which something else is thrown', 'a text', { damage: 'a text' }],
] as const)
  for (const [when, fromEtcd] of [
    ['at once', throwing(error)],
    ['later', async () => throwing(error)()],
  ] as const)
    reading(`a value ${what} keeps its place, which is told ${when}`, async () => {
      const read = readVersion(codecOf(fromEtcd as ValueCodec['fromEtcd']), 'pods/a', Buffer.from('x'), 7);
      assert.is(read instanceof Promise, when === 'later');
      const version = await read;
      assert.equal(version, { value: Buffer.alloc(0), revisionOffset: -1, flaw });
      assert.ok(isUnreadable(version));
    });

reading('what is read later has its revision too', async () => {
  const codec = codecOf(async (key, value) => plainValues.fromEtcd(key, value));
  const { value } = await readVersion(codec, 'pods/a', Buffer.from(`"r":"${GAP}`), 9);
  assert.ok(value.toString().startsWith('"r":"9"'));
});

reading('a removal shows the last value at the revision of the removal, and leaves that value alone', () => {
  const before = versionOf({ bytes: Buffer.from(`"r":"${GAP}`), revisionOffset: 5 }, 7);
  const { value } = removedVersion(before, 8);
  assert.ok(value.toString().startsWith('"r":"8"'));
  assert.ok(before.value.toString().startsWith('"r":"7"'));
});

reading('the removal of a value that cannot be read tells the same of it', async () => {
  const before = await readVersion(codecOf(throwing(new Error('no JSON'))), 'pods/a', Buffer.from('x'), 7);
  assert.ok(isUnreadable(removedVersion(before, 8)));
});

reading.run();
