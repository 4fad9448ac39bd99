/** Waits for work for a limited time. Tests replace the clock. */
import type { Clock } from '../work-queue/clock.ts';

/**
 * Gives the result of the work, unless it takes too long: then its signal is aborted, and nobody waits for it even if it ignores the signal.
 * @param outer ends it sooner
 * @throws what the work throws, the reason of `outer`, or an Error that states the time limit
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
