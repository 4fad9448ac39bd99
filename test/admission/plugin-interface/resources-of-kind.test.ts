import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resourcesOfKind } from '../../../runtime/admission/plugin-interface/resources-of-kind.ts';

const test = suite('resources of a kind');

const GROUPS = [
  {
    group: '',
    version: 'v1',
    resources: [
      { name: 'pods', kind: 'Pod', scope: 'Namespaced' },
      { name: 'nodes', kind: 'Node', scope: 'Cluster' },
    ],
  },
  { group: 'apps', version: 'v1', resources: [{ name: 'replicasets', kind: 'ReplicaSet', scope: 'Namespaced' }] },
] as const;

const ROWS: readonly (readonly [apiVersion: string, kind: string, resources: readonly string[]])[] = [
  ['v1', 'Pod', ['pods in namespaces']],
  ['v1', 'Node', ['nodes']],
  ['apps/v1', 'ReplicaSet', ['replicasets in namespaces']],
  ['apps/v1', 'replicaset', ['replicasets in namespaces']],
  ['apps/v1', 'replicaSet', []],
  ['apps/v1', 'replicasets', []],
  ['apps/v1', 'ReplicaSetList', ['replicasetlists in namespaces']],
  ['v1', 'NodeList', ['nodelists']],
  ['apps/v1', 'List', ['lists']],
  ['apps/v1', 'Pod', []],
  ['apps/v2', 'ReplicaSet', []],
];
for (const [apiVersion, kind, resources] of ROWS)
  test(`${apiVersion} ${kind}`, () => {
    const found = resourcesOfKind(GROUPS, apiVersion, kind);
    assert.equal(
      found.map(({ resource, namespaced }) => `${resource}${namespaced ? ' in namespaces' : ''}`),
      resources,
    );
  });

test.run();
