/** Definitions that are deleted: their objects go first. */
import { suite } from 'uvu';
import { eventually, TestCluster } from './server.ts';

const test = suite('definitions that are deleted');
const API = 'apiextensions.k8s.io/v1';

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(() => cluster.remove());

test('a definition without objects goes, established or not', async () => {
  await cluster.start();
  const definitions = () => cluster.objects('apiextensions.k8s.io/customresourcedefinitions/');
  // the second one wants the kind of the first one
  for (const plural of ['as', 'bs'])
    await cluster.create(API, 'customresourcedefinitions', {
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        names: { plural, singular: plural.slice(0, -1), kind: 'Same' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
  await eventually(
    () => definitions().every(({ status }) => status?.conditions?.length === 2),
    () => JSON.stringify(definitions()),
  );
  for (const plural of ['bs', 'as']) await cluster.delete(API, 'customresourcedefinitions', { name: `${plural}.example.com` });
  await eventually(
    () => definitions().length === 0,
    () => JSON.stringify(definitions()),
  );
});

test.run();
