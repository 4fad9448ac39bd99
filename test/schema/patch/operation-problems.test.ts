/** What strict decoding finds in the operations of a JSON patch. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { operationProblems } from '../../../runtime/schema/patch/operation-problems.ts';

const test = suite('problems of operations');
const rows: readonly [name: string, text: string, problems: readonly string[]][] = [
  ['none', '[{"op":"add","path":"/a","value":{"x":1}},{"op":"copy","from":"/a","path":"/b"}]', []],
  ['no patch', '{"x":1}', []],
  [
    'members that operations do not have',
    '[{"op":"add","path":"/a","value":1,"extra":true},{"Path":""}]',
    ['unknown field "[0].extra"', 'unknown field "[1].Path"'],
  ],
  [
    'members that stand there twice',
    '[{"op":"add","op":"add","path":"/a","path":"/b"}]',
    ['duplicate field "[0].op"', 'duplicate field "[0].path"'],
  ],
  [
    'both, in the order of the text',
    '[{"path":"/a","foo":1},{"path":"/a","path":"/b"},{"bar":1}]',
    ['unknown field "[0].foo"', 'duplicate field "[1].path"', 'unknown field "[2].bar"'],
  ],
  ['within a value', '[{"value":{"a":[{"b":1,"b":2}],"op":1,"x":{"y":1}}}]', ['duplicate field "[0].value.a[0].b"']],
  ['what is unknown and stands there twice is told once', '[{"foo":1,"foo":2}]', ['unknown field "[0].foo"']],
  [
    'nothing within what is unknown',
    '[{"foo":{"a":1,"a":2},"path":"","path":""}]',
    ['unknown field "[0].foo"', 'duplicate field "[0].path"'],
  ],
];
for (const [name, text, problems] of rows)
  test(name, () => assert.equal(operationProblems(parseJson(text, Buffer.from(text), 'replaces')), problems));

test('a hundred at most', () => {
  const text = JSON.stringify(Array.from({ length: 200 }, () => ({ foo: 1 })));
  assert.is(operationProblems(parseJson(text, Buffer.from(text), 'replaces')).length, 100);
});

test.run();
