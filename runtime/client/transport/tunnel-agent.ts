/** Connections that begin with a proxy, which leads them to the server without looking into them. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { limitConnecting } from './connect-limit.ts';
import type { ProxyServer } from './proxy.ts';

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds until a proxy has to have led a connection to the server. */
const LIMIT = 30_000;

type Created = (error: Error | null, socket?: Duplex) => void;

/**
 * An agent whose end is that of the connections that the proxy has not led anywhere yet, too.
 * @param isPlain whether the server speaks no TLS
 * @param options of the agent, with what TLS needs
 */
export function tunnelAgent(proxy: ProxyServer, isPlain: boolean, options: https.AgentOptions): http.Agent {
  const agent = isPlain ? new http.Agent(options) : new https.Agent(options);
  const ending = new AbortController();
  const destroy = agent.destroy.bind(agent);
  agent.destroy = () => {
    ending.abort();
    destroy();
  };
  const create = (wanted: https.RequestOptions, created: Created): undefined => {
    const { servername, host: named, port: numbered } = wanted;
    const host = String(named);
    const signal = AbortSignal.any([AbortSignal.timeout(LIMIT), ending.signal]);
    tunnel(proxy, { host, port: Number(numbered) }, signal).then((socket) => {
      if (isPlain) return created(null, socket);
      const name = servername || (isIP(host) === 0 ? host : undefined);
      created(null, limitConnecting(connectTls({ ...options, ...(name !== undefined && { servername: name }), host, socket })));
    }, created);
    return undefined;
  };
  (agent as unknown as { createConnection: typeof create }).createConnection = create;
  return agent;
}

/** @throws Error that names the proxy */
async function tunnel(proxy: ProxyServer, target: Target, signal: AbortSignal): Promise<Socket> {
  try {
    return await (proxy.kind === 'socks' ? throughSocks : throughHttp)(proxy, target, signal);
  } catch (error) {
    throw new Error(`proxy ${proxy.url.host}: ${messageOf(error)}`, { cause: error });
  }
}

async function throughSocks({ url }: ProxyServer, target: Target, signal: AbortSignal): Promise<Socket> {
  // few have such a proxy, and who has none need not load it
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

/** RFC 9110, CONNECT. */
async function throughHttp({ url, authorization }: ProxyServer, { host, port }: Target, signal: AbortSignal): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const request = (url.protocol === 'https:' ? https : http).request({
    method: 'CONNECT',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: authority,
    agent: false,
    headers: { host: authority, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    signal,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const refuse = (answer: http.IncomingMessage): void => {
    answer.socket.destroy();
    reject(new Error(`it answered with status ${answer.statusCode}`));
  };
  request.on('connect', (answer, socket, head) => {
    if (answer.statusCode === 200 && head.length === 0) resolve(socket as Socket);
    else refuse(answer);
  });
  request.on('response', refuse);
  request.on('error', reject);
  request.end();
  return promise;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
