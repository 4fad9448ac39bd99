/** The names and answers of the dialect `cluster`, as the specification has them: with our own client, and with kubectl where it needs nothing built in. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../harness/client.ts';
import { findKubectl, KUBECTL_MISSING, Kubectl } from '../harness/kubectl.ts';
import { startServer } from '../harness/server.ts';

const test = suite('dialect cluster');

const server = await startServer({ dialect: 'cluster', flags: ['--disable-admission-plugins=ServiceAccount'] });
const client = new Client(server);
test.after(async () => {
  client.close();
  await server.stop();
});

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', labels: { a: 'b' } }, data: { colour: 'blue' } };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'site' },
  spec: {
    selector: { matchLabels: { app: 'site' } },
    template: { metadata: { labels: { app: 'site' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
};
const configmaps = '/api/v1/namespaces/shop/configmaps';

test('a successful create answers 200', async () => {
  for (const [path, body] of [
    ['/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
    [configmaps, settings],
    ['/apis/apps/v1/namespaces/shop/deployments', deployment],
  ] as const) {
    const answer = await client.post(path, body);
    assert.is(answer.status, 200, answer.text);
  }
});

test('a namespace has the finalizer of both dialects, and a label of this one', async () => {
  const { body } = await client.get('/api/v1/namespaces/shop');
  assert.equal(body.spec.finalizers, ['kubernetes']);
  assert.is(body.metadata.labels['cluster.io/metadata.name'], 'shop');
});

test('the namespaces of the system', async () => {
  const { body } = await client.get('/api/v1/namespaces');
  const names = body.items.map((item: Json) => item.metadata.name);
  for (const name of ['default', 'cluster-system', 'cluster-public', 'cluster-node-lease']) assert.ok(names.includes(name), `${names}`);
});

test('discovery names the groups of cluster.io', async () => {
  const { body } = await client.get('/apis');
  const names: string[] = body.groups.map((group: Json) => group.name);
  for (const name of ['apps', 'autoscaling', 'rbac.authorization.cluster.io', 'coordination.cluster.io', 'events.cluster.io'])
    assert.ok(names.includes(name), `${names}`);
  assert.equal(
    names.filter((name) => /kubernetes|k8s/.test(name)),
    [],
  );
  const resources = await client.get('/apis/rbac.authorization.cluster.io/v1');
  assert.is(resources.body.groupVersion, 'rbac.authorization.cluster.io/v1');
  const other = await client.get('/apis/rbac.authorization.k8s.io/v1');
  assert.is(other.status, 404);
});

test('aggregated discovery by its media type', async () => {
  const type = 'application/json;g=apidiscovery.cluster.io;v=v2;as=APIGroupDiscoveryList';
  const { status, headers, body } = await client.get('/apis', { accept: type });
  assert.is(status, 200);
  assert.is(headers['content-type'], type);
  assert.is(body.apiVersion, 'apidiscovery.cluster.io/v2');
  assert.is(body.kind, 'APIGroupDiscoveryList');
});

test('OpenAPI says nothing of the other dialect', async () => {
  // The media type of the index is what 1.32 gives it: plain text.
  const { paths } = JSON.parse((await client.get('/openapi/v3')).text);
  assert.ok('apis/coordination.cluster.io/v1' in paths, Object.keys(paths).join());
  const document = await client.get(paths['apis/coordination.cluster.io/v1'].serverRelativeURL);
  assert.is(document.status, 200);
  assert.ok('/apis/coordination.cluster.io/v1/leases' in document.body.paths);
  const strangers = document.text.match(/[\w./-]*(?:kubernetes|k8s)\.io[\w./-]*/g) ?? [];
  assert.equal([...new Set(strangers)], []);
});

