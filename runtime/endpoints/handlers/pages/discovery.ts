import type { Context } from 'koa';
import { BodyPieces } from '../../../connections/body-pieces.ts';
import { answerOf } from '../../../connections/client-answer.ts';
import { AGGREGATED_KIND } from '../../../discovery/aggregated.ts';
import type { AggregatedForm, Negotiated, Offer } from '../../../negotiation/negotiation.ts';
import type { Openapi } from '../../../openapi/openapi.ts';
import type { RegistrySnapshot } from '../../../registry/resources/registry-snapshot.ts';
import { isLong } from '../../../registry/stored-objects/long-value.ts';
import { newMethodNotAllowed, newNotAcceptablePlain, newUnknownResource } from '../../../status/status.ts';
import { loadCborForms } from '../../answers/cbor-forms.ts';
import { encodeObject, encodeValue, sendBytes, sendPieces, wantsPretty } from '../../answers/respond.ts';
import type { LongRequests } from '../../long-body.ts';
import { placeOf } from '../../long-form.ts';
import { requestOf } from '../../request/client-request.ts';
import { notFoundPage } from '../resource.ts';
import { type AggregatedDiscoveryServer, sendAggregated } from './aggregated-discovery.ts';
import { CONFIGURATION_PATH, KEYS_PATH } from './issuer-discovery.ts';

/** What discovery handlers need of the server. */
export interface DiscoveryServer extends AggregatedDiscoveryServer {
  readonly openapi: Openapi;
  /** writes long documents on another thread; absent if they are written here */
  readonly longRequests?: LongRequests | undefined;
  /** Returns the host and port at which clients reach this server. */
  readonly externalAddress: () => string;
}

/** The group whose own document answers to GET alone, as 1.32 serves it by a route. */
const AGGREGATOR_GROUP = 'apiregistration.${groupDomain}';

/** @param path of the group version, such as `/apis/shop.example/v1` */
type AnswerElsewhere = (context: Context, path: string) => Promise<void>;

/**
 * Handlers that say which groups, versions and resources the API has, that serve the OpenAPI documents, and that list all paths. As in 1.32, the documents of
 * the core group and of versions of the server's own groups answer to GET alone, and the others to any method.
 * @param checks paths of health checks, and of pages about the server: the list of all paths has them
 * @param answerElsewhere passes a request for a document on to the server that has the group version
 */
export function discoveryHandlers(server: DiscoveryServer, checks: readonly string[], answerElsewhere: AnswerElsewhere) {
  const { discovery } = server;
  return {
    async root(context: Context): Promise<void> {
      const root = pathOf(context).startsWith('/apis') ? 'apis' : 'api';
      if (root === 'api') requireGet(context);
      const form = aggregatedForm(server, context);
      if (form !== undefined) return sendAggregated(server, context, root, form);
      return send(server, context, root === 'api' ? discovery.apiVersions(server.externalAddress()) : discovery.groupList(), 'root');
    },

    async coreVersion(context: Context): Promise<void> {
      const version = context.params.version as string;
      if (!registryOf(context).servesVersion('', version)) throw newUnknownResource();
      requireGet(context);
      return sendResources(server, context, '', version);
    },

    async group(context: Context): Promise<void> {
      const name = context.params.group as string;
      const group = discovery.group(name);
      if (group === undefined) return notFoundPage(context);
      if (name !== server.identity.text(AGGREGATOR_GROUP)) return send(server, context, group, 'root');
      requireGet(context);
      return send(server, context, group);
    },

    async version(context: Context): Promise<void> {
      const { group, version } = context.params as { group: string; version: string };
      const registry = registryOf(context);
      if (!registry.servesVersion(group, version)) {
        if (!registry.servesOwnGroup(group)) return notFoundPage(context);
        throw newUnknownResource();
      }
      if (registry.servesOwnGroup(group)) requireGet(context);
      return sendResources(server, context, group, version);
    },

    /** Answers to any method, as in 1.32; but documents of other servers answer to GET alone. */
    async openapi(context: Context): Promise<void> {
      const { info } = requestOf(context);
      // that a client has a document of some date means something to reads alone
      const { 'if-modified-since': since, ...others } = context.req.headers;
      const headers = since !== undefined && isRead(context) ? context.req.headers : others;
      const answer = await server.openapi.handle(info.path, new URLSearchParams(context.querystring), headers);
      if (answer === undefined) return notFoundPage(context);
      if (answer === 'elsewhere') {
        requireGet(context);
        return answerElsewhere(context, info.path.slice('/openapi/v3'.length));
      }
      for (const [name, value] of Object.entries(answer.headers)) context.res.setHeader(name, value);
      const type = answer.headers['content-type'] ?? '';
      if (type === '') return answerOf(context).sendEmpty(answer.status === 304 && !isRead(context) ? 412 : answer.status);
      const { status, body } = answer;
      return body instanceof BodyPieces ? sendPieces(context, status, type, body) : sendBytes(context, status, type, body);
    },

    /** Answers `/` with every path that leads somewhere, to any method, and as indented JSON whatever the request asks for. */
    async paths(context: Context): Promise<void> {
      const own = [
        CONFIGURATION_PATH,
        '/api',
        '/apis',
        '/apis/',
        '/metrics',
        '/metrics/slis',
        '/openapi/v2',
        '/openapi/v3',
        '/openapi/v3/',
        KEYS_PATH,
        '/version',
        ...checks,
      ];
      const listed = { paths: [...own, ...discovery.paths()].sort() };
      return sendBytes(context, 200, 'application/json', encodeValue(listed, 'json', true));
    },
  };
}

