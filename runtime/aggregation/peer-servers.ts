/** Other servers of the same store, which serve resources that this one does not (KEP-4020): who they are, where they are, and requests to them. */
import type { ServerStorageVersion, StorageVersionStatus } from '../../generated/apiserverinternal/v1alpha1/types.ts';
import type { User } from '../contract/request-context.ts';
import { PEER_LEASES } from '../registry/etcd/server-leases.ts';
import type { Resource } from '../registry/resources/resource.ts';
import { storageKey } from '../registry/resources/resource-keys.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import type { Answer, ExchangeOptions, Outgoing } from '../relay/exchange.ts';
import type { Storage } from '../storage/storage.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { identityHeaders, isIdentityHeader } from './identity-headers.ts';
import { RemoteConnections } from './remote-connections.ts';
import { exchangeWith } from './remote-exchange.ts';
import type { TrustedService } from './remote-version.ts';
import type { Address } from './service-address.ts';

/** The header of requests that were passed on once: whoever gets one answers it. */
export const PEER_PROXIED = 'x-kubernetes-peer-proxied';

/** The port of the service that leads to all servers. */
const SERVICE_PORT = 443;

export interface PeerParts {
  readonly storage: Pick<Storage, 'look'>;
  /** the resource by which servers publish what they serve */
  readonly storageVersions: Resource;
  /** the identity of this server */
  readonly self: string;
  /** name of the service in the namespace `default` that leads to all servers: their certificates are good for it */
  readonly serviceName: string;
  /** PEM; the authorities that peers are trusted by */
  readonly authorities: string;
  /** the client certificate by which peers believe who asks */
  readonly clientCertificate: () => ClientCertificate | undefined;
}

export interface AskedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export class PeerServers {
  /** all peers show certificates for the service that leads to them */
  readonly remote: TrustedService;
  readonly #parts: PeerParts;
  readonly #connections: RemoteConnections;

  /** @throws ServiceError if the authorities cannot be read */
  constructor(parts: PeerParts) {
    const { serviceName, authorities, clientCertificate } = parts;
    this.#parts = parts;
    this.remote = {
      service: { namespace: 'default', name: serviceName, port: SERVICE_PORT },
      trust: { caBundle: authorities, insecure: false },
    };
    this.#connections = new RemoteConnections(clientCertificate);
    this.#connections.of(this.remote);
  }

  /** The identities of the peers that have published that they serve a resource in this version. */
  serving({ group, version, resource }: AskedResource): string[] {
    const { storage, storageVersions, self } = this.#parts;
    const key = storageKey(storageVersions, '', `${group || 'core'}.${resource}`);
    const object = storage.look(key, ({ value }) => new StoredObject(value).parse());
    const entries = (object?.status as StorageVersionStatus | undefined)?.storageVersions ?? [];
    return entries.filter((entry) => serves(entry, version)).flatMap(({ apiServerID = '' }) => (apiServerID === self ? [] : [apiServerID]));
  }

  /** Where a peer says that others reach it. @returns undefined for one that has not said so for some seconds */
  addressOf(peer: string): Address | undefined {
    const lease = this.#parts.storage.look(`${PEER_LEASES.prefix}/${peer}`, ({ value }) => new StoredObject(value).parse());
    const [{ addresses = [], ports = [] } = {}] = lease?.subsets ?? [];
    const [host, port] = [addresses?.[0]?.ip, ports?.[0]?.port];
    return typeof host === 'string' && host !== '' && typeof port === 'number' ? { host, port } : undefined;
  }

  /** Whether this server alone may set a header. @param name in lower case */
  isOwnHeader(name: string): boolean {
    return isIdentityHeader(name) || name === PEER_PROXIED;
  }

  /** Headers that tell who the client is, and that the request was passed on: names and values in turn. */
  ownHeaders(user: User): string[] {
    return [...identityHeaders(user, true), PEER_PROXIED, 'true'];
  }

  /** @throws ExchangeError, DialError */
  exchange(
    remote: TrustedService,
    outgoing: Outgoing,
    options: Pick<ExchangeOptions, 'signal' | 'headLimit' | 'informed'>,
  ): Promise<Answer> {
    return exchangeWith(remote, outgoing, this.#connections, options);
  }

  /** Closes unused connections. */
  close(): void {
    this.#connections.close();
  }
}

/** Versions stand there with their group or without it. */
const serves = ({ servedVersions }: ServerStorageVersion, version: string): boolean =>
  (servedVersions ?? []).some((each) => each.slice(each.lastIndexOf('/') + 1) === version);
