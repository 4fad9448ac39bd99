/** Definitions that are deleted: their objects go first. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import type { GroupVersionData, ResourceData } from '../../../runtime/contract/kind.ts';
import type { ResourceDefinition } from '../../../runtime/registry/resources/resource-definition.ts';
import { eventually, SETTINGS, TestCluster } from '../server.ts';

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

const core = groupVersions.find(({ folder }) => folder === 'core/v1') as GroupVersionData;
const configMaps = core.resources.find(({ name }) => name === 'configmaps') as ResourceData;

/** Its objects are like config maps. */
const held: ResourceDefinition = {
  group: 'example.com',
  name: 'as',
  kinds: ['A', 'AList'],
  versions: [
    {
      version: 'v1',
      resource: {
        ...configMaps,
        name: 'as',
        kind: 'A',
        singular: 'a',
        shortNames: [],
        storage: { prefix: 'example.com/as', group: 'example.com', version: 'v1', kind: 'A' },
      },
      openapi: { load: async () => ({ info: { title: '', version: '' }, paths: {}, schemas: {} }), hash: '' },
    },
  ],
  async load() {
    const { kinds } = await core.load();
    const { ConfigMap, ConfigMapList } = kinds;
    if (ConfigMap === undefined || ConfigMapList === undefined) throw new Error('there are no config maps');
    return { kinds: { A: { ...ConfigMap, type: { ...ConfigMap.type }, list: 'AList' }, AList: ConfigMapList } };
  },
};

const definition = () => cluster.objects('apiextensions.k8s.io/customresourcedefinitions/')[0];
const until = (holds: () => boolean) => eventually(holds, () => JSON.stringify(definition()));

/** Defines what is held. */
async function define(): Promise<void> {
  await cluster.create(API, 'customresourcedefinitions', {
    metadata: { name: 'as.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'as', singular: 'a', kind: 'A' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await until(() => definition()?.status?.conditions?.length === 2);
  cluster.server.registry.change({ defined: [held], removed: [] });
}

test('a definition whose objects remain for long says so, once, and goes with the last of them', async () => {
  await cluster.remove();
  cluster = await TestCluster.create({ settings: { ...SETTINGS, cleanupPatience: 100 } });
  await cluster.start();
  const reason = () => definition()?.status?.conditions?.find(({ type }: { type: string }) => type === 'Terminating')?.reason;
  await define();
  await cluster.create('example.com/v1', 'as', { metadata: { name: 'x', namespace: 'n', finalizers: ['example.com/hold'] } });
  await cluster.delete(API, 'customresourcedefinitions', { name: 'as.example.com' });
  await until(() => reason() === 'InstanceDeletionInProgress');
  await until(() => reason() === 'InstanceDeletionCheck');
  const { resourceVersion } = definition()?.metadata ?? {};
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.is(definition()?.metadata.resourceVersion, resourceVersion);
  await cluster.edit('example.com/v1', 'as', { namespace: 'n', name: 'x' }, ({ metadata }) => {
    metadata.finalizers = [];
  });
  await until(() => definition() === undefined);
});

test('what is created until a definition says that its objects have gone goes with it', async () => {
  await cluster.remove();
  let isCreated = false;
  /** Creates an object at the last moment: the definition has just been found without any. */
  const validate = async ({ object }: AdmissionAttributes): Promise<undefined> => {
    const terminating = object?.status?.conditions?.find(({ type }: { type: string }) => type === 'Terminating');
    if (isCreated || terminating?.status !== 'False') return undefined;
    isCreated = true;
    await cluster.create('example.com/v1', 'as', { metadata: { name: 'late', namespace: 'n' } });
    return undefined;
  };
  cluster = await TestCluster.create({ admission: { mutate: async () => {}, validate } });
  await cluster.start();
  await define();
  await cluster.delete(API, 'customresourcedefinitions', { name: 'as.example.com' });
  await until(() => definition() === undefined);
  assert.ok(isCreated);
  assert.equal(cluster.objects('example.com/as/'), []);
});

test('a definition of what the server stores itself goes alone, and says why', async () => {
  await cluster.start();
  const definition = () => cluster.objects('apiextensions.k8s.io/customresourcedefinitions/')[0];
  const condition = (wanted: string) => definition()?.status?.conditions?.find(({ type }: { type: string }) => type === wanted);
  const until = (holds: () => boolean) => eventually(holds, () => JSON.stringify(definition()));
  await cluster.create(API, 'customresourcedefinitions', {
    metadata: {
      name: 'apiservices.apiregistration.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved' },
      finalizers: ['example.com/hold'],
    },
    spec: {
      group: 'apiregistration.k8s.io',
      names: { plural: 'apiservices', singular: 'apiservice', kind: 'APIService' },
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await until(() => condition('Established') !== undefined);
  await cluster.delete(API, 'customresourcedefinitions', { name: 'apiservices.apiregistration.k8s.io' });
  await until(() => condition('Terminating')?.status === 'False');
  const { status, reason, message } = condition('Terminating');
  const told = ['False', 'OverlappingBuiltInResource', 'instances overlap with built-in resources in storage'];
  assert.equal([status, reason, message], told);
  assert.equal(definition()?.metadata.finalizers, ['example.com/hold']);
});

test.run();
