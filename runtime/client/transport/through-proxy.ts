/** Makes connections that a proxy passes to the server without looking into them. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyServer } from './proxy.ts';
import type { Target } from './tunnel.ts';

/** @throws Error that names the proxy */
export async function throughProxy(proxy: ProxyServer, target: Target, signal: AbortSignal): Promise<Duplex> {
  try {
    return await (proxy.kind === 'socks' ? throughSocks : throughHttp)(proxy, target, signal);
  } catch (error) {
    throw new Error(`proxy ${proxy.url.host}: ${messageOf(error)}`, { cause: error });
  }
}

async function throughSocks({ url }: ProxyServer, target: Target, signal: AbortSignal): Promise<Socket> {
  // such proxies are rare, so the module is loaded only for them
  const { socksConnect } = await import('./socks.ts');
  const socket = connectTcp({ host: url.hostname, port: Number(url.port || 1080), noDelay: true });
  try {
    await once(socket, 'connect', { signal });
    await socksConnect(socket, target, { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }, signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function throughHttp({ url, authorization }: ProxyServer, target: Target, signal: AbortSignal): Promise<Duplex> {
  return connectRequest(url.protocol === 'https:' ? https.request : http.request, target, {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    agent: false,
    headers: { ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    signal,
  });
}

/** Sends CONNECT (RFC 9110) to the proxy. @param options address of the proxy. @throws Error for an answer other than 200 */
export function connectRequest(
  ask: (options: http.RequestOptions) => http.ClientRequest,
  { host, port }: Target,
  options: http.RequestOptions & { readonly headers: Readonly<Record<string, string>> },
): Promise<Duplex> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const headers = { host: authority, ...options.headers };
  const request = ask({ ...options, method: 'CONNECT', path: authority, headers });
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const refuse = (answer: http.IncomingMessage): void => {
    answer.socket.destroy();
    reject(new Error(`it answered with status ${answer.statusCode}`));
  };
  request.on('connect', (answer, socket, head) => {
    if (answer.statusCode !== 200) return refuse(answer);
    // bytes of a server that speaks first may have arrived with the answer
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  request.on('response', refuse);
  request.on('error', reject);
  request.end();
  return promise;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
