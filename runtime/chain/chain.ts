/**
 * The chain that every request goes through, in the order in which it runs. The body is untouched until authorization has passed.
 *
 * A step is an async function only where it has to wait: otherwise it would cost every request several turns of the microtask queue.
 */
import type { Context, Next } from 'koa';
import type { Authenticator } from '../authentication/authenticator.ts';
import { impersonatedUser, wantsImpersonation } from '../authentication/impersonation.ts';
import { AuthorizationMetrics } from '../authorization/authorization-metrics.ts';
import type { Decision } from '../authorization/authorizer.ts';
import { refusedBy } from '../authorization/forbidden.ts';
import { headerLine } from '../connections/usual-headers.ts';
import type { User } from '../contract/request-context.ts';
import { notFoundPage } from '../endpoints/handlers/resource.ts';
import { authorizationAttributes } from '../endpoints/request/authorization-attributes.ts';
import { type ClientRequest, requestOf } from '../endpoints/request/client-request.ts';
import { isLongRunning, resolveRequestInfo } from '../endpoints/request/request-info.ts';
import { addWarnings } from '../endpoints/request/warnings.ts';
import { ApiApplication } from './application.ts';
import type { ChainParts, ChainServer, RequestAuditor, RequestTracer } from './chain-parts.ts';
import { Deadlines } from './deadlines.ts';
import { renderStatus } from './error-answers.ts';
import { fairTurns } from './fair-turns.ts';
import { withLoneStreams } from './lone-streams.ts';
import { mostRecent } from './most-recent.ts';
import { deadline } from './request-deadline.ts';
import { useRoutes } from './routes.ts';
import { TracedChain } from './traced-chain.ts';

/** Makes the application whose middleware is the chain. Parts that are absent leave their steps out. */
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
  app.use(deadline(parts.requestTimeout, parts.deadlines ?? new Deadlines(), parts.server.measured));
  app.use(mostRecent(parts.server));
  const isLone = parts.server.featureEnabled('UnauthenticatedHTTP2DOSMitigation');
  const authenticator = isLone ? withLoneStreams(parts.authenticator) : parts.authenticator;
  app.use(traced.part('authentication', authenticate(authenticator)));
  if (parts.auditor !== undefined) app.use(traced.part('audit', audit(parts.auditor)));
  app.use(traced.part('impersonation', impersonate(parts.server)));
  if (parts.turns !== undefined) app.use(traced.part('priorityandfairness', fairTurns(parts.turns, parts.server.measured)));
  if (parts.authorized !== true) app.use(traced.part('authorization', authorize(parts.server)));
  if (parts.barrier !== undefined) app.use(parts.barrier);
  if (parts.peers !== undefined) app.use(parts.peers);
  useRoutes(app, parts);
  app.use(notFoundPage);
  traced.hold(app.middleware.slice(first));
  app.on('error', (error) => parts.server.log[isDisconnect(error) ? 'debug' : 'warn']({ err: error }, 'a response could not be finished'));
  return app;
}

/** Tells whether an error only means that the client has gone, which is no fault of the server. */
function isDisconnect({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/**
 * Converts the target of a request to a path with its query, whichever form of RFC 9112, section 3.2, it has, so that authorization, routing and relays read
 * the same path. `#` and backslashes are escaped, because URL parsers would take them for the beginning of a fragment and for slashes.
 */
function originForm(target: string): string {
  const path = target.startsWith('/') ? target : (/^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/is.exec(target)?.[1] ?? target);
  const rooted = path.startsWith('/') || path === '*' ? path : `/${path}`;
  return /[#\\]/.test(rooted) ? rooted.replaceAll('#', '%23').replaceAll('\\', '%5C') : rooted;
}

/**
 * Reads from the URL what the request is about, and begins its trace if it has one: a separate step for that would cost every request more than the decision
 * itself.
 */
function resolveInfo(tracer: RequestTracer | undefined, traced: TracedChain) {
  return (context: Context, next: Next): Promise<void> => {
    const { req } = context;
    const request = requestOf(context);
    const { method = '', url = '' } = req;
    req.url = originForm(url);
    request.info = resolveRequestInfo(method, req.url);
    if (!request.info.isResource && req.url.includes('%')) req.url = withoutEscapes(req.url, request.info.path);
    const trace = tracer?.begin(request, context);
    if (trace === undefined) return next();
    request.trace = trace;
    return traced.run(context);
  };
}

/** The router reads paths as they are written: in 1.32 `/%68ealthz` is `/healthz`. */
function withoutEscapes(url: string, path: string): string {
  const mark = url.indexOf('?');
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent) + (mark < 0 ? '' : url.slice(mark));
}

function withTransportSecurity(directives: string) {
  const line = headerLine('strict-transport-security', directives);
  return (context: Context, next: Next): Promise<void> => {
    requestOf(context).answer.addUsual(line);
    return next();
  };
}

/** The paths whose answers are compressed even while the gate APIResponseCompression is off. */
const COMPRESSED_ANYHOW = /^\/(?:metrics|openapi\/v2)(?:\/|$)/;

/** Makes requests of the API ignore `Accept-Encoding`. It is a step of the chain only while the gate APIResponseCompression is off. */
function withoutCompression(context: Context, next: Next): Promise<void> {
  if (!COMPRESSED_ANYHOW.test(requestOf(context).info.path)) delete context.req.headers['accept-encoding'];
  return next();
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

/** Goes on after a step has waited. @throws StatusError if the request's deadline has passed or its client has gone meanwhile */
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

/** Keeps browsers from guessing the content type of an error, as in 1.32: its text repeats a path, which an attacker may have chosen. */
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
