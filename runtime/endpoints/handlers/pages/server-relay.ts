/** Passes a request on to another API server as it is, with who asks, and the answer of that server as it comes. Errors are plain text, as in 1.32. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { RemoteServers } from '../../../aggregation/remote-servers.ts';
import type { TrustedService } from '../../../aggregation/remote-version.ts';
import type { Address } from '../../../aggregation/service-address.ts';
import { answerOf } from '../../../connections/client-answer.ts';
import { whenClientGone } from '../../../connections/client-gone.ts';
import { hostPort } from '../../../connections/connection-problem.ts';
import type { TracedCall } from '../../../contract/trace.ts';
import type { Answer, Information, Outgoing } from '../../../relay/exchange.ts';
import { backendPath, encodePath } from '../../../relay/proxy-links.ts';
import { relayAnswer, relaySwitch } from '../../../relay/relay-answer.ts';
import { relayInformation } from '../../../relay/relay-information.ts';
import { clientSignal, failureText, forwarded, switchFailureText } from '../../../relay/relay-request.ts';
import { sendUnread } from '../../answers/unread-body.ts';
import { type ClientRequest, requestOf } from '../../request/client-request.ts';
import { unescapedBytes, writtenPath } from '../../request/path-text.ts';
import type { Query } from '../../request/request-info.ts';

/** Where a request is passed on to. */
export interface Destination {
  readonly remote: TrustedService;
  readonly address: Address;
  readonly servers: Pick<RemoteServers, 'exchange' | 'isOwnHeader' | 'ownHeaders'>;
}

export interface RelaySettings {
  /** clients are not told where other servers would have them go */
  readonly refusesRedirects: boolean;
  /** hears why a server could not be asked; absent: nobody does */
  readonly failed?: (error: unknown, host: string, request: ClientRequest) => void;
}

/** Milliseconds that a server has to switch protocols. */
const SWITCH_LIMIT = 60_000;
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

/** @returns passes a request on; resolves when its answer is out */
export function serverRelay({ refusesRedirects, failed }: RelaySettings) {
  return async (context: Context, destination: Destination): Promise<void> => {
    const { address } = destination;
    const outgoing = passedOn(context, destination);
    const switches = outgoing.upgrade !== undefined;
    const asked = await ask(context, destination, outgoing, failed);
    if (typeof asked === 'string') return sendPlain(context, 503, `${asked}\n`);
    if (switches) return answerSwitch(context, asked);
    if (refusesRedirects && isRedirect(asked)) {
      asked.head.destroy();
      return send(context, 502, REDIRECTED);
    }
    await relayAnswer(context, asked, { crossOrigin: false, relink: (link) => absolute(link, address) });
    // so that the request's time ends the answer as well
    await over(context.res);
  };
}

/** Headers that this server sets itself. */
const SET_HERE: ReadonlySet<string> = new Set(['host', 'audit-id', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri']);

function passedOn(context: Context, { servers, address }: Destination): Outgoing {
  const { info, user, id } = requestOf(context);
  const bytes = unescapedBytes(writtenPath(context.req.url as string));
  const outgoing = forwarded(context.req, address, encodePath(bytes) + encodedQuery(info.query));
  const host = hostPort(address.host, address.port);
  const headers = ['Host', host];
  for (let at = 0; at + 1 < outgoing.headers.length; at += 2) {
    const [name, value] = outgoing.headers.slice(at, at + 2) as [string, string];
    const lower = name.toLowerCase();
    if (!SET_HERE.has(lower) && !servers.isOwnHeader(lower)) headers.push(name, value);
  }
  headers.push('Audit-Id', id, 'X-Forwarded-Host', host, 'X-Forwarded-Proto', 'https', 'X-Forwarded-Uri', encodePath(backendPath(bytes)));
  return { ...outgoing, headers: [...headers, ...servers.ownHeaders(user)] };
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
  { remote, servers }: Destination,
  outgoing: Outgoing,
  failed: RelaySettings['failed'],
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
    failed?.(error, outgoing.target.host, requestOf(context));
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

export async function sendPlain(context: Context, status: number, text: string): Promise<void> {
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
