import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IdleVerification } from '../../runtime/storage/idle-verification.ts';
import type { Finding, StoreVerification } from '../../runtime/storage/storage.ts';

const test = suite('idle verification');

const finding: Finding = { key: 'a', revision: 1, found: 'its checksum is another one' };

interface Look {
  readonly steps: number;
  readonly found: number;
  readonly ended: readonly number[];
  readonly begun: number;
}

/** Looks of three steps with one finding. @param idle answers in turn; the last one again and again */
async function looked(interval: number, idle: readonly boolean[], until: (look: Look) => boolean, fails = false): Promise<Look> {
  const look = { steps: 0, found: 0, ended: [] as number[], begun: 0 };
  const answers = [...idle];
  const verification = new IdleVerification({
    interval,
    isIdle: () => (answers.length > 1 ? (answers.shift() as boolean) : (answers[0] as boolean)),
    begin(found) {
      look.begun++;
      let left = 3;
      return {
        counts: { rows: 3 },
        step(milliseconds): boolean {
          assert.ok(milliseconds > 0 && milliseconds < 10);
          if (fails) throw new Error('the store is gone');
          look.steps++;
          if (left === 2) found(finding);
          return --left > 0;
        },
      } satisfies StoreVerification;
    },
    found: () => look.found++,
    ended: (_, findings) => look.ended.push(findings),
  });
  verification.start();
  // nothing of it keeps a process
  const keep = setInterval(() => {}, 1_000);
  for (let i = 0; !until(look); i++) {
    assert.ok(i < 3_000, 'it does not come to that');
    await wait(10);
  }
  clearInterval(keep);
  verification.stop();
  return look;
}

test('looks by steps, tells what it finds, and begins again', async () => {
  const { steps, found, ended } = await looked(10, [true], (look) => look.ended.length === 2);
  assert.ok(steps >= 6);
  assert.ok(found >= 2);
  assert.equal(ended, [1, 1]);
});

test('does nothing while there is something else to do', async () => {
  const { steps, begun } = await looked(10, [false], (look) => look.begun > 0);
  assert.is(begun, 1);
  assert.is(steps, 0);
  const after = await looked(10, [false, false, false, true], (look) => look.ended.length > 0);
  assert.equal(after.ended, [1]);
});

test('waits for its time', async () => {
  const look = await looked(3_600_000, [true], () => true);
  await wait(50);
  assert.is(look.begun, 0);
});

test('an error is a finding, and ends the look', async () => {
  const { found, ended } = await looked(10, [true], (look) => look.ended.length > 0, true);
  assert.ok(found >= 1);
  assert.equal(ended.slice(0, 1), [1]);
});

test('a store that nothing can be damaged of is not looked at', async () => {
  let begun = 0;
  const verification = new IdleVerification({
    interval: 1,
    isIdle: () => true,
    begin: () => void begun++,
    found: () => assert.unreachable(),
    ended: () => assert.unreachable(),
  });
  verification.start();
  await wait(300);
  verification.stop();
  assert.is(begun, 1);
});

test.run();
