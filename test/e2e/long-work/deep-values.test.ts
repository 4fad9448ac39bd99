/** Values of as many levels as JSON may have here are read and written like any other. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('deep values');

const GROUP = 'deep.example.com';
const PATH = `/apis/${GROUP}/v1/namespaces/default/deeps`;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
/** With the object, its spec and the member of it there are 10,000. */
const LEVELS = 9_998;

/** Integers that JavaScript cannot hold are written in the slow way of the language, which recurses. */
const lists = (leaf: string): string => `${'['.repeat(LEVELS)}${leaf}${']'.repeat(LEVELS)}`;
const [exact, other] = [lists('9007199254740993'), lists('9007199254740995')];

const server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
const client = new Client(server);
test.after(async () => {
  client.close();
  await server.stop();
});

const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const versionOf = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: free } } },
  additionalPrinterColumns: [{ name: 'Deep', type: 'string', jsonPath: '.spec.deep' }],
});

test.before(async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `deeps.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'deeps', kind: 'Deep' },
      versions: [versionOf('v1', true), versionOf('v2', false)],
    },
  };
  const { status, text } = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  assert.is(status, 201, text);
  await eventually('the definition is served', async () => (await client.get(PATH)).status === 200);
  const created = await client.post(PATH, objectOf('kept', exact));
  assert.is(created.status, 201, created.text.slice(0, 500));
});

const objectOf = (name: string, value: string, revision = '', version = 'v1'): string =>
  `{"apiVersion":"${GROUP}/${version}","kind":"Deep","metadata":{"name":"${name}"${revision}},"spec":{"deep":${value}}}`;

async function answered(method: string, path: string, value: string, options: { headers?: Record<string, string>; body?: string } = {}) {
  const { status, text } = await client.request(method, path, options);
  assert.ok(status < 300, `${method} ${path}: ${status} ${text.slice(0, 300)}`);
  // indented texts have white space between their brackets
  assert.ok(text.replaceAll(/\s/g, '').includes(value), `${method} ${path} answers without the value`);
}

const reads: Readonly<Record<string, [path: string, headers?: Record<string, string>]>> = {
  'an object': [`${PATH}/kept`],
  'an object that is indented': [`${PATH}/kept?pretty=true`],
  'an object in another version': [`${PATH.replace('v1', 'v2')}/kept`],
  'an object as YAML': [`${PATH}/kept`, { accept: 'application/yaml' }],
  'a row with the object': [`${PATH}/kept?includeObject=Object`, TABLE],
  'a row with the value in a cell': [`${PATH}/kept`, TABLE],
  'a list': [PATH],
  'a list in another version': [PATH.replace('v1', 'v2')],
  'rows with objects': [`${PATH}?includeObject=Object`, TABLE],
};
for (const [name, [path, headers = {}]] of Object.entries(reads))
  test(`${name} can be read`, async () => {
    if (headers.accept !== 'application/yaml') return answered('GET', path, exact, { headers });
    const { status, text } = await client.get(path, headers);
    assert.is(status, 200, text.slice(0, 300));
    assert.ok(text.includes(`${'- '.repeat(LEVELS)}9007199254740993`));
  });

const watches: Readonly<Record<string, [query: string, headers?: Record<string, string>]>> = {
  events: [''],
  'events in another version': [''],
  'events with rows': ['&includeObject=Object', TABLE],
};
for (const [name, [query, headers = {}]] of Object.entries(watches))
  test(`${name} can be watched`, async () => {
    const path = name.endsWith('version') ? PATH.replace('v1', 'v2') : PATH;
    const { status, text } = await client.get(`${path}?watch=true&timeoutSeconds=1${query}`, headers);
    assert.is(status, 200, text.slice(0, 300));
    assert.ok(text.includes(exact), text.slice(0, 300));
  });

test('an object can be created, updated, patched, applied and deleted', async () => {
  const merge = { 'content-type': 'application/merge-patch+json' };
  const json = { 'content-type': 'application/json-patch+json' };
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const path = `${PATH}/written`;
  await answered('POST', `${PATH}?dryRun=All`, exact, { body: objectOf('written', exact) });
  await answered('POST', PATH, exact, { body: objectOf('written', exact) });
  const { resourceVersion } = (await client.get(path)).body.metadata;
  await answered('PUT', path, other, { body: objectOf('written', other, `,"resourceVersion":"${resourceVersion}"`) });
  await answered('PATCH', path, other, { headers: merge, body: '{"metadata":{"labels":{"a":"b"}}}' });
  await answered('PATCH', path, exact, { headers: merge, body: `{"spec":{"deep":${exact}}}` });
  await answered('PATCH', path, other, { headers: json, body: `[{"op":"replace","path":"/spec/deep","value":${other}}]` });
  await answered('PATCH', path, other, { headers: json, body: '[{"op":"copy","from":"/spec/deep","path":"/spec/copy"}]' });
  for (const manager of ['one', 'two'])
    for (const value of [exact, other])
      await answered('PATCH', `${path}?fieldManager=${manager}&force=true`, value, { headers: apply, body: objectOf('written', value) });
  await answered('PATCH', `${path.replace('v1', 'v2')}?fieldManager=one&force=true`, exact, {
    headers: apply,
    body: objectOf('written', exact, '', 'v2'),
  });
  const { status, text } = await client.delete(path);
  assert.is(status, 200, text.slice(0, 300));
});

test.run();
