/** Kinds that 1.25 and later have removed, from the latest on. */
import { flow, hpa, level, metadata, podSpec, type Row, resourceMetric, same, selector, utilization } from './removed-kind.ts';

export const removedSince125: readonly Row[] = [
  // 1.32, 1.29 and 1.26
  same('flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', { metadata, spec: flow }),
  same('flowcontrol.apiserver.k8s.io/v1beta2', 'FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', { metadata, spec: flow }),
  same('flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', { metadata, spec: flow }),
  same(
    'flowcontrol.apiserver.k8s.io/v1beta3',
    'PriorityLevelConfiguration',
    'flowcontrol.apiserver.k8s.io/v1',
    level('nominalConcurrencyShares'),
  ),
  ...['v1beta2', 'v1beta1'].map((version) => ({
    ...same(
      `flowcontrol.apiserver.k8s.io/${version}`,
      'PriorityLevelConfiguration',
      'flowcontrol.apiserver.k8s.io/v1',
      level('assuredConcurrencyShares'),
    ),
    becomes: level('nominalConcurrencyShares'),
  })),
  { ...same('autoscaling/v2beta2', 'HorizontalPodAutoscaler', 'autoscaling/v2', hpa(utilization)) },
  // 1.27
  same('storage.k8s.io/v1beta1', 'CSIStorageCapacity', 'storage.k8s.io/v1', { metadata, storageClassName: 's' }),
  // 1.25
  same('batch/v1beta1', 'CronJob', 'batch/v1', {
    metadata,
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } } },
  }),
  {
    ...same('discovery.k8s.io/v1beta1', 'EndpointSlice', 'discovery.k8s.io/v1', {
      metadata,
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], nodeName: 'n', topology: { 'topology.kubernetes.io/zone': 'z', 'kubernetes.io/hostname': 'n' } },
        { addresses: ['10.0.0.2'], topology: { rack: 'r' } },
      ],
    }),
    becomes: {
      metadata,
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], nodeName: 'n', zone: 'z' },
        { addresses: ['10.0.0.2'], deprecatedTopology: { rack: 'r' } },
      ],
    },
    notices: ['endpoints[0].topology and 1 more: v1 has nodeName and zone'],
  },
  same('events.k8s.io/v1beta1', 'Event', 'events.k8s.io/v1', {
    metadata,
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'c-1',
    action: 'Act',
    reason: 'Reason',
    type: 'Normal',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  }),
  {
    ...same('autoscaling/v2beta1', 'HorizontalPodAutoscaler', 'autoscaling/v2', hpa(resourceMetric({ targetAverageUtilization: 50 }))),
    becomes: hpa(utilization),
  },
  same('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { metadata, spec: { minAvailable: 1, selector } }),
  {
    ...same('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { metadata, spec: { minAvailable: 1, selector: {} } }),
    becomes: {
      metadata,
      spec: {
        minAvailable: 1,
        selector: { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }] },
      },
    },
    notices: ['spec.selector: An empty selector picks no pods in v1beta1 and all pods of the namespace in v1'],
  },
  same('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { metadata, spec: { minAvailable: 1 } }),
  same('node.k8s.io/v1beta1', 'RuntimeClass', 'node.k8s.io/v1', { metadata, handler: 'runc' }),
  {
    ...same('node.k8s.io/v1alpha1', 'RuntimeClass', 'node.k8s.io/v1', { metadata, spec: { runtimeHandler: 'runc' } }),
    becomes: { metadata, handler: 'runc' },
  },
];
