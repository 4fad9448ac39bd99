/** Deep custom resources, whose schema changes once they are stored: whoever reads them brings them to the present schema. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WELLS = '/apis/deep.example/v1/namespaces/default/wells';
/** More than the stack has room for where each level takes a call or two. */
const LEVELS = 5_000;
const lists = `${'['.repeat(LEVELS)}1${']'.repeat(LEVELS)}`;
const objects = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

const test = suite('deep custom resources of another schema');
let server: EmbeddedServer;

const spec = (properties: object): object => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties });
const versions = (properties: object): readonly object[] => [
  { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: spec(properties) } } } },
];

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  const names = { plural: 'wells', kind: 'Well' };
  const definition = { group: 'deep.example', scope: 'Namespaced', names, versions: versions({}) };
  await server.client.request('POST', DEFINITIONS, { metadata: { name: 'wells.deep.example' }, spec: definition });
  await eventually('the resource is served', async () => (await server.client.fetch(WELLS)).status === 200);
});
test.after(() => server.stop());

async function asked(path: string, method = 'GET', body?: string, type = 'application/json'): Promise<string> {
  const answer = await server.client.fetch(path, { method, ...(body !== undefined && { body, headers: { 'content-type': type } }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

test('are read, listed, watched, changed and deleted', async () => {
  for (const [name, x] of Object.entries({ lists, objects }))
    await asked(WELLS, 'POST', `{"apiVersion":"deep.example/v1","kind":"Well","metadata":{"name":"${name}"},"spec":{"x":${x}}}`);
  const patch = JSON.stringify({ spec: { versions: versions({ depth: { type: 'string', default: 'far' } }) } });
  await asked(`${DEFINITIONS}/wells.deep.example`, 'PATCH', patch, 'application/merge-patch+json');
  await eventually('the new schema holds', async () => (await asked(`${WELLS}/lists`)).includes('"depth":"far"'));
  for (const [name, x] of Object.entries({ lists, objects })) {
    const text = await asked(`${WELLS}/${name}`);
    assert.ok(text.includes(x), 'it is as it was made');
    assert.ok((await asked(`${WELLS}/${name}`, 'PATCH', '{"metadata":{"labels":{"a":"b"}}}', 'application/merge-patch+json')).includes(x));
  }
  assert.ok((await asked(WELLS)).includes(lists));
  assert.ok((await asked(`${WELLS}?watch=1&timeoutSeconds=1`)).includes(objects));
  for (const name of ['lists', 'objects']) await asked(`${WELLS}/${name}`, 'DELETE');
});

test.run();
