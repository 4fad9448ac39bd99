import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultPolicy } from '../../../generated/default-policy.ts';
import { NodeAuthorizer } from '../../../runtime/authorization/node/authorizer.ts';
import { NodeRelations } from '../../../runtime/authorization/node/relations.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { parseFieldSelector } from '../../../runtime/selectors/field-selector-text.ts';
import { action, path, user } from '../attributes.ts';
import { identity } from '../rbac/roles.ts';

const relations = new NodeRelations(identity);
const rules = identity.resolve(defaultPolicy.clusterRoles.find(({ name }) => name === 'system:node')?.rules ?? []);
const parts = { identity, relations, catchUp: () => {}, loadRules: async () => rules };
const authorizer = new NodeAuthorizer({ ...parts, withSelectors: true });
const NODE1 = user('system:node:node1', 'system:nodes');

function store(key: string, object: { metadata: object; [member: string]: unknown } | undefined): void {
  relations.change(key, object && new StoredObject(encodeStoredObject({ kind: 'X', apiVersion: 'v1', ...object }, 1, []).bytes));
}

const pod = (name: string, nodeName: string, spec: object = {}, more: object = {}) => ({
  metadata: { name, namespace: 'a' },
  spec: { nodeName, ...spec },
  ...more,
});
const FULL = pod(
  'p',
  'node1',
  {
    serviceAccountName: 'account',
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ envFrom: [{ secretRef: { name: 'env-from' } }, { configMapRef: { name: 'map-from' } }] }],
    containers: [
      { env: [{ name: 'A' }, { valueFrom: { secretKeyRef: { name: 'env' } } }, { valueFrom: { configMapKeyRef: { name: 'map-env' } } }] },
    ],
    ephemeralContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'debug' } } }] }],
    volumes: [
      { name: 'v1', secret: { secretName: 'volume' } },
      { name: 'v2', configMap: { name: 'map' } },
      { name: 'v3', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'map-projected' } }] } },
      { name: 'v4', persistentVolumeClaim: { claimName: 'claim' } },
      { name: 'v5', ephemeral: {} },
      { name: 'v6', csi: { nodePublishSecretRef: { name: 'csi' } } },
      { name: 'v7', azureFile: { secretName: 'azure' } },
      { name: 'v8', rbd: { secretRef: { name: 'rbd' } } },
    ],
    resourceClaims: [
      { name: 'c1', resourceClaimName: 'device' },
      { name: 'c2', resourceClaimTemplateName: 't' },
    ],
  },
  { status: { resourceClaimStatuses: [{ name: 'c2', resourceClaimName: 'p-c2-x' }] } },
);
store('pods/a/p', FULL);
store('pods/a/q', pod('q', 'node2', { imagePullSecrets: [{ name: 'of-node2' }] }));
store('pods/a/waiting', pod('waiting', '', { imagePullSecrets: [{ name: 'of-nobody' }] }));
store('pods/a/mirror', {
  ...pod('mirror', 'node1', { imagePullSecrets: [{ name: 'of-mirror' }] }),
  metadata: { name: 'mirror', namespace: 'a', annotations: { 'kubernetes.io/config.mirror': 'x' } },
});
store('persistentvolumes/pv', {
  metadata: { name: 'pv' },
  spec: {
    claimRef: { namespace: 'a', name: 'claim' },
    csi: { nodeStageSecretRef: { name: 'stage', namespace: 'b' }, controllerExpandSecretRef: { name: 'controller', namespace: 'b' } },
  },
});
store('persistentvolumes/free', { metadata: { name: 'free' }, spec: { csi: { nodeStageSecretRef: { name: 'free', namespace: 'b' } } } });
store('volumeattachments/va', { metadata: { name: 'va' }, spec: { nodeName: 'node1' } });
store('volumeattachments/va2', { metadata: { name: 'va2' }, spec: { nodeName: 'node2' } });
store('resourceslices/slice', { metadata: { name: 'slice' }, spec: { nodeName: 'node1' } });

