/** Fair queuing on a clock of its own: shares, refusals, waits, changes, and what must hold whatever happens. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FlowDealer, flowHash } from '../../runtime/fairness/flow-dealer.ts';
import { Place, type RefusalReason } from '../../runtime/fairness/place.ts';
import { QueueSet, type QueueSetForm } from '../../runtime/fairness/queue-set.ts';
import type { WorkEstimate } from '../../runtime/fairness/work-estimate.ts';
import { TestClock } from './flow-clock.ts';

const seats = (initialSeats: number, finalSeats = 0, additionalLatency = 0): WorkEstimate => ({
  initialSeats,
  finalSeats,
  additionalLatency,
});
const queueing = (queues: number, queueLength: number): QueueSetForm => ({ kind: 'queue', queues, queueLength });
const REJECT: QueueSetForm = { kind: 'reject', queues: 0, queueLength: 0 };
const EXEMPT: QueueSetForm = { kind: 'exempt', queues: 0, queueLength: 0 };

/** @throws Error for one that was refused */
function place(got: Place<string> | RefusalReason): Place<string> {
  if (got instanceof Place) return got;
  throw new Error(got);
}

interface FlowOptions {
  readonly name: string;
  readonly clients: number;
  /** milliseconds that the server is busy with a request */
  readonly service: number;
  readonly work?: WorkEstimate;
  /** milliseconds between an answer and the next request of the same client */
  readonly pause?: number;
}

/** Clients that ask again when they were answered; those that are refused try again a second later. */
class Flow {
  seatTime = 0;
  answered = 0;
  refused = 0;
  readonly waits: number[] = [];

  constructor(
    set: QueueSet<string>,
    clock: TestClock,
    hand: readonly number[],
    { name, clients, service, work = seats(1), pause = 0 }: FlowOptions,
  ) {
    const ask = (): void => {
      const asked = clock.now();
      const got = set.start(name, work, hand);
      if (!(got instanceof Place)) {
        this.refused++;
        clock.after(1_000, ask);
        return;
      }
      const answer = (): void => {
        this.waits.push(clock.now() - asked);
        clock.after(service, () => {
          set.end(got);
          this.seatTime += got.seats * service;
          this.answered++;
          clock.after(pause, ask);
        });
      };
      if (got.isSeated) answer();
      else got.settled = answer;
    };
    for (let i = 0; i < clients; i++) clock.after(i % 17, ask);
  }
}

const dealer = new FlowDealer(64, 6);
const handOf = (flow: string): readonly number[] => dealer.deal(flowHash('schema', flow));

const shares = suite('shares of flows');
const competitions: [name: string, flows: FlowOptions[]][] = [
  [
    'with as many clients each',
    [
      { name: 'a', clients: 40, service: 10 },
      { name: 'b', clients: 40, service: 10 },
    ],
  ],
  [
    'one of which has ten times the clients',
    [
      { name: 'a', clients: 30, service: 10 },
      { name: 'b', clients: 200, service: 10 },
    ],
  ],
  [
    'whose requests last for different times',
    [
      { name: 'a', clients: 60, service: 5 },
      { name: 'b', clients: 60, service: 20 },
      { name: 'c', clients: 60, service: 10 },
    ],
  ],
  [
    'one of which sends wide requests',
    [
      { name: 'a', clients: 60, service: 10 },
      { name: 'b', clients: 60, service: 10, work: seats(4) },
    ],
  ],
];
for (const [name, flows] of competitions)
  shares(`${name} are the same within a tenth`, () => {
    const clock = new TestClock();
    const set = new QueueSet<string>(clock, queueing(flows.length, 50), 12);
    // one queue for each: which flow is dealt which queues is another matter
    const running = flows.map((flow, index) => new Flow(set, clock, [index], flow));
    clock.pass(20_000);
    const fair = running.reduce((sum, { seatTime }) => sum + seatTime, 0) / running.length;
    for (const { seatTime } of running) assert.ok(Math.abs(seatTime / fair - 1) < 0.1, `${seatTime} of ${fair}`);
  });
