/** What an informer takes from lists and watches, and how it goes on where they end. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps } from '../../../generated/client/core/v1/index.ts';
import { InformerStopped, informer, isForbidden, WatchStalled } from '../../../generated/client/index.ts';
import { following, until } from './followed-informer.ts';
import { type Answers, bookmark, event, gone, list, listWatchServer, map, refusal } from './list-watch-server.ts';

const open = (): void => {};

const followed = suite('an informer');
followed('takes what there is from a streaming list, and goes on in it', () =>
  following(
    ({ kind }, response) => {
      assert.is(kind, 'stream');
      response.write(event('ADDED', 'a', '1') + event('ADDED', 'b', '2') + bookmark('5', true) + event('MODIFIED', 'a', '6'));
      response.write(event('DELETED', 'b', '7') + event('ADDED', 'c', '8'));
    },
    async ({ server, informed, told }) => {
      await informed.synced();
      await until(
        () => told.length === 5,
        () => told,
      );
      assert.equal(told, ['ADDED a1 list', 'ADDED b2 list', 'MODIFIED a6 watch', 'DELETED b7 watch', 'ADDED c8 watch']);
      assert.equal([...informed.keys()], ['n/a', 'n/c']);
      assert.equal([informed.resourceVersion, informed.size, informed.get('a', 'n')?.data], ['8', 2, { version: '6' }]);
      assert.equal(server.asked, ['stream']);
    },
  ),
);
followed('forgets what is deleted before a streaming list has ended', () =>
  following(
    (_asked, response) => {
      response.write(event('ADDED', 'a', '1') + event('ADDED', 'b', '2') + event('DELETED', 'a', '4') + event('MODIFIED', 'b', '5'));
      response.write(event('DELETED', 'never', '6') + bookmark('6', true));
    },
    async ({ server, informed, told }) => {
      await informed.synced();
      assert.equal([...informed.keys()], ['n/b']);
      assert.equal(told, ['ADDED a1 list', 'ADDED b2 list', 'DELETED a4 watch', 'MODIFIED b5 list']);
      assert.equal(server.asked, ['stream']);
    },
  ),
);
followed('waits for ever for a word where nobody limits that', () =>
  following(
    ({ kind }, response) => {
      assert.is(kind, 'stream');
      response.write(event('ADDED', 'a', '1') + bookmark('5', true));
      setTimeout(() => response.write(event('MODIFIED', 'a', '6')), 100);
    },
    async ({ server, told, errors }) => {
      await until(() => told.length === 2);
      assert.equal([told, errors, server.asked], [['ADDED a1 list', 'MODIFIED a6 watch'], [], ['stream']]);
    },
    { idleTimeout: Number.POSITIVE_INFINITY },
  ),
);
followed('is in sync when the streaming list says so, and not before', () =>
  following(
    (_asked, response) => {
      response.write(event('ADDED', 'a', '1'));
      setTimeout(() => response.write(bookmark('5', true)), 100);
    },
    async ({ informed, told }) => {
      await until(() => told.length === 1);
      assert.not(informed.isSynced);
      await informed.synced();
      assert.ok(informed.isSynced);
    },
  ),
);

const withoutStreams: [name: string, stream: Answers][] = [
  ['is refused', (_asked, response) => refusal(response, 422, 'Invalid')],
  ['begins with a bookmark that ends nothing', (_asked, response) => response.write(event('ADDED', 'a', '1') + bookmark('3'))],
  ['falls silent', (_asked, response) => response.write(event('ADDED', 'a', '1'))],
];
for (const [name, stream] of withoutStreams)
  followed(`lists in pages where a streaming list ${name}`, () =>
    following(
      ({ kind, query }, response, count) => {
        if (kind === 'stream') return stream({ kind, query }, response, count);
        if (kind === 'list')
          return void response.end(query.has('continue') ? list('5', [map('b', '2')]) : list('5', [map('a', '1')], 'next'));
        if (count === 0) response.end(event('MODIFIED', 'a', '6'));
      },
      async ({ server, told, informed }) => {
        await until(
          () => server.asked.at(-1) === 'watch 6',
          () => server.asked,
        );
        assert.equal(server.asked, ['stream', 'list', 'list next', 'watch 5', 'watch 6']);
        assert.equal(told, ['ADDED a1 list', 'ADDED b2 list', 'MODIFIED a6 watch']);
        assert.equal([informed.get('b', 'n')?.kind, informed.get('b', 'n')?.apiVersion], ['ConfigMap', 'v1']);
      },
      // long enough for what is answered at once to come in time
      { idleTimeout: 1_000 },
    ),
  );

followed('lists again where the server no longer keeps what follows, and tells what has changed', () =>
  following(
    ({ kind, query }, response, count) => {
      if (kind === 'list') {
        const before = [map('a', '1'), map('b', '2'), map('c', '3'), map('d', '4')];
        const now = [map('a', '1'), map('b', '8'), map('d', '9', 'other'), map('e', '7')];
        return void response.end(count === 0 ? list('5', before) : list('10', now));
      }
      if (query.get('resourceVersion') === '5') response.end(event('MODIFIED', 'c', '6') + gone);
    },
    async ({ server, told, errors, informed }) => {
      await until(
        () => server.asked.at(-1) === 'watch 10',
        () => server.asked,
      );
      assert.equal(told.slice(4), [
        'MODIFIED c6 watch',
        'MODIFIED b8 list',
        'DELETED d4 list',
        'ADDED d9 list',
        'ADDED e7 list',
        'DELETED c6 list',
      ]);
      assert.equal([...informed.keys()].sort(), ['n/a', 'n/b', 'n/d', 'n/e']);
      assert.equal(errors.map(String), ['ApiError: too old']);
    },
    { streaming: false },
  ),
);
followed('streams again where the server no longer keeps what follows', () =>
  following(
    ({ kind }, response, count) => {
      if (kind === 'watch') return refusal(response, 410, 'Expired');
      if (count === 0) response.end(event('ADDED', 'a', '1') + event('ADDED', 'b', '2') + bookmark('5', true));
      else response.write(event('ADDED', 'b', '2') + event('ADDED', 'c', '7') + bookmark('9', true));
    },
    async ({ server, told }) => {
      await until(
        () => told.length === 4,
        () => told,
      );
      assert.equal(told, ['ADDED a1 list', 'ADDED b2 list', 'ADDED c7 list', 'DELETED a1 list']);
      assert.equal(server.asked, ['stream', 'watch 5', 'stream']);
    },
  ),
);
followed('tells nothing twice where a streaming list breaks, and then lists in pages, each of which may break', () =>
  following(
    ({ kind, query }, response, count) => {
      const cut = (text: string) => {
        response.write(text);
        setTimeout(() => response.socket?.resetAndDestroy(), 30);
      };
      if (kind === 'stream') return cut(event('ADDED', 'a', '1'));
      if (kind === 'watch') return;
      const next = query.get('continue');
      const text = next === null ? list('5', [map('a', '1'), map('b', '2')], 'next') : list('5', [map('c', '3'), map('d', '4')]);
      if (count === 0 || count === 2) return cut(text.slice(0, -20));
      response.end(text);
    },
    async ({ server, told, informed }) => {
      await informed.synced();
      await until(() => server.asked.includes('watch 5'));
      assert.equal(told, ['ADDED a1 list', 'ADDED b2 list', 'ADDED c3 list', 'ADDED d4 list']);
      assert.equal(server.asked, ['stream', 'stream', 'list', 'list', 'list next', 'list next', 'watch 5']);
    },
  ),
);
followed('reads a list whole where the server no longer keeps what the next page needs', () =>
  following(
    ({ kind, query }, response, count) => {
      if (kind !== 'list') return;
      if (count === 0) response.end(list('5', [map('a', '1'), map('x', '2')], 'next'));
      else if (query.has('continue')) refusal(response, 410, 'Expired');
      else response.end(list('9', [map('a', '1'), map('b', '7')]));
    },
    async ({ server, told, informed }) => {
      await informed.synced();
      assert.equal(told, ['ADDED a1 list', 'ADDED x2 list', 'ADDED b7 list', 'DELETED x2 list']);
      await until(() => server.asked.length === 4);
      assert.equal(server.asked, ['list', 'list next', 'list', 'watch 9']);
    },
    { streaming: false },
  ),
);
followed('finds connections that say nothing any more', () =>
  following(
    ({ kind }, response, count) => {
      if (kind === 'list') response.end(list('5', []));
      else if (count === 0) response.write(event('ADDED', 'a', '6'));
      else response.write(event('ADDED', 'b', '7'));
    },
    async ({ server, told, errors }) => {
      await until(() => told.length === 2);
      assert.equal(server.asked.slice(0, 3), ['list', 'watch 5', 'watch 6']);
      assert.instance(errors[0], WatchStalled);
    },
    { streaming: false, idleTimeout: 1_000 },
  ),
);
followed('goes on whatever the server answers, and says what it was', () =>
  following(
    ({ kind }, response, count) => {
      if (kind === 'watch') return;
      if (count === 0) refusal(response, 403, 'Forbidden');
      else if (count === 1) response.end('{"kind":"Nothing"');
      else response.end(list('5', [map('a', '1')]));
    },
    async ({ informed, errors }) => {
      await informed.synced();
      assert.ok(isForbidden(errors[0]));
      assert.match((errors[1] as Error).message, /^GET \/api\/v1\/configmaps: the answer is no JSON/);
    },
    { streaming: false },
  ),
);
followed('warns the process of errors that nobody listens for', async () => {
  const server = await listWatchServer((_asked, response) => refusal(response, 403, 'Forbidden'));
  const informed = informer(server.client.resource(configmaps)).start();
  const [warning] = await once(process, 'warning');
  assert.is(warning.message, 'Forbidden');
  await informed.stop();
  server.close();
});
followed('gives up waiting where it is stopped, or whoever waits has enough', async () => {
  const server = await listWatchServer(open);
  const informed = informer(server.client.resource(configmaps)).start();
  const controller = new AbortController();
  const reason = new Error('enough');
  const waits = [informed.synced(), informed.synced(controller.signal)].map((wait) => wait.catch((error: unknown) => error));
  controller.abort(reason);
  assert.is(await waits[1], reason);
  await informed.stop();
  assert.instance(await waits[0], InformerStopped);
  server.close();
});
const unrepeatable: [what: string, before: Answers[]][] = [
  ['a first page', []],
  [
    'a list that is read whole, as the next page is no longer kept,',
    [(_asked, response) => response.end(list('4', [map('kept', '3')], 'next')), (_asked, response) => refusal(response, 410, 'Expired')],
  ],
];
for (const [what, before] of unrepeatable) {
  let broken: ServerResponse | undefined;
  followed(`forgets what ${what} told before it broke, and that is gone when it is read again`, () =>
    following(
      (asked, response, count) => {
        if (asked.kind !== 'list') return;
        const earlier = before[count];
        if (earlier !== undefined) return earlier(asked, response, count);
        if (count > before.length) return void response.end(list('7', [map('kept', '3')]));
        response.write(list('5', [map('gone', '1')]).slice(0, -1));
        broken = response;
      },
      async ({ informed, told, errors }) => {
        // it breaks once the client has read of the object
        await until(() => told.includes('ADDED gone1 list'));
        broken?.destroy();
        await informed.synced();
        assert.equal([...informed.keys()], ['n/kept']);
        assert.equal([...told].sort(), ['ADDED gone1 list', 'ADDED kept3 list', 'DELETED gone1 list']);
        assert.is(errors.length, 1);
      },
      { streaming: false },
    ),
  );
}
followed.run();