const NONE = "no relationship found between node 'node1' and this object";
const rows: [question: string, reason: string | true, fields?: string][] = [
  ...['pull', 'env-from', 'env', 'debug', 'volume', 'projected', 'csi', 'azure', 'rbd'].map((name): [string, true] => [
    `get secrets ${name} in a`,
    true,
  ]),
  ['list secrets env in a', true],
  ['watch secrets env in a', true],
  ['get secrets stage in b', true],
  ['get secrets controller in b', NONE],
  ['get secrets free in b', NONE],
  ['get secrets env in b', NONE],
  ['get secrets of-node2 in a', NONE],
  ['get secrets of-nobody in a', NONE],
  ['get secrets of-mirror in a', NONE],
  ['get secrets map in a', NONE],
  ['list secrets in a', 'No Object name found'],
  ['get secrets env', 'can only read namespaced object of this type'],
  ['update secrets env in a', 'can only read resources of this type'],
  ['deletecollection secrets in a', 'can only read resources of this type'],
  ['get secrets/status env in a', 'cannot read subresource'],
  ...['map', 'map-from', 'map-env', 'map-projected'].map((name): [string, true] => [`get configmaps ${name} in a`, true]),
  ['get configmaps env in a', NONE],
  ['create configmaps in a', 'can only read resources of this type'],
  ['get persistentvolumeclaims claim in a', true],
  ['get persistentvolumeclaims p-v5 in a', true],
  ['get persistentvolumeclaims other in a', NONE],
  ['list persistentvolumeclaims in a', 'can only get individual resources of this type'],
  ['update persistentvolumeclaims/status claim in a', true],
  ['patch persistentvolumeclaims/status other in a', NONE],
  ['get persistentvolumeclaims/status claim in a', 'can only get/update/patch this type'],
  ['get persistentvolumes pv', true],
  ['get persistentvolumes free', NONE],
  ['watch persistentvolumes pv', 'can only get individual resources of this type'],
  ['get resource.k8s.io:resourceclaims device in a', true],
  ['get resource.k8s.io:resourceclaims p-c2-x in a', true],
  ['get resource.k8s.io:resourceclaims t in a', NONE],
  ['get storage.k8s.io:volumeattachments va', true],
  ['get storage.k8s.io:volumeattachments va2', NONE],
  ['create serviceaccounts/token account in a', true],
  ['create serviceaccounts/token default in a', NONE],
  ['create serviceaccounts/token in a', 'can only create tokens for individual service accounts'],
  ['create serviceaccounts account in a', 'can only create token subresource of serviceaccount'],
  ['get serviceaccounts account in a', 'can only create tokens for individual service accounts'],
  ['get coordination.k8s.io:leases node1 in kube-node-lease', true],
  ['create coordination.k8s.io:leases in kube-node-lease', true],
  ['update coordination.k8s.io:leases node2 in kube-node-lease', 'can only access node lease with the same name as the requesting node'],
  ['get coordination.k8s.io:leases node1 in a', 'can only access leases in the "kube-node-lease" system namespace'],
  ['list coordination.k8s.io:leases in kube-node-lease', 'can only get, create, update, patch, or delete a node lease'],
  ['get storage.k8s.io:csinodes node1', true],
  ['get storage.k8s.io:csinodes node2', 'can only access CSINode with the same name as the requesting node'],
  ['list storage.k8s.io:csinodes', 'can only get, create, update, patch, or delete a CSINode'],
  ['get storage.k8s.io:csinodes/status node1', 'cannot authorize CSINode subresources'],
  ['create resource.k8s.io:resourceslices', true],
  ['get resource.k8s.io:resourceslices slice', true],
  ['delete resource.k8s.io:resourceslices other', NONE],
  ['list resource.k8s.io:resourceslices', 'can only list/watch/deletecollection resourceslices with nodeName field selector'],
  ['list resource.k8s.io:resourceslices', true, 'spec.nodeName=node1'],
  ['deletecollection resource.k8s.io:resourceslices', true, 'spec.nodeName==node1'],
  [
    'deletecollection resource.k8s.io:resourceslices',
    'can only list/watch/deletecollection resourceslices with nodeName field selector',
    'spec.nodeName!=node1',
  ],
  ['get nodes node1', true],
  ['watch nodes node1', true],
  ['get nodes node2', "node 'node1' cannot read 'node2', only its own Node object"],
  ['list nodes', "node 'node1' cannot read all nodes, only its own Node object"],
  ['create nodes', true],
  ['patch nodes/status node1', true],
  ['get nodes/status node1', ''],
  ['delete nodes node1', ''],
  ['get nodes/proxy node1', ''],
  ['get pods p in a', true],
  ['get pods mirror in a', true],
  ['get pods q in a', NONE],
  ['get pods p in b', NONE],
  ['list pods', 'can only list/watch pods with spec.nodeName field selector'],
  ['list pods', true, 'spec.nodeName=node1'],
  ['list pods', 'can only list/watch pods with spec.nodeName field selector', 'spec.nodeName=node2'],
  ['list pods', 'can only list/watch pods with spec.nodeName field selector', 'spec.nodeName!=node1'],
  ['watch pods p in a', true],
  ['create pods in a', true],
  ['delete pods q in a', true],
  ['deletecollection pods in a', ''],
  ['update pods p in a', ''],
  ['patch pods/status p in a', true],
  ['create pods/eviction p in a', true],
  ['get pods/eviction p in a', ''],
  ['get pods/status p in a', ''],
  ['create pods/binding p in a', ''],
  ['get pods/log p in a', ''],
  ['create pods/exec p in a', ''],
  ['list services in a', true],
  ['create events in a', true],
  ['create authentication.k8s.io:tokenreviews', true],
  ['list apps:deployments in a', ''],
  ['get rbac.authorization.k8s.io:clusterroles view', ''],
];

