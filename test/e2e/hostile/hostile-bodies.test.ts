/** Bodies that no client should send: each gets its Status, none stops the server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { assertNoTrace, assertRefused, attacksOn } from '../../harness/hostile.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('hostile bodies');

const server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
const client = new Client(server);
const attack = attacksOn(server, test);
test.after(async () => {
  client.close();
  await server.stop();
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';

const configmap = (members: string, metadata = '{"generateName":"bad-"}') =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata}${members === '' ? '' : `,${members}`}}`;
const deployment = (spec: unknown) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generateName: 'bad-' }, spec });
const pod = (spec: object, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { generateName: 'bad-' },
  spec: { containers: [{ name: 'a', image: 'b', ...container }], ...spec },
});
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const nestedObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

interface Row {
  readonly name: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
  readonly status: number | readonly number[];
}

function refused(method: string, defaultPath: string, defaultHeaders: Record<string, string>, rows: readonly Row[]): void {
  for (const { name, path = defaultPath, headers, body, status } of rows)
    attack(`${method}: ${name}`, async () => {
      const answer = await client.request(method, path, { headers: { ...defaultHeaders, ...headers }, body });
      assertRefused(answer, ...[status].flat());
    });
}

test.before(async () => {
  const answer = await client.post(CONFIGMAPS, configmap('"data":{"a":"1"}', '{"name":"victim"}'));
  assert.is(answer.status, 201, answer.text);
});

refused('POST', CONFIGMAPS, {}, [
  { name: 'nothing', body: '', status: 400 },
  { name: 'half an object', body: '{"apiVersion":', status: 400 },
  { name: 'two objects', body: `${configmap('')}${configmap('')}`, status: 400 },
  { name: 'text after the object', body: `${configmap('')} x`, status: 400 },
  { name: 'null', body: 'null', status: [400, 422] },
  { name: 'a list', body: '[]', status: 400 },
  { name: 'a number', body: '42', status: 400 },
  { name: 'a text', body: '"x"', status: 400 },
  { name: 'binary garbage', body: Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) & 255)), status: 400 },
  { name: 'a broken escape', body: configmap('"data":{"a":"\\u12"}'), status: 400 },
  { name: 'a control character in a text', body: configmap('"data":{"a":"\u0001"}'), status: 400 },
  { name: 'a kind that is no text', body: '{"apiVersion":"v1","kind":7}', status: 400 },
  { name: 'a version that is an object', body: '{"apiVersion":{},"kind":"ConfigMap"}', status: 400 },
  { name: 'metadata that is a number', body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":7}', status: 400 },
  { name: 'labels that are a list', body: configmap('', '{"name":"a","labels":["b"]}'), status: 400 },
  { name: 'a label that is a number', body: configmap('', '{"name":"a","labels":{"b":1}}'), status: 400 },
  { name: 'a name that is an object', body: configmap('', '{"name":{}}'), status: 400 },
  { name: 'a name with U+0000', body: configmap('', '{"name":"a\\u0000"}'), status: 422 },
  { name: 'a name with half a surrogate pair', body: configmap('', '{"name":"a\\ud800"}'), status: 422 },
  { name: 'a name of 1 MB', body: configmap('', `{"name":"${'a-'.repeat(500_000)}"}`), status: 422 },
  { name: 'a label key of 1 MB', body: configmap('', `{"name":"a","labels":{"${'a.'.repeat(500_000)}/b":""}}`), status: 422 },
  { name: 'a time that is none', body: configmap('', '{"name":"a","creationTimestamp":"yesterday"}'), status: 400 },
  {
    name: '10,000 owners that are all the controller',
    body: configmap(
      '',
      `{"name":"a","ownerReferences":${JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ apiVersion: 'v1', kind: 'Pod', name: 'b', uid: `u${i}`, controller: true })))}}`,
    ),
    status: 422,
  },
  {
    name: '15,000 owners of one uid',
    body: configmap(
      '',
      `{"name":"A","ownerReferences":${JSON.stringify(Array.from({ length: 15_000 }, (_, i) => ({ apiVersion: 'v1', kind: 'Pod', name: `b${i}`, uid: 'u' })))}}`,
    ),
    status: 422,
  },
  { name: 'owner references that are texts', body: configmap('', '{"name":"a","ownerReferences":["x"]}'), status: 400 },
  { name: '20,000 lists in one another', body: configmap(`"x":${nested(20_000)}`), status: 400 },
  { name: '20,000 objects in one another', body: configmap(`"x":${nestedObjects(20_000)}`), status: 400 },
  { name: '200,000 opening brackets', body: '['.repeat(200_000), status: 400 },
  { name: 'data of the wrong type, 9,000 levels deep', body: configmap(`"data":${nested(9_000)}`), status: 400 },
  {
    name: '40,000 keys that are not valid',
    body: configmap(`"data":{${Array.from({ length: 40_000 }, (_, i) => `"/${i}":""`)}}`),
    status: 422,
  },
  { name: 'a media type that every object has', headers: { 'content-type': 'constructor' }, body: configmap(''), status: 415 },
  { name: 'a media type that is a prototype', headers: { 'content-type': '__proto__' }, body: configmap(''), status: 415 },
  { name: 'an empty media type with parameters', headers: { 'content-type': ';;=;' }, body: configmap(''), status: 415 },
  { name: 'a parameter without a value', headers: { 'content-type': 'application/json; charset' }, body: configmap(''), status: 415 },
  {
    name: 'JSON that says it is protobuf',
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    body: configmap(''),
    status: 400,
  },
  {
    name: 'protobuf that ends in a length',
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    body: Buffer.from('6b387300120affffffff0f', 'hex'),
    status: 400,
  },
  { name: 'an unknown field, strictly', path: `${CONFIGMAPS}?fieldValidation=Strict`, body: configmap('"x":1'), status: 400 },
  { name: 'a duplicate key, strictly', path: `${CONFIGMAPS}?fieldValidation=Strict`, body: configmap('"data":{},"data":{}'), status: 400 },
]);

const aliases = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}*a${i}]`).join('\n');
refused('POST', CONFIGMAPS, { 'content-type': 'application/yaml' }, [
  { name: 'YAML aliases that multiply', body: `a0: &a0 x\n${aliases}\nkind: ConfigMap\n`, status: 400 },
  { name: 'YAML of many short lines', body: '- a\n'.repeat(500_000), status: 400 },
  { name: 'YAML that merges a map again and again', body: `a: &a {}\n${'<<: *a\n'.repeat(50_000)}`, status: 422 },
  { name: 'YAML that is none', body: 'a: [b\nc: }', status: 400 },
  { name: 'YAML, 20,000 levels deep', body: `apiVersion: v1\nkind: ConfigMap\nx: ${nested(20_000)}\n`, status: 400 },
  {
    name: 'YAML with a tag of a language',
    body: 'kind: !!js/function "function(){}"\napiVersion: v1\nmetadata: {name: A}',
    status: [400, 422],
  },
]);

refused('POST', DEPLOYMENTS, {}, [
  { name: 'a text for a number', body: deployment({ replicas: 'three' }), status: 400 },
  { name: 'a fraction for an integer', body: deployment({ replicas: 3.5 }), status: 400 },
  { name: 'an integer beyond 32 bits', body: deployment({ replicas: 99_999_999_999 }), status: 400 },
  { name: 'a number beyond all', body: '{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1e99999}}', status: 400 },
  {
    name: 'a number of 1,000,000 digits',
    body: `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":${'9'.repeat(1e6)}}}`,
    status: 400,
  },
  { name: 'an object for a list', body: deployment({ template: { spec: { containers: {} } } }), status: 400 },
  { name: 'a list for an object', body: deployment({ template: [] }), status: 400 },
  { name: 'a text in a list of objects', body: deployment({ template: { spec: { containers: ['x'] } } }), status: 400 },
  { name: 'null in a list of objects', body: deployment({ template: { spec: { containers: [null] } } }), status: 422 },
  { name: 'a boolean for a percentage', body: deployment({ strategy: { rollingUpdate: { maxSurge: true } } }), status: 400 },
  { name: 'a percentage of 1 MB', body: deployment({ strategy: { rollingUpdate: { maxSurge: `${'9'.repeat(1e6)}%` } } }), status: 422 },
  { name: 'another kind', body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, status: 400 },
]);

refused('POST', PODS, {}, [
  { name: 'a quantity that is none', body: pod({}, { resources: { limits: { cpu: 'much' } } }), status: 400 },
  { name: 'a quantity that is an object', body: pod({}, { resources: { limits: { cpu: {} } } }), status: 400 },
  { name: 'a quantity of 1,000,000 digits', body: pod({}, { resources: { limits: { cpu: '1'.repeat(1e6) } } }), status: [400, 422] },
  { name: 'a quantity with a huge exponent', body: pod({}, { resources: { limits: { cpu: '1e999999999' } } }), status: [400, 422] },
  { name: 'an address of 200 KB', body: pod({ hostAliases: [{ ip: '1.'.repeat(100_000), hostnames: ['a'] }] }), status: 422 },
  { name: '3,000 containers without anything', body: pod({ containers: Array(3_000).fill({}) }), status: 422 },
  {
    name: '10,000 constraints of one key, and a warning of each',
    body: pod({ topologySpreadConstraints: Array(10_000).fill({ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'ScheduleAnyway' }) }),
    status: 422,
  },
  {
    name: '20,000 host aliases that are warned of and wrong',
    body: pod({ hostAliases: Array.from({ length: 20_000 }, (_, i) => ({ ip: `01.1.1.${i}`, hostnames: ['a'] })) }),
    status: 422,
  },
  { name: '20,000 volumes of one name', body: pod({ volumes: Array(20_000).fill({ name: 'v', emptyDir: {} }) }), status: 422 },
]);

const victim = `${CONFIGMAPS}/victim`;
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' };
const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/x${i}` }));

refused('PATCH', victim, {}, [
  { name: 'no type', headers: { 'content-type': '' }, body: '{}', status: 415 },
  { name: 'a type that every object has', headers: { 'content-type': 'constructor' }, body: '{}', status: 415 },
  { name: 'a type that is a prototype', headers: { 'content-type': '__proto__' }, body: '{}', status: 415 },
  { name: 'broken JSON', headers: mergePatch, body: '{', status: 400 },
  { name: 'a merge patch that is a list', headers: mergePatch, body: '[]', status: 400 },
  { name: 'a merge patch of another type inside', headers: mergePatch, body: { data: 7 }, status: [400, 422] },
  { name: 'a merge patch 20,000 levels deep', headers: mergePatch, body: nestedObjects(20_000), status: 400 },
  { name: 'a merge patch 9,000 levels deep', headers: mergePatch, body: `{"data":${nestedObjects(9_000)}}`, status: [400, 422] },
  { name: 'a merge patch that takes the name away', headers: mergePatch, body: { metadata: { name: null } }, status: [400, 422] },
  { name: 'a merge patch of the kind', headers: mergePatch, body: { kind: 'Secret' }, status: [400, 422] },
  { name: 'a strategic patch that is a text', headers: strategicPatch, body: '"x"', status: 400 },
  {
    name: 'a strategic patch with an unknown directive',
    headers: strategicPatch,
    body: { data: { $patch: 'explode' } },
    status: [400, 422],
  },
  { name: 'a strategic patch with a directive that is a list', headers: strategicPatch, body: { $patch: [] }, status: [400, 422] },
  { name: 'a strategic patch 9,000 levels deep', headers: strategicPatch, body: `{"data":${nestedObjects(9_000)}}`, status: [400, 422] },
  { name: 'a JSON patch that is an object', headers: jsonPatch, body: {}, status: 400 },
  { name: 'a JSON patch of numbers', headers: jsonPatch, body: [1], status: 400 },
  { name: 'a JSON patch without a path', headers: jsonPatch, body: [{ op: 'add', value: 1 }], status: [400, 422] },
  { name: 'a JSON patch with a path that is a number', headers: jsonPatch, body: [{ op: 'remove', path: 7 }], status: [400, 422] },
  { name: 'a JSON patch with an unknown operation', headers: jsonPatch, body: [{ op: 'explode', path: '/data' }], status: [400, 422] },
  { name: 'a JSON patch of what is not there', headers: jsonPatch, body: [{ op: 'remove', path: '/data/nothing' }], status: 422 },
  {
    name: 'a JSON patch into the prototype',
    headers: jsonPatch,
    body: [{ op: 'add', path: '/__proto__/polluted', value: 'x' }],
    status: 422,
  },
  {
    name: 'a JSON patch into the constructor',
    headers: jsonPatch,
    body: [{ op: 'add', path: '/constructor/prototype/polluted', value: 'x' }],
    status: 422,
  },
  { name: 'a JSON patch into a method', headers: jsonPatch, body: [{ op: 'add', path: '/metadata/toString/x', value: 1 }], status: 422 },
  { name: 'a JSON patch that takes everything away', headers: jsonPatch, body: [{ op: 'remove', path: '' }], status: [400, 422] },
  {
    name: 'a JSON patch with an index beyond all',
    headers: jsonPatch,
    body: [{ op: 'add', path: '/metadata/finalizers/9', value: 'x/y' }],
    status: 422,
  },
  { name: 'a JSON patch that doubles the data 40 times', headers: jsonPatch, body: doubling, status: 422 },
  {
    name: 'a JSON patch of 20,000 operations',
    headers: jsonPatch,
    body: Array(20_000).fill({ op: 'test', path: '/kind', value: 'ConfigMap' }),
    status: 413,
  },
]);

refused('DELETE', `${CONFIGMAPS}/nobody`, {}, [
  { name: 'options of another kind', body: { kind: 'Pod', apiVersion: 'v1' }, status: 400 },
  { name: 'options of the wrong type', body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 'long' }, status: 400 },
  { name: 'options that are a list', body: '[]', status: 400 },
  { name: 'broken options', body: '{', status: 400 },
]);

const LIMIT = 3 * 1024 * 1024;
const ofSize = (bytes: number) => {
  const around = configmap('"data":{"a":""}').length;
  return configmap(`"data":{"a":"${'x'.repeat(bytes - around)}"}`);
};
attack('a body of exactly the limit is read', async () => {
  const answer = await client.post(CONFIGMAPS, ofSize(LIMIT));
  assertRefused(answer, 422);
  assert.match(answer.body.message, /Too long: may not be more than 1048576 bytes/);
});
for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[])
    attack(`${method}: a body above the limit, ${headers['transfer-encoding'] ?? 'with its length'}`, async () => {
      const path = method === 'POST' ? CONFIGMAPS : victim;
      const type = method === 'PATCH' ? mergePatch : {};
      const answer = await client.request(method, path, { headers: { ...headers, ...type }, body: ofSize(LIMIT + 1) });
      assertRefused(answer, 413);
      assert.is(answer.body.reason, 'RequestEntityTooLarge');
    });

attack('thousands of elements that are deleted one by one', async () => {
  const names = Array.from({ length: 15_000 }, (_, i) => `v${i}`);
  const selector = { matchLabels: { a: 'b' } };
  const spec = { volumes: names.map((name) => ({ name, emptyDir: {} })), containers: [{ name: 'a', image: 'b' }] };
  const created = await client.post(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'many-volumes' },
    spec: { selector, template: { metadata: { labels: { a: 'b' } }, spec } },
  });
  assert.is(created.status, 201, created.text.slice(0, 500));
  const deleted = { spec: { template: { spec: { volumes: names.toReversed().map((name) => ({ name, $patch: 'delete' })) } } } };
  const answer = await client.request('PATCH', `${DEPLOYMENTS}/many-volumes`, { headers: strategicPatch, body: deleted });
  assert.is(answer.status, 200, answer.text.slice(0, 500));
  assert.is(answer.body.spec.template.spec.volumes, undefined);
});

attack('keys that every JavaScript object has are data like any other', async () => {
  const data = { ['__proto__']: 'a', constructor: 'b', toString: 'c', hasOwnProperty: 'd', valueOf: 'e' };
  const text = JSON.stringify(data);
  const created = await client.post(CONFIGMAPS, configmap(`"data":${text}`, '{"name":"keys","labels":{"constructor":"x","toString":"y"}}'));
  assert.is(created.status, 201, created.text);
  const got = await client.get(`${CONFIGMAPS}/keys`);
  assert.equal(Object.entries(got.body.data).sort(), Object.entries(data).sort());
  assert.equal(Object.entries(got.body.metadata.labels).sort(), [
    ['constructor', 'x'],
    ['toString', 'y'],
  ]);
  const selected = await client.get(`${CONFIGMAPS}?labelSelector=constructor%3Dx,!valueOf`);
  assert.is(selected.body.items.length, 1);
  for (const type of ['application/merge-patch', 'application/strategic-merge-patch']) {
    const patched = await client.patch(`${CONFIGMAPS}/keys`, `{"data":{"__proto__":"${type.slice(12)}","constructor":null}}`, type);
    assert.is(patched.status, 200, patched.text);
    assert.is(Object.getOwnPropertyDescriptor(patched.body.data, '__proto__')?.value, type.slice(12), patched.text);
    assert.not(Object.hasOwn(patched.body.data, 'constructor'));
  }
  const replaced = await client.patch(
    `${CONFIGMAPS}/keys`,
    [{ op: 'replace', path: '/data/__proto__', value: 'z' }],
    'application/json-patch',
  );
  assert.is(replaced.status, 200, replaced.text);
  assert.is(Object.getOwnPropertyDescriptor(replaced.body.data, '__proto__')?.value, 'z');
});

attack('a prototype in a body changes nothing of others', async () => {
  const polluted = '"__proto__":{"polluted":"yes","data":{"p":"q"}},"constructor":{"prototype":{"polluted":"yes"}}';
  const created = await client.post(CONFIGMAPS, configmap(polluted, `{"generateName":"p-",${polluted}}`));
  assert.is(created.status, 201, created.text);
  assert.not(Object.hasOwn(created.body, 'data'), created.text);
  const patched = await client.patch(victim, `{${polluted},"metadata":{${polluted}}}`);
  assert.is(patched.status, 200, patched.text);
  const other = await client.get(victim);
  assert.equal(other.body.data, { a: '1' });
  assert.not.match(other.text, /polluted/);
  const review = await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
  });
  assert.not.match(review.text, /polluted/);
});

attack('10,000 unknown fields: the warnings stay within what a client can read', async () => {
  const answer = await client.post(CONFIGMAPS, configmap(Array.from({ length: 10_000 }, (_, i) => `"unknown${i}":1`).join(',')));
  assert.is(answer.status, 201, answer.text.slice(0, 500));
  assert.ok(String(answer.headers.warning).length < 8_192, `${String(answer.headers.warning).length} characters`);
});

attack('a warning with what no header may hold', async () => {
  const answer = await client.post(CONFIGMAPS, configmap('"line\\r\\nbreak":1,"ünïcödé 🚀":2,"\\u0000":3'));
  assert.is(answer.status, 201, answer.text);
  assert.match(String(answer.headers.warning), /^299 - /);
});

attack('a duplicate key is merged, with a warning', async () => {
  const answer = await client.post(CONFIGMAPS, configmap('"data":{"a":"1","a":"2"}'));
  assert.is(answer.status, 201, answer.text);
  assert.equal(answer.body.data, { a: '2' });
  assert.match(String(answer.headers.warning), /duplicate field/);
});

attack('bytes that are no UTF-8, and half a surrogate pair', async () => {
  const [before, after] = configmap('"data":{"a":"<>\\ud800"}').split('<>') as [string, string];
  const answer = await client.post(CONFIGMAPS, Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(after)]));
  assertNoTrace(answer);
  assert.ok(answer.status === 201 || answer.status === 400, `${answer.status} ${answer.text}`);
  if (answer.status === 201) assert.match((await client.get(`${CONFIGMAPS}/${answer.body.metadata.name}`)).body.data.a, /^\ufffd+$/);
});

attack('a character that is cut off is replaced byte by byte, in JSON and in a patch', async () => {
  const [before, after] = configmap('"data":{"a":"<>x"}').split('<>') as [string, string];
  const cut = (begin: string, end: string) => Buffer.concat([Buffer.from(begin), Buffer.from([0xe2, 0x82]), Buffer.from(end)]);
  const { body } = await client.post(CONFIGMAPS, cut(before, after));
  assert.equal(body.data, { a: '\ufffd\ufffdx' });
  const path = `${CONFIGMAPS}/${body.metadata.name}`;
  const patched = await client.patch(path, cut('{"data":{"a":"', 'y"}}'), 'application/merge-patch');
  assert.equal(patched.body.data, { a: '\ufffd\ufffdy' });
});

attack('9,000 levels in a place that is kept as it is', async () => {
  for (const data of [nested(9_000), nestedObjects(9_000)]) {
    const body = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"generateName":"deep-"},"revision":1,"data":{"x":${data}}}`;
    const answer = await client.post(REVISIONS, body);
    assertNoTrace(answer);
    if (answer.status !== 201) {
      assertRefused(answer);
      continue;
    }
    const path = `${REVISIONS}/${answer.body.metadata.name}`;
    for (const accept of [
      'application/json',
      'application/yaml',
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      'application/vnd.kubernetes.protobuf',
    ]) {
      const got = await client.get(path, { accept });
      assertNoTrace(got);
      assert.ok(got.status < 500, `${accept}: ${got.status} ${got.text.slice(0, 300)}`);
    }
    const patched = await client.patch(path, { metadata: { labels: { a: 'b' } } });
    assert.ok(patched.status < 500, `${patched.status} ${patched.text.slice(0, 300)}`);
  }
});

attack('long lists take no more than their share of time', async () => {
  const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
  const wide = [
    pod({ volumes: many(10_000, (i) => ({ name: `v${i}`, emptyDir: {} })) }),
    pod({ tolerations: many(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
    pod({}, { env: many(10_000, (i) => ({ name: `E${i}`, value: 'x' })) }),
    pod({}, { ports: many(10_000, (i) => ({ name: `p${i}`, containerPort: 1 + i })) }),
  ];
  for (const body of wide) {
    const answer = await client.post(PODS, body);
    assertNoTrace(answer);
    assert.ok(answer.status < 500, `${answer.status} ${answer.text.slice(0, 300)}`);
  }
  const metadata = {
    name: 'wide',
    finalizers: many(10_000, (i) => `a.b/f${i}`),
    annotations: Object.fromEntries(many(10_000, (i) => [`k${i}`, 'v'])),
  };
  const answer = await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  assert.is(answer.status, 201, answer.text.slice(0, 300));
  const patched = await client.patch(
    `${CONFIGMAPS}/wide`,
    { metadata: { finalizers: many(10_000, (i) => `c.d/f${i}`) } },
    'application/strategic-merge-patch',
  );
  assert.is(patched.status, 200, patched.text.slice(0, 300));
});

attack('an object that grows with each request ends at a limit, and can be deleted', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const container = { name: 'c', image: 'i', env: [{ name: 'FIRST', value: 'v' }] };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
  const created = await client.post(path, { metadata: { name: 'growing' }, spec: { selector: { matchLabels: { a: 'b' } }, template } });
  assert.is(created.status, 201, created.text.slice(0, 300));
  const grow = (name: string) =>
    client.patch(
      `${path}/growing`,
      [{ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name, value: 'x'.repeat(2_900_000) } }],
      'application/json-patch',
    );
  const statuses = [];
  for (const name of ['A', 'B', 'C']) statuses.push((await grow(name)).status);
  assert.equal(statuses, [200, 200, 413]);
  const kept = await client.get(`${path}/growing`);
  assert.is(kept.body.spec.template.spec.containers[0].env.length, 3);
  assert.is((await client.delete(`${path}/growing`)).status, 200);
});

test.run();
