/** What a store with encrypted values does besides what every store does: keys that come and go, values that are not what was encrypted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EncryptedResources } from '../../../runtime/registry/encrypted-resources.ts';
import { EncryptingStorage } from '../../../runtime/storage/encryption/encrypting-storage.ts';
import { KeyRetirement } from '../../../runtime/storage/encryption/key-retirement.ts';
import { identityProvider, keyProvider, type Provider } from '../../../runtime/storage/encryption/providers.ts';
import { encryptedPart, isSealed, sealedHashes, sealedTerms } from '../../../runtime/storage/encryption/sealed-value.ts';
import { StoreEncryption } from '../../../runtime/storage/encryption/store-encryption.ts';
import { ValueUndecryptable } from '../../../runtime/storage/errors.ts';
import { REVISION_GAP, repeated, type Storage, type Terms } from '../../../runtime/storage/storage.ts';
import { bytes, thrown, withStore, words } from '../contract/store.ts';
import { type LmdbTestStore, lmdbStore } from '../lmdb/lmdb-store.ts';

const terms: Terms = {
  ...words,
  of: (resource, value) => (isSealed(value) ? sealedTerms(sealedHashes(value)) : words.of(resource, value)),
};
const named = (name: string, byte: number) => ({ name, secret: Buffer.alloc(32, byte) });
const [one, two] = [named('one', 1), named('two', 2)];

const configured = (...providers: readonly Provider[]) =>
  new EncryptedResources(providers.length === 0 ? [] : [{ resources: ['secrets'], providers }], (prefix) => ({
    group: '',
    resource: prefix,
  }));

interface Encrypted {
  readonly store: LmdbTestStore;
  readonly encryption: StoreEncryption;
  readonly storage: Storage;
}

const test = suite('a store with encrypted values');

function add(title: string, providers: readonly Provider[], body: (encrypted: Encrypted) => Promise<void>): void {
  test(title, () =>
    withStore(
      () => lmdbStore({ terms }),
      async (store) => {
        const encryption = await StoreEncryption.open(store.storage, words.of, configured(...providers));
        await body({ store, encryption, storage: new EncryptingStorage(store.storage, encryption) });
      },
    ),
  );
}

const outdated = (storage: Storage, key: string): boolean => storage.get(key)?.outdated === true;
const found = (storage: Storage, term: string): string[] => {
  const keys: string[] = [];
  storage.scan({ start: 'secrets/', end: 'secrets0', requirements: [[term]] }).next(({ key, value }) => {
    if (value.toString().split(' ').includes(term)) keys.push(key);
    return true;
  });
  return keys;
};

for (const name of ['aesgcm', 'secretbox'] as const)
  add(
    `${name}: a value that was changed is an error that names its key, for whoever reads it`,
    [keyProvider(name, [one])],
    async ({ store, storage }) => {
      await storage.create('secrets/a', bytes('red'));
      const sealed = Buffer.from(store.storage.get('secrets/a')?.value as Buffer);
      assert.ok(encryptedPart(sealed).toString('latin1').startsWith(`k8s:enc:${name}:v1:one:`));
      sealed[sealed.length - 1] = (sealed[sealed.length - 1] as number) ^ 1;
      await store.storage.create('secrets/b', { bytes: sealed, revisionOffset: -1 });
      for (const read of [
        () => storage.get('secrets/b'),
        () => storage.look('secrets/b', ({ value }) => value),
        () => Array.from(storage.range({ start: 'secrets/', end: 'secrets0' }), ({ value }) => value),
        () => found(storage, 'red'),
        () => Array.from(storage.changes(0, 'secrets/'), ({ value }) => value),
      ]) {
        const error = await thrown(read);
        assert.instance(error, ValueUndecryptable);
        assert.is((error as ValueUndecryptable).key, 'secrets/b');
      }
      assert.is(storage.get('secrets/a')?.value.toString(), 'red');
      await storage.delete('secrets/b', storage.revisionOf('secrets/b') as number, bytes('gone'));
    },
  );

add('aesgcm: a value in the place of another one is an error', [keyProvider('aesgcm', [one])], async ({ store, storage }) => {
  await storage.create('secrets/a', bytes('red'));
  await store.storage.create('secrets/b', { bytes: Buffer.from(store.storage.get('secrets/a')?.value as Buffer), revisionOffset: -1 });
  assert.match(String(await thrown(() => storage.get('secrets/b'))), /secrets\/b .*message authentication failed/);
});

add(
  'the first key of the first provider encrypts, all decrypt; what another one has encrypted is outdated',
  [identityProvider],
  async ({ store, encryption, storage }) => {
    const written: string[] = [];
    for (const [key, ...providers] of [
      ['secrets/plain', identityProvider],
      ['secrets/old', keyProvider('aescbc', [one]), identityProvider],
      ['secrets/new', keyProvider('aescbc', [two, one]), identityProvider],
      ['secrets/box', keyProvider('secretbox', [one]), keyProvider('aescbc', [two, one]), identityProvider],
    ] as const) {
      await encryption.use(configured(...providers));
      await storage.create(key, bytes('red'));
      written.push(key);
      await store.storage.index();
      for (const each of written) {
        assert.is(storage.get(each)?.value.toString(), 'red', `${each} behind ${key}`);
        assert.is(outdated(storage, each), each !== key, `${each} behind ${key}`);
      }
      assert.equal(found(storage, 'red'), written.toSorted());
      assert.equal(found(storage, 'blue'), []);
    }
  },
);

add(
  'a search meets what nobody can decrypt any more, and leaves nothing out',
  [keyProvider('secretbox', [one])],
  async ({ store, encryption, storage }) => {
    await storage.create('secrets/a', bytes('red'));
    await store.storage.index();
    for (const providers of [[keyProvider('secretbox', [two])], [keyProvider('secretbox', [named('one', 3)])], [identityProvider], []]) {
      await encryption.use(configured(...providers));
      assert.instance(await thrown(() => found(storage, 'red')), ValueUndecryptable);
    }
    await encryption.use(configured(keyProvider('secretbox', [two, one])));
    assert.equal(found(storage, 'red'), ['secrets/a']);
  },
);

for (const [how, providers] of [
  ['by identity', [identityProvider, keyProvider('secretbox', [one])]],
  ['by no provider', []],
] as const)
  add(`what is written again, and is not encrypted any more, ${how}, is whole`, [keyProvider('secretbox', [one])], async (encrypted) => {
    const { store, encryption, storage } = encrypted;
    const before = '{"r":"';
    const value = { bytes: Buffer.from(`${before}${'?'.repeat(REVISION_GAP)},"text":"red"}`), revisionOffset: before.length };
    const marked = await storage.create('secrets/a', value);
    await encryption.use(configured(...providers));
    await storage.delete('secrets/a', marked, repeated(value, marked));
    const again = await store.reopen();
    const last = [...again.changes(marked, 'secrets/')].map((change) => JSON.parse(String(change.value)));
    assert.equal(last, [{ r: String(again.currentRevision()), text: 'red' }]);
  });

/** Encrypts by a key that becomes another one while the configuration stays the same, as that of a key management service does. */
function changingProvider(): { readonly provider: Provider; change(): void } {
  let [first, changes] = [keyProvider('secretbox', [one]), 0];
  const provider: Provider = {
    ...first,
    encrypt: (...of) => first.encrypt(...of),
    decrypt: (...of) => first.decrypt(...of),
  };
  return { provider, change: () => (first = keyProvider('secretbox', [named(`other${++changes}`, 5), one])) };
}

