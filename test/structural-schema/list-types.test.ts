import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { listFindings } from '../../runtime/structural-schema/list-types.ts';

const test = suite('lists of sets and maps');

const found = (members: object, list: readonly unknown[]) => {
  const schema = { type: 'object', properties: { list: { type: 'array', ...members } } } as unknown as CustomSchema;
  return listFindings(schema, { list }).map(({ field, message }) => `${field}: ${message}`);
};
const SET = { 'x-kubernetes-list-type': 'set' };
const MAP = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };

const rows: readonly {
  readonly name: string;
  readonly type: object;
  readonly list: readonly unknown[];
  readonly told: readonly string[];
}[] = [
  {
    name: 'objects of a set are equal whatever the order of their members',
    type: SET,
    list: [
      { a: 1, b: [{ c: 1, d: 2 }] },
      { b: [{ d: 2, c: 1 }], a: 1 },
    ],
    told: ['list[1]'],
  },
  { name: 'so are keys of a map', type: MAP, list: [{ k: { a: 1, b: 2 } }, { k: { b: 2, a: 1 } }], told: ['list[1]'] },
  {
    name: 'lists are not',
    type: SET,
    list: [
      ['a', 'b'],
      ['b', 'a'],
    ],
    told: [],
  },
  { name: 'equal elements are told once', type: SET, list: ['a', 'a', 'a'], told: ['list[1]'] },
  {
    name: 'the first element of a map that is no object is told alone',
    type: MAP,
    list: [{ k: 1 }, { k: 1 }, null, 'a', 'b'],
    told: ['list[3]'],
  },
];
for (const { name, type, list, told } of rows)
  test(name, () =>
    assert.equal(
      found(type, list).map((text) => text.slice(0, text.indexOf(':'))),
      told,
    ),
  );
test.run();