test('a Table by the name of the dialect', async () => {
  const accept = 'application/json;as=Table;g=meta.cluster.io;v=v1';
  const { status, headers, body } = await client.get('/apis/apps/v1/namespaces/shop/deployments', { accept });
  assert.is(status, 200);
  assert.match(String(headers['content-type']), /^application\/json/);
  assert.is(body.kind, 'Table');
  assert.is(body.apiVersion, 'meta.cluster.io/v1');
  const columns = body.columnDefinitions.filter((column: Json) => column.priority === 0).map((column: Json) => column.name);
  assert.equal(columns, ['Name', 'Ready', 'Up-to-date', 'Available', 'Age']);
  assert.equal(body.rows[0].cells.slice(0, 2), ['site', '0/1']);
  assert.is(body.rows[0].object.apiVersion, 'meta.cluster.io/v1');
  assert.is(body.rows[0].object.kind, 'PartialObjectMetadata');
});

test('a Table of the other dialect alone is not acceptable', async () => {
  const { status, body } = await client.get('/api/v1/pods', { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
  assert.is(status, 406);
  assert.is(body.reason, 'NotAcceptable');
});

test('metadata alone', async () => {
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.cluster.io;v=v1';
  const { body } = await client.get(`${configmaps}/settings`, { accept });
  assert.is(body.apiVersion, 'meta.cluster.io/v1');
  assert.is(body.metadata.name, 'settings');
  assert.not('data' in body);
});

test('protobuf by the media type of the dialect', async () => {
  const { status, headers, text } = await client.get(`${configmaps}/settings`, { accept: 'application/vnd.cluster.protobuf' });
  assert.is(status, 200, text);
  assert.is(headers['content-type'], 'application/vnd.cluster.protobuf');
  assert.is(text.slice(0, 4), 'k8s\0');
  const other = await client.get(`${configmaps}/settings`, { accept: 'application/vnd.kubernetes.protobuf' });
  assert.is(other.status, 406);
});

const notSupported: readonly { name: string; headers: Record<string, string>; method: string; status: number; reason: string }[] = [
  { name: 'YAML in a body', method: 'POST', headers: { 'content-type': 'application/yaml' }, status: 415, reason: 'UnsupportedMediaType' },
  { name: 'YAML in an answer', method: 'GET', headers: { accept: 'application/yaml' }, status: 406, reason: 'NotAcceptable' },
];
for (const { name, method, headers, status, reason } of notSupported)
  test(`${name} is not supported`, async () => {
    const body = method === 'POST' ? 'kind: ConfigMap' : undefined;
    const answer = await client.request(method, configmaps, { headers, body });
    assert.is(answer.status, status, answer.text);
    assert.is(answer.body.reason, reason);
  });

test('an empty dryRun is a dry run', async () => {
  for (const query of ['dryRun', 'dryRun=', 'dryRun&dryRun=All']) {
    const answer = await client.post(`${configmaps}?${query}`, { ...settings, metadata: { name: 'never' } });
    assert.is(answer.status, 200, answer.text);
  }
  const unknown = await client.post(`${configmaps}?dryRun&dryRun=x`, { ...settings, metadata: { name: 'never' } });
  assert.is(unknown.status, 422, unknown.text);
  assert.is((await client.get(`${configmaps}/never`)).status, 404);
});

test('If-Match makes a write conditional', async () => {
  const version: string = (await client.get(`${configmaps}/settings`)).body.metadata.resourceVersion;
  const change = (value: string, match: string) =>
    client.patch(`${configmaps}/settings`, [{ op: 'add', path: '/data/size', value }], 'application/json-patch', { 'if-match': match });
  const first = await change('big', version);
  assert.is(first.status, 200, first.text);
  const second = await change('small', version);
  assert.is(second.status, 409, second.text);
  assert.is(second.body.reason, 'Conflict');
  assert.is((await client.get(`${configmaps}/settings`)).body.data.size, 'big');
  const deleted = await client.delete(`${configmaps}/settings?dryRun`, undefined, { 'if-match': `"${version}"` });
  assert.is(deleted.status, 409, deleted.text);
  assert.match(deleted.body.message, /^Operation cannot be fulfilled on configmaps "settings": the object has been modified/);
  const current = { 'if-match': `"${first.body.metadata.resourceVersion}"` };
  assert.is((await client.delete(`${configmaps}/settings?dryRun`, undefined, current)).status, 200);
});

const matches: [header: (version: string) => string, status: number][] = [
  [(version) => `"${version}"`, 200],
  [(version) => `"1", W/"${version}"`, 200],
  [() => '*', 200],
  [() => '"1"', 409],
  [() => '', 409],
];
for (const [header, status] of matches)
  for (const method of ['PUT', 'DELETE'])
    test(`${method} with If-Match: ${header('its version')}`, async () => {
      const { body } = await client.get(`${configmaps}/settings`);
      const headers = { 'if-match': header(body.metadata.resourceVersion) };
      const sent = method === 'PUT' ? { ...body, metadata: { name: 'settings' } } : undefined;
      const answer = await client.request(method, `${configmaps}/settings?dryRun=All`, { headers, body: sent });
      assert.is(answer.status, status, answer.text);
    });

test('If-Match asks for an object', async () => {
  const headers = { 'if-match': '*', 'content-type': 'application/apply-patch+yaml' };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'never' } };
  const answer = await client.request('PATCH', `${configmaps}/never?fieldManager=m`, { headers, body });
  assert.is(answer.status, 409, answer.text);
});

