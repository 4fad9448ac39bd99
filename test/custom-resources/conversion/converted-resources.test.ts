/** Custom resources of several versions through a whole server: by webhook, and where the versions differ in nothing but their names. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../../runtime/embedded/start-server.ts';
import { embeddedWatch } from '../../harness/embedded-watch.ts';
import { ConversionWebhook, converting, SERVICE, send, success } from './webhook.ts';

const test = suite('custom resources of several versions');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/gadgets.shop.example`;
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const MERGE = 'application/merge-patch+json';

// biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
type Answer = any;

let server: EmbeddedServer;
let webhook: ConversionWebhook;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  webhook = await new ConversionWebhook().start();
});
test.before.each(() => {
  webhook.reply = converting;
  webhook.asked.length = 0;
  webhook.requests.length = 0;
});
test.after.each(() => undefine());
test.after(async () => {
  await server.stop();
  await webhook.stop();
});

interface Sent {
  readonly type?: string;
  readonly accept?: string;
}

async function request(method: string, path: string, body?: object, { type = 'application/json', accept = 'application/json' }: Sent = {}) {
  const answer = await server.client.fetch(path, {
    method,
    headers: { accept, ...(body && { 'content-type': type }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

async function ok(method: string, path: string, body?: object, sent?: Sent): Promise<Answer> {
  const answer = await request(method, path, body, sent);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}

const watched = (path: string) => embeddedWatch(server.client, path);

/** What versions have: one has members, columns, constraints and defaults that the other has not. */
const members = (name: string, others: object = {}) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { [name]: { type: 'string', maxLength: name.length }, ...others } } },
});
const VERSIONS = {
  v1: {
    schema: { openAPIV3Schema: { ...members('one', { size: { type: 'integer', default: 1 } }) } },
    additionalPrinterColumns: [{ name: 'One', type: 'string', jsonPath: '.spec.one' }],
    selectableFields: [{ jsonPath: '.spec.one' }],
  },
  v2: {
    schema: { openAPIV3Schema: members('two', { size: { type: 'integer' }, colour: { type: 'string', default: 'amber' } }) },
    additionalPrinterColumns: [{ name: 'Two', type: 'string', jsonPath: '.spec.two' }],
    selectableFields: [{ jsonPath: '.spec.two' }],
    subresources: { status: {} },
  },
};
type Version = keyof typeof VERSIONS;

const byUrl = () => ({ url: webhook.url, caBundle: webhook.caBundle });
const conversionBy = (clientConfig: object = byUrl()) => ({
  strategy: 'Webhook',
  webhook: { clientConfig, conversionReviewVersions: ['v1'] },
});

const definition = (stored: Version, conversion: object) => ({
  metadata: { name: 'gadgets.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    conversion,
    versions: (['v1', 'v2'] as const).map((name) => ({ name, served: true, storage: name === stored, ...VERSIONS[name] })),
  },
});

async function define(stored: Version = 'v1', conversion: object = conversionBy()): Promise<void> {
  const events = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dgadgets.shop.example`);
  await ok('POST', DEFINITIONS, definition(stored, conversion));
  for await (const { object } of events)
    if (object.status?.conditions?.some((each: Answer) => each.type === 'Established' && each.status === 'True')) return;
}

async function redefine(stored: Version, conversion: object = conversionBy()): Promise<void> {
  const { metadata } = await ok('GET', DEFINITION);
  const { spec } = definition(stored, conversion);
  await ok('PUT', DEFINITION, { metadata, spec });
}

async function undefine(): Promise<void> {
  const events = await watched(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dgadgets.shop.example`);
  await ok('DELETE', DEFINITION);
  for await (const { type } of events) if (type === 'DELETED') return;
}

const gadgets = (version: Version) => `/apis/shop.example/${version}/namespaces/default/gadgets`;
const gadget = (version: Version, name: string, spec: object, metadata: object = {}) => ({
  apiVersion: `shop.example/${version}`,
  kind: 'Gadget',
  metadata: { name, ...metadata },
  spec,
});
const create = (version: Version, name: string, spec: object) => ok('POST', gadgets(version), gadget(version, name, spec));

