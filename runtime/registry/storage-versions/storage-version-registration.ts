/**
 * Knows for which resources this server has published its storage version. Nobody may write the others yet: a tool that migrates stored objects from one
 * version to another could not know of such a write.
 */
import type { GroupResource } from '../../status/status.ts';
import type { RegisteredResource, ServerVersions } from './registered-resources.ts';

interface Pending {
  /** the message of the last failure; undefined before the first one */
  readonly lastError: string | undefined;
}

const NOT_TRIED: Pending = { lastError: undefined };

export class StorageVersionRegistration {
  readonly resources: readonly RegisteredResource[];
  /** Returns the versions of all `resources`. */
  readonly versions: () => Promise<ReadonlyMap<RegisteredResource, ServerVersions>>;
  /** the resources that are not registered yet, by groups, then by names */
  readonly #pending = new Map<string, Map<string, Pending>>();
  readonly #completion = Promise.withResolvers<void>();
  #isComplete = false;

  constructor(resources: readonly RegisteredResource[], versions: StorageVersionRegistration['versions']) {
    this.resources = resources;
    this.versions = versions;
    for (const { equivalents } of resources) for (const each of equivalents) this.#note(each, NOT_TRIED);
  }

  /** All have succeeded in one round, here or in another process of the server. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Resolves when `isComplete` becomes true. */
  get completion(): Promise<void> {
    return this.#completion.promise;
  }

  /** @returns undefined for a resource that may be written */
  pending(group: string, resource: string): Pending | undefined {
    return this.#isComplete ? undefined : this.#pending.get(group)?.get(resource);
  }

  succeeded({ equivalents }: RegisteredResource): void {
    for (const { group, resource } of equivalents) this.#pending.get(group)?.delete(resource);
  }

  /** Does nothing for a resource that has succeeded before: it stays open for writes. */
  failed({ equivalents }: RegisteredResource, error: unknown): void {
    const lastError = error instanceof Error ? error.message : String(error);
    for (const each of equivalents) if (this.#pending.get(each.group)?.has(each.resource)) this.#note(each, { lastError });
  }

  complete(): void {
    this.#isComplete = true;
    this.#pending.clear();
    this.#completion.resolve();
  }

  #note({ group, resource }: GroupResource, pending: Pending): void {
    const ofGroup = this.#pending.get(group) ?? new Map<string, Pending>();
    this.#pending.set(group, ofGroup.set(resource, pending));
  }
}
