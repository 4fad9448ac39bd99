/** DELETE, request by request: where its options may stand, and what it answers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('DELETE');

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const UID = '11111111-2222-3333-4444-555555555555';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const PROTOBUF_JSON = { accept: 'application/json' };

let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*', '--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

/** An envelope around DeleteOptions: gracePeriodSeconds, preconditions, orphanDependents and propagationPolicy are fields 1 to 4. */
function envelope(kind: string, raw: readonly number[]): Buffer {
  const text = (field: number, value: Buffer | string): Buffer =>
    Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), Buffer.from(value)]);
  const typeMeta = Buffer.concat([text(1, 'v1'), text(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), text(1, typeMeta), text(2, Buffer.from(raw))]);
}

interface Row {
  readonly name: string;
  readonly finalizers?: readonly string[];
  /** behind the name; `{uid}` and `{version}` stand for the object's own */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** members of the answer */
  readonly kind?: string;
  readonly message?: RegExp;
  /** whether the object is there afterwards, marked or not */
  readonly left: 'gone' | 'marked' | 'untouched';
}

const rows: readonly Row[] = [
  { name: 'nothing said', status: 200, kind: 'Status', left: 'gone' },
  { name: 'held', finalizers: ['e.com/f'], status: 200, kind: 'ConfigMap', left: 'marked' },
  {
    name: 'held, with dependents to go: accepted',
    finalizers: ['e.com/f'],
    query: '?orphanDependents=false',
    status: 202,
    kind: 'ConfigMap',
    left: 'marked',
  },
  { name: 'the same in the body', finalizers: ['e.com/f'], body: { orphanDependents: false }, status: 202, left: 'marked' },
  { name: 'gone at once is no 202', body: { orphanDependents: false }, status: 200, kind: 'Status', left: 'gone' },
  { name: 'the uid by query', query: '?uid={uid}', status: 200, left: 'gone' },
  { name: 'another uid by query', query: `?uid=${UID}`, status: 409, message: /the UID in the precondition/, left: 'untouched' },
  { name: 'the version by query', query: '?resourceVersion={version}', status: 200, left: 'gone' },
  {
    name: 'another version by query',
    query: '?resourceVersion=1',
    status: 409,
    message: /the ResourceVersion in the precondition \(1\)/,
    left: 'untouched',
  },
  { name: 'a body makes the query void', query: `?uid=${UID}&dryRun=All`, body: {}, status: 200, left: 'gone' },
  { name: 'a dry run by query', query: '?dryRun=All', status: 200, kind: 'Status', left: 'untouched' },
  { name: 'a dry run by body', body: { dryRun: ['All'] }, status: 200, left: 'untouched' },
  { name: 'a dry run of a held object', finalizers: ['e.com/f'], query: '?dryRun=All', status: 200, kind: 'ConfigMap', left: 'untouched' },
  {
    name: 'a dry run of something else',
    query: '?dryRun=Some',
    status: 422,
    message: /^DeleteOptions\.meta\.k8s\.io "" is invalid: dryRun/,
    left: 'untouched',
  },
  { name: 'a grace period that is no number', query: '?gracePeriodSeconds=x', status: 400, left: 'untouched' },
  { name: 'a grace period that is empty', query: '?gracePeriodSeconds=', status: 400, left: 'untouched' },
  {
    name: 'a grace period beyond 64 bits',
    query: '?gracePeriodSeconds=9223372036854775808',
    status: 400,
    message: /^strconv\.ParseInt: parsing "9223372036854775808": value out of range$/,
    left: 'untouched',
  },
  { name: 'the longest grace period', query: '?gracePeriodSeconds=%2B09223372036854775807', status: 200, left: 'gone' },
  {
    name: 'two dry runs, of which one is unknown, make one finding',
    query: '?dryRun=All&dryRun=x&dryRun=y',
    status: 422,
    message:
      /^DeleteOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: \[\]string\{"All", "x", "y"\}: supported values: "All"$/,
    left: 'untouched',
  },
  { name: 'a grace period for a kind without', query: '?gracePeriodSeconds=30', status: 200, left: 'gone' },
  {
    name: 'two policies',
    body: { orphanDependents: true, propagationPolicy: 'Orphan' },
    status: 422,
    message: /cannot be both set/,
    left: 'untouched',
  },
  { name: 'an option whose feature is off', query: '?ignoreStoreReadErrorWithClusterBreakingPotential=true', status: 200, left: 'gone' },
  {
    name: 'the same beside others',
    body: { ignoreStoreReadErrorWithClusterBreakingPotential: true, gracePeriodSeconds: 1 },
    status: 200,
    left: 'gone',
  },
  { name: 'unknown fields', body: { bogus: 1 }, query: '?fieldValidation=Strict', status: 200, left: 'gone' },
  { name: 'another kind', body: { kind: 'ConfigMap', apiVersion: 'v1' }, status: 400, left: 'untouched' },
  {
    name: 'a version that is none',
    body: { apiVersion: 'a/b/c' },
    status: 400,
    message: /^unexpected GroupVersion string: a\/b\/c$/,
    left: 'untouched',
  },
  { name: 'a version that is no text', body: { apiVersion: {} }, status: 400, left: 'untouched' },
  { name: 'a version that is unknown', body: { kind: 'DeleteOptions', apiVersion: 'e.com/v9' }, status: 200, left: 'gone' },
  { name: 'a value of the wrong type', body: { gracePeriodSeconds: 'soon' }, status: 400, left: 'untouched' },
  { name: 'broken JSON', body: '{"kind":', status: 400, left: 'untouched' },
  { name: 'another media type', body: 'x', headers: { 'content-type': 'text/plain' }, status: 415, left: 'untouched' },
  {
    name: 'protobuf',
    body: envelope('DeleteOptions', [0x22, 6, ...Buffer.from('Orphan')]),
    headers: { 'content-type': PROTOBUF },
    status: 200,
    kind: 'ConfigMap',
    left: 'marked',
  },
  { name: 'protobuf of another kind', body: envelope('Pod', []), headers: { 'content-type': PROTOBUF }, status: 400, left: 'untouched' },
  {
    name: 'protobuf that is broken',
    body: envelope('DeleteOptions', [0x22, 60, 1]),
    headers: { 'content-type': PROTOBUF },
    status: 400,
    left: 'untouched',
  },
  { name: 'no protobuf at all', body: 'x', headers: { 'content-type': PROTOBUF }, status: 400, left: 'untouched' },
];
for (const [index, { name, finalizers = [], query = '', body, headers, status, kind, message, left }] of rows.entries())
  test(name, async () => {
    const path = `${CONFIGMAPS}/row-${index}`;
    const { metadata } = (await client.post(CONFIGMAPS, { metadata: { name: `row-${index}`, finalizers } })).body;
    const filled = query.replace('{uid}', metadata.uid).replace('{version}', metadata.resourceVersion);
    const answer = await client.delete(path + filled, body, { ...PROTOBUF_JSON, ...headers });
    assert.is(answer.status, status, answer.text);
    if (kind !== undefined) assert.is(answer.body.kind, kind, answer.text);
    if (message !== undefined) assert.match(answer.body.message, message);
    const after = await client.get(path);
    const found = after.status === 404 ? 'gone' : after.body.metadata.deletionTimestamp === undefined ? 'untouched' : 'marked';
    assert.is(found, left);
  });

