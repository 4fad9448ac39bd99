/** One run: writers, listers and watchers at the same time against one server, then every answer held against the history. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../harness/client.ts';
import type { TestServer } from '../../harness/server.ts';
import type { Watch } from '../../harness/watch.ts';
import { type Change, changeOf, checkChanges, checkHistory, checkLists, checkObjects } from './history.ts';
import { list } from './lister.ts';
import { Random } from './random.ts';
import { watch } from './watcher.ts';
import { killWorkers } from './worker-deaths.ts';
import { attempt, collectionPath, read, unexpected, type World } from './world.ts';
import { write } from './writer.ts';

export interface RunOptions {
  readonly seed: number;
  /** milliseconds of writing */
  readonly duration: number;
  readonly writers: number;
  readonly listers: number;
  readonly watchers: number;
  readonly shortHistory: boolean;
  /** whether serving processes are killed */
  readonly deaths: boolean;
}

export interface Outcome {
  readonly problems: readonly string[];
  readonly changes: number;
  readonly lists: number;
  readonly objects: number;
  readonly watches: number;
  readonly killed: number;
  /** changes that all watchers together got */
  readonly delivered: number;
}

/** Milliseconds that watchers have for what is left when the writers have ended. */
const SETTLE = 20_000;

export async function run(server: TestServer, options: RunOptions): Promise<Outcome> {
  const client = new Client(server);
  // what the reference watch sees must wait for nobody
  const observer = new Client(server);
  try {
    return await runWith(server, client, observer, options);
  } finally {
    client.close();
    observer.close();
  }
}

async function runWith(server: TestServer, client: Client, observer: Client, options: RunOptions): Promise<Outcome> {
  const namespaces = ['c-1', 'c-2', 'c-3'];
  for (const name of namespaces) {
    const answer = await client.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (answer.status >= 300) throw unexpected('namespace', answer);
  }
  const { body: before } = await observer.get(collectionPath(''));
  const first = Number(before.metadata.resourceVersion);
  const history: Change[] = [];
  let over = false;
  const world: World = {
    client,
    namespaces,
    names: Array.from({ length: 30 }, (_, i) => `o-${i}`),
    shortHistory: options.shortHistory,
    deaths: options.deaths,
    acknowledged: [],
    unanswered: [],
    lists: [],
    objects: [],
    watches: [],
    newest: first,
    revisions: [first],
    over: () => over,
  };
  const reference = await observe({ ...world, client: observer }, history, first);
  const upTo = Promise.withResolvers<number>();
  let stream = 0;
  const crowd = (count: number, act: (random: Random, index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, index) => act(new Random(options.seed, ++stream), index));
  const active = [
    ...crowd(options.writers, (random, index) => write(world, random, index)),
    ...crowd(options.listers, (random) => list(world, random)),
  ];
  const killing = options.deaths ? killWorkers(server, new Random(options.seed, 0), () => over) : Promise.resolve(0);
  const watching = crowd(options.watchers, (random) => watch(world, random, upTo.promise));
  // whatever fails first ends the run
  const failed = Promise.race([...active, ...watching].map((each) => each.then(() => new Promise<never>(() => {}))));
  await Promise.race([sleep(options.duration, undefined, { ref: false }), failed]);
  over = true;
  await Promise.race([Promise.all(active), failed]);
  const killed = await killing;
  const { body: after } = await read({ ...world, client: observer }, collectionPath(''));
  upTo.resolve(Number(after.metadata.resourceVersion));
  await Promise.race([Promise.all(watching), failed, late('a watcher does not come to the end')]);
  const unexplained = await settled(() => checkHistory(history, world.acknowledged, world.unanswered));
  await reference.close();
  return {
    problems: [
      ...unexplained,
      ...checkLists(history, world.lists),
      ...checkObjects(history, world.objects),
      ...checkChanges(history, world.watches),
    ],
    changes: history.length,
    lists: world.lists.length,
    objects: world.objects.length,
    watches: world.watches.length,
    killed,
    delivered: world.watches.reduce((sum, { changes }) => sum + changes.length, 0),
  };
}

/** Fills in the history, from one connection after the other where they break. */
async function observe(world: World, history: Change[], first: number): Promise<{ close(): Promise<void> }> {
  let closed = false;
  let stream: Watch | undefined;
  const open = async (): Promise<void> => {
    const since = history.at(-1)?.version.revision ?? first;
    while (stream === undefined)
      stream = await attempt(world, (client) => client.watch(`${collectionPath('')}?watch=1&resourceVersion=${since}`));
  };
  await open();
  const observing = (async () => {
    for (; !closed; await open()) {
      for await (const event of stream as Watch) history.push(changeOf(event));
      stream = undefined;
      if (!closed && !world.deaths) throw new Error('the reference watch has ended');
    }
  })();
  return {
    async close() {
      closed = true;
      stream?.close();
      await observing;
    },
  };
}

async function late(what: string): Promise<never> {
  await sleep(SETTLE, undefined, { ref: false });
  throw new Error(`${what} in ${SETTLE} ms`);
}

/** @returns the problems that are left when there are none, or when it takes too long */
async function settled(check: () => string[]): Promise<string[]> {
  const until = Date.now() + SETTLE;
  for (;;) {
    const problems = check();
    if (problems.length === 0 || Date.now() >= until) return problems;
    await sleep(100);
  }
}
