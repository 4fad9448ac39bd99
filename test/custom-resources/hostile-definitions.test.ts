/** Definitions that would take a server down: each is refused, or served within bounds, and the server goes on for everybody else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';

const test = suite('hostile definitions');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
});
test.after(() => server.stop());

const post = (path: string, body: string): Promise<Response> =>
  server.client.fetch(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

let count = 0;

interface Posted {
  readonly status: number;
  readonly message: string;
  readonly plural: string;
}

/** @param spec JSON of the schema of the member `spec`: some nest deeper than texts can be made of values */
async function define(spec: string): Promise<Posted> {
  const plural = `things${++count}`;
  const names = { plural, kind: `Thing${count}` };
  const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":${spec}}}}}`;
  const body = `{"metadata":{"name":"${plural}.hostile.example"},"spec":{"group":"hostile.example","scope":"Namespaced","names":${JSON.stringify(names)},"versions":[${version}]}}`;
  const answer = await post(DEFINITIONS, body);
  const { message = '' } = (await answer.json()) as { message?: string };
  return { status: answer.status, message, plural };
}

/** Creates the first object of a definition, as soon as that is served. */
async function create(plural: string, spec: unknown): Promise<{ readonly status: number; readonly text: string }> {
  const kind = `Thing${plural.slice('things'.length)}`;
  const body = JSON.stringify({ apiVersion: 'hostile.example/v1', kind, metadata: { name: 'x' }, spec });
  for (;;) {
    const answer = await post(`/apis/hostile.example/v1/namespaces/default/${plural}`, body);
    const text = await answer.text();
    if (answer.status !== 404) return { status: answer.status, text };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const nested = (depth: number): string => `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'}}'.repeat(depth)}`;
const json = (schema: object): string => JSON.stringify(schema);

const refused: readonly { readonly name: string; readonly spec: string; readonly says: RegExp }[] = [
  { name: 'properties within properties', spec: nested(600), says: /must not be nested deeper than 1000 levels/ },
  { name: 'far too many of them', spec: nested(4_500), says: /must not be nested deeper than 1000 levels/ },
  {
    name: 'elements within elements',
    spec: `${'{"type":"array","items":'.repeat(2_000)}{"type":"string"}${'}'.repeat(2_000)}`,
    says: /nested deeper/,
  },
  { name: 'alternatives within alternatives', spec: `${'{"allOf":['.repeat(2_000)}{}${']}'.repeat(2_000)}`, says: /nested deeper/ },
  { name: 'a reference', spec: '{"$ref":"#/definitions/x"}', says: /\$ref is not supported/ },
  {
    name: 'a schema that refers to itself',
    spec: '{"definitions":{"x":{"$ref":"#/definitions/x"}}}',
    says: /definitions is not supported/,
  },
  {
    name: 'an expression that grows when it is compiled',
    spec: json({ type: 'string', pattern: '((a{100}){100}){100}' }),
    says: /valid regular expression/,
  },
  { name: 'a long expression', spec: json({ type: 'string', pattern: 'a'.repeat(100_000) }), says: /expression too large/ },
];
for (const { name, spec, says } of refused)
  test(`refused: ${name}`, async () => {
    const { status, message } = await define(spec);
    assert.is(status, 422, message.slice(0, 200));
    assert.match(message.slice(-2_000), says);
  });

test('what is longer than a body may be is refused', async () => {
  const { status } = await define(json({ type: 'string', description: 'd'.repeat(3_500_000) }));
  assert.is(status, 413);
});

test('expressions that explode elsewhere take as long as their texts are', async () => {
  const { plural, status } = await define(json({ type: 'string', pattern: '^(a+)+$' }));
  assert.is(status, 201);
  assert.is((await create(plural, `${'a'.repeat(50_000)}!`)).status, 422);
});

test('defaults do not make gigabytes of a short body', async () => {
  const members = { a: { type: 'string', default: 'x'.repeat(100_000) } };
  const { plural } = await define(json({ type: 'array', items: { type: 'object', properties: members } }));
  const { status, text } = await create(
    plural,
    Array.from({ length: 5_000 }, () => ({})),
  );
  assert.is(status, 400);
  assert.match(text, /defaults would make the object longer than 8388608 bytes/);
  assert.is((await create(plural, [{}])).status, 201);
});

test('a default of a megabyte is a value as any other', async () => {
  const { plural, status } = await define(
    json({ type: 'object', default: {}, properties: { a: { type: 'string', default: 'x'.repeat(1_000_000) } } }),
  );
  assert.is(status, 201);
  const { text } = await create(plural, {});
  assert.ok(text.length > 1_000_000);
});

test('schemas as large and as deep as they may be are served and described', async () => {
  const { plural, status } = await define(nested(400));
  assert.is(status, 201);
  let value: unknown = 'x';
  for (let i = 0; i < 400; i++) value = { a: value };
  assert.is((await create(plural, value)).status, 201);
  const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`p${i}`, { type: 'string', description: 'd'.repeat(200) }]));
  const large = await define(json({ type: 'object', properties: wide }));
  assert.is(large.status, 201);
  assert.is((await create(large.plural, { p7: 'a' })).status, 201);
  for (const path of ['/openapi/v2', '/openapi/v3/apis/hostile.example/v1']) {
    const answer = await server.client.fetch(path);
    assert.is(answer.status, 200, path);
    assert.match(await answer.text(), new RegExp(`"/apis/hostile.example/v1/${large.plural}"`));
  }
  const binary = { accept: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' };
  assert.is((await server.client.fetch('/openapi/v2', { headers: binary })).status, 200);
});

test('everybody else is served', async () => {
  assert.is((await server.client.fetch('/readyz')).status, 200);
  assert.is((await server.client.fetch('/api/v1/namespaces/default/configmaps')).status, 200);
});

test.run();
