import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Chunks, Part } from '../../../runtime/endpoints/answers/chunks.ts';

const test = suite('chunks');

const joined = (parts: readonly Part[]): string => Buffer.concat(parts.map(({ bytes }) => bytes)).toString();
const KIB = 1024;

test('hold what was added, in order, each byte once', () => {
  const chunks = new Chunks();
  const large = 'l'.repeat(300 * KIB);
  chunks.byte(0x61);
  chunks.ascii('bc');
  assert.equal(chunks.full(), []);
  chunks.bytes(Buffer.from(large));
  chunks.bytes(Buffer.from('wide'), 1, 3);
  const full = chunks.full();
  assert.is(joined(full), `abc${large}`);
  assert.equal(
    full.map(({ length }) => length),
    [3, large.length],
  );
  assert.equal(chunks.full(), []);
  chunks.ascii('e');
  assert.is(joined(chunks.rest()), 'ide');
  assert.equal(chunks.rest(), []);
  assert.is(chunks.length, 3 + large.length + 3);
});

test('that were sent are used again, others are not', () => {
  const fill = (letter: string): Part[] => {
    const chunks = new Chunks();
    for (let i = 0; i < 512; i++) chunks.ascii(letter.repeat(KIB));
    return chunks.rest();
  };
  const unsent = fill('u');
  const sent = fill('s');
  const memory = (parts: readonly Part[]): ArrayBufferLike[] => parts.map(({ bytes }) => bytes.buffer);
  const used = new Set(memory(sent));
  for (const part of sent) part.sent();
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
  assert.is(joined(chunks.rest()), 'y');
  assert.is(chunks.length, 1);
});

for (const [what, text] of [
  ['a short one', 'some text'],
  ['one that fills its memory', 'f'.repeat(256 * KIB - 12)],
  ['one that is longer', 'g'.repeat(256 * KIB)],
] as const)
  test(`are framed as chunks of HTTP/1.1: ${what}`, () => {
    const chunks = new Chunks();
    chunks.ascii(text);
    const [part, ...others] = chunks.rest() as [Part];
    assert.equal(others, []);
    assert.is(part.chunk.toString(), `${text.length.toString(16)}\r\n${text}\r\n`);
    assert.is(part.bytes.toString(), text);
  });

test('may be made of bytes that are there already', () => {
  const part = Part.of(Buffer.from('there'));
  assert.equal([part.length, part.bytes.toString(), part.chunk.toString()], [5, 'there', '5\r\nthere\r\n']);
});

test.run();