const judged = suite('node agents');
for (const [question, expected, fields] of rows)
  judged(`${question}${fields === undefined ? '' : ` where ${fields}`}: ${expected === true ? 'allowed' : 'refused'}`, async () => {
    const asked = { ...action(NODE1, question), ...(fields !== undefined && { fieldSelector: parseFieldSelector(fields) }) };
    assert.equal(
      await authorizer.authorize(asked),
      expected === true ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: expected },
    );
  });

const others: [name: string, groups: string[], reason: string][] = [
  ['system:node:node1', [], ''],
  ['system:node:node1', ['system:node'], ''],
  ['node1', ['system:nodes'], ''],
  ['System:node:node1', ['system:nodes'], ''],
  ['system:node:', ['system:nodes'], 'unknown node for user "system:node:"'],
];
for (const [name, groups, reason] of others)
  judged(`${name} of ${groups.join() || 'no group'} is none`, async () =>
    assert.equal(await authorizer.authorize(action(user(name, ...groups), 'create pods in a')), { decision: 'noOpinion', reason }),
  );
judged('see no paths', async () => assert.is((await authorizer.authorize(path(NODE1, 'get /metrics'))).decision, 'noOpinion'));
judged('list no rules', () => {
  assert.equal(authorizer.rules(NODE1), {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'node authorizer does not support user rule resolution',
  });
  assert.is(authorizer.rules(user('alice')).incomplete, false);
});
judged('see nodes and pods by the general rules without selectors', async () => {
  const before = new NodeAuthorizer({ ...parts, withSelectors: false });
  for (const question of ['list nodes', 'list pods', 'list resource.k8s.io:resourceslices'])
    assert.is((await before.authorize(action(NODE1, question))).decision, 'allow', question);
});
judged.run();

const followed = suite('relations of nodes');
const relates = (name: string): boolean => relations.relates('node1', 'secrets', 'a', name);
followed('end with the pod, unless another one needs the same', () => {
  store('pods/a/x', pod('x', 'node1', { imagePullSecrets: [{ name: 'shared' }] }));
  store('pods/a/y', pod('y', 'node1', { imagePullSecrets: [{ name: 'shared' }] }));
  store('pods/a/x', undefined);
  assert.ok(relates('shared'));
  store('pods/a/y', undefined);
  assert.not.ok(relates('shared'));
});
followed('change with the pod', () => {
  store('pods/a/x', pod('x', 'node1', { imagePullSecrets: [{ name: 'one' }] }));
  store('pods/a/x', pod('x', 'node1', { imagePullSecrets: [{ name: 'two' }] }));
  assert.equal([relates('one'), relates('two')], [false, true]);
});
followed('end with the volume, and with its claim', () => {
  assert.ok(relations.relates('node1', 'secrets', 'b', 'stage'));
  store('persistentvolumes/pv', {
    metadata: { name: 'pv' },
    spec: { claimRef: { namespace: 'a', name: 'other' }, csi: { nodeStageSecretRef: { name: 'stage', namespace: 'b' } } },
  });
  assert.not.ok(relations.relates('node1', 'secrets', 'b', 'stage'));
  store('persistentvolumes/pv', undefined);
  assert.not.ok(relations.relates('node1', 'persistentvolumes', '', 'pv'));
});
followed('with very many objects count for the first question, and end with the pod', async () => {
  const authorizer = new NodeAuthorizer({ ...parts, withSelectors: true });
  const asked = async (name: string) => (await authorizer.authorize(action(NODE1, `get secrets ${name} in a`))).decision;
  const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `many-${index}` }));
  store('pods/a/many', pod('many', 'node1', { imagePullSecrets: many }));
  assert.is(await asked('many-4999'), 'allow');
  store('pods/a/many', pod('many', 'node1', { imagePullSecrets: [...many].reverse() }));
  store('pods/a/many', pod('many', 'node1', { imagePullSecrets: many.slice(1) }));
  assert.is(await asked('many-4999'), 'allow');
  assert.is(await asked('many-0'), 'noOpinion');
  store('pods/a/many', undefined);
  await relations.pending;
  assert.is(await asked('many-4999'), 'noOpinion');
});
followed('are waited for while a start takes all of them in, by nodes that would be refused', async () => {
  const authorizer = new NodeAuthorizer({ ...parts, withSelectors: true });
  const asked = async (name: string) => (await authorizer.authorize(action(NODE1, `get secrets ${name} in a`))).decision;
  let goOn = false;
  relations.takeIn(
    (function* () {
      while (!goOn) yield;
      store('pods/a/late', pod('late', 'node1', { imagePullSecrets: [{ name: 'of-late' }] }));
    })(),
  );
  const decisions = ['of-late', 'of-nobody'].map(asked);
  goOn = true;
  assert.equal(await Promise.all(decisions), ['allow', 'noOpinion']);
});
followed('are forgotten together', () => {
  relations.reset();
  assert.not.ok(relates('env'));
});
followed.run();
