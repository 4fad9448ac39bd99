/** Decides how an informer goes on after a watch has failed. */
import { ApiError, isGone } from '../objects/api-error.ts';
import { isNoEvent, WatchEnded } from '../resources/watch-lines.ts';

/** Status codes below 500 that may pass: credentials may be renewed, and busy servers may recover. */
const LATER: ReadonlySet<number> = new Set([401, 408, 429]);
const TOO_MANY = 429;
/** Reason of a server whose own version is lower than the requested one, for example after it was restored from a backup. */
const TOO_LARGE = 'ResourceVersionTooLarge';

/** Whether a watch may be continued from the last known version. If it failed because of the events that follow, it would fail for ever. */
export function mayGoOn(error: unknown): boolean {
  if (isNoEvent(error) || isGone(error)) return false;
  if (!(error instanceof ApiError)) return true;
  if (error instanceof WatchEnded) return error.code === TOO_MANY;
  // a client that may not watch may perhaps list, and so learn of changes late rather than never
  if (error.code < 500 && !LATER.has(error.code)) return false;
  return !error.causes.some(({ reason }) => reason === TOO_LARGE);
}
