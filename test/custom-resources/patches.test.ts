/** Patches of custom resources: which there are, and what they may not make of an object. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { embeddedWatch } from '../harness/embedded-watch.ts';

const test = suite('patches of custom resources');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KNOBS = '/apis/shop.example/v1/namespaces/default/knobs';

const definition = {
  metadata: { name: 'knobs.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'knobs', singular: 'knob', kind: 'Knob', listKind: 'KnobList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  const events = await embeddedWatch(server.client, `${DEFINITIONS}?watch=1`);
  await server.client.request('POST', DEFINITIONS, definition);
  for await (const { object } of events) if (/"type":"Established"/.test(JSON.stringify(object.status ?? {}))) break;
  const knob = { apiVersion: 'shop.example/v1', kind: 'Knob', metadata: { name: 'k' }, spec: { replicas: 1 } };
  await server.client.request('POST', KNOBS, knob);
});
test.after(() => server.stop());

async function patch(path: string, type: string, body: unknown) {
  const headers = { 'content-type': `application/${type}+json` };
  const answer = await server.client.fetch(path, { method: 'PATCH', headers, body: JSON.stringify(body) });
  const { message, details } = (await answer.json()) as { message?: string; details?: { causes?: { field: string }[] } };
  return { status: answer.status, message, fields: details?.causes?.map(({ field }) => field) };
}

test('are never strategic, whatever has a scale', async () => {
  const types = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  for (const part of ['', '/status', '/scale']) {
    const { status, message } = await patch(`${KNOBS}/k${part}`, 'strategic-merge-patch', { spec: { replicas: 2 } });
    assert.equal(
      [status, message],
      [415, `the body of the request was in an unknown format - accepted media types include: ${types}`],
      part,
    );
  }
  assert.is((await patch(`${KNOBS}/k/scale`, 'merge-patch', { spec: { replicas: 2 } })).status, 200);
});

test('show what they have made of an object that has no kind any more, and bodies without one as they are', async () => {
  const { status, message = '' } = await patch(`${KNOBS}/k`, 'merge-patch', { kind: null });
  const shown = /Invalid value: ("(?:[^"\\]|\\.)*")/.exec(message)?.[1] ?? '""';
  assert.is(status, 422);
  assert.ok(message.endsWith(`: Object 'Kind' is missing in '${JSON.parse(shown)}'`), message);
  for (const [type, body] of [
    ['application/json', '{ "apiVersion": "shop.example/v1",\n "metadata":{"name":"m"}, "spec":{"size":1.0} }'],
    ['application/yaml', 'spec: {size: 1.0}\napiVersion: shop.example/v1\n'],
  ] as const) {
    const answer = await server.client.fetch(KNOBS, { method: 'POST', headers: { 'content-type': type }, body });
    const { message } = (await answer.json()) as { message: string };
    assert.is(answer.status, 400);
    assert.ok(message.startsWith(`the object provided is unrecognized (must be of type Knob): Object 'Kind' is missing in '${body}' (`));
  }
});

const MADE: readonly (readonly [body: object, message: string, fields: readonly string[]])[] = [
  [{ kind: 'Dial' }, 'Dial.shop.example "k" is invalid: kind: Invalid value: "Dial": must be Knob', ['kind']],
  [
    { apiVersion: 'shop.example/v2' },
    'Knob.shop.example "k" is invalid: apiVersion: Invalid value: "shop.example/v2": must be shop.example/v1',
    ['apiVersion'],
  ],
  [
    { apiVersion: 'v1', kind: 'Dial' },
    'Dial "k" is invalid: [kind: Invalid value: "Dial": must be Knob, apiVersion: Invalid value: "v1": must be shop.example/v1]',
    ['kind', 'apiVersion'],
  ],
];

for (const [body, message, fields] of MADE)
  test(`cannot make ${JSON.stringify(body)} of an object`, async () => {
    const operations = Object.entries(body).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
    for (const part of ['', '/status']) {
      assert.equal(await patch(`${KNOBS}/k${part}`, 'merge-patch', body), { status: 422, message, fields });
      assert.equal(await patch(`${KNOBS}/k${part}`, 'json-patch', operations), { status: 422, message, fields });
    }
  });

test('a scale may set the number that its object does not have yet, but has to', async () => {
  const fresh = async (name: string) => {
    await server.client.request('POST', KNOBS, { apiVersion: 'shop.example/v1', kind: 'Knob', metadata: { name }, spec: {} });
    return `${KNOBS}/${name}`;
  };
  const replicas = async (path: string) =>
    ((await (await server.client.fetch(path)).json()) as { spec: { replicas?: number } }).spec.replicas;
  const patched = await fresh('patched');
  const unset = { status: 400, message: 'the spec replicas field ".spec.replicas" cannot be empty', fields: undefined };
  assert.equal(await patch(`${patched}/scale`, 'merge-patch', { spec: {} }), unset);
  assert.is((await patch(`${patched}/scale`, 'merge-patch', { spec: { replicas: 5 } })).status, 200);
  assert.is(await replicas(patched), 5);
  const put = await fresh('put');
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'put', namespace: 'default' } };
  await server.client.request('PUT', `${put}/scale`, scale);
  assert.is(await replicas(put), 0);
});

test('what a write of the status leaves out is owned by nobody from then on, though it stays', async () => {
  const path = `${KNOBS}/owned`;
  const applied = { apiVersion: 'shop.example/v1', kind: 'Knob', metadata: { name: 'owned' }, top: { on: true } };
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const made = await server.client.fetch(`${path}?fieldManager=applier`, { method: 'PATCH', headers, body: JSON.stringify(applied) });
  assert.is(made.status, 201);
  const object = (await made.json()) as { metadata: { managedFields?: { manager: string }[] }; top?: unknown };
  assert.equal(
    object.metadata.managedFields?.map(({ manager }) => manager),
    ['applier'],
  );
  const { top, ...without } = object;
  await server.client.request('PUT', `${path}/status?fieldManager=keeper`, without);
  const after = (await server.client.request('GET', path)) as typeof object;
  assert.equal([after.top, after.metadata.managedFields], [top, undefined]);
});

test.run();
