/** Values that are read from etcd anew, where they would be read otherwise now: their keys and revisions stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryData, Version } from '../memory/memory-data.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { pages } from './loading.ts';
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
  const bounds = boundsOf(data(), which);
  if (bounds === undefined) return;
  const range = { start: names.inEtcd(bounds.first), end: names.inEtcd(`${bounds.last}\0`) };
  for await (const [key, { value, modRevision }] of pages(etcd, range)) {
    if (signal?.aborted) return;
    const isMeant = (version: Version | undefined): version is Version =>
      version !== undefined && version.revision === modRevision && !version.removed && which(key, version);
    if (!isMeant(data().keys.get(key))) continue;
    const read = await readVersion(codec, key, value, modRevision);
    const now = data().keys.get(key);
    if (isMeant(now)) Object.assign(now, read);
  }
}

const isPassing = (error: Error): boolean => error instanceof EtcdError && (error.isUnavailable || error.isCompacted);

function boundsOf(data: MemoryData, which: Which): { first: string; last: string } | undefined {
  let first: string | undefined;
  let last = '';
  data.keys.visit('', '', (key, version) => {
    if (version.removed || !which(key, version)) return true;
    first ??= key;
    last = key;
    return true;
  });
  return first === undefined ? undefined : { first, last };
}
