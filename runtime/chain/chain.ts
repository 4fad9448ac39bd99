/**
 * The chain that every request goes through, in the order in which it runs. The body is untouched until authorization has passed.
 *
 * Its members wait only where there is something to wait for: an async function costs every request several turns of the microtask queue.
 */
import { createRequire } from 'node:module';
import type { Context, Next } from 'koa';
import type { RemoteVersion } from '../aggregation/remote-version.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { impersonatedUser, wantsImpersonation } from '../authentication/impersonation.ts';
import { AuthorizationMetrics } from '../authorization/authorization-metrics.ts';
import type { Decision } from '../authorization/authorizer.ts';
import { refusedBy } from '../authorization/forbidden.ts';
import { headerLine } from '../connections/usual-headers.ts';
import type { User } from '../contract/request-context.ts';
import { authorizationAttributes } from '../endpoints/authorization-attributes.ts';
import { ClientRequest, requestOf, type Untraced } from '../endpoints/client-request.ts';
import type { ClientTrace } from '../endpoints/client-trace.ts';
import { FLOW_DUMPS_PATH } from '../endpoints/flow-dumps-path.ts';
import type { SetLogLevels } from '../endpoints/handlers/debugging.ts';
import { type DiscoveryServer, discoveryHandlers } from '../endpoints/handlers/discovery.ts';
import type { FlowDumps } from '../endpoints/handlers/flow-dumps.ts';
import { type HealthChecks, healthHandler } from '../endpoints/handlers/health.ts';
import { CONFIGURATION_PATH, issuerDiscovery, KEYS_PATH } from '../endpoints/handlers/issuer-discovery.ts';
import { metricsHandler, type OtherFigures } from '../endpoints/handlers/metrics.ts';
import type { RemoteHandlerServer, remoteVersionHandler } from '../endpoints/handlers/remote-version.ts';
import { notFoundPage, resourceHandler } from '../endpoints/handlers/resource.ts';
import { versionHandler } from '../endpoints/handlers/version.ts';
import { isLongRunning, type RequestInfo, resolveRequestInfo } from '../endpoints/request-info.ts';
import type { ResourceServer } from '../endpoints/resource-server.ts';
import { type AnswerServer, encodeStatus, wantsPretty } from '../endpoints/respond.ts';
import type { ShutdownRefusal } from '../endpoints/shutdown-refusal.ts';
import { SNAPSHOT_PATH } from '../endpoints/snapshot-path.ts';
import { sendUnread } from '../endpoints/unread-body.ts';
import { addWarnings } from '../endpoints/warnings.ts';
import { HealthMetrics } from '../observability/health-metrics.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Profiler } from '../observability/profiler.ts';
import type { RegistrySnapshot } from '../registry/registry-snapshot.ts';
import { unreachableError } from '../registry/storage-errors.ts';
import { newUuid } from '../schema/random-uuid.ts';
import { readDuration } from '../schema/scalar/duration.ts';
import { newBadRequest, newInternalError, newInternalErrorOf, newServiceUnavailable, newTimeout, StatusError } from '../status/status.ts';
import { StorageEnded, StorageUnreachable, ValueDamaged, ValueUndecryptable, ValueUnencryptable } from '../storage/errors.ts';
import type { SnapshotSource } from '../storage/snapshot/store-snapshot.ts';
import { ApiApplication } from './application.ts';
import { Deadlines } from './deadlines.ts';
import { type FairTurns, fairTurns } from './fair-turns.ts';
import type { RequestObserver } from './request-log.ts';
import { TracedChain } from './traced-chain.ts';

// Its form for import loads whatever the exports of node:http name (see upgrade.ts).
const { default: Router } = createRequire(import.meta.url)('@koa/router') as typeof import('@koa/router');

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

/** Has other servers answer. What does so is loaded with the first request that they answer. */
function remoteHandler(server: RemoteHandlerServer): ReturnType<typeof remoteVersionHandler> {
  let loading: Promise<ReturnType<typeof remoteVersionHandler>> | undefined;
  const load = async () => (await import('../endpoints/handlers/remote-version.ts')).remoteVersionHandler(server);
  return async (context, remote) => {
    loading ??= load();
    return (await loading)(context, remote);
  };
}

