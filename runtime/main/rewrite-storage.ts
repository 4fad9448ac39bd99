/**
 * `cluster-apiserver rewrite-storage`: has a server that runs write anew what it would store otherwise now, such as values that an old key has encrypted. It may be
 * interrupted and begun again: what is stored as it should be is not written.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../client/objects/api-error.ts';
import type { Client } from '../client/resources/client.ts';
import { ConnectionError } from '../client/transport/transport.ts';
import { CLIENT_FLAGS, withClient } from './command-client.ts';
import { counted, ExitCode, HELP_FLAG, Progress, runCommand } from './command-line.ts';

const command = {
  name: 'rewrite-storage',
  operands: '[RESOURCE...]',
  summary:
    'Has a server write anew all objects that it would store otherwise now: those that an old key has encrypted, or none, and those of an older version. RESOURCE is a ' +
    'name such as secrets or widgets.example.com; without one all resources are gone through. Objects keep their contents and get a new resourceVersion; what is stored ' +
    'as it should be is left alone, so the command may be interrupted and begun again. A server that is restarted meanwhile is waited for, a minute at most. It ends with code 0 where all is stored as it should be, 1 where ' +
    'something could not be listed or written, and 2 where its flags are wrong.',
  flags: {
    groups: { general: 'Flags' },
    flags: [...CLIENT_FLAGS, HELP_FLAG],
  },
} as const;

/** @param argv arguments after the command's name */
export function main(argv: readonly string[]): Promise<void> {
  return runCommand(command, argv, (values, names) =>
    withClient(values, command.name, (client) => rewrite({ client, absence: new Absence() }, names)),
  );
}

/** Objects that are listed at a time, and that are written at a time. */
const PAGE = 500;
const AT_ONCE = 8;
/** How often one resource is listed from the beginning because a server does not say how a list that is too old goes on. */
const MOST_RESTARTS = 100;

interface Collection {
  /** as clients name it */
  readonly name: string;
  readonly path: string;
  readonly namespaced: boolean;
  readonly resource: string;
}

/** @returns exit code */
async function rewrite(server: Server, names: readonly string[]): Promise<number> {
  const { found: all, unread } = await collections(server.client);
  for (const each of unread) say(each);
  const unknown = names.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined) throw new Error(`the server stores no resource ${JSON.stringify(unknown)} that can be listed and changed`);
  const progress = new Progress();
  let failures = 0;
  let unlisted = names.length > 0 ? 0 : unread.length;
  for (const collection of all) {
    if (names.length > 0 && !names.includes(collection.name)) continue;
    const found: Found = { seen: 0, written: 0, failed: 0 };
    if (!(await rewriteCollection(server, collection, progress, found))) unlisted++;
    failures += found.failed;
    if (found.seen > 0) say(`${collection.name}: ${counted(found.written, 'object')} written anew of ${counted(found.seen, 'object')}`);
  }
  if (failures > 0) say(`${counted(failures, 'object')} could not be written`);
  return failures + unlisted === 0 ? 0 : ExitCode.failed;
}

interface Server {
  readonly client: Client;
  readonly absence: Absence;
}

/** Milliseconds for which a server that has answered before is waited for, and those between two attempts. */
const MOST_ABSENCE = 60_000;
const BETWEEN_ATTEMPTS = 500;

/** The time for which the server cannot be reached, such as that of a restart. */
class Absence {
  /** when it began, on the clock that only goes on; undefined: the server answers */
  #since: number | undefined;

  /**
   * @param send is called again where the server was not reached, or did not answer: to be asked twice must do no harm
   * @throws what `send` throws, after a minute also that the server is not reached
   */
  async outlasted<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await send();
        this.#since = undefined;
        return answer;
      } catch (error) {
        if (!isAbsence(error) || this.#isOver()) throw error;
      }
      await pause(BETWEEN_ATTEMPTS);
    }
  }

  #isOver(): boolean {
    if (this.#since === undefined) {
      this.#since = performance.now();
      say('the server is not reached; it is waited for');
    }
    return performance.now() - this.#since > MOST_ABSENCE;
  }
}

/** Whether the system says that the server is not reached, or has gone. */
const isAbsence = (error: unknown): boolean => error instanceof ConnectionError && error.code !== undefined;

interface Found {
  seen: number;
  written: number;
  failed: number;
}

/** @param found what comes of it. @returns false where the server cannot list all, which is told: others of it may well be written */
async function rewriteCollection(server: Server, collection: Collection, progress: Progress, found: Found): Promise<boolean> {
  try {
    await rewriteAll(server, collection, progress, found);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // whoever has deleted its definition has deleted all
    if (error.code === 404) return true;
    say(`${collection.name} could not be listed: ${error.message}`);
    return false;
  }
}

async function rewriteAll(server: Server, collection: Collection, progress: Progress, found: Found): Promise<void> {
  const pages = new Pages(server, collection);
  do {
    const page = await pages.next();
    if (page === undefined) {
      found.seen = 0;
      continue;
    }
    const left = [...(page.items ?? [])];
    const total = found.seen + left.length + (page.metadata?.remainingItemCount ?? 0);
    await Promise.all(Array.from({ length: AT_ONCE }, () => writeAll(server, collection, left, found)));
    progress.tell(collection.name, found.seen, total);
  } while (!pages.ended);
}

