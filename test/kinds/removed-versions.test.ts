/** Objects of versions that are no longer served, to their hub and back. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
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

test.run();
