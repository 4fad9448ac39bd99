import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyMemory } from '../../../runtime/endpoints/bodies/body-memory.ts';

const test = suite('memory of bodies');

const CHUNKS = ['a', 'bc', '', 'def', 'ghij'];

/** @param gatherAt chunks that come before the rest is gathered; undefined: nothing is */
function filled(gatherAt: number | undefined, capacity: number): BodyMemory {
  const memory = new BodyMemory();
  CHUNKS.forEach((chunk, index) => {
    if (index === gatherAt) memory.gather(capacity);
    memory.add(Buffer.from(chunk));
  });
  return memory;
}

const rows: readonly (readonly [name: string, gatherAt: number | undefined, capacity: number])[] = [
  ['chunks are kept', undefined, 0],
  ['all is gathered', 0, 10],
  ['what comes after some is gathered', 2, 10],
  ['less comes than was said', 2, 100],
  ['more comes than was said', 2, 4],
  ['less was said than has come', 3, 1],
];
for (const [name, gatherAt, capacity] of rows)
  test(name, () => {
    assert.is(filled(gatherAt, capacity).size, 10);
    assert.is(filled(gatherAt, capacity).take().toString(), 'abcdefghij');
    const own = filled(gatherAt, capacity).takeOwn();
    assert.is(Buffer.from(own).toString(), 'abcdefghij');
    structuredClone(own, { transfer: [own.buffer] });
  });

test('one chunk is not copied', () => {
  const memory = new BodyMemory();
  const chunk = Buffer.from('a');
  memory.add(chunk);
  assert.is(memory.take(), chunk);
});

test('what others may have is copied', () => {
  const memory = new BodyMemory();
  const chunk = Buffer.from('a');
  memory.add(chunk);
  assert.is.not(memory.takeOwn().buffer, chunk.buffer);
});

test('nothing is kept of what was taken', () => {
  const memory = filled(2, 10);
  memory.take();
  assert.is(memory.take().length, 0);
});

test.run();
