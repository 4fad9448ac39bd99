/** Lists as their items one after the other, sent while they are read where nothing has to be known of the last item before that. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectList } from '../../registry/list.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { sendBytes } from '../respond.ts';
import { type ListLease, SLICE_LEASE } from './list-budget.ts';
import { metaVersionOf } from './list-value.ts';
import { sendParts } from './long-answer.ts';
import { ProtobufList } from './protobuf-list.ts';
import { TextList } from './text-list.ts';

export async function sendItemList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const metaVersion = metaVersionOf(request);
  return request.negotiated.encoding === 'protobuf' ? sendProtobuf(request, objects, metaVersion) : sendText(request, objects, metaVersion);
}

/** What is made of a list's items. */
interface Items {
  /** @returns bytes that were made of the entry */
  add(entry: Entry): number;
  /** Forgets what was added. */
  clear(): void;
}

/** A list with its first slice read. */
interface Begun {
  readonly slices: Generator<void, void, void>;
  /** absent where the first slice was all */
  readonly lease: ListLease | undefined;
  /** bytes made of items beyond those that the lease was opened with */
  readonly made: { bytes: number };
}

/** Reads the first slice. What has more needs a share of the budget for lists, and is read again if it has to wait for that. */
async function begin({ server }: ResourceRequest, objects: ObjectList, items: Items): Promise<Begun> {
  const made = { bytes: 0 };
  const slicesOf = () =>
    objects.slices((entry) => {
      const bytes = items.add(entry);
      made.bytes += bytes;
      return bytes;
    });
  const slices = slicesOf();
  if (slices.next().done === true) return { slices, lease: undefined, made };
  const lease = server.listBudget.tryOpen(SLICE_LEASE);
  if (lease !== undefined) return { slices, lease, made };
  items.clear();
  const waited = await server.listBudget.open(SLICE_LEASE);
  try {
    const again = slicesOf();
    again.next();
    return { slices: again, lease: waited, made };
  } catch (error) {
    waited.close();
    throw error;
  }
}

/** Reads all that is left, as far as the budget allows. */
async function collect({ slices, made }: Begun, lease: ListLease): Promise<void> {
  made.bytes = 0;
  await turn();
  while (slices.next().done !== true) {
    if (made.bytes > 0) await lease.take(made.bytes);
    made.bytes = 0;
    await turn();
  }
}

async function sendText(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<void> {
  const list = new TextList(request, objects, metaVersion);
  const begun = await begin(request, objects, list);
  const { slices, lease } = begun;
  const answer = { contentType: contentTypeOf(request), log: request.server.log };
  try {
    if (lease !== undefined && !objects.limited && (await list.readFirst(slices)))
      return await sendParts(request.context, { ...answer, parts: list.parts(slices) });
    if (lease !== undefined) await collect(begun, lease);
    if (list.empty) return await sendBytes(request.context, 200, answer.contentType, list.emptyText, true);
    const parts = list.whole();
    await sendParts(request.context, { ...answer, length: parts.reduce((sum, part) => sum + part.length, 0), parts });
  } finally {
    lease?.close();
  }
}

const contentTypeOf = ({ server, negotiated }: ResourceRequest): string => server.negotiator.contentType(negotiated);

async function sendProtobuf(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<void> {
  const list = await ProtobufList.of(request, objects, metaVersion);
  const begun = await begin(request, objects, list);
  try {
    if (begun.lease !== undefined) await collect(begun, begun.lease);
    await sendParts(request.context, { ...list.whole(), contentType: contentTypeOf(request), log: request.server.log });
  } finally {
    begun.lease?.close();
  }
}
