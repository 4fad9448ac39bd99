import { upgradeProtocol } from '../../../connections/upgrade.ts';
import { Beginnings } from '../../../event-loop/turns.ts';
import { ObjectList } from '../../../registry/lists/list.ts';
import { parseResourceVersion } from '../../../registry/resource-store/resource-version.ts';
import { compileSelection, type Selection } from '../../../registry/selection/selection.ts';
import { newBadRequest, newNotAcceptablePlain } from '../../../status/status.ts';
import { listBlueprint } from '../../lists/list-blueprint.ts';
import { isStreamingList, type ListOptions } from '../../options.ts';
import { listOptionsOf, type ResourceRequest } from '../../resource-request.ts';
import { type EventSink, responseSink } from '../../watches/event-sink.ts';
import { WatchEventEncoder } from '../../watches/watch-event-encoder.ts';
import { namespaceOf, WatchStream } from '../../watches/watch-stream.ts';

/** All watches of a client begin anew at once where its connection was lost, and those of all clients where a server was. */
const beginnings = new Beginnings();

/** GET with `watch`, and the legacy paths: a stream of events that lasts until a timeout, the client, or the server ends it. */
export async function watch(request: ResourceRequest): Promise<void> {
  const { server, store, info, resource } = request;
  const options = listOptionsOf(request);
  const turn = beginnings.next();
  if (turn !== undefined) await turn;
  const named = info.name !== '' && options.fields.length === 0;
  const fields = named ? [{ field: 'metadata.name', operator: '=', value: info.name } as const] : options.fields;
  const selection = compileSelection(resource, options.labels, fields, store.fieldsOf);
  if (info.name !== '' && selection.name !== info.name) throw newBadRequest("fieldSelector metadata.name doesn't match requested name");
  // of a version that no store reaches nothing ever comes
  const wanted = Math.min(Number(parseResourceVersion(options.resourceVersion) ?? 0), Number.MAX_SAFE_INTEGER);
  const seconds = options.timeoutSeconds !== 0 ? Math.max(0, options.timeoutSeconds) : lifetime(server.minWatchSeconds);
  const frames = WatchEventEncoder.of(request);
  if (request.negotiated.encoding === 'yaml') throw newNotAcceptablePlain(server.negotiator.streamable());
  // before the client knows that it watches: what it has written by another process from then on comes after it
  const newest = server.storage.currentRevision();
  const sink = await openSink(request);
  if (sink === undefined) return;
  const stream = new WatchStream(request, selection, options.allowWatchBookmarks, frames, sink);
  try {
    const withState = options.sendInitialEvents ?? wanted === 0;
    const since = withState ? await sendState(request, options, selection, stream) : wanted > 0 ? wanted : newest;
    stream.follow(since, seconds);
  } catch (error) {
    stream.fail(error);
  }
}

/** Seconds for a watch that asks for none. */
function lifetime(least: number): number {
  return least === 0 ? Number.POSITIVE_INFINITY : least * (1 + Math.random());
}

/** Begins the answer, after which errors can no longer have a status of their own. @returns undefined if the client has gone */
async function openSink({ server, context, negotiated }: ResourceRequest): Promise<EventSink | undefined> {
  if (upgradeProtocol(context.req) === 'websocket') {
    const { webSocketSink } = await import('../../watches/web-socket-sink.ts');
    return webSocketSink(context, negotiated.encoding);
  }
  return responseSink(context, server.negotiator.streamContentType(negotiated));
}

/** Who asks for a streaming list reads the marks of its end; others, who get one all the same, get bookmarks as the dialect has them. */
function marksEnd({ server, info }: ResourceRequest): boolean {
  return !server.identity.bareBookmarks || info.query.has('sendInitialEvents');
}

/** The objects that are there. @returns the revision at which they are. @throws StatusError Timeout, Expired */
async function sendState(request: ResourceRequest, options: ListOptions, selection: Selection, stream: WatchStream): Promise<number> {
  const { server, store } = request;
  const objects = await ObjectList.open(store, server.storage, server.identity, {
    namespace: namespaceOf(request),
    selection,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: '',
    limit: 0,
    continue: '',
    waiting: request.client,
  });
  await stream.sendState(objects);
  if (isStreamingList(options)) stream.endState(objects.revision, marksEnd(request) ? await listBlueprint(request) : undefined);
  return objects.revision;
}
