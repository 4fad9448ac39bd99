import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProcessorWait, type ThreadTimes } from '../../runtime/event-loop/processor-wait.ts';

const test = suite('waits for a processor');

/** Of a thread that has run and waited for as long as is said, by the time. */
class Thread {
  looks = 0;
  times: ThreadTimes | undefined = { ran: 0, waited: 0 };
  readonly wait = new ProcessorWait(() => {
    this.looks++;
    return this.times;
  });

  isContended(now: number, ran: number, waited: number): boolean {
    this.times = { ran, waited };
    return this.wait.isContended(now);
  }
}

for (const { name, ran, waited, contended } of [
  { name: 'a thread that never waits', ran: 100, waited: 0, contended: false },
  { name: 'a thread that waits now and then', ran: 80, waited: 20, contended: false },
  { name: 'a thread that waits for a quarter of its time', ran: 75, waited: 25, contended: true },
  { name: 'a thread that hardly runs', ran: 1, waited: 99, contended: true },
  { name: 'a thread that sleeps', ran: 0, waited: 0, contended: false },
])
  test(`of ${name}`, () => {
    const thread = new Thread();
    assert.is(thread.isContended(1_000, 500, 5_000), false, 'nothing is known yet');
    assert.is(thread.isContended(1_100, 500 + ran, 5_000 + waited), contended);
  });

test('are looked at ten times a second at most', () => {
  const thread = new Thread();
  for (let now = 0; now < 1_000; now++) thread.isContended(now, now / 2, now / 2);
  assert.is(thread.looks, 10);
});

test('that lie back do not count', () => {
  const thread = new Thread();
  thread.isContended(0, 0, 0);
  assert.is(thread.isContended(100, 50, 50), true);
  assert.is(thread.isContended(10_000, 100, 5_000), false);
  assert.is(thread.isContended(10_100, 150, 5_050), true);
  assert.is(thread.isContended(10_200, 250, 5_050), false);
});

test('that the system does not tell of are asked for once', () => {
  const thread = new Thread();
  thread.times = undefined;
  for (let now = 0; now < 1_000; now += 50) assert.is(thread.wait.isContended(now), false);
  assert.is(thread.looks, 1);
});

test('are told of by this system, or not, without an error', () => {
  const wait = new ProcessorWait();
  for (let now = 0; now < 1_000; now += 100) assert.type(wait.isContended(now), 'boolean');
});

test.run();
