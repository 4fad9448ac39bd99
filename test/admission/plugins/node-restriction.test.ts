import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PersistentVolumeClaim } from '../../../generated/core/v1/descriptors.ts';
import { restrictingNodes } from '../../../runtime/admission/plugins/node-restriction.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { user } from '../../authorization/attributes.ts';
import { identity } from '../../authorization/rbac/roles.ts';
import { OpenSsl } from '../../harness/openssl.ts';

const STORED: Readonly<Record<string, object>> = {
  'nodes//node1': { metadata: { name: 'node1', uid: 'n1' } },
  'pods/a/mine': { metadata: { name: 'mine', uid: 'p1' }, spec: { nodeName: 'node1' } },
  'pods/a/other': { metadata: { name: 'other', uid: 'p2' }, spec: { nodeName: 'node2' } },
};
const plugin = restrictingNodes({
  identity,
  stored: (resource, namespace, name) => STORED[`${resource}/${namespace}/${name}`] as ApiObject | undefined,
  withForeignCertificates: false,
  restrictsAudiences: false,
});
const NODE1 = user('system:node:node1', 'system:nodes');

interface Write {
  /** such as `pods/status` or `leases.coordination.k8s.io` */
  readonly on: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: object;
  readonly old?: object;
}

function admit({ on, operation = 'create', namespace = 'a', name = '', object, old }: Write, who = NODE1): void {
  const [path = '', ...group] = on.split('.');
  const [resource = '', subresource = ''] = path.split('/');
  const attributes = { operation, subresource, namespace, name, object, old, user: who, dryRun: false };
  const written = { resource: { groupResource: { group: group.join('.'), resource } }, kind: { data: { type: PersistentVolumeClaim } } };
  plugin.mutate?.({ ...attributes, ...written } as unknown as AdmissionAttributes);
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'n1', controller: true };
const mirror = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata },
  spec: { nodeName: 'node1', containers: [], ...spec },
});
const node = (labels: Record<string, string> = {}, spec: object = {}, name = 'node1', more: object = {}) => ({
  metadata: { name, labels, ...more },
  spec,
});
const changed = (object: object, old: object, name = 'node1'): Write => ({ on: 'nodes', operation: 'update', name, object, old });
const token = (boundObjectRef?: object): Write => ({ on: 'serviceaccounts/token', name: 'robot', object: { spec: { boundObjectRef } } });
const claim = (status: object, metadata: object = { name: 'c' }) => ({ metadata, spec: {}, status });

const openSsl = new OpenSsl();
const OWN = openSsl.signingRequest('/O=system:nodes/CN=system:node:node1');
const FOREIGN = openSsl.signingRequest('/O=system:nodes/CN=system:node:node2');
const certificate = (signer: string, request: string): Write => ({
  on: 'certificatesigningrequests.certificates.k8s.io',
  object: { metadata: { name: 'r' }, spec: { signerName: `kubernetes.io/${signer}`, request } },
});
const unnamed = (on: string, namespace = ''): Write => ({ on, namespace, object: { metadata: { generateName: 'node1' } } });