const changing = changingProvider();
add(
  'what another key of a provider has encrypted is outdated, though it is known',
  [changing.provider],
  async ({ store, encryption, storage }) => {
    await storage.create('secrets/a', bytes('red'));
    assert.not(outdated(storage, 'secrets/a'));
    const written = storage.create('secrets/b', bytes('blue'));
    changing.change();
    encryption.forgetOpened();
    await written;
    for (const key of ['secrets/a', 'secrets/b']) assert.ok(outdated(storage, key), key);
    await storage.create('secrets/c', bytes('green'));
    assert.not(outdated(storage, 'secrets/c'));
    // the same where it has to be read
    encryption.forgetOpened();
    for (const [key, word] of [
      ['secrets/a', 'red'],
      ['secrets/b', 'blue'],
      ['secrets/c', 'green'],
    ] as const) {
      assert.is(
        storage.look(key, ({ value }) => value.toString()),
        word,
      );
      assert.is(
        storage.look(key, ({ revision }) => revision),
        store.storage.revisionOf(key),
      );
      assert.is(outdated(storage, key), key !== 'secrets/c', key);
    }
  },
);

/** Whether a search goes by terms, for no value may be there whose terms are unknown. */
const goesByTerms = (encryption: StoreEncryption): boolean => encryption.requirementsFor('secrets', [['red']]) !== undefined;
const forgottenNames = async (retirement: KeyRetirement): Promise<string[]> =>
  (await retirement.look()).map((id) => id.slice(0, id.lastIndexOf(':')));

