/** What an informer makes of a watch that failed. */
import { ApiError, isGone } from '../objects/api-error.ts';
import { isNoEvent, WatchEnded } from '../resources/watch-lines.ts';

/** Codes of answers that may be other ones later, besides those of 500 and more: of credentials that are being renewed, and of servers that have much to do. */
const LATER: ReadonlySet<number> = new Set([401, 408, 429]);
const TOO_MANY = 429;
/** What the server says of a version that is later than its own, such as after it was restored from a copy. */
const TOO_LARGE = 'ResourceVersionTooLarge';

/** Whether a watch may go on later from the version up to which everything was told. Where that fails for what the server has to tell, it would fail for ever. */
export function mayGoOn(error: unknown): boolean {
  if (isNoEvent(error) || isGone(error)) return false;
  if (!(error instanceof ApiError)) return true;
  if (error instanceof WatchEnded) return error.code === TOO_MANY;
  // who may not watch may still list, and knows late what has changed rather than never
  if (error.code < 500 && !LATER.has(error.code)) return false;
  return !error.causes.some(({ reason }) => reason === TOO_LARGE);
}
