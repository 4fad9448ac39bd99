import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import type { SubresourceData, Verb } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { LongObject, readingLong } from '../../registry/stored-objects/long-value.ts';
import {
  newBadRequest,
  newDefinitionTerminating,
  newMethodNotAllowed,
  newMethodNotSupported,
  newNotFound,
  newUnknownResource,
  type StatusError,
} from '../../status/status.ts';
import { loadCborForms } from '../answers/cbor-forms.ts';
import { LongBody } from '../long-body.ts';
import { loadMetaKinds } from '../meta-kinds.ts';
import { isStreamingList, listOptions } from '../options.ts';
import { type ClientRequest, requestOf } from '../request/client-request.ts';
import type { ClientTrace } from '../request/client-trace.ts';
import { pathText } from '../request/path-text.ts';
import { decodeQuery } from '../request/query-object.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { addWarnings } from '../request/warnings.ts';
import type { Handler, ResourceRequest } from '../resource-request.ts';
import type { ResourceServer } from '../resource-server.ts';
import type { ShownFormHandlers } from './subresources/shown-form.ts';
import { admissionOf } from './verbs/admit.ts';
import { onDemand } from './virtual/on-demand.ts';
import { namedHandler, namedRelay, type Relay } from './virtual/virtual.ts';

const HANDLERS: Readonly<Record<Verb, Handler>> = {
  create: onDemand(async () => (await import('./verbs/create.ts')).create),
  get: onDemand(async () => (await import('./verbs/get.ts')).get),
  list: onDemand(async () => (await import('./verbs/list.ts')).list),
  watch: onDemand(async () => (await import('./verbs/watch.ts')).watch),
  update: onDemand(async () => (await import('./verbs/update.ts')).update),
  patch: onDemand(async () => (await import('./verbs/patch.ts')).patch),
  delete: onDemand(async () => (await import('./verbs/delete.ts')).deleteOne),
  deletecollection: onDemand(async () => (await import('./verbs/delete.ts')).deleteCollection),
};
const SCALE_HANDLERS = shownForm(async () => (await import('./subresources/scale.ts')).scale);
const MEMBERS_HANDLERS = shownForm(async () => (await import('./subresources/shown-members.ts')).shownMembers);
/** The options that admission sees of a connection: it has none. */
const NO_OPTIONS = { dryRun: false };
const MANY = new Set(['list', 'watch']);
/** Loaded with the first patch. */
let patchTypes: typeof import('./verbs/patch-types.ts') | undefined;

/** Answers everything below a group version: finds the resource, the handler of the verb and the kind, settles the form of the answer, and calls the handler. */
export function resourceHandler(server: ResourceServer) {
  return async (context: Context): Promise<void> => {
    const client = requestOf(context);
    const { info, user, registry } = client;
    const resource = registry.resource(info.group, info.version, info.resource);
    if (resource === undefined || isElsewhere(resource, info)) return unknown(registry, context, info);
    const { verbs, subresource } =
      resource.data.isDefined === true ? definedTarget(resource, info) : target(resource, info, context.method);
    const relay = namedRelay(subresource?.handler);
    server.measured.begin(client, resource, relay?.connects === true, context.req.headers['content-type']);
    if (relay !== undefined) return passOn(server, context, resource, subresource as SubresourceData, relay);
    if (!verbs.includes(info.verb as Verb) || (context.method === 'HEAD' && !answersHead(resource, info)))
      throw notServed(resource, info, verbs);
    client.isOfResource = true;
    const handler = handlerOf(resource, subresource, info.verb as Verb);
    if (info.verb !== 'watch') client.recorder?.answers();
    const loading = kindOf(registry, resource, subresource);
    const kind = loading instanceof Promise ? await loading : loading;
    // a definition's version is deprecated with all that is below it, one of 1.32's own by what is asked for
    const told = resource.data.isDefined === true && subresource !== undefined ? await kindOf(registry, resource, undefined) : kind;
    if (told.deprecation !== undefined) {
      addWarnings(context, [told.deprecation]);
      server.measured.deprecated(client, told.data.lifecycle.removed);
      if (client.recorder !== undefined) annotateDeprecated(client, told, server);
    }
    const many = MANY.has(info.verb);
    if (info.verb === 'patch') {
      patchTypes ??= await import('./verbs/patch-types.ts');
      patchTypes.requirePatchType({ server, context, resource, kind });
    }
    const { accept } = context.req.headers;
    const tables = hasTable(resource, subresource);
    // the scale of custom objects is had as these are
    const isCustom = resource.data.isDefined === true || !kind.compiled.isGo;
    const withoutTables = isCustom ? 'customNoTables' : 'noTables';
    const asked = server.negotiator.negotiate(accept, many, tables ? (isCustom ? 'custom' : 'all') : withoutTables);
    const options = many ? listOptions(info.query, server) : undefined;
    const streams = tables && options !== undefined && isStreamingList(options);
    const negotiated = streams ? server.negotiator.negotiate(accept, many, withoutTables) : asked;
    if (negotiated.encoding === 'protobuf') await loadMetaKinds(registry);
    else if (negotiated.encoding === 'cbor') await loadCborForms();
    const found = resource.data.storage === undefined ? undefined : server.store(resource);
    const store = found instanceof Promise ? await found : found;
    const request: ResourceRequest = {
      server,
      client,
      context,
      registry,
      info,
      user,
      resource,
      kind,
      store: store as ResourceRequest['store'],
      negotiated,
      listOptions: options,
    };
    const traced = info.verb === 'watch' ? undefined : client.trace;
    await (traced === undefined ? run(handler, request) : runTraced(traced, handler, request));
  };
}

