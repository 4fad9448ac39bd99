import { setImmediate as turn } from 'node:timers/promises';
import type { ApiObject } from '../../contract/object.ts';
import type { ObjectList } from '../../registry/list.ts';
import { parseStoredJson, StoredObject } from '../../registry/stored-object.ts';
import { partialObjectMetadata, tableRow } from '../../registry/table.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { includeObject, sendBytes } from '../respond.ts';
import { toYaml } from '../yaml-text.ts';
import { listValue, metaVersionOf } from './list-value.ts';

/** A list for people, indented or as YAML: put together as a whole. */
export async function sendReadableList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const { server, negotiated, context } = request;
  const metaVersion = metaVersionOf(request);
  const items: object[] = [];
  const itemOf = readableItem(request, metaVersion);
  const slices = objects.slices((entry) => {
    items.push(itemOf(entry));
    return entry.value.length;
  });
  while (slices.next().done !== true) await turn();
  const value = listValue(request, metaVersion, objects.revision, objects.outcome, items);
  const text = negotiated.encoding === 'yaml' ? toYaml(value) : `${JSON.stringify(value, null, 2)}\n`;
  return sendBytes(context, 200, server.negotiator.contentType(negotiated), text, true);
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
