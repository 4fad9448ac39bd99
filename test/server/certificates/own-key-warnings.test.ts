import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exposedKeys, replacedKeys } from '../../../runtime/server/certificates/own-key-warnings.ts';

const test = suite('warnings of keys');
const folder = mkdtempSync(path.join(tmpdir(), 'own-keys-'));
test.after(() => rmSync(folder, { recursive: true }));
test.before(() => {
  for (const name of ['ca', 'client-ca', 'service-account']) writeFileSync(path.join(folder, `${name}.key`), 'a key', { mode: 0o600 });
  writeFileSync(path.join(folder, 'ca.crt'), 'a certificate', { mode: 0o644 });
});

test('name those that every user can read', () => {
  assert.equal(exposedKeys(folder), []);
  chmodSync(path.join(folder, 'ca.key'), 0o644);
  chmodSync(path.join(folder, 'client-ca.key'), 0o640);
  const [told = '', ...more] = exposedKeys(folder);
  assert.equal(more, []);
  assert.ok(told.startsWith(`${path.join(folder, 'ca.key')} has the mode 0644: every user of this machine can read the key`), told);
});

test('name those that are made anew, with what is lost by that', () => {
  const none = (): boolean => false;
  assert.equal(replacedKeys(folder, none), []);
  // of an authority whose certificate is there nothing is made
  for (const name of ['ca', 'service-account']) rmSync(path.join(folder, `${name}.key`));
  assert.equal(replacedKeys(folder, none), [
    `${path.join(folder, 'service-account.key')} is missing and is made anew: tokens that were issued are no longer believed, unless it is brought back from a copy`,
  ]);
  assert.equal(
    replacedKeys(folder, (name) => name === 'service-account'),
    [],
  );
  assert.is(replacedKeys(path.join(folder, 'missing'), none).length, 3);
  // a folder that cannot be read tells nothing of what is in it
  assert.equal(replacedKeys(path.join(folder, 'ca.crt'), none), []);
});

test.run();
