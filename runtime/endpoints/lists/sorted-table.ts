/** Tables whose rows have an order of their own, for kinds of which a cluster has few objects: put together before they are sent. */

import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import { nextSlice, type ObjectList } from '../../registry/lists/list.ts';
import { tableRow } from '../../registry/lists/table.ts';
import { parseStoredJson } from '../../registry/stored-objects/parse-stored-json.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { Entry } from '../../storage/storage.ts';
import { encodeValue, includeObject, sendBytes, wantsPretty } from '../answers/respond.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { SLICE_LEASE } from './list-budgets.ts';
import { listValue, metaVersionOf } from './list-value.ts';

export function isSortedTable({ kind, negotiated }: ResourceRequest): boolean {
  return negotiated.transform === 'Table' && kind.hub.rules.compareRows !== undefined;
}

/** @throws LongObject */
export async function sendSortedTable(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const { server, store, kind, negotiated, context, user, client } = request;
  const metaVersion = metaVersionOf(request);
  const lease = await client.rests(server.listBudget.open(SLICE_LEASE, user.name));
  try {
    const selected = await collect(
      objects,
      ({ value }) => store.decodeStored(new StoredObject(value)),
      (bytes) => client.rests(lease.take(bytes)),
    );
    const rows = selected.sort(kind.hub.rules.compareRows).map(rowOf(request, metaVersion));
    const value = listValue(request, metaVersion, objects.revision, objects.outcome, rows);
    const text = encodeValue(value, negotiated.encoding === 'yaml' ? 'yaml' : 'json', wantsPretty(context, negotiated));
    client.trace?.tellWriting(Buffer.byteLength(text));
    await sendBytes(context, 200, server.negotiator.contentType(negotiated), text);
  } finally {
    lease.close();
  }
}

/** Bytes that an object and its text take for each byte that is stored of it, about. */
const GROWTH = 4;

async function collect(
  objects: ObjectList,
  decode: (entry: Entry) => ApiObject,
  take: (bytes: number) => Promise<void>,
): Promise<ApiObject[]> {
  const items: ApiObject[] = [];
  let bytes = 0;
  const slices = objects.slices({
    add(entry) {
      items.push(decode(entry));
      bytes += entry.value.length * GROWTH;
      return entry.value.length;
    },
  });
  while (await nextSlice(slices)) {
    await take(bytes);
    bytes = 0;
    await turn();
  }
  return items;
}

function rowOf({ kind, negotiated, info }: ResourceRequest, metaVersion: string): (object: ApiObject) => object {
  const include = includeObject(info.query, negotiated);
  const now = Date.now();
  return (object) => {
    const shown = include === 'Object' ? kind.fromHub(parseStoredJson(Buffer.from(writeJson(object))) as ApiObject) : object;
    return tableRow(kind.hub, object, shown, include, metaVersion, now);
  };
}
