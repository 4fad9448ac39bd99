import { storageContract } from './contract.ts';
import { lmdbStore } from './lmdb-store.ts';

const contract = storageContract('lmdb', () => lmdbStore());

contract.run();
