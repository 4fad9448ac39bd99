import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseStoredJson } from '../../runtime/registry/stored-objects/parse-stored-json.ts';
import { scaleFindings } from '../../runtime/structural-schema/scale-numbers.ts';

const test = suite('structural-schema/scale-numbers');

const PATHS = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

/** @param json of the number of replicas */
const messages = (json: string): string[] =>
  scaleFindings(PATHS, parseStoredJson(Buffer.from(`{"spec":{"replicas":${json}}}`)), false).map(({ message }) => message);

for (const [what, json, ...expected] of [
  ['an integer', '3'],
  ['null', 'null', 'Invalid value: 0: .spec.replicas accessor error: <nil> is of the type <nil>, expected int64'],
  ['one below zero', '-1', 'Invalid value: -1: should be a non-negative integer'],
  ['one above 32 bits', '2147483648', 'Invalid value: 2147483648: should be less than or equal to 2147483647'],
  ['one that JavaScript cannot hold', '9007199254740993', 'Invalid value: 9007199254740993: should be less than or equal to 2147483647'],
  ['one below zero that it cannot hold', '-9007199254740993', 'Invalid value: -9007199254740993: should be a non-negative integer'],
  [
    'one above 64 bits',
    '123456789012345678901234567890',
    'Invalid value: 0: .spec.replicas accessor error: 1.2345678901234568e+29 is of the type float64, expected int64',
  ],
  ['a fraction', '0.5', 'Invalid value: 0: .spec.replicas accessor error: 0.5 is of the type float64, expected int64'],
  ['a small fraction', '0.00002', 'Invalid value: 0: .spec.replicas accessor error: 2e-05 is of the type float64, expected int64'],
  ['a text', '"a"', 'Invalid value: 0: .spec.replicas accessor error: a is of the type string, expected int64'],
  [
    'an object with members beyond the basic plane',
    '{"\u{1f600}":1,"\uff71":2}',
    'Invalid value: 0: .spec.replicas accessor error: map[\uff71:2 \u{1f600}:1] is of the type map[string]interface {}, expected int64',
  ],
  [
    'an object',
    '{"b":[1,9007199254740993],"a":null}',
    'Invalid value: 0: .spec.replicas accessor error: map[a:<nil> b:[1 9007199254740993]] is of the type map[string]interface {}, expected int64',
  ],
] as const)
  test(`replicas that are ${what}`, () => {
    assert.equal(messages(json), expected);
  });

for (const [what, object, path, ...expected] of [
  ['an integer', { spec: 5 }, '.spec.replicas', '.spec.replicas accessor error: 5 is of the type int64'],
  ['a long integer', { spec: 2_147_483_648 }, '.spec.replicas', '.spec.replicas accessor error: 2147483648 is of the type int64'],
  ['a list', { spec: { a: ['x'] } }, '.spec.a.replicas', '.spec.a.replicas accessor error: [x] is of the type []interface {}'],
  ['a text on the way', { spec: 'x' }, '.spec.a.replicas', '.spec.a accessor error: x is of the type string'],
  ['null', { spec: null }, '.spec.replicas'],
  ['not there', {}, '.spec.a.replicas'],
] as const)
  test(`what should hold the number and is ${what}`, () => {
    const messagesOf = (paths: typeof PATHS) => scaleFindings(paths, object, false).map(({ message }) => message);
    const told = expected.map((problem) => `Invalid value: 0: ${problem}, expected map[string]interface{}`);
    assert.equal(messagesOf({ ...PATHS, specReplicasPath: path }), told);
  });

test('a selector within what is no object is found', () => {
  const paths = { ...PATHS, statusReplicasPath: '.other.replicas', labelSelectorPath: '.status.selector' };
  const [finding] = scaleFindings(paths, { status: 5 }, true);
  assert.is(
    finding?.message,
    'Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected map[string]interface{}',
  );
});

test('a path through a name that every object of JavaScript has finds nothing', () => {
  assert.equal(scaleFindings({ ...PATHS, specReplicasPath: '.spec.constructor' }, { spec: {} }, false), []);
});

test.run();
