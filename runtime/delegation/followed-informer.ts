import { type Informer, InformerStopped } from '../client/informers/informer.ts';
import { informer } from '../client/informers/informers.ts';
import { ApiError } from '../client/objects/api-error.ts';
import type { AnyObject } from '../client/objects/object.ts';
import type { Client } from '../client/resources/client.ts';
import type { Resource } from '../client/resources/resource.ts';
import type { ApiObject } from '../contract/object.ts';

/** All objects of one resource of another server, as they were when this one last heard of them. Nobody may change one. */
export class FollowedInformer {
  readonly #informer: Informer<AnyObject>;
  readonly #known = Promise.withResolvers<void>();
  #isAbsent = false;
  #changes = 0;

  /**
   * Follows from now on.
   * @param failed told of what goes wrong
   * @param changed called after each change
   */
  constructor(client: Client, resource: Resource, failed: (error: unknown) => void, changed: () => void = () => {}) {
    this.#known.promise.catch(() => {});
    this.#informer = informer(client.resource(resource), { hold: 'objects' }) as Informer<AnyObject>;
    this.#informer.onError((error) => {
      // a server without the resource has no object of it, perhaps later
      if (error instanceof ApiError && error.code === 404 && !this.#informer.isSynced) {
        this.#isAbsent = true;
        this.#known.resolve();
      } else failed(error);
    });
    this.#informer.on(() => {
      this.#changes++;
      changed();
    });
    this.#informer.start().synced().then(this.#known.resolve, this.#known.reject);
  }

  /** Another number each time that something has changed. */
  get changes(): number {
    return this.#changes;
  }

  get isSynced(): boolean {
    return this.#isAbsent || this.#informer.isSynced;
  }

  /** @returns whether all objects are known before the signal is aborted, and it is not stopped */
  async synced(signal: AbortSignal): Promise<boolean> {
    if (this.isSynced) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    try {
      await Promise.race([this.#known.promise, promise]);
    } catch (error) {
      if (!(error instanceof InformerStopped)) throw error;
    }
    return this.isSynced;
  }

  /** @param namespace '' for those of all */
  in(namespace: string): readonly ApiObject[] {
    const objects = this.#informer.list() as ApiObject[];
    return namespace === '' ? objects : objects.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** @returns undefined for an object that is not there, as far as is known */
  get(namespace: string, name: string): ApiObject | undefined {
    return this.#informer.get(name, namespace) as ApiObject | undefined;
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }
}
