import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuditEvent } from '../../runtime/audit/audit-event.ts';
import {
  type AuditBackend,
  BatchedDelivery,
  type BatchOptions,
  BlockingDelivery,
  FlowingDelivery,
  type FlowOptions,
} from '../../runtime/audit/delivery.ts';

const test = suite('the delivery of audit events');
const event = (name: string, stage = 'RequestReceived') => ({ json: () => name, stage }) as AuditEvent;

/** Keeps batches, and takes them when it is let. */
class Kept implements AuditBackend {
  readonly name = 'kept';
  readonly batches: string[][] = [];
  isClosed = false;
  hurries = 0;
  /** what the next ones wait for */
  gate: Promise<void> = Promise.resolve();
  async deliver(events: readonly AuditEvent[]): Promise<void> {
    await this.gate;
    assert.not.ok(this.isClosed);
    this.batches.push(events.map((each) => each.json()));
  }
  hurry(): void {
    this.hurries++;
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const nobodyLost = () => assert.unreachable('an event is lost');
const batches = (options: Partial<BatchOptions>) => ({ bufferSize: 100, maxBatchSize: 3, maxBatchWait: 60_000, atOnce: 1, ...options });

test('that requests wait for says what became of them', async () => {
  const kept = new Kept();
  const sink = new BlockingDelivery(kept, false, nobodyLost);
  const gate = Promise.withResolvers<void>();
  kept.gate = gate.promise;
  let taken: boolean | undefined;
  const waiting = sink.take(event('a')).then((outcome) => {
    taken = outcome;
  });
  await sleep(5);
  assert.is(taken, undefined);
  gate.resolve();
  await waiting;
  assert.equal([taken, kept.batches], [true, [['a']]]);
});

for (const [isStrict, taken] of [
  [false, true],
  [true, false],
] as const)
  test(`that fails ${isStrict ? 'refuses' : 'lets'} the request ${isStrict ? '' : 'go on'}`, async () => {
    const lost: number[] = [];
    const failing: AuditBackend = { name: 'x', deliver: () => Promise.reject(new Error('full')), close: async () => {} };
    const sink = new BlockingDelivery(failing, isStrict, (events) => lost.push(events));
    assert.equal([await sink.take(event('a')), lost], [taken, [1]]);
  });

test('in batches goes as soon as one is full', async () => {
  const kept = new Kept();
  const sink = new BatchedDelivery(kept, batches({}), nobodyLost);
  for (const name of 'abcdefg') assert.is(sink.take(event(name)), true);
  await sleep(5);
  assert.equal(kept.batches, [
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
  ]);
  await sink.close();
  assert.equal(kept.batches.at(-1), ['g']);
  assert.ok(kept.isClosed);
});

test('in batches goes when it has waited long enough', async () => {
  const kept = new Kept();
  const sink = new BatchedDelivery(kept, batches({ maxBatchWait: 1 }), nobodyLost);
  sink.take(event('a'));
  sink.take(event('b'));
  for (let i = 0; i < 1_000 && kept.batches.length === 0; i++) await sleep(1);
  assert.equal(kept.batches, [['a', 'b']]);
  sink.take(event('c'));
  for (let i = 0; i < 1_000 && kept.batches.length === 1; i++) await sleep(1);
  assert.equal(kept.batches.at(-1), ['c']);
  await sink.close();
});

test('of what finds the buffer full is not', async () => {
  const kept = new Kept();
  const gate = Promise.withResolvers<void>();
  kept.gate = gate.promise;
  let lost = 0;
  const sink = new BatchedDelivery(kept, batches({ bufferSize: 4, maxBatchSize: 1 }), (events) => (lost += events));
  sink.take(event('under way'));
  await sleep(5);
  for (const name of 'abcdef') assert.is(sink.take(event(name)), true, 'nobody waits');
  assert.is(lost, 2);
  gate.resolve();
  await sink.close();
  assert.equal(kept.batches.flat(), ['under way', 'a', 'b', 'c', 'd']);
});

test('goes so often in a second, and loses nothing at the end', async () => {
  const kept = new Kept();
  const sink = new BatchedDelivery(kept, batches({ maxBatchSize: 1, throttle: { perSecond: 200, burst: 2 } }), nobodyLost);
  const began = performance.now();
  for (const name of 'abcdefgh') sink.take(event(name));
  await sink.close();
  assert.equal(kept.batches.flat(), [...'abcdefgh']);
  assert.ok(performance.now() - began >= 25, 'six of eight have waited for 5 ms each');
});

test('goes to several at once where that is allowed', async () => {
  const kept = new Kept();
  const gate = Promise.withResolvers<void>();
  kept.gate = gate.promise;
  let begun = 0;
  const counting: AuditBackend = {
    name: 'x',
    deliver: (events) => {
      begun++;
      return kept.deliver(events);
    },
    close: () => kept.close(),
  };
  const sink = new BatchedDelivery(counting, batches({ maxBatchSize: 1, atOnce: 2 }), nobodyLost);
  for (const name of 'abc') sink.take(event(name));
  await sleep(5);
  assert.is(begun, 2);
  gate.resolve();
  await sink.close();
  assert.equal(kept.batches.flat(), ['a', 'b', 'c']);
});

test('that fails is counted, and what comes later goes on', async () => {
  let attempts = 0;
  let lost = 0;
  const failing: AuditBackend = {
    name: 'x',
    deliver: () => (++attempts === 1 ? Promise.reject(new Error('gone')) : Promise.resolve()),
    close: async () => {},
  };
  const sink = new BatchedDelivery(failing, batches({ maxBatchSize: 2 }), (events) => (lost += events));
  for (const name of 'abcd') sink.take(event(name));
  await sink.close();
  assert.equal([attempts, lost], [2, 2]);
});

test('that fails for events that go together is counted for each', async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const awaited: boolean[] = [];
  const shared: AuditBackend = {
    name: 'x',
    deliver: (_events, isAwaited = true) => {
      awaited.push(isAwaited);
      if (awaited.length % 3 === 1) gates.push(Promise.withResolvers());
      return gates.at(-1)?.promise as Promise<void>;
    },
    close: async () => {},
  };
  const lost: number[] = [];
  const sink = new BlockingDelivery(shared, true, (events) => lost.push(events));
  const taken = [sink.take(event('a')), sink.take(event('b', 'ResponseComplete')), sink.take(event('c'))];
  gates[0]?.reject(new Error('full'));
  assert.equal([await Promise.all(taken), lost, awaited], [[false, false, false], [3], [true, false, true]]);
  const later = sink.take(event('d'));
  gates[1]?.resolve();
  assert.equal([await later, lost], [true, [3]]);
});

test('that throws loses the event', async () => {
  const lost: number[] = [];
  const throwing: AuditBackend = {
    name: 'x',
    deliver: () => {
      throw new RangeError('too long');
    },
    close: async () => {},
  };
  assert.is(await new BlockingDelivery(throwing, true, (events) => lost.push(events)).take(event('a')), false);
  const flowing = new FlowingDelivery(throwing, flow({}), (events) => lost.push(events));
  flowing.take(event('a'));
  await flowing.close();
  assert.equal(lost, [1, 1]);
});

const flow = (options: Partial<FlowOptions>): FlowOptions => ({ bufferSize: 100, enough: 1, maxWait: 60_000, ...options });
const until = async (holds: () => boolean) => {
  for (let i = 0; i < 2_000 && !holds(); i++) await sleep(1);
};

test('that flows takes together what comes together', async () => {
  const kept = new Kept();
  const sink = new FlowingDelivery(kept, flow({}), nobodyLost);
  for (const name of 'abc') assert.is(sink.take(event(name)), true);
  await until(() => kept.batches.length > 0);
  for (const name of 'de') sink.take(event(name));
  await until(() => kept.batches.length > 1);
  assert.equal(kept.batches, [
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
  sink.take(event('f'));
  await sink.close();
  assert.equal(kept.batches.at(-1), ['f']);
  assert.ok(kept.isClosed);
});

test('that flows waits for enough, or long enough', async () => {
  const kept = new Kept();
  const sink = new FlowingDelivery(kept, flow({ enough: 3 }), nobodyLost);
  for (const name of 'ab') sink.take(event(name));
  await sleep(30);
  assert.equal(kept.batches, []);
  sink.take(event('c'));
  await until(() => kept.batches.length > 0);
  assert.equal(kept.batches, [['a', 'b', 'c']]);
  await sink.close();
  const soon = new FlowingDelivery(new Kept(), flow({ enough: 3, maxWait: 1 }), nobodyLost);
  soon.take(event('a'));
  await soon.close();
});

test('that flows loses what finds the buffer full, and nothing because it waits a little', async () => {
  const kept = new Kept();
  const gate = Promise.withResolvers<void>();
  kept.gate = gate.promise;
  let lost = 0;
  const sink = new FlowingDelivery(kept, flow({ bufferSize: 4 }), (events) => (lost += events));
  for (const name of 'abcdefgh') assert.is(sink.take(event(name)), true, 'nobody waits');
  assert.is(lost, 2, 'two are under way, and four wait');
  gate.resolve();
  await sink.close();
  assert.equal(kept.batches, [
    ['a', 'b'],
    ['c', 'd', 'e', 'f'],
  ]);
});

test.run();
