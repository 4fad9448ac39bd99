import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeLine, LineBuffer, type LogLine, lineBytes, mostLineBytes } from '../../runtime/audit/log-line.ts';

const test = suite('lines of a log');
const text = fc.string({ unit: fc.constantFrom('a', '"', 'ü', '\u20ac', '\u{1f600}', '\ud800', '\n') });
const piece = fc.oneof(
  text,
  text.map((each) => Buffer.from(each)),
);
const lines = fc.array(fc.oneof(text, fc.array(piece, { maxLength: 4 })));
const expected = (line: LogLine) => Buffer.concat([line].flat().map((each) => Buffer.from(each as string)));

test('are encoded as they are, in memory that is used again', () => {
  const buffer = new LineBuffer();
  fc.assert(
    fc.property(lines, (some) => {
      for (const line of some) assert.ok(buffer.add(line));
      assert.is(buffer.take().toString('hex'), Buffer.concat(some.map(expected)).toString('hex'));
    }),
  );
  assert.is(buffer.take().length, 0);
});

test('have so many bytes', () => {
  fc.assert(
    fc.property(lines, (some) => {
      for (const line of some) {
        const { length } = expected(line);
        assert.equal([lineBytes(line), encodeLine(line).equals(expected(line))], [length, true]);
        assert.ok(mostLineBytes(line) >= length);
      }
    }),
  );
});

for (const [name, line] of [
  ['text', 'ü'.repeat(50_000)],
  ['bytes', ['a', Buffer.alloc(100_000, 'b'), '\n']],
] as const)
  test(`of ${name} that find no place are not taken, not even a part of them`, () => {
    const buffer = new LineBuffer();
    let taken = 0;
    while (buffer.add(line)) taken++;
    assert.ok(taken >= 3 && taken < 20, `${taken}`);
    assert.ok(buffer.take().equals(Buffer.concat(Array.from({ length: taken }, () => expected(line)))));
    assert.ok(buffer.add(line));
    assert.not.ok(buffer.add('x'.repeat(1_000_000)));
    assert.ok(buffer.take().equals(expected(line)));
  });

test.run();
