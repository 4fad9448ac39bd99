/** Documents of servers that share an API, one of which then defines a resource of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flagsData } from '../../../generated/flags.ts';
import { metricsData } from '../../../generated/metrics.ts';
import { groupVersions } from '../../../generated/routes.ts';
import { Aggregation } from '../../../runtime/aggregation/aggregation.ts';
import { type ApiDocuments, createDocuments } from '../../../runtime/assembly/documents/documents.ts';
import { chosenApi } from '../../../runtime/assembly/setup/chosen-api.ts';
import type { GroupVersionData, ResourceData } from '../../../runtime/contract/kind.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { Registry } from '../../../runtime/registry/resources/registry.ts';
import type { ResourceDefinition } from '../../../runtime/registry/resources/resource-definition.ts';
import { parseFlags } from '../../../runtime/server/flags/flags.ts';
import { WITHOUT_THREAD } from '../../aggregation/without-thread.ts';
import { identity } from '../../kinds/context.ts';

const core = groupVersions.find(({ folder }) => folder === 'core/v1') as GroupVersionData;
const configMaps = core.resources.find(({ name }) => name === 'configmaps') as ResourceData;
const machinery = groupVersions.find(({ folder }) => folder === 'meta/v1')?.loadOpenapi;
const storage = { prefix: 'example.com/lamps', group: 'example.com', version: 'v1', kind: 'Lamp' };
const lamps: ResourceDefinition = {
  group: 'example.com',
  name: 'lamps',
  kinds: ['Lamp', 'LampList'],
  versions: [
    {
      version: 'v1',
      resource: { ...configMaps, name: 'lamps', kind: 'Lamp', singular: 'lamp', shortNames: [], storage },
      openapi: { load: async () => ({ info: { title: '', version: '' }, paths: {}, schemas: {} }), hash: 'lamps' },
    },
  ],
  load: () => core.load(),
};

const apiOf = async (...flags: string[]) => (await chosenApi(identity, parseFlags(flags, flagsData, identity).values)).builtIn;
const usual = await apiOf();

/** No other server answers anything. */
const withoutOthers = (registry: Registry): Aggregation =>
  new Aggregation({
    identity,
    prefix: undefined,
    local: () => registry.current,
    resolve: () => {
      throw new Error('no service leads anywhere');
    },
    clientCertificate: () => undefined,
    withUid: false,
    documentThread: WITHOUT_THREAD,
  });

function server(builtIn = usual): { readonly registry: Registry; readonly documents: ApiDocuments } {
  const registry = new Registry(builtIn);
  const documents = createDocuments(registry, builtIn, {
    machinery,
    aggregation: withoutOthers(registry),
    metrics: new Metrics(metricsData),
    featureEnabled: () => true,
  });
  registry.onSwap(() => {
    documents.discovery.invalidate();
    documents.openapi.invalidate();
  });
  return { registry, documents };
}

const openapiPaths = async ({ openapi }: ApiDocuments): Promise<string[]> => {
  const answer = await openapi.handle('/openapi/v3', new URLSearchParams(), {});
  if (typeof answer !== 'object') throw new Error('no document');
  return Object.keys(JSON.parse(String(answer.body)).paths);
};

const test = suite('documents of servers of one process');
test('are made once, where servers choose the same', async () => {
  const [one, other, third] = [server(await apiOf()), server(await apiOf()), server(await apiOf('--runtime-config=batch/v1=false'))];
  assert.is(one.documents.discovery.groupList(), other.documents.discovery.groupList());
  assert.is.not(one.documents.discovery.groupList(), third.documents.discovery.groupList());
  assert.is(third.documents.discovery.group('batch'), undefined);
  assert.ok(one.documents.discovery.group('batch') !== undefined);
});
test('tell what one of them has defined for that one alone, as long as it does', async () => {
  const [one, other] = [server(), server()];
  const before = one.documents.discovery.groupList();
  one.registry.change({ defined: [lamps], removed: [] });
  assert.ok(one.documents.discovery.resourceList('example.com', 'v1') !== undefined);
  assert.ok((await openapiPaths(one.documents)).includes('apis/example.com/v1'));
  assert.is(other.documents.discovery.resourceList('example.com', 'v1'), undefined);
  assert.not((await openapiPaths(other.documents)).includes('apis/example.com/v1'));
  assert.is(other.documents.discovery.groupList(), before);
  one.registry.change({ defined: [], removed: [lamps] });
  assert.is(one.documents.discovery.resourceList('example.com', 'v1'), undefined);
  assert.not((await openapiPaths(one.documents)).includes('apis/example.com/v1'));
});
test.run();