shares('an elephant among mice: they wait next to nothing, and are never refused', () => {
  const clock = new TestClock();
  const set = new QueueSet<string>(clock, queueing(64, 50), 10);
  const elephant = new Flow(set, clock, handOf('elephant'), { name: 'elephant', clients: 500, service: 10 });
  const mice = Array.from({ length: 20 }, (_, i) => `mouse-${i}`).map(
    (name) => new Flow(set, clock, handOf(name), { name, clients: 1, service: 10, pause: 300 }),
  );
  clock.pass(20_000);
  assert.ok(elephant.refused > 100, `${elephant.refused} refused`);
  const waits = mice.flatMap((mouse) => mouse.waits).sort((a, b) => a - b);
  assert.is(
    mice.reduce((sum, { refused }) => sum + refused, 0),
    0,
  );
  const [half, most] = [waits[waits.length >> 1] as number, waits[Math.floor(waits.length * 0.99)] as number];
  assert.ok(half <= 20 && most <= 60, `mice wait ${half}, at most ${most}`);
  assert.ok(Math.min(...mice.map(({ answered }) => answered)) > 55);
  // what the mice leave is the elephant's
  assert.ok(elephant.answered > 15_000, `${elephant.answered}`);
});
shares.run();

const test = suite('the queues of a level');
test('an exempt level takes all, whatever its limit', () => {
  const set = new QueueSet<string>(new TestClock(), EXEMPT, 0);
  for (let i = 0; i < 100; i++) assert.ok(place(set.start('a', seats(10), [0])).isSeated);
  assert.is(set.seatsInUse, 1_000);
});
test('a level that rejects takes what finds seats', () => {
  const set = new QueueSet<string>(new TestClock(), REJECT, 3);
  const first = place(set.start('a', seats(2), []));
  assert.is(set.start('b', seats(2), []), 'concurrency-limit');
  assert.ok(place(set.start('c', seats(1), [])).isSeated);
  set.end(first);
  assert.ok(place(set.start('d', seats(2), [])).isSeated);
  assert.equal(set.counts, { dispatched: 3, rejected: 1, timedOut: 0, cancelled: 0 });
});
test('a level that rejects and has no seats rejects all: 1.32 lets one through at a time', () => {
  const set = new QueueSet<string>(new TestClock(), REJECT, 0);
  assert.is(set.start('a', seats(1), []), 'concurrency-limit');
});
test('a level that queues and has no seats has requests wait until it has some', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(1, 10), 0);
  const waiting = place(set.start('a', seats(1), [0]));
  assert.not.ok(waiting.isSeated);
  set.change(queueing(1, 10), 1);
  assert.ok(waiting.isSeated);
});
test('a request that is wider than the level has seats is answered alone', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(1, 10), 3);
  const small = place(set.start('a', seats(1), [0]));
  const wide = place(set.start('b', seats(10), [0]));
  assert.not.ok(wide.isSeated);
  set.end(small);
  assert.ok(wide.isSeated);
  const next = place(set.start('c', seats(1), [0]));
  assert.not.ok(next.isSeated);
  set.end(wide);
  assert.ok(next.isSeated);
});
test('it is told when the next in turn needs more seats than are free', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(1, 10), 3);
  const told: string[] = [];
  set.noRoomFor = (owner) => told.push(owner);
  const [first, second] = [place(set.start('a', seats(1), [0])), place(set.start('b', seats(2), [0]))];
  const wide = place(set.start('c', seats(3), [0]));
  assert.equal(told, [], 'no seat is free, so nobody is next');
  set.end(first);
  assert.equal(told, ['c']);
  set.end(second);
  assert.ok(wide.isSeated);
  assert.equal(told, ['c']);
});
test('requests wait up to the length of a queue', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(1, 2), 1);
  const seated = place(set.start('a', seats(1), [0]));
  const waiting = [place(set.start('a', seats(1), [0])), place(set.start('a', seats(1), [0]))];
  assert.is(set.start('a', seats(1), [0]), 'queue-full');
  const told: (RefusalReason | undefined)[] = [];
  for (const each of waiting) each.settled = (reason) => told.push(reason);
  set.end(seated);
  assert.equal(told, [undefined]);
  assert.is(set.waiting, 1);
});
test('one that leaves makes room, and those behind a wide one go on', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(1, 10), 2);
  place(set.start('a', seats(1), [0]));
  const wide = place(set.start('b', seats(2), [0]));
  const behind = place(set.start('c', seats(1), [0]));
  assert.equal([wide.isSeated, behind.isSeated], [false, false]);
  const told: (RefusalReason | undefined)[] = [];
  wide.settled = (reason) => told.push(reason);
  set.leave(wide, 'time-out');
  set.leave(wide, 'cancelled');
  assert.equal(told, ['time-out']);
  assert.ok(behind.isSeated);
  assert.equal([set.counts.timedOut, set.counts.cancelled], [1, 0]);
});
test('seats stay taken for what comes of a request', () => {
  const clock = new TestClock();
  const set = new QueueSet<string>(clock, queueing(1, 10), 4);
  const write = place(set.start('a', seats(1, 3, 5), [0]));
  assert.is(set.seatsInUse, 3);
  set.end(write);
  assert.is(set.executing, 0);
  const next = place(set.start('b', seats(2), [0]));
  assert.not.ok(next.isSeated);
  clock.pass(5);
  assert.ok(next.isSeated);
  assert.is(set.seatsInUse, 2);
});
test('a write that would keep more seats than there are keeps these for longer', () => {
  const clock = new TestClock();
  const set = new QueueSet<string>(clock, queueing(1, 10), 2);
  const write = place(set.start('a', seats(1, 10, 5), [0]));
  assert.equal([write.finalSeats, write.additionalLatency], [2, 25]);
});
test('fewer queues: those that have requests are kept until these are answered, in a level that rejects as well', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(8, 10), 1);
  const seated = place(set.start('a', seats(1), [7]));
  const waiting = place(set.start('a', seats(1), [6]));
  set.change(queueing(2, 10), 1);
  assert.is(set.queues.length, 4);
  set.end(seated);
  assert.ok(waiting.isSeated);
  set.change(REJECT, 1);
  assert.is(set.queues.length, 1);
  assert.is(set.start('b', seats(1), []), 'concurrency-limit');
  set.end(waiting);
  assert.is(set.queues.length, 0);
  assert.ok(set.isIdle);
});
test('one that rests leaves its seats to others, and waits before those that came later when it goes on', () => {
  const clock = new TestClock();
  const set = new QueueSet<string>(clock, queueing(2, 10), 4);
  const list = place(set.start('list', seats(4), [0]));
  const next = place(set.start('get', seats(1), [1]));
  clock.pass(30);
  assert.not.ok(next.isSeated);
  set.rest(list);
  assert.equal([next.isSeated, set.executing, set.seatsInUse], [true, 1, 1]);
  const later = place(set.start('later', seats(4), [0]));
  clock.pass(1_000);
  assert.not.ok(set.resume(list));
  let told = 0;
  list.settled = () => told++;
  assert.equal([set.waiting, set.executing, set.seatsInUse, told], [2, 1, 1, 0]);
  set.end(next);
  assert.equal([list.isSeated, later.isSeated, told, set.seatsInUse], [true, false, 1, 4]);
  clock.pass(10);
  // what it was seated, without its rest
  assert.is(set.end(list), 40);
  assert.ok(later.isSeated);
  set.end(later);
  assert.equal([set.isIdle, set.seatsInUse, set.counts.dispatched], [true, 0, 3]);
});
test('one that rests has its seats back at once where there are some, and in a level that has no queues', () => {
  for (const form of [queueing(2, 10), EXEMPT, REJECT]) {
    const set = new QueueSet<string>(new TestClock(), form, 4);
    const list = place(set.start('list', seats(4), [0]));
    set.rest(list);
    if (form.kind !== 'queue') place(set.start('get', seats(4), [1]));
    assert.ok(set.resume(list));
    assert.is(set.seatsInUse, form.kind === 'queue' ? 4 : 8);
  }
});
test('no more are seated than begin soon, but of queues with nothing under way, and whose turn it is is decided then', () => {
  const set = new QueueSet<string>(new TestClock(), queueing(2, 100), 10, 2);
  const wide = place(set.start('wide', seats(10), [0]));
  const crowd = Array.from({ length: 8 }, () => place(set.start('crowd', seats(1), [0])));
  const seated = (): number => crowd.filter(({ isSeated }) => isSeated).length;
  set.end(wide);
  assert.is(seated(), 2);
  const get = place(set.start('get', seats(1), [1]));
  const again = place(set.start('get', seats(1), [1]));
  assert.equal([seated(), get.isSeated, again.isSeated], [2, true, false]);
  for (const one of crowd.slice(0, 2)) set.started(one);
  // three had begun to wait for their turn of the event loop, one does: the next is of the queue that has had less
  assert.equal([seated(), again.isSeated], [2, true]);
  set.started(get);
  assert.is(seated(), 3);
  for (let rounds = 0; rounds < 8; rounds++) for (const one of [get, again, ...crowd]) if (one.isSeated) set.started(one);
  assert.is(seated(), 8);
  for (const one of [get, again, ...crowd]) set.end(one);
  assert.equal([set.isIdle, set.seatsInUse], [true, 0]);
});
test('a queue is full although there are seats, where its requests wait for more', () => {
  for (const [set, first] of [
    [new QueueSet<string>(new TestClock(), queueing(1, 3), 10, 1), 1],
    [new QueueSet<string>(new TestClock(), queueing(1, 3), 10), 8],
  ] as const) {
    const wide = place(set.start('a', seats(8), [0]));
    const got = Array.from({ length: 9 }, (_, i) => set.start('a', seats(i === 0 ? 10 : 1), [0]));
    assert.equal([wide.isSeated, got.filter((one) => one === 'queue-full').length, set.waiting], [true, 6, 3], `${first}`);
  }
});
test('a crowd of slow readers does not keep others from their turn', () => {
  const clock = new TestClock();
  const set = new QueueSet<string>(clock, queueing(2, 100), 10);
  /** each list is read by a client that takes 100 ms for a part, of which the server makes one in 2 ms */
  const part = (list: Place<string>): void => {
    clock.after(2, () => {
      set.rest(list);
      clock.after(100, () => {
        if (set.resume(list)) part(list);
        else list.settled = () => part(list);
      });
    });
  };
  for (let i = 0; i < 60; i++) {
    const list = place(set.start('list', seats(6), [0]));
    if (list.isSeated) part(list);
    else list.settled = () => part(list);
  }
  const waits: number[] = [];
  for (let i = 0; i < 200; i++) {
    clock.pass(20);
    const asked = clock.now();
    const get = place(set.start('get', seats(1), [1]));
    const answer = (): void => {
      waits.push(clock.now() - asked);
      clock.after(1, () => set.end(get));
    };
    if (get.isSeated) answer();
    else get.settled = answer;
    assert.ok(set.seatsInUse <= 10);
  }
  assert.ok(waits.length >= 198 && Math.max(...waits) <= 20, `${waits.length}: ${Math.max(...waits)}`);
});
test('one that ends while it rests has nothing left', () => {
  const clock = new TestClock();
  const set = new QueueSet<string>(clock, queueing(2, 10), 4);
  const list = place(set.start('list', seats(4), [0]));
  clock.pass(7);
  set.rest(list);
  set.rest(list);
  clock.pass(7);
  assert.is(set.end(list), 7);
  assert.equal([set.isIdle, set.seatsInUse, set.queues[0]?.executing, set.queues[0]?.seatsInUse], [true, 0, 0, 0]);
});
test('whatever happens, no more seats are taken than there are, nobody is forgotten, and nothing is left', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('start' as const), flow: fc.nat(9), seats: fc.integer({ min: 1, max: 6 }), final: fc.nat(8) }),
    fc.record({ kind: fc.constant('end' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('leave' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('rest' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('resume' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.nat(20) }),
    fc.record({ kind: fc.constant('change' as const), queues: fc.integer({ min: 1, max: 8 }), limit: fc.nat(8) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const clock = new TestClock();
      const set = new QueueSet<string>(clock, queueing(4, 3), 5);
      let queues = 4;
      const places = new Set<Place<string>>();
      const limits: number[] = [5];
      for (const each of steps) {
        if (each.kind === 'start') {
          const got = set.start('x', seats(each.seats, each.final, each.final > 0 ? 5 : 0), [each.flow % queues]);
          if (got instanceof Place) places.add(got);
        } else if (each.kind === 'pass') clock.pass(each.milliseconds);
        else if (each.kind === 'change') {
          ({ queues } = each);
          limits.push(each.limit);
          set.change(queueing(queues, 3), each.limit);
        } else {
          const candidates = [...places].filter(({ isSeated }) => isSeated === (each.kind !== 'leave'));
          const chosen = candidates[each.which % Math.max(1, candidates.length)];
          if (chosen === undefined) continue;
          if (each.kind === 'rest') set.rest(chosen);
          else if (each.kind === 'resume') set.resume(chosen);
          else {
            if (each.kind === 'end') set.end(chosen);
            else set.leave(chosen, 'cancelled');
            places.delete(chosen);
          }
        }
        const seated = [...places].filter(({ isSeated, isResting }) => isSeated && !isResting);
        assert.is(set.executing, seated.length);
        assert.is(set.waiting, [...places].filter(({ isSeated }) => !isSeated).length);
        const widest = Math.max(0, ...seated.map((one) => one.seats));
        assert.ok(set.seatsInUse <= Math.max(...limits) + widest + 8 * 2, 'seats');
      }
      set.change(queueing(queues, 3), 8);
      for (let rounds = 0; places.size > 0 && rounds < 1_000; rounds++) {
        for (const one of [...places])
          if (one.isSeated) {
            set.end(one);
            places.delete(one);
          }
        clock.pass(100);
      }
      assert.is(places.size, 0);
      clock.pass(1_000);
      assert.equal([set.waiting, set.executing, set.seatsInUse, set.isIdle], [0, 0, 0, true]);
      for (const queue of set.queues) assert.equal([queue.work, queue.maxSeats, queue.initialSeats, queue.seatsInUse], [0, 0, 0, 0]);
    }),
  );
});
test.run();
