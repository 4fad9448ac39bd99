/** Finds the pool for requests whose answers are read as a whole. Its connections are made in the same way as those of agents. */

import type http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { type AgentPool, MAX_OPEN, PROBE_AFTER } from './agent-pool.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { ClientCertificate } from './connection-settings.ts';
import type { Connect, Created } from './kept-connection.ts';

export interface PooledRoute {
  readonly pool: ConnectionPool;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws Error for certificates and keys that cannot be read; TypeError for a URL with another scheme than the server's */
export function pooledRoute(agents: AgentPool, url: URL, certificate: ClientCertificate | undefined): PooledRoute {
  if (url.protocol !== agents.server.protocol)
    throw new TypeError(`${url.protocol} is not ${agents.server.protocol}, by which the server is asked`);
  const { agent, headers, protocol = url.protocol, hostname = url.hostname, port, path } = agents.route(url, certificate, false);
  const place = { host: String(hostname).replace(/^\[|\]$/g, ''), port: Number((port ?? url.port) || DEFAULT_PORTS[String(protocol)]) };
  const pool = poolFor(agents, certificate, agent as http.Agent, place);
  return { pool, path: path ?? `${url.pathname}${url.search}`, headers };
}

function poolFor(agents: AgentPool, certificate: ClientCertificate | undefined, agent: http.Agent, place: Place): ConnectionPool {
  const pools = agents.poolsFor(certificate);
  const key = `${place.host} ${place.port}`;
  let pool = pools.get(key);
  if (pool === undefined) {
    for (const [other, { isUnused }] of pools) if (isUnused) pools.delete(other);
    const { open = MAX_OPEN, idle = MAX_OPEN } = agents.limits ?? {};
    pool = new ConnectionPool(connectorOf(agent, place), { open, idle });
    pools.set(key, pool);
  }
  return pool;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Makes connections as an agent does, and resumes TLS sessions if the server allows it. */
function connectorOf(agent: http.Agent, { host, port }: Place): Connect {
  const { options } = agent as unknown as { options: https.AgentOptions };
  const common = {
    ...options,
    host,
    port,
    // of HTTP's agents, where it is that of a request
    path: undefined,
    timeout: undefined,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER,
    ...(agent instanceof https.Agent && { servername: options.servername ?? (isIP(host) === 0 ? host : ''), ALPNProtocols: ['http/1.1'] }),
  };
  let session: Buffer | undefined;
  const create = (created: Created): void => {
    const socket = agent.createConnection({ ...common, ...(session && { session }) }, created as never) as Socket | undefined;
    if (socket === undefined) return;
    socket.on('session', (made: Buffer) => {
      session = made;
    });
    socket.once('close', (hadError) => {
      if (hadError) session = undefined;
    });
    created(null, socket);
  };
  return (created) => {
    try {
      create(created);
    } catch (error) {
      queueMicrotask(() => created(error as Error));
    }
  };
}
