import { setImmediate as turn } from 'node:timers/promises';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { ObjectList } from '../../registry/list.ts';
import { parseStoredJson, StoredObject } from '../../registry/stored-object.ts';
import { partialObjectMetadata, tableRow } from '../../registry/table.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { includeObject, jsonText, sendBytes, wantsPretty } from '../respond.ts';
import { toYaml } from '../yaml-text.ts';
import { closeWhenSent, type ListLease, SLICE_LEASE } from './list-budget.ts';
import { listValue, metaVersionOf } from './list-value.ts';

/** Whether a list is for people, indented or as YAML, or a Table whose rows have an order of their own. */
export function isWhole({ kind, negotiated, context }: ResourceRequest): boolean {
  if (negotiated.transform === 'Table' && kind.hub.rules.compareRows !== undefined) return true;
  return negotiated.encoding === 'yaml' || (negotiated.encoding === 'json' && wantsPretty(context, negotiated));
}

/** A list that is put together before it is sent. */
export async function sendWholeList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const { server, store, kind, negotiated, context } = request;
  const metaVersion = metaVersionOf(request);
  const lease = await server.listBudget.open(SLICE_LEASE);
  try {
    const selected = await collect(objects, ({ value }) => store.decodeStored(new StoredObject(value)), lease);
    if (negotiated.transform === 'Table') sortRows(selected, kind.hub.rules);
    const items = selected.map(itemOf(request, metaVersion));
    const value = listValue(request, metaVersion, objects.revision, objects.outcome, items);
    const text = negotiated.encoding === 'yaml' ? toYaml(value) : jsonText(value, wantsPretty(context, negotiated));
    await sendBytes(context, 200, server.negotiator.contentType(negotiated), text, true);
    closeWhenSent(context.res, lease);
  } catch (error) {
    lease.close();
    throw error;
  }
}

/** Bytes that an object and its text take for each byte that is stored of it, about. */
const GROWTH = 4;

async function collect(objects: ObjectList, decode: (entry: Entry) => ApiObject, lease: ListLease): Promise<ApiObject[]> {
  const items: ApiObject[] = [];
  let bytes = 0;
  const slices = objects.slices((entry) => {
    items.push(decode(entry));
    bytes += entry.value.length * GROWTH;
    return entry.value.length;
  });
  while (slices.next().done !== true) {
    await lease.take(bytes);
    bytes = 0;
    await turn();
  }
  return items;
}

function sortRows(objects: ApiObject[], { compareRows }: KindRules): void {
  if (compareRows !== undefined) objects.sort(compareRows);
}

function itemOf({ kind, negotiated, info }: ResourceRequest, metaVersion: string): (object: ApiObject) => object {
  const include = includeObject(info.query, negotiated);
  const now = Date.now();
  return (object) => {
    if (negotiated.transform === 'Table') {
      const shown = include === 'Object' ? kind.fromHub(parseStoredJson(Buffer.from(JSON.stringify(object))) as ApiObject) : object;
      return tableRow(kind.hub, object, shown, include, metaVersion, now);
    }
    if (negotiated.transform === 'PartialObjectMetadataList') return partialObjectMetadata(kind.hub, object, metaVersion);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = kind.fromHub(object);
    return rest;
  };
}
