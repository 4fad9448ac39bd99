/** Events come no faster than the plugin's configuration allows: of the server, of a namespace, of a user, or of a source about one object. */

import type { EventRateLimit, EventRateLimitConfiguration } from '../../../generated/eventratelimit/v1alpha1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { ApiObject } from '../../contract/object.ts';
import { newTooManyEvents } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { TokenBucket } from './token-bucket.ts';

const KEYS: Readonly<Record<string, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object),
};
/** Buckets that are kept of one limit, where the configuration does not say. */
const CACHE_SIZE = 4_096;

/** @param now milliseconds of a clock that never goes back. @throws Error without a configuration */
export function eventRateLimit({ configuration }: Pick<PluginParts, 'configuration'>, now = () => performance.now()): AdmissionPlugin {
  const limits = limitsOf(configuration('EventRateLimit') as EventRateLimitConfiguration | undefined).map((limit) => new Limiter(limit));
  return {
    validate(attributes) {
      const { operation, kind, options } = attributes;
      if ((operation !== 'create' && operation !== 'update') || options.dryRun || kind.group !== '' || kind.kind !== 'Event') return;
      const time = now();
      const reached = limits.flatMap((limit) => limit.problem(attributes, time) ?? []);
      if (reached.length > 0) throw newTooManyEvents(aggregateText(reached));
    },
  };
}

class Limiter {
  readonly #limit: EventRateLimit;
  /** the one that was asked for last comes last */
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #most: number;

  constructor(limit: EventRateLimit) {
    this.#limit = limit;
    // all events of the server have one bucket
    this.#most = limit.type === 'Server' ? 1 : limit.cacheSize || CACHE_SIZE;
  }

  /** Counts the event. @returns undefined where it is within the limit */
  problem(attributes: AdmissionAttributes, now: number): string | undefined {
    const { type } = this.#limit;
    const key = (KEYS[type] as (attributes: AdmissionAttributes) => string)(attributes);
    return this.#bucket(key, now).take(now) ? undefined : `limit reached on type ${type} for key ${key}`;
  }

  #bucket(key: string, now: number): TokenBucket {
    const { qps, burst } = this.#limit;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(qps, burst, now);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#most) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }
}

function sourceAndObject(event: ApiObject | undefined): string {
  const { source = {}, involvedObject = {} } = (event ?? {}) as { source?: Named; involvedObject?: Named };
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source.component, source.host, kind, namespace, name, uid, apiVersion].map((part) => part ?? '').join('');
}
type Named = Readonly<Record<string, string | undefined>>;

/** @throws Error without a configuration */
function limitsOf(configuration: EventRateLimitConfiguration | undefined): readonly EventRateLimit[] {
  const { limits } = configuration ?? {};
  if (!limits) throw new Error('EventRateLimit: limits: Required value: at least one is needed, by the configuration file');
  return limits;
}
