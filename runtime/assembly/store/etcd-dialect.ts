/**
 * Checks that the objects in etcd belong to the dialect of this server. Objects of the dialect `kubernetes` have no mark, because
 * kube-apiserver leaves none.
 */
import type { EtcdClient } from '../../storage/etcd/client/etcd-client.ts';
import { EtcdError } from '../../storage/etcd/client/etcd-error.ts';

/** the dialect of kube-apiserver */
const UNMARKED = 'kubernetes';

/**
 * Marks the prefix with its dialect if it has no keys yet. The mark is a key beside the prefix. A user of etcd that has rights below the
 * prefix only, as kube-apiserver's may, can neither read nor write it.
 * @param prefix of all keys, with a slash at its end
 * @throws Error if the objects have another dialect, or if a mark is needed and the user has no right to it
 * @throws EtcdError
 */
export async function assertOwnDialect(client: EtcdClient, prefix: string, dialect: string): Promise<void> {
  const mark = `${prefix.slice(0, -1)}.dialect`;
  try {
    await assertOwnMark(client, { prefix, mark }, dialect);
  } catch (error) {
    if (!(error instanceof EtcdError && error.code === 'PERMISSION_DENIED')) throw error;
    if (dialect === UNMARKED) return;
    throw new Error(`the mark of the dialect in etcd, ${mark}, cannot be read or written: ${error.message}`, { cause: error });
  }
}

interface Marked {
  readonly prefix: string;
  /** key of the mark in etcd */
  readonly mark: string;
}

/** @throws Error like `assertOwnDialect` */
async function assertOwnMark(client: EtcdClient, { prefix, mark }: Marked, dialect: string): Promise<void> {
  const found = (await client.range({ key: mark })).kvs[0]?.value.toString() ?? (await unmarked(client, prefix));
  if (found === undefined && dialect !== UNMARKED) {
    const success = [{ op: 'put', key: mark, value: Buffer.from(dialect) }] as const;
    const { succeeded } = await client.transaction({ compare: [{ key: mark, version: 0 }], success, failure: [] });
    // another server has written the mark meanwhile
    if (!succeeded) return assertOwnMark(client, { prefix, mark }, dialect);
  } else if (found !== undefined && found !== dialect)
    throw new Error(
      `etcd holds objects of the dialect "${found}" under ${prefix}, which cannot be served as "${dialect}": use another --etcd-prefix`,
    );
}

/** @returns undefined if there are no objects yet */
async function unmarked(client: EtcdClient, prefix: string): Promise<string | undefined> {
  const { count } = await client.range({ key: prefix, end: `${prefix.slice(0, -1)}0`, countOnly: true });
  return count > 0 ? UNMARKED : undefined;
}
