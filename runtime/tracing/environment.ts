/** Reads the environment variables of OpenTelemetry that the exporter of 1.32 reads too. */
import { type BatchLimits, DEFAULT_LIMITS } from './span-queue.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable has an invalid value. */
export class EnvironmentError extends Error {}

/** Headers for the collector, such as credentials. Variables for traces take precedence over general ones. @throws EnvironmentError */
export function collectorHeaders(environment: Environment): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const variable of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'])
    for (const [name, value] of pairs(variable, environment)) {
      const key = name.toLowerCase();
      if (!HEADER_NAME.test(key)) throw new EnvironmentError(`${variable}: ${JSON.stringify(name)} is no name of a header`);
      // values may be secrets, so no message may show them
      if (!HEADER_VALUE.test(value)) throw new EnvironmentError(`${variable}: the value of ${key} holds what no header may hold`);
      headers[key] = value;
    }
  return headers;
}

const HEADER_NAME = /^(?!grpc-)[0-9a-z_.-]+(?<!-bin)$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Attributes of this program, such as its cluster. @throws EnvironmentError */
export function resourceAttributes(environment: Environment): Map<string, string> {
  return new Map(pairs('OTEL_RESOURCE_ATTRIBUTES', environment));
}

/** @throws EnvironmentError */
export function batchLimits(environment: Environment): BatchLimits {
  const number = (variable: string, fallback: number): number => {
    const text = environment[variable] ?? '';
    if (text === '') return fallback;
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new EnvironmentError(`${variable}: ${JSON.stringify(text)} is no number from 1 to 999999999`);
    return Number(text);
  };
  const queued = Math.min(number('OTEL_BSP_MAX_QUEUE_SIZE', DEFAULT_LIMITS.queued), MOST_QUEUED);
  const batch = number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', DEFAULT_LIMITS.batch);
  return { queued, batch: Math.min(batch, queued), delay: number('OTEL_BSP_SCHEDULE_DELAY', DEFAULT_LIMITS.delay) };
}

/** The most spans that a variable may allow to wait, because they take memory. */
const MOST_QUEUED = 100_000;

/** Reads `KEY=VALUE,KEY=VALUE`, with special characters escaped as in URLs (W3C Baggage). @throws EnvironmentError */
function pairs(variable: string, environment: Environment): [key: string, value: string][] {
  const entries = (environment[variable] ?? '').split(',').filter((each) => each.trim() !== '');
  return entries.map((entry, index) => {
    const at = entry.indexOf('=');
    const key = entry.slice(0, Math.max(at, 0)).trim();
    if (key === '') throw new EnvironmentError(`${variable}: entry ${index + 1} is not KEY=VALUE`);
    try {
      return [decodeURIComponent(key), decodeURIComponent(entry.slice(at + 1).trim())];
    } catch {
      throw new EnvironmentError(`${variable}: entry ${index + 1} has an escape that is none`);
    }
  });
}
