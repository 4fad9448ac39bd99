import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiServer } from '../../runtime/assembly/parts/api-server.ts';
import { ClusterRoleAggregation } from '../../runtime/controllers/cluster-role-aggregation.ts';
import { eventually, TestCluster } from './server.ts';
import { TestClock } from './test-clock.ts';

const test = suite('aggregation of cluster roles');

const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const GATHERING = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };

let cluster: TestCluster;
let logged: string[];
let rounds: number;
let controller: ClusterRoleAggregation;
let clock: TestClock;
/** what roles that are still being read are waited for with */
let reading: Promise<void> | undefined;
/** what a round finds; thrown where it is an error */
let outdated: { name: string; rules: object[] }[] | Error;
test.before.each(async () => {
  cluster = await TestCluster.create();
  logged = [];
  rounds = 0;
  reading = undefined;
  const grants = {
    settled: () => reading,
    async outdatedAggregates() {
      rounds++;
      if (outdated instanceof Error) throw outdated;
      return outdated;
    },
  };
  const log = { ...cluster.server.log, error: (_fields: object, message: string) => void logged.push(message) };
  clock = new TestClock();
  controller = new ClusterRoleAggregation({ ...cluster.server, grants, log } as unknown as ApiServer, clock);
});
test.after.each(async () => {
  await controller.stop();
  await cluster.remove();
});

const rules = (name: string): object[] => cluster.objects('clusterroles/').find(({ metadata }) => metadata.name === name)?.rules ?? [];
const create = (name: string, members: object) =>
  cluster.create('rbac.authorization.k8s.io/v1', 'clusterroles', { metadata: { name }, ...members });

test('roles that gather get their rules; those that do not, or have gone, are left alone', async () => {
  await create('gathers', { aggregationRule: GATHERING });
  await create('plain', {});
  outdated = ['gathers', 'plain', 'gone'].map((name) => ({ name, rules: RULES }));
  await controller.list();
  await eventually(
    () => rules('gathers').length > 0,
    () => 'no rules were written',
  );
  assert.equal(rules('gathers'), RULES);
  await controller.stop();
  assert.equal(rules('plain'), []);
  assert.equal(logged, []);
});

test('a role that gathers nothing any more has no rules, in the form of one that never had any', async () => {
  await create('gathers', { aggregationRule: GATHERING, rules: RULES });
  outdated = [{ name: 'gathers', rules: [] }];
  await controller.list();
  await eventually(
    () => rules('gathers').length === 0,
    () => 'the rules are still there',
  );
  const [stored] = cluster.objects('clusterroles/');
  assert.is(stored?.rules, null);
});

test('a round that fails is tried again', async () => {
  await create('gathers', { aggregationRule: GATHERING });
  outdated = new Error('not now');
  await controller.list();
  await eventually(
    () => logged.length === 1,
    () => `${rounds} rounds`,
  );
  clock.advance(5);
  await eventually(
    () => logged.length === 2,
    () => `${rounds} rounds`,
  );
  outdated = [{ name: 'gathers', rules: RULES }];
  clock.advance(10);
  await eventually(
    () => rules('gathers').length > 0,
    () => 'no rules were written',
  );
});

test('a role that is never right, as in a circle of them, is written as often as by 1.32', async () => {
  await create('gathers', { aggregationRule: GATHERING });
  outdated = [{ name: 'gathers', rules: RULES }];
  const change = () =>
    controller.changed({ key: 'clusterroles/gathers', operation: 'update', revision: 1, value: Buffer.from(''), previousValue: undefined });
  const inRounds = async (count: number): Promise<number> => {
    const before = rounds;
    for (let i = 0; i < count; i++) {
      change();
      await controller.settled();
    }
    return rounds - before;
  };
  // a burst of writes, then one every 50 milliseconds
  assert.is(await inRounds(300), 101);
  assert.is(await inRounds(100), 0);
  clock.advance(49);
  assert.is(await inRounds(10), 0);
  clock.advance(1);
  assert.is(await inRounds(10), 1);
  // however many they were
  for (let i = 0; i < 1_100; i++) {
    clock.advance(50);
    assert.is(await inRounds(2), 1);
  }
  outdated = [];
  clock.advance(50);
  assert.is(await inRounds(10), 10);
});

test('a round waits for roles that are still being read, which would be missed where they are gathered', async () => {
  outdated = [];
  let read = (): void => {};
  reading = new Promise((resolve) => {
    read = resolve;
  });
  await controller.list();
  await new Promise(setImmediate);
  assert.is(rounds, 0);
  read();
  await controller.settled();
  assert.is(rounds, 1);
});

test('changes of roles alone make a round', async () => {
  outdated = [];
  const change = (key: string) =>
    controller.changed({ key, operation: 'create', revision: 1, value: Buffer.from(''), previousValue: undefined });
  change('roles/n/a');
  change('clusterroles/a');
  await eventually(
    () => rounds === 1,
    () => `${rounds} rounds`,
  );
  await controller.stop();
  assert.is(rounds, 1);
});

test.run();
