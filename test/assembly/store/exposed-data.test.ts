import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exposedData } from '../../../runtime/assembly/store/exposed-data.ts';

const test = suite('data that others can reach');
const folder = mkdtempSync(path.join(tmpdir(), 'exposed-data-'));
test.after(() => rmSync(folder, { recursive: true }));
const certificates = path.join(folder, 'pki');
const store = path.join(folder, 'store');
test.before(() => {
  for (const each of [certificates, store]) mkdirSync(each, { mode: 0o700 });
  writeFileSync(path.join(store, 'data.mdb'), 'data', { mode: 0o600 });
  writeFileSync(path.join(store, 'ahead.log'), 'log', { mode: 0o600 });
});

test('none is told of where only the owner has it, or nothing is there yet', () => {
  assert.equal(exposedData(folder, certificates), []);
  assert.equal(exposedData(path.join(folder, 'missing'), path.join(folder, 'missing/pki')), []);
});

test('folders that every user can write to are named', () => {
  chmodSync(certificates, 0o777);
  assert.equal(exposedData(folder, certificates), [
    `${certificates} has the mode 0777: every user of this machine can replace files of the server in it; make it 0700`,
  ]);
  chmodSync(certificates, 0o755);
});

test('files of the store are named where every user can reach and read them', () => {
  const data = path.join(store, 'data.mdb');
  chmodSync(data, 0o644);
  assert.equal(exposedData(folder, certificates), []);
  for (const each of [folder, store]) chmodSync(each, 0o755);
  assert.equal(exposedData(folder, certificates), [
    `${data} has the mode 0644: every user of this machine can read what is stored, secrets among it; make it 0600`,
  ]);
});

test.run();
