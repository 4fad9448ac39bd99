/** What goes wrong with one object, or with what a server sends, keeps an informer from nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConfigMap, configmaps } from '../../../generated/client/core/v1/index.ts';
import { type Informer, type InformerOptions, informer } from '../../../generated/client/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Answers, bookmark, event, list, listWatchServer, map } from './list-watch-server.ts';

interface Followed {
  readonly informed: Informer<ConfigMap>;
  readonly asked: readonly string[];
  /** messages */
  readonly errors: string[];
}

/** Follows until the keys are those. */
async function follow(
  answers: Answers,
  keys: readonly string[],
  use: (followed: Followed) => unknown,
  options: InformerOptions<ConfigMap> = {},
): Promise<void> {
  const server = await listWatchServer(answers);
  const informed = informer(server.client.resource(configmaps), options as object) as unknown as Informer<ConfigMap>;
  const errors: string[] = [];
  informed.onError((error) => errors.push((error as Error).message));
  try {
    informed.start();
    const isThere = (): boolean => [...informed.keys()].join() === keys.join() && informed.isSynced;
    await eventually('it is in sync', isThere);
    await use({ informed, asked: server.asked, errors });
  } finally {
    await informed.stop();
    server.close();
  }
}

const wrong = (name: string) => (object: ConfigMap) => {
  if (object.metadata?.name === name) throw new Error(`wrong: ${name}`);
};
const beginning = event('ADDED', 'a', '1') + event('ADDED', 'b', '2') + bookmark('5', true);
const changes = event('MODIFIED', 'a', '6') + event('ADDED', 'c', '7') + event('ADDED', 'd', '8');
const streaming: Answers = (_asked, response) => response.write(beginning + changes);

const objects = suite('an informer');
for (const name of ['a', 'c'])
  objects(`leaves out an object whose transformation fails: ${name}`, () => {
    const transform = (object: ConfigMap): ConfigMap => {
      wrong(name)(object);
      return object;
    };
    const keys = ['n/a', 'n/b', 'n/c', 'n/d'].filter((key) => key !== `n/${name}`);
    return follow(
      streaming,
      keys,
      ({ informed, asked, errors }) => {
        assert.equal([asked, informed.resourceVersion], [['stream'], '8']);
        assert.equal([...new Set(errors)], [`wrong: ${name}`]);
      },
      { transform },
    );
  });
objects('keeps an object as it was where the transformation of a later one fails, in a list as well', () => {
  let mayFail = false;
  const transform = (object: ConfigMap): ConfigMap => {
    if (mayFail) wrong('a')(object);
    return object;
  };
  const answers: Answers = ({ kind }, response, count) => {
    if (kind === 'stream') return response.writeHead(400).end();
    if (kind === 'watch') return count === 0 ? response.writeHead(410).end() : response.write(event('ADDED', 'c', '9'));
    mayFail = count > 0;
    return response.end(list(`${5 + count}`, [map('a', count === 0 ? '1' : '3'), map('b', '2')]));
  };
  return follow(
    answers,
    ['n/a', 'n/b', 'n/c'],
    ({ informed, errors }) => {
      assert.is(informed.get('a', 'n')?.metadata?.resourceVersion, '1');
      assert.ok(errors.includes('wrong: a'), errors.join());
    },
    { transform },
  );
});
for (const name of ['a', 'c'])
  objects(`leaves out of an index alone an object for which it fails: ${name}`, () => {
    const byData = (object: ConfigMap): string[] => {
      wrong(name)(object);
      return ['all'];
    };
    return follow(
      streaming,
      ['n/a', 'n/b', 'n/c', 'n/d'],
      ({ informed, asked, errors }) => {
        assert.equal(asked, ['stream']);
        assert.equal([...new Set(errors)], [`wrong: ${name}`]);
        const found = ['n/a', 'n/b', 'n/c', 'n/d'].filter((key) => key !== `n/${name}`);
        assert.equal(informed.keysByIndex('data', 'all').sort(), found);
        assert.equal(informed.keysByIndex('names', 'all').sort(), ['n/a', 'n/b', 'n/c', 'n/d']);
      },
      { indices: { data: byData, names: () => ['all'] } },
    );
  });
objects('goes on whatever its listeners of errors throw', async () => {
  const warnings: Error[] = [];
  const heard = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', heard);
  try {
    await follow(streaming, ['n/a', 'n/b', 'n/c', 'n/d'], async ({ informed }) => {
      informed.onError(() => {
        throw new Error('of the listener');
      });
      informed.on(() => {
        throw new Error('of the handler');
      });
      await eventually('the listener is warned of', () => warnings.some(({ message }) => message === 'of the listener'));
    });
  } finally {
    process.off('warning', heard);
  }
});
objects.run();

const status = (code: number, reason: string, more = {}): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason, ...more });
const failure = (...given: Parameters<typeof status>): string => `{"type":"ERROR","object":${status(...given)}}\n`;
const tooLarge = { details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] } };