/** What errors become answers with. */
interface ErrorServer extends AnswerServer {
  readonly log: Log;
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

export function createApp(parts: ChainParts): ApiApplication {
  const app = new ApiApplication();
  const traced = new TracedChain();
  app.use(renderStatus(parts.server, parts.observer, parts.auditor, parts.untraced));
  app.use(resolveInfo(parts.tracer, traced));
  const first = app.middleware.length;
  if (parts.refusal !== undefined) app.use(parts.refusal.middleware);
  if (parts.server.transportSecurity !== '') app.use(withTransportSecurity(parts.server.transportSecurity));
  if (parts.crossOrigin !== undefined) app.use(parts.crossOrigin);
  if (!parts.server.featureEnabled('APIResponseCompression')) app.use(withoutCompression);
  app.use(deadline(parts.requestTimeout, parts.deadlines ?? new Deadlines()));
  app.use(mostRecent(parts.server));
  app.use(traced.part('authentication', authenticate(parts.authenticator)));
  if (parts.auditor !== undefined) app.use(traced.part('audit', audit(parts.auditor)));
  app.use(traced.part('impersonation', impersonate(parts.server)));
  if (parts.turns !== undefined) app.use(traced.part('priorityandfairness', fairTurns(parts.turns, parts.server.measured)));
  if (parts.authorized !== true) app.use(traced.part('authorization', authorize(parts.server)));
  useRoutes(app, parts);
  app.use(notFoundPage);
  traced.hold(app.middleware.slice(first));
  app.on('error', (error) => parts.server.log[isDisconnect(error) ? 'debug' : 'warn']({ err: error }, 'a response could not be finished'));
  return app;
}

/** Clients come and go as they like. */
function isDisconnect({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** What is taken as the id of a request from its client: it stands in the answer and in the log. */
const CLIENTS_ID = /^[\x21-\x7e]{1,256}$/;

const CACHE_CONTROL = headerLine('cache-control', 'no-cache, private');

/** Any error becomes a Status; what is no StatusError is a fault of ours, and its text stays in the log. */
function renderStatus(server: ErrorServer, observer?: ChainParts['observer'], auditor?: RequestAuditor, untraced?: Untraced) {
  return (context: Context, next: Next): Promise<void> => {
    const given = context.req.headers['audit-id'];
    const requestId = typeof given === 'string' && CLIENTS_ID.test(given) ? given : newUuid();
    const request = new ClientRequest(requestId, context, untraced);
    context.state = request;
    const told = observer?.();
    if (told !== undefined) observe(request, context, told);
    // an id has no character that may not stand in a head
    request.answer.addUsual(`audit-id: ${requestId}\r\n${CACHE_CONTROL}`);
    return next().catch((error) => {
      const known = statusOf(server, error, requestId, context);
      if (request.user === undefined) auditor?.refuse(request, context, known);
      else if (known !== error) request.recorder?.failed();
      return sendError(server, context, known);
    });
  };
}

function observe(request: ClientRequest, { method }: Context, observer: RequestObserver): void {
  const begun = performance.now();
  request.answer.whenOver((end) => observer(request, method, end, performance.now() - begun));
}

function statusOf({ log }: Pick<ErrorServer, 'log'>, error: unknown, requestId: string, context: Context): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof URIError) return newBadRequest(`the path is not valid: ${error.message}`);
  if (error instanceof StorageEnded) return newServiceUnavailable('the store cannot be read: its disk fails');
  log.error({ err: error, requestId, method: context.method, path: context.path }, 'a request failed');
  // as 1.32 has it: who may read the object is told which one it is, and by which key it was not
  if (error instanceof ValueUndecryptable)
    return newInternalErrorOf(`unable to transform key ${JSON.stringify(error.key)}: ${error.cipherProblem}`);
  if (error instanceof ValueUnencryptable) return newInternalErrorOf(error.message);
  if (error instanceof ValueDamaged && error.key !== undefined)
    return newInternalErrorOf(
      `the value of key ${JSON.stringify(error.key)} cannot be read: see the server's log for request ${requestId}`,
    );
  return newInternalError(requestId);
}

async function sendError(server: AnswerServer, context: Context, error: StatusError): Promise<void> {
  const { answer, recorder, series, trace } = requestOf(context);
  if (answer.hasBegun) {
    series?.aborted();
    return answer.break();
  }
  recorder?.outcome(error.status);
  recorder?.answers();
  const negotiated = server.negotiator.forErrors(context.req.headers.accept);
  const part = trace?.beginError(server.negotiator.contentType(negotiated), negotiated.encoding);
  const { contentType, bytes } = await encodeStatus(server, error.status, negotiated, wantsPretty(context, negotiated));
  part?.begins(Buffer.byteLength(bytes));
  const retryAfter = error.status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) context.res.setHeader('retry-after', String(retryAfter));
  const sent = sendUnread(context, error.code, contentType, bytes);
  await (part === undefined ? sent : part.until(sent));
}

