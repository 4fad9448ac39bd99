/** The contract of stores, by one whose values are in part encrypted. */
import { EncryptedResources } from '../../../runtime/registry/encrypted-resources.ts';
import { EncryptingStorage } from '../../../runtime/storage/encryption/encrypting-storage.ts';
import { identityProvider, keyProvider, type Provider } from '../../../runtime/storage/encryption/providers.ts';
import { isSealed, sealedHashes, sealedTerms } from '../../../runtime/storage/encryption/sealed-value.ts';
import { StoreEncryption } from '../../../runtime/storage/encryption/store-encryption.ts';
import type { FolderStorage, Terms } from '../../../runtime/storage/storage.ts';
import { type TestStore, words } from '../contract/store.ts';
import { storageContract } from '../contract.ts';
import { lmdbStore } from '../lmdb/lmdb-store.ts';

const terms: Terms = {
  ...words,
  of: (resource, value) => (isSealed(value) ? sealedTerms(sealedHashes(value)) : words.of(resource, value)),
};

/** Keys are not noted, for the contract counts all that is in a store. */
const unnoted = (provider: Provider): Provider => ({ ...provider, writesBy: undefined });
const secret = (byte: number) => [{ name: 'key', secret: Buffer.alloc(32, byte) }];
const [secretbox, gcm, cbc] = [
  keyProvider('secretbox', secret(1)),
  keyProvider('aesgcm', [...secret(2), { name: 'other', secret: Buffer.alloc(16, 9) }]),
  keyProvider('aescbc', secret(3)),
].map(unnoted) as [Provider, Provider, Provider];

async function encryptedStore(rules: Readonly<Record<string, readonly Provider[]>>, exclusive: boolean): Promise<TestStore> {
  const store = await lmdbStore({ terms, exclusive });
  const configuration = new EncryptedResources(
    Object.entries(rules).map(([resource, providers]) => ({ resources: [resource], providers })),
    (prefix) => ({ group: '', resource: prefix.replace('/', '-') }),
  );
  const wrap = async (storage: FolderStorage): Promise<FolderStorage> =>
    new EncryptingStorage(storage, await StoreEncryption.open(storage, words.of, configuration));
  let storage = await wrap(store.storage);
  return {
    get storage() {
      return storage;
    },
    async reopen() {
      storage = await wrap(await store.reopen());
      return storage;
    },
    index: () => store.storage.index(),
    remove: () => store.remove(),
  };
}

storageContract('some encrypted, each by others, by one process', () =>
  encryptedStore({ pods: [gcm, identityProvider], podtemplates: [secretbox, cbc], 'services-specs': [identityProvider, cbc] }, true),
).run();
