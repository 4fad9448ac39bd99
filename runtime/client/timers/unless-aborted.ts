/**
 * Waits for a promise until the signal is aborted. The work behind the promise goes on, because others may wait for it too.
 *
 * @throws the reason of the signal, at once if it is aborted already; what the promise is rejected with
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
