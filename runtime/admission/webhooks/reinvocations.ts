/** Which mutating webhooks are asked a second time, by the rules of 1.32: those that want it, where the object has changed since they saw it. */
import type { ApiObject } from '../../contract/object.ts';
import { copyValue } from '../../schema/copy.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Rounds } from '../request/rounds.ts';

const OF_ROUNDS = new WeakMap<Rounds, Reinvocations>();

export class Reinvocations {
  /** webhooks that want to be asked again, and that nothing has changed since */
  readonly #invoked = new Set<string>();
  readonly #due = new Set<string>();
  #output: ApiObject | undefined;

  static of(rounds: Rounds): Reinvocations {
    let known = OF_ROUNDS.get(rounds);
    if (known === undefined) {
      known = new Reinvocations();
      OF_ROUNDS.set(rounds, known);
    }
    return known;
  }

  /** Other plugins may have changed the object meanwhile. */
  beginAgain(object: ApiObject | undefined): void {
    if (!deepEqual(this.#output, object)) this.changed();
  }

  /** @param webhook its id, which wants to be asked again where the object changes */
  invoked(webhook: string): void {
    this.#invoked.add(webhook);
  }

  /** The object has: all that saw it before are due. */
  changed(): void {
    for (const webhook of this.#invoked) this.#due.add(webhook);
    this.#invoked.clear();
  }

  isDue(webhook: string): boolean {
    return this.#due.has(webhook);
  }

  end(object: ApiObject | undefined): void {
    // it is compared only where somebody would be asked again
    this.#output = this.#invoked.size === 0 ? object : copyValue(object);
  }
}