test('a policy that lets go of what only a policy held: a dry run shows it, watchers see the object as it was', async () => {
  const path = `${CONFIGMAPS}/waiting`;
  await client.post(CONFIGMAPS, { metadata: { name: 'waiting' } });
  const marked = await client.delete(`${path}?propagationPolicy=Foreground`);
  const { resourceVersion } = marked.body.metadata;
  const stream = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3Dwaiting`);
  const tried = await client.delete(`${path}?propagationPolicy=Background&dryRun=All`);
  assert.equal([tried.body.kind, tried.body.metadata.finalizers], ['ConfigMap', undefined]);
  const released = await client.delete(`${path}?propagationPolicy=Background`);
  assert.equal([released.body.kind, released.body.status], ['Status', 'Success']);
  const event = await stream.next();
  assert.equal([event.type, event.object.metadata.finalizers], ['DELETED', ['foregroundDeletion']]);
  stream.close();
});

test('classes of the system cannot be deleted', async () => {
  const answer = await client.delete('/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical');
  assert.is(answer.status, 403);
  assert.match(answer.body.message, /this is a system priority class and cannot be deleted/);
});

test('a namespace: marked first, whatever holds it, then removed', async () => {
  await client.post('/api/v1/namespaces', { metadata: { name: 'twice' } });
  const finalized = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'twice' }, spec: { finalizers: [] } };
  assert.is((await client.put('/api/v1/namespaces/twice/finalize', finalized)).status, 200);
  const first = await client.delete('/api/v1/namespaces/twice');
  assert.equal([first.status, first.body.kind, first.body.status.phase], [200, 'Namespace', 'Terminating']);
  assert.is((await client.get('/api/v1/namespaces/twice')).status, 200);
  assert.is((await client.delete('/api/v1/namespaces/twice')).status, 200);
  assert.is((await client.get('/api/v1/namespaces/twice')).status, 404);
});

/** Ten of them, every second one labelled. */
async function fill(namespace: string): Promise<string> {
  await client.post('/api/v1/namespaces', { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (let i = 0; i < 10; i++) await client.post(path, { metadata: { name: `c${i}`, labels: i % 2 === 0 ? { even: 'yes' } : {} } });
  return path;
}
const namesOf = (answer: Json): string => answer.body.items.map(({ metadata }: Json) => metadata.name).join();

interface CollectionRow {
  readonly name: string;
  readonly query: string;
  readonly accept?: string;
  readonly check: (answer: Json) => void;
  /** number of objects left */
  readonly left: number;
}

const collectionRows: readonly CollectionRow[] = [
  { name: 'all', query: '', check: (answer) => assert.is(answer.body.items.length, 10), left: 0 },
  { name: 'by label', query: '?labelSelector=even', check: (answer) => assert.is(namesOf(answer), 'c0,c2,c4,c6,c8'), left: 5 },
  { name: 'by name', query: '?fieldSelector=metadata.name=c3', check: (answer) => assert.is(namesOf(answer), 'c3'), left: 9 },
  {
    name: 'a page',
    query: '?limit=4',
    check({ body }) {
      assert.is(body.items.length, 4);
      assert.is(body.metadata.remainingItemCount, 6);
      assert.type(body.metadata.continue, 'string');
    },
    left: 6,
  },
  { name: 'a dry run', query: '?dryRun=All', check: (answer) => assert.is(answer.body.items.length, 10), left: 10 },
  {
    name: 'a version that no object has',
    query: '?resourceVersion=1&resourceVersionMatch=NotOlderThan',
    check: (answer) => assert.is(answer.status, 409),
    left: 10,
  },
  {
    name: 'as a Table',
    query: '',
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    check({ body }) {
      assert.is(body.kind, 'Table');
      assert.is(body.rows.length, 10);
    },
    left: 0,
  },
  {
    name: 'as protobuf',
    query: '',
    accept: PROTOBUF,
    check({ headers, text }) {
      assert.is(headers['content-type'], PROTOBUF);
      assert.match(text, /^k8s\0.*ConfigMapList.*c9/s);
    },
    left: 0,
  },
  { name: 'an unknown field', query: '?fieldSelector=spec.x=1', check: (answer) => assert.is(answer.status, 400), left: 10 },
];
for (const [index, { name, query, accept = 'application/json', check, left }] of collectionRows.entries())
  test(`a collection: ${name}`, async () => {
    const path = await fill(`collection-${index}`);
    check(await client.delete(path + query, undefined, { accept }));
    assert.is((await client.get(path)).body.items.length, left);
  });

test('a collection while others delete and create in it', async () => {
  const path = await fill('busy');
  const answers = await Promise.all([
    client.delete(path),
    client.delete(path),
    ...Array.from({ length: 10 }, (_, i) => client.delete(`${path}/c${i}`)),
    client.post(path, { metadata: { name: 'new' } }),
  ]);
  for (const answer of answers) assert.ok([200, 201, 404].includes(answer.status), answer.text);
  const left = (await client.get(path)).body.items.map(({ metadata }: Json) => metadata.name);
  assert.ok(
    left.every((name: string) => name === 'new'),
    left.join(),
  );
});

test('a collection whose history goes before it can be shown', async () => {
  const brief = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*', '--history-window=1ms', '--history-max-bytes=1'] });
  const own = new Client(brief);
  try {
    await Promise.all(Array.from({ length: 400 }, (_, i) => own.post(CONFIGMAPS, { metadata: { name: `c${i}` } })));
    const { status, body, text } = await own.delete(CONFIGMAPS);
    assert.is(status, 200, text);
    if (body.kind === 'Status') assert.equal([body.status, body.details], ['Success', { kind: 'ConfigMap' }]);
    else assert.is(body.items.length, 400);
    assert.equal((await own.get(CONFIGMAPS)).body.items, []);
  } finally {
    own.close();
    await brief.stop();
  }
});

/** Asks until so many answers in a row are the same that a deletion which goes on had changed them. @returns that number */
async function settledCount(path: string): Promise<number> {
  let last = -1;
  for (let same = 0; same < 20; same++) {
    const { body } = await client.get(path);
    if (body.items.length !== last) same = 0;
    last = body.items.length;
  }
  return last;
}

test('a collection that takes longer than the client waits is deleted in part', async () => {
  const path = '/api/v1/namespaces/many/configmaps';
  await client.post('/api/v1/namespaces', { metadata: { name: 'many' } });
  await Promise.all(Array.from({ length: 600 }, (_, i) => client.post(path, { metadata: { name: `map-${i}` } })));
  const { status, body } = await client.delete(`${path}?timeout=1ms`);
  assert.equal([status, body.reason], [504, 'Timeout']);
  const left = await settledCount(path);
  assert.ok(left > 0, `${left} of 600 are left`);
  assert.is((await client.delete(path)).status, 200);
  assert.is(await settledCount(path), 0);
});

test.run();
