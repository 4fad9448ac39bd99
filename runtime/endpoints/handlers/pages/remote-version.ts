/**
 * A request for a group version that another server answers: passed on as it is, with who asks, and its answer as it comes. Errors are plain text, as in 1.32.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Aggregation } from '../../../aggregation/aggregation.ts';
import type { RemoteServers } from '../../../aggregation/remote-servers.ts';
import type { RemoteVersion } from '../../../aggregation/remote-version.ts';
import { type Address, ServiceError } from '../../../aggregation/service-address.ts';
import { answerOf } from '../../../connections/client-answer.ts';
import { whenClientGone } from '../../../connections/client-gone.ts';
import { hostPort } from '../../../connections/connection-problem.ts';
import type { Identity } from '../../../contract/identity.ts';
import type { TracedCall } from '../../../contract/trace.ts';
import type { Log } from '../../../observability/log.ts';
import type { Metrics } from '../../../observability/metrics.ts';
import { WeakCertificates } from '../../../outbound/weak-certificates.ts';
import type { Answer, Information, Outgoing } from '../../../relay/exchange.ts';
import { backendPath, encodePath } from '../../../relay/proxy-links.ts';
import { relayAnswer, relaySwitch } from '../../../relay/relay-answer.ts';
import { relayInformation } from '../../../relay/relay-information.ts';
import { clientSignal, failureText, forwarded, switchFailureText } from '../../../relay/relay-request.ts';
import { sendUnread } from '../../answers/unread-body.ts';
import { requestOf } from '../../request/client-request.ts';
import { unescapedBytes, writtenPath } from '../../request/path-text.ts';
import type { Query } from '../../request/request-info.ts';

export interface RemoteHandlerServer {
  readonly aggregation: Aggregation;
  /** clients are not told where other servers would have them go */
  readonly refusesRedirects: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly identity: Identity;
}

/** Milliseconds that a server has to switch protocols. */
const SWITCH_LIMIT = 60_000;
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

export function remoteVersionHandler(server: RemoteHandlerServer) {
  const weakCertificates = new WeakCertificates(server.metrics, 'kube_aggregator', server.identity);
  return async (context: Context, remote: RemoteVersion): Promise<void> => {
    const servers = await server.aggregation.servers();
    const refused = hopsOf(context.req) > MOST_HOPS ? LOOP : refusal(servers, remote, server.log);
    if ('status' in refused) return sendPlain(context, refused.status, `${refused.text}\n`);
    const outgoing = passedOn(context, servers, refused);
    const switches = outgoing.upgrade !== undefined;
    const asked = await ask(context, remote, outgoing, servers, weakCertificates);
    if (typeof asked === 'string') return sendPlain(context, 503, `${asked}\n`);
    if (switches) return answerSwitch(context, asked);
    if (server.refusesRedirects && isRedirect(asked)) {
      asked.head.destroy();
      return send(context, 502, REDIRECTED);
    }
    await relayAnswer(context, asked, { crossOrigin: false, relink: (link) => absolute(link, refused) });
    // so that the request's time ends the answer as well
    await over(context.res);
  };
}

/** Servers that a request may have come by: one more takes it for one that goes round among servers that lead to each other. */
const MOST_HOPS = 32;

/** Each server on the way has added an address. */
function hopsOf({ headers }: IncomingMessage): number {
  const addresses = headers['x-forwarded-for'];
  return addresses === undefined ? 0 : String(addresses).split(',').length;
}

interface Refused {
  readonly status: 500 | 503 | 508;
  readonly text: string;
}

/** Why nobody is asked, or who is. */
function refusal(servers: RemoteServers, remote: RemoteVersion, log: Log): Refused | Address {
  if (!remote.available) return UNAVAILABLE;
  try {
    servers.checkTrust(remote);
  } catch (error) {
    if (error instanceof ServiceError) return { status: 500, text: error.message };
    throw error;
  }
  try {
    return servers.address(remote);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log.debug({ err: error, apiService: remote.name }, 'the service of another API server leads nowhere');
    return UNAVAILABLE;
  }
}

const LOOP: Refused = { status: 508, text: 'API servers lead to each other' };
const UNAVAILABLE: Refused = { status: 503, text: 'service unavailable' };

