/** The group versions that other servers answer. In every process they follow the store's revision. */
import type { FollowerSink } from '../registry/stored-objects/store-follower.ts';
import type { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { type RemoteVersion, remoteVersionOf, rootPath } from './remote-version.ts';

/** What has changed. A version that was replaced is in both. */
export interface RemoteChanges {
  readonly gone: readonly RemoteVersion[];
  readonly come: readonly RemoteVersion[];
}

export class RemoteVersions implements FollowerSink {
  readonly prefixes: readonly string[];
  readonly #listeners: ((changes: RemoteChanges) => void)[] = [];
  readonly #byKey = new Map<string, RemoteVersion>();
  readonly #byPath = new Map<string, RemoteVersion>();
  /** changes since the last `settle`, by key */
  readonly #next = new Map<string, RemoteVersion | undefined>();

  /** @param prefixes of the keys of APIServices, without a slash at the end; empty: there are none */
  constructor(prefixes: readonly string[]) {
    this.prefixes = prefixes;
  }

  reset(): void {
    for (const key of this.#byKey.keys()) this.#next.set(key, undefined);
  }

  change(key: string, stored: StoredObject | undefined): void {
    const next = stored && remoteVersionOf(stored);
    if (next !== undefined || this.#byKey.has(key) || this.#next.has(key)) this.#next.set(key, next);
  }

  settle(): void {
    const gone: RemoteVersion[] = [];
    const come: RemoteVersion[] = [];
    for (const [key, next] of this.#next) {
      const before = this.#byKey.get(key);
      if (before?.resourceVersion === next?.resourceVersion) continue;
      if (before !== undefined) {
        this.#byKey.delete(key);
        this.#byPath.delete(rootPath(before));
        gone.push(before);
      }
      if (next === undefined) continue;
      this.#byKey.set(key, next);
      this.#byPath.set(rootPath(next), next);
      come.push(next);
    }
    this.#next.clear();
    if (gone.length > 0 || come.length > 0) for (const listener of this.#listeners) listener({ gone, come });
  }

  /** @param listener must not throw */
  onChange(listener: (changes: RemoteChanges) => void): void {
    this.#listeners.push(listener);
  }

  get size(): number {
    return this.#byKey.size;
  }

  all(): readonly RemoteVersion[] {
    return [...this.#byKey.values()];
  }

  get(group: string, version: string): RemoteVersion | undefined {
    const found = this.#byPath.get(rootPath({ group, version }));
    return found?.version === version ? found : undefined;
  }

  /** The version that a path belongs to; undefined: this server answers it. @param path decoded */
  forPath(path: string): RemoteVersion | undefined {
    if (this.#byPath.size === 0) return undefined;
    if (path.startsWith('/apis/')) {
      const end = path.indexOf('/', path.indexOf('/', '/apis/'.length) + 1);
      return this.#byPath.get(end < 0 ? path : path.slice(0, end));
    }
    return path === '/api' || path.startsWith('/api/') ? this.#byPath.get('/api') : undefined;
  }
}
