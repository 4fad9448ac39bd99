/** Definitions through a whole server: what is served of them, when, and until when. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { embeddedWatch } from '../harness/embedded-watch.ts';
import { eventually } from '../harness/eventually.ts';

const test = suite('custom resources');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/shop.example/v1/namespaces/default/widgets';

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
});
test.after(() => server.stop());

const SPEC = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1 },
    colour: { type: 'string', default: 'amber' },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  },
};
const definition = (spec: object = SPEC) => ({
  metadata: { name: 'widgets.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
});
const widget = (name: string, spec: object) => ({ apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name }, spec });
// biome-ignore lint/suspicious/noExplicitAny: events are of many kinds
type Event = any;

const watched = (path: string) => embeddedWatch(server.client, path);

const statusOf = async (path: string): Promise<number> => (await server.client.fetch(path)).status;
const isEstablished = ({ status }: Event): boolean =>
  status?.conditions?.some(({ type, status: state }: Event) => type === 'Established' && state === 'True') === true;

async function define(spec?: object): Promise<void> {
  const events = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dwidgets.shop.example`);
  await server.client.request('POST', DEFINITIONS, definition(spec));
  for await (const { object } of events) if (isEstablished(object)) return;
}

async function undefine(): Promise<void> {
  const events = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dwidgets.shop.example`);
  await server.client.request('DELETE', `${DEFINITIONS}/widgets.shop.example`);
  for await (const { type } of events) if (type === 'DELETED') return;
}

const create = (body: object): Promise<Response> =>
  server.client.fetch(WIDGETS, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

/** @returns the message of the refusal */
async function refusal(method: 'POST' | 'PUT', path: string, body: object): Promise<string> {
  const answer = await server.client.fetch(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  assert.is(answer.status, 422);
  return ((await answer.json()) as { message: string }).message;
}

test('are served to whoever sees the definition established, until it goes', async () => {
  assert.is(await statusOf(WIDGETS), 404);
  await define();
  const made = await server.client.request('POST', WIDGETS, widget('x', { size: 1, gone: true }));
  assert.equal([made.spec, made.metadata.generation], [{ size: 1, colour: 'amber' }, 1]);
  const list = await server.client.request('GET', WIDGETS);
  assert.equal([list.kind, list.items.length, list.items[0].kind], ['WidgetList', 1, 'Widget']);
  await undefine();
  assert.is(await statusOf(WIDGETS), 404);
  await define();
  assert.equal((await server.client.request('GET', WIDGETS)).items, [], 'the objects have gone with their definition');
  await undefine();
});

test('are validated by their schema, in the words of 1.32', async () => {
  await define();
  assert.is(
    await refusal('POST', WIDGETS, widget('x', { size: 'a' })),
    'Widget.shop.example "x" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  );
  assert.is(await refusal('POST', WIDGETS, widget('x', {})), 'Widget.shop.example "x" is invalid: spec.size: Required value');
  assert.is(
    await refusal('POST', WIDGETS, widget('x', { size: 0, tags: ['a', 'a'] })),
    'Widget.shop.example "x" is invalid: [spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, spec.tags[1]: Duplicate value: "a"]',
  );
  await undefine();
});

test('can be read and deleted though their definition has come to say what their parts are not', async () => {
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const embedded = { ...free, 'x-kubernetes-embedded-resource': true };
  const parts = (part: object) => ({ type: 'object', properties: { part, text: part } });
  await define(parts(free));
  const part = { apiVersion: 'v1', kind: 7, metadata: { annotations: { a: 1 }, labels: { b: 'c' }, unknown: 1 }, spec: { x: 1 } };
  await server.client.request('POST', WIDGETS, widget('x', { part, text: { metadata: 'text' } }));
  const stored = await server.client.request('GET', `${DEFINITIONS}/widgets.shop.example`);
  await server.client.request('PUT', `${DEFINITIONS}/widgets.shop.example`, { ...stored, spec: definition(parts(embedded)).spec });
  const read = (): Promise<Event> => server.client.request('GET', `${WIDGETS}/x`);
  const known = { part: { apiVersion: 'v1', metadata: { labels: { b: 'c' } }, spec: { x: 1 } }, text: { metadata: 'text' } };
  await eventually('objects are read by the new schema', async () => (await read()).spec.part.kind === undefined);
  assert.equal((await read()).spec, known);
  assert.equal((await server.client.request('GET', WIDGETS)).items[0].spec, known);
  assert.is((await server.client.fetch(`${WIDGETS}/x`, { method: 'DELETE' })).status, 200);
  await undefine();
});

test('have a status of its own, which counts no generation', async () => {
  await define();
  const made = await server.client.request('POST', WIDGETS, { ...widget('x', { size: 1 }), status: { ready: true } });
  assert.is(made.status, undefined);
  const ready = await server.client.request('PUT', `${WIDGETS}/x/status`, { ...made, spec: { size: 5 }, status: { ready: true } });
  assert.equal([ready.status, ready.spec.size, ready.metadata.generation], [{ ready: true }, 1, 1]);
  const grown = await server.client.request('PUT', `${WIDGETS}/x`, { ...ready, spec: { size: 5 }, status: {} });
  assert.equal([grown.status, grown.spec.size, grown.metadata.generation], [{ ready: true }, 5, 2]);
  await undefine();
});

test('are asked for by verbs, not by routes: HEAD reads them, and media types are looked at once', async () => {
  await define();
  await server.client.request('POST', WIDGETS, widget('x', { size: 1 }));
  for (const path of [WIDGETS, `${WIDGETS}/x`, '/apis/shop.example/v1']) {
    const shown = await server.client.fetch(path, { headers: { accept: 'application/*' } });
    const head = await server.client.fetch(path, { method: 'HEAD' });
    assert.equal([shown.status, head.status, await head.text()], [200, 200, ''], path);
    assert.is(head.headers.get('content-length'), String((await shown.arrayBuffer()).byteLength), path);
    const refused = await server.client.fetch(path, { headers: { accept: 'text/html' } });
    const message = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
    assert.equal([refused.status, ((await refused.json()) as Event).message], [406, message], path);
  }
  assert.is((await server.client.fetch(`${WIDGETS}/none`, { method: 'HEAD' })).status, 404);
  assert.is((await server.client.fetch('/apis/shop.example/v1', { method: 'POST' })).status, 200);
  await undefine();
});

test('are found by the verb, whatever else their path says', async () => {
  await define();
  await server.client.request('POST', WIDGETS, widget('x', { size: 1 }));
  const send = async (method: string, path: string, body?: object, type = 'application/json'): Promise<[number, string | undefined]> => {
    const answer = await server.client.fetch(path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': type } }),
    });
    return [answer.status, ((await answer.json()) as Event).message];
  };
  const unsupported = (verb: string): [number, string] => [405, `${verb} is not supported on resources of kind "widgets.shop.example"`];
  assert.equal(await send('POST', `${WIDGETS}/elsewhere`, widget('y', { size: 1 })), [201, undefined]);
  assert.is(await statusOf(`${WIDGETS}/y`), 200);
  assert.equal(await send('PUT', WIDGETS, {}), [400, 'name must be provided']);
  assert.equal(await send('PATCH', WIDGETS, {}, 'application/merge-patch+json'), [400, 'name must be provided']);
  assert.equal(await send('PATCH', WIDGETS, {}, 'application/apply-patch+yaml'), [400, 'name must be provided']);
  assert.is((await send('PATCH', WIDGETS, {}))[0], 415);
  assert.is(await statusOf(`${WIDGETS}/x/status/and/more`), 200);
  assert.equal(await send('GET', `${WIDGETS}/x/none/more`), [404, 'widgets.shop.example "x" not found']);
  assert.equal(await send('DELETE', `${WIDGETS}/x/status/more`), unsupported('delete'));
  assert.equal(await send('GET', WIDGETS.replace('/v1/', '/v1/proxy/')), unsupported('proxy'));
  for (const [method, path] of [
    ['GET', '/apis/shop.example/v1/watch/widgets/x?timeoutSeconds=1'],
    ['POST', '/apis/shop.example/v1/watch/namespaces/default/widgets/x?timeoutSeconds=1'],
  ] as const) {
    const events = (await (await server.client.fetch(path, { method })).text()).trim().split('\n');
    assert.equal(
      events.map((event) => JSON.parse(event)).map(({ type, object }) => [type, object.metadata.name]),
      [['ADDED', 'x']],
    );
  }
  await undefine();
});

test('keep their watches until what is served of their definition changes', async () => {
  await define();
  const events = await watched(`${WIDGETS}?watch=1`);
  const first = events.next();
  const stored = await server.client.request('GET', `${DEFINITIONS}/widgets.shop.example`);
  await server.client.request('PUT', `${DEFINITIONS}/widgets.shop.example`, {
    ...stored,
    metadata: { ...stored.metadata, labels: { a: 'b' } },
  });
  await server.client.request('POST', WIDGETS, widget('x', { size: 1 }));
  assert.is((await first).value.object.metadata.name, 'x');
  await undefine();
  for await (const { type } of events) assert.is(type, 'DELETED');
});

test('are seen to go by their watches when their definition does, until the last of them has gone', async () => {
  await define();
  const held = { ...widget('held', { size: 1 }), metadata: { name: 'held', finalizers: ['shop.example/hold'] } };
  for (const body of [widget('free', { size: 1 }), held]) await server.client.request('POST', WIDGETS, body);
  const events = await watched(`${WIDGETS}?watch=1`);
  const next = async (): Promise<string[]> => {
    const { type, object } = (await events.next()).value;
    return [type, object.metadata.name];
  };
  const seen = [await next(), await next()];
  await server.client.request('DELETE', `${DEFINITIONS}/widgets.shop.example`);
  seen.push(await next(), await next());
  assert.equal(
    seen.toSorted(),
    [
      ['ADDED', 'free'],
      ['ADDED', 'held'],
      ['DELETED', 'free'],
      ['MODIFIED', 'held'],
    ],
    'its objects change while it is being deleted',
  );
  await server.client.request('PATCH', `${WIDGETS}/held`, { metadata: { finalizers: null } });
  assert.equal(await next(), ['DELETED', 'held']);
  assert.is((await events.next()).done, true, 'there are none any more');
  await eventually('they are not served any more', async () => (await statusOf(WIDGETS)) === 404);
});

test('are streamed as lists that have no metadata to begin with, as objects without types are', async () => {
  await define();
  const parameters = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
  for await (const { object } of await watched(`${WIDGETS}?${parameters}`)) {
    const blueprint = object.metadata.annotations['kubernetes.io/initial-events-list-blueprint'];
    assert.is(Buffer.from(blueprint, 'base64').toString(), '{"apiVersion":"shop.example/v1","items":[],"kind":"WidgetList"}\n');
    break;
  }
  await undefine();
});

test('have no binary form, but their metadata have', async () => {
  await define();
  await server.client.request('POST', WIDGETS, widget('x', { size: 1 }));
  const typeOf = async (accept: string): Promise<unknown[]> => {
    const answer = await server.client.fetch(`${WIDGETS}/x`, { headers: { accept } });
    return [answer.status, answer.headers.get('content-type')];
  };
  const protobuf = 'application/vnd.kubernetes.protobuf';
  assert.equal(await typeOf(`${protobuf},application/json`), [200, 'application/json']);
  assert.equal(await typeOf(`${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`), [200, protobuf]);
  assert.is((await typeOf(protobuf))[0], 406);
  const sent = await server.client.fetch(WIDGETS, { method: 'POST', body: 'k8s', headers: { 'content-type': protobuf } });
  assert.is(sent.status, 415);
  await undefine();
});

test('warn of a deprecated version, and name the newest that is served in its place', async () => {
  const { spec } = definition();
  const [first] = spec.versions;
  const version = (name: string, more: object) => ({ ...first, name, storage: name === 'v1', ...more });
  const versions = [
    version('v1', { deprecated: true }),
    version('v1beta1', { deprecated: true }),
    version('v2', {}),
    version('v2alpha1', { deprecated: true, deprecationWarning: 'as it says' }),
    version('v3', { served: false }),
    version('v3beta1', {}),
    version('v4', { deprecated: true }),
  ];
  const events = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dwidgets.shop.example`);
  await server.client.request('POST', DEFINITIONS, { ...definition(), spec: { ...spec, versions } });
  for await (const { object } of events) if (isEstablished(object)) break;
  const warning = async (name: string) => (await server.client.fetch(`/apis/shop.example/${name}/widgets`)).headers.get('warning');
  for (const [name, text] of [
    ['v1', 'shop.example/v1 Widget is deprecated; use shop.example/v2 Widget'],
    ['v1beta1', 'shop.example/v1beta1 Widget is deprecated; use shop.example/v2 Widget'],
    ['v2alpha1', 'as it says'],
    ['v4', 'shop.example/v4 Widget is deprecated'],
  ] as const)
    assert.is(await warning(name), `299 - "${text}"`, name);
  for (const name of ['v2', 'v3beta1']) assert.is(await warning(name), null, name);
  await undefine();
});

test('warn of a deprecated version through its scale as well', async () => {
  const { spec } = definition();
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  const versions = spec.versions.map((each) => ({ ...each, subresources: { status: {}, scale }, deprecated: true }));
  const events = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dwidgets.shop.example`);
  await server.client.request('POST', DEFINITIONS, { ...definition(), spec: { ...spec, versions } });
  for await (const { object } of events) if (isEstablished(object)) break;
  await server.client.request('POST', WIDGETS, widget('scaled', { size: 1 }));
  for (const part of ['', '/status', '/scale'])
    assert.is(
      (await server.client.fetch(`${WIDGETS}/scaled${part}`)).headers.get('warning'),
      '299 - "shop.example/v1 Widget is deprecated"',
      part,
    );
  const metrics = await (await server.client.fetch('/metrics')).text();
  assert.match(
    metrics,
    'apiserver_requested_deprecated_apis{group="shop.example",removed_release="",resource="widgets",subresource="scale",version="v1"} 1',
  );
  await server.client.request('DELETE', `${WIDGETS}/scaled`);
  await undefine();
});

