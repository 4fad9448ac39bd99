/** Keeps the rules of cluster roles that gather those of others, whatever was written into them by hand. */

import { type Clock, PROCESS_CLOCK } from '../client/work-queue/clock.ts';
import { RetryLimits } from '../client/work-queue/retry-limits.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Resource } from '../registry/resources/resource.ts';
import { copyValue } from '../schema/copy.ts';
import { isNotFound } from '../status/status.ts';
import type { Change } from '../storage/storage.ts';
import type { Controller } from './controller/controller.ts';
import type { ControllerServer } from './controller/controller-server.ts';
import { WorkQueue } from './controller/work-queue.ts';
import { ControllerWriter } from './writes/controller-writer.ts';

const PREFIX = 'clusterroles/';

/** There is one piece of work: a round over all roles that are not right. */
const ROUND = '';

/**
 * Roles that gather each other's rules in a circle may never be right, and neither may one that a webhook changes: they are written as seldom as by 1.32, whose
 * client sends 20 requests a second.
 */
const PACE = { first: 0, perSecond: 20, burst: 100 };

export class ClusterRoleAggregation implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource | undefined;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #clock: Clock;
  readonly #pace: RetryLimits;
  /** the time, by the clock, before which nothing is written */
  #nextWrite = Number.NEGATIVE_INFINITY;

  /** If cluster roles are not served, the controller does nothing. */
  constructor(server: ControllerServer, clock: Clock = PROCESS_CLOCK) {
    this.#server = server;
    this.#clock = clock;
    this.#pace = new RetryLimits(PACE, clock);
    this.#resource = server.registry.current.resource(server.identity.text('rbac.authorization.${groupDomain}'), 'v1', 'clusterroles');
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      name: 'ClusterRoleAggregator',
      metrics: server.metrics,
      workers: 1,
      clock,
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
    if (this.#isEarly()) return;
    // a role that is not read yet would lose its rules where they are gathered
    await this.#server.grants.settled();
    for (const { name, rules } of await this.#server.grants.outdatedAggregates()) {
      if (this.#isEarly()) return;
      this.#nextWrite = this.#clock.now() + this.#pace.after(ROUND);
      // none of them has failed
      this.#pace.forget(ROUND);
      await this.#write(name, rules);
    }
  }

  /** Whether the next write, and the round that finds what it is to be, has to wait. */
  #isEarly(): boolean {
    const milliseconds = this.#nextWrite - this.#clock.now();
    if (milliseconds <= 0) return false;
    this.#queue.addAfter(ROUND, milliseconds);
    return true;
  }

  async #write(name: string, rules: readonly object[]): Promise<void> {
    if (this.#resource === undefined) return;
    const produce = (old: ApiObject): ApiObject =>
      old.aggregationRule === undefined ? copyValue(old) : { ...copyValue(old), rules: rules.length === 0 ? null : copyValue(rules) };
    try {
      await this.#writer.update({ resource: this.#resource, namespace: '', name }, 'object', produce);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
