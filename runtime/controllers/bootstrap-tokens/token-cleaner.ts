/** Deletes tokens of new nodes that have ended (specification: bootstrap tokens). */
import { hasExpired } from '../../authentication/bootstrap-tokens.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { BootstrapSecrets, untilExpiration } from './bootstrap-secrets.ts';

/** All tokens are looked at together: there are few. */
const ALL = 'bootstrap tokens';

export class TokenCleaner implements Controller {
  readonly #resource: Resource;
  readonly #secrets: BootstrapSecrets;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;

  constructor(server: ControllerServer) {
    const resource = server.registry.current.resource('', 'v1', 'secrets');
    if (resource === undefined) throw new Error('--controllers: secrets are not served');
    this.#resource = resource;
    this.#secrets = new BootstrapSecrets(server);
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      name: 'token_cleaner',
      metrics: server.metrics,
      workers: 1,
      process: () => this.#sync(),
      failed: (_key, error) => server.log.warn({ err: error }, 'an expired bootstrap token could not be deleted'),
    });
  }

  async list(): Promise<void> {
    this.#queue.add(ALL);
  }

  changed(change: Change): void {
    if (change.operation !== 'delete' && this.#secrets.mayBe(change)) this.#queue.add(ALL);
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  async #sync(): Promise<void> {
    const now = Date.now();
    for (const secret of this.#secrets.all()) {
      if (hasExpired(secret, now)) await this.#delete(secret.metadata);
      else {
        const left = untilExpiration(secret, now);
        // One millisecond later it has ended.
        if (left !== undefined) this.#queue.addAfter(ALL, left + 1);
      }
    }
  }

  async #delete({ namespace = '', name = '', uid = '' }: { namespace?: string; name?: string; uid?: string }): Promise<void> {
    try {
      await this.#writer.delete({ resource: this.#resource, namespace, name }, { preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
