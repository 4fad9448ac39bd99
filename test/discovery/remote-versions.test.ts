/** Aggregated discovery of versions that other servers answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPieces } from '../../runtime/connections/body-pieces.ts';
import type { AggregatedDocument } from '../../runtime/discovery/aggregated.ts';
import type { ApiResourceDiscovery } from '../../runtime/discovery/described-resource.ts';
import { createDiscovery, type Discovery } from '../../runtime/discovery/discovery.ts';
import { documentHash, entityTag } from '../../runtime/discovery/entity-tag.ts';
import type { MaybePromise, ResourcesText } from '../../runtime/discovery/registry-view.ts';
import { deployments, groupsIn, groupVersion, view } from './view.ts';

type Resources = ResourcesText | undefined;
const text = (...resources: ApiResourceDiscovery[]): ResourcesText => Buffer.from(JSON.stringify(resources));

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

const versionIn = (document: AggregatedDocument): unknown =>
  groupsIn(document).items.find(({ metadata }) => metadata.name === 'lamps.example')?.versions[0];

const test = suite('discovery of versions of other servers');

test('comes at once where it is made, and says what is stale', async () => {
  const resources = text(LAMP);
  const discovery = discoveryOf(() => resources);
  const known = await discovery.aggregated('apis', 'v2');
  assert.is(discovery.aggregated('apis', 'v2'), known);
  assert.equal(versionIn(known), { version: 'v1', resources: [LAMP], freshness: 'Current' });
  assert.is(known.etag, entityTag(documentHash(known.body as Buffer)));
  const stale = await discoveryOf(() => undefined).aggregated('apis', 'v2');
  assert.equal(versionIn(stale), { version: 'v1', freshness: 'Stale' });
  const none = await discoveryOf(() => text()).aggregated('apis', 'v2');
  assert.equal(versionIn(none), { version: 'v1', freshness: 'Current' });
});

test('is made anew only where a server says something else', async () => {
  let said: Resources = text(LAMP);
  const discovery = discoveryOf(async () => said);
  const first = await discovery.aggregated('apis', 'v2');
  assert.is(await discovery.aggregated('apis', 'v2'), first);
  assert.is.not(await discovery.aggregated('apis', 'v2beta1'), first);
  said = text({ ...LAMP, verbs: ['get', 'list'] });
  assert.is.not((await discovery.aggregated('apis', 'v2')).etag, first.etag);
});

test('that was asked for before a change is not kept', async () => {
  const answers = [Promise.withResolvers<Resources>(), Promise.withResolvers<Resources>()] as const;
  let asked = 0;
  const discovery = discoveryOf(() => answers[asked++ === 0 ? 0 : 1].promise);
  const before = discovery.aggregated('apis', 'v2');
  discovery.invalidate();
  answers[0].resolve(text(LAMP));
  const first = await before;
  const after = discovery.aggregated('apis', 'v2');
  answers[1].resolve(text(LAMP));
  assert.is.not(await after, first);
});

test('is of one form, however much others say, and has the same in it', async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({ ...LAMP, resource: `lamps${index}` }));
  const { body, etag } = await discoveryOf(() => text(...many)).aggregated('apis', 'v2');
  assert.instance(body, BodyPieces);
  const whole = Buffer.concat((body as BodyPieces).pieces);
  assert.is(etag, entityTag(documentHash(whole)));
  assert.equal(JSON.parse(whole.toString()).items[1].versions, [{ version: 'v1', resources: many, freshness: 'Current' }]);
});

test('asks nobody for the other root', () => {
  const discovery = discoveryOf(() => {
    throw new Error('nobody is to be asked');
  });
  assert.equal(groupsIn(discovery.aggregated('api', 'v2')).items, []);
});

test('has the paths of all', () => {
  assert.equal(discoveryOf(() => text()).paths(), ['/apis/apps/v1', '/apis/lamps.example/v1', '/apis/apps', '/apis/lamps.example']);
});

test.run();
