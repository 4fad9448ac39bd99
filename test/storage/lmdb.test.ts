import { storageContract } from './contract.ts';
import { lmdbStore } from './lmdb-store.ts';

storageContract('lmdb', () => lmdbStore()).run();
storageContract('lmdb of one process, which defers lone writes', () => lmdbStore({ exclusive: true })).run();
