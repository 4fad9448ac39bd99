/** Paths, queries and headers that are right or wrong by themselves, whatever the resource: what each is answered. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const test = suite('forms of requests');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({
    dialect: 'kubernetes',
    flags: ['--controllers=-*', '--min-request-timeout=1', '--strict-transport-security-directives=max-age=60,includeSubDomains'],
  });
  client = new Client(server);
  assert.is((await client.post(MAPS, { metadata: { name: 'a' } })).status, 201);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  assert.is(
    (await client.post(DEPLOYMENTS, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } })).status,
    201,
  );
});
test.after(async () => {
  client.close();
  await server.stop();
});

interface Row {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** of the body's text */
  readonly says?: RegExp;
}

const ROWS: readonly Row[] = [
  { name: 'every path that leads somewhere', path: '/', status: 200, says: /"\/livez\/etcd",[\s\S]*"\/metrics\/slis",/ },
  {
    name: 'the same under its other name, to any method',
    method: 'POST',
    path: '/index.html',
    status: 200,
    says: /^\{\n {2}"paths": \[\n/,
  },
  { name: 'a path that is escaped for no need', path: '/%68ealthz', status: 200, says: /^ok$/ },
  { name: 'a resource at a path that is escaped for no need', path: '/%61pi/v1/namespaces/default/configmaps/a', status: 200 },
  { name: 'slashes before a path', path: '//api/v1/pods', status: 404, says: /^404 page not found$/m },
  {
    name: 'a prefix for watches with nothing behind it',
    path: '/api/v1/watch?a=b',
    status: 400,
    says: /unable to determine kind and namespace from url, \/api\/v1\/watch\?a=b"/,
  },
  { name: 'the check of the store', path: '/livez/etcd', status: 200, says: /^ok$/ },
  { name: 'the check of the store for readiness', path: '/readyz/etcd-readiness', status: 200, says: /^ok$/ },
  { name: 'a check of readiness among those of life', path: '/livez/etcd-readiness', status: 404 },
  { name: 'a check whose name has slashes', path: '/healthz/poststarthook/rbac/bootstrap-roles', status: 200, says: /^ok$/ },
  { name: 'a check that there is not', path: '/readyz/poststarthook/none', status: 404, says: /^404 page not found$/m },
  {
    name: 'checks that are left out',
    path: '/livez?verbose&exclude=etcd&exclude=zz&exclude=aa',
    status: 200,
    says: /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd excluded: ok\n[\s\S]*\nwarn: some health checks cannot be excluded: no matches for "aa","zz"\nlivez check passed\n$/,
  },
  { name: 'a slash after a collection', path: `${MAPS}/`, status: 200, says: /"ConfigMapList"/ },
  { name: 'slashes after an object', path: `${MAPS}/a//`, status: 200, says: /"ConfigMap"/ },
  {
    name: 'a name that is taken, beside a prefix',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: { metadata: { name: 'a', generateName: 'b-' } },
    status: 409,
    says: /"configmaps \\"a\\" already exists, the server was not able to generate a unique name for the object".*"retryAfterSeconds":1/,
  },
  {
    name: 'a name that is taken',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'a' } },
    status: 409,
    says: /"configmaps \\"a\\" already exists".*"details":\{"name":"a","kind":"configmaps"\}/,
  },
  { name: 'a slash that is escaped', path: `${MAPS}/a%2Fb`, status: 404, says: /could not find the requested resource/ },
  { name: 'what has no namespace is in none', path: '/api/v1/namespaces/default/namespaces', status: 404 },
  { name: 'by its name neither', path: '/api/v1/namespaces/default/namespaces/default', status: 404 },
  { name: 'a watch of one name', path: '/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1', status: 200, says: /"ADDED"/ },
  {
    name: 'a watch of one name that selects another',
    path: '/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db',
    status: 400,
    says: /"fieldSelector metadata\.name doesn't match requested name"/,
  },
  {
    name: 'a watch of one name that selects by something else',
    path: '/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.namespace%3Ddefault',
    status: 400,
    says: /doesn't match requested name/,
  },
  {
    name: 'a page of a list that is yet to be',
    path: `${MAPS}?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1000000,"start":"a"}').toString('base64url')}`,
    status: 400,
    says: /invalid continue token: continue key is not valid: incorrect encoded start resourceVersion/,
  },
  {
    name: 'an answer that does not come within the time that its client gives',
    path: `${MAPS}/a?resourceVersion=99999999&timeout=50ms`,
    status: 504,
    says: /request did not complete within the allotted timeout/,
  },
  { name: 'an answer that is there at once, whatever time its client gives', path: `${MAPS}/a?timeout=1ns`, status: 200 },
  { name: 'a watch whose time is over', path: `${MAPS}?watch=1&timeoutSeconds=-1`, status: 200 },
  { name: 'a Scale of a version that nobody gave', path: `${DEPLOYMENTS}/d/scale?resourceVersion=x`, status: 400 },
  {
    name: 'what is invalid is said before what may not be set',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'UPPER', resourceVersion: '5' } },
    status: 422,
    says: /metadata\.name/,
  },
  {
    name: 'a resourceVersion of what is to be created',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'a', resourceVersion: '5' } },
    status: 400,
    says: /should not be set on objects to be created/,
  },
  {
    name: 'a resourceVersion of what would be created is shown, for no store is asked',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: { metadata: { name: 'b', resourceVersion: '5' } },
    status: 201,
    says: /"resourceVersion":"5"/,
  },
  {
    name: 'counts that nobody sent are none',
    method: 'PATCH',
    path: `${DEPLOYMENTS}/d/status`,
    body: { status: { replicas: -1 } },
    status: 422,
    says: /status\.readyReplicas: Invalid value: 0: cannot be greater than status\.replicas/,
  },
];

