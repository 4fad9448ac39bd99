import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Chunks, type Part } from '../../../runtime/endpoints/lists/chunks.ts';

const test = suite('chunks');

const joined = (parts: readonly Part[]): string => Buffer.concat(parts.map(({ bytes }) => bytes)).toString();
const KIB = 1024;

test('hold what was added, in order, each byte once', () => {
  const chunks = new Chunks();
  const large = 'l'.repeat(300 * KIB);
  chunks.byte(0x61);
  chunks.ascii('bc');
  assert.is(joined(chunks.drain(false)), 'abc');
  assert.equal(chunks.drain(false), []);
  chunks.bytes(Buffer.from(large));
  chunks.bytes(Buffer.from('d'));
  assert.is(joined(chunks.drain(false)), `${large}d`);
  chunks.ascii('e');
  assert.is(joined(chunks.drain(true)), 'e');
  assert.equal(chunks.drain(true), []);
  assert.is(chunks.length, 3 + large.length + 2);
});

test('that were drained are not written again', () => {
  const chunks = new Chunks();
  chunks.ascii('kept');
  const first = chunks.drain(false);
  chunks.ascii('other');
  const second = chunks.drain(false);
  assert.equal([joined(first), joined(second)], ['kept', 'other']);
});

test('that were sent are used again, others are not', () => {
  const fill = (letter: string): Part[] => {
    const chunks = new Chunks();
    for (let i = 0; i < 512; i++) chunks.ascii(letter.repeat(KIB));
    return chunks.drain(true);
  };
  const unsent = fill('u');
  const sent = fill('s');
  const memory = (parts: readonly Part[]): ArrayBufferLike[] => parts.map(({ bytes }) => bytes.buffer);
  const used = new Set(memory(sent));
  for (const part of sent) part.sent?.();
  const next = fill('n');
  assert.ok(memory(next).every((buffer) => used.has(buffer)));
  assert.is(joined(unsent), 'u'.repeat(512 * KIB));
  assert.is(joined(next), 'n'.repeat(512 * KIB));
});

test('that are forgotten leave nothing', () => {
  const chunks = new Chunks();
  chunks.ascii('x'.repeat(300 * KIB));
  chunks.clear();
  chunks.ascii('y');
  assert.is(joined(chunks.drain(true)), 'y');
  assert.is(chunks.length, 1);
});

test.run();
