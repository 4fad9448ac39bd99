/** Members that stand twice in a body: of custom resources, which have no Go type, the last counts whole, as in 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PARTS = '/apis/shop.example/v1/namespaces/default/parts';
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const test = suite('members that stand twice');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name: 'parts.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(PARTS)).status === 200);
});
test.after(() => server.stop());

async function write(
  method: string,
  path: string,
  body: string,
  type = 'application/json',
): Promise<{ body: Json; warning: string | null }> {
  const answer = await server.client.fetch(path, { method, body, headers: { 'content-type': type } });
  return { body: await answer.json(), warning: answer.headers.get('warning') };
}

test('the last object of a custom resource replaces those before it', async () => {
  const members = '"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"x":1,"l":{"p":1}},"spec":{"y":2},"metadata":{"name":"b"}';
  const { body, warning } = await write('POST', PARTS, `{"apiVersion":"shop.example/v1","kind":"Part",${members}}`);
  assert.is(body.metadata.name, 'b', JSON.stringify(body));
  assert.is(body.metadata.labels, undefined);
  assert.equal(body.spec, { y: 2 });
  assert.match(String(warning), /duplicate field \\"spec\\"/);
});

test('an object of a built-in kind adds to those before it', async () => {
  const { body } = await write(
    'POST',
    CONFIGMAPS,
    '{"metadata":{"name":"a"},"data":{"x":"1"},"metadata":{"labels":{"l":"1"}},"data":{"y":"2"}}',
  );
  assert.is(body.metadata?.name, 'a', JSON.stringify(body));
  assert.equal(body.metadata.labels, { l: '1' });
  assert.equal(body.data, { x: '1', y: '2' });
});

test('the last object of a merge patch replaces those before it', async () => {
  const { body } = await write('PATCH', `${CONFIGMAPS}/a`, '{"data":{"z":"3"},"data":{"y":"4"}}', 'application/merge-patch+json');
  assert.equal(body.data, { x: '1', y: '4' }, JSON.stringify(body));
});
test.run();