const rows: [what: string, write: Write, refused?: RegExp][] = [
  ['a mirror pod', { on: 'pods', object: mirror() }],
  ['a pod that is no mirror', { on: 'pods', object: mirror({}, { annotations: {} }) }, /can only create mirror pods$/],
  ['a mirror pod elsewhere', { on: 'pods', object: mirror({ nodeName: 'node2' }) }, /with spec\.nodeName set to itself$/],
  ['one without an owner', { on: 'pods', object: mirror({}, { ownerReferences: [] }) }, /with an owner reference set to itself$/],
  ['one of two owners', { on: 'pods', object: mirror({}, { ownerReferences: [owner, owner] }) }, /with a single owner reference/],
  [
    'one of another owner',
    { on: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, name: 'node2' }] }) },
    /with an owner reference set to itself$/,
  ],
  [
    'one that it does not control',
    { on: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, controller: false }] }) },
    /with a controller owner reference/,
  ],
  [
    'one that holds its owner',
    { on: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }) },
    /must not set blockOwnerDeletion/,
  ],
  [
    'one of a node before',
    { on: 'pods', object: mirror({}, { ownerReferences: [{ ...owner, uid: 'n0' }] }) },
    /UID mismatch: expected n0 got n1$/,
  ],
  ['one with an account', { on: 'pods', object: mirror({ serviceAccountName: 's' }) }, /reference a service account$/],
  ['one with a secret', { on: 'pods', object: mirror({ imagePullSecrets: [{ name: 's' }] }) }, /reference secrets$/],
  [
    'one with a config map',
    { on: 'pods', object: mirror({ volumes: [{ name: 'v', configMap: { name: 'm' } }] }) },
    /reference configmaps$/,
  ],
  ['one with a claim', { on: 'pods', object: mirror({ volumes: [{ name: 'v', ephemeral: {} }] }) }, /reference persistentvolumeclaims$/],
  ['one with a device', { on: 'pods', object: mirror({ resourceClaims: [{ name: 'c' }] }) }, /reference resourceclaims$/],
  [
    'a changed pod',
    { on: 'pods', operation: 'update', name: 'mine', object: mirror(), old: mirror() },
    /can only create and delete mirror pods$/,
  ],
  ['the end of its pod', { on: 'pods', operation: 'delete', name: 'mine', old: mirror() }],
  ['the end of another', { on: 'pods', operation: 'delete', name: 'other', old: mirror({ nodeName: 'node2' }) }, /can only delete pods/],
  ['the status of its pod', { on: 'pods/status', operation: 'update', name: 'mine', object: mirror(), old: mirror() }],
  [
    'the status of another',
    { on: 'pods/status', operation: 'update', name: 'other', object: mirror(), old: mirror({ nodeName: 'node2' }) },
    /can only update pod status/,
  ],
  [
    'labels by the status',
    { on: 'pods/status', operation: 'update', name: 'mine', object: mirror({}, { labels: { a: 'b' } }), old: mirror() },
    /cannot update labels/,
  ],
  ['the eviction of its pod', { on: 'pods/eviction', name: 'mine', object: { metadata: { name: 'mine' } } }],
  [
    'the eviction of another',
    { on: 'pods/eviction', name: 'other', object: { metadata: { name: 'mine' } } },
    /node node1 can only evict pods/,
  ],
  ['the eviction of none', { on: 'pods/eviction', name: 'none', object: {} }, /^pod "none" not found$/],
  ['another part of a pod', { on: 'pods/exec', name: 'mine' }, /unexpected pod subresource "exec"/],
  [
    'its node',
    {
      on: 'nodes',
      object: node({ team: 'x', 'kubernetes.io/os': 'linux', 'node.kubernetes.io/x': 'y', 'sub.kubelet.kubernetes.io/x': 'y' }),
    },
  ],
  ['another node', { on: 'nodes', object: node({}, {}, 'node2') }, /not allowed to modify node "node2"$/],
  [
    'its node with labels of administrators',
    { on: 'nodes', object: node({ 'node-restriction.kubernetes.io/a': 'b', 'x.k8s.io/y': 'z' }) },
    /set the following labels: node-restriction\.kubernetes\.io\/a, x\.k8s\.io\/y$/,
  ],
  ['labels of its node', changed(node({ team: 'y' }), node({ team: 'x' }))],
  [
    'labels of administrators, kept',
    changed(node({ 'node-restriction.kubernetes.io/a': 'b' }), node({ 'node-restriction.kubernetes.io/a': 'b' })),
  ],
  [
    'labels of administrators, removed',
    changed(node(), node({ 'node-restriction.kubernetes.io/a': 'b' })),
    /modify labels: node-restriction/,
  ],
  ['taints', changed(node({}, { taints: [] }), node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] })), /modify taints$/],
  [
    'owners and labels of its node',
    changed(node({ 'node-restriction.kubernetes.io/a': 'b' }, {}, 'node1', { ownerReferences: [owner] }), node()),
    /modify ownerReferences$/,
  ],
  ['owners of its node', changed(node({}, {}, 'node1', { ownerReferences: [owner] }), node()), /modify ownerReferences$/],
  ['a configuration source', changed(node({}, { configSource: {} }), node()), /configSource/],
  ['another node, changed', changed(node({}, {}, 'node2'), node({}, {}, 'node2'), 'node2'), /modify node "node2"$/],
  [
    'the status of a claim',
    { on: 'persistentvolumeclaims/status', operation: 'update', name: 'c', object: claim({ capacity: { storage: '2' } }), old: claim({}) },
  ],
  [
    'more of a claim by its status',
    { on: 'persistentvolumeclaims/status', operation: 'update', name: 'c', object: claim({ phase: 'Lost' }), old: claim({}) },
    /fields other than status.quantity and status.conditions: {3}&core.PersistentVolumeClaim{\n {2}\tTypeMeta: {3}\{\},[\s\S]*\n\+ \t\tPhase: {7}"Lost",\n/,
  ],
  ['a claim', { on: 'persistentvolumeclaims', object: claim({}) }, /may only update PVC status$/],
  ['a token for its pod', token({ apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'p1' })],
  ['a token for nothing', token(), /not bound to a pod$/],
  ['a token for a secret', token({ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'x' }), /not bound to a pod$/],
  ['a token for any pod of a name', token({ apiVersion: 'v1', kind: 'Pod', name: 'mine' }), /without a uid$/],
  ['a token for a pod before', token({ apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'p0' }), /does not match the UID in record/],
  ['a token for a pod elsewhere', token({ apiVersion: 'v1', kind: 'Pod', name: 'other', uid: 'p2' }), /scheduled on a different node$/],
  ['its lease', { on: 'leases.coordination.k8s.io', namespace: 'kube-node-lease', object: { metadata: { name: 'node1' } } }],
  [
    'another lease',
    { on: 'leases.coordination.k8s.io', namespace: 'kube-node-lease', object: { metadata: { name: 'node2' } } },
    /same name as the requesting node$/,
  ],
  [
    'a lease elsewhere',
    { on: 'leases.coordination.k8s.io', object: { metadata: { name: 'node1' } } },
    /"kube-node-lease" system namespace$/,
  ],
  ['its CSINode', { on: 'csinodes.storage.k8s.io', object: { metadata: { name: 'node1' } } }],
  ['another CSINode', { on: 'csinodes.storage.k8s.io', operation: 'update', name: 'node2' }, /same name as the requesting node$/],
  ['its slice', { on: 'resourceslices.resource.k8s.io', object: { metadata: {}, spec: { nodeName: 'node1' } } }],
  ['a slice of another', { on: 'resourceslices.resource.k8s.io', object: { metadata: {}, spec: { nodeName: 'node2' } } }, /same NodeName/],
  [
    'the end of a slice of another',
    { on: 'resourceslices.resource.k8s.io', operation: 'delete', name: 's', old: { spec: { nodeName: 'node2' } } },
    /same NodeName/,
  ],
  [
    'a lease of a name that begins as its own',
    unnamed('leases.coordination.k8s.io', 'kube-node-lease'),
    /same name as the requesting node$/,
  ],
  ['a CSINode of a name that begins as its own', unnamed('csinodes.storage.k8s.io'), /same name as the requesting node$/],
  [
    'a node of a name that begins as its own',
    unnamed('nodes'),
    /^nodes "node1" is forbidden: node "node1" is not allowed to modify node ""$/,
  ],
  ['another node with labels of administrators', { on: 'nodes', object: node({ 'x.k8s.io/y': 'z' }, {}, 'node2') }, /modify node "node2"$/],
  [
    'one with trust bundles',
    { on: 'pods', object: mirror({ volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { name: 'b' } }] } }] }) },
    /reference clustertrustbundles$/,
  ],
  ['a request for its certificate', certificate('kubelet-serving', OWN)],
  [
    'a request for a certificate of another',
    certificate('kubelet-serving', FOREIGN),
    /can only create a node CSR with CN=system:node:node1$/,
  ],
  ['one for a client certificate of another', certificate('kube-apiserver-client-kubelet', FOREIGN), /can only create a node CSR/],
  [
    'one that is none',
    certificate('kube-apiserver-client-kubelet', 'eA=='),
    /unable to parse csr: PEM block type must be CERTIFICATE REQUEST$/,
  ],
  ['one that another signer signs', certificate('kube-apiserver-client', FOREIGN)],
  ['an event', { on: 'events', object: {} }],
];
const test = suite('what node agents may write');
for (const [what, write, refused] of rows)
  test(`${what}: ${refused === undefined ? 'written' : 'refused'}`, () => {
    if (refused === undefined) return assert.not.throws(() => admit(write));
    assert.throws(
      () => admit(write),
      (error: unknown) => error instanceof StatusError && refused.test(error.message),
    );
  });
