/**
 * Lists for programs: the bytes of their items one after the other, as a stream with back-pressure where nothing has to be known of the
 * last item before the first is sent.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { ListEnd, ObjectList } from '../../registry/list.ts';
import { encodeProtobuf, envelopeAround } from '../../schema/protobuf.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { sendBytes, sendParts } from '../respond.ts';
import { Chunks } from './chunks.ts';
import { type AddItem, jsonItems } from './json-items.ts';
import { closeWhenSent, type ListLease, SLICE_LEASE } from './list-budget.ts';
import { streamList } from './list-stream.ts';
import { listFieldNumber, listKindOf, listValue, metaVersionOf } from './list-value.ts';
import { protobufItems } from './protobuf-items.ts';

const COMMA = 0x2c;
const JSON_END = ']}\n';

export async function sendItemList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const metaVersion = metaVersionOf(request);
  const chunks = new Chunks();
  if (request.negotiated.encoding === 'protobuf') return sendProtobuf(request, objects, chunks, metaVersion);
  return sendJson(request, objects, chunks, metaVersion, withCommas(jsonItems(request, metaVersion, chunks), chunks));
}

function withCommas(add: AddItem, chunks: Chunks): AddItem {
  return (entry) => {
    if (chunks.length > 0) chunks.byte(COMMA);
    add(entry);
  };
}

/** One slice after the other, each in a turn of its own. */
function slicesOf(objects: ObjectList, chunks: Chunks, add: AddItem): Generator<void, void, void> {
  return objects.slices((entry) => {
    const before = chunks.length;
    add(entry);
    return chunks.length - before;
  });
}

/** A list with its first slice read. */
interface Begun {
  readonly slices: Generator<void, void, void>;
  /** absent where the first slice was all */
  readonly lease: ListLease | undefined;
}

/** Reads the first slice. What has more needs a share of the budget for lists, and is read again if it has to wait for that. */
async function begin({ server }: ResourceRequest, objects: ObjectList, chunks: Chunks, add: AddItem): Promise<Begun> {
  const slices = slicesOf(objects, chunks, add);
  if (slices.next().done === true) return { slices, lease: undefined };
  const lease = server.listBudget.tryOpen(SLICE_LEASE);
  if (lease !== undefined) return { slices, lease };
  chunks.clear();
  const waited = await server.listBudget.open(SLICE_LEASE);
  try {
    const again = slicesOf(objects, chunks, add);
    again.next();
    return { slices: again, lease: waited };
  } catch (error) {
    waited.close();
    throw error;
  }
}

/** Reads all that is left into the chunks, as far as the budget allows. */
async function collect(slices: Generator<void, void, void>, chunks: Chunks, lease: ListLease): Promise<void> {
  let before = chunks.length;
  await turn();
  while (slices.next().done !== true) {
    await lease.take(chunks.length - before);
    before = chunks.length;
    await turn();
  }
}

async function sendJson(request: ResourceRequest, objects: ObjectList, chunks: Chunks, metaVersion: string, add: AddItem): Promise<void> {
  const head = (end: ListEnd): Buffer => {
    const text = JSON.stringify(listValue(request, metaVersion, objects.revision, end, [{}]));
    return Buffer.from(text.slice(0, text.lastIndexOf('{}')));
  };
  const { slices, lease } = await begin(request, objects, chunks, add);
  const { context } = request;
  const contentType = contentTypeOf(request);
  try {
    // Metadata stands before the items, but a token is known after them: only a list that ends within its limit is streamed.
    if (lease !== undefined && !objects.limited) {
      await streamList(context, { contentType, head: head(objects.outcome), slices, chunks, end: JSON_END, log: request.server.log });
      return lease.close();
    }
    if (lease !== undefined) await collect(slices, chunks, lease);
    if (chunks.length === 0) return await sendEmpty(request, objects, metaVersion);
    await sendParts(context, contentType, [{ bytes: head(objects.outcome) }, ...chunks.drain(true), { bytes: Buffer.from(JSON_END) }]);
    if (lease !== undefined) closeWhenSent(context.res, lease);
  } catch (error) {
    lease?.close();
    throw error;
  }
}

function sendEmpty(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<void> {
  const value = listValue(request, metaVersion, objects.revision, objects.outcome, []);
  return sendBytes(request.context, 200, contentTypeOf(request), `${JSON.stringify(value)}\n`, true);
}

const contentTypeOf = ({ server, negotiated }: ResourceRequest): string => server.negotiator.contentType(negotiated);

/** The envelope says how long the message is before it begins: items are put together first. */
async function sendProtobuf(request: ResourceRequest, objects: ObjectList, chunks: Chunks, metaVersion: string): Promise<void> {
  const list = await listKindOf(request);
  const { slices, lease } = await begin(request, objects, chunks, await protobufItems(request, metaVersion, chunks, list));
  try {
    if (lease !== undefined) await collect(slices, chunks, lease);
    const value = listValue(request, metaVersion, objects.revision, objects.outcome, []);
    const metadata = encodeProtobuf(list.compiled, value);
    const { before, after } = envelopeAround(value.apiVersion, value.kind, metadata.length + chunks.length);
    const itemsFirst = listFieldNumber(list, 'items') < listFieldNumber(list, 'metadata');
    const items = chunks.drain(true);
    const parts = itemsFirst ? [...items, { bytes: metadata }] : [{ bytes: metadata }, ...items];
    await sendParts(request.context, contentTypeOf(request), [{ bytes: before }, ...parts, { bytes: after }]);
    if (lease !== undefined) closeWhenSent(request.context.res, lease);
  } catch (error) {
    lease?.close();
    throw error;
  }
}
