/** Chooses by the path which handler answers at the end of the chain. */
import { createRequire } from 'node:module';
import type { RemoteVersion } from '../aggregation/remote-version.ts';
import { FLOW_DUMPS_PATH } from '../endpoints/flow-dumps-path.ts';
import { discoveryHandlers } from '../endpoints/handlers/pages/discovery.ts';
import { healthHandler } from '../endpoints/handlers/pages/health.ts';
import { CONFIGURATION_PATH, issuerDiscovery, KEYS_PATH } from '../endpoints/handlers/pages/issuer-discovery.ts';
import { metricsHandler } from '../endpoints/handlers/pages/metrics.ts';
import type { RemoteHandlerServer, remoteVersionHandler } from '../endpoints/handlers/pages/remote-version.ts';
import { versionHandler } from '../endpoints/handlers/pages/version.ts';
import { notFoundPage, resourceHandler } from '../endpoints/handlers/resource.ts';
import { requestOf } from '../endpoints/request/client-request.ts';
import { SNAPSHOT_PATH } from '../endpoints/request/snapshot-path.ts';
import { HealthMetrics } from '../observability/health-metrics.ts';
import type { ApiApplication } from './application.ts';
import type { ChainParts, Debugging } from './chain-parts.ts';

// An import statement would load everything that node:http exports, including Node's whole client for fetch (see upgrade.ts).
const { default: Router } = createRequire(import.meta.url)('@koa/router') as typeof import('@koa/router');

/** Passes requests on to other API servers. The handler is loaded with the first such request. */
function remoteHandler(server: RemoteHandlerServer): ReturnType<typeof remoteVersionHandler> {
  let loading: Promise<ReturnType<typeof remoteVersionHandler>> | undefined;
  const load = async () => (await import('../endpoints/handlers/pages/remote-version.ts')).remoteVersionHandler(server);
  return async (context, remote) => {
    loading ??= load();
    return (await loading)(context, remote);
  };
}

const HEALTH = ['healthz', 'livez', 'readyz'];

const createRouter = () => new Router({ sensitive: true, strict: true });

type ApiRouter = ReturnType<typeof createRouter>;

/**
 * Adds the handlers to the end of the chain. Requests for other API servers and for resources, which are nearly all, are recognized by the path that the chain
 * has parsed already. A router with a few patterns, of which the first that matches counts, handles the rest.
 */
export function useRoutes(app: ApiApplication, parts: ChainParts): void {
  const { server, health, otherFigures, snapshots, debugging, pages = {}, priorityLevels } = parts;
  const router = createRouter();
  const passOn = remoteHandler(server);
  const remoteFor = (path: string): RemoteVersion | undefined => server.aggregation.versions.forPath(path);
  const discovery = discoveryHandlers(server, [...healthPaths(health), ...Object.keys(pages)], async (context, path) => {
    const remote = remoteFor(path);
    return remote === undefined ? notFoundPage(context) : passOn(context, remote);
  });
  const resource = resourceHandler(server);
  app.use((context, next) => {
    const remote = remoteFor(requestOf(context).info.path);
    return remote === undefined ? next() : passOn(context, remote);
  });
  app.use((context, next) => {
    const { isResource, path, group, version } = requestOf(context).info;
    const isNamed = version !== '' && path.startsWith(group === '' ? '/api/' : '/apis/');
    return isResource && isNamed ? resource(context) : next();
  });
  routeApi(router, discovery, resource);
  const healthMetrics = new HealthMetrics(server.metrics.table);
  router.all('/metrics', metricsHandler(server.metrics, debugging !== undefined, otherFigures));
  router.all('/metrics/slis', metricsHandler(healthMetrics.metrics, debugging !== undefined));
  if (debugging !== undefined) routeDebugging(router, debugging);
  for (const [path, page] of Object.entries(pages)) router.all(path, page);
  if (snapshots !== undefined)
    router.all(SNAPSHOT_PATH, async (context) =>
      (await import('../endpoints/handlers/pages/snapshot.ts')).snapshotHandler(snapshots)(context),
    );
  if (priorityLevels !== undefined)
    router.all(`${FLOW_DUMPS_PATH}:dump`, async (context) =>
      (await import('../endpoints/handlers/pages/flow-dumps.ts')).flowDumpsHandler(priorityLevels)(context),
    );
  const version = versionHandler(server.registry.release);
  const issuer = issuerDiscovery(server);
  for (const slash of ['', '/']) {
    router.all(`/version${slash}`, version);
    router.all(CONFIGURATION_PATH + slash, issuer.configuration);
    router.all(KEYS_PATH + slash, issuer.keys);
  }
  router.all('/openapi/{*rest}', discovery.openapi);
  for (const check of HEALTH) {
    router.all(`/${check}`, healthHandler(server, health, check, healthMetrics));
    router.all(`/${check}/{*name}`, healthHandler(server, health, check, healthMetrics));
  }
  for (const path of ['/', '/index.html']) router.all(path, discovery.paths);
  app.use(anyMethod(router));
}

/**
 * Answers by the first pattern that matches the path, whatever the method: each handler says itself which it serves. The router's own middleware knows the methods
 * of Node alone, but HTTP/2 has any word as one.
 */
function anyMethod(router: ApiRouter): ReturnType<ApiRouter['routes']> {
  const middleware: Parameters<ApiApplication['use']>[0] = (context, next) => {
    const [route] = router.match(context.path, 'GET').pathAndMethod;
    const [answer] = route?.stack ?? [];
    if (route === undefined || answer === undefined) return next();
    const params = route.params(context.path, route.captures(context.path), {});
    return answer(Object.assign(context, { params }) as Parameters<typeof answer>[0], next);
  };
  return middleware;
}

/** Lists the paths of all health checks together and of each one. */
const healthPaths = (health: ChainParts['health']): string[] =>
  HEALTH.flatMap((check) => [`/${check}`, ...health.of(check).map(({ name }) => `/${check}/${name}`)]);

/** Routes the documents of discovery, and paths of resources that the chain does not recognize as such. */
function routeApi(router: ApiRouter, discovery: ReturnType<typeof discoveryHandlers>, resource: ReturnType<typeof resourceHandler>): void {
  for (const slash of ['', '/']) {
    router.all(`/api${slash}`, discovery.root);
    router.all(`/apis${slash}`, discovery.root);
    router.all(`/api/:version${slash}`, discovery.coreVersion);
    router.all(`/apis/:group${slash}`, discovery.group);
    router.all(`/apis/:group/:version${slash}`, discovery.version);
  }
  router.all('/api/:version/{*rest}', resource);
  router.all('/apis/:group/:version/{*rest}', resource);
}

/** Routes profiles and log levels. Their handlers are loaded with the first request. */
function routeDebugging(router: ApiRouter, { profiler, setLogLevels }: Debugging): void {
  const load = () => import('../endpoints/handlers/pages/debugging.ts');
  for (const path of ['/debug/pprof', '/debug/pprof/', '/debug/pprof/:name'])
    router.all(path, async (context) => (await load()).profileHandler(await profiler())(context));
  if (setLogLevels !== undefined) router.all('/debug/flags/:name', async (context) => (await load()).logFlagHandler(setLogLevels)(context));
}
