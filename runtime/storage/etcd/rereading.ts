/** Values that are read from etcd anew, where they would be read otherwise now: their keys and revisions stay. */
import type { MemoryData, Version } from '../memory/memory-data.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { pages } from './loading.ts';
import { readVersion } from './value-reading.ts';

/** @param which of the newest versions. @throws EtcdError */
export async function readAgain(
  etcd: FollowedEtcd,
  data: () => MemoryData,
  which: (key: string, version: Version) => boolean,
): Promise<void> {
  const { codec, names } = etcd;
  const bounds = boundsOf(data(), which);
  if (bounds === undefined) return;
  const range = { start: names.inEtcd(bounds.first), end: names.inEtcd(`${bounds.last}\0`) };
  for await (const [key, { value, modRevision }] of pages(etcd, range)) {
    const isMeant = (version: Version | undefined): version is Version =>
      version !== undefined && version.revision === modRevision && !version.removed && which(key, version);
    if (!isMeant(data().keys.get(key))) continue;
    const read = await readVersion(codec, key, value, modRevision);
    const now = data().keys.get(key);
    if (isMeant(now)) Object.assign(now, read);
  }
}

function boundsOf(data: MemoryData, which: (key: string, version: Version) => boolean): { first: string; last: string } | undefined {
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
