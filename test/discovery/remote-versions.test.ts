/** Aggregated discovery of versions that other servers answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiResourceDiscovery } from '../../runtime/discovery/described-resource.ts';
import { type AggregatedDocument, createDiscovery, type Discovery } from '../../runtime/discovery/discovery.ts';
import type { MaybePromise } from '../../runtime/discovery/registry-view.ts';
import { deployments, groupVersion, view } from './view.ts';

type Resources = readonly ApiResourceDiscovery[] | undefined;

const lamps = groupVersion('lamps.example', 'v1', []);
const LAMP: ApiResourceDiscovery = {
  resource: 'lamps',
  responseKind: { group: '', version: '', kind: 'Lamp' },
  scope: 'Cluster',
  singularResource: 'lamp',
  verbs: ['get'],
};

function discoveryOf(resources: () => MaybePromise<Resources>): Discovery {
  return createDiscovery({ ...view([deployments, lamps]), remote: (each) => (each === lamps ? { resources } : undefined) });
}

const versionIn = ({ object }: AggregatedDocument): unknown =>
  object.items.find(({ metadata }) => metadata.name === 'lamps.example')?.versions[0];

const test = suite('discovery of versions of other servers');

test('comes at once where it is known, and says what is stale', () => {
  const known = discoveryOf(() => [LAMP]).aggregated('apis', 'v2') as AggregatedDocument;
  assert.equal(versionIn(known), { version: 'v1', resources: [LAMP], freshness: 'Current' });
  const stale = discoveryOf(() => undefined).aggregated('apis', 'v2') as AggregatedDocument;
  assert.equal(versionIn(stale), { version: 'v1', freshness: 'Stale' });
  const none = discoveryOf(() => []).aggregated('apis', 'v2') as AggregatedDocument;
  assert.equal(versionIn(none), { version: 'v1', freshness: 'Current' });
});

test('is made anew only where a server says something else', async () => {
  let said: Resources = [LAMP];
  const discovery = discoveryOf(async () => said);
  const first = await discovery.aggregated('apis', 'v2');
  assert.is(await discovery.aggregated('apis', 'v2'), first);
  assert.is.not(await discovery.aggregated('apis', 'v2beta1'), first);
  said = [{ ...LAMP, verbs: ['get', 'list'] }];
  assert.is.not((await discovery.aggregated('apis', 'v2')).etag, first.etag);
});

test('that was asked for before a change is not kept', async () => {
  const answers = [Promise.withResolvers<Resources>(), Promise.withResolvers<Resources>()] as const;
  let asked = 0;
  const discovery = discoveryOf(() => answers[asked++ === 0 ? 0 : 1].promise);
  const before = discovery.aggregated('apis', 'v2');
  discovery.invalidate();
  answers[0].resolve([LAMP]);
  const first = await before;
  const after = discovery.aggregated('apis', 'v2');
  answers[1].resolve([LAMP]);
  assert.is.not(await after, first);
});

test('asks nobody for the other root', () => {
  const discovery = discoveryOf(() => {
    throw new Error('nobody is to be asked');
  });
  assert.equal((discovery.aggregated('api', 'v2') as AggregatedDocument).object.items, []);
});

test('has the paths of all', () => {
  assert.equal(discoveryOf(() => []).paths(), ['/apis/apps/v1', '/apis/lamps.example/v1', '/apis/apps', '/apis/lamps.example']);
});

test.run();
