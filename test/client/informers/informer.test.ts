/** Informers over a server that answers what a test wants, and over real ones. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConfigMap, configmaps, namespaces, pods } from '../../../generated/client/core/v1/index.ts';
import {
  type Informer,
  type InformerOptions,
  InformerStopped,
  Informers,
  informer,
  isForbidden,
  metadataInformer,
  type ObjectChange,
  WatchStalled,
} from '../../../generated/client/index.ts';
import { serverAndClient } from '../client-of.ts';
import { type Answers, bookmark, event, gone, type ListWatchServer, list, listWatchServer, map, refusal } from './list-watch-server.ts';

type MapInformer = Informer<ConfigMap>;

interface Case {
  readonly server: ListWatchServer;
  readonly informed: MapInformer;
  /** such as `ADDED a1 list`, in the order in which a handler was told */
  readonly told: string[];
  readonly errors: unknown[];
}

const shown = ({ type, object, cause }: ObjectChange<ConfigMap>): string =>
  `${type} ${object.metadata.name}${object.metadata.resourceVersion} ${cause}`;

/** Runs `use` until it is done, or what it waits for takes too long. */
async function following(answers: Answers, use: (given: Case) => Promise<void>, options: InformerOptions<never> = {}): Promise<void> {
  const server = await listWatchServer(answers);
  const informed = informer(server.client.resource(configmaps), options as object) as unknown as MapInformer;
  const told: string[] = [];
  const errors: unknown[] = [];
  informed.onError((error) => errors.push(error));
  informed.on((change) => told.push(shown(change)));
  informed.start();
  try {
    await use({ server, informed, told, errors });
  } finally {
    await informed.stop();
    server.close();
  }
}

async function until(condition: () => boolean, what: () => unknown = () => ''): Promise<void> {
  const end = performance.now() + 20_000;
  while (!condition()) {
    assert.ok(performance.now() < end, `it takes too long: ${JSON.stringify(what())}`);
    await sleep(5);
  }
}

const open = (): void => {};

