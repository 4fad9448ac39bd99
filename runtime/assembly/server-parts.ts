/** What a server is put together of, and what its parts are made of. */
import type { ClientCertificate } from '../aggregation/client-certificate.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { TokenSigner } from '../authentication/service-accounts/token-signer.ts';
import type { Authorization } from '../authorization/configuration/create-authorization.ts';
import type { Identity } from '../contract/identity.ts';
import type { ClusterObjects } from '../delegation/cluster-objects.ts';
import type { LongRequests } from '../endpoints/long-body.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Egress } from '../outbound/egress.ts';
import type { FindService } from '../outbound/webhook-client.ts';
import type { BuiltInApi } from '../registry/built-in-api.ts';
import type { DefinitionSource } from '../registry/definition-follower.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import type { StorageVersionRegistration } from '../registry/storage-versions/storage-version-registration.ts';
import type { StoreFollower } from '../registry/store-follower.ts';
import type { Storage } from '../storage/storage.ts';
import type { Flags } from './flags.ts';
import type { Setup } from './setup.ts';

/** What nearly all parts of a server need. */
export interface CommonParts {
  readonly flags: Flags;
  /** names of flags that stood on the command line */
  readonly given: ReadonlySet<string>;
  readonly identity: Identity;
  readonly log: Setup['log'];
  readonly metrics: Metrics;
  readonly followedFiles: FollowedFiles;
  readonly featureEnabled: (gate: string) => boolean;
  /** loads what reads files of kinds that schemas state */
  readonly fileKinds: () => Promise<FileKinds>;
  /** absent: other servers are reached directly */
  readonly egress?: Egress | undefined;
}

/** What `assembleServer` puts together. */
export interface ServerParts extends Pick<CommonParts, 'flags' | 'identity' | 'metrics' | 'featureEnabled' | 'egress'> {
  readonly log: Log;
  readonly storage: Storage;
  readonly objects: ObjectLookup;
  /** keeps what this process remembers of the store at the store's revision */
  readonly follower: StoreFollower;
  /** of resources that come, change and go while the server runs; absent: there are none */
  readonly definitions?: DefinitionSource;
  /** loads the OpenAPI document of the types that all groups use */
  readonly machinery: () => Promise<string>;
  readonly builtIn: BuiltInApi;
  readonly authenticator: Authenticator;
  /** names of this API, one of which a token must be for */
  readonly audiences: readonly string[];
  readonly tokenSigner: TokenSigner;
  readonly authorization: Authorization;
  /** PEM; by which clients trust this server */
  readonly authority: string;
  readonly externalAddress: () => string;
  /** the server's own, which others may not read */
  readonly directory: string;
  /** absent: this thread answers requests that are much work itself */
  readonly longRequests?: LongRequests;
  /** by which other API servers know this one; absent: by none */
  readonly clientCertificate?: { readonly current: ClientCertificate | undefined } | undefined;
  /** what --admission-control-config-file has, by the names of plugins; absent: there is none */
  readonly admissionConfiguration?: ReadonlyMap<string, unknown>;
  readonly findService: FindService;
  /** as of `Setup` */
  readonly giveBackMemory?: (() => void) | undefined;
  /** absent: this is no aggregated server */
  readonly aggregated?: AggregatedParts;
  /** as of `ControllerServer` */
  readonly storageVersions?: StorageVersionRegistration | undefined;
}

/** What an aggregated server has besides. */
export interface AggregatedParts {
  /** what the other server has that counts for writes */
  readonly cluster: ClusterObjects;
  /** names of admission plugins that do not run */
  readonly disabledPlugins: readonly string[];
}
