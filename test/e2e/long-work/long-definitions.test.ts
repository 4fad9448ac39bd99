/** However long a definition of custom resources is, nobody waits for what follows from it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer } from '../../harness/server.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'long.example.com';
/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const YAML = { accept: 'application/yaml' };
const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

type Members = Readonly<Record<string, unknown>>;

/** A block in which there is no certificate. */
const NO_AUTHORITY = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

/** With which the names of definitions end, by their places. */
const LETTERS = 'abcdefghij';

const namesOf = (count: number, of: string): string[] => Array.from({ length: count }, (_, index) => `${of}-${index}`);
const membersOf = (names: readonly string[], value: unknown): Members => Object.fromEntries(names.map((name) => [name, value]));

/** What makes a definition long, or a share of it. */
interface Long {
  readonly what: string;
  /** what its schema says of the spec */
  readonly spec?: (share: number) => Members;
  /** members of its version */
  readonly version?: (share: number) => Members;
  readonly names?: (share: number) => Members;
  readonly metadata?: (share: number) => Members;
  /** versions besides the first one */
  readonly versions?: number;
  /** absent: the first one alone is served */
  readonly areServed?: boolean;
  readonly conversion?: (share: number) => Members;
  /** conditions that are added to its status */
  readonly conditions?: number;
  /** absent: true */
  readonly isServed?: boolean;
}

const LONG: readonly Long[] = [
  {
    what: 'many properties',
    spec: (share) => ({ properties: membersOf(namesOf(40_000 * share, 'property'), { type: 'string', maxLength: 99 }) }),
  },
  { what: 'many values', spec: (share) => ({ properties: { a: { type: 'string', enum: namesOf(200_000 * share, 'value') } } }) },
  {
    what: 'a long default',
    spec: (share) => ({
      properties: {
        a: { type: 'object', additionalProperties: { type: 'string' }, default: membersOf(namesOf(100_000 * share, 'key'), '') },
      },
    }),
  },
  {
    what: 'many columns',
    version: (share) => ({
      additionalPrinterColumns: namesOf(20_000 * share, 'Column').map((name) => ({ name, type: 'string', jsonPath: `.spec.${name}` })),
    }),
  },
  {
    what: 'a column with a long path',
    version: (share) => ({
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: `.spec[${'1,'.repeat(200_000 * share)}1]` }],
    }),
  },
  {
    what: 'many names',
    names: (share) => ({ shortNames: namesOf(60_000 * share, 'short'), categories: namesOf(60_000 * share, 'category') }),
  },
  { what: 'many versions', versions: 10_000 },
  {
    what: 'many labels, conditions and versions of reviews',
    metadata: (share) => ({ labels: membersOf(namesOf(30_000 * share, 'label'), '') }),
    conversion: (share) => ({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://127.0.0.1:1/convert' },
        conversionReviewVersions: ['v1', ...namesOf(60_000 * share, 'v')],
      },
    }),
    conditions: 5_000,
  },
  { what: 'many versions that are served', versions: 2_500, areServed: true },
  {
    what: 'authorities that are none',
    conversion: (share) => ({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://127.0.0.1:1/convert', caBundle: Buffer.from(NO_AUTHORITY.repeat(30_000 * share)).toString('base64') },
        conversionReviewVersions: ['v1'],
      },
    }),
    isServed: false,
  },
];

