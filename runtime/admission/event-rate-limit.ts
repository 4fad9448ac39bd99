/** Events come no faster than the plugin's configuration allows: of the server, of a namespace, of a user, or of a source about one object. */
import type { ApiObject } from '../contract/object.ts';
import { isObject } from '../schema/member.ts';
import { newTooManyEvents } from '../status/status.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import type { AdmissionAttributes } from './request/attributes.ts';
import { TokenBucket } from './token-bucket.ts';

const KEYS: Readonly<Record<string, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object),
};
/** Buckets that are kept of one limit, where the configuration does not say. */
const CACHE_SIZE = 4_096;

interface Limit {
  readonly type: string;
  /** events a second, and at once */
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize: number;
}

/** @param now milliseconds of a clock that never goes back. @throws Error for a configuration that is none */
export function eventRateLimit({ configuration }: Pick<PluginParts, 'configuration'>, now = () => performance.now()): AdmissionPlugin {
  const limits = limitsOf(configuration('EventRateLimit')).map((limit) => new Limiter(limit));
  return {
    validate(attributes) {
      const { operation, kind, options } = attributes;
      if ((operation !== 'create' && operation !== 'update') || options.dryRun || kind.group !== '' || kind.kind !== 'Event') return;
      const time = now();
      const reached = limits.flatMap((limit) => limit.problem(attributes, time) ?? []);
      if (reached.length > 0) throw newTooManyEvents(reached.length === 1 ? (reached[0] as string) : `[${reached.join(', ')}]`);
    },
  };
}

class Limiter {
  readonly #limit: Limit;
  /** the one that was asked for last comes last */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** Counts the event. @returns undefined where it is within the limit */
  problem(attributes: AdmissionAttributes, now: number): string | undefined {
    const { type } = this.#limit;
    const key = (KEYS[type] as (attributes: AdmissionAttributes) => string)(attributes);
    return this.#bucket(key, now).take(now) ? undefined : `limit reached on type ${type} for key ${key}`;
  }

  #bucket(key: string, now: number): TokenBucket {
    const { qps, burst, cacheSize } = this.#limit;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(qps, burst, now);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > cacheSize) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }
}

function sourceAndObject(event: ApiObject | undefined): string {
  const { source = {}, involvedObject = {} } = (event ?? {}) as { source?: Named; involvedObject?: Named };
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source.component, source.host, kind, namespace, name, uid, apiVersion].map((part) => part ?? '').join('');
}
type Named = Readonly<Record<string, string | undefined>>;

/** @throws Error that tells all that is wrong */
function limitsOf(given: unknown): Limit[] {
  const limits = isObject(given) ? given.limits : undefined;
  if (!Array.isArray(limits) || limits.length === 0)
    throw new Error('EventRateLimit: limits: Required value: at least one is needed, by the configuration file');
  const problems: string[] = [];
  const read = limits.map((limit: Readonly<Record<string, unknown>>, index): Limit => {
    const { type, qps, burst, cacheSize = CACHE_SIZE } = isObject(limit) ? limit : {};
    const at = `limits[${index}]`;
    if (typeof type !== 'string' || !Object.hasOwn(KEYS, type))
      problems.push(`${at}.type: Unsupported value: ${JSON.stringify(type ?? '')}: supported values: ${Object.keys(KEYS).join(', ')}`);
    if (!isPositive(qps)) problems.push(`${at}.qps: Invalid value: ${JSON.stringify(qps ?? 0)}: must be positive`);
    if (!isPositive(burst)) problems.push(`${at}.burst: Invalid value: ${JSON.stringify(burst ?? 0)}: must be positive`);
    if (type !== 'Server' && (!Number.isSafeInteger(cacheSize) || (cacheSize as number) < 0))
      problems.push(`${at}.cacheSize: Invalid value: ${JSON.stringify(cacheSize)}: must not be negative`);
    return {
      type: String(type),
      qps: Number(qps),
      burst: Number(burst),
      cacheSize: (type !== 'Server' && Number(cacheSize)) || CACHE_SIZE,
    };
  });
  if (problems.length > 0) throw new Error(`EventRateLimit: ${problems.join('; ')}`);
  return read;
}

const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
