/** What is applied is read by no decoder in 1.32: values of other types, and null that nobody takes, are left to validation. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PARTS = '/apis/shop.example/v1/namespaces/default/parts';
const SPEC = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer' },
    text: { type: 'string' },
    preset: { type: 'string', default: 'some' },
    nothing: { type: 'string', nullable: true },
    uri: { type: 'string', format: 'uri' },
    bytes: { type: 'string', format: 'byte' },
    labels: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const test = suite('applied values of custom resources');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } };
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name: 'parts.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(PARTS)).status === 200);
});
test.after(() => server.stop());

const apply = (name: string, metadata: Json, spec: Json, query = ''): Promise<Response> =>
  server.client.fetch(`${PARTS}/${name}?fieldManager=test${query}`, {
    method: 'PATCH',
    body: JSON.stringify({ apiVersion: 'shop.example/v1', kind: 'Part', metadata, spec }),
    headers: { 'content-type': 'application/apply-patch+yaml' },
  });

const rows: readonly [name: string, spec: Json, causes: readonly string[] | 'is taken' | RegExp][] = [
  [
    'null in the place of a text',
    { size: 1, text: null },
    ['spec.text: Invalid value: "null": spec.text in body must be of type string: "null"'],
  ],
  [
    'null where something is needed',
    { size: null },
    ['spec.size: Invalid value: "null": spec.size in body must be of type integer: "null"'],
  ],
  [
    'null in a map',
    { size: 1, labels: { a: null } },
    ['spec.labels.a: Invalid value: "null": spec.labels.a in body must be of type string: "null"'],
  ],
  ['null where it is taken', { size: 1, nothing: null }, 'is taken'],
  ['null where there is a default', { size: 1, preset: null }, 'is taken'],
  [
    'a number in the place of a text of a format',
    { size: 1, uri: 7 },
    ['spec.uri: Invalid value: "int64": spec.uri in body must be of type uri: "int64"'],
  ],
  ['a number in the place of bytes', { size: 1, bytes: 7 }, /expected string/],
  ['a number in the place of a text', { size: 1, text: 7 }, /expected string/],
  [
    'an object within that has no kind',
    { size: 1, pod: { apiVersion: 'v1', kind: null } },
    ['spec.pod.kind: Invalid value: "null": must be a string'],
  ],
];
const within = (metadata: Json) => ({ size: 1, pod: { apiVersion: 'v1', kind: 'Pod', metadata } });
const refused: readonly [name: string, metadata: Json, spec: Json, message: RegExp][] = [
  [
    'a time of an object within that is a number',
    {},
    within({ creationTimestamp: 5 }),
    /^failed to convert new object \(\/a; shop\.example\/v1, Kind=Part\) to proper version: unable to convert unstructured object to shop\.example\/v1, Kind=Part: /,
  ],
  ['owners of fields', { managedFields: [] }, { size: 1 }, /^metadata\.managedFields must be nil$/],
  ['owners of fields that are no list', { managedFields: 1 }, { size: 1 }, /: \.metadata\.managedFields: expected list, got &\{1\}$/],
  [
    'owners of fields that are no objects',
    { managedFields: [1] },
    { size: 1 },
    /: \.metadata\.managedFields\[0\]: expected map, got &\{1\}$/,
  ],
];
for (const [name, metadata, spec, message] of refused)
  test(name, async () => {
    const answer = await apply('a', { name: 'a', ...metadata }, spec, '&dryRun=All');
    assert.is(answer.status, 400);
    assert.match(((await answer.json()) as Json).message, message);
  });

for (const [name, value] of [
  ['creationTimestamp', 5],
  ['creationTimestamp', 'x'],
  ['generation', 1.5],
  ['deletionTimestamp', 'x'],
  ['deletionGracePeriodSeconds', 1.5],
] as const)
  test(`metadata whose ${name} is ${value}, which says nothing`, async () => {
    for (const status of [201, 200]) {
      const answer = await apply('c', { name: 'c', [name]: value }, { size: 1 });
      assert.is(answer.status, status);
      const { metadata }: Json = await answer.json();
      assert.equal([metadata.generation, metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds], [1, undefined, undefined]);
      assert.match(metadata.creationTimestamp, /^20\d\d-/);
    }
    await server.client.request('DELETE', `${PARTS}/c`);
  });

for (const [name, spec, expected] of rows)
  test(name, async () => {
    const answer = await apply('a', { name: 'a' }, spec, '&dryRun=All');
    const body: Json = await answer.json();
    if (expected === 'is taken') assert.is(answer.status, 201, JSON.stringify(body));
    else if (expected instanceof RegExp) assert.match(body.message, expected);
    else
      assert.equal(
        body.details?.causes?.map(({ field, message }: Json) => `${field}: ${message}`),
        expected,
        JSON.stringify(body),
      );
  });

test('null that validation lets pass is not stored where no schema takes it', async () => {
  const written: Json[] = [];
  for (const spec of [
    { size: 1, any: null },
    { size: 2, any: null },
    { size: 2, any: { a: null } },
  ]) {
    const answer = await apply('b', { name: 'b' }, spec);
    const stored: Json = await (await server.client.fetch(`${PARTS}/b`)).json();
    const { spec: answered }: Json = await answer.json();
    written.push([answered, stored.spec]);
  }
  const first = { preset: 'some', size: 1 };
  const second = { preset: 'some', size: 2 };
  const third = { any: { a: null }, ...second };
  assert.equal(written, [
    [first, first],
    [second, second],
    [third, third],
  ]);
});
test.run();
