import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listedObjects } from '../../../runtime/aggregation/listed-objects.ts';
import { joinedPages } from '../../../runtime/aggregation/object-pages.ts';
import { RemoteContent } from '../../../runtime/controllers/namespace/remote-content.ts';

const test = suite('what other servers have in a namespace');
const remote = { group: 'lamps.example', version: 'v1', versionPriority: 1, available: true };
const resource = { resource: 'lamps', scope: 'Namespaced', verbs: ['delete', 'deletecollection', 'list'] };
const identity = { text: (text: string) => text };

/** @param page what the server lists on each page */
async function found(page: (asked: number) => unknown) {
  let pages = 0;
  const servers = {
    ask: async (_: object, { method }: { method: string }) => ({
      status: 200,
      headers: {},
      body: Buffer.from(method === 'GET' ? JSON.stringify(page(pages++)) : '{}'),
    }),
  };
  const aggregation = {
    versions: { size: 1, all: () => [remote] },
    resources: () => [resource],
    servers: async () => servers,
    listedObjects: async (body: Uint8Array) => listedObjects({ body }),
  };
  const content = new RemoteContent(aggregation as unknown as ConstructorParameters<typeof RemoteContent>[0], identity);
  return { ...(await content.delete('default')), pages };
}

test('is counted, with what keeps it', async () => {
  const metadata = { name: 'a', deletionGracePeriodSeconds: 7, finalizers: ['x', 'y'] };
  const { resources } = await found((asked) => ({ items: [{ metadata }], metadata: { continue: asked === 0 ? 'more' : '' } }));
  assert.is(resources[0]?.count, 2);
  assert.is(resources[0]?.grace, 7);
  assert.equal(
    [...(resources[0]?.finalizers ?? [])],
    [
      ['x', 2],
      ['y', 2],
    ],
  );
});

test('is listed up to a bound where the list does not end', async () => {
  const { resources, pages } = await found(() => ({ items: [{}], metadata: { continue: 'more' } }));
  assert.is(resources[0]?.count, pages);
  const long = await found(() => ({ items: [{ long: 'x'.repeat(30 * 1024 * 1024) }], metadata: { continue: 'more' } }));
  assert.is(long.pages, 3);
  const { failures } = await found(() => ({ metadata: { continue: 'more' } }));
  assert.match(failures[0] ?? '', /nothing on 1000 pages, and goes on/);
});

test('is told whatever the list has', async () => {
  for (const list of [null, [], 1, 'x']) assert.match((await found(() => list)).failures[0] ?? '', 'the list is no object');
  for (const items of [{}, 7, null]) assert.equal((await found(() => ({ items }))).resources, []);
  const odd = [null, 1, {}, { metadata: 3 }, { metadata: { name: {}, finalizers: 5, deletionGracePeriodSeconds: 'x' } }];
  assert.is((await found(() => ({ items: odd }))).resources[0]?.count, odd.length);
  const many = Array.from({ length: 300_000 }, () => 0);
  assert.is((await found(() => ({ items: many }))).resources[0]?.count, many.length);
});

test('is named up to a bound, and counted whole', () => {
  const names = Array.from({ length: 6_000 }, (_, i) => `lamp-${i}`);
  const {
    count,
    names: first,
    next,
  } = listedObjects({
    body: Buffer.from(JSON.stringify({ items: names.map((name) => ({ metadata: { name } })), metadata: { continue: 'more' } })),
  });
  assert.equal([count, first.length, first[0], next], [6_000, 5_000, 'lamp-0', 'more']);
});

test('of what keeps objects no more is kept than there can be', () => {
  const finalizers = Array.from({ length: 5_000 }, (_, i) => `${i}`);
  const page = listedObjects({
    body: Buffer.from(JSON.stringify({ items: [{ metadata: { finalizers } }, { metadata: { finalizers } }] })),
  });
  assert.equal([page.finalizers.size, page.finalizers.get('0')], [1_000, 2]);
  assert.is(joinedPages(page, page).finalizers.get('999'), 4);
  assert.throws(() => listedObjects({ body: Buffer.from('{') }));
});

test.run();
