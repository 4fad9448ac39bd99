/** The health of the control plane's parts, found out when it is asked for (deprecated since 1.19). */
import type { ApiObject } from '../../../contract/object.ts';
import { partialObjectMetadata, tableRow } from '../../../registry/lists/table.ts';
import { compileSelection } from '../../../registry/selection/selection.ts';
import { encodeStoredObject, StoredObject } from '../../../registry/stored-objects/stored-object.ts';
import { exchange } from '../../../relay/exchange.ts';
import { clientSignal, failureText } from '../../../relay/relay-request.ts';
import { newNotFound } from '../../../status/status.ts';
import { includeObject, requireListForm, transformObject } from '../../answers/respond.ts';
import { listValue, metaVersionOf } from '../../lists/list-value.ts';
import { listOptionsOf, type ResourceRequest, sendShown } from '../../resource-request.ts';

/** The state of a component: its own message, or the reason why it could not be asked. */
interface Finding {
  readonly healthy: boolean;
  readonly message: string;
}

type Look = (request: ResourceRequest) => Finding | Promise<Finding>;

/**
 * The components: the other programs of a control plane, by the ports on this machine at which they tell their health, and the store, by the name that 1.32
 * gives it.
 */
const COMPONENTS: Readonly<Record<string, Look>> = {
  'controller-manager': (request) => lookAtPort(request, 10_257),
  'etcd-0': lookAtStore,
  scheduler: (request) => lookAtPort(request, 10_259),
};

/** Milliseconds: for the connection, and then for the answer. */
const LIMIT = 2_000;
/** Bytes of an answer that are shown. */
const MAX_MESSAGE = 10 * 1024;

export function componentStatuses(request: ResourceRequest): Promise<void> {
  return request.info.verb === 'list' ? listAll(request) : getOne(request);
}

async function getOne(request: ResourceRequest): Promise<void> {
  const { server, kind, info, negotiated, resource } = request;
  const look = Object.hasOwn(COMPONENTS, info.name) ? COMPONENTS[info.name] : undefined;
  if (look === undefined) throw newNotFound(resource.groupResource, info.name);
  const status = await statusOf(request, info.name, look);
  return send(request, kind, transformObject(server, kind, status, status, negotiated, info.query));
}

async function listAll(request: ResourceRequest): Promise<void> {
  const { registry, kind, negotiated, resource } = request;
  const options = listOptionsOf(request);
  const selection = compileSelection(resource, options.labels, options.fields, () => []);
  requireListForm(kind, negotiated);
  const found = await Promise.all(Object.entries(COMPONENTS).map(([name, look]) => statusOf(request, name, look)));
  const selected = found.filter((status) => selection.matches('', status.metadata.name ?? '', headerOf(status)));
  const metaVersion = metaVersionOf(request);
  const items = selected.map((status) => itemOf(request, status, metaVersion));
  const list = { ...listValue(request, metaVersion, 0, { continue: '', remainingItemCount: undefined }, items), metadata: {} };
  const listKind =
    negotiated.transform === 'none' ? await registry.kind(kind.group, kind.version, list.kind) : await registry.metaKind(list.kind);
  return send(request, listKind, list);
}

/** Selections read labels and fields from the header that stored objects have. */
function headerOf(status: ApiObject): StoredObject {
  return new StoredObject(encodeStoredObject(status, 0, []).bytes);
}

function itemOf({ kind, negotiated, info }: ResourceRequest, status: ApiObject, metaVersion: string): object {
  if (negotiated.transform === 'Table')
    return tableRow(kind.hub, status, status, includeObject(info.query, negotiated), metaVersion, Date.now());
  if (negotiated.transform === 'PartialObjectMetadataList') return partialObjectMetadata(kind.hub, status, metaVersion);
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = status;
  return rest;
}

function send(request: ResourceRequest, kind: ResourceRequest['kind'], object: ApiObject): Promise<void> {
  return sendShown({ ...request, kind }, object, 200);
}

async function statusOf(request: ResourceRequest, name: string, look: Look): Promise<ApiObject> {
  const { healthy, message } = await look(request);
  return request.kind.decode({
    metadata: { name },
    conditions: [{ type: 'Healthy', status: healthy ? 'True' : 'False', message }],
  }).object;
}

function lookAtStore({ server }: ResourceRequest): Finding {
  try {
    server.storage.currentRevision();
    return { healthy: true, message: 'ok' };
  } catch (error) {
    return { healthy: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Its certificate is not verified: the component makes its own. */
async function lookAtPort({ server, context }: ResourceRequest, port: number): Promise<Finding> {
  const target = { host: '127.0.0.1', port, tls: {} };
  const headers = ['Host', `127.0.0.1:${port}`];
  try {
    const { head } = await exchange(
      { target, method: 'GET', path: '/healthz', headers },
      {
        dial: server.outbound.dial,
        connectLimit: LIMIT,
        headLimit: LIMIT,
        signal: AbortSignal.any([clientSignal(context), AbortSignal.timeout(2 * LIMIT)]),
      },
    );
    const { statusCode = 0 } = head;
    if (statusCode >= 200 && statusCode < 400) return { healthy: true, message: await beginning(head) };
    head.destroy();
    return { healthy: false, message: `HTTP probe failed with statuscode: ${statusCode}` };
  } catch (error) {
    return { healthy: false, message: `Get "https://127.0.0.1:${port}/healthz": ${failureText(error)}` };
  }
}

async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_MESSAGE) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_MESSAGE);
}
