/** Keeps the rules of cluster roles that gather those of others, whatever was written into them by hand. */
import { setImmediate as turn } from 'node:timers/promises';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { copyValue } from '../../schema/copy.ts';
import { StatusError } from '../../status/status.ts';
import type { Storage } from '../../storage/storage.ts';

/** What the controller must know of roles; both as the store has them now. */
export interface AggregatedRoles {
  /** counts changes of cluster roles */
  clusterRoleChanges(): number;
  /** cluster roles whose rules are not those that they should have gathered, with those */
  outdatedAggregates(): readonly { readonly name: string; readonly rules: readonly object[] }[];
}

export interface AggregationParts {
  readonly storage: Storage;
  readonly roles: AggregatedRoles;
  readonly store: () => Promise<ResourceStore>;
  readonly context: RuleContext;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds after the start. */
const FIRST_LOOK = 1_000;

export class AggregationController {
  readonly #parts: AggregationParts;
  #stop: (() => void) | undefined;
  #seen = -1;
  #working: Promise<void> | undefined;
  #again = false;

  constructor(parts: AggregationParts) {
    this.#parts = parts;
  }

  /** What another process left undone is not urgent: a start should not wait for it. */
  start(): void {
    const later = setTimeout(() => this.#wake(), FIRST_LOOK).unref();
    const unsubscribe = this.#parts.storage.onCommit(() => this.#wake());
    this.#stop = () => {
      clearTimeout(later);
      unsubscribe();
    };
  }

  /** Waits for a write under way. */
  async stop(): Promise<void> {
    this.#stop?.();
    this.#stop = undefined;
    await this.#working;
  }

  #wake(): void {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Commits that come while it works are looked at together afterwards; its own are among them, until nothing is left to do. */
  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await turn();
      if (this.#stop === undefined) return;
      try {
        const changes = this.#parts.roles.clusterRoleChanges();
        if (changes === this.#seen) continue;
        for (const { name, rules } of this.#parts.roles.outdatedAggregates()) await this.#write(name, rules);
        this.#seen = changes;
      } catch (error) {
        this.#parts.onError(error);
      }
    }
  }

  async #write(name: string, rules: readonly object[]): Promise<void> {
    const store = await this.#parts.store();
    const produce = (old: ApiObject): ApiObject =>
      old.aggregationRule === undefined ? copyValue(old) : { ...copyValue(old), rules: copyValue(rules) };
    try {
      await store.update('', name, produce, {
        target: 'object',
        context: this.#parts.context,
        admit: async () => {},
        retry: true,
        checkUid: false,
      });
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.reason !== 'NotFound') throw error;
    }
  }
}
