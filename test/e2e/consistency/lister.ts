/** Lists, whole and in pages, at every kind of resource version, and single objects. */
import { LIST_FORMS, type Page } from './forms.ts';
import { type SeenList, versionOf } from './history.ts';
import type { Random } from './random.ts';
import { randomSelection, type Selection } from './selections.ts';
import { collectionPath, pathOf, read, unexpected, type World } from './world.ts';

interface Wanted {
  readonly query: Readonly<Record<string, string>>;
  readonly atLeast: number;
  readonly exactly?: number;
}

export async function list(world: World, random: Random): Promise<void> {
  while (!world.over()) {
    if (random.below(3) === 0) await getOne(world, random);
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

async function getOne(world: World, random: Random): Promise<void> {
  const [namespace, name] = [random.of(world.namespaces), random.of(world.names)];
  const known = random.of(world.revisions);
  const [query, atLeast] = random.of<[string, number]>([
    ['', world.newest],
    ['?resourceVersion=0', 0],
    [`?resourceVersion=${known}`, known],
  ]);
  const request = `${collectionPath(namespace)}/${name}${query}`;
  const answer = await read(world, request);
  if (answer.status !== 200 && answer.status !== 404) throw unexpected(request, answer);
  world.objects.push({ request, namespace, name, version: answer.status === 200 ? versionOf(answer.body) : undefined, atLeast });
}

/** In pages or whole, in any form. @returns undefined where the snapshot is gone, which a short history allows */
export async function readList(world: World, random: Random, selection: Selection, wanted: Wanted): Promise<SeenList | undefined> {
  const limit = random.below(2) === 0 ? 0 : 1 + random.below(40);
  const form = random.of(LIST_FORMS);
  const headers = { accept: world.client.name(form.accept) };
  const request = pathOf(selection, { ...form.query, ...wanted.query, ...(limit > 0 && { limit: String(limit) }) });
  const pages: Page[] = [];
  let token: string | undefined = '';
  while (token !== undefined) {
    const path: string = token === '' ? request : pathOf(selection, { ...form.query, limit: String(limit), continue: token });
    const answer = await read(world, path, headers);
    if (answer.status === 410 && world.shortHistory) return undefined;
    if (answer.status !== 200) throw unexpected(`list ${path}`, answer);
    const page = form.read(answer);
    pages.push(page);
    token = page.metadata.continue;
  }
  const items = pages.flatMap(({ items }) => items.map(versionOf));
  checkPages(pages, selection, wanted.query.resourceVersion === '0' ? 0 : limit);
  const revision = Number(pages[0]?.metadata.resourceVersion);
  // at a version that is named, pages are of that version
  const pinned = wanted.exactly ?? (limit > 0 && wanted.query.resourceVersionMatch === undefined ? exactlyOf(wanted) : undefined);
  return {
    request: `${request} as ${form.accept}`,
    selection,
    revision,
    items,
    atLeast: wanted.atLeast,
    ...(pinned !== undefined && { exactly: pinned }),
  };
}

function exactlyOf({ query }: Wanted): number | undefined {
  const { resourceVersion = '0' } = query;
  return resourceVersion === '0' ? undefined : Number(resourceVersion);
}

/** All pages are of one version, full up to the last one, and say how many items are left. @throws Error */
function checkPages(pages: readonly Page[], selection: Selection, limit: number): void {
  const selective = Object.keys(selection.query).length > 0;
  const total = pages.reduce((sum, { items }) => sum + items.length, 0);
  let count = 0;
  for (const [index, { metadata, items }] of pages.entries()) {
    const { resourceVersion, remainingItemCount } = metadata;
    count += items.length;
    const last = index === pages.length - 1;
    const left = last || selective ? undefined : total - count;
    if (resourceVersion !== pages[0]?.metadata.resourceVersion) throw new Error(`page ${index} is of version ${resourceVersion}`);
    if (limit > 0 && (items.length > limit || (!last && items.length < limit)))
      throw new Error(`page ${index} of ${limit} items has ${items.length}`);
    if (remainingItemCount !== left) throw new Error(`page ${index} says that ${remainingItemCount} items are left, not ${left}`);
  }
}
