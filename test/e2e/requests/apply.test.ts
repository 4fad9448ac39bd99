/** Server-side apply over the wire: what the recorded conversations do not show. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('apply');
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let server: TestServer;
let client: Client;

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
});
test.after(async () => {
  await server?.stop();
});

const map = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

function apply(path: string, query: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return client.request('PATCH', `${path}?${query}`, { headers: { 'content-type': 'application/apply-patch+yaml', ...headers }, body });
}

function owners({ body }: Answer): Record<string, Json> {
  return Object.fromEntries(
    (body.metadata.managedFields ?? []).map((entry: Json) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]),
  );
}

test('many appliers of one object at once all get their own', async () => {
  const path = `${MAPS}/shared`;
  const names = Array.from({ length: 8 }, (_, index) => `m${index}`);
  for (let round = 1; round <= 5; round++)
    for (const answer of await Promise.all(names.map((name) => apply(path, `fieldManager=${name}`, map('shared', { [name]: `${round}` })))))
      assert.ok([200, 201].includes(answer.status), answer.text);
  const answer = await client.get(path);
  assert.equal(answer.body.data, Object.fromEntries(names.map((name) => [name, '5'])));
  assert.equal(owners(answer), Object.fromEntries(names.map((name) => [`${name} Apply`, { 'f:data': { [`f:${name}`]: {} } }])));
});

test('of many creations by apply one creates', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => apply(`${MAPS}/raced`, `fieldManager=m${index}`, map('raced', { [`k${index}`]: 'v' }))),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201]);
  assert.is(Object.keys((await client.get(`${MAPS}/raced`)).body.data).length, 6);
});

test('a no-op keeps the version, and the time in it', async () => {
  const first = await apply(`${MAPS}/quiet`, 'fieldManager=m', map('quiet', { a: '1' }));
  const second = await apply(`${MAPS}/quiet`, 'fieldManager=m', map('quiet', { a: '1' }));
  assert.equal(second.body, first.body);
});

test('a dry run of a creation stores nothing', async () => {
  const answer = await apply(`${MAPS}/dry`, 'fieldManager=m&dryRun=All', map('dry', { a: '1' }));
  assert.is(answer.status, 201);
  assert.equal(owners(answer), { 'm Apply': { 'f:data': { 'f:a': {} } } });
  assert.is((await client.get(`${MAPS}/dry`)).status, 404);
});

test('answers in protobuf too', async () => {
  const accept = 'application/vnd.kubernetes.protobuf';
  const answer = await apply(`${MAPS}/proto`, 'fieldManager=m', map('proto', { a: '1' }), { accept });
  assert.is(answer.status, 201);
  assert.is(answer.headers['content-type'], accept);
  assert.match(answer.text, /\{"f:data":\{"f:a":\{\}\}\}/);
});

const refused: readonly [name: string, query: string, body: unknown, status: number, message: RegExp][] = [
  [
    'a key that stands twice, strictly',
    'fieldValidation=Strict',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata: {}\ndata: {}\n',
    400,
    /strict decoding YAML: .*line 5: key "data" already set in map/s,
  ],
  ['managedFields', '', map('bad', {}, { managedFields: [] }), 400, /metadata\.managedFields must be nil/],
  ['another namespace', '', map('bad', {}, { namespace: 'other' }), 400, /the namespace of the provided object does not match/],
  ['another name', '', map('other', {}), 400, /the name of the object \(other\) does not match the name on the URL \(bad\)/],
  ['another version', '', { ...map('bad', {}), apiVersion: 'v2' }, 400, /invalid object type: \/v2, Kind=ConfigMap/],
  ['a version that is a number', '', { ...map('bad', {}), apiVersion: 5 }, 400, /invalid object type: \/, Kind=ConfigMap/],
  ['metadata that is a text', '', { ...map('bad', {}), metadata: 'x' }, 400, /\.metadata: expected map, got &\{x\}/],
  [
    'a time that is a list',
    '',
    map('bad', {}, { creationTimestamp: [1] }),
    400,
    /\.metadata\.creationTimestamp: expected any scalar, got &\{\[1\]\}/,
  ],
  [
    'a uid of nothing',
    '',
    map('bad', {}, { uid: 'x' }),
    409,
    /uid mismatch: the provided object specified uid x, and no existing object was found/,
  ],
  [
    'an element without its keys',
    '',
    map('bad', {}, { ownerReferences: ['x'] }),
    400,
    /element 0: associative list with keys may not have non-map elements/,
  ],
  ['a value that its type does not take', '', map('bad', {}, { generation: 1.5 }), 400, /ConfigMap/],
];
for (const [name, query, body, status, message] of refused)
  test(`refuses ${name}`, async () => {
    const answer = await apply(`${MAPS}/bad`, `fieldManager=m&${query}`, body);
    assert.is(answer.status, status, answer.text);
    assert.match(answer.body.message, message);
    assert.is((await client.get(`${MAPS}/bad`)).status, 404);
  });

const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: repeated-keys\ndata:\n  a: "1"\n  a: "2"\n  b: "1"\n  b: "2"\n';
test('each key that stands twice is a warning of its own', async () => {
  const answer = await apply(`${MAPS}/repeated-keys`, 'fieldManager=m', twice);
  assert.is(answer.status, 201, answer.text);
  assert.is(answer.headers.warning, '299 - "line 7: key \\"a\\" already set in map", 299 - "line 9: key \\"b\\" already set in map"');
  assert.equal(answer.body.data, { a: '2', b: '2' });
  const strict = await apply(`${MAPS}/repeated-keys`, 'fieldManager=m&fieldValidation=Strict', twice);
  assert.is(strict.status, 400);
  assert.match(
    strict.body.message,
    /^error strict decoding YAML: .*:\n {2}line 7: key "a" already set in map\n {2}line 9: key "b" already/,
  );
});

test('a version in the body is a precondition', async () => {
  const first = await apply(`${MAPS}/versioned`, 'fieldManager=m', map('versioned', { a: '1' }));
  const { resourceVersion } = first.body.metadata;
  assert.is((await client.patch(`${MAPS}/versioned`, { data: { b: '1' } })).status, 200);
  const stale = await apply(`${MAPS}/versioned`, 'fieldManager=m', map('versioned', { a: '2' }, { resourceVersion }));
  assert.is(stale.status, 409);
  assert.match(stale.body.message, /the object has been modified/);
});

test('force is for applies alone', async () => {
  const answer = await client.patch(`${MAPS}/versioned?force=true`, { data: { b: '1' } });
  assert.is(answer.status, 422);
  assert.match(answer.body.message, /force: Forbidden: may not be specified for non-apply patch/);
});

test('CBOR is no patch type', async () => {
  const answer = await apply(`${MAPS}/versioned`, 'fieldManager=m', map('versioned', {}), {
    'content-type': 'application/apply-patch+cbor',
  });
  assert.is(answer.status, 415);
});

const deployment = (name: string, rest: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...rest,
  },
});

test('status is applied through its subresource, and there has to be an object', async () => {
  const status = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, status: { replicas: 1 } };
  assert.is((await apply(`${DEPLOYMENTS}/web/status`, 'fieldManager=s', status)).status, 404);
  await apply(`${DEPLOYMENTS}/web`, 'fieldManager=m', deployment('web'));
  const answer = await apply(`${DEPLOYMENTS}/web/status`, 'fieldManager=s', status);
  assert.is(answer.body.status.replicas, 1);
  assert.equal(owners(answer)['s Apply'], { 'f:status': { 'f:replicas': {} } });
});

test('a Scale of another object is a conflict', async () => {
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web', uid: 'other' }, spec: { replicas: 2 } };
  const answer = await apply(`${DEPLOYMENTS}/web/scale`, 'fieldManager=s&force=true', scale);
  assert.is(answer.status, 409);
  assert.match(answer.body.message, /Precondition failed: UID in precondition: other/);
});

test('in two versions of a kind, owners are those of both', async () => {
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/scaler`;
  const of = (version: string, spec: object) => ({
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'scaler' },
    spec,
  });
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await apply(path('v1'), 'fieldManager=old', of('v1', { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 50 }));
  const conflict = await apply(path('v2'), 'fieldManager=new', of('v2', { maxReplicas: 5 }));
  assert.is(conflict.status, 409);
  assert.match(conflict.body.message, /conflict with "old": \.spec\.maxReplicas/);
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }];
  const forced = await apply(path('v2'), 'fieldManager=new&force=true', of('v2', { metrics }));
  assert.is(forced.status, 200, forced.text);
  // what the one version calls metrics is a percentage to the other
  assert.equal(owners(forced)['old Apply'], { 'f:spec': { 'f:maxReplicas': {}, 'f:scaleTargetRef': {} } });
  const older = await client.get(path('v1'));
  assert.is(older.body.spec.targetCPUUtilizationPercentage, 70);
});

test('an owner that a client makes up in a subresource is none', async () => {
  const managedFields = [{ manager: 'x', operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } }];
  const answer = await client.patch(`${DEPLOYMENTS}/web/status`, { metadata: { managedFields }, status: { replicas: 2 } });
  assert.is(answer.status, 200);
  assert.not('x Update' in owners(answer));
});

test('what a client reads and puts back unchanged has the owners that it had', async () => {
  const before = await client.get(`${DEPLOYMENTS}/web`);
  const answer = await client.put(`${DEPLOYMENTS}/web`, before.body);
  assert.equal(answer.body, before.body);
});

test('whoever sends an empty list where none was owns it', async () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
  const owned = { 'test Update': { 'f:rules': {} } };
  const role = (name: string, members: object) => ({ metadata: { name }, ...members });
  assert.equal(owners(await client.post(`${roles}?fieldManager=test`, role('none', {}))), {});
  assert.equal(owners(await client.post(`${roles}?fieldManager=test`, role('null', { rules: null }))), {});
  const created = await client.post(`${roles}?fieldManager=test`, role('empty', { rules: [] }));
  assert.equal(owners(created), owned);
  assert.is(created.body.rules, null);
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patched = await client.request('PATCH', `${roles}/empty?fieldManager=other`, { headers, body: { rules: [] } });
  assert.equal(owners(patched), { 'other Update': { 'f:rules': {} } });
});

test('whoever sends an empty list within a list that has one owner as a whole owns that list', async () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
  const created = await client.post(`${roles}?fieldManager=test`, { metadata: { name: 'within' }, rules: [rule] });
  const put = (manager: string, rules: object[]) =>
    client.request('PUT', `${roles}/within?fieldManager=${manager}`, { body: { ...created.body, metadata: { name: 'within' }, rules } });
  assert.equal(owners(await put('same', [rule])), { 'test Update': { 'f:rules': {} } });
  const answer = await put('other', [{ ...rule, resourceNames: [] }]);
  assert.equal(owners(answer), { 'other Update': { 'f:rules': {} } });
  assert.equal(
    answer.body.rules,
    [rule].map(({ verbs, apiGroups, resources }) => ({ verbs, apiGroups, resources })),
  );
  for (const form of ['merge-patch', 'strategic-merge-patch']) {
    const body = { rules: [{ ...rule, nonResourceURLs: [] }] };
    const patched = await client.request('PATCH', `${roles}/within?fieldManager=${form}`, {
      headers: { 'content-type': `application/${form}+json` },
      body,
    });
    assert.equal(owners(patched), { [`${form} Update`]: { 'f:rules': {} } });
  }
});

test('raw JSON has one owner as a whole', async () => {
  const revision = (data: object) => ({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'raw' }, revision: 1, data });
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const created = await client.post(`${path}?fieldManager=test`, revision({ a: { b: 1 }, c: 2 }));
  assert.equal(owners(created), { 'test Update': { 'f:data': {}, 'f:revision': {} } });
  const applied = await apply(`${path}/raw`, 'fieldManager=m&force=true', revision({ a: { b: 1 } }));
  assert.match(applied.body.message, /: field is immutable$/);
});

test('owners are forgotten where 1.32 cannot tell the elements of a list apart', async () => {
  const path = '/api/v1/namespaces/default/serviceaccounts';
  const created = await client.post(path, { metadata: { name: 'forgetful' }, secrets: [{ name: 's' }] });
  assert.is(Object.keys(owners(created)).length, 1);
  const updated = await client.request('PUT', `${path}/forgetful`, { body: { ...created.body, secrets: [{}] } });
  assert.is(updated.body.metadata.managedFields, undefined);
});

test('a number that is too large for its type is cut off, and then judged', async () => {
  const name = 'cut';
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 2147483648,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const answer = await apply(`${DEPLOYMENTS}/${name}`, 'fieldManager=m', deployment);
  assert.match(answer.body.message, /spec\.replicas: Invalid value: -2147483648: must be greater than or equal to 0/);
});

test('elements of a set stand in it once, in lists with one owner too', async () => {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'twice' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2', '10.0.0.2'] }],
  };
  const answer = await apply('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/twice', 'fieldManager=m', slice);
  assert.is(answer.status, 400);
  assert.match(answer.body.message, /: \.endpoints\[1\]\.addresses: duplicate entries for key \[="10\.0\.0\.2"\]$/);
});

test('a struct that has no members takes any, and drops them', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'as', kind: 'A' },
      scope: 'Cluster',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { status: { unknown: 1 } },
        },
      ],
    },
  };
  const answer = await apply('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/as.example.com', 'fieldManager=m', definition);
  assert.is(answer.status, 201, answer.text);
  assert.equal(answer.body.spec.versions[0].subresources, { status: {} });
});

test('lists, tables and watches tell of owners as a get does', async () => {
  const one = await client.get(`${MAPS}/quiet`);
  const list = await client.get(MAPS);
  const listed = list.body.items.find(({ metadata }: Json) => metadata.name === 'quiet');
  assert.equal(listed.metadata.managedFields, one.body.metadata.managedFields);
  const table = await client.get(`${MAPS}/quiet`, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
  assert.equal(table.body.rows[0].object.metadata.managedFields, one.body.metadata.managedFields);
});

test.run();
