import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSetText } from '../../runtime/apply/set-syntax.ts';

const test = suite('texts of sets');

const rows: readonly [text: string, isSet: boolean][] = [
  ['{}', true],
  ['{"f:a":{}}', true],
  ['{"f:a":{"f:b":{},"f:c":{"f:d":{}}},"f:e":{}}', true],
  [String.raw`{"k:{\"name\":\"a\"}":{".":{},"f:\\":{},"f:\u001f\n":{}}}`, true],
  ['{"f:ä😀":{}}', true],
  ['', false],
  ['{', false],
  ['}', false],
  ['{}}', false],
  ['{}{}', false],
  ['{"f:a"}', false],
  ['{"f:a":}', false],
  ['{"f:a":{}', false],
  ['{"f:a":{},}', false],
  ['{,"f:a":{}}', false],
  ['{"f:a":{}"f:b":{}}', false],
  ['{"f:a":[]}', false],
  ['{"f:a":1}', false],
  ['{"f:a":"b"}', false],
  ['{"f:a":null}', false],
  ['{ "f:a":{}}', false],
  ['{"f:a": {}}', false],
  ['{"f:a":{}}\n', false],
  ['{"f:a', false],
  ['{"f:a\\', false],
  ['{"f:\\x":{}}', false],
  ['{"f:\\u00":{}}', false],
  ['{"f:\n":{}}', false],
  ['{"f:\ufffd":{}}', false],
  ['[]', false],
  ['null', false],
];
for (const [text, isSet] of rows) test(JSON.stringify(text), () => assert.is(isSetText(text), isSet));

test('deep texts end', () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`;
  assert.is(isSetText(nested(500)), true);
  assert.is(isSetText(nested(1_000_000)), false);
});

test('what it takes is JSON', () => {
  for (const [text, isSet] of rows) if (isSet) assert.is(JSON.stringify(JSON.parse(text)), text);
});

test.run();
