/** What the documents of the API say of custom resources, through a whole server. */
import type { OpenAPI } from 'openapi-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { embeddedWatch } from '../harness/embedded-watch.ts';
import { eventually } from '../harness/eventually.ts';
import { assertValid } from '../openapi/valid-document.ts';

const test = suite('OpenAPI of custom resources');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DOCUMENT = '/openapi/v3/apis/shop.example/v1';
const KIND = 'example.shop.v1.Basket';

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
});
test.after(() => server.stop());

interface Wanted {
  readonly plural: string;
  readonly kind: string;
  readonly schema: object;
  readonly scope?: string;
  readonly subresources?: object;
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

async function define({ plural, kind, schema, scope = 'Namespaced', subresources = {}, selectableFields = [] }: Wanted): Promise<void> {
  const name = `${plural}.shop.example`;
  const events = await embeddedWatch(server.client, `${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3D${name}`);
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name },
    spec: {
      group: 'shop.example',
      scope,
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, subresources, selectableFields, schema: { openAPIV3Schema: schema } }],
    },
  });
  for await (const { object } of events)
    if (
      object.status?.conditions?.some(({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True')
    )
      return;
}

// biome-ignore lint/suspicious/noExplicitAny: documents are of many shapes
const read = async (path: string): Promise<any> => (await server.client.fetch(path)).json();

const SCHEMA = {
  type: 'object',
  description: 'What somebody wants to buy.',
  properties: {
    spec: {
      type: 'object',
      required: ['port', 'note'],
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        size: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], maximum: 4 },
        either: { 'x-kubernetes-int-or-string': true, anyOf: [{ minimum: 1 }, { pattern: 'a' }] },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        note: { type: 'string', nullable: true, example: 'left out' },
        example: { type: 'string', enum: ['a'], default: 'a' },
        parts: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        replicas: { type: 'integer' },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};
const SCALE = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

test.before.each(async () => {
  if ((await server.client.fetch(`${DEFINITIONS}/baskets.shop.example`)).status === 404)
    await define({ plural: 'baskets', kind: 'Basket', schema: SCHEMA, subresources: { status: {}, scale: SCALE } });
});

test('both documents are valid, and lead to all that they refer to', async () => {
  for (const path of [DOCUMENT, '/openapi/v2']) await assertValid((await read(path)) as OpenAPI.Document);
});

test('every path is there with the parameters of its verbs', async () => {
  const { paths, info } = await read(DOCUMENT);
  assert.equal(info, { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' });
  const base = '/apis/shop.example/v1';
  const named = `${base}/namespaces/{namespace}/baskets`;
  assert.equal(
    Object.entries(paths as Record<string, object>).map(([path, item]) => [path, Object.keys(item)]),
    [
      [`${base}/baskets`, ['get', 'parameters']],
      [named, ['delete', 'get', 'post', 'parameters']],
      [`${named}/{name}`, ['delete', 'get', 'patch', 'put', 'parameters']],
      [`${named}/{name}/scale`, ['get', 'patch', 'put', 'parameters']],
      [`${named}/{name}/status`, ['get', 'patch', 'put', 'parameters']],
    ],
  );
  const { patch, delete: removal } = paths[`${named}/{name}`];
  assert.is(patch.operationId, 'patchShopExampleV1NamespacedBasket');
  assert.equal(patch['x-kubernetes-group-version-kind'], { group: 'shop.example', version: 'v1', kind: 'Basket' });
  // kubectl looks here for what it may ask of the server
  assert.equal(Object.keys(patch.requestBody.content), [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ]);
  for (const name of ['dryRun', 'fieldValidation', 'fieldManager'])
    assert.ok(
      patch.parameters.some((each: { name: string }) => each.name === name),
      name,
    );
  assert.is(
    removal.responses[200].content['application/json'].schema.$ref,
    '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status',
  );
  assert.is(
    paths[`${named}/{name}/scale`].get.responses[200].content['application/json'].schema.$ref,
    '#/components/schemas/io.k8s.api.autoscaling.v1.Scale',
  );
});

test('operations are described as in 1.32, which says less of some than of built-in kinds', async () => {
  const { paths } = await read(DOCUMENT);
  const named = paths['/apis/shop.example/v1/namespaces/{namespace}/baskets'];
  const item = paths['/apis/shop.example/v1/namespaces/{namespace}/baskets/{name}'];
  const scale = paths['/apis/shop.example/v1/namespaces/{namespace}/baskets/{name}/scale'];
  const bodies = [named.post, item.put, item.delete, scale.put].map(({ requestBody }) => Object.keys(requestBody.content));
  assert.equal(bodies, Array(4).fill(['application/json', 'application/yaml']));
  assert.equal(Object.keys(item.patch.responses), ['200', '401']);
  assert.equal(Object.keys(item.put.responses), ['200', '201', '401']);
  const names = (parameters: readonly { name: string }[] = []) => parameters.map(({ name }) => name);
  assert.equal(names(item.get.parameters), ['resourceVersion']);
  assert.is(named.delete.requestBody, undefined);
  assert.equal(names(named.delete.parameters), names(named.get.parameters));
  for (const { 'x-kubernetes-group-version-kind': kind } of [scale.get, scale.put, scale.patch])
    assert.equal(kind, { group: 'shop.example', version: 'v1', kind: 'Basket' });
});

test('what a definition says of the version and the kind of its objects stays', async () => {
  const described = { type: 'string', description: 'Where it stands.' };
  const schema = { type: 'object', properties: { apiVersion: described, kind: { type: 'string' } } };
  await define({ plural: 'shelves', kind: 'Shelf', schema });
  const { apiVersion, kind } = (await read(DOCUMENT)).components.schemas['example.shop.v1.Shelf'].properties;
  assert.equal(apiVersion, described);
  assert.match(kind.description, /^Kind of the object/);
});

test('remarks for readers of a definition are left out, in parts of junctors too', async () => {
  const remarks = { example: 'a', externalDocs: { url: 'https://shop.example' } };
  const part = (said: object) => ({ ...remarks, not: { ...remarks, items: remarks, properties: { example: remarks } }, ...said });
  const tag = { type: 'string', ...part({ anyOf: [remarks], allOf: [part({})], oneOf: [remarks] }) };
  await define({ plural: 'tags', kind: 'Tag', schema: { type: 'object', properties: { tag } } });
  const { properties } = (await read(DOCUMENT)).components.schemas['example.shop.v1.Tag'];
  const not = { items: {}, properties: { example: {} } };
  assert.equal(properties.tag, { type: 'string', not, anyOf: [{}], allOf: [{ not }], oneOf: [{}] });
});

test('operations consume in version 2 what objects are created of, with a body or without', async () => {
  const { paths } = await read('/openapi/v2');
  const consumed = (path: string, method: string) => paths[path][method].consumes;
  const named = '/apis/shop.example/v1/namespaces/{namespace}/baskets';
  for (const [path, method] of [
    ['/apis/shop.example/v1/baskets', 'get'] as const,
    [named, 'delete'] as const,
    [`${named}/{name}`, 'get'] as const,
  ])
    assert.equal(consumed(path, method), ['application/json', 'application/yaml']);
  assert.equal(consumed('/api/v1/namespaces/{name}', 'get'), ['*/*']);
});

test('what marks of a schema mean is said in keywords that every reader knows', async () => {
  const { components } = await read(DOCUMENT);
  const kind = components.schemas[KIND];
  assert.is(kind.description, 'What somebody wants to buy.');
  assert.equal(kind['x-kubernetes-group-version-kind'], [{ group: 'shop.example', version: 'v1', kind: 'Basket' }]);
  assert.equal(Object.keys(kind.properties), ['spec', 'status', 'apiVersion', 'kind', 'metadata']);
  const types = [{ type: 'integer' }, { type: 'string' }];
  const { port, size, either, template, note, example, parts } = kind.properties.spec.properties;
  assert.equal(port, { 'x-kubernetes-int-or-string': true, anyOf: types });
  assert.equal(size.anyOf, types);
  assert.equal([either.anyOf, either.allOf], [[{ minimum: 1 }, { pattern: 'a' }], [{ anyOf: types }]]);
  assert.equal(
    [Object.keys(template.properties), template.required],
    [
      ['spec', 'apiVersion', 'kind', 'metadata'],
      ['kind', 'apiVersion'],
    ],
  );
  const ofEveryKind = components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.Status'].properties;
  const { [`${KIND}List`]: listOfKind } = components.schemas;
  for (const { properties } of [kind, template, listOfKind])
    assert.equal([properties.apiVersion, properties.kind], [ofEveryKind.apiVersion, ofEveryKind.kind]);
  assert.ok(ofEveryKind.apiVersion.description.includes('version'));
  assert.equal(note, { type: 'string', nullable: true });
  assert.equal(example, { type: 'string', enum: ['a'], default: 'a' });
  assert.is(parts['x-kubernetes-list-type'], 'set');
  const list = components.schemas[`${KIND}List`];
  assert.equal(list['x-kubernetes-group-version-kind'], [{ group: 'shop.example', version: 'v1', kind: 'BasketList' }]);
  assert.equal(list.properties.items.items, { $ref: `#/components/schemas/${KIND}` });
});

test('version 2 says what its readers understand', async () => {
  const { definitions, paths } = await read('/openapi/v2');
  const { port, note } = definitions[KIND].properties.spec.properties;
  assert.equal([port, note], [{ 'x-kubernetes-int-or-string': true }, {}]);
  assert.equal(definitions[KIND].properties.spec.required, ['port']);
  assert.equal(definitions[KIND].properties.metadata.$ref, '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  assert.ok(paths['/apis/shop.example/v1/namespaces/{namespace}/baskets/{name}/scale'].get);
});

test('a kind that may have any members has a schema in version 3 alone, and one of the cluster no namespaces', async () => {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { spec: { type: 'object' } } };
  await define({ plural: 'openoptions', kind: 'OpenOptions', schema, scope: 'Cluster', subresources: { status: {} } });
  const { components, paths } = await read(DOCUMENT);
  assert.equal(Object.keys(components.schemas['example.shop.v1.OpenOptions'].properties), ['spec', 'apiVersion', 'kind', 'metadata']);
  const own = Object.keys(paths).filter((path) => path.includes('openoptions'));
  const base = '/apis/shop.example/v1/openoptions';
  assert.equal(own, [base, `${base}/{name}`, `${base}/{name}/status`]);
  assert.is(paths[`${base}/{name}/status`].put['x-kubernetes-action'], 'put');
  const { definitions } = await read('/openapi/v2');
  assert.equal(Object.keys(definitions['example.shop.v1.OpenOptions']), ['type', 'x-kubernetes-group-version-kind']);
});

test('what changes has another hash, and nothing else has', async () => {
  const hashes = async () => {
    const { paths } = (await read('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
    return new Map(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]));
  };
  const tag = async () => (await server.client.fetch('/openapi/v2', { method: 'GET' })).headers.get('etag');
  const [before, tagBefore] = [await hashes(), await tag()];
  const changed = structuredClone(SCHEMA);
  changed.description = 'Another.';
  const definition = await read(`${DEFINITIONS}/baskets.shop.example`);
  definition.spec.versions[0].schema.openAPIV3Schema = changed;
  await server.client.request('PUT', `${DEFINITIONS}/baskets.shop.example`, definition);
  const after = await hashes();
  const others = [...after].filter(([path, address]) => before.get(path) !== address).map(([path]) => path);
  assert.equal(others, ['apis/shop.example/v1']);
  assert.is.not(await tag(), tagBefore);
  const redirected = await server.client.fetch(before.get('apis/shop.example/v1') as string, { redirect: 'manual' });
  assert.equal([redirected.status, redirected.headers.get('location')], [301, after.get('apis/shop.example/v1')]);
  assert.is((await read(DOCUMENT)).components.schemas[KIND].description, 'Another.');
});

test('fields by which lists may be cut down stand in both documents', async () => {
  const properties = { spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } } };
  const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }];
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  await define({ plural: 'shirts', kind: 'Shirt', schema: { type: 'object', properties }, selectableFields });
  await define({ plural: 'hats', kind: 'Hat', schema: { type: 'object', properties, ...open }, selectableFields });
  const told = [{ fieldPath: 'spec.color' }, { fieldPath: 'spec.size' }];
  const { components } = await read(DOCUMENT);
  const { definitions } = await read('/openapi/v2');
  for (const kind of ['example.shop.v1.Shirt', 'example.shop.v1.Hat']) {
    assert.equal(components.schemas[kind]['x-kubernetes-selectable-fields'], told);
    assert.equal(definitions[kind]['x-kubernetes-selectable-fields'], told);
  }
  assert.is(components.schemas[KIND]['x-kubernetes-selectable-fields'], undefined);
});

