/** Sets of fields beside the types that they were held against. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reconciled } from '../../runtime/apply/owned-fields.ts';
import { setOfText } from '../../runtime/apply/set-text.ts';
import { SCALAR, StructShape } from '../../runtime/apply/shape.ts';
import { usedHeap } from '../harness/heap.ts';

const test = suite('sets of fields');

/** Holds a remembered set against a type that nobody else has. */
function checkedShape(index: number): WeakRef<StructShape> {
  const shape = new StructShape({ members: () => [{ name: `a${index}`, shape: SCALAR }], hasPlainNames: true });
  const set = setOfText(`{"f:a${index}":{}}`);
  assert.is(reconciled(shape, set), set);
  return new WeakRef(shape);
}

test('that are remembered do not hold on to types that are gone', async () => {
  const shapes = Array.from({ length: 100 }, (_, index) => checkedShape(index));
  // what was referred to weakly stays until the turn ends
  await nextTurn();
  usedHeap();
  const held = shapes.filter((shape) => shape.deref() !== undefined).length;
  assert.ok(held <= 1, `${held} types are still held`);
});

test.run();