/**
 * The target of a request as a path with its query, whatever of the forms of RFC 9112 section 3.2 it has: those who authorize, dispatch and
 * pass on read the same. A target has no fragment, and a backslash is no slash.
 */
function originForm(target: string): string {
  const path = target.startsWith('/') ? target : (/^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/is.exec(target)?.[1] ?? target);
  const rooted = path.startsWith('/') || path === '*' ? path : `/${path}`;
  return /[#\\]/.test(rooted) ? rooted.replaceAll('#', '%23').replaceAll('\\', '%5C') : rooted;
}

/** With a tracer it begins traces as well: a member of the chain that nearly always does nothing would cost every request more than the dice do. */
function resolveInfo(tracer: RequestTracer | undefined, traced: TracedChain) {
  return (context: Context, next: Next): Promise<void> => {
    const { req } = context;
    const request = requestOf(context);
    const { method = '', url = '' } = req;
    req.url = originForm(url);
    request.info = resolveRequestInfo(method, req.url);
    const trace = tracer?.begin(request, context);
    if (trace === undefined) return next();
    request.trace = trace;
    return traced.run(context);
  };
}

/** Waits until what is read here is what was written before, and until what the request may be about is served. */
function mostRecent(server: Pick<ChainServer, 'storage' | 'latestRegistry' | 'definitionsUnderWay'>) {
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const barrier = needsMostRecent(request.info, server.storage) ? server.storage.barrier() : undefined;
    const begin = (): Promise<void> => {
      request.registry = server.latestRegistry();
      const reading = server.definitionsUnderWay && definitionsUnderWay(server.definitionsUnderWay, request.info);
      return reading === undefined ? next() : reading.then(served);
    };
    const served = (): Promise<void> => {
      request.throwIfOver();
      request.registry = server.latestRegistry();
      return next();
    };
    if (barrier === undefined) return begin();
    const began = performance.now();
    const arrived = (): Promise<void> => {
      request.took('etcd', performance.now() - began);
      return begin();
    };
    return barrier.then(arrived, failedBarrier);
  };
}

const failedBarrier = (error: unknown): never => {
  throw error instanceof StorageUnreachable ? unreachableError(error) : error;
};

/** Documents that tell of all groups. */
const TELLS_OF_ALL = /^\/(?:$|apis?(?:\/|$)|openapi\/)/;

/** Of those long definitions that an answer may depend on. */
function definitionsUnderWay(
  underWay: (group?: string) => Promise<void> | undefined,
  { isResource, group, path }: RequestInfo,
): Promise<void> | undefined {
  if (isResource) return underWay(group);
  return TELLS_OF_ALL.test(path) ? underWay() : undefined;
}

/** Whether an answer must know all that was written before: all but reads that name a version, which another server may have given, and go on with no list. */
function needsMostRecent({ isResource, verb, query }: RequestInfo, storage: Pick<ChainServer['storage'], 'currentRevision'>): boolean {
  if (!isResource) return false;
  const named = READS.has(verb) ? (query.get('resourceVersion') ?? '') : '';
  return named === '' || query.has('continue') || Number(named) > storage.currentRevision();
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

function withTransportSecurity(directives: string) {
  const line = headerLine('strict-transport-security', directives);
  return (context: Context, next: Next): Promise<void> => {
    requestOf(context).answer.addUsual(line);
    return next();
  };
}

/** Nobody is taken to accept compressed answers. */
function withoutCompression(context: Context, next: Next): Promise<void> {
  delete context.req.headers['accept-encoding'];
  return next();
}

/** `timeout` of the query shortens the server's own limit. */
function deadline(limit: number, deadlines: Deadlines) {
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const { info } = request;
    if (isLongRunning(info)) return next();
    const wanted = info.query.get('timeout');
    const milliseconds = wanted === undefined || wanted === '' ? limit : Math.min(limit, requestedTimeout(wanted));
    request.deadline = performance.now() + milliseconds;
    const answered = next();
    return request.answer.hasEnded ? answered : within(deadlines, milliseconds, answered, request);
  };
}

