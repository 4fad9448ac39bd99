/** The same requests in JSON and in CBOR: answers, events and what is recorded of them say the same, whichever worker answers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeCborDocument } from '../../../runtime/schema/cbor/encode.ts';
import { readCbor, readCborSequence } from '../../harness/cbor.ts';
import { Client, type Json, type ReceivedAnswer } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('CBOR as JSON');
type Form = 'json' | 'cbor';

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ RequestReceived ]
rules:
- level: None
  users: [ "system:apiserver" ]
- level: RequestResponse
`;

let folder: string;
let server: TestServer;
let client: Client;
test.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'cbor-as-json-'));
  writeFileSync(path.join(folder, 'policy.yaml'), POLICY);
  const audit = [`--audit-policy-file=${folder}/policy.yaml`, `--audit-log-path=${folder}/audit.log`, '--audit-log-mode=blocking'];
  const flags = [
    '--feature-gates=CBORServingAndStorage=true',
    '--controllers=-*',
    '--disable-admission-plugins=ServiceAccount',
    '--workers=2',
  ];
  server = await startServer({ dialect: 'kubernetes', flags: [...flags, ...audit] });
  client = new Client(server);
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
  const { status } = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, subresources, schema: { openAPIV3Schema: anything } }],
    },
  });
  assert.is(status, 201);
  const things = THINGS.replace('{ns}', 'default');
  await eventually('the definition is served', async () => (await client.get(things)).status === 200);
});
test.after(async () => {
  client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** of a patch; an apply is sent in the form that is tried */
  readonly type?: 'merge' | 'json' | 'apply';
  readonly metadataOnly?: true;
}

const CORE = '/api/v1/namespaces/{ns}';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/{ns}/deployments';
const THINGS = '/apis/example.com/v1/namespaces/{ns}/things';
const of = (apiVersion: string, kind: string, name: string, more: object = {}): object => ({
  kind,
  apiVersion,
  metadata: { name },
  ...more,
});
const secret = (data: object): object => of('v1', 'Secret', 's', { data });
const thing = (spec: object): object => of('example.com/v1', 'Thing', 't', { spec });
const container = { name: 'c', image: 'i', resources: { limits: { cpu: '2' } }, livenessProbe: { httpGet: { port: 'http' } } };
const labels = { a: 'b' };
const deployment = of('apps/v1', 'Deployment', 'd', {
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
});
const scale = (kind: string, replicas: number): object => of('autoscaling/v1', 'Scale', kind, { spec: { replicas } });
let deep: object = { n: 1.5 };
for (let i = 0; i < 80; i++) deep = { deep };
const post = (path: string, body: object): Request => ({ method: 'POST', path, body });
const put = (path: string, body: object): Request => ({ method: 'PUT', path, body });
const get = (path: string): Request => ({ method: 'GET', path });
const patch = (path: string, type: NonNullable<Request['type']>, body: object): Request => ({ method: 'PATCH', path, type, body });
const remove = (path: string, body?: object): Request => ({ method: 'DELETE', path, ...(body && { body }) });

