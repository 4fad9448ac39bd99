import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../../runtime/contract/descriptor.ts';
import { invalid, notSupported } from '../../../runtime/contract/field-error.ts';
import { qualifiedName } from '../../../runtime/formats/labels.ts';
import { MissingValues } from '../../../runtime/registry/emulation/missing-values.ts';

const Part: d.StructType = d.struct('Part', () => [
  { name: 'colour', type: d.string },
  { name: 'inner', type: Part, go: { pointer: true } },
]);
const Plain: d.StructType = d.struct('Plain', () => [
  { name: 'colour', type: d.string },
  { name: 'inner', type: Plain, go: { pointer: true } },
]);
const Base: d.StructType = d.struct('Base', () => [{ name: 'mode', type: d.string }]);
const Toy: d.StructType = d.struct('Toy', () => [
  { name: 'base', type: Base, go: { inline: true } },
  { name: 'parts', type: d.keyedList(Part, ['colour']) },
  { name: 'byName', type: d.map(Part) },
  { name: 'modes', type: d.list(d.string) },
  { name: 'states', type: d.map(d.string) },
  { name: 'plain', type: Plain },
]);
const VALUES: Readonly<Record<string, ReadonlyMap<string, ReadonlySet<string>>>> = {
  Part: new Map([['colour', new Set(['Blue'])]]),
  Base: new Map([['mode', new Set(['Fast'])]]),
  Toy: new Map([
    ['modes', new Set(['Fast'])],
    ['states', new Set(['Gone'])],
  ]),
};
const missing = new MissingValues({ missingValues: ({ name }) => VALUES[name] });
/** What is hidden is shown with a star. */
const shown = (value: unknown, old?: unknown): unknown =>
  JSON.parse(JSON.stringify(missing.hidden(Toy, value, old)).replaceAll('0unknown0in0release0', '*'));

const test = suite('values that a release does not have');
test('are hidden at every depth', () =>
  assert.equal(
    shown({
      mode: 'Fast',
      parts: [{ colour: 'Red', inner: { colour: 'Blue' } }, { colour: 'Blue' }],
      byName: { a: { colour: 'Blue' } },
      modes: ['Slow', 'Fast'],
      states: { a: 'Gone', b: 'There' },
      plain: { colour: 'Blue', inner: { colour: 'Blue' } },
    }),
    {
      mode: 'Fast*',
      parts: [{ colour: 'Red', inner: { colour: 'Blue*' } }, { colour: 'Blue*' }],
      byName: { a: { colour: 'Blue*' } },
      modes: ['Slow', 'Fast*'],
      states: { a: 'Gone*', b: 'There' },
      plain: { colour: 'Blue', inner: { colour: 'Blue' } },
    },
  ));
test('stay known where they are stored', () => {
  const value = { mode: 'Fast', parts: [{ colour: 'Blue' }], modes: ['Slow', 'Fast'], states: { a: 'Gone' } };
  assert.is(missing.hidden(Toy, value, structuredClone(value)), value);
  assert.equal(shown({ ...value, parts: [{ colour: 'Red' }, { colour: 'Blue' }] }, value), {
    ...value,
    parts: [{ colour: 'Red' }, { colour: 'Blue*' }],
  });
});
test('leave the object as it is where there are none, whatever its form', () => {
  for (const value of [{ mode: 'Slow', parts: [{ colour: 'Red' }] }, { parts: {}, byName: [1], modes: 'Slow', plain: 3 }, null])
    assert.is(missing.hidden(Toy, value, undefined), value);
});
test('take linear time in long lists', () => {
  const modes = (prefix: string) => Array.from({ length: 60_000 }, (_, index) => `${prefix}${index}`);
  const value = { modes: modes('new') };
  const start = process.cpuUsage();
  assert.is(missing.hidden(Toy, value, { modes: modes('old') }), value);
  // microseconds; each with each of them takes a hundred times as long
  assert.ok(process.cpuUsage(start).user < 1_000_000);
});
test('are in types that lead to them', () => {
  assert.is(missing.isIn(Toy), true);
  assert.is(missing.isIn(Part), true);
  assert.is(missing.isIn(Plain), false);
});
test('have the form of values that are taken where others may be added', () =>
  assert.equal(qualifiedName(missing.hidden(Part, { colour: 'Blue' }, undefined).colour), []));
test('are not named in what is told', () => {
  const hidden = missing.hidden(Part, { colour: 'Blue' }, undefined).colour;
  assert.is(
    missing.told(Toy, notSupported('.parts[0].colour', hidden, ['Blue', 'Green', 'Red'])).message,
    'Unsupported value: "Blue": supported values: "Green", "Red"',
  );
  assert.is(
    missing.told(Toy, notSupported('.byName[a].colour', 'X', ['Red', 'Blue'])).message,
    'Unsupported value: "X": supported values: "Red"',
  );
  assert.is(missing.told(Toy, invalid('.parts[0].colour', hidden, 'must not be so')).message, 'Invalid value: "Blue": must not be so');
  const other = notSupported('.plain.colour', 'X', ['Red', 'Blue']);
  assert.is(missing.told(Toy, other), other);
});
test.run();
