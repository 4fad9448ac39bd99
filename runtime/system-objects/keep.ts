import { type Ensuring, ensureObjects } from './ensure.ts';
import type { SystemObject } from './system-object.ts';

/** The parts of a server that are needed. */
export interface Keeping extends Ensuring {
  readonly log: { error(about: object, message: string): void };
}

/**
 * Makes and repairs objects at once and in rounds. What fails is logged, and tried again with the next round.
 * @param objects of the round that begins
 * @param interval milliseconds between the beginnings of rounds
 * @returns waits for the round under way, and begins no more
 */
export function keepObjects(server: Keeping, objects: () => readonly SystemObject[], interval: number): () => Promise<void> {
  let round: Promise<unknown> = Promise.resolve();
  const next = (): void => {
    round = round
      .then(() => ensureObjects(server, objects()))
      .catch((error) => server.log.error({ err: error }, 'objects of the system could not be repaired'));
  };
  next();
  const rounds = setInterval(next, interval);
  rounds.unref();
  return async () => {
    clearInterval(rounds);
    await round;
  };
}
