/** Requests and answers in the form of etcd's messages. */

import {
  CompareResult,
  CompareTarget,
  EventType,
  type RangeResponse,
  type RequestOp,
  type ResponseHeader,
  type ResponseOp,
  type TxnRequest,
  type WatchCreateRequest,
  type Compare as WireCompare,
  type Event as WireEvent,
  type KeyValue as WireKeyValue,
  type RangeRequest as WireRange,
} from '../../../../generated/node-interfaces/etcd.ts';
import type { Sparse } from '../../../contract/node-interface.ts';
import { EtcdError } from './etcd-error.ts';
import type { Compare, EtcdEvent, Found, Key, KeyValue, Op, OpResult, RangeRequest, TransactionRequest, WatchRequest } from './requests.ts';

const NO_BYTES = Buffer.alloc(0);

function bytesOf(key: Key | undefined): Uint8Array {
  if (key === undefined) return NO_BYTES;
  return typeof key === 'string' ? Buffer.from(key) : key;
}

export function wireRange({ key, end, revision = 0, limit = 0, keysOnly = false, countOnly = false, serializable = false }: RangeRequest) {
  const range = { key: bytesOf(key), rangeEnd: bytesOf(end), limit, revision, serializable, keysOnly, countOnly };
  return range satisfies Sparse<WireRange>;
}

export function wireTransaction({ compare, success, failure }: TransactionRequest): Sparse<TxnRequest> {
  return { compare: compare.map(wireCompare), success: success.map(wireOp), failure: failure.map(wireOp) };
}

function wireCompare(compare: Compare): Sparse<WireCompare> {
  const common = { key: bytesOf(compare.key), result: CompareResult.EQUAL };
  if ('modRevision' in compare) return { ...common, target: CompareTarget.MOD, modRevision: compare.modRevision };
  if ('createRevision' in compare) return { ...common, target: CompareTarget.CREATE, createRevision: compare.createRevision };
  return { ...common, target: CompareTarget.VERSION, version: compare.version };
}

function wireOp(op: Op): Sparse<RequestOp> {
  if (op.op === 'put') return { requestPut: { key: bytesOf(op.key), value: op.value, lease: op.lease ?? 0n } };
  if (op.op === 'delete') return { requestDeleteRange: { key: bytesOf(op.key), rangeEnd: bytesOf(op.end) } };
  return { requestRange: wireRange(op) };
}

export function wireWatch({
  key,
  end,
  startRevision = 0,
  previousValues,
  fragment,
  progressNotify,
}: WatchRequest): Sparse<WatchCreateRequest> {
  return { key: bytesOf(key), rangeEnd: bytesOf(end), startRevision, progressNotify, prevKv: previousValues, fragment };
}

/** @throws EtcdError where the answer has none */
export function revisionOf({ header }: { readonly header: ResponseHeader | undefined }): number {
  if (header === undefined) throw noAnswer('has no header');
  return header.revision;
}

export function foundOf({ kvs, more, count }: RangeResponse): Found {
  return { kvs: kvs as readonly WireKeyValue[] as readonly KeyValue[], more, count };
}

/** @param asked the operations of which these are said to be the results @throws EtcdError where they are not */
export function resultsOf(asked: readonly Op[], responses: readonly ResponseOp[]): OpResult[] {
  if (asked.length !== responses.length) throw noAnswer(`has ${responses.length} results for ${asked.length} operations`);
  return responses.map((each, i) => resultOf(asked[i] as Op, each));
}

function resultOf({ op }: Op, { responseRange, responsePut, responseDeleteRange }: ResponseOp): OpResult {
  if (op === 'put' && responsePut !== undefined) return { op };
  if (op === 'delete' && responseDeleteRange !== undefined) return { op, deleted: responseDeleteRange.deleted };
  if (op === 'range' && responseRange !== undefined) return { op, ...foundOf(responseRange) };
  throw noAnswer(`has no result for a ${op}`);
}

/** @throws EtcdError for one of no key, or that is neither a put nor a deletion */
export function eventOf({ type, kv, prevKv }: WireEvent): EtcdEvent {
  if (kv === undefined || kv.modRevision <= 0) throw noAnswer('has an event without a key or a revision');
  if (type !== EventType.PUT && type !== EventType.DELETE) throw noAnswer(`has an event of the type ${type}`);
  return { type: type === EventType.PUT ? 'put' : 'delete', kv: kv as KeyValue, previous: prevKv as KeyValue | undefined };
}

/** Makes the error for an answer that etcd would not give, after which it is not known whether a transaction was done. */
function noAnswer(what: string): EtcdError {
  return new EtcdError('INTERNAL', `the answer is none of etcd: it ${what}`);
}