for (const { name, method = 'GET', path, body, status, says } of ROWS)
  test(name, async () => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const answer: Answer = await client.request(method, path, { body, headers });
    assert.is(answer.status, status, answer.text);
    if (says !== undefined) assert.match(answer.text, says);
  });

test('a body of a type that is not taken is refused before the options of a create and of a patch, after those of an update', async () => {
  const map = { metadata: { name: 'a' } };
  for (const [method, path, query, status] of [
    ['POST', MAPS, '?fieldValidation=bad', 415],
    ['PUT', `${MAPS}/a`, '?fieldValidation=bad', 422],
    ['PUT', `${MAPS}/a`, '', 415],
    ['PATCH', `${MAPS}/a`, '?fieldValidation=bad', 415],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', '?fieldValidation=bad', 415],
    ['POST', '/api/v1/namespaces/default/pods/a/eviction', '?fieldValidation=bad', 415],
  ] as const) {
    const answer = await client.request(method, path + query, { body: map, headers: { 'content-type': 'text/plain' } });
    assert.is(answer.status, status, `${method} ${path}${query}: ${answer.text}`);
  }
});

test('a watch that asks for no time ends by itself', async () => {
  const { status, text } = await client.get(`${MAPS}?watch=1`);
  assert.equal([status, text.includes('"ADDED"')], [200, true]);
});
test('every answer, a refusal too, tells browsers to come over TLS alone', async () => {
  for (const path of [MAPS, `${MAPS}/none`, '/none'])
    assert.is((await client.get(path)).headers['strict-transport-security'], 'max-age=60; includeSubDomains');
});
test('nobody is privileged unless a flag allows it', async () => {
  const securityContext = { privileged: true };
  const template = { spec: { containers: [{ name: 'c', image: 'i', securityContext }] } };
  const { status, body } = await client.post('/api/v1/namespaces/default/podtemplates', { metadata: { name: 'p' }, template });
  assert.equal([status, body.details.causes[0].message], [422, 'Forbidden: disallowed by cluster policy']);
});

test('how checks went is to be read at a path of its own', async () => {
  await client.get('/livez');
  const { status, text } = await client.get('/metrics/slis');
  assert.is(status, 200);
  assert.match(text, /^kubernetes_healthcheck\{name="etcd",type="livez"\} 1$/m);
  assert.match(text, /^kubernetes_healthchecks_total\{name="ping",status="success",type="livez"\} \d+$/m);
  assert.not.match((await client.get('/metrics')).text, /kubernetes_healthcheck/);
});

