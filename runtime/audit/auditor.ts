/** Begins to record requests by the policy. It is the step of the chain between authentication and impersonation. */
import type { IncomingMessage } from 'node:http';
import type { Identity } from '../contract/identity.ts';
import type { Negotiator } from '../negotiation/negotiation.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { newInternalErrorOf, type StatusError } from '../status/status.ts';
import { EventHead } from './audit-event.ts';
import type { AuditPolicy, Recording } from './audit-policy.ts';
import type { AuditSink } from './audit-sink.ts';
import type { AuditedClient, HttpExchange } from './audited-client.ts';
import { type Client, clientOf } from './client-origin.ts';
import { microseconds, RequestAudit, type RequestAuditParts } from './request-audit.ts';

export interface AuditorParts {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
  readonly negotiator: Pick<Negotiator, 'encodingOf'>;
  readonly identity: Pick<Identity, 'text'>;
  /** the most bytes of an answer that are recorded */
  readonly mostOfAnswer: number;
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Metrics;
  /** is called when the auditor closes */
  readonly closing?: () => void;
}

export class Auditor {
  #policy: AuditPolicy;
  readonly #closing: (() => void) | undefined;
  readonly #sink: AuditSink;
  readonly #apiVersion: string;
  readonly #parts: RequestAuditParts;
  readonly #countLevel: (level: string) => void;
  readonly #countRejected: () => void;

  constructor({ policy, sink, negotiator, identity, mostOfAnswer, log, metrics, closing }: AuditorParts) {
    this.#policy = policy;
    this.#closing = closing;
    this.#sink = sink;
    this.#apiVersion = identity.text('audit.${groupDomain}/v1');
    const events = metrics.counter('apiserver_audit_event_total').with({});
    this.#parts = {
      sink,
      negotiator,
      latencyPrefix: identity.text('apiserver.latency.${groupDomain}/'),
      mostOfAnswer,
      failed: (err) => log.warn({ err }, 'an answer could not be recorded'),
      counted: () => events.inc(),
    };
    const levels = metrics.counter('apiserver_audit_level_total');
    const counts = new Map(['None', 'Metadata', 'Request', 'RequestResponse'].map((level) => [level, levels.with({ level })]));
    this.#countLevel = (level) => counts.get(level)?.inc();
    const rejected = metrics.counter('apiserver_audit_requests_rejected_total').with({});
    this.#countRejected = () => rejected.inc();
  }

  /**
   * Records the request of a known user.
   * @param isLongRunning whether the beginning of the answer is an event of its own
   * @returns undefined if the request may go on at once; a promise rejects as this function throws
   * @throws StatusError InternalError if the request cannot be recorded and must not go on without that
   */
  begin(request: AuditedClient, exchange: HttpExchange, isLongRunning: boolean): Promise<void> | undefined {
    const client = clientOf(exchange.req, request.user);
    const recording = this.#recordingOf(request, client, exchange);
    if (recording.level === 'None') return undefined;
    const audit = new RequestAudit(this.#parts, recording, this.#headOf(request, client, exchange, recording), request, exchange);
    request.recorder = audit;
    const received = audit.received();
    if (received instanceof Promise) return received.then((taken) => this.#goOn(audit, isLongRunning, taken));
    this.#goOn(audit, isLongRunning, received);
    return undefined;
  }

  #goOn(audit: RequestAudit, isLongRunning: boolean, taken: boolean): void {
    if (taken) return audit.follow(isLongRunning);
    this.#countRejected();
    throw newInternalErrorOf('failed to store audit event');
  }

  /** Records a request that was refused before. @param error with which it is answered */
  refuse(request: AuditedClient, exchange: HttpExchange, { status }: StatusError): void {
    const client = clientOf(exchange.req, request.user);
    const recording = this.#recordingOf(request, client, exchange);
    if (recording.level === 'None') return;
    const audit = new RequestAudit(this.#parts, recording, this.#headOf(request, client, exchange, recording), request, exchange);
    audit.refuse(status);
  }

  /** Applies another policy to later requests. */
  use(policy: AuditPolicy): void {
    this.#policy = policy;
  }

  close(): Promise<void> {
    this.#closing?.();
    return this.#sink.close();
  }

  #recordingOf({ info, askedName }: AuditedClient, { user }: Client, { req }: HttpExchange): Recording {
    const asked = askedName === info?.name ? info : info && { ...info, name: askedName };
    const recording = this.#policy.recording(asked ?? { ...NOTHING, verb: verbOf(req), path: pathOf(req) }, user);
    this.#countLevel(recording.level);
    return recording;
  }

  #headOf(request: AuditedClient, { user, origin }: Client, { req }: HttpExchange, { level }: Recording): EventHead {
    return new EventHead({
      apiVersion: this.#apiVersion,
      level,
      auditID: request.id,
      requestURI: req.url ?? '',
      verb: request.info?.verb ?? verbOf(req),
      user,
      origin,
      received: microseconds(request.received),
    });
  }
}

const NOTHING = { isResource: false, namespace: '', group: '', resource: '', subresource: '', name: '' };

const verbOf = ({ method = '' }: IncomingMessage): string => method.toLowerCase();
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] as string;
