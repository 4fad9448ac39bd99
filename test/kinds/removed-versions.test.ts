/** Objects of versions that are no longer served, to their hub and back. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { identity } from './context.ts';
import { loadKind } from './kind.ts';

const test = suite('versions that are no longer served');

const metadata = { name: 'x', namespace: 'n', creationTimestamp: null };
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
const behavior = { scaleUp: { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] } };

const autoscalerStatus = { currentReplicas: 0, desiredReplicas: 2, currentMetrics: null, conditions: null };

/** apiVersion, kind, members of the older version, members of the hub */
const rows: [string, string, object, object][] = [
  [
    'autoscaling/v2beta1',
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } },
          { type: 'Pods', pods: { metricName: 'hits', targetAverageValue: '5' } },
        ],
      },
      status: autoscalerStatus,
    },
    {
      spec: {
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [cpu, { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '5' } } }],
      },
      status: { desiredReplicas: 2, currentMetrics: null },
    },
  ],
  [
    'autoscaling/v2beta2',
    'HorizontalPodAutoscaler',
    { spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu], behavior }, status: autoscalerStatus },
    {
      spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu], behavior },
      status: { desiredReplicas: 2, currentMetrics: null },
    },
  ],
  [
    'rbac.authorization.k8s.io/v1alpha1',
    'RoleBinding',
    {
      subjects: [
        { kind: 'User', apiVersion: 'rbac.authorization.k8s.io/v1alpha1', name: 'u' },
        { kind: 'ServiceAccount', apiVersion: 'v1', name: 's', namespace: 'n' },
        { kind: 'Robot', apiVersion: 'example.com/', name: 'r' },
      ],
      roleRef,
    },
    {
      subjects: [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
        { kind: 'Robot', apiGroup: 'example.com', name: 'r' },
      ],
      roleRef,
    },
  ],
  ['rbac.authorization.k8s.io/v1beta1', 'Role', { rules: [{ verbs: ['get'] }] }, { rules: [{ verbs: ['get'] }] }],
  ['coordination.k8s.io/v1beta1', 'Lease', { spec: { holderIdentity: 'h' } }, { spec: { holderIdentity: 'h' } }],
  [
    'policy/v1beta1',
    'PodDisruptionBudget',
    { spec: { minAvailable: 1, selector: {} } },
    {
      spec: {
        minAvailable: 1,
        selector: { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }] },
      },
    },
  ],
  ['policy/v1beta1', 'Eviction', { deleteOptions: { dryRun: ['All'] } }, { deleteOptions: { dryRun: ['All'] } }],
  ['authorization.k8s.io/v1beta1', 'SubjectAccessReview', { spec: { user: 'u', group: ['g'] } }, { spec: { user: 'u', groups: ['g'] } }],
  ['authentication.k8s.io/v1beta1', 'TokenReview', { spec: { token: 't' } }, { spec: { token: 't' } }],
];

/** Those of the expected members; decoding adds an empty status where there is none. */
function members(object: ApiObject, expected: object): object {
  return Object.fromEntries(Object.keys(expected).map((member) => [member, object[member]]));
}

for (const [apiVersion, kind, older, hub] of rows)
  test(`${apiVersion} ${kind}`, async () => {
    const { toHub, fromHub } = await converters(apiVersion, kind);
    const converted = toHub({ apiVersion, kind, metadata: { ...metadata }, ...structuredClone(older) });
    assert.equal(members(converted, hub), hub);
    const back = fromHub(structuredClone(converted));
    assert.is(back.apiVersion, apiVersion);
    assert.equal(members(back, older), older);
  });

async function converters(apiVersion: string, kind: string) {
  const loaded = await loadKind(apiVersion, kind);
  return { toHub: (object: ApiObject) => loaded.toHub(object), fromHub: (object: ApiObject) => loaded.fromHub(object) };
}

test('behavior stands in an annotation in v2beta1', async () => {
  const { toHub, fromHub } = await converters('autoscaling/v2beta1', 'HorizontalPodAutoscaler');
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu], behavior };
  const hub: ApiObject = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { ...metadata }, spec };
  const older = fromHub(structuredClone(hub));
  assert.is(older.spec.behavior, undefined);
  assert.ok(older.metadata.annotations?.['autoscaling.alpha.kubernetes.io/behavior']);
  const back = toHub(older);
  assert.equal(back.spec, spec);
  assert.is(back.metadata.annotations, undefined);
});

