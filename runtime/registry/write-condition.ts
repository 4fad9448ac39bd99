import type { Guard } from '../storage/storage.ts';

/** What admission has let a write pass by, where that may change before the object is stored. */
export interface WriteCondition {
  readonly guard: Guard;
  /** Asks anew, once the guard is broken. @returns undefined where nothing matters any longer. @throws StatusError */
  renew(): Promise<WriteCondition | undefined>;
}
