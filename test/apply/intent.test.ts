/** What is wrong with the types of an object that is applied, in the words of 1.32. Types of Go; `structural.test.ts` has those of definitions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { intentErrors, typeErrorText } from '../../runtime/apply/intent.ts';
import * as d from '../../runtime/contract/descriptor.ts';
import { compileType } from '../../runtime/schema/codec/codec.ts';
import { identity } from '../schema/types.ts';

const test = suite('the types of an intent');

const Every = compileType(
  d.struct('applied.v1.Every', () => [
    { name: 'text', type: d.string },
    { name: 'bytes', type: d.bytes },
    { name: 'delay', type: d.duration },
    { name: 'count', type: d.int32 },
    { name: 'ratio', type: d.double },
    { name: 'flag', type: d.boolean },
    { name: 'time', type: d.time },
    { name: 'micro', type: d.microTime },
    { name: 'amount', type: d.quantity },
    { name: 'port', type: d.intOrString },
    { name: 'extension', type: d.rawExtension },
    { name: 'fields', type: d.fieldsV1 },
    { name: 'json', type: d.json },
    { name: 'list', type: d.list(d.string) },
    { name: 'map', type: d.map(d.string) },
  ]),
  identity,
);

const text = (value: string): string => `expected string, got &value.valueUnstructured{Value:${value}}`;
const number = (type: string): string => `expected numeric (int or float), got ${type}`;
const scalar = (value: string): string => `expected any scalar, got &{${value}}`;
const rows: readonly [member: string, value: unknown, error: string | undefined][] = [
  ['text', 1, text('1')],
  ['text', 1.5, text('1.5')],
  ['text', true, text('true')],
  ['text', [null, 'x'], text('[]interface {}{interface {}(nil), "x"}')],
  ['text', { b: 1, a: 'x' }, text('map[string]interface {}{"a":"x", "b":1}')],
  ['bytes', 1, text('1')],
  ['delay', 1, text('1')],
  ['count', 'x', number('string')],
  ['count', false, number('bool')],
  ['count', [], number('[]interface {}')],
  ['ratio', {}, number('map[string]interface {}')],
  ['count', 1.5, undefined],
  ['flag', 'x', 'expected boolean, got &{x}'],
  ['flag', { a: null }, 'expected boolean, got &{map[a:<nil>]}'],
  ['time', [], scalar('[]')],
  ['time', 5, undefined],
  ['micro', {}, scalar('map[]')],
  ['amount', [null], scalar('[<nil>]')],
  ['amount', true, undefined],
  ['port', [1], undefined],
  ['extension', 'x', undefined],
  ['extension', [1], undefined],
  ['fields', 'x', 'expected map, got &{x}'],
  ['json', 'x', undefined],
  ['list', { a: 1 }, 'expected list, got &{map[a:1]}'],
  ['map', [1, 'x'], 'expected map, got &{[1 x]}'],
  ['map', null, undefined],
];
for (const [member, value, error] of rows)
  test(`${member}: ${JSON.stringify(value)}`, () =>
    assert.equal(intentErrors(Every, { [member]: value }), error === undefined ? [] : [`.${member}: ${error}`]));

test('several errors stand below one another', () =>
  assert.is(
    typeErrorText(intentErrors(Every, { map: { a: 1 }, flag: 1 })),
    `errors:\n  .map.a: ${text('1')}\n  .flag: expected boolean, got &{1}`,
  ));
test.run();
