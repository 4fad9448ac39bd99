import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageFull, StorageUnwritable } from '../../../runtime/storage/errors.ts';
import { explainFailure, explainOpening } from '../../../runtime/storage/lmdb/writes/failure.ts';

const test = suite('failures');
const folder = mkdtempSync(path.join(tmpdir(), 'failures-'));
test.before(() => writeFileSync(path.join(folder, 'data.mdb'), Buffer.alloc(100_000)));
test.after(() => rmSync(folder, { recursive: true }));

const { EDQUOT, EFBIG, EIO, ENOSPC, EROFS } = constants.errno;
const native = (code: number, message: string): Error => Object.assign(new Error(message), { code });

/** LMDB goes on, or does not. */
const GOES_ON = { hasEnded: false };
const ENDED = { hasEnded: true };

for (const [code, name] of [
  [ENOSPC, 'ENOSPC'],
  [EDQUOT, 'EDQUOT'],
  [EFBIG, 'EFBIG'],
  [-30792, 'MDB_MAP_FULL'],
] as const)
  test(`${name} is a full disk, named with its file`, async () => {
    const { reason, final } = await explainFailure(native(code, 'no'), undefined, GOES_ON, folder);
    assert.instance(reason, StorageFull);
    assert.is(reason.message, `${folder}/data.mdb cannot be written: no room is left on its disk (${name})`);
    assert.is(final, false);
    const opening = explainOpening(native(code, 'no'), folder) as Error;
    assert.instance(opening, StorageFull);
    assert.match(
      opening.message,
      `${folder}/data.mdb cannot be opened, or not written: no room is left on its disk (${name}); 16 MiB are to be free`,
    );
  });

for (const [code, name] of [
  [EIO, 'EIO'],
  [EROFS, 'EROFS'],
] as const)
  test(`${name} is a failing disk where there is room, named with its file`, async () => {
    const { reason, final } = await explainFailure(native(code, 'it fails'), undefined, GOES_ON, folder);
    assert.instance(reason, StorageUnwritable);
    assert.not.instance(reason, StorageFull);
    assert.is((reason as StorageUnwritable).code, name);
    assert.is(reason.message, `${folder}/data.mdb cannot be written: it fails (${name})`);
    assert.is(final, false);
    assert.match(
      (explainOpening(native(code, 'it fails'), folder) as Error).message,
      `data.mdb cannot be opened, or not written: it fails (${name})`,
    );
    assert.equal(readdirSync(folder), ['data.mdb'], 'nothing is left of what was tried');
  });

test('which page was to be written is no part of the reason', async () => {
  const detailed = native(EIO, 'it fails: Attempting to write page at position 8192, size 8192, blocks 1, buffer sizes 8192 0 0');
  assert.match(
    (await explainFailure(detailed, undefined, GOES_ON, folder)).reason.message,
    /data\.mdb cannot be written: it fails \(EIO\)$/,
  );
});

test('what LMDB rejects with is asked for its reason', async () => {
  const rejection = Object.assign(new Error('Commit failed'), { commitError: Promise.reject(native(ENOSPC, 'no')) });
  assert.instance((await explainFailure(rejection, undefined, GOES_ON, folder)).reason, StorageFull);
});

test('what is no error of LMDB ends writing, and so does LMDB where it has ended', async () => {
  const thrown = await explainFailure(new Error('aborted'), new TypeError('a fault'), GOES_ON, folder);
  assert.match(thrown.reason.message, /data\.mdb cannot be written: a fault$/);
  assert.is(thrown.final, true);
  assert.is((await explainFailure(native(EIO, 'it fails'), undefined, ENDED, folder)).final, true);
  const own = new Error('its own');
  assert.is(explainOpening(own, folder), own);
});

test('what follows a head that could not be written is told the same as the transaction that wrote it', async () => {
  const { reason, final } = await explainFailure(native(-30795, 'Update of meta page failed'), undefined, ENDED, folder);
  assert.instance(reason, StorageUnwritable);
  assert.is((reason as StorageUnwritable).code, 'EIO');
  assert.is(final, true);
});

test('a folder that is gone is no reason to fail again', async () => {
  const gone = path.join(folder, 'gone');
  mkdirSync(gone);
  rmSync(gone, { recursive: true });
  assert.match((await explainFailure(native(EIO, 'it fails'), undefined, GOES_ON, gone)).reason.message, /it fails \(EIO\)$/);
});

test.run();
