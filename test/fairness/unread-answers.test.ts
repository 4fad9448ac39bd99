/** Answers that wait for their clients: how much memory they may have, whose is cut off, and when. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnreadAnswers } from '../../runtime/fairness/unread-answers.ts';
import { TestClock } from './flow-clock.ts';

function answers(most: number) {
  const clock = new TestClock();
  const unread = new UnreadAnswers(clock, most);
  const cut: string[] = [];
  const add = (name: string, bytes: number, time = 60_000): (() => void) => {
    const gone = unread.add({
      user: name.replace(/-.*/, ''),
      bytes,
      until: clock.now() + time,
      cut() {
        cut.push(name);
        // as a connection says when it is broken off
        gone();
      },
    });
    return gone;
  };
  return { clock, unread, cut, add };
}

const test = suite('unread answers');
test('a user asks for no more while they hold more than three times what nobody holds', () => {
  const { unread, add } = answers(1_000);
  add('alice-1', 700);
  assert.not.ok(unread.isHeldBy('alice'));
  const second = add('alice-2', 100);
  assert.equal([unread.isHeldBy('alice'), unread.isHeldBy('bob')], [true, false]);
  second();
  assert.not.ok(unread.isHeldBy('alice'));
  add('bob-1', 100);
  assert.equal([unread.isHeldBy('alice'), unread.isHeldBy('bob')], [true, false]);
});
test('there is room for what others get: the oldest answer of whoever holds the most is cut off', () => {
  const { unread, add, cut } = answers(1_000);
  add('bob-1', 100);
  add('alice-1', 300);
  add('alice-2', 300);
  add('carol-1', 200);
  add('dave-1', 200);
  assert.equal([cut, unread.bytes], [['alice-1'], 800]);
  add('erin-1', 901);
  assert.equal([cut, unread.bytes], [['alice-1', 'alice-2', 'carol-1', 'dave-1', 'bob-1'], 901]);
});
test('one that is larger than all may be is there alone', () => {
  const { unread, add, cut } = answers(1_000);
  add('bob-1', 100);
  const large = add('alice-1', 5_000);
  assert.equal([cut, unread.bytes], [['bob-1'], 5_000]);
  large();
  large();
  assert.equal([cut.length, unread.bytes], [1, 0]);
});
test('a client has the time that is left to its request', () => {
  const { unread, add, cut, clock } = answers(1_000);
  add('alice-1', 100, 5_000);
  const read = add('alice-2', 100, 1_000);
  add('bob-1', 100, 20_000);
  read();
  clock.pass(4_000);
  assert.equal(cut, []);
  clock.pass(2_000);
  assert.equal([cut, unread.bytes], [['alice-1'], 100]);
  clock.pass(16_000);
  assert.equal([cut, unread.bytes], [['alice-1', 'bob-1'], 0]);
  add('carol-1', 100, 1_000);
  clock.pass(2_000);
  assert.is(cut.at(-1), 'carol-1');
});
test('whatever comes and goes, no more is held than may be, and what is held is what is there', () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 400 }), user: fc.constantFrom('alice', 'bob', 'carol'), time: fc.nat(10_000) }),
    fc.record({ read: fc.nat() }),
    fc.record({ pass: fc.nat(3_000) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const { unread, add, cut, clock } = answers(1_000);
      const open = new Map<string, { bytes: number; gone: () => void }>();
      for (const [index, each] of steps.entries()) {
        if ('add' in each) open.set(`${each.user}-${index}`, { bytes: each.add, gone: add(`${each.user}-${index}`, each.add, each.time) });
        else if ('pass' in each) clock.pass(each.pass);
        else {
          const [name, one] = [...open][each.read % Math.max(1, open.size)] ?? [];
          one?.gone();
          open.delete(name ?? '');
        }
        for (const name of cut) open.delete(name);
        const held = [...open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
        assert.is(unread.bytes, held);
        assert.ok(held <= 1_000);
      }
    }),
  );
});
test.run();