add(
  'a key that is in no configuration is forgotten once nothing is encrypted by it, history included',
  [keyProvider('secretbox', [one])],
  async ({ store, encryption, storage }) => {
    const retirement = new KeyRetirement(store.storage, encryption);
    const write = (key: string, word: string) => storage.update(key, storage.revisionOf(key) as number, bytes(word));
    for (const key of ['secrets/a', 'secrets/b']) await storage.create(key, bytes('red'));
    await encryption.use(configured(keyProvider('secretbox', [two, one])));
    await write('secrets/a', 'red');
    assert.equal(await forgottenNames(retirement), [], 'it may be needed');
    await encryption.use(configured(keyProvider('secretbox', [two])));
    await store.storage.compact(store.storage.currentRevision());
    assert.equal(await forgottenNames(retirement), [], 'one value is left');
    assert.instance(await thrown(() => found(storage, 'red')), ValueUndecryptable);
    await encryption.use(configured(keyProvider('secretbox', [two, one])));
    await write('secrets/b', 'red');
    await encryption.use(configured(keyProvider('secretbox', [two])));
    assert.equal(await forgottenNames(retirement), [], 'one value is left of the past');
    assert.not(goesByTerms(encryption));
    await store.storage.compact(store.storage.currentRevision());
    assert.equal(await forgottenNames(retirement), ['k8s:enc:secretbox:v1:one']);
    assert.ok(goesByTerms(encryption));
    assert.equal(found(storage, 'red'), ['secrets/a', 'secrets/b']);
    assert.equal(await forgottenNames(retirement), []);
    await retirement.stop();
  },
);

add(
  'a key that another process forgets while it encrypts here is noted again',
  [keyProvider('secretbox', [one])],
  async ({ store, storage }) => {
    const other = await StoreEncryption.open(store.storage, words.of, configured(keyProvider('secretbox', [two])));
    assert.equal(await forgottenNames(new KeyRetirement(store.storage, other)), ['k8s:enc:secretbox:v1:one']);
    assert.ok(goesByTerms(other));
    await storage.create('secrets/a', bytes('red'));
    await storage.create('secrets/b', bytes('red'));
    assert.not(goesByTerms(other));
    assert.instance(await thrown(() => found(new EncryptingStorage(store.storage, other), 'red')), ValueUndecryptable);
  },
);

add(
  'nothing of a value, and no term, is in what is stored; equal terms of two resources differ',
  [keyProvider('secretbox', [one])],
  async ({ store, storage }) => {
    await storage.create('secrets/a', bytes('red red-and-blue'));
    await storage.update('secrets/a', storage.revisionOf('secrets/a') as number, bytes('green'));
    for (const { value, previousValue } of store.storage.changes(0, 'secrets/'))
      for (const stored of [value, previousValue ?? value]) for (const word of ['red', 'blue', 'green']) assert.not(stored.includes(word));
    assert.equal(
      Array.from(storage.changes(0, 'secrets/'), ({ value, previousValue }) => [value.toString(), previousValue?.toString()]),
      [
        ['red red-and-blue', undefined],
        ['green', 'red red-and-blue'],
      ],
    );
  },
);
test.run();
