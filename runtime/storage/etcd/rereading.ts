/** Values that are read from etcd anew, where they would be read otherwise now: their keys and revisions stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryData, Version } from '../memory/memory-data.ts';
import { resourcePrefix } from '../storage.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { pages } from './loading.ts';
import { Turns } from './turns.ts';
import { readVersion } from './value-reading.ts';

/** Milliseconds until it is begun anew where etcd has not answered. */
const AGAIN = 1_000;

type Which = (key: string, version: Version) => boolean;

interface Rereading {
  readonly data: () => MemoryData;
  /** of the newest versions */
  readonly which: Which;
  /** ends it, without an error */
  readonly signal: AbortSignal;
}

/** Goes on until all is read, however long etcd is away. */
export async function readAgain(etcd: FollowedEtcd, rereading: Rereading): Promise<void> {
  const { signal } = rereading;
  while (!signal.aborted) {
    try {
      return await readOnce(etcd, rereading);
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      await sleep(AGAIN, undefined, { signal }).catch(() => {});
    }
  }
}

/** @throws EtcdError */
async function readOnce(etcd: FollowedEtcd, { data, which, signal }: Rereading): Promise<void> {
  const { codec, names } = etcd;
  const isMeant = (key: string, revision: number): boolean => {
    const version = data().keys.get(key);
    return version?.revision === revision && !version.removed && which(key, version);
  };
  for (const { first, last } of await spansOf(data(), which))
    for await (const [key, { value, modRevision }] of pages(etcd, { start: names.inEtcd(first), end: names.inEtcd(`${last}\0`) })) {
      if (signal.aborted) return;
      if (!isMeant(key, modRevision)) continue;
      const read = await readVersion(codec, key, value, modRevision);
      if (isMeant(key, modRevision)) Object.assign(data().keys.get(key) as Version, read);
    }
}

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
