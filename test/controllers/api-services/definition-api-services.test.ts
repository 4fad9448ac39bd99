/** APIServices that a definition of custom resources has before it is served, over a store. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { announceDefinition } from '../../../runtime/controllers/api-services/definition-api-services.ts';
import { ControllerWriter } from '../../../runtime/controllers/writes/controller-writer.ts';
import { TestCluster } from '../server.ts';

const test = suite('APIServices of definitions');
const VERSIONS = 1_000;
const versions = Array.from({ length: VERSIONS }, (_, index) => ({ name: `v${index}`, served: index > 0 }));
const definition: ApiObject = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'as.example.com' },
  spec: { group: 'example.com', versions },
};

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(() => cluster.remove());

test('are made for the versions that are served, and looked at without holding others up', async () => {
  const writer = new ControllerWriter(cluster.server, 'test');
  await announceDefinition(cluster.server, writer, definition);
  const made = cluster.objects('apiregistration.k8s.io/apiservices/');
  assert.is(made.filter(({ spec }) => spec.group === 'example.com').length, VERSIONS - 1);
  let turns = 0;
  const other = () => {
    turns++;
    next = setImmediate(other);
  };
  let next = setImmediate(other);
  await announceDefinition(cluster.server, writer, definition);
  clearImmediate(next);
  writer.stop();
  assert.ok(turns > 0, `${turns}`);
  assert.equal(cluster.objects('apiregistration.k8s.io/apiservices/'), made);
});

test.run();