test('each version has its own members, defaults, constraints, columns and fields', async () => {
  await define();
  const made = await create('v2', 'x', { two: 'abc', one: 'gone' });
  assert.equal([made.apiVersion, made.spec], ['shop.example/v2', { two: 'abc', size: 1 }]);
  assert.equal((await ok('GET', `${gadgets('v1')}/x`)).spec, { one: 'cba', size: 1 });
  const refusals = await Promise.all(
    (['v1', 'v2'] as const).map((version) => request('POST', gadgets(version), gadget(version, 'y', { one: 'long', two: 'long' }))),
  );
  assert.equal(
    refusals.map(({ status, body }) => [status, body.details.causes[0].field]),
    [
      [422, 'spec.one'],
      [422, 'spec.two'],
    ],
  );
  for (const [version, name, value, other] of [
    ['v1', 'one', 'cba', 'two'],
    ['v2', 'two', 'abc', 'one'],
  ] as const) {
    const table = await ok('GET', gadgets(version), undefined, { accept: TABLE });
    assert.equal([table.columnDefinitions[1].name.toLowerCase(), table.rows[0].cells], [name, ['x', value]]);
    assert.is((await ok('GET', `${gadgets(version)}?fieldSelector=spec.${name}%3D${value}`)).items.length, 1);
    assert.is((await ok('GET', `${gadgets(version)}?fieldSelector=spec.${name}%3Dx`)).items.length, 0);
    assert.is((await request('GET', `${gadgets(version)}?fieldSelector=spec.${other}%3Dx`)).status, 400);
  }
  assert.is((await request('GET', `${gadgets('v1')}/x/status`)).status, 404);
  assert.is((await request('GET', `${gadgets('v2')}/x/status`)).status, 200);
});

test('writers are told what is there, which a conversion may have changed', async () => {
  webhook.reply = (review, response) => {
    const answer = success(review);
    for (const { metadata } of answer.response.convertedObjects) metadata.labels = { by: review.request.desiredAPIVersion.slice(-2) };
    send(response, answer);
  };
  await define();
  const made = await create('v2', 'x', { two: 'abc' });
  assert.equal(made.metadata.labels, { by: 'v2' });
  assert.equal(made, await ok('GET', `${gadgets('v2')}/x`));
  const patched = await ok('PATCH', `${gadgets('v2')}/x`, { spec: { two: 'xyz' } }, { type: MERGE });
  assert.equal(patched, await ok('GET', `${gadgets('v2')}/x`));
  assert.equal((await ok('GET', `${gadgets('v1')}/x`)).metadata.labels, { by: 'v1' });
});

test('objects that are stored in several versions stand in one list, as single reads have them', async () => {
  await define('v1');
  for (const name of ['a', 'b']) await create('v1', name, { one: name });
  await redefine('v2');
  for (const name of ['c', 'd']) await create('v1', name, { one: name });
  await ok('PATCH', `${gadgets('v2')}/a`, { metadata: { labels: { written: 'again' } } }, { type: MERGE });
  assert.equal((await ok('GET', DEFINITION)).status.storedVersions, ['v1', 'v2']);
  for (const version of ['v1', 'v2'] as const) {
    const single = await Promise.all(['a', 'b', 'c', 'd'].map((name) => ok('GET', `${gadgets(version)}/${name}`)));
    assert.equal((await ok('GET', gadgets(version))).items, single);
    const { rows } = await ok('GET', `${gadgets(version)}?includeObject=Object`, undefined, { accept: TABLE });
    assert.equal(
      rows.map(({ object }: Answer) => object),
      single,
    );
    const { items } = await ok('GET', gadgets(version), undefined, { accept: METADATA });
    assert.equal(
      items.map(({ metadata }: Answer) => metadata),
      single.map(({ metadata }) => metadata),
    );
  }
});