test('the last line of verbose health output is the same for all three', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) {
    const { status, text, headers } = await client.get(`${path}?verbose`);
    assert.is(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain/);
    assert.match(text, /^\[\+\]\w[\w-]* ok$/m);
    assert.match(text, /\nhealthz check passed\n$/);
  }
});

test('reviews of access', async () => {
  const self = await client.post('/apis/authentication.cluster.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.cluster.io/v1',
    kind: 'SelfSubjectReview',
  });
  assert.is(self.status, 200, self.text);
  assert.is(self.body.status.userInfo.username, 'admin');
  assert.equal(self.body.status.userInfo.groups, ['system:masters', 'system:authenticated']);

  const review = (kind: string, spec: object) =>
    client.post(`/apis/authorization.cluster.io/v1/${kind.toLowerCase()}s`, { apiVersion: 'authorization.cluster.io/v1', kind, spec });
  const resourceAttributes = { namespace: 'shop', verb: 'list', group: 'apps', resource: 'deployments' };
  const mine = await review('SelfSubjectAccessReview', { resourceAttributes });
  assert.is(mine.status, 200, mine.text);
  assert.is(mine.body.status.allowed, true);
  const hers = await review('SubjectAccessReview', { user: 'alice', groups: ['dev'], resourceAttributes });
  assert.is(hers.status, 200, hers.text);
  assert.is(hers.body.status.allowed, false);
});

test('a review of a token', async () => {
  const answer = await client.post('/apis/authentication.cluster.io/v1/tokenreviews', {
    apiVersion: 'authentication.cluster.io/v1',
    kind: 'TokenReview',
    spec: { token: server.tokens.alice },
  });
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.body.status.authenticated, true);
  assert.is(answer.body.status.user.username, 'alice');
});

test('refusals name the groups of the dialect', async () => {
  const alice = new Client(server, server.tokens.alice);
  const { status, body } = await alice.get('/apis/rbac.authorization.cluster.io/v1/clusterroles');
  alice.close();
  assert.is(status, 403);
  assert.is(
    body.message,
    'clusterroles.rbac.authorization.cluster.io is forbidden: User "alice" cannot list resource "clusterroles" in API group "rbac.authorization.cluster.io" at the cluster scope',
  );
});

const bookmarksOf = async (query: string): Promise<Json[]> => {
  const events = await Array.fromAsync(await client.watch(`/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&${query}`));
  return events.filter(({ type }) => type === 'BOOKMARK').map(({ object }) => object);
};
for (const [name, version] of [
  ['of no version', async () => ''],
  ['of the version 0', async () => 'resourceVersion=0'],
  ['of a version', async () => `resourceVersion=${(await client.get('/api/v1/pods')).body.metadata.resourceVersion}`],
] as const)
  test(`bookmarks of a watch ${name} have their version alone`, async () => {
    const bookmarks = await bookmarksOf(await version());
    assert.ok(bookmarks.length > 0);
    for (const { metadata, ...rest } of bookmarks) {
      assert.equal(rest, { kind: 'Pod', apiVersion: 'v1' });
      assert.equal(Object.keys(metadata), ['resourceVersion']);
    }
  });

