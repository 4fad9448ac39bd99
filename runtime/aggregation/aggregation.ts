/** Group versions that other API servers answer behind this one. The modules that talk to those servers are loaded when the first of them is needed. */
import type { Tunnel } from '../client/transport/tunnel.ts';
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData } from '../contract/kind.ts';
import type { ApiResourceDiscovery } from '../discovery/described-resource.ts';
import type { RemoteVersionView } from '../discovery/registry-view.ts';
import type { MergeElsewhere, RemoteDocuments } from '../openapi/remote-documents.ts';
import type { RegistrySnapshot } from '../registry/resources/registry-snapshot.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { DocumentThread, DocumentWork } from './document-work.ts';
import type { ListedObjects } from './object-pages.ts';
import type { OwnedObjects } from './owned-objects.ts';
import { ReadResources } from './read-resources.ts';
import type { RemoteDiscovery } from './remote-discovery.ts';
import type { RemoteOpenapi } from './remote-openapi.ts';
import type { RemoteServers } from './remote-servers.ts';
import type { RemoteVersion } from './remote-version.ts';
import { RemoteVersions } from './remote-versions.ts';
import { ServedVersions } from './served-versions.ts';
import type { ResolveService } from './service-address.ts';

export interface AggregationParts {
  readonly identity: Identity;
  /** prefix of the keys of APIServices, without a slash at its end; undefined if this server does not serve them */
  readonly prefix: string | undefined;
  /** what this server answers itself */
  readonly local: () => RegistrySnapshot;
  readonly resolve: ResolveService;
  readonly clientCertificate: () => ClientCertificate | undefined;
  /** leads to the other servers; absent: they are reached directly */
  readonly tunnel?: Tunnel | undefined;
  /** the feature gate RemoteRequestHeaderUID */
  readonly withUid: boolean;
  /** the thread for documents of other servers that are long */
  readonly documentThread: DocumentThread;
}

interface Loaded {
  readonly servers: RemoteServers;
  readonly discovery: RemoteDiscovery;
  readonly openapi: RemoteOpenapi;
  readonly work: DocumentWork;
}

export class Aggregation {
  readonly versions: RemoteVersions;
  /** all group versions at this address, those of other servers included */
  readonly served: ServedVersions;
  readonly #parts: AggregationParts;
  readonly #read = new ReadResources();
  #loading: Promise<Loaded> | undefined;
  #loaded: Loaded | undefined;

  constructor(parts: AggregationParts) {
    this.#parts = parts;
    this.versions = new RemoteVersions(parts.prefix === undefined ? [] : [parts.prefix]);
    this.served = new ServedVersions(parts.local, this.versions, parts.identity.text('apiregistration.${groupDomain}'));
  }

  async servers(): Promise<RemoteServers> {
    return (await this.#load()).servers;
  }

  /** What discovery shows of a version in `served`; undefined for one that this server answers itself. */
  view(groupVersion: GroupVersionData): RemoteVersionView | undefined {
    const remote = this.served.remoteOf(groupVersion);
    return remote && { resources: () => this.#resources(remote) };
  }

  /** OpenAPI documents of a version in `served`; undefined for one that this server answers itself. */
  documents(groupVersion: GroupVersionData): RemoteDocuments | undefined {
    const remote = this.served.remoteOf(groupVersion);
    if (remote === undefined) return undefined;
    const of = async () => (await this.#load()).openapi.of(remote);
    return { v2: async () => (await of()).v2(), v3: async () => (await of()).v3() };
  }

  /** As of `MergedSwagger`. */
  readonly mergeElsewhere: MergeElsewhere = async (order, size) => (await this.#load()).work.do('mergeSwagger', order, size);

  /** @param body a list that another server has sent, not checked yet. @throws Error if it is none */
  async listedObjects(body: Uint8Array): Promise<ListedObjects> {
    return (await this.#load()).work.do('listObjects', { body }, body.length);
  }

  /** @param body as of `listedObjects`. @throws Error if it is no list */
  async ownedObjects(body: Uint8Array): Promise<OwnedObjects> {
    return (await this.#load()).work.do('listOwned', { body }, body.length);
  }

  /** The resources of a version, by its server's discovery; undefined if that server does not answer. */
  async resources(remote: RemoteVersion): Promise<readonly ApiResourceDiscovery[] | undefined> {
    const text = await this.#resources(remote);
    return text && this.#read.of(text);
  }

  #resources(remote: RemoteVersion): ReturnType<RemoteVersionView['resources']> {
    if (this.#loaded !== undefined) return this.#loaded.discovery.resources(remote);
    return this.#load().then(({ discovery }) => discovery.resources(remote));
  }

  #load(): Promise<Loaded> {
    this.#loading ??= this.#loadOnce();
    return this.#loading;
  }

  async #loadOnce(): Promise<Loaded> {
    const [{ RemoteServers }, { DocumentWork }, { RemoteDiscovery }, { RemoteOpenapi }] = await Promise.all([
      import('./remote-servers.ts'),
      import('./document-work.ts'),
      import('./remote-discovery.ts'),
      import('./remote-openapi.ts'),
    ]);
    const servers = new RemoteServers({ ...this.#parts, versions: this.versions });
    const work = new DocumentWork(this.#parts.documentThread);
    const discovery = new RemoteDiscovery(servers, work, this.#parts.identity);
    this.#loaded = { servers, work, discovery, openapi: new RemoteOpenapi(servers, work) };
    return this.#loaded;
  }

  /** Closes unused connections to other servers, and the thread for documents. Requests of clients go on. */
  async close(): Promise<void> {
    (await this.#loading)?.servers.close();
    await this.#parts.documentThread.close();
  }
}
