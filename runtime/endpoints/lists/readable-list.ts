import { setImmediate as turn } from 'node:timers/promises';
import type { ApiObject } from '../../contract/object.ts';
import type { ObjectList } from '../../registry/list.ts';
import { parseStoredJson, StoredObject } from '../../registry/stored-object.ts';
import { partialObjectMetadata, tableRow } from '../../registry/table.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { includeObject, jsonText, sendBytes } from '../respond.ts';
import { toYaml } from '../yaml-text.ts';
import { closeWhenSent, type ListLease, SLICE_LEASE } from './list-budget.ts';
import { listValue, metaVersionOf } from './list-value.ts';

/** A list for people, indented or as YAML: put together as a whole. */
export async function sendReadableList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const { server, negotiated, context } = request;
  const metaVersion = metaVersionOf(request);
  const lease = await server.listBudget.open(SLICE_LEASE);
  try {
    const items = await collect(objects, readableItem(request, metaVersion), lease);
    const value = listValue(request, metaVersion, objects.revision, objects.outcome, items);
    const text = negotiated.encoding === 'yaml' ? toYaml(value) : jsonText(value, true);
    await sendBytes(context, 200, server.negotiator.contentType(negotiated), text, true);
    closeWhenSent(context.res, lease);
  } catch (error) {
    lease.close();
    throw error;
  }
}

/** Bytes that an object and its text take for each byte that is stored of it, about. */
const GROWTH = 4;

async function collect(objects: ObjectList, itemOf: (entry: Entry) => object, lease: ListLease): Promise<object[]> {
  const items: object[] = [];
  let bytes = 0;
  const slices = objects.slices((entry) => {
    items.push(itemOf(entry));
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

function readableItem({ store, kind, negotiated, info }: ResourceRequest, metaVersion: string): (entry: Entry) => object {
  const include = includeObject(info.query, negotiated);
  const now = Date.now();
  return ({ value }) => {
    const stored = new StoredObject(value);
    const object = store.decodeStored(stored);
    if (negotiated.transform === 'Table') {
      const shown = include === 'Object' ? kind.fromHub(parseStoredJson(Buffer.from(JSON.stringify(object))) as ApiObject) : object;
      return tableRow(kind.hub, object, shown, include, metaVersion, now);
    }
    if (negotiated.transform === 'PartialObjectMetadataList') return partialObjectMetadata(kind.hub, object, metaVersion);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = kind.fromHub(object);
    return rest;
  };
}
