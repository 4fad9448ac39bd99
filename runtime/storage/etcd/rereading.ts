/** Reads values from etcd again that would be decoded differently now, for example with other encryption keys. Their keys and revisions stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryData, Version } from '../memory/memory-data.ts';
import { resourcePrefix } from '../storage.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { pages } from './loading.ts';
import { Turns } from './turns.ts';
import { readVersion } from './value-reading.ts';

/** The first pause after a failed reading, in milliseconds. */
const FIRST_PAUSE = 50;
/** The longest pause, in milliseconds. */
const LONGEST_PAUSE = 5_000;

type Which = (key: string, version: Version) => boolean;

export interface Trying {
  /** ends the work early */
  readonly signal: AbortSignal;
  /** Called with why reading fails, when the reason changes. Not called while etcd is only away, because the follower reports that. Must not throw. */
  readonly onTrouble: (reason: Error) => void;
}

/** Does the same as `readAgain`, but begins again after a failure, until it succeeds. */
export async function keepReadingAgain(
  etcd: FollowedEtcd,
  data: () => MemoryData,
  which: Which,
  { signal, onTrouble }: Trying,
): Promise<void> {
  let trouble: string | undefined;
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      return await readAgain(etcd, data, which, signal);
    } catch (error) {
      const reason = error as Error;
      if (reason.message !== trouble && !isPassing(reason)) onTrouble(reason);
      trouble = reason.message;
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** @param which chooses among the newest versions. @param signal ends the work early. @throws EtcdError */
export async function readAgain(etcd: FollowedEtcd, data: () => MemoryData, which: Which, signal?: AbortSignal): Promise<void> {
  const { codec, names } = etcd;
  const isMeant = (key: string, revision: number): boolean => {
    const version = data().keys.get(key);
    return version?.revision === revision && !version.removed && which(key, version);
  };
  for (const { first, last } of await spansOf(data(), which))
    for await (const [key, { value, modRevision }] of pages(etcd, { start: names.inEtcd(first), end: names.inEtcd(`${last}\0`) })) {
      if (signal?.aborted) return;
      if (!isMeant(key, modRevision)) continue;
      const read = await readVersion(codec, key, value, modRevision);
      if (isMeant(key, modRevision)) Object.assign(data().keys.get(key) as Version, read);
    }
}

const isPassing = (error: Error): boolean => error instanceof EtcdError && (error.isUnavailable || error.isCompacted);

interface Span {
  readonly first: string;
  last: string;
}

/** The range from the first to the last chosen key, for each resource. One range over all resources could contain mostly other keys. */
async function spansOf(data: MemoryData, which: Which): Promise<readonly Span[]> {
  const turns = new Turns();
  const spans = new Map<string, Span>();
  for (const [key, version] of data.keys.entries('', '')) {
    if (turns.isOver) await turns.next();
    if (version.removed || !which(key, version)) continue;
    const resource = resourcePrefix(key);
    const span = spans.get(resource);
    if (span === undefined) spans.set(resource, { first: key, last: key });
    else span.last = key;
  }
  return [...spans.values()];
}
