/** Loads everything that etcd has under a prefix, at one revision. */
import { type LastChange, MemoryData, shareRevision, type Version, type VersionValue } from '../memory/memory-data.ts';
import { SortedMap } from '../memory/sorted-map.ts';
import type { KeyValue, RangeResult } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { Turns } from './turns.ts';
import { readVersion } from './value-reading.ts';

/** Number of keys of the first page, and of the largest. etcd has no limit of bytes for a page, and large values may follow small ones. */
const FIRST_PAGE = 200;
const LARGEST_PAGE = 500;
/** Bytes that a page should have, roughly. */
const PAGE_BYTES = 2 * 1024 * 1024;
/** How often loading is tried when etcd is compacted meanwhile, and how often of these with the past, which is compacted first. */
const ATTEMPTS = 5;
const ATTEMPTS_WITH_PAST = 2;
/** Number of revisions before the newest one whose changes are loaded too, so that clients' watches survive a restart of the server. */
const PAST = 2_000;

/**
 * @param withPast loads from the oldest revision within `PAST` that etcd has, unless that is compacted while it is read
 * @param known data that came from the same etcd before: values that have not changed are not decoded again
 * @throws EtcdError
 */
export async function load(etcd: FollowedEtcd, withPast: boolean, known?: MemoryData): Promise<MemoryData> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await loadAt(etcd, withPast && attempt <= ATTEMPTS_WITH_PAST ? await oldestRevision(etcd) : undefined, known);
    } catch (error) {
      if (!(error instanceof EtcdError && error.isCompacted) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function oldestRevision(etcd: FollowedEtcd): Promise<number> {
  const { client, names } = etcd;
  let readable = (await client.range({ key: names.prefix, keysOnly: true, limit: 1 })).revision;
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
async function loadAt(etcd: FollowedEtcd, atRevision: number | undefined, known: MemoryData | undefined): Promise<MemoryData> {
  const { codec, names } = etcd;
  const keys = new SortedMap<Version>();
  const byRevision = new Map<number, Version>();
  let revision = atRevision;
  let last: LastChange | undefined;
  const range = { start: names.prefix, end: names.end, atRevision, began: (at: number) => (revision = at) };
  for await (const [key, { value, modRevision }] of pages(etcd, range)) {
    const read = knownVersion(known, key, modRevision) ?? readVersion(codec, key, value, modRevision);
    const { value: bytes, revisionOffset, flaw } = read instanceof Promise ? await read : read;
    const loaded: Version = {
      value: bytes,
      revisionOffset,
      flaw,
      revision: modRevision,
      removed: false,
      previous: undefined,
      id: undefined,
    };
    keys.set(key, loaded);
    const other = byRevision.get(modRevision);
    if (other === undefined) byRevision.set(modRevision, loaded);
    else for (const each of [other, loaded]) shareRevision(each);
    if (last === undefined || modRevision > last.revision) last = { key, revision: modRevision, removed: false };
  }
  const data = new MemoryData(keys, revision as number);
  data.lastChange = last;
  return data;
}

function knownVersion(known: MemoryData | undefined, key: string, revision: number): VersionValue | undefined {
  const version = known?.keys.get(key);
  return version?.revision === revision && !version.removed && version.flaw === undefined ? version : undefined;
}

interface PagedRange {
  readonly start: string;
  readonly end: string;
  readonly atRevision?: number | undefined;
  /** hears the revision at which all is read, before the first key comes */
  readonly began?: (revision: number) => void;
}

/** Keys that are followed, at one revision, with turns for others. One page is on its way while the one before it is looked at. @throws EtcdError */
export async function* pages(
  { client, names }: FollowedEtcd,
  { start, end, atRevision, began = () => {} }: PagedRange,
): AsyncGenerator<readonly [key: string, kv: KeyValue]> {
  const turns = new Turns();
  const first = await client.range({ key: start, end, limit: FIRST_PAGE, ...(atRevision !== undefined && { revision: atRevision }) });
  const { clusterId } = first;
  const revision = atRevision ?? first.revision;
  began(revision);
  let limit = FIRST_PAGE;
  for (let page: RangeResult | undefined = first; page !== undefined; ) {
    if (page.clusterId !== clusterId) throw new EtcdError('ABORTED', 'etcd has become another cluster while it was read');
    const from = keyBehind(page);
    limit = limitBehind(page, limit);
    const next = from === undefined ? undefined : client.range({ key: from, end, limit, revision });
    // who goes no further does not hear of its failure
    next?.catch(() => {});
    for (const kv of page.kvs) {
      const key = names.here(kv.key);
      if (key !== undefined) yield [key, kv];
      if (turns.isOver) await turns.next();
    }
    page = await next;
  }
}

/** @returns the first key that may be behind a page; undefined where there is none */
function keyBehind({ kvs, more }: RangeResult): Buffer | undefined {
  const last = kvs.at(-1);
  return more && last !== undefined ? Buffer.concat([last.key, Buffer.alloc(1)]) : undefined;
}

/** Returns the number of keys to request for the page after this one. @param before the number that was requested for this page */
function limitBehind({ kvs }: RangeResult, before: number): number {
  const bytes = kvs.reduce((sum, { value }) => sum + value.length, 0);
  const fitting = Math.max(1, Math.floor((kvs.length * PAGE_BYTES) / Math.max(1, bytes)));
  // huge values may follow small ones
  return Math.min(LARGEST_PAGE, fitting, 2 * before);
}
