/** Watches from a list or as a streaming list, breaks off now and then, and goes on where it was. */
import type { Watch, WatchEvent } from '../../harness/watch.ts';
import { type Change, changeOf, type SeenList, versionOf } from './history.ts';
import { readList } from './lister.ts';
import type { Random } from './random.ts';
import { randomSelection, type Selection } from './selections.ts';
import { pathOf, type World } from './world.ts';

const FORMS = ['application/json', 'application/json;as=PartialObjectMetadata;g=meta.${groupDomain};v=v1'] as const;

/** @param upTo the revision up to which it goes on, known when the writers have ended */
export async function watch(world: World, random: Random, upTo: Promise<number>): Promise<void> {
  let last = Number.POSITIVE_INFINITY;
  void upTo.then((revision) => (last = revision));
  const selection = randomSelection(random, world.namespaces, world.names);
  const headers = { accept: world.client.name(random.of(FORMS)) };
  while (true) {
    const start = random.below(3) === 0 ? await streamedState(world, selection) : await listedState(world, random, selection);
    const changes: Change[] = [];
    const at = { position: start.revision };
    while (at.position < last) {
      const path = pathOf(selection, {
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: String(at.position),
        timeoutSeconds: '4',
      });
      const stream = await world.client.watch(path, headers);
      const goesOn = await follow(stream, random, changes, at, () => last);
      stream.close();
      if (!goesOn) break;
    }
    const request = pathOf(selection, {});
    world.watches.push({ request, selection, from: start.revision, to: at.position, changes });
    if (at.position >= last) return;
    if (!world.shortHistory) throw new Error(`watch ${request}: the history after ${at.position} is gone`);
  }
}

/** @returns false when the history is gone */
async function follow(stream: Watch, random: Random, changes: Change[], at: { position: number }, last: () => number): Promise<boolean> {
  const most = 1 + random.below(400);
  let events = 0;
  for await (const event of stream) {
    if (event.type === 'ERROR') {
      if (event.object.code === 410) return false;
      throw new Error(`an error on a watch: ${JSON.stringify(event.object)}`);
    }
    at.position = Number(event.object.metadata.resourceVersion);
    if (event.type !== 'BOOKMARK') changes.push(changeOf(event));
    if (++events >= most || at.position >= last()) break;
  }
  return true;
}

async function listedState(world: World, random: Random, selection: Selection): Promise<SeenList> {
  for (;;) {
    const list = await readList(world, random, selection, { query: {}, atLeast: world.newest });
    if (list === undefined) continue;
    world.lists.push(list);
    return list;
  }
}

/** The objects, then the bookmark that ends them. */
async function streamedState(world: World, selection: Selection): Promise<SeenList> {
  const query = { watch: '1', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
  const atLeast = world.newest;
  const request = pathOf(selection, query);
  const stream = await world.client.watch(request);
  const state: WatchEvent[] = [];
  let event = await stream.next();
  for (; event.type !== 'BOOKMARK'; event = await stream.next()) {
    if (event.type !== 'ADDED') throw new Error(`${event.type} in the initial state of ${request}`);
    state.push(event);
  }
  stream.close();
  const items = state.map(({ object }) => versionOf(object));
  const list: SeenList = { request, selection, revision: Number(event.object.metadata.resourceVersion), items, atLeast };
  world.lists.push(list);
  return list;
}
