/** All that etcd has under a prefix, at one revision. */
import { MemoryData, shareRevision, type Version } from '../memory/memory-data.ts';
import { SortedMap } from '../memory/sorted-map.ts';
import type { KeyValue } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { readVersion } from './value-reading.ts';

/** Keys of the first page. */
const FIRST_PAGE = 200;
const LARGEST_PAGE = 10_000;
/** Bytes that a page is to have, about. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Milliseconds for which values are read before others have their turn. */
const TURN = 5;
/** How often it is begun anew where etcd was compacted meanwhile. */
const ATTEMPTS = 5;
/** Revisions before the newest one whose changes a server that starts reads too, so that watches go on over a restart. */
const PAST = 2_000;

/**
 * @param withPast at the oldest revision within `PAST` that etcd has
 * @throws EtcdError
 */
export async function load(etcd: FollowedEtcd, withPast: boolean): Promise<MemoryData> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await loadAt(etcd, withPast ? await oldestRevision(etcd) : undefined);
    } catch (error) {
      if (!(error instanceof EtcdError && error.isCompacted) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The newest revision of etcd, whatever it was that changed. */
export async function newestRevision({ client, names }: FollowedEtcd): Promise<number> {
  return (await client.range({ key: names.prefix, keysOnly: true, limit: 1 })).revision;
}

async function oldestRevision(etcd: FollowedEtcd): Promise<number> {
  let readable = await newestRevision(etcd);
  let compacted = Math.max(0, readable - PAST);
  while (readable - compacted > 1) {
    const middle = (readable + compacted) >> 1;
    if (await isReadable(etcd, middle)) readable = middle;
    else compacted = middle;
  }
  return readable;
}

async function isReadable({ client, names }: FollowedEtcd, revision: number): Promise<boolean> {
  try {
    await client.range({ key: names.prefix, keysOnly: true, limit: 1, revision });
    return true;
  } catch (error) {
    if (error instanceof EtcdError && error.isCompacted) return false;
    throw error;
  }
}

/** @param atRevision absent: the newest */
async function loadAt(etcd: FollowedEtcd, atRevision: number | undefined): Promise<MemoryData> {
  const { codec, names } = etcd;
  const keys = new SortedMap<Version>();
  const byRevision = new Map<number, Version>();
  let revision = atRevision;
  const range = { start: names.prefix, end: names.end, atRevision, began: (at: number) => (revision = at) };
  for await (const [key, { value, modRevision }] of pages(etcd, range)) {
    const read = readVersion(codec, key, value, modRevision);
    const version = read instanceof Promise ? await read : read;
    const loaded: Version = { ...version, revision: modRevision, removed: false, previous: undefined, id: undefined };
    keys.set(key, loaded);
    const other = byRevision.get(modRevision);
    if (other === undefined) byRevision.set(modRevision, loaded);
    else for (const each of [other, loaded]) shareRevision(each);
  }
  return new MemoryData(keys, revision as number);
}

interface PagedRange {
  readonly start: string;
  readonly end: string;
  readonly atRevision?: number | undefined;
  /** hears the revision at which all is read, before the first key comes */
  readonly began?: (revision: number) => void;
}

/** Keys that are followed, at one revision, with turns for others. @throws EtcdError */
export async function* pages(
  { client, names }: FollowedEtcd,
  { start, end, atRevision, began = () => {} }: PagedRange,
): AsyncGenerator<readonly [key: string, kv: KeyValue]> {
  let revision = atRevision;
  let limit = FIRST_PAGE;
  let turn = performance.now();
  for (let from: string | Buffer = start; ; ) {
    const page = await client.range({ key: from, end, limit, ...(revision !== undefined && { revision }) });
    revision ??= page.revision;
    if (from === start) began(revision);
    let bytes = 0;
    for (const kv of page.kvs) {
      bytes += kv.value.length;
      const key = names.here(kv.key);
      if (key !== undefined) yield [key, kv];
      if (performance.now() - turn < TURN) continue;
      await new Promise(setImmediate);
      turn = performance.now();
    }
    const last = page.kvs.at(-1);
    if (!page.more || last === undefined) return;
    from = Buffer.concat([last.key, Buffer.alloc(1)]);
    const fitting = Math.max(1, Math.floor((page.kvs.length * PAGE_BYTES) / Math.max(1, bytes)));
    // huge values may follow small ones
    limit = Math.min(LARGEST_PAGE, fitting, 2 * limit);
  }
}
