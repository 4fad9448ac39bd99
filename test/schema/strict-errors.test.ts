import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type StructType, struct } from '../../runtime/contract/descriptor.ts';
import { compileType, decode, strictErrors } from '../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { identity, widget } from './types.ts';

const strict = suite('strictErrors');

const found: readonly [name: string, text: string, sentences: string[]][] = [
  ['nothing', '{"spec":{}}', []],
  ['unknown fields alone', '{"zzz":1,"spec":{"b":1}}', ['unknown field "zzz"', 'unknown field "spec.b"']],
  [
    'both, in the order of the document',
    '{"metadata":{"zzz":1},"spec":{"aaa":1,"containers":[{"name":"c","image":"i","image":"j","foo":1},{"foo":1}],"bbb":{"x":1,"x":2}},"ccc":1}',
    [
      'unknown field "metadata.zzz"',
      'unknown field "spec.aaa"',
      'duplicate field "spec.containers[0].image"',
      'unknown field "spec.containers[0].foo"',
      'unknown field "spec.containers[1].foo"',
      'unknown field "spec.bbb"',
      'unknown field "ccc"',
    ],
  ],
  [
    'keys of maps are fields too',
    '{"metadata":{"name":"a","name":"a","labels":{"a":"1","a":"2"}},"bogus":{}}',
    ['duplicate field "metadata.name"', 'duplicate field "metadata.labels.a"', 'unknown field "bogus"'],
  ],
  ['fields whose names are integers', '{"b":1,"1":1,"0":1}', ['unknown field "b"', 'unknown field "1"', 'unknown field "0"']],
  ['an unknown field twice is unknown', '{"x":1,"x":2}', ['unknown field "x"']],
  ['raw JSON is not looked into', '{"spec":{"data":{"a":1,"a":2},"paused":true,"paused":true}}', ['duplicate field "spec.paused"']],
  ['a duplicate struct starts anew', '{"spec":{"paused":true},"spec":{"paused":false}}', ['duplicate field "spec"']],
  ['each once', '{"spec":{"containers":[{"name":"a","name":"b","name":"c"}]}}', ['duplicate field "spec.containers[0].name"']],
];
for (const [name, text, sentences] of found) {
  strict(name, () => {
    const parsed = parseJson(text);
    assert.equal(strictErrors(parsed, widget, decode(widget, parsed.value, { defaults: true }).unknownFields), sentences);
  });
}

strict('without the text duplicates come first', () => {
  assert.equal(strictErrors({ duplicates: ['spec.replicas'] }, widget, ['a']), ['duplicate field "spec.replicas"', 'unknown field "a"']);
  assert.equal(strictErrors({ duplicates: ['\u0000'] }, widget, ['"\u00a0']), ['duplicate field "\\x00"', 'unknown field "\\"\\u00a0"']);
});

for (const first of ['{', '{"apiVersion":"a","apiVersion":"b",'])
  strict(`the first hundred are told, after ${first}`, () => {
    const text = `${first}${Array.from({ length: 150 }, (_, index) => `"x${index}":1`).join()}}`;
    const parsed = parseJson(text);
    const sentences = strictErrors(parsed, widget, decode(widget, parsed.value, { defaults: true }).unknownFields);
    assert.is(sentences.length, 100);
  });

strict('many unknown members in a deep object do not fill the memory', () => {
  const node: StructType = struct('x.v1.Node', () => [{ name: 'not', type: node, go: { pointer: true } }]);
  const members = Array.from({ length: 20_000 }, (_, index) => `"x${index}":1`).join();
  const { value } = parseJson(`${'{"not":'.repeat(1_000)}{${members}}${'}'.repeat(1_000)}`);
  const { unknownFields } = decode(compileType(node, identity), value, { defaults: false });
  assert.is(unknownFields[99], `${'not.'.repeat(1_000)}x99`);
  assert.ok(unknownFields.reduce((sum, path) => sum + path.length, 0) < 2 * 1024 * 1024);
});

strict.run();
