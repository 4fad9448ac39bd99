import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decode, strictErrors } from '../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../runtime/schema/json-text.ts';
import { widget } from './types.ts';

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

strict.run();
