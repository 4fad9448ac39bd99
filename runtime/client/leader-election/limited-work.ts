/** Work that is waited for no longer than a time, by a clock that may be a test's. */
import type { Clock } from '../work-queue/clock.ts';

/**
 * What work gives, unless that takes too long: it is then waited for no longer, whether or not it heeds its signal.
 * @param outer ends it sooner
 * @throws what the work throws, the reason of `outer`, or an Error that says how long was waited
 */
export async function within<T>(
  clock: Clock,
  milliseconds: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const limit = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    limit.abort(reason);
    over.reject(reason);
  };
  const cancel = clock.after(milliseconds, () => end(new Error(`it was not done within ${Math.round(milliseconds)} ms`)));
  const endWithOuter = (): void => end(outer.reason);
  outer.addEventListener('abort', endWithOuter, { once: true });
  try {
    return await Promise.race([work(limit.signal), over.promise]);
  } finally {
    cancel();
    outer.removeEventListener('abort', endWithOuter);
  }
}
