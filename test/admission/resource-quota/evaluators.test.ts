/** How much objects use, by the names that quotas have for it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { Evaluators } from '../../../runtime/admission/resource-quota/evaluators/evaluators.ts';
import { createIdentity, type Dialect } from '../../../runtime/contract/identity.ts';
import { listOf } from '../../../runtime/schema/scalar/amounts.ts';

const test = suite('evaluators of quotas');
const NOW = Date.parse('2026-01-01T00:00:00Z');

const evaluatorOf = (group: string, resource: string, gates: readonly string[] = [], dialect: Dialect = 'kubernetes') =>
  new Evaluators({ text: createIdentity(identityData, dialect).text, featureEnabled: (gate) => gates.includes(gate) }).of({
    group,
    resource,
  });

const usage = (
  object: object,
  { resource = 'pods', group = '', gates = [] as readonly string[], dialect = 'kubernetes' as Dialect } = {},
) => listOf(evaluatorOf(group, resource, gates, dialect).usage({ metadata: {}, ...object } as never, NOW));

const container = (requests?: object, limits?: object, members: object = {}) => ({
  name: 'c',
  resources: { requests, limits },
  ...members,
});
const POD = { 'count/pods': '1', pods: '1' };
const cpu = (amount: string) => ({ cpu: amount, 'requests.cpu': amount });

test('a pod uses what its containers request and may take, by both names', () => {
  const list = { cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi', 'hugepages-2Mi': '4Mi', 'e.com/gpu': '1' };
  assert.equal(usage({ spec: { containers: [container(list, list)] } }), {
    ...POD,
    ...cpu('1'),
    'limits.cpu': '1',
    memory: '1Gi',
    'requests.memory': '1Gi',
    'limits.memory': '1Gi',
    'ephemeral-storage': '2Gi',
    'requests.ephemeral-storage': '2Gi',
    'limits.ephemeral-storage': '2Gi',
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
    'requests.e.com/gpu': '1',
  });
});

const COUNTED: readonly (readonly [name: string, isCounted: boolean])[] = [
  ['pods', true],
  ['count/pods', true],
  ['limits.ephemeral-storage', true],
  ['hugepages-1Gi', true],
  ['requests.hugepages-1Gi', true],
  ['requests.e.com/gpu', true],
  ['requests.kubernetes.io/x', false],
  ['limits.e.com/gpu', false],
  ['e.com/gpu', false],
  ['requests.storage', false],
  ['count/pods.e.com', false],
];
for (const [name, isCounted] of COUNTED)
  test(`${name} is ${isCounted ? '' : 'not '}counted of pods`, () => assert.is(evaluatorOf('', 'pods').counts(name), isCounted));

test('what runs before the others counts where it needs more, with what goes on beside it; what it takes to run the pod is added', () => {
  const spec = {
    containers: [container({ cpu: '1' }, { cpu: '1' }), container({ cpu: '1' })],
    initContainers: [container({ cpu: '1' }, undefined, { restartPolicy: 'Always' }), container({ cpu: '5' })],
    overhead: { cpu: '250m', memory: '10Mi' },
  };
  assert.equal(usage({ spec }), {
    ...POD,
    ...cpu('6250m'),
    'limits.cpu': '1250m',
    memory: '10Mi',
    'requests.memory': '10Mi',
  });
});

test('what it takes to run the pod is not added to limits of zero', () => {
  const spec = { containers: [container({}, { cpu: '0', memory: '1Gi' })], overhead: { cpu: '1', memory: '1Gi' } };
  assert.equal(usage({ spec }), {
    ...POD,
    ...cpu('1'),
    'limits.cpu': '0',
    memory: '1Gi',
    'requests.memory': '1Gi',
    'limits.memory': '2Gi',
  });
});

test('a pod that has ended, or should have, counts as an object alone', () => {
  const spec = { containers: [container({ cpu: '1' })] };
  for (const phase of ['Succeeded', 'Failed']) assert.equal(usage({ spec, status: { phase } }), { 'count/pods': '1' });
  const deleted = (deletionTimestamp: string) => ({ spec, metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } });
  assert.equal(usage(deleted('2025-12-31T23:59:30Z')), { ...POD, ...cpu('1') });
  assert.equal(usage(deleted('2025-12-31T23:59:29Z')), { 'count/pods': '1' });
  const { changesAt } = evaluatorOf('', 'pods');
  assert.is(changesAt?.(deleted('2025-12-31T23:59:40Z') as never), NOW + 10_000);
  assert.is(changesAt?.({ metadata: {}, spec } as never), undefined);
});

test('a container that is resized counts with the most of what it wants and what it has, whatever its node has set aside, unless it will not get it', () => {
  const pod = (resize?: string) => ({
    spec: { containers: [container({ cpu: '3' }, { cpu: '5' })] },
    status: {
      resize,
      containerStatuses: [{ name: 'c', allocatedResources: { cpu: '2' }, resources: { requests: { cpu: '1' }, limits: { cpu: '4' } } }],
    },
  });
  const gates = ['InPlacePodVerticalScaling'];
  assert.equal(usage(pod(), { gates }), { ...POD, ...cpu('3'), 'limits.cpu': '5' });
  assert.equal(usage(pod('Infeasible'), { gates }), { ...POD, ...cpu('1'), 'limits.cpu': '4' });
  assert.equal(usage(pod('Infeasible')), { ...POD, ...cpu('3'), 'limits.cpu': '5' });
});

test('what a pod states for all containers counts in place of what they state, behind the gate', () => {
  const object = { spec: { containers: [container({ cpu: '1', memory: '1Gi' })], resources: { requests: { cpu: '3' } } } };
  assert.equal(usage(object, { gates: ['PodLevelResources'] }), { ...POD, ...cpu('3'), memory: '1Gi', 'requests.memory': '1Gi' });
  assert.equal(usage(object), { ...POD, ...cpu('1'), memory: '1Gi', 'requests.memory': '1Gi' });
  const { missing } = evaluatorOf('', 'pods', ['PodLevelResources']);
  const pod = { metadata: {}, spec: { containers: [container()], resources: { limits: { memory: '1' } } } };
  assert.is(missing?.(pod as never, ['requests.cpu']), undefined);
  assert.is(evaluatorOf('', 'pods').missing?.(pod as never, ['requests.cpu']), 'must specify requests.cpu for: c');
});

test('pods are counted when they are made and when they are resized', () => {
  const { handles } = evaluatorOf('', 'pods');
  const handled = (operation: string, subresource: string) => handles({ operation, subresource } as never);
  assert.equal(
    [handled('create', ''), handled('update', 'resize'), handled('update', ''), handled('create', 'binding'), handled('update', 'status')],
    [true, true, false, false, false],
  );
});

const SERVICES: readonly (readonly [name: string, spec: object, nodePorts: string, loadBalancers: string])[] = [
  ['a cluster address', { type: 'ClusterIP', ports: [{}, {}] }, '0', '0'],
  ['no type', { ports: [{}] }, '0', '0'],
  ['node ports', { type: 'NodePort', ports: [{}, {}] }, '2', '0'],
  ['a load balancer', { type: 'LoadBalancer', ports: [{}, {}] }, '2', '1'],
  [
    'a load balancer without node ports',
    { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{}, { nodePort: 30_000 }] },
    '1',
    '1',
  ],
  ['a name', { type: 'ExternalName' }, '0', '0'],
];
for (const [name, spec, nodePorts, loadBalancers] of SERVICES)
  test(`a service with ${name}`, () =>
    assert.equal(usage({ spec }, { resource: 'services' }), {
      'count/services': '1',
      services: '1',
      'services.loadbalancers': loadBalancers,
      'services.nodeports': nodePorts,
    }));

test('a claim uses storage, also by its class, in whole bytes; the old annotation counts first', () => {
  const spec = { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } };
  const count = { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1' };
  const of = (name: string, domain = 'k8s.io') => ({
    [`${name}.storageclass.storage.${domain}/persistentvolumeclaims`]: '1',
    [`${name}.storageclass.storage.${domain}/requests.storage`]: '2',
  });
  const resource = 'persistentvolumeclaims';
  assert.equal(usage({ spec }, { resource }), { ...count, 'requests.storage': '2', ...of('gold') });
  const metadata = { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } };
  assert.equal(usage({ spec, metadata }, { resource }), { ...count, 'requests.storage': '2', ...of('old') });
  assert.equal(usage({ spec: {} }, { resource }), count);
  assert.equal(usage({ spec }, { resource, dialect: 'cluster' }), { ...count, 'requests.storage': '2', ...of('gold', 'cluster.io') });
});

test('a claim that could not grow uses what was given to it', () => {
  const object = { spec: { resources: { requests: { storage: '1Gi' } } }, status: { allocatedResources: { storage: '2Gi' } } };
  const storage = (gates: readonly string[]) => usage(object, { resource: 'persistentvolumeclaims', gates })['requests.storage'];
  assert.equal([storage(['RecoverVolumeExpansionFailure']), storage([])], ['2Gi', '1Gi']);
});

test('a claim of devices uses as many of each class as it may take', () => {
  const request = (deviceClassName: string, allocationMode: string, count?: number) => ({ deviceClassName, allocationMode, count });
  const requests = [request('gpu', 'ExactCount', 2), request('nic', 'All'), request('gpu', 'ExactCount', 1), request('x', 'Later', 7)];
  const of = { resource: 'resourceclaims', group: 'resource.k8s.io' };
  const object = { spec: { devices: { requests } } };
  assert.equal(usage(object, { ...of, gates: ['DynamicResourceAllocation'] }), {
    'count/resourceclaims.resource.k8s.io': '1',
    'gpu.deviceclass.resource.k8s.io/devices': '3',
    'nic.deviceclass.resource.k8s.io/devices': '32',
    'x.deviceclass.resource.k8s.io/devices': '0',
  });
  assert.equal(usage(object, of), { 'count/resourceclaims.resource.k8s.io': '1' });
});

test.run();
