/** TLS connections to other API servers, some of which are kept between requests. */
import type { Agent as HttpAgent } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Tunnel } from '../client/transport/tunnel.ts';
import { tunnelAgent } from '../client/transport/tunnel-agent.ts';
import { checkServerIdentity } from '../connections/server-identity.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { RemoteVersion, TrustedService } from './remote-version.ts';
import type { RemoteChanges } from './remote-versions.ts';
import { ServiceError } from './service-address.ts';

/** Milliseconds for which an unused connection is kept, as in 1.32. */
const IDLE = 90_000;
/** Milliseconds of silence before the system probes whether the peer is still there (TCP keep-alive). */
const PROBE_AFTER = 15_000;
/** Most unused connections to one address that are kept. */
const MAX_KEPT = 25;

/** The agents of Node that make all connections to one server. */
interface Connections {
  /** keeps connections, for requests that may be sent again: a server may end a kept connection just when the next request goes out */
  readonly kept: HttpAgent;
  /** makes a new connection for each request. It resumes a TLS session, unless a tunnel leads there. */
  readonly single: HttpAgent;
}

type CreateAgent = (options: AgentOptions) => HttpAgent;

/** The connections by service and by the authorities that verify it. */
export class RemoteConnections {
  readonly #certificate: () => ClientCertificate | undefined;
  readonly #createAgent: CreateAgent;
  readonly #byServer = new Map<string, Connections>();
  /** the client certificate of these connections */
  #shown: ClientCertificate | undefined;

  /** @param tunnel leads to the servers; absent: they are reached directly */
  constructor(certificate: () => ClientCertificate | undefined, tunnel?: Tunnel) {
    this.#certificate = certificate;
    this.#createAgent = tunnel === undefined ? (options) => new Agent(options) : (options) => tunnelAgent(tunnel, false, options);
  }

  /** @throws ServiceError if the bundle of authorities is invalid */
  of(remote: TrustedService): Connections {
    const certificate = this.#certificate();
    if (this.#shown !== certificate) this.close();
    this.#shown = certificate;
    const key = keyOf(remote);
    let found = this.#byServer.get(key);
    if (found === undefined) {
      found = connectionsTo(remote, certificate, this.#createAgent);
      this.#byServer.set(key, found);
    }
    return found;
  }

  /** Closes the unused connections to servers that no APIService names any longer. @param all the remaining versions */
  release({ gone, come }: RemoteChanges, all: () => readonly RemoteVersion[]): void {
    // Most changes are of conditions, so the new version has the same server as the old one. Then `all` need not be called.
    const left = new Set(come.flatMap(keysOf));
    const unsure = gone.flatMap(keysOf).filter((key) => this.#byServer.has(key) && !left.has(key));
    if (unsure.length === 0) return;
    const wanted = new Set(all().flatMap(keysOf));
    for (const key of unsure) {
      const connections = this.#byServer.get(key);
      if (connections !== undefined && !wanted.has(key)) this.#end(key, connections);
    }
  }

  /** Closes all unused connections. Requests under way go on. */
  close(): void {
    for (const [key, connections] of this.#byServer) this.#end(key, connections);
  }

  #end(key: string, { kept }: Connections): void {
    this.#byServer.delete(key);
    kept.maxFreeSockets = 0;
    for (const sockets of Object.values(kept.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

/** The name that the certificate of a service must contain. */
export function serverName({ service: { namespace, name } }: TrustedService): string {
  return `${name}.${namespace}.svc`;
}

/** The same version, but the server's certificate is not verified. */
export function unverified(remote: RemoteVersion): RemoteVersion {
  return { ...remote, trust: { caBundle: '', insecure: true } };
}

const keysOf = (remote: RemoteVersion): string[] => [keyOf(remote), keyOf(unverified(remote))];

/** Cached, because bundles of authorities are long. */
const keys = new WeakMap<TrustedService, string>();

function keyOf(remote: TrustedService): string {
  const known = keys.get(remote);
  if (known !== undefined) return known;
  const { caBundle, insecure } = remote.trust;
  const key = `${serverName(remote)} ${insecure} ${caBundle}`;
  keys.set(remote, key);
  return key;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----/;

/** @throws ServiceError */
function connectionsTo(remote: TrustedService, certificate: ClientCertificate | undefined, create: CreateAgent): Connections {
  const { caBundle, insecure } = remote.trust;
  const options: AgentOptions = {
    secureContext: secureContext(caBundle, certificate),
    minVersion: 'TLSv1.2',
    servername: serverName(remote),
    rejectUnauthorized: !insecure,
    checkServerIdentity,
    keepAliveMsecs: PROBE_AFTER,
  };
  const single = create({ ...options, keepAlive: true });
  // No connection is kept here, but servers are not asked to close them either: many would do so in the middle of a body that they do not want.
  single.maxFreeSockets = 0;
  return { kept: create({ ...options, keepAlive: true, maxFreeSockets: MAX_KEPT, timeout: IDLE, scheduling: 'lifo' }), single };
}

function secureContext(caBundle: string, certificate: ClientCertificate | undefined) {
  // Node accepts a bundle without any certificate, and then trusts nobody
  if (caBundle !== '' && !CERTIFICATE.test(caBundle))
    throw new ServiceError('unable to load root certificates: unable to parse bytes as PEM block');
  try {
    return createSecureContext({ minVersion: 'TLSv1.2', ...(caBundle !== '' && { ca: caBundle }), ...certificate });
  } catch (error) {
    throw new ServiceError(`unable to load root certificates: ${(error as Error).message}`, { cause: error });
  }
}
