/** Keeps the rules of cluster roles that gather those of others, whatever was written into them by hand. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ApiObject } from '../contract/object.ts';
import type { ApiServer } from '../endpoints/api-server.ts';
import type { Resource } from '../registry/registry.ts';
import { copyValue } from '../schema/copy.ts';
import { isNotFound } from '../status/status.ts';
import type { Change } from '../storage/storage.ts';
import type { Controller } from './controller.ts';
import { ControllerWriter } from './controller-writer.ts';

const PREFIX = 'clusterroles/';

export class ClusterRoleAggregation implements Controller {
  readonly #server: ApiServer;
  readonly #resource: Resource | undefined;
  readonly #writer: ControllerWriter;
  #working: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  /** Where cluster roles are not served, it has nothing to do. */
  constructor(server: ApiServer) {
    this.#server = server;
    this.#resource = server.registry.resource(server.identity.text('rbac.authorization.${groupDomain}'), 'v1', 'clusterroles');
    this.#writer = new ControllerWriter(server);
  }

  /** The roles that the authorizers know are the ones to look at: they follow the store. */
  async list(): Promise<void> {
    this.#wake();
  }

  changed({ key }: Change): void {
    if (key.startsWith(PREFIX)) this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#writer.stop();
    await this.#working;
  }

  #wake(): void {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Changes that come while it works are looked at together afterwards; its own are among them, until nothing is left to do. */
  async #work(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await turn();
      if (this.#stopped) return;
      try {
        for (const { name, rules } of this.#server.grants.outdatedAggregates()) await this.#write(name, rules);
      } catch (error) {
        this.#server.log.error({ err: error }, 'rules of cluster roles could not be gathered');
      }
    }
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
