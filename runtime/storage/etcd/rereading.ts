/** Values that are read from etcd anew, where they would be read otherwise now: their keys and revisions stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryData, Version } from '../memory/memory-data.ts';
import { resourcePrefix } from '../storage.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { pages } from './loading.ts';
import { Turns } from './turns.ts';
import { readVersion } from './value-reading.ts';

/** Milliseconds until it is tried again, where etcd does not answer: at first, and at most. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

type Which = (key: string, version: Version) => boolean;

export interface Trying {
  /** ends it, whether it is done or not */
  readonly signal: AbortSignal;
  /** Hears why it has not been done yet, of each reason once, where that is more than that etcd is away: who follows it says so. Must not throw. */
  readonly onTrouble: (reason: Error) => void;
}

/** As `readAgain`, from the beginning again and again until it is done. */
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

/** @param which of the newest versions @param signal ends it before. @throws EtcdError */
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

/** From the first to the last key of each resource that are meant: what lies between resources may be most of what there is. */
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
