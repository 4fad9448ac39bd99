import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../../runtime/contract/descriptor.ts';
import type { KindHistory } from '../../../runtime/contract/history.ts';
import { isThere } from '../../../runtime/contract/lifespan.ts';
import { ReleasedTypes } from '../../../runtime/registry/emulation/released-types.ts';

const CURRENT = '1.32';
const Part: d.StructType = d.struct('Part', () => [
  { name: 'name', type: d.string },
  { name: 'size', type: d.int32 },
]);
const Plain: d.StructType = d.struct('Plain', () => [{ name: 'name', type: d.string }]);
const Toy: d.StructType = d.struct('Toy', () => [
  { name: 'parts', type: d.keyedList(Part, ['name']) },
  { name: 'byName', type: d.map(d.atomic(Part)) },
  { name: 'plain', type: Plain },
  { name: 'inner', type: Toy, go: { pointer: true } },
]);
const Handler: d.StructType = d.struct('Handler', () => [{ name: 'run', type: d.string }]);
const OldHandler: d.StructType = d.struct('OldHandler', () => [{ name: 'run', type: d.string }]);
const Probe: d.StructType = d.struct('Probe', () => [{ name: 'handler', type: Handler, go: { inline: true } }]);

const Gated: d.StructType = d.struct('Gated', () => [
  { name: 'shape', type: d.string },
  { name: 'weight', type: d.int32, featureGate: 'Weights' },
]);

const history: KindHistory = {
  uses: [],
  kinds: {},
  tables: {},
  structs: {
    Part: {
      fields: () => [
        { name: 'colour', type: d.string, until: '1.20' },
        { name: 'name', type: d.string, default: 'a', until: '1.25' },
        { name: 'name', type: d.string, since: '1.25' },
        { name: 'size', type: d.int32, since: '1.18' },
      ],
      defaults: [
        { path: 'size', value: 1, since: '1.18' },
        { path: 'colour', value: 'red', until: '1.20' },
      ],
    },
    Gated: {
      fields: () => [
        { name: 'shape', type: d.string, default: 'round', featureGate: 'Shapes', until: '1.24' },
        { name: 'shape', type: d.string, since: '1.24' },
        { name: 'weight', type: d.int32, until: '1.30' },
        { name: 'weight', type: d.int32, featureGate: 'Weights', since: '1.30' },
      ],
    },
    Probe: {
      fields: () => [
        { name: 'oldHandler', type: OldHandler, go: { inline: true }, until: '1.23' },
        { name: 'handler', type: Handler, go: { inline: true }, since: '1.23' },
      ],
    },
  },
};
const outer: KindHistory = { uses: [history], kinds: {}, tables: {}, structs: {} };

function typesOf(release: string, ...others: string[]): ReleasedTypes {
  const types = new ReleasedTypes(CURRENT, (lifespan) => [release, ...others].some((each) => isThere(lifespan, each)));
  types.learn(outer);
  return types;
}
const typeAt = <T extends d.Type>({ fields }: d.StructType, index: number): T => (fields[index] as d.Field).type as T;
const partOf = (toy: d.StructType): d.StructType => typeAt<d.ListType>(toy, 0).element as d.StructType;
const names = ({ fields }: d.StructType): string[] => fields.map(({ name }) => name);

const test = suite('types of a release');
test('are those of today where nothing they lead to was otherwise', () => {
  assert.is(typesOf('1.30').of(Toy), Toy);
  assert.is(typesOf('1.16').of(Plain), Plain);
  assert.is(typesOf('1.30').formOf(Toy), '');
});
test('lack what came later, and have what is gone, in lists and maps too', () => {
  const toy = typesOf('1.17').of(Toy);
  assert.equal(names(partOf(toy)), ['colour', 'name']);
  assert.equal(partOf(toy).fields[1], { name: 'name', type: d.string, default: 'a' });
  assert.equal(names(typeAt<d.MapType>(toy, 1).value as d.StructType), ['colour', 'name']);
  assert.equal(names(partOf(typesOf('1.22').of(Toy))), ['name', 'size']);
});
test('keep what a use says, and what did not change', () => {
  const toy = typesOf('1.17').of(Toy);
  assert.is((typeAt<d.MapType>(toy, 1).value as d.StructType).mapType, 'atomic');
  assert.equal(typeAt<d.ListType>(toy, 0).listMapKeys, ['name']);
  assert.is(toy.fields[2]?.type, Plain);
});
test('lead to themselves in circles', () => {
  const toy = typesOf('1.17').of(Toy);
  assert.is(toy.fields[3]?.type, toy);
});
test('have the defaults of then', () => {
  assert.equal(typesOf('1.17').of(Part).defaults, [{ path: 'colour', value: 'red' }]);
  assert.equal(typesOf('1.22').of(Part).defaults, [{ path: 'size', value: 1 }]);
});
test('are the same object each time', () => {
  const types = typesOf('1.17');
  assert.is(types.of(Part), types.of(Part));
  assert.is(partOf(types.of(Toy)), types.of(Part));
});
test('of two releases have what either had, in the form of today', () => {
  const part = typesOf('1.17', CURRENT).of(Part);
  assert.equal(names(part), ['colour', 'name', 'size']);
  assert.is(part.fields[1]?.default, undefined);
});
test('of two releases have members behind the gates of the earlier one', () => {
  const gatesAt = (release: string): unknown =>
    typesOf(release, CURRENT)
      .of(Gated)
      .fields.map(({ featureGate }) => featureGate);
  assert.equal(gatesAt('1.17'), ['Shapes', undefined]);
  assert.equal(gatesAt('1.26'), [undefined, undefined]);
  assert.equal(gatesAt('1.31'), [undefined, 'Weights']);
  assert.equal(typesOf('1.17', CURRENT).of(Gated).fields[0], { name: 'shape', type: d.string, featureGate: 'Shapes' });
});
test('of two releases have members that two inline structs have once', () => {
  assert.equal(names(typesOf('1.17', CURRENT).of(Probe)), ['handler']);
  assert.equal(names(typesOf('1.17').of(Probe)), ['oldHandler']);
});
test('have forms that differ where they do', () => {
  const forms = ['1.16', '1.17', '1.19', '1.20', '1.24', '1.25'].map((release) => typesOf(release).formOf(Toy));
  assert.is(forms[0], forms[1]);
  assert.is(forms[3], forms[4]);
  assert.is(new Set(forms).size, 4);
});
test.run();