const definitionOf = (
  plural: string,
  { spec, version, names, metadata, versions = 0, areServed = false, conversion }: Long,
  share: number,
) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}`, ...metadata?.(share) },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural, kind: plural.toUpperCase(), ...names?.(share) },
    ...(conversion && { conversion: conversion(share) }),
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        ...version?.(share),
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec?.(share) } } } },
      },
      ...namesOf(versions * share, 'other').map((name) => ({
        name,
        served: areServed,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    ],
  },
});

const test = suite('long definitions');
const server = await startServer({ dialect: 'kubernetes', preload: TURN_MONITOR });
const client = new Client(server);
test.after(async () => {
  client.close();
  await server.stop();
});

test.before(async () => {
  // what goes through definitions is loaded, and compiled: the first few times it takes ten times as long
  for (const [index, long] of LONG.entries()) await useDefinition(`small${LETTERS[index]}`, long, 0.1);
  await untilQuiet(server);
});

/** All that is done with a definition, from its beginning to its end. */
async function useDefinition(plural: string, long: Long, share: number): Promise<void> {
  const definition = definitionOf(plural, long, share);
  const objects = `/apis/${GROUP}/v1/namespaces/default/${plural}`;
  const at = `${DEFINITIONS}/${definition.metadata.name}`;
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<number> => {
    const { status, text } = await client.request(method, path, {
      ...(body && { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
      timeout: PATIENCE,
    });
    assert.ok(status < 500, text.slice(0, 500));
    return status;
  };
  assert.is(await send('POST', DEFINITIONS, definition), 201);
  if (long.isServed === false) {
    await isRefused(at);
    assert.is(await send('PATCH', at, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH), 200);
    assert.is(await send('DELETE', at), 200);
    await eventually('the definition has gone', async () => (await send('GET', at)) === 404);
    return;
  }
  await eventually('its objects are served', async () => (await send('GET', objects)) === 200);
  const object = { apiVersion: `${GROUP}/v1`, kind: plural.toUpperCase(), metadata: { name: 'a' }, spec: {} };
  assert.is(await send('POST', objects, object), 201);
  assert.is(await send('PATCH', `${objects}/a`, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH), 200);
  assert.is(await send('PATCH', at, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH), 200);
  assert.is(await send('GET', `${objects}/a`), 200);
  if (long.conditions !== undefined) {
    const conditions = namesOf(long.conditions * share, 'Condition').map((type) => ({ type, status: 'True' }));
    const { status } = (await client.request('GET', at)).body;
    const all = { status: { conditions: [...status.conditions, ...conditions] } };
    assert.is(await send('PATCH', `${at}/status`, all, MERGE_PATCH), 200);
  }
  await showDefinition(at, objects);
  for (const path of [`/openapi/v3/apis/${GROUP}/v1`, '/openapi/v2']) {
    const { status, body } = await client.request('GET', path, { timeout: PATIENCE });
    assert.is(status, 200);
    const described = body.definitions ?? body.components.schemas;
    assert.ok(described[`com.example.long.v1.${plural.toUpperCase()}`].properties.spec, path);
  }
  assert.is(await send('DELETE', at), 200);
  await eventually('the definition has gone', async () => (await send('GET', at)) === 404);
}

/** Resolves when it is said that a definition is not served. */
async function isRefused(at: string): Promise<void> {
  const isSaid = async (): Promise<boolean> =>
    (await client.request('GET', at)).body.status?.conditions?.some(({ reason }: { reason: string }) => reason === 'InvalidCABundle') ===
    true;
  await eventually('its refusal is told', isSaid);
}

/** What clients ask for that show objects, and what is served. */
async function showDefinition(at: string, objects: string): Promise<void> {
  const group = `/apis/${GROUP}`;
  const asked: readonly (readonly [path: string, headers: Record<string, string>])[] = [
    ...[at, objects, `${objects}/a`].flatMap((path) => [TABLE, YAML].map((headers) => [path, headers] as const)),
    ...['/apis', group, `${group}/v1`].flatMap((path) => [{}, YAML].map((headers) => [path, headers] as const)),
    ['/apis', AGGREGATED],
  ];
  for (const [path, headers] of asked) {
    const { status, text } = await client.request('GET', path, { headers, timeout: PATIENCE });
    assert.is(status, 200, `${path} ${text.slice(0, 500)}`);
  }
  const watch = await client.watch(`${objects}?watch=true&timeoutSeconds=2`, TABLE);
  assert.is((await watch.next()).object.kind, 'Table');
  watch.close();
}

for (const [index, long] of LONG.entries())
  test(`nobody waits for a definition with ${long.what}`, () =>
    assertShortTurns(server, (attempt) => useDefinition(`long${LETTERS[index]}${LETTERS[attempt]}`, long, 1), REPEATED));

// a write of its finalizers alone would be refused, and was tried for ever
for (const { what, values } of [
  { what: 'short', values: 1 },
  { what: 'long', values: 10_000 },
])
  test(`a ${what} definition that names stored versions which it has not goes when it is deleted`, async () => {
    const plural = `stored${what}`;
    const definition = definitionOf(
      plural,
      { what, spec: () => ({ properties: { a: { type: 'string', enum: namesOf(values, 'value') } } }) },
      1,
    );
    const at = `${DEFINITIONS}/${definition.metadata.name}`;
    const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<number> =>
      (await client.request(method, path, { ...(body && { body: JSON.stringify(body) }), headers })).status;
    assert.is(await send('POST', DEFINITIONS, definition, { 'content-type': 'application/json' }), 201);
    await eventually('its objects are served', async () => (await send('GET', `/apis/${GROUP}/v1/${plural}`)) === 200);
    assert.is(await send('PATCH', `${at}/status`, { status: { storedVersions: ['v1', 'v9'] } }, MERGE_PATCH), 200);
    assert.is(await send('PATCH', at, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH), 422);
    assert.is(await send('DELETE', at), 200);
    for (let look = 1; (await send('GET', at)) !== 404; look++) {
      assert.ok(look < 300, 'it is there still');
      await sleep(100);
    }
  });

test.run();