/** @throws StatusError Timeout; a promise rejects with it */
function within(deadlines: Deadlines, milliseconds: number, answered: Promise<void>, request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.after(milliseconds, () => {
      const { spent } = request;
      const timeout = newTimeout(`request did not complete within the allotted timeout${spent === '' ? '' : `: ${spent}`}`);
      request.end(timeout);
      request.series?.terminated(timeout.code);
      reject(timeout);
    });
    answered.then(
      () => {
        deadlines.callOff(deadline);
        resolve();
      },
      (error) => {
        deadlines.callOff(deadline);
        reject(error);
      },
    );
  });
}

/** Milliseconds; a timeout that is not positive leaves the server's own limit. @throws StatusError BadRequest */
function requestedTimeout(text: string): number {
  const nanoseconds = readDuration(text);
  if (typeof nanoseconds === 'string') throw newBadRequest(`invalid timeout specified in the request URL - ${nanoseconds}`);
  const milliseconds = Number(nanoseconds) / 1e6;
  return milliseconds > 0 ? milliseconds : Number.MAX_SAFE_INTEGER;
}

function authenticate(authenticator: Pick<Authenticator, 'authenticate'>) {
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const known = (user: User): Promise<void> => {
      request.user = user;
      return next();
    };
    const user = authenticator.authenticate(context.req, request.info.path, (text) => addWarnings(context, [text]), request);
    return user instanceof Promise ? user.then((each) => stillWanted(request, () => known(each))) : known(user);
  };
}

function audit(auditor: RequestAuditor) {
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const begun = auditor.begin(request, context, isLongRunning(request.info));
    return begun === undefined ? next() : begun.then(() => stillWanted(request, next));
  };
}

/** Goes on behind what was waited for. @throws StatusError where nobody waits any longer, which nobody gets */
function stillWanted(request: ClientRequest, next: Next): Promise<void> {
  request.throwIfOver();
  return next();
}

function impersonate(server: Pick<ChainServer, 'authorizer' | 'identity'>) {
  const asAnother = async (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const { user } = request;
    const other = await impersonatedUser(context.req, user, server.authorizer, server.identity.text, request).catch((error) => {
      keepsType(context);
      throw error;
    });
    if (other !== undefined) Object.assign(request, { user: other, impersonator: user });
    return next();
  };
  return (context: Context, next: Next): Promise<void> => (wantsImpersonation(context.req) ? asAnother(context, next) : next());
}

/** No browser takes what is told of a path that somebody made up for anything but its type (as in 1.32). */
function keepsType({ res }: Context): void {
  res.setHeader('x-content-type-options', 'nosniff');
}

function authorize(server: Pick<ChainServer, 'authorizer' | 'identity' | 'metrics' | 'featureEnabled'>) {
  const withSelectors = server.featureEnabled('AuthorizeWithSelectors');
  const metrics = new AuthorizationMetrics(server.metrics);
  const [decisionKey, reasonKey] = [
    server.identity.text('authorization.${groupDomain}/decision'),
    server.identity.text('authorization.${groupDomain}/reason'),
  ];
  const annotate = (request: ClientRequest, { decision, reason, error }: Decision): void => {
    if (decision === 'allow' || error === undefined) request.annotate(decisionKey, decision === 'allow' ? 'allow' : 'forbid');
    request.annotate(reasonKey, decision !== 'allow' && error !== undefined ? 'internal error' : reason);
  };
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const { info, user } = request;
    const attributes = authorizationAttributes(info, user, withSelectors);
    const begun = performance.now();
    const decided = (decision: Decision): Promise<void> => {
      metrics.record(decision, (performance.now() - begun) / 1000);
      if (request.recorder !== undefined) annotate(request, decision);
      if (decision.decision === 'allow') return next();
      keepsType(context);
      throw refusedBy(attributes, decision, server.identity);
    };
    const answer = server.authorizer.authorize(attributes, request);
    return answer instanceof Promise ? answer.then(decided) : decided(answer);
  };
}