const following_ = suite('an informer');
following_('takes what there is from a streaming list, and goes on in it', () =>
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
following_('forgets what is deleted before a streaming list has ended', () =>
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
following_('waits for ever for a word where nobody limits that', () =>
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
following_('is in sync when the streaming list says so, and not before', () =>
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
  following_(`lists in pages where a streaming list ${name}`, () =>
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
      { idleTimeout: 200 },
    ),
  );

following_('lists again where the server no longer keeps what follows, and tells what has changed', () =>
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
following_('streams again where the server no longer keeps what follows', () =>
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
following_('tells nothing twice where a streaming list breaks, and then lists in pages, each of which may break', () =>
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
following_('reads a list whole where the server no longer keeps what the next page needs', () =>
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
following_('finds connections that say nothing any more', () =>
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
    { streaming: false, idleTimeout: 150 },
  ),
);
following_('goes on whatever the server answers, and says what it was', () =>
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
following_('warns the process of errors that nobody listens for', async () => {
  const server = await listWatchServer((_asked, response) => refusal(response, 403, 'Forbidden'));
  const informed = informer(server.client.resource(configmaps)).start();
  const [warning] = await once(process, 'warning');
  assert.is(warning.message, 'Forbidden');
  await informed.stop();
  server.close();
});
following_('gives up waiting where it is stopped, or whoever waits has enough', async () => {
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
  following_(`forgets what ${what} told before it broke, and that is gone when it is read again`, () =>
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
following_.run();

const handlers = suite('handlers of an informer');
const answersOf = (write: (text: string) => void): Answers => {
  return (_asked, response) => {
    response.write(event('ADDED', 'a', '1') + event('ADDED', 'b', '2') + bookmark('5', true));
    write('');
    later = (text) => response.write(text);
  };
};
let later: (text: string) => void = () => {};
handlers('that come later are told what there is first', () =>
  following(answersOf(open), async ({ informed, told }) => {
    await informed.synced();
    const second: string[] = [];
    const registration = informed.on((change) => second.push(shown(change)));
    await registration.synced();
    assert.equal(second, ['ADDED a1 list', 'ADDED b2 list']);
    later(event('MODIFIED', 'a', '6'));
    await until(() => second.length === 3);
    registration.remove();
    later(event('MODIFIED', 'a', '7'));
    await until(() => told.length === 4);
    assert.equal([second.at(-1), told.at(-1)], ['MODIFIED a6 watch', 'MODIFIED a7 watch']);
  }),
);
handlers('see what an object was before', () =>
  following(answersOf(open), async ({ informed }) => {
    await informed.synced();
    const seen: [string | undefined, string | undefined][] = [];
    await informed.on(({ previous, object }) => seen.push([previous?.metadata.resourceVersion, object.metadata.resourceVersion])).synced();
    later(event('MODIFIED', 'a', '6') + event('MODIFIED', 'a', '7') + event('DELETED', 'a', '8'));
    await until(() => seen.length === 5);
    assert.equal(seen.slice(2), [
      ['1', '6'],
      ['6', '7'],
      [undefined, '8'],
    ]);
  }),
);
handlers('that throw keep no other one from its changes', () =>
  following(answersOf(open), async ({ informed, errors, told }) => {
    await informed.synced();
    await informed
      .on(() => {
        throw new Error('broken');
      })
      .synced();
    later(event('MODIFIED', 'a', '6'));
    await until(() => told.length === 3 && errors.length === 3);
    assert.equal(errors.map(String), ['Error: broken', 'Error: broken', 'Error: broken']);
  }),
);
handlers('are told of all objects again where they want that', () =>
  following(answersOf(open), async ({ informed }) => {
    const seen: string[] = [];
    informed.on((change) => seen.push(shown(change)), { resync: 30 });
    await until(
      () => seen.length >= 6,
      () => seen,
    );
    assert.equal(seen.slice(0, 6), [
      'ADDED a1 list',
      'ADDED b2 list',
      'MODIFIED a1 resync',
      'MODIFIED b2 resync',
      'MODIFIED a1 resync',
      'MODIFIED b2 resync',
    ]);
  }),
);
handlers('are not told again before it is time, however long that is', () =>
  following(answersOf(open), async ({ informed }) => {
    const seen: string[] = [];
    informed.on((change) => seen.push(shown(change)), { resync: 30 * 86_400_000 });
    await informed.synced();
    await sleep(50);
    assert.equal(seen, ['ADDED a1 list', 'ADDED b2 list']);
  }),
);
handlers('of many objects leave others their turn, and are told each change once', async () => {
  const count = 3_000;
  const text = Array.from({ length: count }, (_, index) => event('ADDED', `m${index}-`, '1')).join('');
  await following(
    (_asked, response) => {
      response.write(text + bookmark('5', true));
      later = (more) => response.write(more);
    },
    async ({ informed }) => {
      await informed.synced();
      const seen = new Map<string, string[]>();
      let turns = 0;
      const timer = setImmediate(function again() {
        turns++;
        setImmediate(again).unref();
      }).unref();
      const registration = informed.on(({ key, type, object }) => {
        const end = performance.now() + 0.05;
        while (performance.now() < end);
        seen.set(key, [...(seen.get(key) ?? []), `${type} ${object.metadata.resourceVersion}`]);
      });
      // in the middle of telling it what there is
      later(
        event('MODIFIED', 'm0-', '6') +
          event('MODIFIED', `m${count - 1}-`, '7') +
          event('DELETED', `m${count - 2}-`, '8') +
          event('ADDED', 'new-', '9'),
      );
      await registration.synced();
      await until(() => seen.get('n/m0-')?.length === 2 && seen.has('n/new-'));
      clearImmediate(timer);
      assert.ok(turns > 5, `${turns} turns`);
      assert.equal(seen.get('n/m0-'), ['ADDED 1', 'MODIFIED 6']);
      // whichever came first
      const last = seen.get(`n/m${count - 1}-`)?.join();
      assert.ok(last === 'ADDED 7' || last === 'ADDED 1,MODIFIED 7', last);
      const deleted = seen.get(`n/m${count - 2}-`)?.join();
      assert.ok(deleted === undefined || deleted === 'ADDED 1,DELETED 8', deleted);
      assert.equal(seen.get('n/new-'), ['ADDED 9']);
      assert.is([...seen.values()].filter(([first]) => !first?.startsWith('ADDED')).length, 0);
    },
  );
});
handlers('are told once of an object that is made again while they begin', async () => {
  const objects = 5_000;
  let watch: { write(text: string): void } | undefined;
  const server = await listWatchServer((_, response) => {
    watch = response;
    const added = Array.from({ length: objects }, (_each, i) => event('ADDED', `m${i}`, String(i + 1)));
    response.write(added.join('') + bookmark(String(objects + 1), true));
  });
  const informed = informer(server.client.resource(configmaps));
  informed.start();
  await informed.synced();
  const told: string[] = [];
  const registration = informed.on(({ key, type, object }) => {
    // so long that others have a turn before all of them are told
    for (const until = performance.now() + 0.05; performance.now() < until; );
    if (key === 'n/m0') told.push(`${type} ${object.metadata.resourceVersion}`);
    if (key === 'n/m0' && told.length === 1) watch?.write(event('DELETED', 'm0', '9000') + event('ADDED', 'm0', '9001', 'another'));
  });
  await registration.synced();
  await informed.stop();
  server.close();
  assert.equal(told, ['ADDED 1', 'DELETED 9000', 'ADDED 9001']);
});
handlers.run();

const reading = suite('reading an informer');
reading('finds objects by indices, of those that are there and those to come', () =>
  following(
    answersOf(open),
    async ({ informed, told }) => {
      await informed.synced();
      informed.addIndex('name', ({ metadata }) => [metadata.name, undefined]);
      assert.equal(informed.keysByIndex('version', '1'), ['n/a']);
      later(event('MODIFIED', 'a', '6') + event('ADDED', 'c', '6') + event('DELETED', 'b', '7'));
      await until(() => told.length === 5);
      assert.equal(informed.keysByIndex('version', '1'), []);
      assert.equal(
        informed.byIndex('version', '6').map(({ metadata }) => metadata.name),
        ['a', 'c'],
      );
      assert.equal([informed.keysByIndex('name', 'b'), informed.keysByIndex('name', 'c')], [[], ['n/c']]);
      assert.throws(() => informed.addIndex('name', () => []), /there is an index name already/);
      assert.throws(() => informed.byIndex('other', 'x'), /there is no index other/);
    },
    { indices: { version: ({ data }: ConfigMap) => [data?.version] } } as object,
  ),
);
reading('gives each reader an object of their own, whatever is in it', () =>
  following(
    (_asked, response) =>
      response.write(
        `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, data: { 'é\u2028': '\u{1f600}"\\' }, n: 1 } })}\n${bookmark('5', true)}`.replace(
          '"n":1',
          '"n":9007199254740993',
        ),
      ),
    async ({ informed }) => {
      await informed.synced();
      const [first, second] = [informed.get('a'), informed.get('a')];
      assert.equal(first?.data, { 'é\u2028': '\u{1f600}"\\' });
      assert.match(JSON.stringify(first), /"n":9007199254740993/);
      assert.is.not(first, second);
      assert.equal([informed.has('a'), informed.has('b'), informed.get('b'), informed.list().length], [true, false, undefined, 1]);
    },
  ),
);
reading('gives the same object where it holds objects', () =>
  following(
    answersOf(open),
    async ({ informed }) => {
      await informed.synced();
      assert.is(informed.get('a', 'n'), informed.get('a', 'n'));
    },
    { hold: 'objects' },
  ),
);
reading('has what a transformation has left', () =>
  following(
    answersOf(open),
    async ({ informed, told }) => {
      await informed.synced();
      assert.equal(informed.get('a', 'n')?.data, undefined);
      assert.equal(told, ['ADDED a1 list', 'ADDED b2 list']);
    },
    { transform: ({ metadata, kind, apiVersion }: ConfigMap) => ({ metadata, kind, apiVersion }) } as object,
  ),
);
reading.run();

for (const dialect of ['cluster', 'kubernetes'] as const) {
  const real = suite(`informers of a server of the dialect ${dialect}`);
  real('are shared, follow it, and know selections and metadata', async () => {
    await using context = await serverAndClient(dialect);
    const { client } = context;
    const errors: unknown[] = [];
    const informers = new Informers(client);
    informers.onError((error) => errors.push(error));
    const web = informers.of(configmaps, { namespace: 'default', labels: { app: 'web' } });
    assert.is(informers.of(configmaps, { namespace: 'default', labels: 'app=web' }), web);
    const all = informers.of(namespaces);
    const running = informers.of(pods, { fields: { 'status.phase': 'Running' } });
    const names = metadataInformer(client.resource(configmaps).in('default'), { labels: { app: 'web' } }).start();
    await Promise.all([informers.synced(), names.synced()]);
    assert.ok(all.has('default'));
    assert.is(running.size, 0);
    const maps = client.resource(configmaps).in('default');
    await maps.create({ metadata: { name: 'one', labels: { app: 'web' } }, data: { a: '1' } });
    await maps.create({ metadata: { name: 'two', labels: { app: 'other' } } });
    await maps.mergePatch('one', { data: { a: '2' } });
    await until(() => web.get('one', 'default')?.data?.a === '2' && names.has('default/one'));
    assert.equal([...web.keys()], ['default/one']);
    const metadata = names.get('one', 'default');
    assert.equal(
      [metadata?.kind, metadata?.metadata.labels, (metadata as { data?: object }).data],
      ['PartialObjectMetadata', { app: 'web' }, undefined],
    );
    await maps.mergePatch('one', { metadata: { labels: { app: 'other' } } });
    await until(() => web.size === 0 && names.size === 0);
    await Promise.all([informers.stop(), names.stop()]);
    assert.equal(errors, []);
  });
  real('take large lists in both ways', async () => {
    await using context = await serverAndClient(dialect);
    const maps = context.client.resource(configmaps).in('default');
    const labels = { of: 'test' };
    await Promise.all(
      Array.from({ length: 1_200 }, (_, index) => maps.create({ metadata: { name: `map-${index}`, labels }, data: { a: 'é' } })),
    );
    for (const options of [{}, { streaming: false }, { streaming: false, pageSize: 0 }, { hold: 'objects' as const }]) {
      const informed = informer(maps, { ...options, labels }).start();
      await informed.synced();
      assert.equal(
        [informed.size, informed.get('map-7', 'default')?.data, informed.get('map-7', 'default')?.kind],
        [1_200, { a: 'é' }, 'ConfigMap'],
      );
      await informed.stop();
    }
  });
  real.run();
}
