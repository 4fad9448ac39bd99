/** Of which dialect the objects in etcd are, where they are not those of kube-apiserver. */
import type { EtcdClient } from '../storage/etcd/client/etcd-client.ts';
import { EtcdError } from '../storage/etcd/client/etcd-error.ts';

/** The dialect of kube-apiserver, which leaves no mark. */
const UNMARKED = 'kubernetes';

/**
 * Marks a prefix that has no keys yet, beside it. Who has rights to the keys below the prefix alone, as kube-apiserver may have, finds no mark, and can leave none.
 * @param prefix of all keys, with a slash at its end
 * @throws Error where objects of another dialect are, or a mark is needed and there is no right to it; EtcdError
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
  /** key of the mark */
  readonly mark: string;
}

/** @throws Error as `assertOwnDialect` */
async function assertOwnMark(client: EtcdClient, { prefix, mark }: Marked, dialect: string): Promise<void> {
  const found = (await client.range({ key: mark })).kvs[0]?.value.toString() ?? (await unmarked(client, prefix));
  if (found === undefined && dialect !== UNMARKED) {
    const success = [{ op: 'put', key: mark, value: Buffer.from(dialect) }] as const;
    const { succeeded } = await client.transaction({ compare: [{ key: mark, version: 0 }], success, failure: [] });
    // another server has marked it meanwhile
    if (!succeeded) return assertOwnMark(client, { prefix, mark }, dialect);
  } else if (found !== undefined && found !== dialect)
    throw new Error(
      `etcd holds objects of the dialect "${found}" under ${prefix}, which cannot be served as "${dialect}": use another --etcd-prefix`,
    );
}

/** @returns undefined where there is nothing yet */
async function unmarked(client: EtcdClient, prefix: string): Promise<string | undefined> {
  const { count } = await client.range({ key: prefix, end: `${prefix.slice(0, -1)}0`, countOnly: true });
  return count > 0 ? UNMARKED : undefined;
}
