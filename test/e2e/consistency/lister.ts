/** Lists, whole and in pages, at every kind of resource version, and single objects. */
import type { Answer } from '../../harness/client.ts';
import { type SeenList, type Version, versionOf } from './history.ts';
import type { Random } from './random.ts';
import { randomSelection, type Selection } from './selections.ts';
import { pathOf, unexpected, type World } from './world.ts';

interface Wanted {
  readonly query: Readonly<Record<string, string>>;
  readonly atLeast: number;
  readonly exactly?: number;
}

export async function list(world: World, random: Random): Promise<void> {
  while (!world.over()) {
    const selection = randomSelection(random, world.namespaces, world.names);
    const seen = await readList(world, random, selection, randomVersion(world, random));
    if (seen !== undefined) world.lists.push(seen);
  }
}

function randomVersion(world: World, random: Random): Wanted {
  const { newest } = world;
  const known = random.of(world.revisions.slice(random.below(2) === 0 ? -100 : 0));
  return random.of<Wanted>([
    { query: {}, atLeast: newest },
    { query: {}, atLeast: newest },
    { query: { resourceVersion: '0' }, atLeast: 0 },
    { query: { resourceVersion: String(known) }, atLeast: known },
    { query: { resourceVersion: String(known), resourceVersionMatch: 'NotOlderThan' }, atLeast: known },
    { query: { resourceVersion: String(known), resourceVersionMatch: 'Exact' }, atLeast: known, exactly: known },
  ]);
}

/** @returns undefined where the snapshot is gone, which a short history allows */
export async function readList(world: World, random: Random, selection: Selection, wanted: Wanted): Promise<SeenList | undefined> {
  const limit = random.below(2) === 0 ? 0 : 1 + random.below(40);
  const request = pathOf(selection, { ...wanted.query, ...(limit > 0 && { limit: String(limit) }) });
  const pages: Answer[] = [];
  let token: string | undefined = '';
  while (token !== undefined) {
    const path: string = token === '' ? request : pathOf(selection, { limit: String(limit), continue: token });
    const page = await world.client.get(path);
    if (page.status === 410 && world.shortHistory) return undefined;
    if (page.status !== 200) throw unexpected(`list ${path}`, page);
    pages.push(page);
    token = page.body.metadata.continue;
  }
  const items = pages.flatMap(({ body }) => body.items.map(versionOf)) as Version[];
  checkPages(pages, selection, wanted.query.resourceVersion === '0' ? 0 : limit);
  const revision = Number(pages[0]?.body.metadata.resourceVersion);
  // at a version that is named, pages are of that version
  const pinned = wanted.exactly ?? (limit > 0 && wanted.query.resourceVersionMatch === undefined ? exactlyOf(wanted) : undefined);
  return { request, selection, revision, items, atLeast: wanted.atLeast, ...(pinned !== undefined && { exactly: pinned }) };
}

function exactlyOf({ query }: Wanted): number | undefined {
  const { resourceVersion = '0' } = query;
  return resourceVersion === '0' ? undefined : Number(resourceVersion);
}

/** All pages are of one version, full up to the last one, and say how many items are left. @throws Error */
function checkPages(pages: readonly Answer[], selection: Selection, limit: number): void {
  const selective = Object.keys(selection.query).length > 0;
  const total = pages.reduce((sum, { body }) => sum + body.items.length, 0);
  let read = 0;
  for (const [index, { body }] of pages.entries()) {
    const { resourceVersion, remainingItemCount } = body.metadata;
    read += body.items.length;
    const last = index === pages.length - 1;
    const left = last || selective ? undefined : total - read;
    if (resourceVersion !== pages[0]?.body.metadata.resourceVersion) throw new Error(`page ${index} is of version ${resourceVersion}`);
    if (limit > 0 && (body.items.length > limit || (!last && body.items.length < limit)))
      throw new Error(`page ${index} of ${limit} items has ${body.items.length}`);
    if (remainingItemCount !== left) throw new Error(`page ${index} says that ${remainingItemCount} items are left, not ${left}`);
  }
}
