/** A watch that reconnects and goes on after the last change. */
import { ApiError, isGone } from '../objects/api-error.ts';
import { parseJson } from '../objects/json.ts';
import type { AnyObject, List } from '../objects/object.ts';
import { BackOff } from './back-off.ts';
import { endedWithClient } from './ended-with-client.ts';
import type { WatchEvent } from './methods.ts';
import type { ListOptions, WatchOptions } from './options.ts';
import { type QueryParameters, watchParameters } from './query.ts';
import type { Requester } from './requester.ts';
import { isNoEvent, watchLines } from './watch-lines.ts';

/** The collection that is watched. */
export interface Watched {
  readonly client: Requester;
  path(name?: string, ...parameters: readonly QueryParameters[]): string;
  list(options: ListOptions): Promise<List<AnyObject>>;
}

/** Servers send a bookmark about every minute, so a silence of more than twice that means that the connection is broken. */
export const IDLE_TIMEOUT = 150_000;
export const WATCH_BACK_OFF = { first: 50, longest: 30_000 };
/** A watch that lasted so many milliseconds does not count as a failure when it ends. */
export const LASTED = 10_000;
/** Seconds after which the server is asked to end a watch: at least five minutes as in 1.32, with a random part so that watches do not all end together. */
export const watchSeconds = (): number => Math.floor(300 * (1 + Math.random()));

export async function* resumedWatch(watched: Watched, options: WatchOptions): AsyncGenerator<WatchEvent<AnyObject>, never> {
  const { idleTimeout = IDLE_TIMEOUT, onInterrupted } = options;
  const signal = endedWithClient(watched.client, options.signal);
  const backOff = new BackOff(WATCH_BACK_OFF);
  let version = statedVersion(options) ?? (await currentVersion(watched, { ...options, signal }));
  for (;;) {
    const parameters = { ...watchParameters(options), resourceVersion: version, timeoutSeconds: watchSeconds() };
    const path = watched.path(undefined, parameters);
    const began = performance.now();
    let failure: unknown;
    try {
      for await (const lines of watchLines(watched.client, { path, signal, idleTimeout: () => idleTimeout }))
        for (const { type, json } of lines) {
          const object = parseJson<AnyObject>(json.toString());
          if (type !== 'BOOKMARK') yield { type, object };
          version = object.metadata?.resourceVersion ?? version;
          backOff.reset();
        }
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error)) throw error;
      failure = error;
      onInterrupted?.(error);
    }
    if (performance.now() - began > LASTED) backOff.reset();
    await backOff.wait(signal, failure);
  }
}

/**
 * A watch from no version, or from `0`, begins with all objects, in an order in which a watch that breaks cannot go on.
 * @throws TypeError for such a version
 */
function statedVersion({ resourceVersion: version }: WatchOptions): string | undefined {
  if (version !== '' && version !== '0') return version;
  throw new TypeError(`no watch can go on from the version ${JSON.stringify(version)}: leave it out`);
}

/** Reads the present version of the collection without its objects. */
async function currentVersion(watched: Watched, { labels, fields, signal }: WatchOptions): Promise<string> {
  const { metadata } = await watched.list({ labels, fields, signal, limit: 1 });
  return metadata.resourceVersion;
}

const LATER: ReadonlySet<number> = new Set([408, 429]);

/** Whether the server would refuse the same request again. */
function isFinal(error: unknown): boolean {
  if (isGone(error) || isNoEvent(error)) return true;
  return error instanceof ApiError && error.code < 500 && !LATER.has(error.code);
}
