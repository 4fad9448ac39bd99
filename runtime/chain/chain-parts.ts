/** What the chain is made of, and what it uses of the server. */
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

/** What the chain and the handlers at its end use of the server. */
export interface ChainServer extends ResourceServer, DiscoveryServer, RemoteHandlerServer {
  /** what is served at the store's revision of now, with the definitions up to it */
  readonly latestRegistry: () => RegistrySnapshot;
  /** as of `DefinitionFollower.underWay`; absent: there are no definitions */
  readonly definitionsUnderWay?: ((group?: string) => Promise<void> | undefined) | undefined;
  readonly metrics: Metrics;
  /** for every answer; '': none */
  readonly transportSecurity: string;
}

export interface ChainParts {
  readonly server: ChainServer;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  /** who asks has been found to be allowed to, elsewhere; default false */
  readonly authorized?: boolean;
  readonly health: HealthChecks;
  /** milliseconds a request may take unless it is long-running */
  readonly requestTimeout: number;
  /** has those of requests under way; absent: nobody waits for these */
  readonly deadlines?: Deadlines;
  /** of new requests at the end; absent: none is refused */
  readonly refusal?: ShutdownRefusal;
  /** asked with each request; undefined: nobody is told. Absent: nobody ever is */
  readonly observer?: () => RequestObserver | undefined;
  /** absent: nothing of it is served */
  readonly debugging?: Debugging;
  /** texts for people, by path */
  readonly pages?: Readonly<Record<string, (context: Context) => void>>;
  /** absent: what is stored is no file of this machine */
  readonly snapshots?: SnapshotSource;
  /** absent: there are no other processes */
  readonly otherFigures?: OtherFigures;
  /** absent: nothing is recorded */
  readonly auditor?: RequestAuditor;
  /** absent: no request waits for others */
  readonly turns?: FairTurns;
  /** of requests that are allowed; absent: there is none */
  readonly barrier?: (context: Context, next: Next) => Promise<void>;
  /** absent: there are none */
  readonly priorityLevels?: FlowDumps;
  /** absent: no request is traced */
  readonly tracer?: RequestTracer;
  /** absent: servers that are asked for requests which are not traced are told of no trace */
  readonly untraced?: Untraced;
  /** answers to pages of other origins; absent: none */
  readonly crossOrigin?: (context: Context, next: Next) => Promise<void>;
}

/** What administrators look at and change while the server runs. */
export interface Debugging {
  readonly profiler: () => Promise<Profiler>;
  /** of all processes of the server; absent: that cannot be changed */
  readonly setLogLevels?: SetLogLevels;
}

/** Records requests. */
export interface RequestAuditor {
  /** Of somebody who is known. @returns undefined where the request may go on at once. @throws StatusError where it may not; a promise rejects with it */
  begin(request: ClientRequest, context: Context, isLongRunning: boolean): Promise<void> | undefined;
  /** One that comes no further. @param error that it is answered with */
  refuse(request: ClientRequest, context: Context, error: StatusError): void;
}

export interface RequestTracer {
  /** Begins the trace of a request, which ends when nothing more leaves for it. @returns undefined for one that is not traced */
  begin(request: ClientRequest, context: Context): ClientTrace | undefined;
}
