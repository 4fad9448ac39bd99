/** Patches over the wire: what is wrong with them, in which order it is said, and their limits. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('patches');
const MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;
let client: Client;

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
  assert.is((await client.post(MAPS, { metadata: { name: 'a' }, data: { x: '1' } })).status, 201);
});
test.after(async () => {
  await server?.stop();
});

const JSON_PATCH = 'application/json-patch';
const MERGE = 'application/merge-patch';
const STRATEGIC = 'application/strategic-merge-patch';

/** @property body sent as it is where it is a text */
interface Row {
  readonly name: string;
  readonly type: string;
  readonly body: unknown;
  readonly query?: string;
  readonly to?: string;
  readonly status: number;
  readonly says: RegExp;
}

const operations = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/data/x', value: '1' }));
const doubled = (times: number) => [
  { op: 'add', path: '/data/big', value: 'x'.repeat(400_000) },
  ...Array.from({ length: times }, (_, index) => ({ op: 'copy', from: '/data/big', path: `/data/copy${index}` })),
];

const refused: readonly Row[] = [
  {
    name: 'a JSON Patch that is an object',
    type: JSON_PATCH,
    body: {},
    status: 400,
    says: /^error decoding patch: json: cannot unmarshal object into Go value of type \[\]handlers\.jsonPatchOp$/,
  },
  {
    name: 'an operation that is a number',
    type: JSON_PATCH,
    body: [1],
    status: 400,
    says: /cannot unmarshal number into Go value of type handlers\.jsonPatchOp$/,
  },
  {
    name: 'a path that is a number',
    type: JSON_PATCH,
    body: [{ op: 'add', path: 1 }],
    status: 400,
    says: /Go struct field jsonPatchOp\.path of type string$/,
  },
  { name: 'an operation without a name', type: JSON_PATCH, body: [null], status: 422, says: /rejected our request/ },
  {
    name: 'a test that fails',
    type: JSON_PATCH,
    body: [{ op: 'test', path: '/data/x', value: '2' }],
    status: 422,
    says: /rejected our request/,
  },
  {
    name: 'too many operations',
    type: JSON_PATCH,
    body: operations(10_001),
    status: 413,
    says: /^Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001$/,
  },
  { name: 'copies that grow too large', type: JSON_PATCH, body: doubled(8), status: 422, says: /rejected our request/ },
  { name: 'a syntax error', type: JSON_PATCH, body: '[', status: 400, says: /^error decoding patch: unexpected end of JSON input$/ },
  {
    name: 'a merge patch that is a list',
    type: MERGE,
    body: '[]',
    status: 400,
    says: /^error decoding patch: json: cannot unmarshal array into Go value of type map\[string\]interface \{\}$/,
  },
  { name: 'a merge patch of nothing', type: MERGE, body: 'null', status: 400, says: /^Invalid JSON Patch$/ },
  {
    name: 'a strategic merge patch that is a list',
    type: STRATEGIC,
    body: '[]',
    status: 400,
    says: /^json: cannot unmarshal array into Go value of type map\[string\]interface \{\}$/,
  },
  {
    name: 'unknown and repeated fields, strictly',
    type: MERGE,
    body: '{"data":{"x":"1","x":"2"},"bogus":1}',
    query: '?fieldValidation=Strict',
    status: 422,
    says: /: strict decoding error: duplicate field "data\.x", unknown field "bogus"$/,
  },
  {
    name: 'unknown fields of a merge patch by name',
    type: MERGE,
    body: '{"zzz":1,"metadata":{"bogus":1},"aaa":1}',
    query: '?fieldValidation=Strict',
    status: 422,
    says: /: strict decoding error: unknown field "aaa", unknown field "metadata\.bogus", unknown field "zzz"$/,
  },
  {
    name: 'unknown fields of a strategic patch by path',
    type: STRATEGIC,
    body: '{"zzz":1,"metadata":{"bogus":1},"aaa":1}',
    query: '?fieldValidation=Strict',
    status: 422,
    says: /: strict decoding error: unknown field "aaa", unknown field "metadata\.bogus", unknown field "zzz"$/,
  },
  {
    name: 'a value of the wrong type',
    type: MERGE,
    body: { data: { x: 5 } },
    status: 422,
    says: /\\"data\\":\{\\"x\\":5\},\\"kind\\":.*\}": json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
  },
  {
    name: 'a value of the wrong type in a strategic patch',
    type: STRATEGIC,
    body: { data: { y: null, x: 5 } },
    status: 422,
    says: /^ "" is invalid: patch: Invalid value: "map\[data:map\[x:5 y:<nil>\]\]": cannot convert int64 to string$/,
  },
  {
    name: 'options, before the patch is looked at',
    type: MERGE,
    body: '[',
    query: '?dryRun=Some',
    status: 422,
    says: /^PatchOptions\.meta\.k8s\.io "" is invalid: dryRun/,
  },
  {
    name: 'an object that is not there, before the patch is looked at',
    type: MERGE,
    body: '[',
    to: '/nobody',
    status: 404,
    says: /^configmaps "nobody" not found$/,
  },
  {
    name: 'a type that no patch has, before all else',
    type: 'application/x',
    body: '[',
    to: '/nobody',
    query: '?dryRun=Some',
    status: 415,
    says: /^415: Unsupported Media Type$/,
  },
];
for (const { name, type, body, query = '', to = '/a', status, says } of refused)
  test(`refused: ${name}`, async () => {
    const answer = await client.patch(`${MAPS}${to}${query}`, body, type);
    assert.is(answer.status, status, answer.text);
    assert.match(answer.body.message, says);
  });