const HEALTH = ['healthz', 'livez', 'readyz'];

/** A handful of patterns; the registry maps group, version and resource in constant time. */
function useRoutes(
  app: ApiApplication,
  { server, health, otherFigures, snapshots, debugging, pages = {}, priorityLevels }: ChainParts,
): void {
  const router = new Router({ sensitive: true, strict: true });
  const checks = HEALTH.flatMap((check) => [`/${check}`, ...health.of(check).map(({ name }) => `/${check}/${name}`)]);
  const passOn = remoteHandler(server);
  const remoteFor = (path: string): RemoteVersion | undefined => server.aggregation.versions.forPath(path);
  const discovery = discoveryHandlers(server, [...checks, ...Object.keys(pages)], async (context, path) => {
    const remote = remoteFor(path);
    return remote === undefined ? notFoundPage(context) : passOn(context, remote);
  });
  const resource = resourceHandler(server);
  app.use((context, next) => {
    const remote = remoteFor(requestOf(context).info.path);
    return remote === undefined ? next() : passOn(context, remote);
  });
  // nearly every request: what its path says is known already
  app.use((context, next) => {
    const { isResource, path, group, version } = requestOf(context).info;
    const isNamed = version !== '' && (group !== '' || path.startsWith('/api/'));
    return isResource && isNamed ? resource(context) : next();
  });
  for (const path of ['/api', '/api/', '/apis', '/apis/']) router.all(path, discovery.root);
  router.all('/api/:version', discovery.coreVersion);
  router.all('/api/:version/', discovery.coreVersion);
  router.all('/apis/:group', discovery.group);
  router.all('/apis/:group/', discovery.group);
  router.all('/apis/:group/:version', discovery.version);
  router.all('/apis/:group/:version/', discovery.version);
  router.all('/api/:version/{*rest}', resource);
  router.all('/apis/:group/:version/{*rest}', resource);
  const healthMetrics = new HealthMetrics(server.metrics.table);
  router.all('/metrics', metricsHandler(server.metrics, debugging !== undefined, otherFigures));
  router.all('/metrics/slis', metricsHandler(healthMetrics.metrics, debugging !== undefined));
  const loadDebugging = () => import('../endpoints/handlers/debugging.ts');
  const { profiler, setLogLevels } = debugging ?? {};
  if (profiler !== undefined)
    for (const path of ['/debug/pprof', '/debug/pprof/', '/debug/pprof/:name'])
      router.all(path, async (context) => (await loadDebugging()).profileHandler(await profiler())(context));
  if (setLogLevels !== undefined)
    router.all('/debug/flags/:name', async (context) => (await loadDebugging()).logFlagHandler(setLogLevels)(context));
  for (const [path, page] of Object.entries(pages)) router.all(path, page);
  if (snapshots !== undefined)
    router.all(SNAPSHOT_PATH, async (context) => (await import('../endpoints/handlers/snapshot.ts')).snapshotHandler(snapshots)(context));
  if (priorityLevels !== undefined)
    router.all(`${FLOW_DUMPS_PATH}:dump`, async (context) =>
      (await import('../endpoints/handlers/flow-dumps.ts')).flowDumpsHandler(priorityLevels)(context),
    );
  const version = versionHandler(server.registry.release);
  router.all('/version', version);
  router.all('/version/', version);
  router.all('/openapi/{*rest}', discovery.openapi);
  const issuer = issuerDiscovery(server);
  for (const slash of ['', '/']) {
    router.all(CONFIGURATION_PATH + slash, issuer.configuration);
    router.all(KEYS_PATH + slash, issuer.keys);
  }
  for (const check of HEALTH) {
    router.all(`/${check}`, healthHandler(server, health, check, healthMetrics));
    router.all(`/${check}/{*name}`, healthHandler(server, health, check, healthMetrics));
  }
  for (const path of ['/', '/index.html']) router.all(path, discovery.paths);
  app.use(router.routes());
}
