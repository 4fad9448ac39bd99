/** A store that one process has for itself, and another one opens all the same, such as where somebody has removed the lock of the data directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, rejection } from '../contract/store.ts';
import { lmdbStore } from './lmdb-store.ts';

const test = suite('taken stores');

/** Opens a store, writes to it once, and ends. */
const OTHER = `
  const { openLmdbStorage } = await import(process.argv[1]);
  const storage = openLmdbStorage({ directory: process.argv[2], dialect: 'test', exclusive: process.argv[3] === 'true' });
  await storage.create('a/other', { bytes: Buffer.from('other'), terms: [] });
  await storage.close();
`;
const STORAGE = new URL('../../../runtime/storage/lmdb/lmdb-storage.ts', import.meta.url).href;

for (const exclusive of [true, false])
  test(`nothing is acknowledged that ${exclusive ? 'another one that is alone' : 'one of several'} would not have`, async () => {
    const ends: Error[] = [];
    const store = await lmdbStore({ exclusive: true, onEnd: (error) => ends.push(error) });
    try {
      assert.is(await store.storage.create('a/1', bytes('one')), 1);
      const other = spawn(process.execPath, ['--input-type=module', '-e', OTHER, STORAGE, store.directory, String(exclusive)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      assert.equal(await once(other, 'exit'), [0, null]);
      const refused = String(await rejection(store.storage.create('a/2', bytes('two'))));
      assert.match(refused, /data\.mdb cannot be written: another process has opened it, although this one has it for itself/);
      assert.match(String(await rejection(store.storage.create('a/3', bytes('three')))), /another process has opened it/);
      await new Promise(setImmediate);
      assert.is(ends.length, 1);
      const again = await store.reopen();
      assert.equal(
        Array.from(again.range({ start: 'a/', end: 'a0' }), ({ key }) => key),
        ['a/1', 'a/other'],
      );
    } finally {
      await store.remove();
    }
  });

test.run();
