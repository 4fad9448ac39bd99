import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  difference,
  EMPTY_SET,
  eachPath,
  type FieldSet,
  hasPath,
  intersection,
  matching,
  readFieldSet,
  recursiveDifference,
  setOfPath,
  shownPath,
  union,
  unionOf,
} from '../../runtime/apply/field-set.ts';
import { compareElements, valueElement } from '../../runtime/apply/path-element.ts';
import { longText, usedHeap } from '../harness/heap.ts';

const sets = suite('field sets');

/** Sets in short: paths with a member at each end, `a/b` for f:a, f:b. */
const of = (...paths: readonly string[]): FieldSet =>
  paths.map((path) => setOfPath(path.split('/').map((name) => `f:${name}`))).reduce(union, EMPTY_SET);

type Operation = (a: FieldSet, b: FieldSet) => FieldSet;
const rows: readonly [name: string, operation: Operation, a: FieldSet, b: FieldSet, result: FieldSet][] = [
  ['union of different fields', union, of('a'), of('b'), of('a', 'b')],
  ['union of a field and what is below it', union, of('a'), of('a/b'), of('a', 'a/b')],
  ['union with nothing', union, of('a'), EMPTY_SET, of('a')],
  ['difference', difference, of('a', 'b/c', 'b/d'), of('b/c'), of('a', 'b/d')],
  ['difference leaves what is below a field', difference, of('a', 'a/b'), of('a'), of('a/b')],
  ['difference leaves a field whose inside goes', difference, of('a', 'a/b'), of('a/b'), of('a')],
  ['difference of the same is nothing', difference, of('a', 'b/c'), of('a', 'b/c'), EMPTY_SET],
  ['recursive difference takes what is below too', recursiveDifference, of('a', 'a/b', 'c/d'), of('a', 'c/d'), EMPTY_SET],
  ['recursive difference leaves what stands above', recursiveDifference, of('a', 'a/b'), of('a/b'), of('a')],
  ['intersection', intersection, of('a', 'b/c', 'd'), of('a', 'b/c', 'b/e'), of('a', 'b/c')],
  ['intersection of a field and what is below it is nothing', intersection, of('a'), of('a/b'), EMPTY_SET],
];
for (const [name, operation, a, b, result] of rows) sets(name, () => assert.equal(JSON.stringify(operation(a, b)), JSON.stringify(result)));

sets('a pattern keeps what it matches and what stands above that', () => {
  const set = of('spec', 'spec/a/x', 'spec/b/y', 'spec/a/z', 'status');
  assert.equal(matching(set, { 'f:spec': { '*': { 'f:x': {} } } }), of('spec', 'spec/a/x'));
});

const read: readonly [name: string, text: string, result: string | undefined][] = [
  ['is sorted', '{"f:b":{},"f:a":{}}', '{"f:a":{},"f:b":{}}'],
  ['the field itself first', '{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
  [
    'members before keys, values and positions',
    '{"f:l":{"i:1":{},"v:1":{},"k:{\\"n\\":1}":{},"f:a":{}}}',
    '{"f:l":{"f:a":{},"k:{\\"n\\":1}":{},"v:1":{},"i:1":{}}}',
  ],
  ['values by number, then text', '{"f:l":{"v:\\"a\\"":{},"v:10":{},"v:9":{}}}', '{"f:l":{"v:9":{},"v:10":{},"v:\\"a\\"":{}}}'],
  ['keys by name and value', '{"f:l":{"k:{\\"p\\":443}":{},"k:{\\"p\\":80}":{}}}', '{"f:l":{"k:{\\"p\\":80}":{},"k:{\\"p\\":443}":{}}}'],
  ['keys in any order', '{"f:l":{"k:{\\"b\\":1,\\"a\\":2}":{}}}', '{"f:l":{"k:{\\"a\\":2,\\"b\\":1}":{}}}'],
  ['keys that are null are none', '{"f:l":{"k:null":{"f:a":{}},"k: {} ":{}}}', '{"f:l":{"k:{}":{".":{},"f:a":{}}}}'],
  ['names of keys with escapes', '{"f:l":{"k:{\\"a\\\\n\\":1}":{}}}', '{"f:l":{"k:{\\"a\\\\n\\":1}":{}}}'],
  ['a position with a plus, and zeros before it', '{"f:l":{"i:+07":{},"i:-0":{}}}', '{"f:l":{"i:0":{},"i:7":{}}}'],
  ['a position of more than 64 bits', '{"f:l":{"i:9223372036854775808":{}}}', undefined],
  ['elements of unknown kinds are left out', '{"f:a":{"z:b":{}},"z:c":{}}', '{"f:a":{}}'],
  ['nothing', 'null', '{}'],
  ['null in the place of an empty object', '{"f:a":null,"f:b":{"f:c":null}}', '{"f:a":{},"f:b":{"f:c":{}}}'],
  ['no element', '{"x":{}}', undefined],
  ['no colon', '{"fa":{}}', undefined],
  ['keys that are no JSON', '{"k:x":{}}', undefined],
  ['not an object', '{"f:a":1}', undefined],
];
for (const [name, text, result] of read)
  sets(`a client's set: ${name}`, () => {
    if (result === undefined) assert.throws(() => readFieldSet(JSON.parse(text)));
    else assert.is(JSON.stringify(readFieldSet(JSON.parse(text))), result);
  });

sets('shows paths', () => {
  assert.is(shownPath(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name']), '.spec.ports[port=80,protocol="TCP"].name');
  assert.is(shownPath(['f:a.b/c', 'v:"x"', 'i:0']), '.a.b/c[="x"][0]');
});

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const paths = fc.uniqueArray(path, { maxLength: 8 });
const listed = (set: FieldSet): string[] => {
  const found: string[] = [];
  eachPath(set, (each) => found.push(each.map((element) => element.slice(2)).join('/')));
  return found.sort();
};

sets('operations are those of sets of paths', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [of(...left), of(...right)];
      const below = (one: string) => right.some((other) => one === other || one.startsWith(`${other}/`));
      assert.equal(listed(a), [...left].sort());
      assert.equal(listed(union(a, b)), [...new Set([...left, ...right])].sort());
      assert.equal(listed(difference(a, b)), left.filter((each) => !right.includes(each)).sort());
      assert.equal(listed(intersection(a, b)), left.filter((each) => right.includes(each)).sort());
      assert.equal(listed(recursiveDifference(a, b)), left.filter((each) => !below(each)).sort());
      for (const result of [union(a, b), difference(a, b), intersection(a, b), recursiveDifference(a, b)])
        assert.is(JSON.stringify(readFieldSet(result)), JSON.stringify(result), 'in canonical form');
      for (const each of left)
        assert.ok(
          hasPath(
            a,
            each.split('/').map((part) => `f:${part}`),
          ),
        );
    }),
  );
});

sets('the union of many is that of one after the other', () => {
  fc.assert(
    fc.property(fc.array(paths), (each) => {
      const all = each.map((some) => of(...some));
      assert.is(JSON.stringify(unionOf(all)), JSON.stringify(all.reduce(union, EMPTY_SET)));
    }),
  );
});

sets('do not hold on to long values', () => {
  const before = usedHeap();
  for (let index = 0; index < 200; index++) compareElements(valueElement(longText(index, 500_000)), valueElement('a'));
  const grown = usedHeap() - before;
  assert.ok(grown < 20_000_000, `${grown} bytes`);
});

sets.run();
