import { performance } from 'node:perf_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FlushPace } from '../../../runtime/storage/lmdb/write-ahead-log/flush-pace.ts';

const test = suite('pace of flushes');

/** A loop that has worked and idled for so many milliseconds, as tests say. */
class Loop {
  #now = 1_000;
  #idle = 500;
  #active = 500;
  readonly pace = new FlushPace(
    () => ({ idle: this.#idle, active: this.#active, utilization: this.#active / (this.#idle + this.#active) }),
    () => this.#now,
  );

  passes({ working, idling }: { working: number; idling: number }): void {
    this.#active += working;
    this.#idle += idling;
    this.#now += working + idling;
  }

  flushes(count: number, milliseconds: number): void {
    for (let i = 0; i < count; i++) this.pace.took(milliseconds);
  }
}

test('the loop waits once sixteen flushes in a row were swift', () => {
  const loop = new Loop();
  loop.flushes(15, 0.1);
  assert.not(loop.pace.waitsHere);
  loop.flushes(1, 1);
  assert.ok(loop.pace.waitsHere);
});

for (const [name, milliseconds] of [
  ['that takes long', 1.1],
  ['that fails', Number.POSITIVE_INFINITY],
] as const)
  test(`after one ${name} it takes as many again`, () => {
    const loop = new Loop();
    loop.flushes(100, 0.1);
    loop.flushes(1, milliseconds);
    assert.not(loop.pace.waitsHere);
    loop.flushes(15, 0.1);
    assert.not(loop.pace.waitsHere);
    loop.flushes(1, 0.1);
    assert.ok(loop.pace.waitsHere);
  });

test('a loop that has no time to spare does not wait, from the next look on', () => {
  const loop = new Loop();
  loop.flushes(16, 0.1);
  assert.ok(loop.pace.waitsHere);
  loop.passes({ working: 99, idling: 0 });
  assert.ok(loop.pace.waitsHere);
  loop.passes({ working: 1, idling: 0 });
  assert.not(loop.pace.waitsHere);
  loop.passes({ working: 95, idling: 5 });
  assert.ok(loop.pace.waitsHere);
  loop.passes({ working: 96, idling: 4 });
  assert.not(loop.pace.waitsHere);
});

test('of its own it looks at the loop of its thread', () => {
  const pace = new FlushPace();
  for (let i = 0; i < 16; i++) pace.took(0);
  const { utilization } = performance.eventLoopUtilization();
  // a thread that has only just begun has done nothing but work
  assert.is(pace.waitsHere, utilization <= 0.95);
});

test.run();
