/** What is shown of APIServices that other servers answer, over a store. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { TestCluster } from '../server.ts';

const test = suite('figures of APIServices');

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
  await cluster.start();
});
test.after.each(() => cluster.remove());

const API = 'apiregistration.k8s.io/v1';
const shown = () => cluster.server.metrics.figures().values.aggregator_unavailable_apiservice ?? [];

test('go with their objects', async () => {
  for (const group of ['one.example', 'two.example']) {
    const name = `v1.${group}`;
    const service = { namespace: 'default', name: 'missing', port: 443 };
    const spec = { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true, service };
    await cluster.create(API, 'apiservices', { metadata: { name }, spec });
    await eventually('it is looked at', () => shown().length > 0);
    assert.equal(shown(), [{ labels: { name }, value: 1 }]);
    await cluster.delete(API, 'apiservices', { name });
    await eventually('nothing is shown of it', () => shown().length === 0);
  }
});

test.run();