test('a default may look like a reference', async () => {
  const properties = { link: { type: 'object', default: { $ref: '#/nowhere' }, additionalProperties: { type: 'string' } } };
  await define({ plural: 'links', kind: 'Link', schema: { type: 'object', properties } });
  const { components } = await read(DOCUMENT);
  assert.equal(components.schemas['example.shop.v1.Link'].properties.link, properties.link);
});

test('objects within objects require their kind in version 3; in version 2 those with any members require what their schema says', async () => {
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
  const open = { ...embedded, 'x-kubernetes-preserve-unknown-fields': true };
  const properties = {
    closed: { ...embedded, properties: { spec: { type: 'object' } } },
    open,
    named: { ...open, required: ['apiVersion', 'spec'], properties: { spec: { type: 'object' } } },
  };
  await define({ plural: 'crates', kind: 'Crate', schema: { type: 'object', properties: { spec: { type: 'object', properties } } } });
  const required = ({ closed, open, named }: Record<string, { required?: string[] }>) =>
    [closed, open, named].map((each) => each?.required);
  const { components } = await read(DOCUMENT);
  const { definitions } = await read('/openapi/v2');
  const name = KIND.replace('Basket', 'Crate');
  const both = ['kind', 'apiVersion'];
  assert.equal(required(components.schemas[name].properties.spec.properties), [both, both, ['apiVersion', 'spec', 'kind']]);
  assert.equal(required(definitions[name].properties.spec.properties), [both, undefined, ['apiVersion', 'spec']]);
});

