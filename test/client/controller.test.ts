/** A controller made of all that clients have: elected, with an informer and a work queue, over connections that are cut. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps } from '../../generated/client/core/v1/index.ts';
import { createClient, Informers, isNotFound, LeaderElector, LeadershipLost, WorkQueue } from '../../generated/client/index.ts';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { type ServerAndClient, serverAndClient } from './client-of.ts';
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';

const MAPS = 100;
const labels = { of: 'test' };
const DONE = 'example.com/done';

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

/** One replica of the controller, which writes the version of each config map's data beside it. */
class Replica {
  /** config maps that it has written */
  written = 0;
  readonly #client: ReturnType<typeof createClient>;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(name: string, way: CuttingProxy, { server }: ServerAndClient, dialect: Dialect, leads: (by: number) => void) {
    const at = `https://127.0.0.1:${way.port}`;
    this.#client = createClient({ ...server.clientConfig, server: at }, { dialect, fieldManager: name });
    const times = { leaseDuration: 4_000, renewDeadline: 3_000, retryPeriod: 100 };
    const elector = new LeaderElector(this.#client, { namespace: 'default', name: 'controller', identity: name, ...times });
    this.#running = this.#run(elector, leads);
  }

  /** Any number of times. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#client.close();
  }

  /** Stands for election again where it has lost one. */
  async #run(elector: LeaderElector, leads: (by: number) => void): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted)
      await elector
        .run(async (leading) => {
          leads(1);
          const ended = aborted(leading).then(() => leads(-1));
          await this.#lead(leading);
          await ended;
        }, signal)
        .catch((error: unknown) => {
          if (!signal.aborted && !(error instanceof LeadershipLost)) throw error;
        });
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const informers = new Informers(this.#client);
    informers.onError(() => {});
    const maps = this.#client.resource(configmaps).in('default');
    const known = informers.of(configmaps, { namespace: 'default', labels });
    const queue = new WorkQueue({
      workers: 4,
      retries: { first: 10, longest: 200 },
      failed: () => {},
      process: async (key) => {
        const { metadata, data } = known.getByKey(key) ?? {};
        if (metadata === undefined || metadata.annotations?.[DONE] === data?.turn) return;
        const { resourceVersion } = metadata;
        await maps.mergePatch(metadata.name, { metadata: { resourceVersion, annotations: { [DONE]: data?.turn ?? '' } } }, { signal });
        this.written++;
      },
    });
    known.on(({ key }) => queue.add(key));
    await aborted(signal);
    await Promise.all([informers.stop(), queue.stop()]);
  }
}

for (const dialect of ['cluster', 'kubernetes'] as const) {
  const test = suite(`a controller of a server of the dialect ${dialect}`);
  test('does all that there is to do, whichever replica leads, and whatever happens to connections', async () => {
    await using context = await serverAndClient(dialect);
    const maps = context.client.resource(configmaps).in('default');
    const write = (index: number, turn: number) =>
      maps.mergePatch(`map-${index}`, { data: { turn: String(turn) } }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return maps.create({ metadata: { name: `map-${index}`, labels }, data: { turn: String(turn) } });
      });
    const isDone = async (turn: number): Promise<boolean> => {
      const { items } = await maps.list({ labels });
      return (
        items.length === MAPS &&
        items.every(({ metadata, data }) => data?.turn === String(turn) && metadata.annotations?.[DONE] === data.turn)
      );
    };
    const until = async (turn: number, isHeardOf = () => true): Promise<void> => {
      const end = performance.now() + 120_000;
      while (!(await isDone(turn)) || !isHeardOf()) {
        assert.ok(performance.now() < end, `turn ${turn} takes too long`);
        await sleep(50);
      }
    };
    let leaders = 0;
    let most = 0;
    const leads = (by: number): void => {
      leaders += by;
      most = Math.max(most, leaders);
    };
    await using opened = new AsyncDisposableStack();
    const way = await cuttingProxy(Number(new URL(context.server.url).port));
    opened.defer(() => way.close());
    const first = new Replica('first', way, context, dialect, leads);
    opened.defer(() => first.stop());
    await Promise.all(Array.from({ length: MAPS }, (_, index) => write(index, 0)));
    // it hears of its own last writes later than others can read them
    await until(0, () => first.written >= MAPS);
    const second = new Replica('second', way, context, dialect, leads);
    opened.defer(() => second.stop());
    const cutter = setInterval(() => way.cut(), 300);
    opened.defer(() => clearInterval(cutter));
    const writes = Promise.all(Array.from({ length: MAPS }, (_, index) => write(index, 1)));
    await first.stop();
    await writes;
    await until(1);
    clearInterval(cutter);
    assert.equal([first.written >= MAPS, second.written > 0, most], [true, true, 1]);
    await second.stop();
    assert.is(leaders, 0);
  });
  test.run();
}
