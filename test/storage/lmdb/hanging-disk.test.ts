/** A disk that takes a write after all, when whoever waited for it has been answered. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { FailingDisk } from '../../harness/failing-disk.ts';
import { projectRoot } from '../../harness/programs.ts';
import { words } from '../contract/store.ts';
import type { Answer } from './hanging-writer.ts';

const disk = FailingDisk.make();
if (typeof disk === 'string') {
  console.log(`SKIPPED: ${disk}`);
  process.exit(0);
}
const folder = mkdtempSync(path.join(tmpdir(), 'hanging-disk-'));
const test = suite('a disk that hangs');
test.after(() => {
  disk.remove();
  rmSync(folder, { recursive: true });
});
/** Milliseconds; far above what it takes. */
const PATIENCE = 60_000;

test('what it has not ended is in doubt, and not refused', async () => {
  const program = path.join(projectRoot, 'test/storage/lmdb/hanging-writer.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, folder], {
    env: { ...process.env, ...disk.env },
    timeout: PATIENCE,
  });
  const { '/waiting': waiting, ...told }: Record<string, Answer> = JSON.parse(stdout);
  assert.equal(told, { '/before': 'written', '/failed': 'refused', '/hanging': 'in doubt', '/behind': 'refused' });
  const storage = openLmdbStorage({ directory: folder, dialect: 'test', terms: words });
  try {
    const isThere = (key: string): boolean => storage.get(key) !== undefined;
    assert.equal(
      ['/before', '/failed', '/hanging', '/behind'].filter(isThere),
      ['/before', '/hanging'],
      'the disk has taken it in the end',
    );
    // on a slow machine it comes in time to be part of the one that hangs
    assert.is(isThere('/waiting'), waiting === 'in doubt');
  } finally {
    await storage.close();
  }
});

test.run();