/**
 * The objects of a collection, a page at a time. Where the list has become too old, what is left of it is listed as it is by then, for those who have written
 * something meanwhile have written it as it should be.
 */
class Pages {
  readonly #server: Server;
  readonly #path: string;
  #token = '';
  #restarts = 0;
  ended = false;

  constructor(server: Server, { path, resource }: Collection) {
    this.#server = server;
    this.#path = `${path}/${resource}?limit=${PAGE}`;
  }

  /** @returns undefined where the list begins anew, because the server does not say how to go on */
  async next(): Promise<MetadataList | undefined> {
    try {
      const page = await this.#list();
      this.#token = page.metadata?.continue ?? '';
      this.ended = this.#token === '';
      return page;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 410) throw error;
      const token = restOf(error);
      if (token === '' && this.#restarts++ >= MOST_RESTARTS) throw error;
      this.#token = token;
      return token === '' ? undefined : this.next();
    }
  }

  #list(): Promise<MetadataList> {
    const { client, absence } = this.#server;
    const accept = metadataOf(client, 'PartialObjectMetadataList');
    const path = `${this.#path}&continue=${encodeURIComponent(this.#token)}`;
    return absence.outlasted(() => client.request({ method: 'GET', path, accept }));
  }
}

/** Where a list goes on that has become too old; empty: the server does not say. */
function restOf({ status }: ApiError): string {
  const token: unknown = status?.metadata?.continue;
  return typeof token === 'string' ? token : '';
}

/** Takes objects off the list until none is left. */
async function writeAll(server: Server, collection: Collection, left: ListedMetadata[], found: Found): Promise<void> {
  for (let item = left.shift(); item !== undefined; item = left.shift()) {
    const { namespace, name, resourceVersion } = item.metadata;
    found.seen++;
    try {
      if ((await writeAnew(server, collection, namespace, name)) !== resourceVersion) found.written++;
    } catch (error) {
      // whoever has deleted it has written it
      if (error instanceof ApiError && error.code === 404) continue;
      // nothing can be written any more
      if (isAbsence(error)) throw error;
      found.failed++;
      const place = namespace === undefined ? name : `${namespace}/${name}`;
      say(`${collection.name} ${place} could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A change of nothing, which a server leaves alone where the object is stored as it should be. @returns the version that the object has then */
async function writeAnew(
  { client, absence }: Server,
  collection: Collection,
  namespace: string | undefined,
  name: string,
): Promise<string> {
  const within = collection.namespaced ? `/namespaces/${encodeURIComponent(namespace ?? '')}` : '';
  const path = `${collection.path}${within}/${collection.resource}/${encodeURIComponent(name)}`;
  const body = { type: 'application/merge-patch+json', text: '{}' };
  const accept = metadataOf(client, 'PartialObjectMetadata');
  const { metadata } = await absence.outlasted(() => client.request<ListedMetadata>({ method: 'PATCH', path, accept, body }));
  return metadata.resourceVersion;
}

interface ListedMetadata {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}

interface MetadataList {
  readonly metadata?: { readonly continue?: string; readonly remainingItemCount?: number };
  readonly items?: readonly ListedMetadata[];
}

/** Bodies are of no concern: secrets stay where they are. */
const metadataOf = ({ identity }: Client, kind: string): string =>
  `application/json;as=${kind};g=${identity.text('meta.${groupDomain}')};v=v1,application/json`;

interface ResourceLists {
  readonly resources?: readonly { readonly name: string; readonly namespaced: boolean; readonly verbs: readonly string[] }[];
}

interface Groups {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly GroupVersion[];
    readonly preferredVersion: GroupVersion;
  }[];
}

interface GroupVersion {
  readonly groupVersion: string;
}

interface Collections {
  /** each in the version that its group prefers of those that have it */
  readonly found: readonly Collection[];
  /** group versions that the server cannot tell of, such as those of another server that does not answer; for people */
  readonly unread: readonly string[];
}

/** Those that can be listed and changed. */
async function collections(client: Client): Promise<Collections> {
  const { groups } = await client.request<Groups>({ method: 'GET', path: '/apis' });
  const all = [
    { group: '', path: '/api/v1' },
    ...groups.flatMap(({ name, preferredVersion, versions }) =>
      [...new Set([preferredVersion, ...versions].map(({ groupVersion }) => groupVersion))].map((each) => ({
        group: name,
        path: `/apis/${each}`,
      })),
    ),
  ];
  const found = new Map<string, Collection>();
  const unread: string[] = [];
  for (const { group, path } of all)
    try {
      const { resources = [] } = await client.request<ResourceLists>({ method: 'GET', path });
      for (const { name: resource, namespaced, verbs } of resources) {
        const name = group === '' ? resource : `${resource}.${group}`;
        if (!resource.includes('/') && verbs.includes('list') && verbs.includes('patch') && !found.has(name))
          found.set(name, { name, path, namespaced, resource });
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      unread.push(`${path} cannot be read: ${error.message}`);
    }
  return { found: [...found.values()], unread };
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
