/**
 * Which mutating webhooks, or policies, see a request a second time, by the rules of 1.32: those that want it, where the object has changed since they saw it.
 */
import type { ApiObject } from '../../contract/object.ts';
import { copyValue } from '../../schema/copy.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Rounds } from './rounds.ts';

const OF_ROUNDS = new WeakMap<Rounds, WeakMap<object, Reinvocations>>();

export class Reinvocations {
  /** the ids of those that want to see the request again, and since whose call the request has not changed */
  readonly #invoked = new Set<string>();
  readonly #due = new Set<string>();
  #output: ApiObject | undefined;

  /** @param plugin the plugin that they belong to, which is the same in all rounds */
  static of(rounds: Rounds, plugin: object): Reinvocations {
    let ofPlugins = OF_ROUNDS.get(rounds);
    if (ofPlugins === undefined) {
      ofPlugins = new WeakMap();
      OF_ROUNDS.set(rounds, ofPlugins);
    }
    let known = ofPlugins.get(plugin);
    if (known === undefined) {
      known = new Reinvocations();
      ofPlugins.set(plugin, known);
    }
    return known;
  }

  /** Other plugins may have changed the object meanwhile. */
  beginAgain(object: ApiObject | undefined): void {
    if (!deepEqual(this.#output, object)) this.changed();
  }

  /** @param id of one that wants to see the request again where the object changes */
  invoked(id: string): void {
    this.#invoked.add(id);
  }

  /** The object has: all that saw it before are due. */
  changed(): void {
    for (const id of this.#invoked) this.#due.add(id);
    this.#invoked.clear();
  }

  isDue(id: string): boolean {
    return this.#due.has(id);
  }

  end(object: ApiObject | undefined): void {
    // it is compared only where somebody would be asked again
    this.#output = this.#invoked.size === 0 ? object : copyValue(object);
  }
}
