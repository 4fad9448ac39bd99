import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('storage version migrations');

const { rules } = await loadKind('storagemigration.k8s.io/v1alpha1', 'StorageVersionMigration');

const migration = (resource: object, status: object = {}): ApiObject =>
  object('storagemigration.k8s.io/v1alpha1', 'StorageVersionMigration', { spec: { resource }, status });
const condition = (type: string, members: object = {}): object => ({
  type,
  status: 'True',
  lastUpdateTime: '2026-01-01T00:00:00Z',
  reason: 'R',
  ...members,
});
const withStatus = (status: object): ApiObject => migration({ version: 'v1', resource: 'pods' }, status);
const withConditions = (...conditions: object[]): ApiObject => withStatus({ conditions });
const details = (errors: readonly string[]): string[] => errors.map((line) => line.replace(/Invalid value: \[.*\]: /, ''));

test('resource and version are required', () =>
  assert.equal(lines(rules.validate?.(migration({}), ruleContext())), [
    'spec.resource.resource: Required value: resource is required',
    'spec.resource.version: Required value: version is required',
  ]));

test('the resource stays', () =>
  assert.equal(lines(rules.validateUpdate?.(migration({ group: 'a', version: 'v2' }), migration({ version: 'v1' }), ruleContext())), [
    'group: Invalid value: "a": field is immutable',
    'version: Invalid value: "v2": field is immutable',
  ]));

const changes: [string, ApiObject, ApiObject, string[]][] = [
  ['it runs', withConditions(condition('Running')), withStatus({}), []],
  [
    'no version',
    withStatus({ resourceVersion: 'x' }),
    withStatus({}),
    ['status.resourceVersion: Invalid value: "x": failed to parse resource version "x": strconv.ParseInt: parsing "x": invalid syntax'],
  ],
  [
    'a negative version',
    withStatus({ resourceVersion: '-1' }),
    withStatus({}),
    ['status.resourceVersion: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'another version',
    withStatus({ resourceVersion: '2' }),
    withStatus({ resourceVersion: '1' }),
    ['status.resourceVersion: Invalid value: "2": resourceVersion cannot be updated'],
  ],
  [
    'no version any more',
    withStatus({}),
    withStatus({ resourceVersion: '1' }),
    ['status.resourceVersion: Invalid value: "": resourceVersion cannot be updated'],
  ],
  [
    'a reason that is none, and too long',
    withConditions(condition('Running', { reason: `-${'a'.repeat(1_024)}` })),
    withStatus({}),
    [
      `status.conditions[0].reason: Invalid value: "-${'a'.repeat(1_024)}": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
      'status.conditions[0].reason: Too long: may not be more than 1024 bytes',
    ],
  ],
  [
    'a condition twice, and one that runs though it has failed',
    withConditions(condition('Running'), condition('Failed'), condition('Failed')),
    withStatus({}),
    [
      'status.conditions[2].type: Duplicate value: "Failed"',
      'status.conditions: Running condition cannot be true when failed condition is true',
    ],
  ],
  [
    'success and failure',
    withConditions(condition('Succeeded'), condition('Failed')),
    withStatus({}),
    ['status.conditions: Both success and failed conditions cannot be true at the same time'],
  ],
  [
    'success taken back',
    withConditions(condition('Running')),
    withConditions(condition('Succeeded')),
    ['status.conditions: Success condition cannot be set to false once it is true'],
  ],
  [
    'a condition without anything',
    withConditions({ type: 'Running', status: 'Maybe' }),
    withStatus({}),
    [
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime: Required value: must be set',
      'status.conditions[0].reason: Required value: must be set',
    ],
  ],
];
for (const [name, value, old, expected] of changes)
  test(`status: ${name}`, () => assert.equal(details(lines(rules.validateStatusUpdate?.(value, old, ruleContext()))), expected));

test('cells name the resource in full', async () => {
  assert.equal(await rowOf(migration({ group: 'apps', version: 'v1', resource: 'deployments' }), 0), ['x', 'deployments.v1.apps']);
  assert.equal(await rowOf(migration({ version: 'v1', resource: 'pods' }), 0), ['x', 'pods.v1.']);
});

test.run();
