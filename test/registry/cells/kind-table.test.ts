import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import type { TableColumn } from '../../../runtime/contract/table.ts';
import { compileTable } from '../../../runtime/registry/cells/kind-table.ts';
import { timeMarks } from '../../../runtime/registry/lists/row-template.ts';
import { identity, object } from '../../kinds/context.ts';
import { allKinds, nameOf } from '../roundtrip/all-kinds.ts';
import { tryRandomObjects } from '../roundtrip/random-cases.ts';

const test = suite('tables of kinds');
const toy = object('toys.example.com/v1', 'Toy', { spec: { size: 3 } }, { annotations: { 'x.kubernetes.io/a': 'b' } });

const table = (columns: readonly TableColumn[]) => compileTable({ columns }, new Map([['toys/shout', ({ kind }) => `${kind}!`]]), identity);

test('a kind without columns shows its name and when it was created', () => {
  const { columnDefinitions, cells } = compileTable(undefined, new Map(), identity);
  assert.equal(
    columnDefinitions.map(({ name, type }) => [name, type]),
    [
      ['Name', 'string'],
      ['Created At', 'date'],
    ],
  );
  assert.equal(cells(toy, 0), ['x', '2026-01-01T00:00:00Z']);
});

test('definitions have all members, and none is of an undeclared column', () => {
  const { columnDefinitions, cells } = table([
    { name: 'Size', type: 'integer', path: '.spec.size', description: 'How large.', format: 'int32', priority: 1 },
    { name: 'Kind', type: 'string', path: '.kind' },
    { name: 'Hidden', type: 'string', text: 'h', undeclared: true },
  ]);
  assert.equal(columnDefinitions, [
    { name: 'Size', type: 'integer', format: 'int32', description: 'How large.', priority: 1 },
    { name: 'Kind', type: 'string', format: '', description: '', priority: 0 },
  ]);
  assert.equal(cells(toy, 0), [3, 'Toy', 'h']);
});

const absent: [type: TableColumn['type'], expected: unknown][] = [
  ['string', ''],
  ['date', ''],
  ['integer', 0],
  ['number', 0],
  ['boolean', false],
];
for (const [type, expected] of absent)
  test(`an absent cell of type ${type}`, () => assert.equal(table([{ name: 'A', type, path: '.none' }]).cells(toy, 0), [expected]));

test('a cell that has nothing says what it states', () => {
  const columns: TableColumn[] = [
    { name: 'A', type: 'integer', path: '.none', absent: null },
    { name: 'B', type: 'boolean', path: '.none', absent: true },
  ];
  assert.equal(table(columns).cells(toy, 0), [null, true]);
});

test('placeholders are names of the dialect', () => {
  const path = ".metadata.annotations['x.${labelDomain}/a']";
  assert.equal(table([{ name: 'A', type: 'string', path }]).cells(toy, 0), ['b']);
});

test('a function makes the cell of its column', () => {
  assert.equal(table([{ name: 'A', type: 'string', function: 'toys/shout' }]).cells(toy, 0), ['Toy!']);
  assert.throws(() => table([{ name: 'A', type: 'string', function: 'toys/whisper' }]), 'there is no cell function toys/whisper');
});

/** Columns as `additionalPrinterColumns` of a definition state them, made at run time. */
const printed: [name: string, column: { type: TableColumn['type']; jsonPath: string }, expected: unknown][] = [
  ['a member', { type: 'integer', jsonPath: '.spec.size' }, 3],
  ['a condition', { type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" }, 'True'],
  ['an annotation', { type: 'string', jsonPath: '.metadata.annotations.x\\.kubernetes\\.io/a' }, 'b'],
  ['a time', { type: 'date', jsonPath: '.metadata.creationTimestamp' }, '5s'],
  ['nothing', { type: 'string', jsonPath: '.spec.colour' }, null],
];
for (const [name, { type, jsonPath }, expected] of printed)
  test(`a printer column of ${name}`, () => {
    const given = { ...toy, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    const cell = type === 'date' ? { age: jsonPath } : { path: jsonPath };
    assert.equal(table([{ name, type, ...cell, absent: null }]).cells(given, Date.parse('2026-01-01T00:00:05Z')), [expected]);
  });

for (const kind of await allKinds())
  if (kind.hub === kind && kind.data.table !== undefined)
    test(`every ${nameOf(kind)} has a row`, () =>
      tryRandomObjects(
        (seed, size) => kind.decode(randomObject(kind.data.type, { seed, size })).object,
        (given) => {
          const columns = kind.data.table?.columns.length;
          return [0, timeMarks].flatMap((now) => kind.table.cells(given, now)).filter(isCell).length === 2 * (columns ?? 0)
            ? undefined
            : 'a cell is no single value';
        },
      ));

function isCell(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) || JSON.stringify(value).match(/^-?\d+$/) !== null;
}

test.run();
