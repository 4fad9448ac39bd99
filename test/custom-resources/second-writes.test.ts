/** What a server has pruned and given defaults stays as it is when somebody writes it again, in whatever way. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PARTS = '/apis/shop.example/v1/namespaces/default/parts';

const text = { type: 'string', maxLength: 9 };
const ports = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['port', 'protocol'],
  items: {
    type: 'object',
    required: ['port'],
    properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' }, name: { ...text, nullable: true } },
  },
};
const SPEC = {
  type: 'object',
  default: {},
  properties: {
    text,
    amber: { ...text, default: 'amber' },
    nothing: { ...text, nullable: true, default: 'some' },
    size: { type: 'integer', default: 1 },
    share: { 'x-kubernetes-int-or-string': true, default: '10%' },
    inner: {
      type: 'object',
      properties: { deep: { type: 'object', default: { a: 'x' }, properties: { a: text, b: { ...text, default: 'b' } } } },
    },
    map: { type: 'object', additionalProperties: { type: 'object', properties: { a: text, b: { type: 'boolean', default: true } } } },
    kept: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { ...text, default: 'a' } } },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    ports,
    list: { type: 'array', items: { type: 'object', properties: { a: text, ports } } },
  },
};

const unknown = fc.dictionary(fc.constantFrom('nope', 'none'), fc.constantFrom<Json>(1, 'a', null, { a: [1] }), { maxKeys: 2 });
const word = fc.constantFrom('', 'x', 'y');
/** Values of all kinds, with members that no schema has, and null where it is taken or dropped. */
const withUnknown = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.tuple(fc.record(members, { requiredKeys: [] }), unknown).map(([known, more]) => ({ ...more, ...known }));
const port = fc
  .tuple(fc.constantFrom(1, 2), fc.constantFrom('TCP', 'UDP', undefined), fc.option(word), unknown)
  .map(([number, protocol, name, more]) => ({ ...more, port: number, ...(protocol && { protocol }), name }));
const portList = fc.uniqueArray(port, { maxLength: 3, selector: ({ port: number, protocol = 'TCP' }: Json) => `${number} ${protocol}` });
const spec = withUnknown({
  text: word,
  amber: fc.option(word),
  nothing: fc.option(word),
  size: fc.option(fc.integer({ min: -9, max: 9 })),
  share: fc.constantFrom<Json>(1, '5%', null),
  inner: withUnknown({ deep: fc.option(withUnknown({ a: word, b: fc.option(word) })) }),
  map: fc.dictionary(fc.constantFrom('k', 'l'), withUnknown({ a: word, b: fc.option(fc.boolean()) }), { maxKeys: 2 }),
  kept: withUnknown({ a: fc.option(word), more: fc.constant({ b: null }) }),
  any: fc.jsonValue({ maxDepth: 2 }),
  embedded: withUnknown({ metadata: fc.record({ name: fc.constant('e'), labels: fc.constant({ a: 'b' }) }) }).map((each) => ({
    ...each,
    apiVersion: 'v1',
    kind: 'Pod',
  })),
  set: fc.uniqueArray(word, { maxLength: 3 }),
  ports: portList,
  list: fc.array(withUnknown({ a: word, ports: portList }), { maxLength: 2 }),
});

const test = suite('second writes of custom resources');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } } };
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name: 'parts.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList' },
      versions: [version],
    },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(PARTS)).status === 200);
});
test.after(() => server.stop());

async function send(method: string, path: string, body: unknown, type = 'application/json'): Promise<Json> {
  const answer = await server.client.fetch(path, { method, body: JSON.stringify(body), headers: { 'content-type': type } });
  const read: Json = await answer.json();
  assert.ok(answer.status < 300, `${method} ${JSON.stringify(body)}: ${JSON.stringify(read)}`);
  return read;
}

test('change nothing', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(spec, async (drawn) => {
      const name = `part-${count++}`;
      const at = `${PARTS}/${name}`;
      const made = await send('POST', PARTS, { apiVersion: 'shop.example/v1', kind: 'Part', metadata: { name }, spec: drawn });
      const read: Json = await (await server.client.fetch(at)).json();
      assert.equal(read, made, 'what is read is what was answered');
      assert.equal(await send('PUT', at, read), read, 'put as it was read');
      assert.equal(await send('PATCH', at, { spec: {} }, 'application/merge-patch+json'), read, 'patched by nothing');
      const again = await send('PUT', at, { ...read, spec: drawn });
      assert.equal(again, read, 'put as it was sent first');
    }),
    { numRuns: 150 },
  );
});
test.run();
