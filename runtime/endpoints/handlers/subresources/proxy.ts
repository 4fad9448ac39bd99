/** `proxy` of nodes, pods and services: any HTTP request, passed on to what the path names. */

import { answerOf } from '../../../connections/client-answer.ts';
import { hostPort } from '../../../connections/connection-problem.ts';
import type { Target } from '../../../relay/dial.ts';
import { type Answer, type ExchangeOptions, exchange, type Information, type Outgoing } from '../../../relay/exchange.ts';
import { withHeader } from '../../../relay/headers.ts';
import { backendPath, clientLink, encodePath } from '../../../relay/proxy-links.ts';
import { nodePlace, podPlace, servicePlace } from '../../../relay/proxy-place.ts';
import { relayAnswer } from '../../../relay/relay-answer.ts';
import { relayInformation } from '../../../relay/relay-information.ts';
import { clientSignal, failureText, forwarded } from '../../../relay/relay-request.ts';
import type { RelayServer } from '../../../relay/relay-server.ts';
import { relayUpgrade } from '../../../relay/relay-upgrade.ts';
import { newServiceUnavailable, StatusError } from '../../../status/status.ts';
import { unescapedBytes } from '../../request/path-text.ts';
import type { ResourceRequest } from '../../resource-request.ts';

/** Finds the machine that a name such as `https:web:8443` means. @throws StatusError */
type FindPlace = (server: RelayServer, namespace: string, name: string) => Promise<Target>;

export const proxyNode = proxyHandler(nodePlace);
export const proxyPod = proxyHandler(podPlace);
export const proxyService = proxyHandler(servicePlace);

function proxyHandler(find: FindPlace) {
  return async (request: ResourceRequest): Promise<void> => {
    const { server, info, context } = request;
    const place = await found(find, server, info.namespace, info.name);
    const { prefix, rest, search } = split(context.url, info.rest);
    const path = pathOf(rest);
    const outgoing = forwarded(context.req, place, path === '' ? '/' : path);
    const switches = outgoing.upgrade !== undefined;
    if (rest === '' && !switches && (context.method === 'GET' || context.method === 'HEAD'))
      return redirect(request, `${prefix}/${search}`);
    // 1.32 loses the query of a switch, which its backend may need
    if (switches) return relayUpgrade(context, { ...outgoing, path: outgoing.path + search }, options(request));
    const headers = withHeader(outgoing.headers, 'X-Forwarded-Uri', prefix + path);
    const answer = await ask(request, { ...outgoing, path: outgoing.path + search, headers });
    const seen = { prefix, backendHost: hostPort(place.host, place.port), clientHost: outgoing.headers[1] ?? '' };
    await relayAnswer(context, answer, { crossOrigin: false, relink: (link) => clientLink(link, seen) });
  };
}

async function found(find: FindPlace, server: RelayServer, namespace: string, name: string): Promise<Target> {
  try {
    return await find(server, namespace, name);
  } catch (error) {
    throw error instanceof StatusError ? error : unreachable(error);
  }
}

/** Splits the client's URL, unchanged, into the path up to `proxy`, the rest of the path, and the query with its question mark. */
function split(url: string, below: string): { prefix: string; rest: string; search: string } {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const rest = below !== '' ? `/${below}` : path.endsWith('/') ? '/' : '';
  return { prefix: path.slice(0, path.length - rest.length), rest, search: mark < 0 ? '' : url.slice(mark) };
}

/** The path of the backend, by what follows `proxy` in that of the client. */
const pathOf = (rest: string): string => encodePath(backendPath(unescapedBytes(rest)));

/** Relative links of a page need the slash at the end of its path. */
function redirect({ context }: ResourceRequest, location: string): void {
  context.res.setHeader('location', location);
  answerOf(context).sendEmpty(301);
}

/** The time limit for making a connection, in milliseconds. */
const CONNECT_LIMIT = 30_000;

function options({ server, context }: ResourceRequest): ExchangeOptions {
  const { dial, bytesPerSecond } = server.outbound;
  return { dial, bytesPerSecond, connectLimit: CONNECT_LIMIT, signal: clientSignal(context) };
}

async function ask(request: ResourceRequest, outgoing: Outgoing): Promise<Answer> {
  try {
    const informed = (information: Information): void => relayInformation(request.context, information);
    return await exchange(outgoing, { ...options(request), informed });
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): StatusError {
  return newServiceUnavailable(`error trying to reach service: ${failureText(error)}`);
}
