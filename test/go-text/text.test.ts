import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goQuote, goQuoteList } from '../../runtime/go-text/quote.ts';
import { goTime, goTimeSyntax } from '../../runtime/go-text/times.ts';
import { trimRight } from '../../runtime/go-text/trim-right.ts';
import { goBytes, goStrings } from '../../runtime/go-text/values.ts';

const test = suite('texts as Go shows them');

const quoted: [text: string, shown: string][] = [
  ['a b', '"a b"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['\n\t\u0007', '"\\n\\t\\a"'],
  ['\u0001\u007f', '"\\x01\\x7f"'],
  ['é€😀', '"é€😀"'],
  ['\u00a0\u200b\ue000', '"\\u00a0\\u200b\\ue000"'],
  ['\u{e0001}', '"\\U000e0001"'],
];
for (const [text, shown] of quoted) test(`quoted ${JSON.stringify(text)}`, () => assert.is(goQuote(text), shown));

test('lists and values', () => {
  assert.is(goQuoteList(['a', 'b"']), '["a" "b\\""]');
  assert.is(goQuoteList([]), '[]');
  assert.is(goStrings(['a', 'b']), '[]string{"a", "b"}');
  assert.is(goStrings([], 'v1.T'), '[]v1.T{}');
  assert.is(goStrings(['a\u0001']), '[]string{"a\\x01"}');
  assert.is(goBytes('AGE='), '[]byte{0x0, 0x61}');
  assert.is(goBytes(''), '[]byte{}');
  for (const absent of [null, undefined]) assert.is(goBytes(absent), '[]byte(nil)');
});

test('times', () => {
  assert.is(goTime('2026-01-02T03:04:05Z'), '2026-01-02 03:04:05 +0000 UTC');
  assert.is(goTime('2026-01-02T03:04:05.120000Z'), '2026-01-02 03:04:05.12 +0000 UTC');
  assert.is(goTime('2026-01-02T03:04:05.000000Z'), '2026-01-02 03:04:05 +0000 UTC');
  assert.is(goTime(undefined), '0001-01-01 00:00:00 +0000 UTC');
  assert.is(goTimeSyntax('2026-12-02T03:04:05Z'), 'time.Date(2026, time.December, 2, 3, 4, 5, 0, time.Local)');
  assert.is(goTimeSyntax(null), '<nil>');
});

test('characters at the end', () => {
  assert.is(trimRight('/a//', '/'), '/a');
  assert.is(trimRight('**', '*'), '');
  assert.is(trimRight('', '*'), '');
});

test.run();
