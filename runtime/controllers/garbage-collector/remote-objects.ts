/**
 * Objects of the API servers behind this one that are owned, or own others: they are followed, as those of the store are, and collected there. What that takes is loaded
 * with the first such server.
 */
import type { RemoteVersion } from '../../aggregation/remote-version.ts';
import { versionPath } from '../../aggregation/remote-version.ts';
import type { Log } from '../../observability/log.ts';
import type { FollowedResource, FollowedResourceParts, ObjectListener } from './followed-resource.ts';
import type { OtherServers, RemoteRequests } from './remote-requests.ts';

/** Milliseconds between looks at what resources there are, as in 1.32. */
const LOOK = 30_000;
/** Milliseconds that changes of APIServices wait for others. */
const SETTLING = 100;
/** Verbs without which nothing of a resource can be collected. */
const NEEDED = ['delete', 'list', 'watch'];

export class RemoteObjects {
  readonly #loadRequests: () => Promise<RemoteRequests>;
  readonly #servers: OtherServers;
  readonly #log: Pick<Log, 'debug' | 'warn'>;
  readonly #followed = new Map<string, FollowedResource>();
  #requests: Promise<RemoteRequests> | undefined;
  #listener: ObjectListener | undefined;
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(servers: OtherServers, loadRequests: () => Promise<RemoteRequests>, log: Pick<Log, 'debug' | 'warn'>) {
    this.#servers = servers;
    this.#loadRequests = loadRequests;
    this.#log = log;
    servers.versions.onChange(() => {
      if (this.#listener !== undefined) this.#lookAfter(SETTLING);
    });
  }

  /** What can be asked of their servers, which are asked nothing once this has stopped. */
  requests(): Promise<RemoteRequests> {
    this.#requests ??= this.#loadRequests().then((requests) => {
      if (this.#stopped) requests.stop();
      return requests;
    });
    return this.#requests;
  }

  /** Whether a key is one of theirs. Keys of this server's store begin with no slash. */
  static isKey(key: string): boolean {
    return key.startsWith('/');
  }

  /** @returns '' for an object outside of namespaces */
  static namespaceOf(key: string): string {
    const [, namespace = ''] = /\/namespaces\/([^/]+)\/[^/]+\/[^/]+$/.exec(key) ?? [];
    return namespace;
  }

  /** Tells of all objects, and from then on of every change. Whoever calls it again hears of all objects again. */
  tell(listener: ObjectListener): void {
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    if (isFirst) this.#look();
    else for (const followed of this.#followed.values()) followed.repeat();
  }

  /** Waits until each resource that is known has been looked at once. */
  async looked(): Promise<void> {
    await this.#looking;
    await Promise.all(Array.from(this.#followed.values(), ({ looked }) => looked));
  }

  #lookAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => this.#look(), milliseconds).unref();
  }

  #look(): void {
    const { versions } = this.#servers;
    if (versions.size === 0 && this.#followed.size === 0) return;
    const failed = (error: unknown): void => this.#log.warn({ err: error }, 'the resources of other API servers are not known for now');
    this.#looking = this.#looking.then(() => this.#follow()).catch(failed);
    this.#lookAfter(LOOK);
  }

  /** Of a version whose server does not say what it has, all stays as it is. */
  async #follow(): Promise<void> {
    const [{ FollowedResource }, requests] = await Promise.all([import('./followed-resource.ts'), this.requests()]);
    const begin = (root: string, resource: string): FollowedResource => new FollowedResource(this.#partsOf(root, resource, requests));
    const wanted = new Map<string, () => FollowedResource>();
    const kept: string[] = [];
    const groups = new Map<string, Set<string>>();
    for (const remote of preferredFirst(this.#servers.versions.all())) {
      const root = versionPath(remote);
      const resources = remote.available ? await this.#servers.resources(remote) : undefined;
      if (resources === undefined) kept.push(`${root}/`);
      const seen = groups.get(remote.group) ?? new Set();
      groups.set(remote.group, seen);
      for (const { resource, verbs } of resources ?? []) {
        if (seen.has(resource) || !NEEDED.every((verb) => verbs.includes(verb))) continue;
        seen.add(resource);
        wanted.set(`${root}/${resource}`, () => begin(root, resource));
      }
    }
    for (const [path, followed] of this.#followed)
      if (!wanted.has(path) && !kept.some((root) => path.startsWith(root))) {
        this.#followed.delete(path);
        await followed.stop();
      }
    // Everything may have ended meanwhile: nothing may begin then that nobody would end.
    if (this.#stopped) return;
    for (const [path, beginOne] of wanted) {
      const followed = this.#followed.get(path);
      if (followed !== undefined) followed.wake();
      else this.#followed.set(path, beginOne());
    }
  }

  #partsOf(root: string, resource: string, requests: RemoteRequests): FollowedResourceParts {
    const failed = (error: unknown): void =>
      this.#log.debug({ err: error, path: `${root}/${resource}` }, 'objects of another API server are not followed for now');
    return { root, resource, requests, listener: this.#listener as ObjectListener, failed };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (this.#requests !== undefined) (await this.#requests).stop();
    await Promise.all(Array.from(this.#followed.values(), (followed) => followed.stop()));
  }
}

/** Each resource is followed in the first version of its group that has it. */
const preferredFirst = (versions: readonly RemoteVersion[]): readonly RemoteVersion[] =>
  versions.toSorted((a, b) => b.versionPriority - a.versionPriority);