test('may hold other objects, which say what they are', async () => {
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  await define({ ...SPEC, properties: { ...SPEC.properties, pod: embedded } });
  assert.is(
    await refusal('POST', WIDGETS, widget('x', { size: 1, pod: { metadata: { name: 'a/b' } } })),
    'Widget.shop.example "x" is invalid: [spec.pod.apiVersion: Required value: must not be empty, spec.pod.kind: Required value: must not be empty, spec.pod.metadata.name: Invalid value: "a/b": may not contain \'/\']',
  );
  await undefine();
});

test('are neither created nor said to be writable while their definition waits for the last of them', async () => {
  await define();
  const held = widget('held', { size: 1 });
  await server.client.request('POST', WIDGETS, { ...held, metadata: { name: 'held', finalizers: ['shop.example/hold'] } });
  await server.client.request('DELETE', `${DEFINITIONS}/widgets.shop.example`);
  const answer = await create(widget('late', { size: 1 }));
  const { message, reason, details } = (await answer.json()) as Event;
  assert.equal(
    [answer.status, reason, message, details],
    [
      405,
      'MethodNotAllowed',
      'create not allowed while custom resource definition is terminating',
      { group: 'shop.example', kind: 'widgets' },
    ],
  );
  const listed = (await (await server.client.fetch('/apis/shop.example/v1')).json()) as Event;
  const verbs = Object.fromEntries(listed.resources.map((resource: Event) => [resource.name, resource.verbs]));
  assert.equal(verbs, { widgets: ['delete', 'deletecollection', 'get', 'list', 'watch'], 'widgets/status': ['get', 'patch', 'update'] });
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const aggregated = (await (await server.client.fetch('/apis', { headers: { accept } })).json()) as Event;
  const [shop] = aggregated.items.filter(({ metadata }: Event) => metadata.name === 'shop.example');
  assert.equal(shop.versions[0].resources[0].verbs, verbs.widgets);
  const gone = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dwidgets.shop.example`);
  await server.client.request('PATCH', `${WIDGETS}/held`, { metadata: { finalizers: null } });
  for await (const { type } of gone) if (type === 'DELETED') break;
  assert.is(await statusOf(WIDGETS), 404);
});

test('of which no version is served go with their definition', async () => {
  await define();
  await server.client.request('POST', WIDGETS, widget('hidden', { size: 1 }));
  const { spec } = definition();
  const unserved = { spec: { versions: spec.versions.map((version) => ({ ...version, served: false })) } };
  await server.client.request('PATCH', `${DEFINITIONS}/widgets.shop.example`, unserved);
  await eventually('they are not served any more', async () => (await statusOf(WIDGETS)) === 404);
  await undefine();
  await define();
  assert.is(await statusOf(`${WIDGETS}/hidden`), 404);
  await undefine();
});

test('of a group that the schemas have stand among its versions by their priority', async () => {
  const name = 'bars.apiextensions.k8s.io';
  const { spec } = definition();
  const versions = ['v1', 'v2', 'vfake'].map((version, index) => ({ ...spec.versions[0], name: version, storage: index === 0 }));
  const names = { plural: 'bars', kind: 'Bar' };
  const metadata = { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } };
  const body = { metadata, spec: { ...spec, group: 'apiextensions.k8s.io', names, versions } };
  await server.client.request('POST', DEFINITIONS, body);
  await eventually('it is served', async () => (await statusOf('/apis/apiextensions.k8s.io/v2')) === 200);
  const group = (await (await server.client.fetch('/apis/apiextensions.k8s.io')).json()) as Event;
  const listed = (await (await server.client.fetch('/apis')).json()) as Event;
  await server.client.request('DELETE', `${DEFINITIONS}/${name}`);
  const order = ({ versions: of }: Event) => of.map(({ version }: Event) => version);
  assert.equal(order(group), ['v2', 'vfake', 'v1']);
  assert.is(group.preferredVersion.version, 'v2');
  const place = (wanted: string) => listed.groups.findIndex((each: Event) => each.name === wanted);
  assert.equal(order(listed.groups[place('apiextensions.k8s.io')]), ['v2', 'vfake', 'v1']);
  assert.ok(place('apiextensions.k8s.io') < place('scheduling.k8s.io'), 'the group has the priority of the schemas');
});

test.run();
