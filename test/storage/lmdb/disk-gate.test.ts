import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DiskGate } from '../../../runtime/storage/lmdb/store-files/disk-gate.ts';
import { canLimitFiles, limitFiles, ownDisk } from '../../harness/small-disk.ts';
import { thrown } from '../contract/store.ts';

const test = suite('the gate in front of a disk');
const folder = mkdtempSync(path.join(tmpdir(), 'disk-gate-'));
test.after(() => rmSync(folder, { recursive: true }));

const { EFBIG, ENOENT, ENOSPC, ESTALE } = constants.errno;
const BYTES = 100_000;

function store(name: string, parent = folder): string {
  const directory = path.join(parent, name);
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'data.mdb'), Buffer.alloc(BYTES));
  return directory;
}

/** @returns the code that it is closed by */
const closedBy = (gate: DiskGate): unknown => (thrown(() => gate.assertOpen()) as { code: unknown }).code;

test('is open where the disk takes what is written, and leaves no file', () => {
  const directory = store('good');
  const gate = new DiskGate(directory);
  gate.assertOpen();
  gate.passed(false);
  gate.assertOpen();
  assert.equal(readdirSync(directory), ['data.mdb']);
  gate.close();
});

test('is closed where the folder is gone', () => {
  const directory = store('gone');
  rmSync(directory, { recursive: true });
  assert.is(closedBy(new DiskGate(directory)), ENOENT);
});

test('is closed while the data is removed, or another file has its name: both are seen within a tenth of a second', () => {
  const directory = store('replaced');
  const [data, kept] = [path.join(directory, 'data.mdb'), path.join(directory, 'kept')];
  let now = 1_000;
  const gate = new DiskGate(directory, () => now);
  gate.assertOpen();
  renameSync(data, kept);
  now += 60;
  gate.assertOpen();
  now += 40;
  assert.is(closedBy(gate), ENOENT);
  writeFileSync(data, Buffer.alloc(BYTES));
  assert.is(closedBy(gate), ESTALE);
  renameSync(kept, data);
  gate.assertOpen();
  renameSync(data, kept);
  now += 100;
  assert.is(closedBy(gate), ENOENT);
  gate.close();
});

if (canLimitFiles)
  test('is closed behind a transaction that failed, until a file of that length can grow', () => {
    const directory = store('limited');
    const gate = new DiskGate(directory);
    try {
      limitFiles(process.pid, BYTES);
      gate.assertOpen();
      gate.passed(false);
      assert.is(closedBy(gate), EFBIG);
      limitFiles(process.pid, undefined);
      gate.assertOpen();
      gate.passed(true);
      limitFiles(process.pid, BYTES);
      gate.assertOpen();
    } finally {
      limitFiles(process.pid, undefined);
      gate.close();
    }
  });

test('a disk with much room is tried every ten milliseconds, and at once behind a transaction that failed', () => {
  const directory = store('tried');
  let now = 1_000;
  const gate = new DiskGate(directory, () => now);
  gate.assertOpen();
  const { bfree, bsize } = statfsSync(directory);
  const isRoomy = bfree * bsize >= 4 * 1024 ** 3;
  // it has to open another file then, with its next try
  gate.close();
  const files = () => readdirSync('/proc/self/fd').length;
  const open = files();
  now += 9;
  gate.assertOpen();
  assert.is(files(), isRoomy ? open : open + 1);
  gate.close();
  now += 1;
  gate.assertOpen();
  assert.is(files(), open + 1, 'it is tried by a new file');
  gate.close();
  gate.passed(false);
  gate.assertOpen();
  assert.is(files(), open + 1, 'it is tried by a new file');
  gate.close();
});

const disk = ownDisk();
if (disk !== undefined)
  test('is closed before the disk is full', () => {
    const directory = store('store', disk.directory);
    const gate = new DiskGate(directory);
    try {
      gate.assertOpen();
      writeFileSync(path.join(disk.directory, 'most'), Buffer.alloc(40 * 1024 * 1024));
      assert.is(closedBy(gate), ENOSPC);
      rmSync(path.join(disk.directory, 'most'));
      gate.assertOpen();
    } finally {
      gate.close();
      disk.remove();
    }
  });

test.run();