test('every answer has an id and is not to be kept, but what says otherwise', async () => {
  for (const path of [MAPS, '/api', '/nothing']) {
    const { headers } = await client.get(path);
    assert.match(String(headers['audit-id']), /^[0-9a-f-]{36}$/);
    assert.is(headers['cache-control'], 'no-cache, private');
  }
  assert.is((await client.get(MAPS, { 'audit-id': 'mine' })).headers['audit-id'], 'mine');
  for (const odd of ['a b', 'x'.repeat(300), '\u00e9'])
    assert.match(String((await client.get(MAPS, { 'audit-id': odd })).headers['audit-id']), /^[0-9a-f-]{36}$/);
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  assert.is((await client.get('/apis', { accept: aggregated })).headers['cache-control'], 'public');
});

const DISCOVERY = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const discovered: readonly [path: string, accept: string, status: number, contentType: string, says: RegExp][] = [
  ['/', 'text/html', 200, 'application/json', /"\/openapi\/v3"/],
  ['/apis', 'application/json;as=Table;v=v1;g=meta.k8s.io', 406, 'application/json', /only the following media types/],
  ['/apis', 'application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml', 200, 'application/yaml', /^apiVersion: v1\ngroups:/],
  ['/api/v1', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 406, 'application/json', /only the following media types/],
  ['/apis/apps', `application/json;${DISCOVERY}`, 406, 'application/json', /only the following media types/],
  ['/api', 'application/json;sv=v1', 406, 'application/json', /only the following media types/],
  ['/apis', `*/*;${DISCOVERY}`, 200, `application/json;${DISCOVERY}`, /^\{"kind":"APIGroupDiscoveryList"/],
  ['/apis', `application/json;${DISCOVERY};pretty=1`, 200, `application/json;${DISCOVERY}`, /^\{\n {2}"kind": "APIGroupDiscoveryList",\n/],
  [
    '/apis?pretty=true',
    `application/json;${DISCOVERY}`,
    200,
    `application/json;${DISCOVERY}`,
    /^\{\n {2}"kind": "APIGroupDiscoveryList",\n/,
  ],
  ['/apis', `application/yaml;${DISCOVERY}`, 200, `application/yaml;${DISCOVERY}`, /^apiVersion: apidiscovery\.k8s\.io\/v2\n/],
  ['/api', `application/vnd.kubernetes.protobuf;${DISCOVERY}`, 200, `application/vnd.kubernetes.protobuf;${DISCOVERY}`, /^k8s\0/],
  ['/api', `application/yaml;${DISCOVERY}, application/json;${DISCOVERY}`, 200, `application/yaml;${DISCOVERY}`, /^apiVersion/],
  ['/api', `application/json;${DISCOVERY};sv=v2`, 406, 'application/json', /only the following media types/],
];
for (const [path, accept, status, contentType, says] of discovered)
  test(`${path} as ${accept}`, async () => {
    const answer = await client.get(path, { accept });
    assert.is(answer.status, status, answer.text);
    assert.is(answer.headers['content-type'], contentType);
    assert.match(answer.text, says);
  });

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const tables: readonly [what: string, method: string, path: string, body: unknown, status: number, kind: string][] = [
  ['a status', 'GET', `${DEPLOYMENTS}/d/status`, undefined, 200, 'Table'],
  ['a scale', 'GET', `${DEPLOYMENTS}/d/scale`, undefined, 200, 'Table'],
  ['states of components', 'GET', '/api/v1/componentstatuses', undefined, 200, 'Table'],
  ['a review', 'POST', REVIEWS, {}, 406, 'Status'],
  ['other subresources', 'PUT', '/api/v1/namespaces/default/finalize', { metadata: { name: 'default' } }, 406, 'Status'],
  ['a token', 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {}, 406, 'Status'],
];
for (const [what, method, path, body, status, kind] of tables)
  test(`a Table of ${what}`, async () => {
    const answer = await client.request(method, path, { headers: { accept: TABLE }, body });
    assert.is(answer.status, status, answer.text);
    assert.is(answer.body.kind, kind);
  });

test('who takes a review as it is, too, gets it so', async () => {
  const answer = await client.post(REVIEWS, {}, { accept: `${TABLE}, application/json` });
  assert.is(`${answer.status} ${answer.body.kind}`, '201 SelfSubjectReview');
});

test.run();
