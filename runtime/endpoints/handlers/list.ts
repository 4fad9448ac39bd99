import { ObjectList } from '../../registry/list.ts';
import { compileSelection, type Selection } from '../../registry/selection.ts';
import { sendItemList } from '../lists/item-list.ts';
import { isSortedTable, sendSortedTable } from '../lists/sorted-table.ts';
import type { ListOptions } from '../options.ts';
import { listOptionsOf, type ResourceRequest } from '../resource-request.ts';
import { requireListForm } from '../respond.ts';

/** GET of a collection. */
export async function list(request: ResourceRequest): Promise<void> {
  const { store, resource } = request;
  const options = listOptionsOf(request);
  const selection = compileSelection(resource, options.labels, options.fields, store.fieldsOf);
  const objects = await openList(request, options, selection);
  const { trace } = request.client;
  trace?.current.event('Listing from storage done');
  await sendList(request, objects);
  if (trace !== undefined) trace.answered = { count: objects.count };
}

/** The snapshot that the query asks for. @throws StatusError */
export async function openList(request: ResourceRequest, options: ListOptions, selection: Selection): Promise<ObjectList> {
  const { server, store, info, client } = request;
  return ObjectList.open(store, server.storage, server.identity, {
    ...options,
    selection,
    namespace: info.namespace,
    waiting: client,
    ...(client.trace !== undefined && isPage(options) && { part: client.trace.current }),
  });
}

/** Parts of a list that is read as a whole would be too many; 1.32 reads it out of its memory. */
const isPage = ({ limit, continue: from }: ListOptions): boolean => limit > 0 || from !== '';

/** Answers with a snapshot, in the form that was negotiated. @throws StatusError NotAcceptable for one that no list has */
export async function sendList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  requireListForm(request.kind, request.negotiated);
  const { client, server, negotiated } = request;
  const part = client.trace?.beginAnswer(server.negotiator.contentType(negotiated), negotiated.encoding);
  const sent = isSortedTable(request) ? sendSortedTable(request, objects) : sendItemList(request, objects);
  return part === undefined ? sent : part.until(sent);
}
