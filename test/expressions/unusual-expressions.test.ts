/** Results, costs and refusals of 1.32 where an expression is about what hardly anybody writes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubernetesLibraries } from '../../runtime/expressions/libraries/kubernetes.ts';
import { BOOL, DYN, mapOf, STRING, TIMESTAMP } from '../../runtime/expressions/types/type.ts';
import { jsonValue } from '../../runtime/expressions/values/json-values.ts';
import { EntryMap } from '../../runtime/expressions/values/value.ts';
import { compileError, evaluate, result, type Variable } from './libraries/evaluation.ts';

const libraries = kubernetesLibraries(32);
const texts = { type: mapOf(STRING, STRING), value: EntryMap.of([['k1', 'a']]) };
const variables: Readonly<Record<string, Variable>> = {
  texts,
  yes: { type: BOOL, value: true },
  text: { type: STRING, value: 'xaay' },
  any: { type: DYN, value: texts.value },
  odd: { type: TIMESTAMP, value: '2024-01-01T00:00:00Z' },
  read: { type: DYN, value: jsonValue({ list: [1] }) },
  bytes: { type: DYN, value: Uint8Array.of(1) },
};
const test = suite('unusual expressions');

const results: readonly [expression: string, expected: unknown][] = [
  ["any[duration('1s') + duration('1s')]", 'error: invalid qualifier type: types.Duration'],
  ['any[texts]', 'error: invalid qualifier type: *types.baseMap'],
  ['any[read]', 'error: invalid qualifier type: map[string]interface {}'],
  ['any[read.list]', 'error: invalid qualifier type: []interface {}'],
  ['any.?k1[?bytes]', 'error: invalid qualifier type: types.Bytes'],
  ["duration('1s') in {duration('1s'): 1}", true],
  ["timestamp('2024-01-01T00:00:00Z') in {timestamp('2024-01-01T00:00:00Z'): 1}", true],
  ['{texts: 1}.size()', 1],
  ['{bytes: 1}.size() == 2 || true', 'error: internal error: runtime error: hash of unhashable type types.Bytes'],
  ["bytes in ['a']", 'error: internal error: runtime error: hash of unhashable type types.Bytes'],
  ["bytes in {'a': 1}", 'error: internal error: runtime error: hash of unhashable type types.Bytes'],
  ["cidr('10.0.0.0/8').containsIP('none')", 'error: no such overload'],
  ["dyn(quantity('1')).map(e, e)", "error: got 'cel.Quantity', expected iterable type"],
  [
    "timestamp('1731-09-21T23:47:16.854775807Z') - duration('0.2s') - timestamp('2024-01-02T00:00:00Z') == duration('0s')",
    'error: integer overflow',
  ],
  ["timestamp('2024-01-01T00:00:00Z').getHours('a\\u0000')", 'error: invalid argument'],
  // an entry without a value takes an earlier one away
  ["{'a': 1, ?'a': optional.none()}.size()", 0],
  ["{?'a': optional.none(), 'a': 1}.size()", 1],
  ['{?bytes: optional.none()}.size()', 'error: internal error: runtime error: hash of unhashable type types.Bytes'],
  // an empty list grows in place where it is bound to a name
  [
    'optional.of(texts.map(k, 1).filter(e, e > 1)).optMap(none, [none + [1], none + [2]])',
    {
      some: [
        [1n, 2n],
        [1n, 2n],
      ],
    },
  ],
  ["dyn(texts).matches('a')", 'error: no such overload'],
  // a value of another type than its declared one is compared with its like
  ['odd < odd', false],
  ['odd <= odd', true],
  ["odd < timestamp('2024-01-01T00:00:00Z')", 'error: no such overload'],
  ["quantity('12345678901234567890').asApproximateFloat() == 12345678901234567890.0", false],
  ["quantity('1e3').add(9223372036854775807).asApproximateFloat() == 9223372036854776832.0", true],
];
for (const [expression, expected] of results)
  test(expression, () => {
    const found = result(expression, libraries, variables);
    assert.equal(typeof found === 'bigint' ? Number(found) : found, expected);
  });

const costs: readonly [expression: string, units: number][] = [
  // an index that is an error is not charged behind an optional selection
  ["[1][?texts['none'].size()]", 4],
  // a pattern that is stated is charged where there is a text
  ["texts['none'].find('a')", 2],
  ["text.find('a')", 2],
  ["texts['none'].matches('a')", 2],
  ["texts['none'].format([text, text, text])", 2],
  // the last operand is the error
  ["text.replace('a', texts['none'])", 4],
  ["texts['none'].replace('a', text)", 2],
  ['has((yes ? texts : texts).k1)', 1],
  ['has(texts.k1)', 1],
  // null has no place in the set that a list of constants is looked through as
  ["text in [dyn('a'), dyn(null)]", 3],
  ["text in ['a', 'b']", 1],
  // as long as the pattern that 1.32 counts for it
  ["format.uri().validate('.')", 277],
  // the operands choose the overload
  ["dyn(texts['none']).indexOf(any)", 3],
  ["dyn(texts['none']).indexOf(text)", 3],
  ["dyn(texts['none']) + any", 5],
  // what is bound to a name is made when it is first read
  ['optional.of(text).optMap(unread, 1)', 4],
  ['optional.of(text).optMap(read, read + read)', 10],
];
for (const [expression, units] of costs)
  test(`cost of ${expression}`, () => assert.is(evaluate(expression, libraries, variables).cost, units));

const refusals: readonly [expression: string, problem: string][] = [
  ["quantity('1').value", "unexpected failed resolution of 'kubernetes.Quantity'"],
  ["has(url('/').path)", "unexpected failed resolution of 'kubernetes.URL'"],
  ['[?[]]', "expected type 'optional_type(list(_var0))' but found 'list(_var0)'"],
  ['{} || true', "expected type 'bool' but found 'map(_var0, _var1)'"],
  ["'%'.format([])", 'unexpected end of string'],
  ["'%s'.format([])", 'index 0 out of range'],
  ['type(-optional.none().value()) == 1', "'_==_' applied to '(type(double), int)'"],
  ['type([][0] - [][0]) == 1', "'_==_' applied to '(type(double), int)'"],
];
test('what is wrong with a value that a macro puts in two places is told twice', () =>
  assert.is(compileError('missing.optMap(x, x)', libraries).match(/undeclared reference to 'missing'/g)?.length, 2));
test('an error beside null is no text', () =>
  assert.match(compileError("yes ? 'a' : (yes ? null : missing)", libraries, variables), "'_?_:_' applied to '(bool, string, null)'"));

for (const [expression, problem] of refusals) test(expression, () => assert.match(compileError(expression, libraries, variables), problem));

test('an expression that selects by a constant that can select nothing has no program', () =>
  assert.throws(() => evaluate("any[timestamp('2024-01-01T00:00:00Z')]", libraries, variables), 'invalid qualifier type: types.Timestamp'));

test.run();
