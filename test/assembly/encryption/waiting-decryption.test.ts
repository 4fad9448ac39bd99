/** A key management service that says nothing holds whoever asks it for the time of a call, and no longer. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WaitingDecryption } from '../../../runtime/assembly/encryption/waiting-decryption.ts';
import { HOUR } from '../../harness/machine-clock.ts';

const test = suite('decryption that a thread waits for');
test('ends when its time has passed, whatever the clock of the machine says', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'waiting-decryption-'));
  const socket = path.join(folder, 'kms.sock');
  // this thread waits: nobody takes what comes
  const silent = createServer().listen(socket);
  await once(silent, 'listening');
  const waiting = new WaitingDecryption(socket, 10_000);
  const times = [0];
  const clocks = [mock.method(performance, 'now', () => times.shift() ?? HOUR), mock.method(Date, 'now', () => 0)];
  try {
    const request = { ciphertext: new Uint8Array(1), uid: 'uid', keyId: 'key', annotations: [] };
    assert.throws(() => waiting.decrypt(request, {}), /DeadlineExceeded desc = context deadline exceeded$/);
  } finally {
    for (const each of clocks) each.mock.restore();
    waiting.close();
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
test.run();
