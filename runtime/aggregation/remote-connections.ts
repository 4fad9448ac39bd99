/** Connections to other API servers over TLS, which are kept between requests. */
import type { Agent as HttpAgent } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Tunnel } from '../client/transport/tunnel.ts';
import { tunnelAgent } from '../client/transport/tunnel-agent.ts';
import { checkServerIdentity } from '../connections/server-identity.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { RemoteVersion } from './remote-version.ts';
import type { RemoteChanges } from './remote-versions.ts';
import { ServiceError } from './service-address.ts';

/** Milliseconds for which a connection is kept that nobody uses, as in 1.32. */
const IDLE = 90_000;
/** Milliseconds of silence after which the system asks whether the other side is still there. */
const PROBE_AFTER = 15_000;
/** Connections to one address that are kept for later. */
const MAX_KEPT = 25;

/** What a connection is made with. Those of one server have it in common. */
interface Connections {
  /** for requests that may be sent again, on a connection that the server ended just when it was used again */
  readonly kept: HttpAgent;
  /** for all others: each has a new one, which resumes a session of TLS unless a tunnel leads there */
  readonly single: HttpAgent;
}

type CreateAgent = (options: AgentOptions) => HttpAgent;

/** By the names of services, and by what they are believed. */
export class RemoteConnections {
  readonly #certificate: () => ClientCertificate | undefined;
  readonly #createAgent: CreateAgent;
  readonly #byServer = new Map<string, Connections>();
  /** with which those were made */
  #shown: ClientCertificate | undefined;

  /** @param tunnel leads to them; absent: they are reached directly */
  constructor(certificate: () => ClientCertificate | undefined, tunnel?: Tunnel) {
    this.#certificate = certificate;
    this.#createAgent = tunnel === undefined ? (options) => new Agent(options) : (options) => tunnelAgent(tunnel, false, options);
  }

  /** @throws ServiceError for authorities that are none */
  of(remote: RemoteVersion): Connections {
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

  /** Ends what is kept for servers that nobody leads to any longer. @param all those that are left */
  release({ gone, come }: RemoteChanges, all: () => readonly RemoteVersion[]): void {
    // most changes are of conditions: what came leads where that led which went
    const left = new Set(come.flatMap(keysOf));
    const unsure = gone.flatMap(keysOf).filter((key) => this.#byServer.has(key) && !left.has(key));
    if (unsure.length === 0) return;
    const wanted = new Set(all().flatMap(keysOf));
    for (const key of unsure) {
      const connections = this.#byServer.get(key);
      if (connections !== undefined && !wanted.has(key)) this.#end(key, connections);
    }
  }

  /** Ends what nobody uses; requests under way go on. */
  close(): void {
    for (const [key, connections] of this.#byServer) this.#end(key, connections);
  }

  #end(key: string, { kept }: Connections): void {
    this.#byServer.delete(key);
    kept.maxFreeSockets = 0;
    for (const sockets of Object.values(kept.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

/** The name that the certificate of a service must have. */
export function serverName({ service: { namespace, name } }: RemoteVersion): string {
  return `${name}.${namespace}.svc`;
}

/** The same, whatever certificate it shows. */
export function unverified(remote: RemoteVersion): RemoteVersion {
  return { ...remote, trust: { caBundle: '', insecure: true } };
}

const keysOf = (remote: RemoteVersion): string[] => [keyOf(remote), keyOf(unverified(remote))];

/** Made once: bundles are long. */
const keys = new WeakMap<RemoteVersion, string>();

function keyOf(remote: RemoteVersion): string {
  const known = keys.get(remote);
  if (known !== undefined) return known;
  const { caBundle, insecure } = remote.trust;
  const key = `${serverName(remote)} ${insecure} ${caBundle}`;
  keys.set(remote, key);
  return key;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----/;

/** @throws ServiceError */
function connectionsTo(remote: RemoteVersion, certificate: ClientCertificate | undefined, create: CreateAgent): Connections {
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
  // Though none is kept, no server is told to close one: many would do so in the middle of a body that they do not want.
  single.maxFreeSockets = 0;
  return { kept: create({ ...options, keepAlive: true, maxFreeSockets: MAX_KEPT, timeout: IDLE, scheduling: 'lifo' }), single };
}

function secureContext(caBundle: string, certificate: ClientCertificate | undefined) {
  // Node takes a bundle that holds none for one that nobody is believed by
  if (caBundle !== '' && !CERTIFICATE.test(caBundle))
    throw new ServiceError('unable to load root certificates: unable to parse bytes as PEM block');
  try {
    return createSecureContext({ minVersion: 'TLSv1.2', ...(caBundle !== '' && { ca: caBundle }), ...certificate });
  } catch (error) {
    throw new ServiceError(`unable to load root certificates: ${(error as Error).message}`, { cause: error });
  }
}
