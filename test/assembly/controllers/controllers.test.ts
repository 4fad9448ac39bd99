/** Controllers begin and end any number of times in one process, as a server does that is elected again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Controllers, type Place } from '../../../runtime/assembly/controllers/controllers.ts';
import { type ApiServer, ownWorkOver } from '../../../runtime/assembly/parts/api-server.ts';
import { type ControllerName, chosenControllers } from '../../../runtime/controllers/chosen-controllers.ts';
import { eventually, SETTINGS, TestCluster } from '../../controllers/server.ts';
import { usedHeap } from '../../harness/heap.ts';

const test = suite('controllers that end');

/** Nobody here signs. */
const NAMES: readonly ControllerName[] = chosenControllers([
  '*',
  'tokencleaner',
  'bootstrapsigner',
  'nodelifecycle',
  'taint-eviction',
  'csrapproving',
  'csrcleaner',
]);
const ROUNDS = 5;

let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create({ expireAfter: 3_600_000 });
  await cluster.create('v1', 'namespaces', { metadata: { name: 'default' } });
});
test.after(() => cluster.remove());

/** @param method by which somebody begins to listen, and which returns how they end */
function counting<T extends object>(told: T, method: keyof T, listeners: Set<unknown>): T {
  return new Proxy(told, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member !== 'function') return member;
      if (name !== method) return member.bind(of);
      return (listener: unknown) => {
        listeners.add(listener);
        const end = member.call(of, listener);
        return () => {
          listeners.delete(listener);
          end();
        };
      };
    },
  });
}

/**
 * A server of its own for one round, over the same store.
 * @param listeners who follows the store. @param swaps who hears of other resources
 */
function ownServer(listeners: Set<unknown>, swaps = new Set<unknown>()): ApiServer {
  const { storage, registry } = cluster.server;
  return {
    ...ownWorkOver(cluster.server, { storage: counting(storage, 'onCommit', listeners), longRequests: undefined }),
    registry: counting(registry, 'onSwap', swaps),
    grants: { settled: () => undefined, outdatedAggregates: async () => [], onChange: () => () => {} } as unknown as ApiServer['grants'],
  };
}

async function round(places: readonly Place[], listeners: Set<unknown>): Promise<WeakRef<ApiServer>> {
  const swaps = new Set<unknown>();
  const server = ownServer(listeners, swaps);
  const controllers = await Controllers.start(server, NAMES, SETTINGS, places);
  await eventually(
    () => listeners.size > 0,
    () => 'nothing is followed',
  );
  await controllers.stop();
  assert.is(swaps.size, 0);
  return new WeakRef(server);
}

for (const places of [['leader'], ['eachServer'], ['eachServer', 'leader']] as const)
  test(`leave nothing behind: ${places.join(' and ')}`, async () => {
    const listeners = new Set<unknown>();
    const servers: WeakRef<ApiServer>[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      servers.push(await round(places, listeners));
      assert.is(listeners.size, 0);
    }
    let left = servers.length;
    for (let i = 0; i < 20 && left > 1; i++) {
      await sleep(20);
      usedHeap();
      left = servers.filter((each) => each.deref() !== undefined).length;
    }
    // the last one may be in a register, or on the stack
    assert.ok(left <= 1, `${left} of ${ROUNDS} are kept`);
  });

test('begin again where they have ended, in either place', async () => {
  const listeners = new Set<unknown>();
  await round(['leader'], listeners);
  const server = ownServer(listeners);
  const own = await Controllers.start(server, NAMES, SETTINGS, ['eachServer']);
  for (let i = 0; i < 2; i++) {
    const name = `n-${i}`;
    await cluster.create('v1', 'namespaces', { metadata: { name } });
    const elected = await Controllers.start(server, ['serviceaccount'], SETTINGS, ['leader']);
    await eventually(
      () => cluster.objects(`serviceaccounts/${name}/`).length === 1,
      () => 'there is no account',
    );
    await elected.stop();
  }
  await own.stop();
});

test('of which one cannot be made have ended with it', async () => {
  const [listeners, swaps] = [new Set<unknown>(), new Set<unknown>()];
  // there is no authority that signs
  const started = Controllers.start(ownServer(listeners, swaps), ['serviceaccount', 'csrsigning', 'podgc'], SETTINGS);
  assert.match(await started.then(() => 'started', String), 'there is no authority to sign certificates with');
  assert.equal([listeners.size, swaps.size], [0, 0]);
});

test.run();