const REQUESTS: readonly Request[] = [
  post(`${CORE}/secrets`, secret({ a: 'AQID' })),
  post(`${CORE}/secrets`, secret({ a: 'AQID' })),
  post(`${CORE}/secrets`, of('v1', 'Secret', 'Not A Name')),
  post(`${CORE}/secrets`, of('v1', 'ConfigMap', 'c')),
  put(`${CORE}/secrets/s`, secret({ a: 'AQIE' })),
  patch(`${CORE}/secrets/s`, 'merge', { data: { b: 'AAAA' } }),
  patch(`${CORE}/secrets/s?fieldManager=me`, 'apply', secret({ a: 'AQIF' })),
  patch(`${CORE}/secrets/s?fieldManager=me&force=true`, 'apply', secret({ c: 'AQIE' })),
  post(`${CORE}/pods`, of('v1', 'Pod', 'p', { spec: { containers: [container] } })),
  post(`${CORE}/pods/p/eviction`, of('policy/v1', 'Eviction', 'p', { deleteOptions: { dryRun: ['All'] } })),
  post(`${CORE}/pods/p/binding`, of('v1', 'Binding', 'p', { target: { kind: 'Node', name: 'n' } })),
  put(`${CORE}/pods/p/status`, of('v1', 'Pod', 'p', { status: { phase: 'Running' } })),
  { ...get(`${CORE}/pods/p`), metadataOnly: true },
  get(`${CORE}/pods`),
  get(`${CORE}/pods?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
  get(`${CORE}/pods?limit=0&resourceVersion=a`),
  remove(`${CORE}/pods/p`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 }),
  get(`${CORE}/pods/p`),
  post(`${CORE}/serviceaccounts`, of('v1', 'ServiceAccount', 'a')),
  post(`${CORE}/serviceaccounts/a/token`, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    spec: { expirationSeconds: 3600 },
  }),
  post(DEPLOYMENTS, deployment),
  get(`${DEPLOYMENTS}/d/scale`),
  put(`${DEPLOYMENTS}/d/scale`, scale('d', 3)),
  patch(`${DEPLOYMENTS}/d/scale?fieldManager=x&force=true`, 'apply', scale('d', 4)),
  post(THINGS, thing({ n: 2.5, replicas: 1, any: { x: [1, null, true, 'a', 1e21, -3, 9_007_199_254_740_991], none: {}, names: [] } })),
  patch(`${THINGS}/t?fieldManager=m`, 'apply', thing({ n: 3, replicas: 2 })),
  patch(`${THINGS}/t?fieldManager=m&force=true`, 'apply', thing({ n: 3, replicas: 2 })),
  patch(`${THINGS}/t?dryRun=All`, 'json', [{ op: 'replace', path: '/spec/n', value: 7.25 }]),
  patch(`${THINGS}/t`, 'merge', { spec: { any: deep } }),
  get(`${THINGS}/t/scale`),
  put(`${THINGS}/t/scale`, scale('t', 5)),
  put(`${THINGS}/t/status`, of('example.com/v1', 'Thing', 't', { status: { ok: true } })),
  get(THINGS),
  { ...get(THINGS), metadataOnly: true },
  get(`${THINGS}?watch=1&timeoutSeconds=1`),
  remove(`${THINGS}/t`),
  remove(`${CORE}/secrets?labelSelector=none`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }),
  remove(`${CORE}/secrets`),
];

const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

function contentType(form: Form, { type }: Request): string {
  if (type === undefined) return `application/${form}`;
  return type === 'apply' ? `application/apply-patch+${form === 'json' ? 'yaml' : 'cbor'}` : PATCH_TYPES[type];
}

function acceptOf(form: Form, { path, metadataOnly }: Request): string {
  const many = path === THINGS ? 'List' : '';
  return metadataOnly ? `application/${form};as=PartialObjectMetadata${many};g=meta.k8s.io;v=v1` : `application/${form}`;
}

function send(form: Form, namespace: string, request: Request): Promise<ReceivedAnswer> {
  const type = contentType(form, request);
  const body = request.body && (type.endsWith('cbor') ? encodeCborDocument(request.body) : JSON.stringify(request.body));
  const headers = { accept: acceptOf(form, request), 'user-agent': 'compared', ...(body && { 'content-type': type }) };
  return client.request(request.method, request.path.replace('{ns}', namespace), { headers, body });
}

const IS_WATCH = /[?&]watch=1/;

async function ask(form: Form, namespace: string, request: Request): Promise<object> {
  if (form === 'json' && IS_WATCH.test(request.path)) return { status: 200, warning: undefined, body: await watched(namespace, request) };
  const { status, headers, bytes, body } = await send(form, namespace, request);
  const type = headers['content-type'];
  if (form === 'json') return { status, warning: headers.warning, body };
  assert.is(type, IS_WATCH.test(request.path) ? 'application/cbor-seq' : 'application/cbor');
  return { status, warning: headers.warning, body: type === 'application/cbor' ? readCbor(bytes) : readCborSequence(bytes) };
}

/** The events until its time is over. */
async function watched(namespace: string, { path }: Request): Promise<Json[]> {
  const watch = await client.watch(path.replace('{ns}', namespace), { 'user-agent': 'compared' });
  const events: Json[] = [];
  for await (const event of watch) events.push(event);
  return events;
}

/** Differs from run to run, or from form to form. */
const VOLATILE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'token',
  'expirationTimestamp',
  'kubernetes.io/initial-events-list-blueprint',
]);

/** Members in the order of their names, without what differs anyway. */
function compared(value: unknown, namespace: string): unknown {
  if (typeof value === 'string') return value.replaceAll(namespace, 'NS');
  if (Array.isArray(value)) return value.map((each) => compared(each, namespace));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, VOLATILE.has(name) ? '?' : compared(member, namespace)]));
}

async function run(form: Form, namespace: string): Promise<unknown[]> {
  await client.post('/api/v1/namespaces', of('v1', 'Namespace', namespace));
  const answers: unknown[] = [];
  for (const request of REQUESTS) {
    answers.push(compared({ request, ...(await ask(form, namespace, request)) }, namespace));
  }
  return answers;
}

const recorded = (namespace: string): unknown[] =>
  readFileSync(path.join(folder, 'audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
    .filter(({ userAgent, requestURI }) => userAgent === 'compared' && requestURI.includes(`/${namespace}/`))
    .map(({ verb, stage, requestURI, responseStatus, requestObject, responseObject, objectRef }) =>
      compared({ verb, stage, requestURI, responseStatus, requestObject, responseObject, objectRef }, namespace),
    );

/** Whether the last request is recorded. */
function hasEnded(namespace: string): boolean {
  const { verb, stage } = (recorded(namespace).at(-1) ?? {}) as { verb?: string; stage?: string };
  return verb === 'deletecollection' && stage === 'ResponseComplete';
}

test('answers say the same, and so does what is recorded', async () => {
  const [asJson, asCbor] = [await run('json', 'in-json'), await run('cbor', 'in-cbor')];
  for (const [i, answer] of asJson.entries()) assert.equal(asCbor[i], answer);
  // an event is written once its answer is sent
  await eventually(
    'all is recorded',
    () => recorded('in-cbor').length >= recorded('in-json').length && hasEnded('in-cbor') && hasEnded('in-json'),
  );
  const events = recorded('in-json');
  assert.ok(events.length >= REQUESTS.length);
  const others = recorded('in-cbor');
  for (const [i, event] of events.entries()) assert.equal(others[i], event);
});

test.run();