test('any list has what single reads have, whoever wrote what when', async () => {
  const versions = fc.constantFrom<Version>('v1', 'v2');
  const names = ['a', 'b', 'c', 'd', 'e'];
  const write = fc.record({
    version: versions,
    name: fc.constantFrom(...names),
    text: fc.string({ maxLength: 3 }),
    size: fc.option(fc.integer(), { nil: undefined }),
    restored: fc.boolean(),
  });
  const strategies = fc.boolean().map((asks) => (asks ? conversionBy() : { strategy: 'None' }));
  let stored: Version = 'v1';
  await define(stored);
  const check = async (
    writes: readonly { version: Version; name: string; text: string; size?: number | undefined; restored: boolean }[],
  ) => {
    for (const { version, name, text, size, restored } of writes) {
      if (restored) {
        stored = stored === 'v1' ? 'v2' : 'v1';
        await redefine(stored);
      }
      const body = { ...gadget(version, name, { [version === 'v1' ? 'one' : 'two']: text, ...(size !== undefined && { size }) }) };
      const { status } = await request('POST', gadgets(version), body);
      if (status === 409) await ok('PATCH', `${gadgets(version)}/${name}`, { spec: body.spec }, { type: MERGE });
      else assert.is(status, 201);
    }
    for (const version of ['v1', 'v2'] as const) {
      const { items } = await ok('GET', gadgets(version));
      const single = await Promise.all(items.map(({ metadata }: Answer) => ok('GET', `${gadgets(version)}/${metadata.name}`)));
      assert.equal(items, single);
    }
  };
  await fc.assert(
    fc.asyncProperty(strategies, fc.array(write, { minLength: 1, maxLength: 8 }), async (conversion, writes) => {
      await redefine(stored, conversion);
      await check(writes);
    }),
    { numRuns: 10 },
  );
});

test('what is stored gets the defaults that its version has now', async () => {
  await define('v1');
  await create('v1', 'x', { one: 'abc' });
  const { metadata, spec } = await ok('GET', DEFINITION);
  spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.kept = { type: 'string', default: 'yes' };
  spec.versions[1].schema.openAPIV3Schema.properties.spec.properties.kept = { type: 'string' };
  await ok('PUT', DEFINITION, { metadata, spec });
  for (const version of ['v1', 'v2'] as const) {
    assert.is((await ok('GET', `${gadgets(version)}/x`)).spec.kept, 'yes');
    assert.is((await ok('GET', gadgets(version))).items[0].spec.kept, 'yes');
  }
});

test('long lists are converted in batches', async () => {
  await define();
  const names = Array.from({ length: 1_200 }, (_, index) => `g${String(index).padStart(4, '0')}`);
  // a request that waits long for a connection is given up
  for (let at = 0; at < names.length; at += 100)
    await Promise.all(names.slice(at, at + 100).map((name) => create('v1', name, { one: 'x' })));
  assert.is(webhook.asked.length, 0);
  const { items } = await ok('GET', gadgets('v2'));
  assert.equal(
    items.map(({ metadata }: Answer) => metadata.name),
    names,
  );
  assert.ok(items.every(({ spec }: Answer) => spec.two === 'x'));
  assert.ok(webhook.asked.length >= 3 && webhook.asked.length <= 20, `${webhook.asked.length} batches`);
});

test('a webhook that fails is an error of its versions alone, in the words of 1.32, and changes nothing', async () => {
  await define();
  await create('v1', 'x', { one: 'abc' });
  webhook.reply = (review, response) => {
    const answer = success(review);
    answer.response.result = { status: 'Failure', message: 'it is broken' };
    send(response, answer);
  };
  const failure = (from: Version) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `conversion webhook for shop.example/${from}, Kind=Gadget failed: it is broken`,
    code: 500,
  });
  const x = `${gadgets('v2')}/x`;
  const again = gadget('v2', 'x', { two: 'a' });
  const rows: [from: Version, method: string, path: string, body?: object, type?: string][] = [
    ['v1', 'GET', x],
    ['v1', 'GET', gadgets('v2')],
    ['v1', 'PATCH', x, { spec: { two: 'a' } }, MERGE],
    ['v1', 'PATCH', `${x}?fieldManager=me`, again, 'application/apply-patch+yaml'],
    ['v1', 'DELETE', x],
    ['v1', 'PUT', x, again],
    ['v2', 'POST', gadgets('v2'), gadget('v2', 'y', { two: 'a' })],
    ['v2', 'POST', `${gadgets('v2')}?dryRun=All`, gadget('v2', 'y', { two: 'a' })],
  ];
  for (const [from, method, path, body, type] of rows)
    assert.equal(
      await request(method, path, body, type === undefined ? {} : { type }),
      { status: 500, body: failure(from) },
      `${method} ${path}`,
    );
  const { items } = await ok('GET', gadgets('v1'));
  assert.equal(
    items.map(({ metadata, spec }: Answer) => [metadata.name, spec.one]),
    [['x', 'abc']],
  );
  await ok('PUT', `${gadgets('v1')}/x`, { ...items[0], apiVersion: 'shop.example/v1', kind: 'Gadget', spec: { one: 'a' } });
});

