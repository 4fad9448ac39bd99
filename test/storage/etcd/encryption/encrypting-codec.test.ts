/** A codec behind which values are encrypted: by the key that etcd has, and whoever answers later is waited for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EncryptingCodec } from '../../../../runtime/storage/etcd/encryption/encrypting-codec.ts';
import type { ValueTransformers } from '../../../../runtime/storage/etcd/encryption/value-transformers.ts';
import type { ReadValue, ValueCodec } from '../../../../runtime/storage/etcd/value-codec.ts';

const test = suite('a codec of encrypted values');
const plain: ValueCodec = {
  toEtcd: (_key, value) => Buffer.from(`{${value}}`),
  fromEtcd: (_key, value) => ({ bytes: Buffer.from(value).subarray(1, -1), revisionOffset: 4 }),
};
const plainLater: ValueCodec = {
  toEtcd: async (key, value) => plain.toEtcd(key, value),
  fromEtcd: async (key, value) => plain.fromEtcd(key, value),
};
const asked: string[] = [];
const reversing = (outdated: boolean): ValueTransformers => ({
  toStorage(resource, etcdKey, bytes) {
    asked.push(`${resource} ${etcdKey}`);
    return Buffer.from(bytes).reverse();
  },
  fromStorage(resource, etcdKey, stored) {
    asked.push(`${resource} ${etcdKey}`);
    return { plain: Buffer.from(stored).reverse(), outdated };
  },
});
const later = (transformers: ValueTransformers): ValueTransformers => ({
  toStorage: async (...of) => transformers.toStorage(...of),
  fromStorage: async (...of) => transformers.fromStorage(...of),
});

for (const [name, codec, isLater] of [
  ['at once', (outdated: boolean) => new EncryptingCodec(plain, reversing(outdated), '/registry/'), false],
  ['later', (outdated: boolean) => new EncryptingCodec(plain, later(reversing(outdated)), '/registry/'), true],
  ['around a codec that answers later', (outdated: boolean) => new EncryptingCodec(plainLater, reversing(outdated), '/registry/'), true],
] as const)
  test(name, async () => {
    asked.length = 0;
    const stored = codec(false).toEtcd('secrets/default/a', Buffer.from('ab'));
    assert.is(stored instanceof Promise, isLater);
    assert.is(Buffer.from(await stored).toString(), '}ba{');
    const read = codec(false).fromEtcd('example.com/widgets/default/a', Buffer.from('}ba{'));
    assert.is(read instanceof Promise, isLater);
    assert.equal(await read, { bytes: Buffer.from('ab'), revisionOffset: 4 });
    const expected: ReadValue = { bytes: Buffer.from('ab'), revisionOffset: 4, outdated: true };
    assert.equal(await codec(true).fromEtcd('example.com/widgets/default/a', Buffer.from('}ba{')), expected);
    assert.equal(asked.slice(0, 2), ['secrets /registry/secrets/default/a', 'example.com/widgets /registry/example.com/widgets/default/a']);
  });
test.run();
