/** Conversion of custom resources by a webhook, in several processes, over a restart, on the thread for long requests, and while the webhook hangs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConversionWebhook, converting, reversed } from '../custom-resources/conversion/webhook.ts';
import { Client, type Json } from '../harness/client.ts';
import { startServer, type TestServer } from '../harness/server.ts';

const test = suite('conversion webhooks of a whole server');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WORKERS = 2;

let directory: string;
let server: TestServer;
let webhook: ConversionWebhook;
let clients: Client[] = [];

async function start(): Promise<void> {
  server = await startServer({ dialect: 'kubernetes', directory, flags: [`--workers=${WORKERS}`] });
  clients = Array.from({ length: 2 * WORKERS }, () => new Client(server));
}

async function stop(): Promise<void> {
  for (const client of clients) client.close();
  assert.is(await server.stop(), 0, server.log());
}

test.before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'conversion-webhooks-'));
  webhook = await new ConversionWebhook().start();
  await start();
});
test.after(async () => {
  await stop();
  await webhook.stop();
  await rm(directory, { recursive: true });
});

const version = (name: string) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } } },
});
const gadgets = (name: string) => `/apis/shop.example/${name}/namespaces/default/gadgets`;
const first = (): Client => clients[0] as Client;

async function ok(answering: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await answering;
  assert.ok(status < 300, JSON.stringify(body));
  return body;
}

test('every process converts as soon as the definition is established', async () => {
  const clientConfig = { url: webhook.url, caBundle: webhook.caBundle };
  const watch = await first().watch(`${DEFINITIONS}?watch=1`);
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  const spec = { group: 'shop.example', scope: 'Namespaced', names, conversion, versions: ['v1', 'v2'].map(version) };
  await ok(first().post(DEFINITIONS, { metadata: { name: 'gadgets.shop.example' }, spec }));
  for (;;) {
    const { object } = await watch.next();
    if (object.status?.conditions?.some((each: Json) => each.type === 'Established' && each.status === 'True')) break;
  }
  watch.close();
  const made = await Promise.all(
    clients.map((client, index) =>
      ok(
        client.post(gadgets('v2'), {
          apiVersion: 'shop.example/v2',
          kind: 'Gadget',
          metadata: { name: `g${index}` },
          spec: { two: `ab${index}` },
        }),
      ),
    ),
  );
  for (const client of clients)
    for (const [index, { metadata }] of made.entries()) {
      const read = await ok(client.get(`${gadgets('v1')}/g${index}`));
      assert.equal([read.spec, read.metadata], [{ one: `${index}ba` }, metadata]);
    }
});

test('objects are as they were after a restart', async () => {
  const before = await Promise.all(['v1', 'v2'].map((name) => ok(first().get(gadgets(name)))));
  await stop();
  await start();
  for (const [index, name] of ['v1', 'v2'].entries()) assert.equal((await ok(first().get(gadgets(name)))).items, before[index]?.items);
});

test('long objects are converted by the thread that answers requests with long bodies', async () => {
  const two = 'long'.repeat(20_000);
  const body = { apiVersion: 'shop.example/v2', kind: 'Gadget', metadata: { name: 'long' }, spec: { two } };
  assert.is((await ok(first().post(gadgets('v2'), body))).spec.two, two);
  assert.is((await ok(first().get(`${gadgets('v1')}/long`))).spec.one, reversed(two));
});

test('lists and watches have long objects of other versions in their order', async () => {
  const values = (length: number): string[] => Array.from({ length }, (_, index) => `${index}`);
  for (const [name, length] of [
    ['many-a', 1],
    ['many-b', 6_000],
    ['many-c', 1],
    ['many-d', 6_000],
  ] as const)
    await ok(
      first().post(gadgets('v2'), {
        apiVersion: 'shop.example/v2',
        kind: 'Gadget',
        metadata: { name, labels: { many: `${length}` } },
        spec: { two: 'ab', values: values(length) },
      }),
    );
  const found = ({ metadata, spec, apiVersion }: Json) => [metadata.name, apiVersion, spec.one ?? spec.two, spec.values.length];
  const expected = (version: string, text: string) =>
    [1, 6_000, 1, 6_000].map((length, index) => [`many-${'abcd'[index]}`, `shop.example/${version}`, text, length]);
  for (const [version, text] of [
    ['v1', 'ba'],
    ['v2', 'ab'],
  ] as const) {
    const { items } = await ok(first().get(`${gadgets(version)}?labelSelector=many`));
    assert.equal(items.map(found), expected(version, text));
    const watch = await first().watch(`${gadgets(version)}?watch=1&labelSelector=many`);
    const seen: Json[] = [];
    while (seen.length < 4) seen.push(found((await watch.next(60_000)).object));
    for (const name of ['many-b', 'many-a', 'many-d'])
      await ok(first().patch(`${gadgets('v1')}/${name}`, { metadata: { annotations: { version } } }));
    while (seen.length < 7) seen.push(found((await watch.next(60_000)).object));
    const [a, b, , d] = expected(version, text);
    assert.equal(seen, [...expected(version, text), b, a, d]);
    watch.close();
  }
  await ok(first().delete(`${gadgets('v1')}?labelSelector=many`));
});

test('a webhook that hangs keeps nobody else waiting', async () => {
  const asked = Promise.withResolvers<void>();
  let left = 0;
  const allLeft = Promise.withResolvers<void>();
  const count = 2 * clients.length;
  webhook.reply = (_review, response) => {
    response.once('close', () => {
      if (++left === count) allLeft.resolve();
    });
    asked.resolve();
  };
  // time enough for all else, at whose end they are answered by their own limit
  const waiting = Array.from({ length: count }, (_, index) =>
    (clients[index % clients.length] as Client).get(`${gadgets('v2')}?timeout=2s`),
  );
  await asked.promise;
  for (const client of clients) {
    assert.is((await ok(client.get(gadgets('v1')))).items.length, clients.length + 1);
    assert.is((await client.get('/api/v1/namespaces/default')).status, 200);
  }
  assert.equal(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([504]));
  await allLeft.promise;
  webhook.reply = converting;
  assert.is((await ok(first().get(gadgets('v2')))).items.length, clients.length + 1);
});

test.run();
