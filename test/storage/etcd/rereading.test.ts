import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';
import { KeyNames } from '../../../runtime/storage/etcd/key-names.ts';
import { load } from '../../../runtime/storage/etcd/loading.ts';
import { keepReadingAgain, readAgain } from '../../../runtime/storage/etcd/rereading.ts';
import type { ReadValue, ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { isUnreadable } from '../../../runtime/storage/etcd/value-reading.ts';
import type { MemoryData, Version } from '../../../runtime/storage/memory/memory-data.ts';
import { rejection } from '../contract/store.ts';
import { away, compacted, HeldEtcd, until } from './held-etcd.ts';
import { plainValues } from './plain-values.ts';

/** Values that begin with `sealed` cannot be read until it has the key. */
class SealedCodec implements ValueCodec {
  readonly toEtcd = plainValues.toEtcd;
  hasKey = false;
  /** keys in the order in which values were read since it has the key */
  readonly opened: string[] = [];
  /** what is waited for before a value is read, where the key is there */
  before: Promise<void> | undefined;

  fromEtcd(key: string, value: Uint8Array): ReadValue | Promise<ReadValue> {
    const text = Buffer.from(value).toString();
    if (!text.startsWith('sealed ')) return plainValues.fromEtcd(key, value);
    if (!this.hasKey) throw new Error('there is no key');
    this.opened.push(key);
    const read: ReadValue = { bytes: Buffer.from(text.slice('sealed '.length)), revisionOffset: -1 };
    return this.before?.then(() => read) ?? read;
  }
}

interface Sealed {
  readonly etcd: HeldEtcd;
  readonly codec: SealedCodec;
  readonly data: MemoryData;
  readonly parts: { readonly client: HeldEtcd['client']; readonly names: KeyNames; readonly codec: SealedCodec };
}

async function sealed(): Promise<Sealed> {
  const etcd = new HeldEtcd();
  etcd.change({ '/r/a': 'plain', '/r/b': 'sealed 1', '/r/c': 'plain', '/r/d': 'sealed 2', '/r/e': 'plain' });
  const codec = new SealedCodec();
  const parts = { client: etcd.client, names: new KeyNames('/r'), codec };
  const data = await load(parts, false);
  codec.hasKey = true;
  etcd.ranges.length = 0;
  return { etcd, codec, data, parts };
}

const text = ({ keys }: MemoryData, key: string): string => {
  const version = keys.get(key) as Version;
  return isUnreadable(version) ? 'unreadable' : version.value.toString();
};
const unreadable = (_key: string, version: Version): boolean => isUnreadable(version);

const again = suite('reading values again');

again('values that can be read now are read, at the revisions that they have', async () => {
  const { data, parts, codec } = await sealed();
  assert.is(text(data, 'b'), 'unreadable');
  const { revision } = data;
  await readAgain(parts, () => data, unreadable);
  assert.equal(
    ['a', 'b', 'c', 'd'].map((key) => text(data, key)),
    ['plain', '1', 'plain', '2'],
  );
  assert.is(data.keys.get('b')?.revision, 2);
  assert.is(data.revision, revision);
  assert.equal(codec.opened, ['b', 'd']);
});

again('only what lies between the first and the last of them of a resource is asked for, and nothing where there are none', async () => {
  const { etcd, data, parts } = await sealed();
  await readAgain(parts, () => data, unreadable);
  assert.equal(
    etcd.ranges.map(({ key, end }) => [String(key), String(end)]),
    [
      ['/r/b', '/r/b\0'],
      ['/r/d', '/r/d\0'],
    ],
  );
  await readAgain(parts, () => data, unreadable);
  assert.is(etcd.ranges.length, 2);
});

again('those that are not meant stay as they are', async () => {
  const { data, parts, codec } = await sealed();
  await readAgain(
    parts,
    () => data,
    (key) => key === 'd',
  );
  assert.is(text(data, 'b'), 'unreadable');
  assert.is(text(data, 'd'), '2');
  assert.equal(codec.opened, ['d']);
});

again('a value that still cannot be read stays so', async () => {
  const { data, parts, codec } = await sealed();
  codec.hasKey = false;
  await readAgain(parts, () => data, unreadable);
  assert.is(text(data, 'b'), 'unreadable');
});

again('a key that was changed in etcd, which has not come here, is left to what comes', async () => {
  const { etcd, data, parts } = await sealed();
  etcd.change({ '/r/b': 'sealed newer' });
  etcd.change({ '/r/d': null });
  await readAgain(parts, () => data, unreadable);
  assert.is(text(data, 'b'), 'unreadable');
  assert.is(text(data, 'd'), 'unreadable');
});

for (const [what, change, expected] of [
  ['changed', (data) => data.apply('update', 'b', 9, { value: Buffer.from('newer'), revisionOffset: -1, flaw: undefined }), 'newer'],
  ['removed', (data) => data.apply('delete', 'b', 9, { value: Buffer.from('last'), revisionOffset: -1, flaw: undefined }), 'last'],
] as readonly (readonly [string, (data: MemoryData) => void, string])[])
  again(`a key that is ${what} here while its value is read keeps what came`, async () => {
    const { data, parts, codec } = await sealed();
    const reading = Promise.withResolvers<void>();
    codec.before = reading.promise;
    const done = readAgain(parts, () => data, unreadable);
    await until(() => codec.opened.length === 1);
    change(data);
    reading.resolve();
    await done;
    assert.is(text(data, 'b'), expected);
    assert.is(data.keys.get('b')?.revision, 9);
    // the version before was not the newest any more
    assert.ok(isUnreadable(data.keys.get('b')?.previous as Version));
    assert.is(text(data, 'd'), '2');
  });

again('what is loaded anew meanwhile is what is read into', async () => {
  const { data, parts, codec, etcd } = await sealed();
  codec.hasKey = false;
  const fresh = await load(parts, false);
  codec.hasKey = true;
  let current = data;
  const reading = Promise.withResolvers<void>();
  codec.before = reading.promise;
  const done = readAgain(parts, () => current, unreadable);
  await until(() => codec.opened.length === 1);
  current = fresh;
  reading.resolve();
  await done;
  assert.is(text(fresh, 'b'), '1');
  assert.is(text(data, 'b'), 'unreadable');
  assert.is(etcd.ranges.length, 3);
});

again('errors of etcd are told', async () => {
  const { etcd, data, parts } = await sealed();
  etcd.beforeRange = () => {
    throw away();
  };
  assert.is(((await rejection(readAgain(parts, () => data, unreadable))) as Error).message, away().message);
});

for (const [what, error, isTold] of [
  ['cannot be reached', away(), false],
  ['is compacted meanwhile', compacted(5), false],
  ['refuses, which is told once,', new EtcdError('PERMISSION_DENIED', 'etcdserver: permission denied'), true],
] as const)
  again(`where etcd ${what} it is tried again until it is done`, async () => {
    const { etcd, data, parts } = await sealed();
    let left = 3;
    etcd.beforeRange = () => {
      if (left-- > 0) throw error;
    };
    const troubles: unknown[] = [];
    await keepReadingAgain(parts, () => data, unreadable, {
      signal: new AbortController().signal,
      onTrouble: (each) => troubles.push(each),
    });
    assert.is(text(data, 'b'), '1');
    assert.equal(troubles, isTold ? [error] : []);
  });

again('it ends with the store, also while it waits', async () => {
  const { etcd, data, parts } = await sealed();
  etcd.beforeRange = () => {
    throw away();
  };
  const over = new AbortController();
  const trying = { signal: over.signal, onTrouble() {} };
  const done = keepReadingAgain(parts, () => data, unreadable, trying);
  await until(() => etcd.ranges.length > 2);
  over.abort();
  await done;
  assert.is(text(data, 'b'), 'unreadable');
  const { length } = etcd.ranges;
  await keepReadingAgain(parts, () => data, unreadable, trying);
  assert.is(etcd.ranges.length, length);
});

again.run();
