import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { apiVersion } from '../../../runtime/formats/api-versions.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('storage versions');

const { rules } = await loadKind('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion');

const server = (id: string, version: string, members: object = {}): object => ({
  apiServerID: id,
  encodingVersion: version,
  decodableVersions: [version],
  ...members,
});
const storageVersion = (status: object, name = 'apps.deployments'): ApiObject =>
  object('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion', { spec: {}, status }, { name });

const rows: [string, ApiObject, string[]][] = [
  ['empty', storageVersion({}), []],
  ['agreed', storageVersion({ storageVersions: [server('a', 'v1'), server('b', 'v1')], commonEncodingVersion: 'v1' }), []],
  [
    'nobody reports',
    storageVersion({ commonEncodingVersion: 'v1' }),
    [
      'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
    ],
  ],
  [
    'agreed, not told',
    storageVersion({ storageVersions: [server('a', 'v1')] }),
    ['status.commonEncodingVersion: Invalid value: "null": the common encoding version is v1'],
  ],
  [
    'agreed on another',
    storageVersion({ storageVersions: [server('a', 'v1')], commonEncodingVersion: 'v2' }),
    ['status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is v1'],
  ],
  [
    'not readable',
    storageVersion({
      storageVersions: [server('a', 'v1', { decodableVersions: ['v2'], servedVersions: ['v1'] })],
      commonEncodingVersion: 'v1',
    }),
    [
      'status.storageVersions[0].decodableVersions: Invalid value: []string{"v2"}: decodableVersions must include encodingVersion v1',
      'status.storageVersions[0].servedVersions[0]: Invalid value: "v1": individual served version : v1 must be included in decodableVersions : [v2]',
    ],
  ],
  [
    'a server twice',
    storageVersion({ storageVersions: [server('a', 'v1'), server('a', 'v1')], commonEncodingVersion: 'v1' }),
    ['status.storageVersions[1].apiServerID: Duplicate value: "a"'],
  ],
  [
    'served versions that are none',
    storageVersion({
      storageVersions: [server('a', 'v1', { decodableVersions: ['v1', 'example.com/'], servedVersions: ['/v3', 'example.com/', 'v1'] })],
      commonEncodingVersion: 'v1',
    }),
    [
      'status.storageVersions[0].decodableVersions[1]: Invalid value: "example.com/": version part: must be non-empty',
      'status.storageVersions[0].servedVersions[0]: Invalid value: "/v3": group part: must be non-empty',
      'status.storageVersions[0].servedVersions[0]: Invalid value: "/v3": individual served version : /v3 must be included in decodableVersions : [v1 example.com/]',
      'status.storageVersions[0].servedVersions[1]: Invalid value: "example.com/": version part: must be non-empty',
    ],
  ],
  [
    'a condition without reason and message',
    storageVersion({ conditions: [{ type: 'A', status: 'True' }] }),
    ['status[0].reason: Required value: reason cannot be empty', 'status[0].message: Required value: message cannot be empty'],
  ],
];
for (const [name, value, expected] of rows)
  test(name, () => assert.equal(lines(rules.validateStatusUpdate?.(value, storageVersion({}), ruleContext())), expected));

test('a name without group', () =>
  assert.equal(lines(rules.validate?.(storageVersion({}, 'pods'), ruleContext())), [
    'metadata.name: Invalid value: "pods": name must be in the form of <group>.<resource>',
  ]));

for (const [text, count] of [
  ['v1', 0],
  ['apps/v1', 0],
  ['', 1],
  ['/v1', 1],
  ['a/b/c', 1],
  ['A/V', 2],
] as const)
  test(`apiVersion "${text}"`, () => assert.is(apiVersion(text).length, count));

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:00:05Z');
  const servers = ['a', 'b', 'c', 'd'].map((id) => server(id, 'v1'));
  const row = ['apps.deployments', 'v1', 'a=v1,b=v1,c=v1 + 1 more...', '5s'];
  assert.equal(await rowOf(storageVersion({ storageVersions: servers, commonEncodingVersion: 'v1' }), now), row);
  assert.equal(await rowOf(storageVersion({}), now), ['apps.deployments', '<unset>', '<unset>', '5s']);
});

test.run();
