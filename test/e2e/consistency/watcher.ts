/** Watches from a list or as a streaming list, breaks off now and then, and goes on where it was. */
import type { Client } from '../../harness/client.ts';
import type { Watch, WatchEvent } from '../../harness/watch.ts';
import { WATCH_FORMS, type WatchForm } from './forms.ts';
import { type Change, changeOf, type SeenList, type Version, versionOf } from './history.ts';
import { readList } from './lister.ts';
import type { Random } from './random.ts';
import { randomSelection, type Selection } from './selections.ts';
import { attempt, pathOf, unexpected, type World } from './world.ts';

/** @param upTo the revision up to which it goes on, known when the writers have ended */
export async function watch(world: World, random: Random, upTo: Promise<number>): Promise<void> {
  let last = Number.POSITIVE_INFINITY;
  void upTo.then((revision) => (last = revision));
  const selection = randomSelection(random, world.namespaces, world.names);
  const form = random.of(WATCH_FORMS);
  const headers = { accept: world.client.name(form.accept) };
  while (true) {
    const start = random.below(3) === 0 ? await streamedState(world, random, selection) : await listedState(world, random, selection);
    const changes: Change[] = [];
    const at = { position: start.revision };
    // a stream that is read as a whole goes on to its own end alone, for that is long enough
    const done = (): boolean => at.position >= last || (form.events !== undefined && last !== Number.POSITIVE_INFINITY);
    while (!done()) {
      const path = pathOf(selection, {
        ...form.query,
        watch: '1',
        allowWatchBookmarks: 'true',
        resourceVersion: String(at.position),
        // the last bookmark comes two seconds before the end
        timeoutSeconds: '3',
      });
      const stream = await attempt(world, (client) => open(client, path, headers, form));
      if (stream === undefined) continue;
      const goesOn = await follow({ stream, form }, random, changes, at, () => last);
      if (!Array.isArray(stream)) stream.close();
      if (!goesOn) break;
    }
    const request = `${pathOf(selection, form.query)} as ${form.accept}`;
    world.watches.push({ request, selection, from: start.revision, to: at.position, changes });
    if (done()) return;
    if (!world.shortHistory) throw new Error(`watch ${request}: the history after ${at.position} is gone`);
  }
}

/** The stream as it comes, or what came of it when it has ended. */
async function open(client: Client, path: string, headers: { accept: string }, { events }: WatchForm): Promise<Watch | WatchEvent[]> {
  if (events === undefined) return client.watch(path, headers);
  const answer = await client.get(path, headers);
  if (answer.status !== 200) throw unexpected(`watch ${path}`, answer);
  return events(answer.bytes);
}

/** @returns false when the history is gone */
async function follow(
  { stream, form }: { readonly stream: Watch | WatchEvent[]; readonly form: WatchForm },
  random: Random,
  changes: Change[],
  at: { position: number },
  last: () => number,
): Promise<boolean> {
  const most = 1 + random.below(400);
  let events = 0;
  for await (const event of stream) {
    if (event.type === 'ERROR') {
      if (event.object.code === 410) return false;
      throw new Error(`an error on a watch: ${JSON.stringify(event.object)}`);
    }
    at.position = Number(event.object.metadata.resourceVersion);
    if (event.type !== 'BOOKMARK') changes.push(changeOf({ type: event.type, object: form.objectOf(event.object) }));
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

/** The objects, then the bookmark that ends them: of what says that it is a streaming list, and of what is one all the same. */
async function streamedState(world: World, random: Random, selection: Selection): Promise<SeenList> {
  const streaming = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
  const known = random.of(world.revisions);
  const [version, atLeast] = random.of<[Readonly<Record<string, string>>, number]>([
    [streaming, world.newest],
    [{ ...streaming, resourceVersion: String(known) }, known],
    [{ ...streaming, resourceVersion: '0' }, 0],
    [{ resourceVersion: '0' }, 0],
    [{}, world.newest],
  ]);
  const query = { watch: '1', allowWatchBookmarks: 'true', ...version };
  const request = pathOf(selection, query);
  for (;;) {
    const stream = await attempt(world, (client) => client.watch(request));
    const state = stream === undefined ? undefined : await readState(stream, request);
    if (state === undefined && !world.deaths) throw new Error(`the initial state of ${request} does not end`);
    if (state === undefined) continue;
    const list: SeenList = { request, selection, ...state, atLeast };
    world.lists.push(list);
    return list;
  }
}

/** @returns undefined where the stream ends before its state does */
async function readState(stream: Watch, request: string): Promise<Pick<SeenList, 'revision' | 'items'> | undefined> {
  const items: Version[] = [];
  for await (const { type, object } of stream) {
    if (type === 'BOOKMARK') {
      stream.close();
      return { revision: Number(object.metadata.resourceVersion), items };
    }
    if (type !== 'ADDED') throw new Error(`${type} in the initial state of ${request}`);
    items.push(versionOf(object));
  }
  return undefined;
}
