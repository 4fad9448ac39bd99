/** Who answers at the end of the chain, by the path. */
import { createRequire } from 'node:module';
import type { RemoteVersion } from '../aggregation/remote-version.ts';
import { requestOf } from '../endpoints/client-request.ts';
import { FLOW_DUMPS_PATH } from '../endpoints/flow-dumps-path.ts';
import { discoveryHandlers } from '../endpoints/handlers/discovery.ts';
import { healthHandler } from '../endpoints/handlers/health.ts';
import { CONFIGURATION_PATH, issuerDiscovery, KEYS_PATH } from '../endpoints/handlers/issuer-discovery.ts';
import { metricsHandler } from '../endpoints/handlers/metrics.ts';
import type { RemoteHandlerServer, remoteVersionHandler } from '../endpoints/handlers/remote-version.ts';
import { notFoundPage, resourceHandler } from '../endpoints/handlers/resource.ts';
import { versionHandler } from '../endpoints/handlers/version.ts';
import { SNAPSHOT_PATH } from '../endpoints/snapshot-path.ts';
import { HealthMetrics } from '../observability/health-metrics.ts';
import type { ApiApplication } from './application.ts';
import type { ChainParts } from './chain-parts.ts';

// Its form for import loads whatever the exports of node:http name (see upgrade.ts).
const { default: Router } = createRequire(import.meta.url)('@koa/router') as typeof import('@koa/router');

/** Has other servers answer. What does so is loaded with the first request that they answer. */
function remoteHandler(server: RemoteHandlerServer): ReturnType<typeof remoteVersionHandler> {
  let loading: Promise<ReturnType<typeof remoteVersionHandler>> | undefined;
  const load = async () => (await import('../endpoints/handlers/remote-version.ts')).remoteVersionHandler(server);
  return async (context, remote) => {
    loading ??= load();
    return (await loading)(context, remote);
  };
}

const HEALTH = ['healthz', 'livez', 'readyz'];

/** A handful of patterns; the registry maps group, version and resource in constant time. */
export function useRoutes(
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
