/** The types of what the chain is made of. */
import type { Context, Next } from 'koa';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { ShutdownRefusal } from '../endpoints/answers/shutdown-refusal.ts';
import type { SetLogLevels } from '../endpoints/handlers/pages/debugging.ts';
import type { DiscoveryServer } from '../endpoints/handlers/pages/discovery.ts';
import type { FlowDumps } from '../endpoints/handlers/pages/flow-dumps.ts';
import type { HealthChecks } from '../endpoints/handlers/pages/health.ts';
import type { OtherFigures } from '../endpoints/handlers/pages/metrics.ts';
import type { RemoteHandlerServer } from '../endpoints/handlers/pages/remote-version.ts';
import type { ClientRequest, Untraced } from '../endpoints/request/client-request.ts';
import type { ClientTrace } from '../endpoints/request/client-trace.ts';
import type { ResourceServer } from '../endpoints/resource-server.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Profiler } from '../observability/profiler.ts';
import type { RegistrySnapshot } from '../registry/resources/registry-snapshot.ts';
import type { StatusError } from '../status/status.ts';
import type { SnapshotSource } from '../storage/snapshot/store-snapshot.ts';
import type { Deadlines } from './deadlines.ts';
import type { FairTurns } from './fair-turns.ts';
import type { RequestObserver } from './request-log.ts';

/** The parts of the server that the chain and its handlers use. */
export interface ChainServer extends ResourceServer, DiscoveryServer, RemoteHandlerServer {
  /** Returns what is served at the store's present revision, including all custom resource definitions up to it. */
  readonly latestRegistry: () => RegistrySnapshot;
  /** see `DefinitionFollower.underWay`; absent if the server has no custom resource definitions */
  readonly definitionsUnderWay?: ((group?: string) => Promise<void> | undefined) | undefined;
  readonly metrics: Metrics;
  /** the header `Strict-Transport-Security` of every answer; empty if answers do not have it */
  readonly transportSecurity: string;
}

export interface ChainParts {
  readonly server: ChainServer;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  /** whether requests have been authorized before they come to the chain, so that it does not authorize them; default false */
  readonly authorized?: boolean;
  readonly health: HealthChecks;
  /** the most milliseconds that a request may take unless it is long-running */
  readonly requestTimeout: number;
  /** holds the deadlines of requests, so that a server that ends can wait for them; absent if nobody waits for them */
  readonly deadlines?: Deadlines;
  /** refuses new requests while the server ends; absent if none is refused */
  readonly refusal?: ShutdownRefusal;
  /** Is called for each request. It returns the observer of that request, or undefined; absent if no request has one. */
  readonly observer?: () => RequestObserver | undefined;
  /** absent if the server does not serve profiles and log levels */
  readonly debugging?: Debugging;
  /** handlers that answer with texts for people, by their paths */
  readonly pages?: Readonly<Record<string, (context: Context) => void>>;
  /** makes snapshots of the store; absent if the store is not a file of this machine */
  readonly snapshots?: SnapshotSource;
  /** the metrics of the server's other processes; absent if there are none */
  readonly otherFigures?: OtherFigures;
  /** absent if no request is recorded for audit */
  readonly auditor?: RequestAuditor;
  /** makes requests wait for their turn; absent if none waits for others */
  readonly turns?: FairTurns;
  /** makes authorized requests wait; absent if none waits */
  readonly barrier?: (context: Context, next: Next) => Promise<void>;
  /** passes requests on that other servers of the same store can answer; absent if none is passed on */
  readonly peers?: (context: Context, next: Next) => Promise<void>;
  /** tells the state of the priority levels; absent if there are none */
  readonly priorityLevels?: FlowDumps;
  /** absent if no request is traced */
  readonly tracer?: RequestTracer;
  /** what other servers are told of traces in requests that come from requests which are not traced; absent if they are told nothing */
  readonly untraced?: Untraced;
  /** handles CORS; absent if pages of other origins get no answers */
  readonly crossOrigin?: (context: Context, next: Next) => Promise<void>;
}

/** What administrators may inspect and change while the server runs. */
export interface Debugging {
  readonly profiler: () => Promise<Profiler>;
  /** Changes the log levels of all processes of the server; absent if they cannot be changed. */
  readonly setLogLevels?: SetLogLevels;
}

/** Records requests for audit. */
export interface RequestAuditor {
  /**
   * Begins to record a request whose user is known.
   * @returns undefined if the request may go on at once, otherwise a promise that it has to wait for
   * @throws StatusError if the request must not go on; a promise rejects with it
   */
  begin(request: ClientRequest, context: Context, isLongRunning: boolean): Promise<void> | undefined;
  /** Records a request that was refused before its user was known. @param error the answer to it */
  refuse(request: ClientRequest, context: Context, error: StatusError): void;
}

export interface RequestTracer {
  /** Begins the trace of a request, which ends with the answer. @returns undefined if the request is not traced */
  begin(request: ClientRequest, context: Context): ClientTrace | undefined;
}
