import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { whileLocked } from '../../runtime/audit/lock-file.ts';

const test = suite('a lock that is a file');
const folder = mkdtempSync(path.join(tmpdir(), 'lock-file-'));
test.after(() => rmSync(folder, { recursive: true }));

let names = 0;
/** @returns a lock that a process has left which ended at once, made that many seconds ago by the clock of now */
function leftLock(seconds: number): string {
  const file = path.join(folder, String(++names));
  writeFileSync(file, '');
  const made = Date.now() / 1_000 - seconds;
  utimesSync(file, made, made);
  return file;
}

const left: [what: string, seconds: number][] = [
  ['by a process that has ended is taken over', 60],
  ['before the clock of the machine was set back a day is taken over', -86_400],
];
for (const [what, seconds] of left)
  test(`that was left ${what}`, async () => {
    const file = leftLock(seconds);
    let ran = false;
    const action = async (): Promise<void> => {
      ran = true;
      assert.ok(existsSync(file));
    };
    const isOver = await Promise.race([whileLocked(file, action).then(() => true), sleep(2_000, false, { ref: false })]);
    // who waits for it still is not to wait for ever
    rmSync(file, { force: true });
    assert.ok(isOver);
    assert.ok(ran);
  });

test('that somebody has is waited for', async () => {
  const file = path.join(folder, 'taken');
  const order: string[] = [];
  const first = whileLocked(file, async () => {
    await sleep(50);
    order.push('first');
  });
  await sleep(5);
  await Promise.all([first, whileLocked(file, async () => void order.push('second'))]);
  assert.equal(order, ['first', 'second']);
  assert.not(existsSync(file));
});

test.run();
