import { ObjectList } from '../../registry/list.ts';
import { sendItemList } from '../lists/item-list.ts';
import { isSortedTable, sendSortedTable } from '../lists/sorted-table.ts';
import { listOptions } from '../options.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { notAcceptable } from '../respond.ts';

/** GET of a collection. */
export async function list(request: ResourceRequest): Promise<void> {
  return sendList(request, await openList(request));
}

/** The snapshot that the query asks for. @throws StatusError */
export async function openList(request: ResourceRequest): Promise<ObjectList> {
  const { server, store, info, negotiated } = request;
  const options = listOptions(info.query, false, server.identity);
  if (negotiated.transform === 'PartialObjectMetadata')
    throw notAcceptable(
      'you requested PartialObjectMetadata, but the requested object is a list (of which PartialObjectMetadataList may be had)',
    );
  return ObjectList.open(store, server.storage, server.identity, { ...options, namespace: info.namespace });
}

/** Answers with a snapshot, in the form that was negotiated. */
export async function sendList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  return isSortedTable(request) ? sendSortedTable(request, objects) : sendItemList(request, objects);
}
