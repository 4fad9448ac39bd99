/** The order and the pace in which nodes are told to lose their pods. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RateLimit, TaintQueues } from '../../../runtime/controllers/node-lifecycle/taint-queues.ts';

const limits = suite('rates');
const NEVER = Number.POSITIVE_INFINITY;
type Step = readonly [at: number, act: 'take' | number, waits: number];
const rows: [name: string, rate: number, steps: Step[]][] = [
  [
    'the first goes at once, the next ones at the rate',
    0.1,
    [
      [0, 'take', 10_000],
      [9_999, 'take', 1],
      [10_000, 'take', 10_000],
    ],
  ],
  [
    'what nobody took is not saved up',
    0.1,
    [
      [0, 'take', 10_000],
      [100_000, 'take', 10_000],
      [100_001, 'take', 9_999],
    ],
  ],
  ['nobody goes at no rate', 0, [[0, 'take', NEVER]]],
  [
    'who waits waits for the new rate',
    0.1,
    [
      [0, 'take', 10_000],
      [1_000, 0.01, 100_000],
      [2_000, 0.01, 99_000],
    ],
  ],
  ['who need not wait goes at once at a new rate', 0.1, [[0, 0.01, 0]]],
  [
    'after a stop the first waits as well',
    0.1,
    [
      [0, 0, NEVER],
      [500, 0.1, 10_000],
    ],
  ],
];
for (const [name, rate, steps] of rows)
  limits(name, () => {
    const limit = new RateLimit(rate);
    for (const [at, act, waits] of steps) {
      const before = limit.wait(at);
      if (act === 'take') assert.is(limit.take(at), before === 0);
      else limit.change(act, at);
      assert.is(limit.wait(at), waits, `after ${at}`);
    }
  });
limits.run();

const queues = suite('queues of zones');
queues('each zone has its own pace, and the order of those who wait', () => {
  const waiting = new TaintQueues(0.1);
  for (const node of ['a2', 'a1', 'a2', 'a3']) waiting.add('a', node);
  waiting.add('b', 'b1');
  assert.equal(waiting.take(0), ['a2', 'b1']);
  assert.is(waiting.wait(0), 10_000);
  waiting.remove('a', 'a1');
  assert.equal(waiting.take(9_999), []);
  assert.equal(waiting.take(10_000), ['a3']);
  assert.is(waiting.wait(10_000), NEVER);
});
queues('a zone without a rate waits until it gets one', () => {
  const waiting = new TaintQueues(0.1);
  waiting.setRates(new Map([['a', 0]]), 0);
  waiting.add('a', 'a1');
  assert.equal([waiting.take(1e9), waiting.wait(1e9)], [[], NEVER]);
  waiting.setRates(new Map([['a', 1]]), 1e9);
  assert.equal([waiting.take(1e9), waiting.take(1e9 + 1_000)], [[], ['a1']]);
});
queues('a zone that is gone is forgotten when nobody waits in it', () => {
  const waiting = new TaintQueues(1);
  waiting.add('a', 'a1');
  waiting.setRates(new Map(), 0);
  assert.equal(waiting.take(0), ['a1']);
  waiting.setRates(new Map(), 0);
  waiting.add('a', 'a2');
  assert.equal(waiting.take(0), ['a2'], 'a new zone begins anew');
});
queues('nobody is lost or goes twice, and none go faster than the rate', () => {
  const act = fc.oneof(fc.record({ add: fc.nat(20) }), fc.record({ remove: fc.nat(20) }), fc.record({ wait: fc.nat(3_000) }));
  fc.assert(
    fc.property(fc.array(act, { maxLength: 100 }), fc.constantFrom(0.5, 1, 4), (acts, rate) => {
      const waiting = new TaintQueues(rate);
      const model = new Set<string>();
      let now = 0;
      let taken = 0;
      for (const each of acts as { add?: number; remove?: number; wait?: number }[]) {
        if (each.add !== undefined) {
          waiting.add('z', `n${each.add}`);
          model.add(`n${each.add}`);
        }
        if (each.remove !== undefined) {
          waiting.remove('z', `n${each.remove}`);
          model.delete(`n${each.remove}`);
        }
        now += each.wait ?? 0;
        for (const node of waiting.take(now)) {
          assert.is(node, model.values().next().value, 'not in their order');
          model.delete(node);
          taken++;
        }
        assert.ok(taken <= 1 + (now * rate) / 1_000, `${taken} after ${now} ms`);
        assert.is(waiting.wait(now) === NEVER, model.size === 0);
      }
      for (let left = model.size; left > 0; left--) {
        now += waiting.wait(now);
        for (const node of waiting.take(now)) model.delete(node);
      }
      assert.is(model.size, 0, 'somebody still waits');
    }),
  );
});
queues.run();
