/** Makes the auditor that the flags describe. */

import type { Policy } from '../../generated/audit/v1/types.ts';
import type { Identity } from '../contract/identity.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { readFileText } from '../files/file-text.ts';
import type { FileKindName } from '../files/file-versions.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import { systemReason } from '../files/system-reason.ts';
import type { Negotiator } from '../negotiation/negotiation.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { peerOf } from '../outbound/client-configuration.ts';
import type { Egress } from '../outbound/egress.ts';
import { type AuditFlags, type BackendFlags, checkAuditFlags, logFlags, mostOfAnswer, rotationOf, webhookFlags } from './audit-flags.ts';
import { AuditPolicy } from './audit-policy.ts';
import { AllSinks, type AuditSink } from './audit-sink.ts';
import { Auditor } from './auditor.ts';
import { type AuditBackend, BatchedDelivery, BlockingDelivery, BufferFull, FlowingDelivery, type Lost } from './delivery.ts';
import { LogBackend, standardOutput } from './log-backend.ts';
import { RotatingFile } from './rotating-file.ts';
import { TruncatingBackend } from './truncation.ts';
import { WebhookBackend } from './webhook-backend.ts';

export interface AuditParts {
  readonly flags: AuditFlags;
  readonly identity: Identity;
  readonly fileKinds: () => Promise<FileKinds>;
  readonly negotiator: Negotiator;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly followedFiles: FollowedFiles;
  readonly egress?: Egress | undefined;
}

/** Milliseconds between two log lines about lost events. Metrics count all of them. */
const QUIET = 10_000;

const WANTED: FileKindName = { group: 'audit.${groupDomain}', kind: 'Policy', mayMiss: ['kind'] };

/**
 * Reads the policy file and opens the backends. The file is read again when it changes; if its text is wrong then, the old policy stays in force.
 * @returns undefined if nothing is recorded
 * @throws Error that names the wrong flag or file
 */
export async function createAudit(parts: AuditParts): Promise<Auditor | undefined> {
  const { flags, identity, log } = parts;
  const version = identity.text('audit.${groupDomain}/v1');
  checkAuditFlags(flags, version);
  const file = flags['audit-policy-file'];
  const [toLog, toWebhook] = [logFlags(flags), webhookFlags(flags)];
  const backends = [toLog, toWebhook].filter((each) => each !== undefined);
  if (file === '') {
    if (backends.length > 0) log.warn({}, 'no audit policy file is given (--audit-policy-file): no events are recorded');
    return undefined;
  }
  const kinds = await parts.fileKinds();
  const read = async (text: string): Promise<AuditPolicy> => {
    const { object, warnings } = await kinds.parse(text, file, WANTED);
    for (const warning of warnings) log.warn({}, warning);
    return new AuditPolicy(object as unknown as Policy);
  };
  const text = await readFileText(file);
  const policy = await read(text);
  if (backends.length === 0) return undefined;
  const sinks: AuditSink[] = [];
  if (toLog !== undefined) sinks.push(await logSink(parts, toLog));
  if (toWebhook !== undefined) sinks.push(await webhookSink(parts, toWebhook));
  const sink = sinks.length === 1 ? (sinks[0] as AuditSink) : new AllSinks(sinks);
  const auditor = new Auditor({ ...parts, policy, sink, mostOfAnswer: mostOfAnswer(backends), closing: () => watch.close() });
  const watch = new FileWatch({
    file,
    text,
    followedFiles: parts.followedFiles,
    async changed(changed) {
      auditor.use(await read(changed));
      log.info({ file }, '--audit-policy-file: the file has been read again');
    },
    failed: (error) => log.error({ err: error, file }, '--audit-policy-file: the new text of the file is not used'),
  });
  return auditor;
}

async function logSink(parts: AuditParts, wanted: BackendFlags): Promise<AuditSink> {
  const { flags, log } = parts;
  const path = flags['audit-log-path'];
  const format = flags['audit-log-format'] as 'json' | 'legacy';
  if (path === '-') return delivery(parts, wanted, new LogBackend(standardOutput, format));
  const file = new RotatingFile(path, rotationOf(flags), (err) => log.warn({ err }, 'old audit files could not be looked after'));
  try {
    await file.open();
  } catch (error) {
    throw new Error(`--audit-log-path: ${path}: ${systemReason(error)}`, { cause: error });
  }
  return delivery(parts, wanted, new LogBackend(file, format));
}

async function webhookSink(parts: AuditParts, wanted: BackendFlags): Promise<AuditSink> {
  const { flags, identity } = parts;
  const file = flags['audit-webhook-config-file'];
  const { object } = await (await parts.fileKinds()).read(file, { group: '', kind: 'Config' });
  const initialBackoff = flags['audit-webhook-initial-backoff'];
  const peer = { ...peerOf(object, file, identity, parts.egress?.tunnel('controlplane')), metrics: parts.metrics };
  return delivery(parts, wanted, new WebhookBackend({ peer, apiVersion: wanted.version, initialBackoff }));
}

function delivery(parts: AuditParts, wanted: BackendFlags, backend: AuditBackend): AuditSink {
  const lost = lostBy(parts, backend.name);
  const { mode, batch } = wanted;
  const shortened = wanted.truncates ? shortening(parts, wanted, backend) : backend;
  if (mode !== 'batch') return new BlockingDelivery(shortened, mode === 'blocking-strict', lost);
  const { bufferSize, maxBatchSize: enough, maxBatchWait: maxWait, throttle } = batch;
  // batches do not matter to a file, unless their rate is limited
  if (backend instanceof LogBackend && throttle === undefined) return new FlowingDelivery(shortened, { bufferSize, enough, maxWait }, lost);
  return new BatchedDelivery(shortened, batch, lost);
}

function shortening(parts: AuditParts, wanted: BackendFlags, backend: AuditBackend): AuditBackend {
  const { maxEventSize, maxTruncatedBatchSize: maxBatchSize } = wanted;
  const annotation = parts.identity.text('audit.${groupDomain}/truncated');
  return new TruncatingBackend(backend, { maxEventSize, maxBatchSize, annotation }, lostBy(parts, 'truncate'));
}

/** Counts lost events, and logs them from time to time. @param step what loses those that do not stay in a full buffer */
function lostBy({ metrics, log }: AuditParts, step: string): Lost {
  const counts = metrics.counter('apiserver_audit_error_total');
  let said = Number.NEGATIVE_INFINITY;
  return (events, err) => {
    const plugin = err instanceof BufferFull ? 'buffered' : step;
    counts.with({ plugin }).inc(events);
    const now = performance.now();
    if (now - said < QUIET) return;
    said = now;
    log.error({ err, plugin, events }, 'audit events are lost');
  };
}
