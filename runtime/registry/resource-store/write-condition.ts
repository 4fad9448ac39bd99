import { GuardBroken } from '../../storage/errors.ts';
import type { Guard } from '../../storage/storage.ts';

/** How often a write is tried again whose guard is broken. */
const MAX_ATTEMPTS = 100;

/** What admission has let a write pass by, where that may change before the object is stored. */
export interface WriteCondition {
  readonly guard: Guard;
  /** Asks anew, once the guard is broken. @returns undefined where nothing matters any longer. @throws StatusError */
  renew(): Promise<WriteCondition | undefined>;
}

/** Writes, and again with a condition that was renewed where what it counted on has changed. @throws what either throws */
export function onCondition(condition: WriteCondition | undefined, write: (guard: Guard | undefined) => Promise<number>): Promise<number> {
  return condition === undefined ? write(undefined) : writeOn(condition, write);
}

async function writeOn(condition: WriteCondition, write: (guard: Guard | undefined) => Promise<number>): Promise<number> {
  let current: WriteCondition | undefined = condition;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(current?.guard);
    } catch (error) {
      if (!(error instanceof GuardBroken) || current === undefined || attempt >= MAX_ATTEMPTS) throw error;
    }
    current = await current.renew();
  }
}