test('a node that does not say which it is writes nothing', () =>
  assert.throws(
    () => admit({ on: 'events', object: { metadata: {} } }, user('system:node:', 'system:nodes')),
    /could not determine node from user "system:node:"$/,
  ));
test('with the gate for it, an agent asks for certificates of others', () => {
  const { mutate } = restrictingNodes({ identity, stored: () => undefined, withForeignCertificates: true, restrictsAudiences: false });
  const { object } = certificate('kubelet-serving', FOREIGN);
  const resource = { groupResource: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' } };
  const attributes = { operation: 'create', subresource: '', namespace: '', name: 'r', object, user: NODE1, resource };
  assert.not.throws(() => mutate?.(attributes as unknown as AdmissionAttributes));
});
test('with the gate for it, tokens are for whom the volumes of the pod name', () => {
  const { mutate } = restrictingNodes({
    identity,
    stored: () => ({ metadata: { name: 'mine', uid: 'p1' }, spec: { nodeName: 'node1' } }) as unknown as ApiObject,
    withForeignCertificates: false,
    restrictsAudiences: true,
  });
  const object = { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'p1' }, audiences: ['x'] } };
  const resource = { groupResource: { group: '', resource: 'serviceaccounts' } };
  const attributes = { operation: 'create', subresource: 'token', namespace: 'a', name: 'robot', object, user: NODE1, resource };
  assert.throws(() => mutate?.(attributes as unknown as AdmissionAttributes), /audience "x" not found in pod spec volume$/);
});
test('others are not restricted', () =>
  assert.not.throws(() => admit({ on: 'nodes', object: node({}, {}, 'node2') }, user('system:node:node1'))));
test.after(() => openSsl.remove());
test.run();