const watches = suite('an informer whose watch cannot go on from its version');
/** Each time that the watch goes on from version 5 it is answered so; all objects may be read again. */
const stuck =
  (answer: (response: Parameters<Answers>[1]) => unknown): Answers =>
  ({ kind }, response, count) => {
    if (kind === 'watch') return answer(response);
    if (count === 0) return response.end(event('ADDED', 'a', '1') + bookmark('5', true));
    return response.write(event('ADDED', 'a', '1') + event('ADDED', 'b', '7') + bookmark('8', true));
  };
const cases: [name: string, answer: (response: Parameters<Answers>[1]) => unknown][] = [
  ['an event that is no JSON', (response) => response.end('garbage\n')],
  ['an object that is no JSON', (response) => response.end('{"type":"ADDED","object":{"metadata":{"name":"b",,}}}\n')],
  ['an event of a type that there is not', (response) => response.end(event('LATER', 'z', '6'))],
  ['an error of the server', (response) => response.end(failure(500, 'InternalError'))],
  ['an error that is none', (response) => response.end('{"type":"ERROR","object":null}\n')],
  ['a version that the server does not know', (response) => response.writeHead(400).end(status(400, 'BadRequest'))],
  ['rights that are missing', (response) => response.writeHead(403).end(status(403, 'Forbidden'))],
  ['a resource that cannot be watched', (response) => response.writeHead(405).end(status(405, 'MethodNotAllowed'))],
  ['a version that is later than that of the server', (response) => response.writeHead(504).end(status(504, 'Timeout', tooLarge))],
];
for (const [name, answer] of cases)
  watches(`reads all objects again: ${name}`, () =>
    follow(stuck(answer), ['n/a', 'n/b'], ({ asked, informed, errors }) => {
      assert.equal([asked, informed.resourceVersion], [['stream', 'watch 5', 'stream'], '8']);
      assert.is(errors.length, 1);
    }),
  );
const resumed: [name: string, answer: (response: Parameters<Answers>[1]) => unknown][] = [
  ['too many requests', (response) => response.writeHead(429).end(status(429, 'TooManyRequests'))],
  ['too many requests, in the watch', (response) => response.end(failure(429, 'TooManyRequests'))],
  ['no server behind a balancer', (response) => response.writeHead(503).end()],
  ['an error of the server instead of a watch', (response) => response.writeHead(500).end(status(500, 'InternalError'))],
  ['credentials that are refused', (response) => response.writeHead(401).end(status(401, 'Unauthorized'))],
  ['a connection that breaks', (response) => response.socket?.resetAndDestroy()],
];
for (const [name, answer] of resumed)
  watches(`goes on from it where it can later: ${name}`, () => {
    const answers: Answers = ({ kind }, response, count) => {
      if (kind === 'stream') return response.end(event('ADDED', 'a', '1') + bookmark('5', true));
      return count === 0 ? answer(response) : response.write(event('ADDED', 'b', '6'));
    };
    return follow(answers, ['n/a', 'n/b'], ({ asked }) => assert.equal(asked, ['stream', 'watch 5', 'watch 5']));
  });
watches('goes on as late as the server asks for', async () => {
  let ended = 0;
  let later = 0;
  const answers: Answers = ({ kind }, response, count) => {
    if (kind === 'stream') return response.end(event('ADDED', 'a', '1') + bookmark('5', true));
    if (count > 0) {
      later = performance.now() - ended;
      return response.write(event('ADDED', 'b', '6'));
    }
    ended = performance.now();
    return response.end(failure(429, 'TooManyRequests', { details: { retryAfterSeconds: 1 } }));
  };
  await follow(answers, ['n/a', 'n/b'], () => assert.ok(later >= 1_000, `${later} ms`));
});
for (const [name, streaming] of [
  ['pages', false],
  ['streaming lists', true],
] as const)
  watches(`reads all objects again later and later, where each time it cannot: ${name}`, async () => {
    const answers: Answers = ({ kind }, response) => {
      if (kind === 'watch') return response.end(failure(410, 'Expired'));
      if (kind === 'list') return response.end(list('5', [map('a', '1')]));
      return response.end(event('ADDED', 'a', '1') + bookmark('5', true) + failure(410, 'Expired'));
    };
    await follow(
      answers,
      ['n/a'],
      async ({ asked }) => {
        await sleep(1_500);
        const lists = asked.filter((each) => !each.startsWith('watch')).length;
        // after 50, 100, 200, 400 and 800 ms
        assert.ok(lists >= 3 && lists <= 7, `${lists}`);
      },
      { streaming },
    );
  });
watches('is not tried at once after a list that took long', async () => {
  const { now } = performance;
  let passed = 0;
  performance.now = () => now.call(performance) + passed;
  const answers: Answers = ({ kind }, response) => {
    if (kind === 'watch') return response.end(failure(410, 'Expired'));
    passed += 60_000;
    return response.end(list('5', [map('a', '1')]));
  };
  try {
    await follow(
      answers,
      ['n/a'],
      async ({ asked }) => {
        await sleep(1_500);
        assert.ok(asked.length <= 14, `${asked.length}`);
      },
      { streaming: false },
    );
  } finally {
    performance.now = now;
  }
});
watches.run();
