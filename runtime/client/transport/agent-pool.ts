/** The connections to one server. They are kept between requests, belong to one client certificate, and may lead through a proxy. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { setImmediate as nextRound } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { limitAgent } from './connect-limit.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { ClientCertificate, ConnectionSettings } from './connection-settings.ts';
import { type ProxyServer, proxyOf } from './proxy.ts';
import type { Tunnel } from './tunnel.ts';
import { tunnelAgent } from './tunnel-agent.ts';

export type Route = Omit<http.RequestOptions, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** Milliseconds for which an unused connection is kept, as in 1.32. */
const IDLE = 90_000;
/** Milliseconds of silence after which the system probes whether the other side is still there (TCP keep-alive). */
export const PROBE_AFTER = 15_000;
/** The most connections of requests at a time. More would cost the server without making requests faster. */
export const MAX_OPEN = 64;

/** Connections that share a client certificate. */
interface Agents {
  readonly requests: http.Agent;
  /** for answers that last, such as watches; their number is not limited, so that none waits for the end of another */
  readonly streams: http.Agent;
  /** for requests whose answers are read as a whole, by host and port */
  readonly pools: Map<string, ConnectionPool>;
}

export class AgentPool {
  readonly #server: URL;
  readonly #settings: ConnectionSettings;
  readonly #proxy: ProxyServer | undefined;
  #agents: Agents | undefined;
  /** the client certificate of the present connections */
  #certificate: ClientCertificate | undefined;
  /** agents of former certificates whose connections are still in use */
  #retired: http.Agent[] = [];
  #retiredPools: ConnectionPool[] = [];

  constructor(server: URL, settings: ConnectionSettings) {
    this.#server = server;
    this.#settings = settings;
    this.#proxy = settings.tunnel === undefined ? proxyOf(server, settings.proxy) : undefined;
  }

  /**
   * Gives the options and headers by which a request reaches the server.
   * @param isStream whether the answer lasts, as that of a watch
   * @throws Error for certificates and keys that cannot be read
   */
  route(url: URL, certificate: ClientCertificate | undefined, isStream: boolean): Route {
    const { requests, streams } = this.#agentsFor(certificate);
    const agent = isStream ? streams : requests;
    const proxy = this.#proxy;
    if (proxy === undefined || proxy.kind === 'socks' || this.#server.protocol === 'https:') return { agent, headers: {} };
    // plain http needs no tunnel: a proxy understands such requests and passes them on
    const { hostname, port, protocol } = proxy.url;
    const headers = { host: url.host, ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }) };
    return { agent, hostname, port, protocol, path: url.href, headers };
  }

  /** Pools for requests whose answers are read as a whole, by host and port. The caller may add pools, and remove unused ones. */
  poolsFor(certificate: ClientCertificate | undefined): Map<string, ConnectionPool> {
    return this.#agentsFor(certificate).pools;
  }

  get server(): URL {
    return this.#server;
  }

  get limits(): ConnectionSettings['limits'] {
    return this.#settings.limits;
  }

  /** Resolves when all connections are closed. */
  async close(): Promise<void> {
    const { requests, streams, pools } = this.#agents ?? {};
    const allPools = [...(pools?.values() ?? []), ...this.#retiredPools];
    this.#retiredPools = [];
    const agents = [requests, streams, ...this.#retired].filter((agent) => agent !== undefined);
    this.#agents = undefined;
    this.#retired = [];
    const sockets = agents.flatMap((agent) =>
      [agent.sockets, agent.freeSockets].flatMap((each) => Object.values(each).flatMap((some) => some ?? [])),
    );
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'));
    for (const agent of agents) agent.destroy();
    await Promise.all([...closed, ...allPools.map((pool) => pool.close())]);
    // Node frees the TLS state of a connection only in the next round of the event loop
    await nextRound();
  }

  /** A new certificate needs new connections. Those of the former one end when their requests have ended. */
  #agentsFor(certificate: ClientCertificate | undefined): Agents {
    const isSame = this.#certificate?.cert === certificate?.cert && this.#certificate?.key === certificate?.key;
    if (this.#agents !== undefined && isSame) return this.#agents;
    const create = this.#creator(certificate);
    const agents = {
      requests: create(this.#settings.limits?.open ?? MAX_OPEN),
      streams: create(Number.POSITIVE_INFINITY),
      pools: new Map(),
    };
    if (this.#agents !== undefined) this.#retire(this.#agents);
    this.#certificate = certificate;
    this.#agents = agents;
    return agents;
  }

  #creator(certificate: ClientCertificate | undefined): (open: number) => http.Agent {
    const {
      lookup,
      limits,
      tunnel,
      certificateAuthority: ca,
      tlsServerName: servername,
      insecureSkipTlsVerify,
      checkServerIdentity,
    } = this.#settings;
    const isPlain = this.#server.protocol === 'http:';
    const proxy = this.#proxy;
    const tls: https.AgentOptions = isPlain
      ? {}
      : {
          // the context is made once, because reading certificates takes longer than a handshake
          secureContext: createSecureContext({ ...(ca !== undefined && { ca }), ...certificate }),
          ...(servername && { servername }),
          ...(checkServerIdentity && { checkServerIdentity }),
          ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
        };
    return (open) => {
      const common: http.AgentOptions = {
        keepAlive: true,
        keepAliveMsecs: PROBE_AFTER,
        maxSockets: open,
        maxFreeSockets: limits?.idle ?? MAX_OPEN,
        timeout: IDLE,
        ...(lookup && { lookup }),
      };
      if (tunnel !== undefined) return tunnelAgent(tunnel, isPlain, { ...common, ...tls });
      if (proxy !== undefined && (!isPlain || proxy.kind === 'socks'))
        return tunnelAgent(proxyTunnel(proxy), isPlain, { ...common, ...tls });
      if (isPlain) return limitAgent(proxy?.url.protocol === 'https:' ? new https.Agent(common) : new http.Agent(common));
      return limitAgent(new https.Agent({ ...common, ...tls }));
    };
  }

  #retire({ requests, streams, pools }: Agents): void {
    for (const pool of pools.values()) pool.retire();
    this.#retiredPools = [...this.#retiredPools, ...pools.values()].filter(({ isUnused }) => !isUnused);
    this.#retired = [...this.#retired, requests, streams].filter(({ sockets }) => Object.keys(sockets).length > 0);
    for (const agent of [requests, streams]) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/** The module is loaded only if there is a proxy, which is rare. */
const proxyTunnel =
  (proxy: ProxyServer): Tunnel =>
  async (target, signal) =>
    (await import('./through-proxy.ts')).throughProxy(proxy, target, signal);
