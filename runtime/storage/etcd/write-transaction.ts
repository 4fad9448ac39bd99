/** Writes as transactions of etcd's: what has to be found of their keys, and what a refusal says. */
import { Conflict, GuardBroken, KeyExists, KeyNotFound, type StorageError } from '../errors.ts';
import { type Guard, guardsOf } from '../storage.ts';
import type { Compare, EtcdClient, KeyValue, Op, TransactionResult } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { KeyNames } from './key-names.ts';
import type { OwnWrite } from './own-writes.ts';

/** The revision by which etcd knows a key that has no value. */
const NONE = 0;
/** A revision that no key ever has. */
const NEVER = Number.MAX_SAFE_INTEGER;

export interface WriteParts {
  readonly client: EtcdClient;
  readonly names: KeyNames;
  /** the newest revision that is here: what the write makes comes later */
  readonly after: number;
}

/** @returns etcd's answer: where it is a refusal, `refusalOf` says which. @throws EtcdError */
export async function transact(parts: WriteParts, write: OwnWrite, guard: Guard | undefined): Promise<TransactionResult> {
  const { client, names } = parts;
  const { key, sent, expectedRevision } = write;
  const name = names.inEtcd(key);
  const compare: Compare[] = [{ key: name, modRevision: stateOf(expectedRevision) }];
  for (const { key: guarding, revision } of guardsOf(guard)) compare.push({ key: names.inEtcd(guarding), modRevision: revision ?? NONE });
  const failure = compare.map((each): Op => ({ op: 'range', key: each.key, keysOnly: true }));
  const success: Op[] = [sent === undefined ? { op: 'delete', key: name } : { op: 'put', key: name, value: sent }];
  try {
    return await client.transaction({ compare, success, failure });
  } catch (error) {
    if (!(error instanceof EtcdError && error.isNoSpace)) throw error;
    // etcd says so of some transactions that it makes, too: of those that are under way when its store gets full
    const made = await madeOf(parts, write).catch(() => undefined);
    if (made === undefined) throw error;
    return { succeeded: true, revision: made.modRevision, responses: [] };
  }
}

/** @returns what etcd has of a write, if that was made */
async function madeOf({ client, names, after }: WriteParts, { key, sent }: OwnWrite): Promise<KeyValue | undefined> {
  const { kvs } = await client.range({ key: names.inEtcd(key) });
  return kvs.find(({ value, modRevision }) => sent !== undefined && modRevision > after && value.equals(sent));
}

/** The revision that etcd has to find of the key. @param expected undefined: the key is to be created */
function stateOf(expected: number | undefined): number {
  if (expected === undefined) return NONE;
  return expected === NONE ? NEVER : expected;
}

/** @param responses of an answer that did not succeed */
export function refusalOf({ responses }: TransactionResult, write: OwnWrite, guard: Guard | undefined): StorageError {
  const [found, ...guarding] = responses.map((read) => (read.op === 'range' ? read.kvs[0]?.modRevision : undefined));
  return refusalOfKey(write, found) ?? brokenOf(guard as Guard, guarding);
}

/** @param found revisions of the guards' keys. @returns what the first of them says that is not as it was to be */
function brokenOf(guard: Guard, found: readonly (number | undefined)[]): GuardBroken {
  const guards = [...guardsOf(guard)];
  const at = Math.max(
    guards.findIndex(({ revision }, index) => revision !== found[index]),
    0,
  );
  const { key, revision } = guards[at] as Guard;
  return new GuardBroken(key, revision, found[at]);
}

/** @param found revision of the key. @returns undefined where the key would have taken the write */
function refusalOfKey({ key, expectedRevision: expected }: OwnWrite, found: number | undefined): StorageError | undefined {
  if (expected === found) return undefined;
  if (found === undefined) return new KeyNotFound(key);
  return expected === undefined ? new KeyExists(key, found) : new Conflict(key, expected, found);
}
