/** Long bodies are taken in rounds of the event loop, so that many that come at once hold nobody up. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { paceReceiving } from '../../runtime/connections/receiving-pace.ts';

const KIB = 1024;

class Body {
  readonly told: string[] = [];
  pause(): void {
    this.told.push('pause');
  }
  resume(): void {
    this.told.push('resume');
  }
}

const test = suite('the pace of receiving');
test.before.each(() => nextRound());

test('what is little goes on', async () => {
  const body = new Body();
  for (let round = 0; round < 5; round++) {
    paceReceiving(body, 200 * KIB);
    await nextRound();
  }
  assert.equal(body.told, []);
});

test('what is more than one round takes waits for the next one', async () => {
  const body = new Body();
  for (let chunk = 0; chunk < 4; chunk++) paceReceiving(body, 64 * KIB);
  assert.equal(body.told, ['pause']);
  await nextRound();
  assert.equal(body.told, ['pause', 'resume']);
});

test('all bodies together have one round', async () => {
  const bodies = Array.from({ length: 6 }, () => new Body());
  for (const body of bodies) paceReceiving(body, 64 * KIB);
  assert.equal(
    bodies.map(({ told }) => told.length),
    [0, 0, 0, 1, 1, 1],
  );
  await nextRound();
  assert.equal(
    bodies.map(({ told }) => told.at(-1)),
    [undefined, undefined, undefined, 'resume', 'resume', 'resume'],
  );
});

test('one that comes again in the next round is counted anew', async () => {
  const body = new Body();
  paceReceiving(body, 300 * KIB);
  await nextRound();
  paceReceiving(body, 64 * KIB);
  assert.equal(body.told, ['pause', 'resume']);
});

test.run();
