/** What the actors of one run share. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ReceivedAnswer } from '../../harness/client.ts';
import type { Acknowledgement, SeenChanges, SeenList, SeenObject, Unanswered, Version } from './history.ts';
import type { Selection } from './selections.ts';

export interface World {
  readonly client: Client;
  readonly namespaces: readonly string[];
  readonly names: readonly string[];
  /** the server may answer 410 for what is older than a moment */
  readonly shortHistory: boolean;
  /** serving processes die, and connections with them */
  readonly deaths: boolean;
  readonly acknowledged: Acknowledgement[];
  /** what was sent and not answered */
  readonly unanswered: Unanswered[];
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

/** Codes of the errors of a connection that ends with the process at its other end. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);
/** Milliseconds until a request is sent again. */
const PAUSE = 20;

/** @returns undefined where the connection broke, in a run in which it may: what was asked for may have been done or not */
export async function attempt<T>(world: World, ask: (client: Client) => Promise<T>): Promise<T | undefined> {
  try {
    return await ask(world.client);
  } catch (error) {
    if (!world.deaths || !BROKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await sleep(PAUSE);
    return undefined;
  }
}

/** A read, repeated until it is answered. */
export async function read(world: World, path: string, headers: Readonly<Record<string, string>> = {}): Promise<ReceivedAnswer> {
  for (;;) {
    const answer = await attempt(world, (client) => client.get(path, headers));
    if (answer !== undefined) return answer;
  }
}

/** @throws Error for an answer that nobody expects */
export function unexpected(what: string, { status, text }: Pick<ReceivedAnswer, 'status' | 'text'>): Error {
  return new Error(`${what}: ${status} ${text.slice(0, 500)}`);
}
