/** Keeps the rules of cluster roles that gather those of others, whatever was written into them by hand. */
import type { ApiObject } from '../contract/object.ts';
import type { Resource } from '../registry/resource.ts';
import { copyValue } from '../schema/copy.ts';
import { isNotFound } from '../status/status.ts';
import type { Change } from '../storage/storage.ts';
import type { Controller } from './controller.ts';
import type { ControllerServer } from './controller-server.ts';
import { ControllerWriter } from './controller-writer.ts';
import { WorkQueue } from './work-queue.ts';

const PREFIX = 'clusterroles/';

/** There is one piece of work: a round over all roles that are not right. */
const ROUND = '';

export class ClusterRoleAggregation implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource | undefined;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;

  /** Where cluster roles are not served, it has nothing to do. */
  constructor(server: ControllerServer) {
    this.#server = server;
    this.#resource = server.registry.current.resource(server.identity.text('rbac.authorization.${groupDomain}'), 'v1', 'clusterroles');
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      name: 'ClusterRoleAggregator',
      metrics: server.metrics,
      workers: 1,
      process: () => this.#round(),
      failed: (_key, error) => server.log.error({ err: error }, 'rules of cluster roles could not be gathered; they are tried again'),
    });
  }

  /** The roles that the authorizers know are the ones to look at: they follow the store. */
  async list(): Promise<void> {
    this.#queue.add(ROUND);
  }

  /** Changes that come during a round are looked at together in the next one; the round's own are among them, until nothing is left to do. */
  changed({ key }: Change): void {
    if (key.startsWith(PREFIX)) this.#queue.add(ROUND);
  }

  /** Resolves when nothing is left to do. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  async #round(): Promise<void> {
    for (const { name, rules } of this.#server.grants.outdatedAggregates()) await this.#write(name, rules);
  }

  async #write(name: string, rules: readonly object[]): Promise<void> {
    if (this.#resource === undefined) return;
    const produce = (old: ApiObject): ApiObject =>
      old.aggregationRule === undefined ? copyValue(old) : { ...copyValue(old), rules: copyValue(rules) };
    try {
      await this.#writer.update({ resource: this.#resource, namespace: '', name }, 'object', produce);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
