/** Custom resources with very many columns as Tables, which another thread makes: they say what those of few columns say. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { embeddedWatch } from '../harness/embedded-watch.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** Columns of the short and of the long kind; those of the short one are the first ones of the other. */
const COLUMNS = { few: 3, many: 2_000 } as const;
const PATHS = ['.spec.size', '.spec.parts[*].name', '.metadata.creationTimestamp'];

type Plural = keyof typeof COLUMNS;

const test = suite('tables of many columns');
let server: EmbeddedServer;
const pathOf = (plural: Plural): string => `/apis/shop.example/v1/namespaces/default/${plural}`;

const ask = async (path: string, options: { readonly accept?: string; readonly method?: string; readonly body?: object } = {}) => {
  const { accept = TABLE, method = 'GET', body } = options;
  const headers = { accept, ...(body && { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }) };
  const answer = await server.client.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return text;
};

/** Without what differs from object to object, and with as many columns as the short kind has. */
function comparable({ metadata: _, columnDefinitions, rows, ...rest }: Json): Json {
  const first = <T>(list: readonly T[]): readonly T[] => list.slice(0, COLUMNS.few + 1);
  return {
    ...rest,
    columnDefinitions: columnDefinitions && first(columnDefinitions),
    rows: rows.map(({ cells, object }: Json) => ({
      cells: first(cells).map((cell) => (/^\d+s$/.test(String(cell)) ? 'an age' : cell)),
      object: object && { kind: object.kind, name: object.metadata.name, spec: object.spec },
    })),
  };
}

async function define(plural: Plural): Promise<void> {
  const additionalPrinterColumns = Array.from({ length: COLUMNS[plural] }, (_, index) => ({
    name: `Column ${index}`,
    type: PATHS[index]?.startsWith('.metadata') ? 'date' : 'string',
    jsonPath: PATHS[index] ?? `.spec.column${index}`,
  }));
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: OPEN } } };
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name: `${plural}.shop.example` },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural, kind: plural.toUpperCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema, additionalPrinterColumns }],
    },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(pathOf(plural))).status === 200);
}

const objectOf = (plural: Plural, name: string): Json => ({
  apiVersion: 'shop.example/v1',
  kind: plural.toUpperCase(),
  metadata: { name },
  spec: { size: 'big', parts: [{ name: 'x' }, { name: 'y' }] },
});

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  for (const plural of ['few', 'many'] as const) {
    await define(plural);
    for (const name of ['a', 'b']) await server.client.request('POST', pathOf(plural), objectOf(plural, name));
  }
});
test.after(() => server.stop());

const both = async (asked: (plural: Plural) => Promise<Json>): Promise<void> => {
  const [few, many] = [await asked('few'), await asked('many')];
  const named = (value: Json): Json => JSON.parse(JSON.stringify(value).replaceAll('"MANY"', '"FEW"'));
  assert.equal(named(comparable(many)), named(comparable(few)));
  assert.is(many.rows[0]?.cells.length ?? COLUMNS.many + 1, COLUMNS.many + 1);
};

for (const query of ['', '?limit=1', '?includeObject=Object', '?includeObject=None', '?fieldSelector=metadata.name%3Db', '?pretty=true'])
  test(`lists with "${query}"`, () => both(async (plural) => JSON.parse(await ask(pathOf(plural) + query))));

test('lists of nothing', () => both(async (plural) => JSON.parse(await ask(`${pathOf(plural)}?labelSelector=none`))));

for (const query of ['', '?includeObject=Object', '?pretty=true'])
  test(`single objects with "${query}"`, () => both(async (plural) => JSON.parse(await ask(`${pathOf(plural)}/a${query}`))));

for (const path of ['', '/b'])
  test(`YAML of "${path}"`, () =>
    both(async (plural) => parse(await ask(pathOf(plural) + path, { accept: TABLE.replace('json', 'yaml') }))));

test('what writes answer', async () => {
  await both(async (plural) => JSON.parse(await ask(pathOf(plural), { method: 'POST', body: objectOf(plural, 'c') })));
  const body = { metadata: { finalizers: ['example.com/held'] } };
  await both(async (plural) => JSON.parse(await ask(`${pathOf(plural)}/c`, { method: 'PATCH', body })));
  await both(async (plural) => JSON.parse(await ask(`${pathOf(plural)}/c`, { method: 'DELETE' })));
  for (const plural of ['few', 'many'] as const)
    await ask(`${pathOf(plural)}/c`, { method: 'PATCH', body: { metadata: { finalizers: null } }, accept: 'application/json' });
});

/** What a watch tells of a change, and the bookmark before its end. */
async function eventsOf(plural: Plural): Promise<Json[]> {
  const { resourceVersion } = JSON.parse(await ask(pathOf(plural))).metadata;
  await ask(`${pathOf(plural)}/a`, { method: 'PATCH', body: { metadata: { labels: { changed: 'yes' } } } });
  const client = { fetch: (path: string) => server.client.fetch(path, { headers: { accept: TABLE } }) };
  const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${resourceVersion}`;
  return Array.fromAsync(await embeddedWatch(client, `${pathOf(plural)}?${query}`));
}

test('watches, whose first event has the columns, and bookmarks', async () => {
  const [few, many] = await Promise.all([eventsOf('few'), eventsOf('many')]);
  assert.equal(
    many.map(({ type }) => type),
    ['MODIFIED', 'BOOKMARK'],
  );
  const shown = (events: Json[]) =>
    events.map(({ object }) => comparable(object)).map(({ columnDefinitions, rows }) => [columnDefinitions, rows[0].cells]);
  assert.equal(shown(many), shown(few));
});

test.run();
