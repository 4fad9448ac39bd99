/** The parts of the chain, and the parts of the server that it uses. */
import type { Context, Next } from 'koa';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { ClientRequest, Untraced } from '../endpoints/client-request.ts';
import type { ClientTrace } from '../endpoints/client-trace.ts';
import type { SetLogLevels } from '../endpoints/handlers/debugging.ts';
import type { DiscoveryServer } from '../endpoints/handlers/discovery.ts';
import type { FlowDumps } from '../endpoints/handlers/flow-dumps.ts';
import type { HealthChecks } from '../endpoints/handlers/health.ts';
import type { OtherFigures } from '../endpoints/handlers/metrics.ts';
import type { RemoteHandlerServer } from '../endpoints/handlers/remote-version.ts';
import type { ResourceServer } from '../endpoints/resource-server.ts';
import type { ShutdownRefusal } from '../endpoints/shutdown-refusal.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Profiler } from '../observability/profiler.ts';
import type { RegistrySnapshot } from '../registry/registry-snapshot.ts';
import type { StatusError } from '../status/status.ts';
import type { SnapshotSource } from '../storage/snapshot/store-snapshot.ts';
import type { Deadlines } from './deadlines.ts';
import type { FairTurns } from './fair-turns.ts';
import type { RequestObserver } from './request-log.ts';

/** The parts of the server that the chain and its handlers use. */
export interface ChainServer extends ResourceServer, DiscoveryServer, RemoteHandlerServer {
  /** what is served at the store's present revision, with all definitions up to it */
  readonly latestRegistry: () => RegistrySnapshot;
  /** as of `DefinitionFollower.underWay`; absent: there are no definitions */
  readonly definitionsUnderWay?: ((group?: string) => Promise<void> | undefined) | undefined;
  readonly metrics: Metrics;
  /** header `Strict-Transport-Security` of every answer; '': none */
  readonly transportSecurity: string;
}

export interface ChainParts {
  readonly server: ChainServer;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  /** whether requests were authorized elsewhere already; default false */
  readonly authorized?: boolean;
  readonly health: HealthChecks;
  /** the most milliseconds of a request that is not long-running */
  readonly requestTimeout: number;
  /** the deadlines of open requests; absent: nobody waits for these at the end */
  readonly deadlines?: Deadlines;
  /** refuses new requests while the server ends; absent: none is refused */
  readonly refusal?: ShutdownRefusal;
  /** is called for each request and gives its observer, if there shall be one; absent: there never is one */
  readonly observer?: () => RequestObserver | undefined;
  /** absent: profiles and log levels are not served */
  readonly debugging?: Debugging;
  /** texts for people, by path */
  readonly pages?: Readonly<Record<string, (context: Context) => void>>;
  /** absent: the store is not a file of this machine */
  readonly snapshots?: SnapshotSource;
  /** absent: there are no other processes */
  readonly otherFigures?: OtherFigures;
  /** absent: nothing is recorded */
  readonly auditor?: RequestAuditor;
  /** absent: no request waits for others */
  readonly turns?: FairTurns;
  /** makes authorized requests wait; absent: none waits */
  readonly barrier?: (context: Context, next: Next) => Promise<void>;
  /** absent: there are no priority levels */
  readonly priorityLevels?: FlowDumps;
  /** absent: no request is traced */
  readonly tracer?: RequestTracer;
  /** absent: servers that are asked for requests which are not traced are told of no trace */
  readonly untraced?: Untraced;
  /** handles CORS; absent: pages of other origins get no answers */
  readonly crossOrigin?: (context: Context, next: Next) => Promise<void>;
}

/** What administrators may inspect and change while the server runs. */
export interface Debugging {
  readonly profiler: () => Promise<Profiler>;
  /** for all processes of the server; absent: levels cannot be changed */
  readonly setLogLevels?: SetLogLevels;
}

/** Records requests. */
export interface RequestAuditor {
  /** For known users. @returns undefined if the request may go on at once. @throws StatusError if it must not go on; a promise rejects with it */
  begin(request: ClientRequest, context: Context, isLongRunning: boolean): Promise<void> | undefined;
  /** Records a refused request. @param error with which it is answered */
  refuse(request: ClientRequest, context: Context, error: StatusError): void;
}

export interface RequestTracer {
  /** Begins the trace of a request; it ends with the answer. @returns undefined if the request is not traced */
  begin(request: ClientRequest, context: Context): ClientTrace | undefined;
}
