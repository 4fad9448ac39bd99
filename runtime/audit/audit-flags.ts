/** The flags of audit: checks their combinations, and makes settings of them. */
import { LONGEST_TIMER } from '../contract/longest-timer.ts';
import type { BatchOptions } from './delivery.ts';
import type { Rotation } from './rotating-file.ts';

export interface AuditFlags {
  readonly 'audit-policy-file': string;
  readonly 'audit-log-path': string;
  readonly 'audit-log-format': string;
  /** days */
  readonly 'audit-log-maxage': number;
  readonly 'audit-log-maxbackup': number;
  /** MiB */
  readonly 'audit-log-maxsize': number;
  readonly 'audit-log-compress': boolean;
  readonly 'audit-webhook-config-file': string;
  /** milliseconds */
  readonly 'audit-webhook-initial-backoff': number;
  readonly workers: number;
  readonly 'audit-log-mode': string;
  readonly 'audit-log-version': string;
  readonly 'audit-log-truncate-enabled': boolean;
  /** bytes */
  readonly 'audit-log-truncate-max-batch-size': number;
  readonly 'audit-log-truncate-max-event-size': number;
  readonly 'audit-log-batch-buffer-size': number;
  readonly 'audit-log-batch-max-size': number;
  /** milliseconds */
  readonly 'audit-log-batch-max-wait': number;
  readonly 'audit-log-batch-throttle-enable': boolean;
  readonly 'audit-log-batch-throttle-qps': number;
  readonly 'audit-log-batch-throttle-burst': number;
  readonly 'audit-webhook-mode': string;
  readonly 'audit-webhook-version': string;
  readonly 'audit-webhook-truncate-enabled': boolean;
  /** bytes */
  readonly 'audit-webhook-truncate-max-batch-size': number;
  readonly 'audit-webhook-truncate-max-event-size': number;
  readonly 'audit-webhook-batch-buffer-size': number;
  readonly 'audit-webhook-batch-max-size': number;
  /** milliseconds */
  readonly 'audit-webhook-batch-max-wait': number;
  readonly 'audit-webhook-batch-throttle-enable': boolean;
  readonly 'audit-webhook-batch-throttle-qps': number;
  readonly 'audit-webhook-batch-throttle-burst': number;
}

/** The settings that both backends have. */
export interface BackendFlags {
  readonly mode: string;
  readonly version: string;
  readonly batch: BatchOptions;
  readonly truncates: boolean;
  /** bytes */
  readonly maxEventSize: number;
  readonly maxTruncatedBatchSize: number;
}

/** How many batches may be under way at a time: many for the log, which writes them together, and a few for the webhook. */
const LOG_AT_ONCE = 1_000;
const WEBHOOK_AT_ONCE = 4;

/** @returns undefined if the backend is off */
export function logFlags(flags: AuditFlags): BackendFlags | undefined {
  if (flags['audit-log-path'] === '') return undefined;
  const isThrottled = flags['audit-log-batch-throttle-enable'];
  const throttle = { perSecond: flags['audit-log-batch-throttle-qps'], burst: flags['audit-log-batch-throttle-burst'] };
  return {
    mode: flags['audit-log-mode'],
    version: flags['audit-log-version'],
    batch: {
      bufferSize: flags['audit-log-batch-buffer-size'],
      maxBatchSize: flags['audit-log-batch-max-size'],
      maxBatchWait: Math.min(flags['audit-log-batch-max-wait'], LONGEST_TIMER),
      ...(isThrottled && { throttle }),
      atOnce: LOG_AT_ONCE,
    },
    truncates: flags['audit-log-truncate-enabled'],
    maxEventSize: flags['audit-log-truncate-max-event-size'],
    maxTruncatedBatchSize: flags['audit-log-truncate-max-batch-size'],
  };
}

/** @returns undefined if the backend is off */
export function webhookFlags(flags: AuditFlags): BackendFlags | undefined {
  if (flags['audit-webhook-config-file'] === '') return undefined;
  const isThrottled = flags['audit-webhook-batch-throttle-enable'];
  const throttle = { perSecond: flags['audit-webhook-batch-throttle-qps'], burst: flags['audit-webhook-batch-throttle-burst'] };
  return {
    mode: flags['audit-webhook-mode'],
    version: flags['audit-webhook-version'],
    batch: {
      bufferSize: flags['audit-webhook-batch-buffer-size'],
      maxBatchSize: flags['audit-webhook-batch-max-size'],
      maxBatchWait: Math.min(flags['audit-webhook-batch-max-wait'], LONGEST_TIMER),
      ...(isThrottled && { throttle }),
      atOnce: WEBHOOK_AT_ONCE,
    },
    truncates: flags['audit-webhook-truncate-enabled'],
    maxEventSize: flags['audit-webhook-truncate-max-event-size'],
    maxTruncatedBatchSize: flags['audit-webhook-truncate-max-batch-size'],
  };
}

/** Checks the settings of the backends that are on. @param version the only version that events have. @throws Error that names the wrong flag */
export function checkAuditFlags(flags: AuditFlags, version: string): void {
  const log = logFlags(flags);
  if (log !== undefined) {
    checkBackend(log, 'log', version);
    for (const name of ['audit-log-maxage', 'audit-log-maxbackup', 'audit-log-maxsize'] as const)
      if (flags[name] < 0) throw new Error(`--${name} ${flags[name]} can't be a negative number`);
  }
  const webhook = webhookFlags(flags);
  if (webhook !== undefined) checkBackend(webhook, 'webhook', version);
}

function checkBackend(flags: BackendFlags, backend: 'log' | 'webhook', version: string): void {
  const wrong = (name: string, problem: string): Error => new Error(`--audit-${backend}-${name}: ${problem}`);
  const positive = (name: string, value: number): void => {
    if (value <= 0) throw wrong(name, `${value} must be a positive number`);
  };
  if (flags.version !== version)
    throw wrong('version', `invalid group version ${JSON.stringify(flags.version)}, the only one is ${version}`);
  const { bufferSize, maxBatchSize, throttle } = flags.batch;
  if (flags.mode === 'batch') {
    positive('batch-buffer-size', bufferSize);
    positive('batch-max-size', maxBatchSize);
    if (throttle !== undefined) {
      positive('batch-throttle-qps', throttle.perSecond);
      positive('batch-throttle-burst', throttle.burst);
    }
  }
  // as in 1.32, also where nothing is shortened
  const { maxEventSize, maxTruncatedBatchSize } = flags;
  positive('truncate-max-event-size', maxEventSize);
  if (maxTruncatedBatchSize < maxEventSize)
    throw wrong('truncate-max-batch-size', `${maxTruncatedBatchSize} must not be less than the max event size (${maxEventSize})`);
}

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;
/** The size in MiB for which the flag's value 0 stands, as in 1.32. */
const USUAL_SIZE = 100;

export function rotationOf(flags: AuditFlags): Rotation {
  return {
    maxBytes: (flags['audit-log-maxsize'] || USUAL_SIZE) * MIB,
    maxAge: flags['audit-log-maxage'] * DAY,
    maxBackups: flags['audit-log-maxbackup'],
    compress: flags['audit-log-compress'],
    isShared: flags.workers > 1,
  };
}

/** @returns the most bytes of an answer that are kept for events; if all backends truncate, they would leave longer ones out anyway */
export function mostOfAnswer(backends: readonly BackendFlags[]): number {
  return Math.max(...backends.map(({ truncates, maxEventSize }) => (truncates ? maxEventSize : MOST_WHOLE)));
}

/** The most bytes of an answer in an event, because the event must fit into one string of V8. */
const MOST_WHOLE = 256 * MIB;
