/**
 * What a promise comes to, as long as somebody waits for it: it goes on for others.
 *
 * @throws the reason of the signal, at once where it is aborted already; what the promise is rejected with
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
