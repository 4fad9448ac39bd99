import type { Log } from '../observability/log.ts';
import { RecurringFailures } from '../observability/recurring-failures.ts';
import { type Ensuring, ensureObjects } from './ensure.ts';
import type { SystemObject } from './system-object.ts';

/** The parts of a server that are needed. */
export interface Keeping extends Ensuring {
  readonly log: Pick<Log, 'error'>;
}

/**
 * Makes and repairs objects at once and in rounds. What fails is logged, and tried again with the next round.
 * @param objects of the round that begins
 * @param interval milliseconds between the beginnings of rounds
 * @returns waits for the round under way, and begins no more
 */
export function keepObjects(server: Keeping, objects: () => readonly SystemObject[], interval: number): () => Promise<void> {
  const rounds = new Rounds(server, objects);
  rounds.begin();
  return rounds.every(interval);
}

/** As `keepObjects`, for objects that are there: the first round begins after an interval. */
export function repairObjects(server: Keeping, objects: () => readonly SystemObject[], interval: number): () => Promise<void> {
  return new Rounds(server, objects).every(interval);
}

class Rounds {
  readonly #server: Keeping;
  readonly #objects: () => readonly SystemObject[];
  /** by the object's name */
  readonly #failures = new RecurringFailures();
  #round: Promise<void> = Promise.resolve();

  constructor(server: Keeping, objects: () => readonly SystemObject[]) {
    this.#server = server;
    this.#objects = objects;
  }

  begin(): void {
    this.#round = this.#round.then(() => this.#repair());
  }

  every(interval: number): () => Promise<void> {
    const rounds = setInterval(() => this.begin(), interval);
    rounds.unref();
    return async () => {
      clearInterval(rounds);
      await this.#round;
    };
  }

  /** One that fails keeps no other from being repaired. What goes on failing for the same reason is said once. */
  async #repair(): Promise<void> {
    const repair = (object: SystemObject) => this.#attempt(nameOf(object), () => ensureObjects(this.#server, [object]));
    await this.#attempt('all', () => Promise.all(this.#objects().map(repair)));
  }

  async #attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#failures.succeeded(what);
    } catch (error) {
      if (this.#failures.isNew(what, error))
        this.#server.log.error({ err: error, object: what }, 'an object of the system could not be repaired; it is tried again');
    }
  }
}

const nameOf = ({ resource, metadata }: SystemObject): string =>
  [resource.name, metadata.namespace, metadata.name].filter(Boolean).join('/');
