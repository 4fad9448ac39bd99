/** Defaults that an object gets after it was validated: that of a status, which nobody sends, and those that a definition states later, as in 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ITEMS = (plural: string, version = 'v1') => `/apis/later.example/${version}/${plural}`;
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const text = (value?: string) => ({ type: 'string', ...(value !== undefined && { default: value }) });
const statusOf = (by: string) => ({ type: 'object', default: { by }, properties: { by: text(), seen: text('no') } });
const GIVEN = { by: 'v1', seen: 'no' };

const test = suite('defaults of custom resources that come later');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
});
test.after(() => server.stop());

async function send(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Json> {
  const answer = await server.client.fetch(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { 'content-type': type },
  });
  const read: Json = await answer.json();
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(read)}`);
  return read;
}

function versionOf(name: string, properties: object, storage = true): object {
  return { name, served: true, storage, subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object', properties } } };
}

async function define(plural: string, versions: readonly object[]): Promise<void> {
  const kind = plural.slice(0, -1);
  const names = { plural, singular: kind, kind, listKind: `${kind}List` };
  await send('POST', DEFINITIONS, {
    metadata: { name: `${plural}.later.example` },
    spec: { group: 'later.example', scope: 'Cluster', names, versions },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(ITEMS(plural))).ok);
}

const itemOf = (plural: string, members: object = {}, version = 'v1') => ({
  apiVersion: `later.example/${version}`,
  kind: plural.slice(0, -1),
  metadata: { name: 'a' },
  ...members,
});

test('a new object has the status of its schema for all who read it, though it was validated without one', async () => {
  const rule = { rule: '!has(self.status)', message: 'has a status' };
  const version = versionOf('v1', { spec: { type: 'object', properties: { a: text() } }, status: statusOf('v1') }) as Json;
  await define('marks', [
    { ...version, schema: { openAPIV3Schema: { ...version.schema.openAPIV3Schema, 'x-kubernetes-validations': [rule] } } },
  ]);
  const all = ITEMS('marks');
  const mark = itemOf('marks', { spec: { a: 'x' }, status: { by: 'me' } });
  assert.equal((await send('POST', `${all}?dryRun=All`, mark)).status, GIVEN, 'by a dry run');
  const made = await send('POST', all, mark);
  assert.equal(made.status, GIVEN, 'in the answer');
  assert.equal(
    made.metadata.managedFields.map(({ fieldsV1 }: Json) => Object.keys(fieldsV1)),
    [['f:spec']],
    'nobody owns it',
  );
  assert.equal((await send('GET', `${all}/a`)).status, GIVEN, 'in the object');
  assert.equal((await send('GET', all)).items[0].status, GIVEN, 'in a list');
  const events = await (await server.client.fetch(`${all}?watch=1&timeoutSeconds=1&resourceVersion=0`)).text();
  assert.equal((JSON.parse(events) as Json).object.status, GIVEN, 'in an event');
});

test('an object that is applied has it as well, and keeps what the status was set to', async () => {
  await define('notes', [versionOf('v1', { spec: { type: 'object', properties: { a: text() } }, status: statusOf('v1') })]);
  const at = `${ITEMS('notes')}/a`;
  assert.equal((await send('PATCH', `${at}?fieldManager=me`, itemOf('notes'), APPLY)).status, GIVEN);
  await send('PATCH', `${at}/status`, { status: { by: 'somebody' } }, MERGE);
  const changed = await send('PATCH', at, { spec: { a: 'y' }, status: { by: 'me' } }, MERGE);
  assert.equal(changed.status, { by: 'somebody', seen: 'no' });
});

test('of several versions the one that is stored gives the status', async () => {
  await define('rules', [versionOf('v1', { status: statusOf('v1') }), versionOf('v2', { status: statusOf('v2') }, false)]);
  assert.equal((await send('POST', ITEMS('rules', 'v2'), itemOf('rules', {}, 'v2'))).status, GIVEN);
});

test('an update that changes nothing stores what the present schema makes of an object', async () => {
  await define('cards', [versionOf('v1', { a: text(), b: text(), gone: text() })]);
  const at = `${ITEMS('cards')}/a`;
  const first = await send('POST', ITEMS('cards'), itemOf('cards', { a: 'x', gone: 'x' }));
  const restate = async (properties: object) => {
    await send('PATCH', `${DEFINITIONS}/cards.later.example`, { spec: { versions: [versionOf('v1', properties)] } }, MERGE);
  };
  await restate({ a: text(), b: text('later') });
  const completed = await send('GET', at);
  assert.equal([completed.b, completed.gone], ['later', undefined], 'as it is read');
  assert.is(completed.metadata.resourceVersion, first.metadata.resourceVersion);

  const { b: _, ...without } = completed;
  const stored = await send('PUT', at, without);
  assert.is.not(stored.metadata.resourceVersion, first.metadata.resourceVersion, 'it is written');
  assert.is(stored.metadata.generation, 1);
  assert.equal(await send('PUT', at, stored), stored, 'once');

  await restate({ a: text(), b: text(), gone: text() });
  const after = await send('GET', at);
  assert.equal([after.a, after.b, after.gone], ['x', 'later', undefined], 'and stays');
  assert.is(
    (await send('PATCH', at, {}, MERGE)).metadata.resourceVersion,
    stored.metadata.resourceVersion,
    'an object that is as it was is not written',
  );
});
test.run();
