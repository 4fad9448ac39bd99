/** Bodies of another version than the path's: what strict validation says of them comes before the version. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { eventually } from '../harness/eventually.ts';

const test = suite('bodies of another version of a definition');
const GADGETS = '/apis/shop.example/v1/namespaces/default/gadgets';
const version = (name: string, storage: boolean, properties: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
});
const TEXT = { type: 'string' };

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'gadgets.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [version('v1', true, { a: TEXT }), version('v1beta1', false, { b: TEXT })],
    },
  });
  await eventually('gadgets are served', async () => (await server.client.fetch(GADGETS)).ok);
});
test.after(() => server.stop());

const OTHER = (sent: string) => `the API version in the data (${sent}) does not match the expected API version (shop.example/v1)`;
const body = { metadata: { name: 'x' }, spec: { a: '1' } };

const ROWS: readonly (readonly [name: string, apiVersion: string, level: string, warning: string | null, message: string])[] = [
  ['a version that is not defined', 'shop.example/v2', '', '299 - "unknown field \\"spec\\""', OTHER('shop.example/v2')],
  ['the same, ignored', 'shop.example/v2', 'Ignore', null, OTHER('shop.example/v2')],
  [
    'the same, strictly',
    'shop.example/v2',
    'Strict',
    null,
    'Gadget in version "v2" cannot be handled as a Gadget: strict decoding error: unknown field "spec"',
  ],
  ['a version that is defined', 'shop.example/v1beta1', 'Warn', '299 - "unknown field \\"spec.a\\""', OTHER('shop.example/v1beta1')],
  ['another group', 'v1', '', null, OTHER('v1')],
  ['another group, strictly', 'apps/v1', 'Strict', null, OTHER('apps/v1')],
];
for (const [name, apiVersion, level, warning, message] of ROWS)
  test(name, async () => {
    const answer = await server.client.fetch(`${GADGETS}?fieldValidation=${level}`, {
      method: 'POST',
      body: JSON.stringify({ apiVersion, kind: 'Gadget', ...body }),
      headers: { 'content-type': 'application/json' },
    });
    const status = (await answer.json()) as { message: string };
    assert.equal([answer.status, status.message, answer.headers.get('warning')], [400, message, warning]);
  });

const NO_KIND: readonly (readonly [apiVersion: string, level: string, message: RegExp])[] = [
  ['shop.example/v1', 'Warn', /^the object provided is unrecognized \(must be of type Gadget\): Object 'Kind' is missing in /],
  ['shop.example/v1', 'Ignore', /^Gadget in version "v1" cannot be handled as a Gadget: Object 'Kind' is missing in '.*'$/],
  ['other.example/v2', 'Ignore', /^Gadget in version "v2" cannot be handled as a Gadget: Object 'Kind' is missing in '.*'$/],
  ['', 'Ignore', /^Gadget in version "v1" cannot be handled as a Gadget: Object 'Kind' is missing in '.*'$/],
];
for (const [apiVersion, level, message] of NO_KIND)
  test(`no kind of version "${apiVersion}" (${level})`, async () => {
    const answer = await server.client.fetch(`${GADGETS}?fieldValidation=${level}`, {
      method: 'POST',
      body: JSON.stringify({ apiVersion, ...body }),
      headers: { 'content-type': 'application/json' },
    });
    assert.is(answer.status, 400);
    assert.match(((await answer.json()) as { message: string }).message, message);
  });

test('the paths of other kinds know no definitions', async () => {
  const answer = await server.client.fetch('/api/v1/namespaces/default/configmaps', {
    method: 'POST',
    body: JSON.stringify({ apiVersion: 'shop.example/v1', kind: 'Gadget', ...body }),
    headers: { 'content-type': 'application/json' },
  });
  const { message } = (await answer.json()) as { message: string };
  const why = 'no kind "Gadget" is registered for version "shop.example/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"';
  assert.equal([answer.status, message], [400, `Gadget in version "v1" cannot be handled as a ConfigMap: ${why}`]);
});

/** What is wrong beside the version, at the level Warn where nothing else is said. */
const BESIDES: readonly (readonly [name: string, body: string, warning: string | null, message: string])[] = [
  [
    'metadata of a wrong type and no version',
    '{"kind":"Gadget","metadata":{"name":"x","annotations":"a"}}',
    null,
    'Gadget in version "" cannot be handled as a Gadget: json: cannot unmarshal string into Go struct field ObjectMeta.annotations of type map[string]string',
  ],
  [
    'metadata of a wrong type and another group',
    '{"apiVersion":"y/v2","kind":"Gadget","metadata":{"labels":{"a":1}}}',
    null,
    'Gadget in version "v2" cannot be handled as a Gadget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  ],
  [
    'unknown metadata of another group',
    '{"apiVersion":"y/v2","kind":"Gadget","metadata":{"name":"x","more":1},"wrong":1}',
    '299 - "unknown field \\"metadata.more\\""',
    OTHER('y/v2'),
  ],
  [
    'a member that stands twice',
    '{"apiVersion":"shop.example/v1beta1","kind":"Gadget","metadata":{"name":"x"},"spec":{},"spec":{}}',
    '299 - "duplicate field \\"spec\\""',
    OTHER('shop.example/v1beta1'),
  ],
];
for (const [name, text, warning, message] of BESIDES)
  test(name, async () => {
    const answer = await server.client.fetch(GADGETS, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } });
    const status = (await answer.json()) as { message: string };
    assert.equal([answer.status, status.message, answer.headers.get('warning')], [400, message, warning]);
  });

test('another kind is not looked at', async () => {
  const answer = await server.client.fetch(GADGETS, {
    method: 'POST',
    body: JSON.stringify({ apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name: 'x' }, wrong: 1 }),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal([answer.status, answer.headers.get('warning')], [422, null]);
});

test.run();
