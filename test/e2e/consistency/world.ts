/** What the actors of one run share. */
import type { Answer, Client } from '../../harness/client.ts';
import type { Acknowledgement, SeenChanges, SeenList, SeenObject, Version } from './history.ts';
import type { Selection } from './selections.ts';

export interface World {
  readonly client: Client;
  readonly namespaces: readonly string[];
  readonly names: readonly string[];
  /** the server may answer 410 for what is older than a moment */
  readonly shortHistory: boolean;
  readonly acknowledged: Acknowledgement[];
  readonly lists: SeenList[];
  readonly objects: SeenObject[];
  readonly watches: SeenChanges[];
  /** the newest revision that a writer was told of */
  newest: number;
  /** revisions that lists may ask for */
  readonly revisions: number[];
  /** the writers have ended */
  readonly over: () => boolean;
}

export const RESOURCE = 'secrets';

export function collectionPath(namespace: string): string {
  return namespace === '' ? `/api/v1/${RESOURCE}` : `/api/v1/namespaces/${namespace}/${RESOURCE}`;
}

export function pathOf(selection: Selection, query: Readonly<Record<string, string>>): string {
  const all = new URLSearchParams({ ...selection.query, ...query }).toString();
  return collectionPath(selection.namespace) + (all === '' ? '' : `?${all}`);
}

export function acknowledge(world: World, version: Version): void {
  world.acknowledged.push({ kind: 'stored', version });
  world.newest = Math.max(world.newest, version.revision);
  world.revisions.push(version.revision);
}

/** @throws Error for an answer that nobody expects */
export function unexpected(what: string, { status, text }: Answer): Error {
  return new Error(`${what}: ${status} ${text.slice(0, 500)}`);
}
