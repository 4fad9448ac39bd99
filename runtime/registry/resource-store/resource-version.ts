/** Reads resource versions, which are texts in requests, as revisions of the store (specification: Resource version semantics). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestContext } from '../../contract/request-context.ts';
import { goQuote } from '../../go-text/quote.ts';
import { newBadRequest, newTooLargeResourceVersion } from '../../status/status.ts';
import type { Storage } from '../../storage/storage.ts';

/** Whether a write may go on. @param current the version of the object that is there; undefined for none */
export type VersionCondition = (current: string | undefined) => boolean;

/** Milliseconds that a read waits for a revision that the store has not reached. */
const FRESHNESS_WAIT = 3_000;
const FRESHNESS_STEP = 25;

/** Matches a number of 64 bits, with any number of zeros before it. */
const VERSION = /^0*(\d{1,20})$/;
const LARGEST = 2n ** 64n - 1n;

/**
 * Reads a version, an unsigned number of 64 bits as in 1.32.
 * @returns a bigint for one that no store here reaches, which is of the future therefore; undefined for an empty text
 * @throws StatusError BadRequest
 */
export function parseResourceVersion(text: string): number | bigint | undefined {
  if (text === '') return undefined;
  const digits = VERSION.exec(text)?.[1];
  if (digits === undefined || BigInt(digits) > LARGEST) throw noVersion(text);
  const revision = Number(digits);
  return Number.isSafeInteger(revision) ? revision : BigInt(digits);
}

/** 1.32 has these words for exact versions and pages, and answers other reads with 500. */
function noVersion(text: string): Error {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return newBadRequest(
    `invalid resource version: resourceVersion: Invalid value: ${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`,
  );
}

type Waiter = Pick<RequestContext, 'throwIfOver'>;

/**
 * Returns at once where the store is that far, as it nearly always is.
 * @param watchCache of the resource: without one nothing waits, as in 1.32
 * @param waiter whose time may be over before
 * @throws StatusError Timeout "Too large resource version"
 */
export async function waitUntilFresh(storage: Storage, revision: number | bigint, watchCache: boolean, waiter?: Waiter): Promise<void> {
  const until = performance.now() + (watchCache ? FRESHNESS_WAIT : 0);
  while (storage.currentRevision() < revision) {
    if (performance.now() >= until) throw newTooLargeResourceVersion(revision, storage.currentRevision(), watchCache ? 1 : 0);
    await sleep(FRESHNESS_STEP);
    waiter?.throwIfOver();
  }
}
