/** Names with a backslash that reach objects in other ways than by a text of JSON: each in a thread of its own, where none was before. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodedKey } from '../../../runtime/authentication/request-headers.ts';
import * as d from '../../../runtime/contract/descriptor.ts';
import { jsonOf } from '../../../runtime/expressions/values/json-of.ts';
import { EntryMap } from '../../../runtime/expressions/values/value.ts';
import { parseStoredJson } from '../../../runtime/registry/stored-objects/parse-stored-json.ts';
import { parseSlices } from '../../../runtime/registry/stored-objects/sliced-reading.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { hasBackslashName } from '../../../runtime/schema/json/backslash-names.ts';
import { parseExactly } from '../../../runtime/schema/json/json-exact.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { parseNativeJson } from '../../../runtime/schema/json/native-json.ts';
import { applyJsonPatch } from '../../../runtime/schema/patch/json-patch.ts';
import { decodeProtobuf } from '../../../runtime/schema/protobuf/codec.ts';
import { parseYaml } from '../../../runtime/schema/yaml/parse-yaml.ts';
import { identity } from '../types.ts';

/** The name of two characters, a backslash and a quotation mark, which V8 would give in place of a quotation mark and what follows it. */
const NAME = '\\"';
const IN_JSON = '"\\\\\\""';
const VICTIM = '{"A":1,"\\"&":null,"b":1,"c":1}';

const withMap = compileType(
  d.struct('x.v1.WithMap', () => [{ name: 'f', type: d.map(d.string), number: 1 }]),
  identity,
);

/** Each makes an object of `A` and `NAME`, of which no object was made before. */
const sources: Readonly<Record<string, () => unknown>> = {
  'exact JSON': () => parseExactly(`{"A":1,${IN_JSON}:1}`),
  JSON: () => parseJson(`{"A":1,${IN_JSON}:1}`),
  'JSON of a known form': () => parseNativeJson(`{"A":1,${IN_JSON}:1}`),
  YAML: () => parseYaml(`A: 1\n'${NAME}': 1\n`),
  protobuf: () => decodeProtobuf(withMap, Buffer.from('0a060a0141120131' + '0a070a025c22120131', 'hex')),
  'a path of a JSON patch': () => applyJsonPatch({ A: 1 }, [{ op: 'add', path: `/${NAME}`, value: 1 }]),
  'the copy of a JSON patch': () => applyJsonPatch({ A: 1 }, [{ op: 'copy', from: '/A', path: `/${NAME}` }]),
  'a map of an expression': () =>
    jsonOf(
      EntryMap.of([
        ['A', 1n],
        [NAME, 1n],
      ]),
      'plain',
      1_000,
    ),
  'a key of a header': () =>
    Object.fromEntries([
      ['A', 1],
      [decodedKey('%5C%22'), 1],
    ]),
  'a long object': () => [...parseSlices(Buffer.from(`{"A":1,${IN_JSON}:1}`), 1)],
};

const parsers: readonly ((text: string) => unknown)[] = [
  (text) => parseNativeJson(text),
  (text) => parseJson(text).value,
  (text) => parseStoredJson(Buffer.from(text)),
];

if (!isMainThread) {
  const made = Array.from({ length: 20 }, sources[workerData as string] as () => unknown);
  parentPort?.postMessage([made.length, ...parsers.map((parse) => JSON.stringify(parse(VICTIM)))]);
}

const test = suite('names with a backslash');

for (const name of Object.keys(sources))
  test(`are noted where they come from ${name}`, async () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: name });
    const [told] = await once(worker, 'message');
    await worker.terminate();
    assert.equal(told, [20, ...parsers.map(() => VICTIM)]);
  });

const rows: readonly [text: string, has: boolean][] = [
  ['{"a":1}', false],
  ['{"a\\\\b":1}', true],
  ['{"a\\\\b" \n :1}', true],
  ['{"a\\u005Cb":1}', true],
  ['{"a\\u005c":1}', true],
  ['{"a":"\\\\"}', false],
  ['{"a":"\\\\","b":1}', false],
  ['["\\\\",{"b":1}]', false],
  ['{"a\\"":"\\\\"}', false],
  ['"\\\\', false],
];
for (const [text, has] of rows)
  test(`${text} ${has ? 'has' : 'has not'} a backslash in a name`, () => assert.is(hasBackslashName(text), has));

if (isMainThread) test.run();
