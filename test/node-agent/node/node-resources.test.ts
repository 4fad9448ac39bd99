/** What the node says that it has, and what of it pods may have. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MachineFacts } from '../../../runtime/node-agent/node/machine.ts';
import { nodeResources, readReserved, reservationFaults } from '../../../runtime/node-agent/node/node-resources.ts';
import { readThresholds } from '../../../runtime/node-agent/node/thresholds.ts';

const GIB = 1024 ** 3;
const facts = { cpu: 4_000, memory: 8 * GIB, hugePages: { 'hugepages-2Mi': GIB } } as unknown as MachineFacts;
const disk = { space: { capacity: 100_000, available: 1 }, inodes: { capacity: 1, available: 1 } };

const resourcesOf = (members: object, sources: Parameters<typeof nodeResources>[0]['sources'] = [], hasDisk = true) =>
  nodeResources({
    configuration: members as never,
    facts,
    disk: hasDisk ? disk : undefined,
    reserved: readReserved(members as never).reserved,
    thresholds: readThresholds(members as never).thresholds,
    sources,
  });

const resources = suite('resources of a node');
resources('are those of the machine where nothing is reserved', () => {
  const { capacity, allocatable } = resourcesOf({ maxPods: 110 });
  assert.equal(capacity, { cpu: '4', memory: '8Gi', 'hugepages-2Mi': '1Gi', 'ephemeral-storage': '100k', pods: '110' });
  assert.equal(allocatable, { cpu: '4', memory: '7Gi', 'hugepages-2Mi': '1Gi', 'ephemeral-storage': '100k', pods: '110' });
});
resources('are less by what is reserved, and by what must be left', () => {
  const { allocatable } = resourcesOf({
    systemReserved: { cpu: '100m', memory: '512Mi', 'ephemeral-storage': '10k' },
    kubeReserved: { cpu: '0.5', memory: '512Mi', pid: '100' },
    evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '10%' },
    evictionSoft: { 'memory.available': '2Gi' },
    evictionSoftGracePeriod: { 'memory.available': '1m' },
  });
  assert.equal([allocatable.cpu, allocatable.memory, allocatable['ephemeral-storage']], ['3400m', '5Gi', '80k']);
});
resources('are not less by a soft threshold, whatever time it has', () => {
  const soft = { evictionSoft: { 'memory.available': '2Gi' }, evictionSoftGracePeriod: { 'memory.available': '0s' } };
  assert.is(resourcesOf(soft).allocatable.memory, '7Gi');
});
resources('leave out the processors that are reserved by their numbers', () => {
  assert.is(resourcesOf({ reservedSystemCPUs: '0-1', systemReserved: { cpu: '3' } }).allocatable.cpu, '2');
});
resources('are never less than nothing', () => {
  assert.is(resourcesOf({ evictionHard: { 'memory.available': '20Gi' } }).allocatable.memory, '0');
});
resources('have as many pods as fit on the processors', () => {
  assert.is(resourcesOf({ maxPods: 110, podsPerCore: 10 }).capacity.pods, '40');
  assert.is(resourcesOf({ maxPods: 30, podsPerCore: 10 }).capacity.pods, '30');
});
resources('have no disk where nobody counts it', () => {
  assert.is(resourcesOf({}, [], false).capacity['ephemeral-storage'], undefined);
});
resources('have those of devices', () => {
  const source = { resources: () => ({ 'example.org/gpu': { capacity: 4, allocatable: 3 } }), onChange: () => {} };
  const { capacity, allocatable } = resourcesOf({}, [source]);
  assert.equal([capacity['example.org/gpu'], allocatable['example.org/gpu']], ['4', '3']);
});
resources('must be there to be reserved', () => {
  const faults = reservationFaults(readReserved({ systemReserved: { cpu: '5', memory: '9Gi' } } as never), facts, disk);
  assert.equal(
    faults.map(({ problem }) => problem),
    [
      'Resource "cpu" has a reservation of 5 but capacity of 4. Expected capacity >= reservation.',
      'Resource "memory" has a reservation of 9Gi but capacity of 8Gi. Expected capacity >= reservation.',
    ],
  );
});
resources.run();