test('kinds whose group makes the names of others of them are renamed in the one document of version 2', async () => {
  const names: readonly [group: string, plural: string, kind: string, definition: string][] = [
    ['core.api.k8s.io', 'pods', 'Pod', 'io.k8s.api.core.v1.Pod'],
    [
      'apiextensions.apis.pkg.apiextensions-apiserver.k8s.io',
      'customresourcedefinitions',
      'CustomResourceDefinition',
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    ],
  ];
  const schema = { type: 'object', properties: { probe: { type: 'boolean' } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const annotations = { 'api-approved.kubernetes.io': 'https://example.com/' };
  for (const [group, plural, kind] of names)
    await server.client.request('POST', DEFINITIONS, {
      metadata: { name: `${plural}.${group}`, annotations },
      spec: { group, scope: 'Cluster', names: { plural, kind }, versions },
    });
  for (const [group, plural, , definition] of names) {
    const path = `/apis/${group}/v1/${plural}`;
    await eventually(`${path} is described`, async () => (await read('/openapi/v2')).paths[path] !== undefined);
    const { paths, definitions } = await read('/openapi/v2');
    assert.equal([definitions[definition].properties.probe, 'spec' in definitions[definition].properties], [undefined, true], definition);
    assert.equal(definitions[`${definition}_v2`].properties.probe, { type: 'boolean' });
    assert.is(paths[`${path}/{name}`].get.responses['200'].schema.$ref, `#/definitions/${definition}_v2`);
    assert.is(definitions[`${definition}List_v2`].properties.items.items.$ref, `#/definitions/${definition}_v2`);
    assert.is(definitions[`${definition}Status`] !== undefined, true);
  }
});

test.run();
