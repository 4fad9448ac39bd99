/** The node that is registered: its labels, taints and addresses, and what of its status is sent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { MachineFacts } from '../../../runtime/node-agent/node/machine.ts';
import { givenAddresses, nodeAddresses } from '../../../runtime/node-agent/node/node-addresses.ts';
import { conditionStates, transitionEvents, withTimes } from '../../../runtime/node-agent/node/node-conditions.ts';
import { checkLabels, newNode, reconciledLabels } from '../../../runtime/node-agent/node/node-object.ts';
import { isReported, statusPatch } from '../../../runtime/node-agent/node/node-patch.ts';
import { SystemFiles } from '../../../runtime/node-agent/node/system-files.ts';

const kubernetes = createIdentity(identityData, 'kubernetes');
const cluster = createIdentity(identityData, 'cluster');
const facts = { operatingSystem: 'linux', architecture: 'amd64' } as MachineFacts;
const registration = { name: 'one', hostname: 'one.example', facts, labels: {}, hasExternalProvider: false };

const objects = suite('a node that is registered');
for (const [identity, domain] of [
  [kubernetes, 'kubernetes.io'],
  [cluster, 'cluster.io'],
] as const)
  objects(`has the labels of ${domain}`, () => {
    const { metadata } = newNode({ ...registration, identity, configuration: {} as never, labels: { tier: 'a' } }, {});
    assert.equal(metadata.labels, {
      [`beta.${domain}/arch`]: 'amd64',
      [`beta.${domain}/os`]: 'linux',
      [`${domain}/arch`]: 'amd64',
      [`${domain}/hostname`]: 'one.example',
      [`${domain}/os`]: 'linux',
      tier: 'a',
    });
  });
const reconciled: [name: string, labels: Record<string, string>, others: Record<string, string | null>][] = [
  ['none of the flag', {}, {}],
  ['those that are well known', { 'topology.kubernetes.io/zone': 'z', tier: 'a' }, { 'topology.kubernetes.io/zone': 'z' }],
  ['one of the machine that the flag gives', { 'kubernetes.io/hostname': 'other' }, { 'kubernetes.io/hostname': 'other' }],
  ['an empty one', { 'node.kubernetes.io/instance-type': '' }, { 'node.kubernetes.io/instance-type': null }],
];
for (const [name, labels, others] of reconciled)
  objects(`that was there before gets, besides those of the machine, ${name}`, () => {
    assert.equal(reconciledLabels({ ...registration, identity: kubernetes, labels }), {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'one.example',
      'kubernetes.io/os': 'linux',
      ...others,
    });
  });
objects('has the taints of its configuration and of its provider', () => {
  const taint = { key: 'a', value: 'b', effect: 'NoSchedule' } as const;
  const configuration = { registerWithTaints: [taint], providerID: 'some://1' } as never;
  const { spec } = newNode({ ...registration, identity: kubernetes, configuration, hasExternalProvider: true }, {});
  const provider = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
  assert.equal(spec, { providerID: 'some://1', taints: [taint, provider] });
});
const labels: [labels: Record<string, string>, problem: RegExp | undefined][] = [
  [{ tier: 'a' }, undefined],
  [{ 'node.kubernetes.io/instance-type': 'large', 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' }, undefined],
  [{ 'node.kubernetes.io/own': '1', 'kubelet.kubernetes.io/own': '1' }, undefined],
  [{ 'node-role.kubernetes.io/control-plane': '' }, /node-role\.kubernetes\.io\/control-plane may not be set/],
  [{ 'node-restriction.kubernetes.io/a': '' }, /may not be set/],
  [{ 'a b': '' }, /"a b="/],
  [{ a: 'b c' }, /"a=b c"/],
];
for (const [given, problem] of labels)
  objects(`${problem === undefined ? 'may' : 'may not'} have the labels ${Object.keys(given)}`, () => {
    if (problem === undefined) checkLabels(given, kubernetes);
    else assert.throws(() => checkLabels(given, kubernetes), problem);
  });
objects.run();

const addresses = suite('addresses of a node');
const none = new SystemFiles('/nowhere');
const face = (address: string, family: 'IPv4' | 'IPv6', internal = false) =>
  ({ address, family, internal, netmask: '', mac: '', cidr: null }) as never;
addresses('are those that are given', () => {
  assert.equal(nodeAddresses(['10.0.0.1', 'fd00::1'], 'one', none, {}), [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'InternalIP', address: 'fd00::1' },
    { type: 'Hostname', address: 'one' },
  ]);
});
addresses('are found: of IPv4 before others, never those of the machine alone', () => {
  const interfaces = {
    lo: [face('127.0.0.1', 'IPv4', true)],
    eth0: [face('fe80::1', 'IPv6'), face('fd00::2', 'IPv6'), face('192.0.2.7', 'IPv4')],
  };
  assert.equal(nodeAddresses([], 'one', none, interfaces)[0], { type: 'InternalIP', address: '192.0.2.7' });
  assert.equal(nodeAddresses([], 'one', none, { eth0: [face('fd00::2', 'IPv6')] })[0], { type: 'InternalIP', address: 'fd00::2' });
});
addresses('are found of the family that is given', () => {
  const interfaces = { eth0: [face('192.0.2.7', 'IPv4'), face('fd00::2', 'IPv6')] };
  const found = (given: string[]) => nodeAddresses(given, 'one', none, interfaces).map(({ address }) => address);
  assert.equal(found(['::']), ['fd00::2', 'one']);
  assert.equal(found(['0.0.0.0']), ['192.0.2.7', 'one']);
  assert.equal(found(['::', '10.0.0.1']), ['fd00::2', '10.0.0.1', 'one']);
});
addresses('are that of the machine alone where there is no other', () => {
  assert.equal(nodeAddresses([], 'one', none, { lo: [face('127.0.0.1', 'IPv4', true)] })[0], { type: 'InternalIP', address: '127.0.0.1' });
});
const refused: [texts: string[], problem: RegExp][] = [
  [['ten'], /"ten" is no IP address/],
  [['224.0.0.1'], /at which nobody reaches a node/],
  [['fe80::1'], /at which nobody reaches a node/],
  [['169.254.1.1'], /at which nobody reaches a node/],
  [['10.0.0.1', '10.0.0.2'], /"10\.0\.0\.2" is of the same family/],
  [['10.0.0.1', '::1', '::2'], /one address of each family/],
];
for (const [texts, problem] of refused)
  addresses(`are not ${texts.join(' and ')}`, () => assert.throws(() => givenAddresses(texts), problem));
addresses.run();

const conditions = suite('conditions of a node');
conditions('are in the words of 1.32', () => {
  assert.equal(conditionStates(new Set(['DiskPressure']), [], kubernetes.text), [
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
    { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure' },
    { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  ]);
  assert.equal(conditionStates(new Set(), ['container runtime is down', 'b'], kubernetes.text).at(-1), {
    type: 'Ready',
    status: 'False',
    reason: 'KubeletNotReady',
    message: '[container runtime is down, b]',
  });
  assert.is(conditionStates(new Set(), [], cluster.text).at(-1)?.message, 'node-agent is posting ready status');
});
const state = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'm' } as const;
conditions('keep the time of their transition while they are as they were', () => {
  const known = { type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' };
  const now = '2026-01-01T00:00:00Z';
  assert.is(withTimes([state], [known], now)[0]?.lastTransitionTime, known.lastTransitionTime);
  assert.is(withTimes([state], [{ ...known, status: 'Unknown' }], now)[0]?.lastTransitionTime, now);
  assert.is(withTimes([state], [], now)[0]?.lastTransitionTime, now);
  assert.is(withTimes([state], [known], now)[0]?.lastHeartbeatTime, now);
});
conditions('are told as events when they change', () => {
  assert.equal(
    transitionEvents([state], [], 'one').map(({ message }) => message),
    ['Node one status is now: NodeReady'],
  );
  assert.equal(transitionEvents([state], [state], 'one'), []);
  assert.equal(
    transitionEvents([{ ...state, status: 'False' }], [state], 'one').map(({ reason }) => reason),
    ['NodeNotReady'],
  );
});
conditions.run();

const reports = suite('reports of a node');
const rest = {
  capacity: { cpu: '1', memory: '1024Mi' },
  allocatable: { cpu: '1' },
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
  nodeInfo: { machineID: 'm' } as never,
};
const wanted = { conditions: [state], rest };
const node = (status: object) => ({ metadata: { name: 'one' }, status: { ...rest, conditions: [state], ...status } }) as never;
const known: [name: string, status: object, isReported: boolean][] = [
  ['nothing has changed', {}, true],
  ['times alone have', { conditions: [{ ...state, lastHeartbeatTime: 'x' }] }, true],
  ['others have said something besides', { conditions: [state, { type: 'NetworkUnavailable', status: 'False' }] }, true],
  ['a quantity is written otherwise', { capacity: { cpu: '1000m', memory: '1Gi' } }, true],
  ['nobody knows how the node is', { conditions: [{ ...state, status: 'Unknown' }] }, false],
  ['a condition has another reason', { conditions: [{ ...state, reason: 'Other' }] }, false],
  ['a condition is missing', { conditions: [] }, false],
  ['a resource has gone', { capacity: { ...rest.capacity, 'example.org/gpu': '1' } }, false],
  ['a resource has come', { capacity: { cpu: '1' } }, false],
  ['an address is another one', { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] }, false],
  ['the agent is another one', { nodeInfo: { machineID: 'other' } }, false],
];
for (const [name, status, expected] of known)
  reports(`are ${expected ? 'not ' : ''}sent where ${name}`, () => assert.is(isReported(node(status), wanted), expected));
reports('take out resources that have gone, and replace addresses', () => {
  const patch = statusPatch(node({ capacity: { cpu: '1', 'example.org/gpu': '1' } }), { ...rest, conditions: [] }) as Record<string, never>;
  const { capacity, addresses: sent } = patch.status as unknown as { capacity: object; addresses: object[] };
  assert.equal(capacity, { cpu: '1', memory: '1024Mi', 'example.org/gpu': null });
  assert.equal(sent, [...rest.addresses, { $patch: 'replace' }]);
});
reports.run();
