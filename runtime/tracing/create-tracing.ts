/** Sets up tracing by the configuration file and the environment. The module is loaded only if there is such a file. */
import type { TracingConfiguration } from '../../generated/apiserverconfig/v1beta1/types.ts';
import type { Target } from '../client/transport/tunnel.ts';
import type { TunnelSocket } from '../egress/tunnel-socket.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import type { FileKindName } from '../files/file-versions.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Egress } from '../outbound/egress.ts';
import { Collector, PartialSuccess } from './collector.ts';
import { batchLimits, collectorHeaders, type Environment, resourceAttributes } from './environment.ts';
import { ServiceCalls } from './service-calls.ts';
import { SpanQueue, type SpanQueueParts } from './span-queue.ts';
import { TraceIds } from './trace-ids.ts';
import { Tracer } from './tracer.ts';

export interface TracingParts {
  /** of --tracing-config-file */
  readonly file: string;
  readonly fileKinds: () => Promise<FileKinds>;
  readonly environment: Environment;
  /** tells this server from others; undefined: nothing does */
  readonly instance: string | undefined;
  readonly programVersion: string;
  /** proxies on the way to the collector; absent: it is reached directly */
  readonly egress?: Egress | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<Metrics, 'counter'>;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** traces calls that belong to no request */
  readonly serviceCalls: ServiceCalls;
  /** takes spans that other threads have recorded */
  readonly queue: SpanQueue;
  /** Sends the spans that have ended, within a few seconds. */
  close(): Promise<void>;
}

const SERVICE = 'apiserver';
const SCOPE = 'cluster-apiserver';
const DEFAULT_ENDPOINT = 'localhost:4317';

/** @throws FileError, EnvironmentError */
export async function createTracing(parts: TracingParts): Promise<Tracing> {
  const { object, warnings } = await (await parts.fileKinds()).read(parts.file, KIND);
  for (const warning of warnings) parts.log.warn({}, warning);
  const { endpoint: stated = '', samplingRatePerMillion = 0 } = object as TracingConfiguration;
  const endpoint = stated === '' ? DEFAULT_ENDPOINT : stated;
  const { environment, instance, programVersion } = parts;
  const resource = resourceAttributes(environment).set('service.name', SERVICE);
  if (instance !== undefined) resource.set('service.instance.id', instance);
  const way = await wayTo(endpoint, parts);
  const collector = new Collector({
    endpoint: way === undefined ? endpoint : `unix:${way.path}`,
    resource: [...resource].flat(),
    scope: { name: SCOPE, version: programVersion },
    headers: collectorHeaders(environment),
  });
  const send: SpanQueueParts['send'] = (spans, signal) => collector.send(spans, signal);
  const queue = new SpanQueue({ send, ...counted(parts, endpoint), limits: batchLimits(environment) });
  const ids = new TraceIds(samplingRatePerMillion);
  return {
    tracer: new Tracer(ids, queue),
    serviceCalls: new ServiceCalls(ids, queue),
    queue,
    async close() {
      await queue.close();
      collector.close();
      way?.close();
    },
  };
}

/** Makes a socket that leads to the collector through a proxy. @returns undefined if it is reached directly */
async function wayTo(endpoint: string, { egress, log }: TracingParts): Promise<TunnelSocket | undefined> {
  const tunnel = egress?.tunnel('controlplane');
  const target = tunnel && targetOf(endpoint);
  if (tunnel === undefined || target === undefined) return undefined;
  const { TunnelSocket } = await import('../egress/tunnel-socket.ts');
  return TunnelSocket.open(tunnel, target, (err) => log.warn({ err, endpoint }, 'the collector of traces is not reached'));
}

/** @returns undefined for a socket of this machine */
function targetOf(endpoint: string): Target | undefined {
  const [, host, port] = /^(?:dns:(?:\/\/[^/]*\/)?|ipv[46]:)?(?:\[(?=.*\]))?([^/[\]]+?)\]?:(\d+)$/.exec(endpoint) ?? [];
  return host === undefined ? undefined : { host, port: Number(port) };
}

const KIND: FileKindName = {
  group: 'apiserver.config.${groupDomain}',
  kind: 'TracingConfiguration',
  mayMiss: ['kind', 'apiVersion'],
};

/** Milliseconds between two log lines about dropped spans. Metrics count all of them. */
const QUIET = 60_000;

/** Counts spans, and logs from time to time that some were dropped. */
function counted({ metrics, log }: TracingParts, endpoint: string): Pick<SpanQueueParts, 'taken' | 'dropped'> {
  const exported = metrics.counter('apiserver_tracing_exported_spans_total').with({});
  const total = metrics.counter('apiserver_tracing_dropped_spans_total');
  const reasons = Object.fromEntries(REASONS.map((reason) => [reason, total.with({ reason })])) as Record<
    (typeof REASONS)[number],
    ReturnType<typeof total.with>
  >;
  let said = Number.NEGATIVE_INFINITY;
  return {
    taken: (spans) => exported.inc(spans),
    dropped(spans, reason, error) {
      const rejected = error instanceof PartialSuccess ? Math.min(error.rejected, spans) : spans;
      reasons[reason].inc(rejected);
      if (rejected < spans) exported.inc(spans - rejected);
      const now = performance.now();
      if (now - said < QUIET) return;
      said = now;
      log.warn({ endpoint, reason, spans: rejected, ...(error !== undefined && { err: error }) }, 'spans of traces are dropped');
    },
  };
}

const REASONS = ['queue_full', 'not_taken', 'shutdown'] as const;