test('a webhook that is not there keeps no definition from being deleted', async () => {
  await define();
  await create('v1', 'x', { one: 'abc' });
  webhook.reply = (_review, response) => void response.socket?.destroy();
  await undefine();
  await define();
  assert.equal((await ok('GET', gadgets('v1'))).items, []);
});

test('another webhook is asked as soon as the definition says so, and watches go on in it', async () => {
  await define('v1', conversionBy({ url: `${webhook.url}-not`, caBundle: webhook.otherBundle() }));
  await create('v1', 'x', { one: 'abc' });
  assert.match((await request('GET', `${gadgets('v2')}/x`)).body.message, /x509: certificate signed by unknown authority$/);
  await redefine('v1');
  const events = await watched(`${gadgets('v2')}?watch=1`);
  assert.equal((await events.next()).value.object.spec, { two: 'cba', size: 1 });
  const next = events.next();
  await create('v1', 'y', { one: 'abc' });
  assert.equal((await next).value.object.metadata.name, 'y');
  await events.return(undefined);
});

test('a service of the cluster is asked, by its certificate for its name', async () => {
  const { port, caBundle } = webhook;
  const [name, namespace] = SERVICE.split('.') as [string, string];
  await define('v1', conversionBy({ service: { name, namespace, port, path: '/convert' }, caBundle }));
  await create('v1', 'x', { one: 'abc' });
  const missing = await request('GET', `${gadgets('v2')}/x`);
  assert.match(missing.body.message, `Post "https://${SERVICE}:${port}/convert?timeout=30s": service "${name}" not found`);
  const services = `/api/v1/namespaces/${namespace}/services`;
  await ok('POST', services, { metadata: { name }, spec: { type: 'ExternalName', externalName: 'localhost' } });
  assert.equal((await ok('GET', `${gadgets('v2')}/x`)).spec.two, 'cba');
  assert.equal(webhook.requests, ['POST /convert?timeout=30s']);
  await ok('DELETE', `${services}/${name}`);
});

test('owners of fields are compared across versions', async () => {
  await define();
  const apply = (version: Version, manager: string, spec: object) =>
    request('PATCH', `${gadgets(version)}/x?fieldManager=${manager}`, gadget(version, 'x', spec), { type: 'application/apply-patch+yaml' });
  assert.is((await apply('v1', 'me', { one: 'abc' })).status, 201);
  assert.is((await apply('v2', 'you', { two: 'xyz' })).status, 409);
  assert.is((await apply('v2', 'you', { two: 'cba' })).status, 200);
  assert.equal((await apply('v2', 'me', {})).body.spec.two, 'cba');
});

test('without a webhook versions differ in their names; each drops what it does not know, and only what is stored gets defaults', async () => {
  await define('v1', { strategy: 'None' });
  await create('v1', 'x', { one: 'abc', size: 2 });
  await create('v2', 'y', { two: 'abc' });
  const specs = async (version: Version) => (await ok('GET', gadgets(version))).items.map(({ spec }: Answer) => spec);
  assert.equal(await specs('v1'), [{ one: 'abc', size: 2 }, { size: 1 }]);
  assert.equal(await specs('v2'), [{ size: 2 }, { size: 1 }]);
  assert.equal((await ok('GET', `${gadgets('v2')}/x`)).spec, { size: 2 });
  assert.is(webhook.asked.length, 0);
});

test.run();