test('a user named * is everybody who is authenticated, in v1alpha1 alone', async () => {
  const { toHub } = await converters('rbac.authorization.k8s.io/v1alpha1', 'ClusterRoleBinding');
  const hub = toHub({
    apiVersion: 'rbac.authorization.k8s.io/v1alpha1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'x' },
    subjects: [{ kind: 'User', name: '*' }],
    roleRef,
  });
  assert.equal(hub.subjects, [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' }]);
});

/** Release, group version, kinds, version of the replacement (specification: Removed API versions) */
const removed: [release: string, apiVersion: string, kinds: string, replacement: string][] = [
  ['1.32', 'flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema PriorityLevelConfiguration', 'flowcontrol.apiserver.k8s.io/v1'],
  ['1.29', 'flowcontrol.apiserver.k8s.io/v1beta2', 'FlowSchema PriorityLevelConfiguration', 'flowcontrol.apiserver.k8s.io/v1beta3'],
  ['1.27', 'storage.k8s.io/v1beta1', 'CSIStorageCapacity', 'storage.k8s.io/v1'],
  ['1.26', 'flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema PriorityLevelConfiguration', 'flowcontrol.apiserver.k8s.io/v1beta3'],
  ['1.26', 'autoscaling/v2beta2', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['1.25', 'batch/v1beta1', 'CronJob', 'batch/v1'],
  ['1.25', 'discovery.k8s.io/v1beta1', 'EndpointSlice', 'discovery.k8s.io/v1'],
  ['1.25', 'events.k8s.io/v1beta1', 'Event', 'events.k8s.io/v1'],
  ['1.25', 'autoscaling/v2beta1', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['1.25', 'policy/v1beta1', 'PodDisruptionBudget', 'policy/v1'],
  ['1.25', 'node.k8s.io/v1beta1', 'RuntimeClass', 'node.k8s.io/v1'],
  [
    '1.22',
    'admissionregistration.k8s.io/v1beta1',
    'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
    'admissionregistration.k8s.io/v1',
  ],
  ['1.22', 'apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1'],
  ['1.22', 'apiregistration.k8s.io/v1beta1', 'APIService', 'apiregistration.k8s.io/v1'],
  ['1.22', 'authentication.k8s.io/v1beta1', 'TokenReview', 'authentication.k8s.io/v1'],
  ['1.22', 'coordination.k8s.io/v1beta1', 'Lease', 'coordination.k8s.io/v1'],
  ['1.22', 'scheduling.k8s.io/v1beta1', 'PriorityClass', 'scheduling.k8s.io/v1'],
  ['1.22', 'rbac.authorization.k8s.io/v1beta1', 'Role RoleBinding ClusterRole ClusterRoleBinding', 'rbac.authorization.k8s.io/v1'],
  [
    '1.22',
    'authorization.k8s.io/v1beta1',
    'LocalSubjectAccessReview SelfSubjectAccessReview SubjectAccessReview SelfSubjectRulesReview',
    'authorization.k8s.io/v1',
  ],
  ['1.22', 'certificates.k8s.io/v1beta1', 'CertificateSigningRequest', 'certificates.k8s.io/v1'],
  ['1.22', 'extensions/v1beta1', 'Ingress', 'networking.k8s.io/v1'],
  ['1.22', 'networking.k8s.io/v1beta1', 'Ingress IngressClass', 'networking.k8s.io/v1'],
  ['1.22', 'storage.k8s.io/v1beta1', 'CSIDriver CSINode StorageClass VolumeAttachment', 'storage.k8s.io/v1'],
  ['1.16', 'extensions/v1beta1', 'DaemonSet Deployment ReplicaSet', 'apps/v1'],
  ['1.16', 'extensions/v1beta1', 'NetworkPolicy', 'networking.k8s.io/v1'],
  ['1.16', 'apps/v1beta1', 'Deployment StatefulSet', 'apps/v1'],
  ['1.16', 'apps/v1beta2', 'DaemonSet Deployment StatefulSet ReplicaSet', 'apps/v1'],
];
for (const [release, apiVersion, kinds, replacement] of removed)
  for (const name of kinds.split(' '))
    test(`${apiVersion} ${name} went in ${release}`, async () => {
      const { data, hub } = await loadKind(apiVersion, name);
      assert.is(data.lifecycle.removed, release);
      assert.is(data.lifecycle.replacement?.kind, name);
      const { group = '', version = '' } = data.lifecycle.replacement ?? {};
      assert.is([identity.text(group), version].join('/'), replacement);
      assert.ok(hub.data !== data, 'it is converted');
    });

const CLIENT_AUTH = ['digital signature', 'key encipherment', 'client auth'];
const SERVER_AUTH = ['digital signature', 'server auth'];
/** what a request names, its usages, the signer that v1beta1 takes it for */
const requests: [subject: string, names: string[], usages: string[], signer: string][] = [
  ['O=system:nodes, CN=system:node:a', [], CLIENT_AUTH, 'kube-apiserver-client-kubelet'],
  ['O=system:nodes, CN=system:node:a', ['a.example'], SERVER_AUTH, 'kubelet-serving'],
  ['O=system:nodes, CN=system:node:a', ['a.example'], CLIENT_AUTH, 'legacy-unknown'],
  ['O=system:nodes, CN=system:node:a', [], SERVER_AUTH, 'legacy-unknown'],
  ['O=system:nodes, CN=system:node:a', [], [...CLIENT_AUTH, 'code signing'], 'legacy-unknown'],
  ['O=system:nodes, CN=a', [], CLIENT_AUTH, 'legacy-unknown'],
  ['O=dev, CN=system:node:a', [], CLIENT_AUTH, 'legacy-unknown'],
];
for (const [subject, names, usages, signer] of requests)
  test(`a request of ${subject} for ${names.join() || 'nobody else'} and ${usages.join()} is for ${signer}`, async () => {
    const kind = await loadKind('certificates.k8s.io/v1beta1', 'CertificateSigningRequest');
    const request = Buffer.from(await signingRequest(subject, names)).toString('base64');
    const { object } = kind.decode({ metadata: { name: 'x' }, spec: { request, usages } });
    assert.is(kind.toHub(object).spec.signerName, `kubernetes.io/${signer}`);
  });
test('a request that cannot be read is for the legacy signer', async () => {
  const kind = await loadKind('certificates.k8s.io/v1beta1', 'CertificateSigningRequest');
  const { object } = kind.decode({ metadata: { name: 'x' }, spec: { request: 'AAAA' } });
  assert.is(object.spec.signerName, 'kubernetes.io/legacy-unknown');
  assert.equal(object.spec.usages, ['digital signature', 'key encipherment']);
});

async function signingRequest(name: string, names: readonly string[]): Promise<string> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const extensions = names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))];
  return (await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm, extensions })).toString('pem');
}

test.run();
