import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TextSlabs } from '../../../runtime/client/informers/text-slabs.ts';

const KILOBYTE = 1024;
const textOf = (turn: number, length: number): Buffer => Buffer.alloc(length, `${turn}é`);

const test = suite('texts in slabs');
test('are what they were until they are released, whatever else comes and goes', () => {
  const command = fc.record({ isRelease: fc.boolean(), pick: fc.nat(), length: fc.oneof(fc.nat(300), fc.nat(5_000), fc.constant(0)) });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
      const slabs = new TextSlabs();
      const model = new Map<number, Buffer>();
      const read: [Buffer, Buffer][] = [];
      for (const [turn, { isRelease, pick, length }] of commands.entries()) {
        if (isRelease && model.size > 0) {
          const [number, bytes] = [...model][pick % model.size] as [number, Buffer];
          read.push([slabs.bytes(number), bytes]);
          slabs.release(number);
          model.delete(number);
        } else {
          const bytes = textOf(turn, length);
          const number = slabs.hold(bytes);
          assert.not(model.has(number), 'a number that another text has');
          model.set(number, bytes);
        }
      }
      for (const [number, bytes] of model) assert.ok(slabs.bytes(number).equals(bytes));
      // who has read one keeps what it was
      for (const [seen, bytes] of read) assert.ok(seen.equals(bytes));
      assert.is(
        slabs.held,
        [...model.values()].reduce((sum, { length }) => sum + length, 0),
      );
    }),
    { numRuns: 300 },
  );
});
test('take little more memory than they have bytes, however often they change', () => {
  const slabs = new TextSlabs();
  const numbers = Array.from({ length: 2_000 }, (_, index) => slabs.hold(textOf(index, 500 + (index % 1_000))));
  const after = (): number => slabs.size / slabs.held;
  assert.ok(after() < 1.1, `${after()} times after the first`);
  for (let turn = 0; turn < 50_000; turn++) {
    const at = (turn * 7_919) % numbers.length;
    slabs.release(numbers[at] as number);
    numbers[at] = slabs.hold(textOf(turn, 500 + (turn % 1_000)));
  }
  assert.ok(after() < 1.5, `${after()} times after many changes`);
});
test('leave almost nothing behind', () => {
  const slabs = new TextSlabs();
  const numbers = Array.from({ length: 2_000 }, (_, index) => slabs.hold(textOf(index, 1_000)));
  for (const number of numbers) slabs.release(number);
  assert.is(slabs.held, 0);
  assert.ok(slabs.size <= 130 * KILOBYTE, `${slabs.size} bytes`);
});
test('that are long have memory of their own, which goes with them', () => {
  const slabs = new TextSlabs();
  const few = slabs.size;
  const number = slabs.hold(textOf(1, 3_000_000));
  assert.is(slabs.size, few + 3_000_000);
  slabs.release(number);
  assert.is(slabs.size, few);
});
test('that are few take little', () => {
  const slabs = new TextSlabs();
  slabs.hold(textOf(1, 100));
  assert.ok(slabs.size <= 8 * KILOBYTE);
});
test.run();