function run(handler: Handler, request: ResourceRequest): Promise<void> {
  return request.info.verb === 'watch' ? handler(request) : handleHereOrElsewhere(handler, request);
}

async function runTraced(trace: ClientTrace, handler: Handler, request: ResourceRequest): Promise<void> {
  const span = trace.enterVerb();
  try {
    await run(handler, request);
    span.event('Writing http response done', trace.answered);
  } finally {
    span.end();
  }
}

/** Notes in the audit event that the version is deprecated (specification: Events, Audit), and as in 1.32 in which release it goes. */
function annotateDeprecated(client: ClientRequest, { data }: Kind, { identity }: ResourceServer): void {
  client.annotate(identity.text('${groupDomain}/deprecated'), 'true');
  const { removed } = data.lifecycle;
  if (removed !== undefined) client.annotate(identity.text('${groupDomain}/removed-release'), removed);
}

/** Has another thread answer the request where its handler finds that it is much work. */
function handleHereOrElsewhere(handler: Handler, request: ResourceRequest): Promise<void> {
  return handler(request).catch((error) => elsewhere(request, error));
}

async function elsewhere({ server, client, context }: ResourceRequest, error: unknown): Promise<void> {
  const isMuchWork = error instanceof LongBody || error instanceof LongObject;
  if (!isMuchWork || server.longRequests === undefined) throw error;
  const body = error instanceof LongBody && error.body.length > 0 ? error.body : new Uint8Array(client.body ?? []);
  await server.longRequests.answer(client, context, body);
}

/** Whether there are Tables. As in 1.32 there are Tables of objects, of their `status` and their `scale`, and none of reviews and actions. */
function hasTable({ data }: Resource, subresource: SubresourceData | undefined): boolean {
  if (subresource !== undefined) return subresource.name === 'status' || subresource.name === 'scale';
  return data.verbs.includes('get');
}

/** Passes a request on to a node, a pod or a service, which chooses the form of the answer. */
async function passOn(
  server: ResourceServer,
  context: Context,
  resource: Resource,
  subresource: SubresourceData,
  { handle, methods, connects }: Relay,
): Promise<void> {
  const client = requestOf(context);
  const { info, user, registry } = client;
  const allowed = methods.has(context.method) || (context.method !== 'HEAD' && subresource.verbs.includes(info.verb as Verb));
  if (!allowed) throw newMethodNotAllowed();
  client.isOfResource = true;
  const kind = await kindOf(registry, resource, subresource);
  const negotiated = server.negotiator.forErrors(context.req.headers.accept, true);
  const store = await server.store(resource);
  const request: ResourceRequest = {
    server,
    client,
    context,
    registry,
    info,
    user,
    resource,
    kind,
    store,
    negotiated,
    listOptions: undefined,
  };
  // no other thread could take over the connection, so this one reads objects of any length
  if (connects) await readingLong(() => admissionOf(request, 'connect', NO_OPTIONS).admit(connectOptions(request), undefined));
  await (connects || client.trace === undefined ? handle(request) : relayTraced(client.trace, handle, request));
}