const UNKNOWN = /^415: Unsupported Media Type$/;
const LISTED = /accepted media types include: application\/json-patch\+json, .*, application\/apply-patch\+yaml$/;
const contentTypes: readonly [contentType: string, says: RegExp][] = [
  ['Application/Merge-Patch+JSON', UNKNOWN],
  ['application/merge-patch+json/x', UNKNOWN],
  ['text/plain, application/merge-patch+json', LISTED],
  ['application/merge-patch+json ; charset=utf-8', LISTED],
  ['application/apply-patch+yaml ;charset=utf-8', LISTED],
];
for (const [contentType, says] of contentTypes)
  test(`refused: a patch of the type "${contentType}"`, async () => {
    const answer = await client.patch(`${MAPS}/a`, {}, MERGE, { 'content-type': contentType });
    assert.is(answer.status, 415, answer.text);
    assert.match(answer.body.message, says);
  });

const meaningless: readonly [name: string, type: string, body: object, status: number][] = [
  ['another kind', STRATEGIC, { kind: 'Foo' }, 200],
  ['another version', STRATEGIC, { apiVersion: 'foo/v9' }, 200],
  ['no kind', STRATEGIC, { kind: null }, 200],
  ['a kind that is a number', STRATEGIC, { kind: 5 }, 422],
  ['another kind', MERGE, { kind: 'Foo' }, 422],
  ['another version', MERGE, { apiVersion: 'foo/v9' }, 422],
];
for (const [name, type, body, status] of meaningless)
  test(`${type} of ${name}`, async () => {
    const answer = await client.patch(`${MAPS}/a`, body, type);
    assert.is(answer.status, status, answer.text);
    if (status === 200) assert.is(`${answer.body.apiVersion} ${answer.body.kind}`, 'v1 ConfigMap');
  });

const spellings: readonly [type: string, number: string, status: number][] = [
  [STRATEGIC, '2.0', 200],
  [STRATEGIC, '1e1', 200],
  [STRATEGIC, '1.5', 422],
  [STRATEGIC, '1e400', 400],
  [MERGE, '2.0', 422],
];
for (const [type, number, status] of spellings)
  test(`${type} with the integer ${number}`, async () => {
    const path = '/api/v1/namespaces/default/replicationcontrollers';
    await client.post(path, {
      metadata: { name: 'r' },
      spec: { selector: { a: 'b' }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
    });
    const answer = await client.patch(`${path}/r`, `{"spec":{"replicas":${number}}}`, type);
    assert.is(answer.status, status, answer.text);
    if (status === 200) assert.is(answer.body.spec.replicas, Number(number));
  });

test('ten thousand operations are within the limit', async () => {
  assert.is((await client.patch(`${MAPS}/a`, operations(10_000), JSON_PATCH)).status, 200);
});

test('a JSON Patch of nothing changes nothing', async () => {
  const before = await client.get(`${MAPS}/a`);
  assert.equal((await client.patch(`${MAPS}/a`, 'null', JSON_PATCH)).body, before.body);
  assert.equal((await client.patch(`${MAPS}/a`, [], JSON_PATCH)).body, before.body);
});

test('patches of one object at once are all applied', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => client.patch(`${MAPS}/a`, { data: { [`k${index}`]: 'v' } })));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.is(Object.keys((await client.get(`${MAPS}/a`)).body.data).length, 21);
});

test.run();
