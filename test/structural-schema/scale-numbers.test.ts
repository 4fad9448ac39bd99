import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseStoredJson } from '../../runtime/registry/stored-object.ts';
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
    'an object',
    '{"b":[1,9007199254740993],"a":null}',
    'Invalid value: 0: .spec.replicas accessor error: map[a:<nil> b:[1 9007199254740993]] is of the type map[string]interface {}, expected int64',
  ],
] as const)
  test(`replicas that are ${what}`, () => {
    assert.equal(messages(json), expected);
  });

test('a path through a name that every object of JavaScript has finds nothing', () => {
  assert.equal(scaleFindings({ ...PATHS, specReplicasPath: '.spec.constructor' }, { spec: {} }, false), []);
});

test.run();