/** What a connection is asked for: of a proxy that is what follows it in the path, whatever the query says. */
function connectOptions({ info, kind }: ResourceRequest): ApiObject {
  const options = decodeQuery(info.query, kind);
  if (info.subresource !== 'proxy') return options;
  const { rest, path } = info;
  const below = rest !== '' ? `/${pathText(rest)}` : path.endsWith('/') ? '/' : '';
  if (below === '') delete options.path;
  else options.path = below;
  return options;
}

/** As in 1.32, a connection that is passed on has no part of its own in a trace. An answer that this server fetches has one, until the answer is over. */
async function relayTraced(trace: ClientTrace, handle: Handler, request: ResourceRequest): Promise<void> {
  const span = trace.enterVerb('About to process Get options');
  try {
    await handle(request);
    span.event('About to write a response');
    span.atEnd('Writing http response done');
  } catch (error) {
    span.end();
    throw error;
  }
}

/** The error for a verb that the resource does not have. As in 1.32 it names the verb where a definition has the resource, and where it is a watch of something that can be listed. */
function notServed(resource: Resource, { verb, subresource }: RequestInfo, verbs: readonly Verb[]): StatusError {
  if (resource.data.isTerminating && verb === 'create' && subresource === '') return newDefinitionTerminating(resource.groupResource, verb);
  const isTold = resource.data.isDefined === true || (verb === 'watch' && verbs.includes('list'));
  return isTold ? newMethodNotSupported(resource.groupResource, verb) : newMethodNotAllowed();
}

/** Whether HEAD is answered as GET is. In 1.32 only resources of definitions answer it: those of built-in kinds are routed by method. */
function answersHead({ data }: Resource, { verb }: RequestInfo): boolean {
  return data.isDefined === true && verb !== 'watch';
}

/** Answers a path of no resource: with plain text where the server does not have the group, with a Status where only the version or the resource is missing. */
function unknown(registry: RegistrySnapshot, context: Context, info: RequestInfo): void {
  if (!registry.servesOwnGroup(info.group)) return notFoundPage(context);
  throw newUnknownResource();
}

export function notFoundPage(context: Context): void {
  context.res.setHeader('x-content-type-options', 'nosniff');
  answerOf(context).send(404, 'text/plain; charset=utf-8', '404 page not found\n');
}

/**
 * Whether there is nothing of the resource at this path. One of a definition is cluster-scoped and the path is within a namespace, or it is namespaced and the
 * path is outside of namespaces, where it can only be listed and watched. 1.32 does not serve such paths.
 */
function isElsewhere({ data }: Resource, { inNamespace, namespace, verb, legacyProxy }: RequestInfo): boolean {
  if (data.isDefined !== true) return legacyProxy;
  return data.scope === 'Cluster' ? inNamespace : namespace === '' && !MANY.has(verb);
}

interface Target {
  readonly verbs: readonly Verb[];
  readonly subresource: SubresourceData | undefined;
}

/** Of a resource of a definition: 1.32 asks for the verb and the subresource alone, and for no more of the path. @throws StatusError NotFound for an unknown subresource */
function definedTarget({ data, subresources, groupResource }: Resource, info: RequestInfo): Target {
  if (info.subresource === '') return { verbs: data.verbs, subresource: undefined };
  const subresource = subresources.get(info.subresource);
  if (subresource === undefined) throw newNotFound(groupResource, info.name);
  return { verbs: subresource.verbs, subresource };
}

/** The subresource of a path, and the verbs that it has. @throws StatusError NotFound for an unknown subresource, and for a path that names too little or too much */
function target(resource: Resource, info: RequestInfo, method: string): Target {
  const namespaced = resource.data.scope === 'Namespaced';
  if (!namespaced && info.inNamespace) throw newUnknownResource();
  if (namespaced && info.namespace === '' && info.name !== '' && !info.inNamespace) throw newUnknownResource();
  if (info.legacyWatch && !resource.data.verbs.includes('watch')) throw newUnknownResource();
  if (info.legacyWatch && method !== 'GET' && method !== 'HEAD') throw newMethodNotAllowed();
  if (info.subresource === '') {
    const verbs = verbsAt(resource, info);
    if (info.rest !== '' || verbs.length === 0) throw newUnknownResource();
    if (namespaced) requireNamespace(info);
    return { verbs, subresource: undefined };
  }
  const subresource = resource.subresources.get(info.subresource);
  if (subresource === undefined || info.legacyWatch) throw newUnknownResource();
  if (info.rest !== '' && namedRelay(subresource.handler)?.below !== true) throw newUnknownResource();
  if (namespaced) requireNamespace(info);
  return { verbs: subresource.verbs, subresource };
}

