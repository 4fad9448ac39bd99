/** One run: writers, listers and watchers at the same time against one server, then every answer held against the history. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../harness/client.ts';
import type { TestServer } from '../../harness/server.ts';
import { type Change, changeOf, checkChanges, checkHistory, checkLists, checkObjects } from './history.ts';
import { list } from './lister.ts';
import { Random } from './random.ts';
import { watch } from './watcher.ts';
import { collectionPath, unexpected, type World } from './world.ts';
import { write } from './writer.ts';

export interface RunOptions {
  readonly seed: number;
  /** milliseconds of writing */
  readonly duration: number;
  readonly writers: number;
  readonly listers: number;
  readonly watchers: number;
  readonly shortHistory: boolean;
}

export interface Outcome {
  readonly problems: readonly string[];
  readonly changes: number;
  readonly lists: number;
  readonly objects: number;
  readonly watches: number;
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
    return await runWith(client, observer, options);
  } finally {
    client.close();
    observer.close();
  }
}

async function runWith(client: Client, observer: Client, options: RunOptions): Promise<Outcome> {
  const namespaces = ['c-1', 'c-2', 'c-3'];
  for (const name of namespaces) {
    const answer = await client.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (answer.status >= 300) throw unexpected('namespace', answer);
  }
  const { body: before } = await observer.get(collectionPath(''));
  const first = Number(before.metadata.resourceVersion);
  const history: Change[] = [];
  const reference = await observer.watch(`${collectionPath('')}?watch=1&resourceVersion=${first}`);
  const observing = (async () => {
    for await (const event of reference) history.push(changeOf(event));
  })();
  let over = false;
  const world: World = {
    client,
    namespaces,
    names: Array.from({ length: 30 }, (_, i) => `o-${i}`),
    shortHistory: options.shortHistory,
    acknowledged: [],
    lists: [],
    objects: [],
    watches: [],
    newest: first,
    revisions: [first],
    over: () => over,
  };
  const upTo = Promise.withResolvers<number>();
  let stream = 0;
  const crowd = (count: number, act: (random: Random, index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, index) => act(new Random(options.seed, ++stream), index));
  const active = [
    ...crowd(options.writers, (random, index) => write(world, random, index)),
    ...crowd(options.listers, (random) => list(world, random)),
  ];
  const watching = crowd(options.watchers, (random) => watch(world, random, upTo.promise));
  // whatever fails first ends the run
  const failed = Promise.race([...active, ...watching].map((each) => each.then(() => new Promise<never>(() => {}))));
  await Promise.race([sleep(options.duration, undefined, { ref: false }), failed]);
  over = true;
  await Promise.race([Promise.all(active), failed]);
  const { body: after } = await observer.get(collectionPath(''));
  upTo.resolve(Number(after.metadata.resourceVersion));
  await Promise.race([Promise.all(watching), failed, late('a watcher does not come to the end')]);
  const unexplained = await settled(() => checkHistory(history, world.acknowledged));
  reference.close();
  await observing;
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
    delivered: world.watches.reduce((sum, { changes }) => sum + changes.length, 0),
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
