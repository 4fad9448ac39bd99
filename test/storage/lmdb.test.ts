import { propertyCases } from './contract/property.ts';
import { writeCases } from './contract/writes.ts';
import { storageContract } from './contract.ts';
import { lmdbStore } from './lmdb-store.ts';

storageContract('lmdb', () => lmdbStore()).run();
for (const cases of [writeCases, propertyCases]) cases('lmdb that commits lone writes at once', () => lmdbStore({ exclusive: true })).run();
