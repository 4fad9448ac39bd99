import { type ListReading, ObjectList } from '../../../registry/lists/list.ts';
import { compileSelection, type Selection } from '../../../registry/selection/selection.ts';
import { resourceText } from '../../../status/status.ts';
import { requireListForm, wantsPretty } from '../../answers/respond.ts';
import { sendItemList } from '../../lists/item-list.ts';
import { isSortedTable, sendSortedTable } from '../../lists/sorted-table.ts';
import { LongBody } from '../../long-body.ts';
import { isLongTable } from '../../long-form.ts';
import type { ListOptions } from '../../options.ts';
import type { ClientTrace } from '../../request/client-trace.ts';
import { listOptionsOf, type ResourceRequest } from '../../resource-request.ts';

/** GET of a collection. */
export async function list(request: ResourceRequest): Promise<void> {
  const { store, resource } = request;
  requireListedHere(request);
  const options = listOptionsOf(request);
  const selection = compileSelection(resource, options.labels, options.fields, store.fieldsOf);
  const objects = await openList(request, options, selection);
  const { trace } = request.client;
  if (trace === undefined) return sendList(request, objects);
  trace.current.event('Listing from storage done');
  await sendList(request, objects).finally(() => objects.close());
  trace.answered = { count: objects.count };
}

/** @throws LongBody for a Table whose columns take long, and which people are to read: nobody else asks for one that is not compact JSON */
function requireListedHere({ server, kind, negotiated, context }: ResourceRequest): void {
  if (server.longRequests === undefined || !isLongTable({ kind, negotiated })) return;
  if (negotiated.encoding === 'yaml' || wantsPretty(context, negotiated)) throw new LongBody();
}

/** The snapshot that the query asks for. @throws StatusError */
export async function openList(request: ResourceRequest, options: ListOptions, selection: Selection): Promise<ObjectList> {
  const { server, store, info, client } = request;
  const { trace } = client;
  const wanted = { ...options, selection, namespace: info.namespace, waiting: client };
  if (trace === undefined) return ObjectList.open(store, server.storage, server.identity, wanted);
  const reading = beginReading(trace, request, options, selection);
  try {
    return await ObjectList.open(store, server.storage, server.identity, { ...wanted, reading });
  } catch (error) {
    reading.end();
    throw error;
  }
}

function beginReading(trace: ClientTrace, request: ResourceRequest, options: ListOptions, selection: Selection): ListReading {
  const { server, store, info, resource } = request;
  const name = options.continue === '' && (info.namespace !== '' || resource.data.scope === 'Cluster') ? selection.name : undefined;
  return trace.beginList({
    ...options,
    type: resourceText(resource.groupResource),
    key: `/${name === undefined ? store.prefix(info.namespace).slice(0, -1) : store.key(info.namespace, name)}`,
    recursive: name === undefined,
    cached: resource.data.watchCache,
    consistentFromCache: server.featureEnabled('ConsistentListFromCache'),
  });
}

/** Answers with a snapshot, in the form that was negotiated. @throws StatusError NotAcceptable for one that no list has */
export async function sendList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  requireListForm(request.kind, request.negotiated);
  const { client, server, negotiated } = request;
  const part = client.trace?.beginAnswer(server.negotiator.contentType(negotiated), negotiated.encoding);
  // items are read, put into their form and sent one after the other
  const began = performance.now();
  const sent = isSortedTable(request) ? sendSortedTable(request, objects) : sendItemList(request, objects);
  await (part === undefined ? sent : part.until(sent));
  client.took('serialize-response-object', performance.now() - began);
  server.measured.listRead(request.resource, objects);
}
