/** A definition becomes schemas, of which the generator makes a kind: that answers as the custom resource does. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { run } from '../../../codegen/commands/import-crd.ts';
import { checkoutWith } from '../../harness/checkout.ts';
import { Client } from '../../harness/client.ts';
import { projectRoot, startServer } from '../../harness/server.ts';
import { type Answered, converse, define, type Request } from './conversation.ts';

const definition = parse(readFileSync(path.join(import.meta.dirname, 'crontabs.yaml'), 'utf8'));

/** Of the imported definition, by their paths from the root of a checkout. */
async function importedSchemas(): Promise<Record<string, string>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-import-'));
  try {
    const file = path.join(folder, 'crontabs.json');
    writeFileSync(file, JSON.stringify(definition));
    const out = path.join(folder, 'out');
    assert.is(await run(projectRoot, [file, '--out', out]), 0);
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      files.map(({ parentPath, name }) => {
        const at = path.join(parentPath, name);
        return [`schemas/${path.relative(out, at)}`, readFileSync(at, 'utf8')];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ALL = '/apis/stable.example.com/v1/namespaces/default/crontabs';
const OLDER = ALL.replace('/v1/', '/v1beta1/');
const GOOD = { cronSpec: '* * * * */5', image: 'web', port: 'http', ports: [{ port: 80 }, { port: 443, name: 'tls' }] };
const crontab = (name: string, spec: unknown, more: object = {}) => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'CronTab',
  metadata: { name },
  spec,
  ...more,
});
const post = (name: string, body: unknown, query = ''): Request => ({ name, method: 'POST', path: `${ALL}${query}`, body });
const get = (name: string, at: string, accept?: string): Request => ({
  name,
  method: 'GET',
  path: at,
  ...(accept !== undefined && { headers: { accept } }),
});
const patch = (name: string, at: string, body: unknown, type = 'merge-patch+json'): Request => ({
  name,
  method: 'PATCH',
  path: at,
  body,
  headers: { 'content-type': `application/${type}` },
});
const apply = (name: string, manager: string, spec: object, more = ''): Request =>
  patch(name, `${ALL}/applied?fieldManager=${manager}${more}`, JSON.stringify(crontab('applied', spec)), 'apply-patch+yaml');
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const requests: readonly Request[] = [
  post('create with defaults', crontab('a', GOOD)),
  post('create what is there', crontab('a', GOOD)),
  post('prune unknown members', crontab('b', { ...GOOD, nope: 1, template: { c: 2 }, any: { kept: [1, 'a', null] } }, { other: true })),
  post('refuse unknown members', crontab('c', { ...GOOD, nope: 1 }), '?fieldValidation=Strict'),
  post('warn of unknown members', crontab('c', { ...GOOD, nope: 1 }), '?fieldValidation=Warn&dryRun=All'),
  post(
    'wrong values',
    crontab('d', { cronSpec: 'never', replicas: 11, port: 1.5, template: { a: 'z' }, ports: [{ port: 1 }, { port: 1 }] }),
  ),
  post('wrong types', crontab('d', { cronSpec: 5, image: [], replicas: 'many', ports: {} })),
  post('missing members', crontab('d', {})),
  post('no spec', { apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name: 'd' } }),
  post('nulls', crontab('nulls', { ...GOOD, when: null, image: null, template: null })),
  post('a rule', crontab('d', { ...GOOD, replicas: 9, image: 'small' })),
  post('a name that is too long', crontab('a-name-of-more-than-twenty-letters', GOOD)),
  post('an initial status', crontab('e', GOOD, { status: { replicas: 4 } })),
  get('not there', `${ALL}/none`),
  get('get', `${ALL}/b`),
  get('list', ALL),
  get('list of all namespaces', '/apis/stable.example.com/v1/crontabs?limit=2'),
  get('selected by a field', `${ALL}?fieldSelector=spec.image%3Dweb`),
  get('selected by a field that cannot be', `${ALL}?fieldSelector=spec.cronSpec%3Dweb`),
  get('table', ALL, TABLE),
  get('table of one', `${ALL}/a`, TABLE),
  get('metadata', `${ALL}/a`, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'),
  get('protobuf', `${ALL}/a`, 'application/vnd.kubernetes.protobuf'),
  get('older version', `${OLDER}/a`),
  get('list of the older version', OLDER),
  get('table of the older version', OLDER, TABLE),
  patch('merge patch', `${ALL}/a`, { spec: { replicas: 3, image: null } }),
  patch('json patch', `${ALL}/a`, [{ op: 'replace', path: '/spec/replicas', value: 4 }], 'json-patch+json'),
  patch('strategic patch', `${ALL}/a`, { spec: {} }, 'strategic-merge-patch+json'),
  patch('wrong patch', `${ALL}/a`, { spec: { replicas: 0 } }),
  patch('immutable', `${ALL}/a`, { spec: { port: 'https' } }),
  patch('status by the object', `${ALL}/a`, { status: { replicas: 7 } }),
  patch('status', `${ALL}/a/status`, { spec: { replicas: 1 }, status: { replicas: 7, labelSelector: 'a=b' } }),
  patch('wrong status', `${ALL}/a/status`, { status: { replicas: 'x' } }),
  get('status read', `${ALL}/a/status`),
  get('scale', `${ALL}/a/scale`),
  patch('scale patched', `${ALL}/a/scale`, { spec: { replicas: 2 } }),
  patch('scale too far', `${ALL}/a/scale`, { spec: { replicas: 99 } }),
  patch('older version patched', `${OLDER}/a`, { spec: { image: 'older' } }),
  get('after that', `${ALL}/a`),
  apply('apply', 'first', { cronSpec: '* * * * *', ports: [{ port: 80, name: 'web' }] }),
  apply('apply by another', 'second', { ports: [{ port: 443 }], replicas: 2 }),
  apply('conflict', 'second', { ports: [{ port: 80, name: 'other' }] }),
  apply('forced', 'second', { ports: [{ port: 80, name: 'other' }] }, '&force=true'),
  apply('given up', 'first', { cronSpec: '* * * * *' }),
  apply('applied strictly', 'third', { nope: 1 }, '&fieldValidation=Strict'),
  { name: 'put without a version', method: 'PUT', path: `${ALL}/a`, body: crontab('a', GOOD) },
  { name: 'put what is not there', method: 'PUT', path: `${ALL}/none`, body: crontab('none', GOOD) },
  { name: 'delete', method: 'DELETE', path: `${ALL}/b` },
  { name: 'delete collection', method: 'DELETE', path: `${ALL}?labelSelector=a%3Db` },
  { name: 'nothing posted to an object', method: 'POST', path: `${ALL}/a`, body: {} },
  { name: 'no such verb', method: 'POST', path: `${ALL}/a/status`, body: {} },
  get('no such subresource', `${ALL}/a/log`),
  get('no such resource', '/apis/stable.example.com/v1/nothing'),
  get('no such version', '/apis/stable.example.com/v9'),
  get('no such path', '/apis/stable.example.com/v1/namespaces/default/crontabs/a/scale/more'),
  get('group', '/apis/stable.example.com'),
  get('resources', '/apis/stable.example.com/v1'),
  get('resources of the older version', '/apis/stable.example.com/v1beta1'),
  get('document', '/openapi/v3/apis/stable.example.com/v1'),
  get('document of the older version', '/openapi/v3/apis/stable.example.com/v1beta1'),
];

const directory = mkdtempSync(path.join(tmpdir(), 'cluster-crontabs-'));
const schemas = await importedSchemas();
const [root, custom] = await Promise.all([checkoutWith(schemas), startServer({ dialect: 'kubernetes', directory })]);
const builtIn = await startServer({ dialect: 'kubernetes', root });
await define(custom, definition);
const [expected, found] = [await converse(custom, requests), await converse(builtIn, requests)];

const test = suite('a kind of an imported definition');
for (const { name } of requests)
  test(`answers as the custom resource does: ${name}`, () => {
    assert.equal(found.get(name), expected.get(name) as Answered);
  });
test('is asked for all that matters', () => {
  const statuses = new Set([...expected.values()].map(({ status }) => status));
  for (const status of [200, 201, 400, 404, 405, 406, 409, 415, 422]) assert.ok(statuses.has(status), `nothing is answered with ${status}`);
});
test('is in the merged document and the aggregated discovery as the custom resource is', async () => {
  const both = [new Client(custom), new Client(builtIn)];
  const [first, second] = await Promise.all(both.map((client) => client.get('/openapi/v2')));
  const own = (object: object) =>
    Object.entries(object).filter(([name]) => name.includes('stable.example.com') || name.includes('com.example.stable'));
  for (const member of ['definitions', 'paths'])
    assert.equal(Object.fromEntries(own(second?.body[member])), Object.fromEntries(own(first?.body[member])));
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const groups = await Promise.all(both.map((client) => client.get('/apis', { accept })));
  const [one, other] = groups.map(({ body }) =>
    body.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'stable.example.com'),
  );
  assert.equal(other, one);
});
test('keeps its objects when its definition goes', async () => {
  const client = new Client(builtIn);
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const before = await client.get(`${ALL}/a`);
  await client.delete('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.stable.example.com');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const after = await client.get(`${ALL}/a`);
  assert.is(before.status, 200);
  assert.equal(after.body, before.body);
});
test('has the objects that were stored as custom resources', async () => {
  const stored = (await new Client(custom).get(ALL)).body.items;
  await custom.stop();
  const later = await startServer({ dialect: 'kubernetes', root, directory });
  try {
    assert.equal((await new Client(later).get(ALL)).body.items, stored);
    const { body } = await new Client(later).get(`${OLDER}/a`);
    assert.is(body.spec.image, 'older');
  } finally {
    await later.stop();
  }
});
test.after(async () => {
  await Promise.all([custom.stop(), builtIn.stop()]);
  rmSync(directory, { recursive: true, force: true });
});
test.run();