/**
 * `namespaces//pods` has a place for a namespace, and nothing stands there. As in 1.32 all can be listed so, an object can be neither found nor stored: what
 * is made is said to lack its namespace. @throws StatusError BadRequest
 */
function requireNamespace({ inNamespace, namespace, name, verb }: RequestInfo): void {
  if (inNamespace && namespace === '' && (name !== '' || verb === 'deletecollection')) throw newBadRequest('Namespace parameter required.');
}

const COLLECTION_VERBS: ReadonlySet<Verb> = new Set<Verb>(['create', 'list', 'watch', 'deletecollection']);
const OBJECT_VERBS: ReadonlySet<Verb> = new Set<Verb>(['get', 'update', 'patch', 'delete', 'watch']);

/** The verbs of a collection's path, or of an object's. Across all namespaces nothing is created, nor deleted as a collection. */
function verbsAt(resource: Resource, info: RequestInfo): readonly Verb[] {
  let verbs = verbsOfPaths.get(resource);
  if (verbs === undefined) {
    const { data } = resource;
    const ofCollection = data.verbs.filter((verb) => COLLECTION_VERBS.has(verb));
    verbs = {
      ofCollection,
      acrossNamespaces: ofCollection.filter((verb) => data.scope === 'Cluster' || (verb !== 'create' && verb !== 'deletecollection')),
      ofObject: data.verbs.filter((verb) => OBJECT_VERBS.has(verb)),
    };
    verbsOfPaths.set(resource, verbs);
  }
  if (info.name !== '') return verbs.ofObject;
  return info.namespace === '' && !info.inNamespace ? verbs.acrossNamespaces : verbs.ofCollection;
}

/** Found once for each resource. */
const verbsOfPaths = new WeakMap<Resource, Readonly<Record<'ofCollection' | 'acrossNamespaces' | 'ofObject', readonly Verb[]>>>();

function handlerOf(resource: Resource, subresource: SubresourceData | undefined, verb: Verb): Handler {
  const named = subresource === undefined ? resource.data.handler : subresource.handler;
  if (named !== undefined) return namedHandler(named);
  const handler = handlersOf(subresource)[verb];
  if (handler === undefined) throw newMethodNotAllowed();
  return handler;
}

function handlersOf(subresource: SubresourceData | undefined): Readonly<Partial<Record<Verb, Handler>>> {
  if (subresource?.scale !== undefined) return SCALE_HANDLERS;
  return subresource?.shows === undefined ? HANDLERS : MEMBERS_HANDLERS;
}

function shownForm(load: () => Promise<ShownFormHandlers>): Readonly<Partial<Record<Verb, Handler>>> {
  const handler = (verb: keyof ShownFormHandlers) => onDemand(async () => (await load())[verb]);
  return { get: handler('get'), update: handler('update'), patch: handler('patch') };
}

function kindOf(registry: RegistrySnapshot, resource: Resource, subresource: SubresourceData | undefined): Kind | Promise<Kind> {
  const own = subresource === undefined ? ownKinds.get(resource) : undefined;
  if (own !== undefined) return own;
  const name = subresource?.kind ?? resource.data.kind;
  if (subresource?.group !== undefined) {
    const { group, version = resource.groupVersion.version } = subresource;
    return registry.loadedKind(group, version, name) ?? registry.kind(group, version, name);
  }
  const { group } = resource.groupVersion;
  const version = subresource?.version ?? resource.groupVersion.version;
  const { kinds } = resource.versions;
  const loaded = kinds.loaded(group, version, name);
  if (subresource === undefined && loaded !== undefined) ownKinds.set(resource, loaded);
  return loaded ?? kinds.kind(group, version, name);
}

/** The kinds of resources themselves, without subresources; found once for each resource. */
const ownKinds = new WeakMap<Resource, Kind>();
