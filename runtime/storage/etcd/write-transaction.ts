/** Makes transactions of etcd from writes: the conditions on their keys, and what a refusal means. */
import { Conflict, GuardBroken, KeyExists, KeyNotFound, type StorageError, WriteFenced } from '../errors.ts';
import type { Fence, Guard } from '../storage.ts';
import type { Compare, EtcdClient, KeyValue, Op, TransactionResult } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { KeyNames } from './key-names.ts';
import type { OwnWrite } from './own-writes.ts';

/** The revision that etcd gives a key without a value. */
const NONE = 0;
/** A revision that no key ever has. */
const NEVER = Number.MAX_SAFE_INTEGER;
const NO_LEASE = 0n;

export interface WriteParts {
  readonly client: EtcdClient;
  readonly names: KeyNames;
  /** the newest revision here; the revision of the write must be later */
  readonly after: number;
}

/** Conditions of a write: the versions that it was decided by (`guard`), and what gives its writer the right to write (`fence`). */
export interface Conditions {
  readonly guard?: Guard | undefined;
  readonly fence?: Fence;
}

/** @throws WriteFenced */
export function heldBy(fence: Fence): Guard {
  const revision = fence.revision();
  if (revision === undefined) throw new WriteFenced(fence.key);
  return { key: fence.key, revision };
}

/** @returns etcd's answer; if that is a refusal, `refusalOf` tells which. @throws EtcdError */
export async function transact(parts: WriteParts, write: OwnWrite, guards: readonly Guard[]): Promise<TransactionResult> {
  const { client, names } = parts;
  const { key, sent, expectedRevision, lease = NO_LEASE } = write;
  const name = names.inEtcd(key);
  const compare: Compare[] = [
    { key: name, modRevision: stateOf(expectedRevision) },
    ...guards.map(({ key, revision }) => ({ key: names.inEtcd(key), modRevision: revision ?? NONE })),
  ];
  const failure = compare.map((each): Op => ({ op: 'range', key: each.key, keysOnly: true }));
  const success: Op[] = [sent === undefined ? { op: 'delete', key: name } : { op: 'put', key: name, value: sent, lease }];
  try {
    return await client.transaction({ compare, success, failure });
  } catch (error) {
    if (!(error instanceof EtcdError && error.isNoSpace)) throw error;
    // etcd also gives this error for some transactions that it did make: those under way when its store became full
    const made = await madeOf(parts, write).catch(() => undefined);
    if (made === undefined) throw error;
    return { succeeded: true, revision: made.modRevision, responses: [] };
  }
}

/** @returns the key's value in etcd if that shows that the write was made; never for a deletion */
async function madeOf({ client, names, after }: WriteParts, { key, sent }: OwnWrite): Promise<KeyValue | undefined> {
  const { kvs } = await client.range({ key: names.inEtcd(key) });
  return kvs.find(({ value, modRevision }) => sent !== undefined && modRevision > after && value.equals(sent));
}

/** The revision that the key must have in etcd. @param expected undefined: the key must not exist */
function stateOf(expected: number | undefined): number {
  if (expected === undefined) return NONE;
  return expected === NONE ? NEVER : expected;
}

/** @param responses of an answer that did not succeed. @param guards as given to `transact`; the first broken one is told */
export function refusalOf({ responses }: TransactionResult, write: OwnWrite, guards: readonly Guard[]): StorageError {
  const [found, ...guarding] = responses.map((read) => (read.op === 'range' ? read.kvs[0]?.modRevision : undefined));
  const refusal = refusalOfKey(write, found);
  if (refusal !== undefined) return refusal;
  const broken = guards.findIndex(({ revision }, i) => revision !== guarding[i]);
  const { key, revision } = guards[broken] as Guard;
  return new GuardBroken(key, revision, guarding[broken]);
}

/** @param found the revision of the key. @returns undefined if the key did not cause the refusal */
function refusalOfKey({ key, expectedRevision: expected }: OwnWrite, found: number | undefined): StorageError | undefined {
  if (expected === found) return undefined;
  if (found === undefined) return new KeyNotFound(key);
  return expected === undefined ? new KeyExists(key, found) : new Conflict(key, expected, found);
}