function requireGet(context: Context): void {
  if (context.method !== 'GET') throw newMethodNotAllowed();
}

/** Whether `If-None-Match` means 304 for a client that has the document; for other methods it means 412 (RFC 9110, section 13.1.2). */
function isRead({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

function registryOf(context: Context): RegistrySnapshot {
  return requestOf(context).registry;
}

function pathOf(context: Context): string {
  return requestOf(context).info.path;
}

async function sendResources(server: DiscoveryServer, context: Context, group: string, version: string): Promise<void> {
  const list = server.discovery.resourceList(group, version);
  if (list === undefined) throw newUnknownResource();
  // 1.32 refuses unknown media types here in the words of resources, and for other documents, those of definitions too, in other words
  if (!registryOf(context).servesOwnGroup(group)) return send(server, context, list, 'root');
  server.negotiator.negotiate(context.req.headers.accept, false, 'resources');
  return send(server, context, list, 'resources');
}

function aggregatedForm({ negotiator }: DiscoveryServer, context: Context): AggregatedForm | undefined {
  const { accept = '' } = context.req.headers;
  return accept.includes(AGGREGATED_KIND) ? negotiator.aggregatedForm(accept) : undefined;
}

async function send(server: DiscoveryServer, context: Context, value: object, offer: Offer = 'itself'): Promise<void> {
  const negotiated = negotiatePlain(server, context, offer);
  requestOf(context).recorder?.answers();
  const contentType = server.negotiator.contentType(negotiated);
  if (negotiated.encoding === 'cbor') {
    const { cborOf } = await loadCborForms();
    return sendBytes(context, 200, contentType, cborOf(value));
  }
  if (negotiated.encoding !== 'protobuf') {
    const text = await documentText(server, context, value, server.discovery.encoded(value), negotiated);
    return sendBytes(context, 200, contentType, text);
  }
  const object = value as { kind: string; apiVersion?: string; metadata: object };
  const kind = await registryOf(context).metaKind(object.kind);
  const typed = { ...object, apiVersion: object.apiVersion ?? '' };
  return sendBytes(context, 200, contentType, await encodeObject(server, kind, typed, negotiated, false));
}

/** @param json of the value. @returns a promise where another thread writes the text */
function documentText(
  { longRequests }: DiscoveryServer,
  context: Context,
  value: object,
  json: Buffer,
  negotiated: Negotiated,
): Buffer | string | Promise<Buffer> {
  const isYaml = negotiated.encoding === 'yaml';
  const pretty = wantsPretty(context, negotiated);
  if (!isYaml && !pretty) return json;
  if (longRequests === undefined || !isLong(json, isYaml ? 'yaml' : 'indenting'))
    return encodeValue(value, isYaml ? 'yaml' : 'json', pretty);
  const place = placeOf({ info: requestOf(context).info, negotiated });
  return longRequests.form({ place, form: { document: isYaml ? 'yaml' : 'indented' }, value: json }, requestOf(context));
}

function negotiatePlain(server: DiscoveryServer, context: Context, offer: Offer) {
  try {
    return server.negotiator.negotiate(context.req.headers.accept, false, offer);
  } catch {
    throw newNotAcceptablePlain(server.negotiator.available(false, offer));
  }
}
