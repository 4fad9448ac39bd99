/** Types of what a server is assembled from. */
import type { ClientCertificate } from '../../aggregation/client-certificate.ts';
import type { Authenticator } from '../../authentication/authenticator.ts';
import type { TokenSigner } from '../../authentication/service-accounts/token-signer.ts';
import type { Authorization } from '../../authorization/configuration/create-authorization.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ClusterObjects } from '../../delegation/cluster-objects.ts';
import type { LongRequests } from '../../endpoints/long-body.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { ServiceRoutes } from '../../outbound/webhook-client.ts';
import type { DefinitionSource } from '../../registry/definition-follower.ts';
import type { BuiltInApi } from '../../registry/resources/built-in-api.ts';
import type { StorageVersionRegistration } from '../../registry/storage-versions/storage-version-registration.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { StoreFollower } from '../../registry/stored-objects/store-follower.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Flags } from '../setup/flags.ts';
import type { Setup } from '../setup/setup.ts';

/** The parts that nearly all others need. */
export interface CommonParts {
  readonly flags: Flags;
  /** names of the flags that were set on the command line */
  readonly given: ReadonlySet<string>;
  readonly identity: Identity;
  readonly log: Setup['log'];
  readonly metrics: Metrics;
  readonly followedFiles: FollowedFiles;
  readonly featureEnabled: (gate: string) => boolean;
  /** loads the reader of files whose kinds schemas state */
  readonly fileKinds: () => Promise<FileKinds>;
  /** absent: other servers are reached directly */
  readonly egress?: Egress | undefined;
}

/** What `assembleServer` assembles. */
export interface ServerParts extends Pick<CommonParts, 'flags' | 'identity' | 'metrics' | 'featureEnabled' | 'egress'> {
  readonly log: Log;
  readonly storage: Storage;
  readonly objects: ObjectLookup;
  /** brings what this process remembers of the store to the store's revision */
  readonly follower: StoreFollower;
  /** definitions of custom resources, which come, change and go while the server runs; absent: none are served */
  readonly definitions?: DefinitionSource;
  /** loads the OpenAPI document of the types that all groups share */
  readonly machinery: () => Promise<string>;
  readonly builtIn: BuiltInApi;
  readonly authenticator: Authenticator;
  /** names of this API; a token must be issued for one of them */
  readonly audiences: readonly string[];
  readonly tokenSigner: TokenSigner;
  readonly authorization: Authorization;
  /** PEM; the authority by which clients trust this server */
  readonly authority: string;
  readonly externalAddress: () => string;
  /** the server's own data directory, which other users may not read */
  readonly directory: string;
  /** absent: this thread answers long requests itself */
  readonly longRequests?: LongRequests;
  /** the client certificate by which other API servers recognize this one; absent: it presents none */
  readonly clientCertificate?: { readonly current: ClientCertificate | undefined } | undefined;
  /** contents of --admission-control-config-file by plugin names; absent: the flag is not set */
  readonly admissionConfiguration?: ReadonlyMap<string, unknown>;
  readonly serviceRoutes: ServiceRoutes;
  /** see `Setup` */
  readonly giveBackMemory?: (() => void) | undefined;
  /** absent: this is no aggregated server */
  readonly aggregated?: AggregatedParts;
  /** see `ControllerServer` */
  readonly storageVersions?: StorageVersionRegistration | undefined;
}

/** The parts that only an aggregated server has. */
export interface AggregatedParts {
  /** namespaces, webhooks and policies of the delegating server */
  readonly cluster: ClusterObjects;
  /** names of admission plugins that do not run */
  readonly disabledPlugins: readonly string[];
}