test('the end of a streaming list is marked for those who ask for one', async () => {
  const [end, ...later] = await bookmarksOf('sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
  assert.is(end?.metadata.annotations['cluster.io/initial-events-end'], 'true');
  assert.ok(later.length > 0);
  for (const { metadata } of later) assert.equal(Object.keys(metadata), ['resourceVersion']);
});

test('a watch sees what is written after it began', async () => {
  const list = await client.get(configmaps);
  const watch = await client.watch(`${configmaps}?watch=1&resourceVersion=${list.body.metadata.resourceVersion}`);
  await client.post(configmaps, { ...settings, metadata: { name: 'second' } });
  await client.patch(`${configmaps}/second`, { data: { colour: 'red' } });
  await client.delete(`${configmaps}/second`);
  const seen = [await watch.next(), await watch.next(), await watch.next()];
  watch.close();
  assert.equal(
    seen.map(({ type, object }) => `${type} ${object.metadata.name} ${object.data.colour}`),
    ['ADDED second blue', 'MODIFIED second red', 'DELETED second red'],
  );
});

interface Row {
  readonly name: string;
  readonly run: string | readonly string[];
  readonly input?: unknown;
  readonly prints: RegExp;
}

const rows: readonly Row[] = [
  { name: 'get --raw', run: 'get --raw /apis/coordination.cluster.io/v1', prints: /"groupVersion":"coordination\.cluster\.io\/v1"/ },
  { name: 'api-versions', run: 'api-versions', prints: /^rbac\.authorization\.cluster\.io\/v1$/m },
  { name: 'api-resources', run: 'api-resources', prints: /^leases +coordination\.cluster\.io\/v1 +true +Lease$/m },
  {
    name: 'create',
    run: 'create -n shop --validate=false -f -',
    input: { apiVersion: 'coordination.cluster.io/v1', kind: 'Lease', metadata: { name: 'one' }, spec: { holderIdentity: 'me' } },
    prints: /^lease\.coordination\.cluster\.io\/one created$/m,
  },
  { name: 'get as YAML', run: 'get -n shop lease one -o yaml', prints: /^apiVersion: coordination\.cluster\.io\/v1$/m },
  { name: 'get as JSON', run: 'get -n shop leases -o json', prints: /"holderIdentity": "me"/ },
  { name: 'get as columns', run: 'get -n shop lease -o custom-columns=N:.metadata.name', prints: /^N\none\n$/ },
  { name: 'label', run: 'label -n shop lease one a=b', prints: /labeled$/m },
  { name: 'get by label', run: 'get -n shop leases,configmaps -l a=b -o name', prints: /^lease\.coordination\.cluster\.io\/one$/m },
  { name: 'annotate', run: 'annotate -n shop lease one note=x', prints: /annotated$/m },
  {
    name: 'merge patch',
    run: ['patch', '-n', 'shop', 'lease', 'one', '--type=merge', '-p', '{"spec":{"holderIdentity":"you"}}'],
    prints: /patched$/m,
  },
  {
    name: 'JSON patch',
    run: ['patch', '-n', 'shop', 'lease', 'one', '--type=json', '-p', '[{"op":"remove","path":"/metadata/labels/a"}]'],
    prints: /patched$/m,
  },
  {
    name: 'what the patches made',
    run: ['get', '-n', 'shop', 'lease', 'one', '-o', 'jsonpath={.spec.holderIdentity} {.metadata.labels}'],
    prints: /^you $/,
  },
  { name: 'scale', run: 'scale -n shop deployment site --replicas=3', prints: /scaled$/m },
  { name: 'delete', run: 'delete -n shop lease one', prints: /"one" deleted( from shop namespace)?$/m },
];

const program = await findKubectl();
if (program === undefined) console.log(KUBECTL_MISSING);
else {
  const kubectl = await Kubectl.create(program, server);
  for (const { name, run, input, prints } of rows)
    test(`kubectl: ${name}`, async () => {
      const output = await kubectl.run(run, input);
      assert.match(output, prints, `kubectl ${run}\n${output}`);
    });
}

test('the log holds no fault of the server', () => {
  assert.ok(server.running());
  assert.equal(server.faults(), []);
});

test.run();
