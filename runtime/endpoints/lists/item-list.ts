/** Lists as their items one after the other, sent while they are read where nothing has to be known of the last item before that. */
import { nextSlice, type ObjectList, type Preparation, type Slices } from '../../registry/lists/list.ts';
import type { Entry } from '../../storage/storage.ts';
import { lengthOf, type Part } from '../answers/chunks.ts';
import type { ByteLease } from '../bodies/byte-budget.ts';
import { isLongTable, type LongForms, placeOf } from '../long-form.ts';
import { nextTurn } from '../request/request-turns.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { SLICE_LEASE } from './list-budgets.ts';
import { metaVersionOf } from './list-value.ts';
import { sendParts } from './long-answer.ts';
import { ProtobufList } from './protobuf-list.ts';
import { Spool } from './spool.ts';
import { TextList } from './text-list.ts';

export async function sendItemList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const metaVersion = metaVersionOf(request);
  switch (request.negotiated.encoding) {
    case 'protobuf':
      return sendCounted(request, objects, await ProtobufList.of(request, objects, metaVersion));
    case 'cbor':
      return sendCounted(request, objects, await cborList(request, objects, metaVersion));
    default:
      return sendText(request, objects, metaVersion);
  }
}

/** What is made of a list's items, and the list around them. */
interface Items {
  /** bytes of all items that were added */
  readonly length: number;
  readonly prepared: Preparation;
  /** @returns bytes that were made of the entry */
  add(entry: Entry): number;
  /** Forgets what was added. */
  clear(): void;
  /** Takes out what was added, as far as it fills parts. */
  full(): Part[];
  /** Once all is added: what stands before all that `full` has taken out, and what is left. */
  finish(): { readonly beginning: readonly Part[]; readonly rest: Iterable<Part>; readonly restLength: number };
}

/** A list with its first slice read. */
interface Begun {
  readonly slices: Slices;
  /** undefined if the first slice was the whole list */
  readonly lease: ByteLease | undefined;
  /** the bytes of items beyond those for which the lease was opened */
  readonly made: { bytes: number };
}

/** Reads the first slice. What has more needs a share of the budget for lists, and is read again if it has to wait for that. */
async function begin({ server, user, client }: ResourceRequest, objects: ObjectList, items: Items): Promise<Begun> {
  const made = { bytes: 0 };
  const slicesOf = () =>
    objects.slices({
      prepared: server.longRequests && items.prepared,
      add(entry) {
        const bytes = items.add(entry);
        made.bytes += bytes;
        return bytes;
      },
    });
  const slices = slicesOf();
  if (!(await nextSlice(slices))) return { slices, lease: undefined, made };
  const lease = server.listBudget.tryOpen(SLICE_LEASE, user.name);
  if (lease !== undefined) return { slices, lease, made };
  items.clear();
  const waited = await client.rests(server.listBudget.open(SLICE_LEASE, user.name));
  try {
    const again = slicesOf();
    await nextSlice(again);
    return { slices: again, lease: waited, made };
  } catch (error) {
    waited.close();
    throw error;
  }
}

async function sendText(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<void> {
  const columns = request.server.longRequests && isLongTable(request) ? await longColumns(request, request.server.longRequests) : undefined;
  const list = new TextList(request, objects, metaVersion, columns);
  const begun = await begin(request, objects, list);
  const { slices, lease } = begun;
  try {
    if (lease !== undefined && !objects.limited && (await list.readFirst(slices)))
      await sendParts(request.context, { ...answerOf(request), parts: list.parts(slices) });
    else await sendCollected(request, list, begun);
  } finally {
    lease?.close();
    if (request.server.listBudget.leases < 2) request.server.sharedRuns.clear();
  }
}

/** Returns the JSON of a Table's columns, which another thread makes. */
function longColumns(request: ResourceRequest, forms: LongForms): Promise<Buffer> {
  return forms.form({ place: placeOf(request), form: 'columns', value: new Uint8Array() }, request.client);
}

async function cborList(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<Items> {
  const { CborList } = await import('./cbor-list.ts');
  return new CborList(request, objects, metaVersion);
}

/** Sends a list in a form that states its length at the beginning. */
async function sendCounted(request: ResourceRequest, objects: ObjectList, list: Items): Promise<void> {
  const begun = await begin(request, objects, list);
  try {
    await sendCollected(request, list, begun);
  } finally {
    begun.lease?.close();
  }
}

const answerOf = ({ server, negotiated }: ResourceRequest) => ({
  contentType: server.negotiator.contentType(negotiated),
  log: server.log,
});

/** Bytes of a list that are held in memory until its end is read: a generation of derived forms, which those of protobuf are as well. */
const MAX_HELD = 64 * 1024 * 1024;

/** Reads all that is left before anything is sent; what is too large for the memory that is free goes through a file, or waits for others on a full disk. */
async function sendCollected(request: ResourceRequest, items: Items, begun: Begun): Promise<void> {
  const { spoolDirectory, spoolBudget } = request.server;
  const spool = new Spool(spoolDirectory, spoolBudget, request.user.name);
  try {
    if (begun.lease !== undefined) await collect(request, items, { ...begun, lease: begun.lease }, spool);
    const { beginning, rest, restLength } = items.finish();
    const parts = spool.length === 0 && beginning.length === 0 ? rest : concatenated(beginning, spool.parts(), rest);
    await sendParts(request.context, { ...answerOf(request), length: lengthOf(beginning) + spool.length + restLength, parts });
  } finally {
    await spool.close();
  }
}

async function collect(
  { client }: ResourceRequest,
  items: Items,
  { slices, lease, made }: Begun & { readonly lease: ByteLease },
  spool: Spool,
): Promise<void> {
  made.bytes = 0;
  await nextTurn(client);
  while (await nextSlice(slices)) {
    if (items.length > MAX_HELD || !lease.tryTake(made.bytes)) {
      if (await client.rests(spool.write(items.full()))) lease.keep(SLICE_LEASE);
      else await client.rests(lease.take(made.bytes));
    }
    made.bytes = 0;
    await nextTurn(client);
  }
}

async function* concatenated<T>(...sources: readonly (Iterable<T> | AsyncIterable<T>)[]): AsyncGenerator<T, void> {
  for (const source of sources) yield* source;
}
