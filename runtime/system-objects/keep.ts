import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../observability/log.ts';
import { RecurringFailures } from '../observability/recurring-failures.ts';
import { type Ensuring, ensureObjects } from './ensure.ts';
import type { SystemObject } from './system-object.ts';

/** Milliseconds in which another server makes an object whose address it has taken. */
const MADE_ELSEWHERE = 200;

/** The parts of a server that are needed. */
export interface Keeping extends Ensuring {
  readonly log: Pick<Log, 'error'>;
}

export interface Kept {
  /** The objects of the round that begins. A round whose objects cannot be told fails, and repairs nothing. */
  objects(): readonly SystemObject[] | Promise<readonly SystemObject[]>;
  /** What the objects depend on besides the store: while both stay as they are, rounds have nothing to do. Absent: nothing. */
  basis?(): unknown;
  /** milliseconds between the beginnings of rounds */
  readonly interval: number;
}

/**
 * Makes and repairs objects at once and in rounds. What fails is logged, and tried again with the next round.
 * @returns waits for the round under way, and begins no more
 */
export function keepObjects(server: Keeping, kept: Kept): () => Promise<void> {
  const rounds = new Rounds(server, kept);
  rounds.begin();
  return rounds.begun();
}

/** As `keepObjects`, for objects that are there: the first round begins after an interval. */
export function repairObjects(server: Keeping, kept: Kept): () => Promise<void> {
  return new Rounds(server, kept).begun();
}

class Rounds {
  readonly #server: Keeping;
  readonly #kept: Kept;
  /** by the object's name */
  readonly #failures = new RecurringFailures();
  #round: Promise<void> = Promise.resolve();
  /** what the last round found to be right */
  #right: { readonly revision: number; readonly basis: unknown } | undefined;

  constructor(server: Keeping, kept: Kept) {
    this.#server = server;
    this.#kept = kept;
  }

  begin(): void {
    const { storage } = this.#server;
    const basis = this.#kept.basis?.();
    if (this.#right?.revision === storage.currentRevision() && this.#right.basis === basis) return;
    this.#round = this.#round.then(async () => {
      const revision = storage.currentRevision();
      this.#right = (await this.#repair()) && storage.currentRevision() === revision ? { revision, basis } : undefined;
    });
  }

  begun(): () => Promise<void> {
    const rounds = setInterval(() => this.begin(), this.#kept.interval);
    rounds.unref();
    return async () => {
      clearInterval(rounds);
      await this.#round;
    };
  }

  /** One that fails keeps no other from being repaired. What goes on failing for the same reason is said once. @returns whether none has failed */
  async #repair(): Promise<boolean> {
    const repair = (object: SystemObject) => this.#attempt(nameOf(object), () => this.#ensure(object));
    let results: readonly boolean[] = [];
    const all = await this.#attempt('all', async () => {
      results = await Promise.all((await this.#kept.objects()).map(repair));
    });
    return all && results.every((each) => each);
  }

  /** Of servers that begin together one makes the object, and may have taken its address when another one finds neither: that one looks once more. */
  async #ensure(object: SystemObject): Promise<void> {
    try {
      await ensureObjects(this.#server, [object]);
    } catch {
      await sleep(MADE_ELSEWHERE);
      await ensureObjects(this.#server, [object]);
    }
  }

  async #attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.#failures.succeeded(what);
      return true;
    } catch (error) {
      if (this.#failures.isNew(what, error))
        this.#server.log.error({ err: error, object: what }, 'an object of the system could not be repaired; it is tried again');
      return false;
    }
  }
}

const nameOf = ({ resource, metadata }: SystemObject): string =>
  [resource.name, metadata.namespace, metadata.name].filter(Boolean).join('/');
