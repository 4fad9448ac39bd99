import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

test.run();
