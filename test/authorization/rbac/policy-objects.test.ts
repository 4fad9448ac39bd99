/** Which of the default roles and bindings a server makes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultPolicyGates } from '../../../generated/default-policy-hash.ts';
import { ensureDefaultPolicy, type PolicySource } from '../../../runtime/authorization/rbac/default-policy.ts';
import { policyObjects } from '../../../runtime/authorization/rbac/policy-objects.ts';
import type { DefaultPolicy } from '../../../runtime/contract/default-policy.ts';
import { TestCluster } from '../../controllers/server.ts';
import { identity } from './roles.ts';

const test = suite('default roles behind feature gates');

const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const subjects = [{ user: 'someone' }];
const table: DefaultPolicy = {
  clusterRoles: [
    { name: 'open', rules },
    { name: 'gated', featureGates: ['One', 'Two'], rules },
  ],
  roles: [],
  clusterRoleBindings: ['open', 'gated'].map((name) => ({ name, clusterRole: name, subjects })),
  roleBindings: [],
};
const ALL = ['clusterroles open', 'clusterroles gated', 'clusterrolebindings open', 'clusterrolebindings gated'];

const rows: [gates: string[], made: string[]][] = [
  [[], ['clusterroles open', 'clusterrolebindings open']],
  [['One'], ['clusterroles open', 'clusterrolebindings open']],
  [['One', 'Two'], ALL],
];
for (const [gates, made] of rows)
  test(`with ${gates.join(' and ') || 'no gate'}`, () => {
    const objects = policyObjects(table, identity, (gate) => gates.includes(gate));
    assert.equal(
      objects.map(({ resource, metadata }) => `${resource.name} ${metadata.name}`),
      made,
    );
  });

test('a rule stands in its role while its gates are on, and tells nothing of them', () => {
  const mixed: DefaultPolicy = {
    ...table,
    clusterRoles: [{ name: 'mixed', rules: [...rules, { verbs: ['get'], nonResourceURLs: ['/x'], featureGates: ['One', 'Two'] }] }],
    clusterRoleBindings: [],
  };
  const rulesWith = (...gates: string[]) => policyObjects(mixed, identity, (gate) => gates.includes(gate))[0]?.members.rules;
  assert.equal(rulesWith('One'), rules);
  assert.equal(rulesWith('One', 'Two'), [...rules, { verbs: ['get'], nonResourceURLs: ['/x'] }]);
});

const group = { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io' };
const subject = (name: string) => ({ ...group, name });
const models: readonly [name: string, annotations: Record<string, string>, bound: string[]][] = [
  ['what the default binds is added', { a: 'b' }, ['guests', 'someone']],
  ['nothing is added where the older binding shall stay as it is', { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }, ['guests']],
];
for (const [name, annotations, bound] of models)
  test(`a binding like an older one binds whom that binds: ${name}`, () => {
    const binding = { name: 'newer', clusterRole: 'open', like: 'older', subjects: [{ group: 'someone' }] };
    const [made] = policyObjects({ ...table, clusterRoles: [], clusterRoleBindings: [binding] }, identity, () => true);
    assert.is(made?.model?.name, 'older');
    const older = { kind: 'ClusterRoleBinding', metadata: { name: 'older', uid: '1', labels: { x: 'y' }, annotations } };
    const taken = made?.model?.taken({ ...older, apiVersion: 'v1', roleRef: { name: 'another' }, subjects: [subject('guests')] });
    assert.equal(taken?.members.subjects, bound.map(subject));
    assert.equal(taken?.members.roleRef, made?.members.roleRef);
    assert.equal([taken?.metadata.name, taken?.metadata.labels?.x, 'uid' in (taken?.metadata ?? {})], ['newer', 'y', false]);
    for (const key of Object.keys(annotations)) assert.is(taken?.metadata.annotations?.[key], annotations[key]);
  });

test('they come with the start after which the gate is open, and stay', async () => {
  const open = new Set<string>();
  const cluster = await TestCluster.create();
  try {
    const server = { ...cluster.server, featureEnabled: (gate: string) => open.has(gate) };
    let loads = 0;
    const policy: PolicySource = {
      hash: 'a',
      gates: ['One', 'Two'],
      load: async () => {
        loads++;
        return table;
      },
    };
    const roles = (): number => cluster.objects('clusterroles/').length;
    const starts = async (...gates: string[]): Promise<void> => {
      open.clear();
      for (const gate of gates) open.add(gate);
      await ensureDefaultPolicy(server, policy);
    };
    await starts();
    await starts();
    assert.equal([loads, roles()], [1, 1]);
    await starts('One', 'Two');
    await starts('One', 'Two');
    assert.equal([loads, roles()], [2, 2]);
    await starts();
    assert.equal([loads, roles()], [3, 2]);
  } finally {
    await cluster.remove();
  }
});

test('those of the schemas depend on gates', () => assert.ok(defaultPolicyGates.includes('StorageVersionAPI')));

test.run();