/** Headers that this server sets itself. */
const SET_HERE: ReadonlySet<string> = new Set(['host', 'audit-id', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri']);

function passedOn(context: Context, servers: RemoteServers, address: Address): Outgoing {
  const { info, user, id } = requestOf(context);
  const bytes = unescapedBytes(writtenPath(context.req.url as string));
  const outgoing = forwarded(context.req, address, encodePath(bytes) + encodedQuery(info.query));
  const host = hostPort(address.host, address.port);
  const headers = ['Host', host];
  for (let at = 0; at + 1 < outgoing.headers.length; at += 2) {
    const [name, value] = outgoing.headers.slice(at, at + 2) as [string, string];
    const lower = name.toLowerCase();
    if (!SET_HERE.has(lower) && !servers.isIdentityHeader(lower)) headers.push(name, value);
  }
  headers.push('Audit-Id', id, 'X-Forwarded-Host', host, 'X-Forwarded-Proto', 'https', 'X-Forwarded-Uri', encodePath(backendPath(bytes)));
  return { ...outgoing, headers: [...headers, ...servers.identityHeaders(user)] };
}

/** Writes a query as 1.32 does when it passes a request on: in the order of names, without parts that cannot be read. */
function encodedQuery(query: Query): string {
  const pairs = query.entries().toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')}`;
}

/** Escapes a part of a query as Go does. */
const escaped = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

/** @returns the answer, or why there is none */
async function ask(
  context: Context,
  remote: RemoteVersion,
  outgoing: Outgoing,
  servers: RemoteServers,
  weakCertificates: WeakCertificates,
): Promise<Answer | string> {
  const informed = (information: Information): void => relayInformation(context, information);
  const how = outgoing.upgrade === undefined ? { informed } : { headLimit: SWITCH_LIMIT };
  const call = beginCall(context, outgoing);
  const sent = call === undefined ? outgoing : { ...outgoing, headers: withHeaders(outgoing.headers, call.headers) };
  try {
    const answer = await servers.exchange(remote, sent, { signal: clientSignal(context), ...how });
    if (call !== undefined) endWith(call, answer.head);
    return answer;
  } catch (error) {
    call?.end(error as Error);
    weakCertificates.note(error, outgoing.target.host, requestOf(context));
    return outgoing.upgrade === undefined ? `error trying to reach service: ${failureText(error)}` : switchFailureText(error);
  }
}

function endWith(call: TracedCall, head: IncomingMessage): void {
  head.once('close', () => call.end(head.statusCode ?? 0, Number(head.headers['content-length'] ?? 0)));
}

/** A part of the trace until the answer has ended. A connection that switches protocols is none, as in 1.32. */
function beginCall(context: Context, { method, upgrade, target, path, bodyLength }: Outgoing): TracedCall | undefined {
  if (upgrade !== undefined) return undefined;
  const parent = requestOf(context).traceParent;
  return parent?.beginCall?.(method, new URL(path, `https://${hostPort(target.host, target.port)}`), Number(bodyLength ?? 0));
}

const OF_TRACE: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** Replaces the headers about the client's trace by others. */
function withHeaders(headers: readonly string[], own: TracedCall['headers']): string[] {
  const others = headers.filter((_, at) => !OF_TRACE.has((headers[at - (at % 2)] as string).toLowerCase()));
  return [...others, ...Object.entries(own).flat()];
}

async function answerSwitch(context: Context, { head, switched }: Answer): Promise<void> {
  if (switched !== undefined) return relaySwitch(context, { head, switched });
  const status = head.statusCode ?? 0;
  if (status >= 400) return relayAnswer(context, { head }, { crossOrigin: false });
  head.destroy();
  return sendPlain(context, 503, `invalid upgrade response: status code ${status}\n`);
}

/** A place on the server itself, for clients that are elsewhere. */
const absolute = (location: string, { host, port }: Address): string =>
  /^\/(?!\/)/.test(location) ? `https://${hostPort(host, port)}${location}` : location;

const isRedirect = ({ head }: Answer): boolean =>
  (head.statusCode ?? 0) >= 300 && (head.statusCode ?? 0) <= 399 && (head.headers.location ?? '') !== '';

async function sendPlain(context: Context, status: number, text: string): Promise<void> {
  if (!answerOf(context).hasBegun) context.res.setHeader('x-content-type-options', 'nosniff');
  await send(context, status, text);
}

async function send(context: Context, status: number, text: string): Promise<void> {
  // its time was over meanwhile
  if (!answerOf(context).hasBegun) await sendUnread(context, status, 'text/plain; charset=utf-8', text);
}

/** Resolves when the answer is out, or its client has gone. */
function over(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    whenClientGone(response, resolve);
    response.once('finish', resolve);
  });
}
