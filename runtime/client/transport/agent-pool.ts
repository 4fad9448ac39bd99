/** Connections to one server: kept between requests, made anew for another client certificate, led through a proxy where there is one. */
import http from 'node:http';
import https from 'node:https';
import type { ClientCertificate, ConnectionSettings } from './connection-settings.ts';
import { type ProxyServer, proxyOf } from './proxy.ts';
import { tunnelAgent } from './tunnel-agent.ts';

export type Route = Omit<http.RequestOptions, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** Milliseconds for which a connection is kept that nobody uses, as in 1.32. */
const IDLE = 90_000;
/** Milliseconds of silence after which the system asks whether the other side is still there. */
const PROBE_AFTER = 15_000;
const OPEN = Number.POSITIVE_INFINITY;
const MAX_IDLE = 256;

export class AgentPool {
  readonly #server: URL;
  readonly #settings: ConnectionSettings;
  readonly #proxy: ProxyServer | undefined;
  #agent: http.Agent | undefined;
  /** whom the connections of the agent belong to */
  #certificate: ClientCertificate | undefined;

  constructor(server: URL, settings: ConnectionSettings) {
    this.#server = server;
    this.#settings = settings;
    this.#proxy = proxyOf(server, settings.proxy);
  }

  /** What a request needs to go the right way, besides headers of its own. */
  route(url: URL, certificate: ClientCertificate | undefined): Route {
    const agent = this.#agentFor(certificate);
    const proxy = this.#proxy;
    if (proxy === undefined || proxy.kind === 'socks' || this.#server.protocol === 'https:') return { agent, headers: {} };
    // a proxy passes plain requests on by itself
    const { hostname, port, protocol } = proxy.url;
    const headers = { host: url.host, ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }) };
    return { agent, hostname, port, protocol, path: url.href, headers };
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  /** Another certificate needs connections of its own; those of the former end when the requests on them have. */
  #agentFor(certificate: ClientCertificate | undefined): http.Agent {
    const isSame = this.#certificate?.cert === certificate?.cert && this.#certificate?.key === certificate?.key;
    if (this.#agent !== undefined && isSame) return this.#agent;
    if (this.#agent !== undefined) retire(this.#agent);
    this.#certificate = certificate;
    this.#agent = this.#create(certificate);
    return this.#agent;
  }

  #create(certificate: ClientCertificate | undefined): http.Agent {
    const { lookup, limits, certificateAuthority: ca, tlsServerName: servername, insecureSkipTlsVerify } = this.#settings;
    const { open = OPEN, idle = MAX_IDLE } = limits ?? {};
    const common: http.AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: PROBE_AFTER,
      maxSockets: open,
      maxFreeSockets: idle,
      timeout: IDLE,
      ...(lookup && { lookup }),
    };
    const isPlain = this.#server.protocol === 'http:';
    const tls: https.AgentOptions = {
      ...(ca !== undefined && { ca }),
      ...certificate,
      ...(servername && { servername }),
      ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
    };
    const needsTunnel = this.#proxy !== undefined && (!isPlain || this.#proxy.kind === 'socks');
    if (needsTunnel) return tunnelAgent(this.#proxy as ProxyServer, isPlain, { ...common, ...tls });
    if (isPlain) return this.#proxy?.url.protocol === 'https:' ? new https.Agent(common) : new http.Agent(common);
    return new https.Agent({ ...common, ...tls });
  }
}

/** Ends what waits, and what is in use once it is free. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
