/** Resource versions in requests: texts outside, revisions inside (specification: Resource version semantics). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestContext } from '../contract/request-context.ts';
import { newBadRequest, newTooLargeResourceVersion } from '../status/status.ts';
import type { Storage } from '../storage/storage.ts';

/** Whether a write may go on. @param current the version of the object that is there; undefined for none */
export type VersionCondition = (current: string | undefined) => boolean;

/** Milliseconds that a read waits for a revision that the store has not reached. */
const FRESHNESS_WAIT = 3_000;
const FRESHNESS_STEP = 25;

/** @returns undefined for an empty text. @throws StatusError BadRequest */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined;
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw newBadRequest(`invalid resource version ${JSON.stringify(text)}: it must be one that this server gave`);
  return Number(text);
}

type Waiter = Pick<RequestContext, 'throwIfOver'>;

/**
 * Returns at once where the store is that far, as it nearly always is.
 * @param watchCache of the resource: without one nothing waits, as in 1.32
 * @param waiter whose time may be over before
 * @throws StatusError Timeout "Too large resource version"
 */
export async function waitUntilFresh(storage: Storage, revision: number, watchCache: boolean, waiter?: Waiter): Promise<void> {
  const until = performance.now() + (watchCache ? FRESHNESS_WAIT : 0);
  while (storage.currentRevision() < revision) {
    if (performance.now() >= until) throw newTooLargeResourceVersion(revision, storage.currentRevision(), watchCache ? 1 : 0);
    await sleep(FRESHNESS_STEP);
    waiter?.throwIfOver();
  }
}
