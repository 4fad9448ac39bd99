/** Asks webhooks, over connections that are kept for as long as a configuration names where they lead. */
import { authoritiesProblemSlices } from '../../certificates/authorities.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Span, TraceAttributes } from '../../contract/trace.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { qualifiedName } from '../../formats/labels.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import { answersHeard, type HeardAnswer, noteAnswer, takeAnswer, type WebhookFailure } from '../../outbound/heard-answers.ts';
import { WeakCertificates } from '../../outbound/weak-certificates.ts';
import { webhookAgent } from '../../outbound/webhook-agent.ts';
import {
  isItself,
  type QuestionLimits,
  type ServiceRoutes,
  WebhookClient,
  type WebhookPlace,
  webhookName,
} from '../../outbound/webhook-client.ts';
import { WebhookError } from '../../outbound/webhook-failure.ts';
import { type Review, ReviewError } from '../../outbound/webhook-review.ts';
import { isLong, LongObject } from '../../registry/stored-objects/long-value.ts';
import { type AdmissionAttributes, canBeMoved } from '../request/attributes.ts';
import { AnswerError, answerOf, type RequestFacts, type ReviewAnswer, reviewOf, reviewText } from './admission-review.ts';
import { noteCall } from './called-webhooks.ts';
import type { Webhook } from './configured-webhooks.ts';
import { CallError, newDenial, newDryRunUnsupported } from './refusals.ts';
import type { Versioned } from './versioned-objects.ts';
import type { WebhookCredentials } from './webhook-credentials.ts';

export interface CallerParts {
  readonly identity: Pick<Identity, 'text'>;
  readonly serviceRoutes: ServiceRoutes;
  readonly egress?: Egress | undefined;
  readonly metrics: Pick<Metrics, 'counter' | 'histogram'>;
  /** absent if webhooks are asked without credentials */
  readonly credentials?: WebhookCredentials | undefined;
  /** whether answers that take long may be read on this thread; if not, other requests wait for it */
  readonly mayTakeLong: boolean;
}

/** The most bytes of an answer, whose patch may contain a whole object in base64. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The most bytes of an answer that cannot be left to another thread. */
const MAX_SHORT_BYTES = 256 * 1024;
const DEFAULT_SECONDS = 10;
const HARMLESS: readonly string[] = ['None', 'NoneOnDryRun'];

export class WebhookCaller {
  readonly #parts: CallerParts;
  readonly #mutates: boolean;
  readonly #weakCertificates: WeakCertificates;
  /** the clients by the places of the webhooks */
  readonly #clients = new Map<string, CountedClient>();

  /** @param mutates whether the webhooks may change objects */
  constructor(parts: CallerParts, mutates: boolean) {
    this.#parts = parts;
    this.#mutates = mutates;
    this.#weakCertificates = new WeakCertificates(parts.metrics, 'webhooks', parts.identity);
  }

  /** Closes the connections to where none of these webhooks is, once nobody waits for an answer of theirs. */
  keep(webhooks: readonly Webhook[]): void {
    if (this.#clients.size === 0) return;
    const kept = new Set(webhooks.map(({ place }) => place));
    for (const [place, client] of this.#clients)
      if (!kept.has(place)) {
        this.#clients.delete(place);
        client.retire();
      }
  }

  /**
   * What a webhook says of a request; its warnings and annotations are passed on.
   * @throws CallError where there is no answer; StatusError where the webhook refuses, where it must not be asked, and when the request's time is over
   */
  async ask(webhook: Webhook, attributes: AdmissionAttributes, facts: RequestFacts, versioned: Versioned): Promise<ReviewAnswer> {
    if (attributes.options.dryRun && !HARMLESS.includes(webhook.spec.sideEffects ?? '')) throw newDryRunUnsupported(webhook.name);
    const answer = await this.#answer(webhook, attributes, facts, versioned);
    const { request } = attributes;
    for (const key in answer.auditAnnotations) {
      const full = `${webhook.name}/${key}`;
      if (qualifiedName(full).length === 0) request.annotate(full, answer.auditAnnotations[key] as string);
    }
    for (const warning of answer.warnings) request.warn?.(warning as string);
    if (!answer.allowed) throw newDenial(webhook.name, answer.status);
    return answer;
  }

  async #answer(webhook: Webhook, attributes: AdmissionAttributes, facts: RequestFacts, versioned: Versioned): Promise<ReviewAnswer> {
    const { request } = attributes;
    request.throwIfOver();
    let span: Span | undefined;
    const ended = noteCall(request, `admission webhook ${JSON.stringify(webhook.name)}`);
    try {
      const asked = reviewOf(webhook.spec.admissionReviewVersions ?? [], this.#parts.identity);
      span = request.trace?.current.begin(
        this.#mutates ? 'Call mutating webhook' : 'Call validating webhook',
        callOf(webhook, attributes, asked),
      );
      const { review, bytes } = await this.#bytesOf(webhook, attributes, asked, reviewText(asked, facts, versioned), span);
      span?.event('Request completed');
      return answerOf(bytes, review, this.#mutates);
    } catch (error) {
      if (error instanceof WebhookError)
        this.#weakCertificates.note(error, webhookName(webhook.spec.clientConfig as WebhookPlace), request);
      throw callErrorOf(error, webhook.name);
    } finally {
      ended();
      span?.end();
    }
  }

  /**
   * What a webhook answers, or has answered to the same question on another thread.
   * @throws LongObject where another thread is to read it; what asking throws
   */
  async #bytesOf(
    webhook: Webhook,
    attributes: AdmissionAttributes,
    review: Review,
    question: string,
    span: Span | undefined,
  ): Promise<{ readonly review: Review; readonly bytes: Buffer }> {
    const { request } = attributes;
    const key = `${this.#mutates ? 'mutating' : 'validating'} ${webhook.id} ${question}`;
    if (this.#parts.mayTakeLong) {
      const known = answersHeard(request) && takeAnswer(request, key, review.uid);
      if (known !== undefined) return { review: { ...review, uid: known.uid }, bytes: bytesHeard(known) };
    }
    const isMovable = canBeMoved(attributes);
    const maxBytes = this.#parts.mayTakeLong || isMovable ? MAX_BYTES : MAX_SHORT_BYTES;
    const limits = { maxBytes, ...timeFor(webhook, request.deadline), signal: request.signal, parent: span ?? request.traceParent };
    const client = this.#clients.get(webhook.place) ?? (await this.#newClient(webhook));
    if (this.#parts.mayTakeLong || !isMovable) return { review, bytes: await client.post(question, limits) };
    const note = (answer: HeardAnswer['answer']): void => noteAnswer(request, { question: key, uid: review.uid, answer });
    const bytes = await client.post(question, limits).catch((error) => {
      if (error instanceof WebhookError) note(failureOf(error));
      throw error;
    });
    note(bytes);
    if (isLong(bytes, 'answer')) throw new LongObject();
    return { review, bytes };
  }

  /** @throws CallError for a bundle of authorities by which nobody can be believed */
  async #newClient({ name, place, spec }: Webhook): Promise<CountedClient> {
    const { serviceRoutes, egress, metrics, credentials, identity } = this.#parts;
    const where = spec.clientConfig as WebhookPlace;
    const problem = where.caBundle && !isItself(where, serviceRoutes) ? await inTurns(authoritiesProblemSlices(where.caBundle)) : undefined;
    if (problem !== undefined) throw new CallError(name, `could not get REST client: unable to load root certificates: ${problem}`);
    // another request may have made it meanwhile
    let client = this.#clients.get(place);
    if (client === undefined) {
      client = new CountedClient(
        new WebhookClient(where, {
          serviceRoutes,
          egress,
          metrics,
          userAgent: webhookAgent(identity),
          ...(credentials && { credentials: credentials.of(where) }),
        }),
      );
      this.#clients.set(place, client);
    }
    return client;
  }
}

/** @throws WebhookError, as whoever has asked */
function bytesHeard({ answer }: HeardAnswer): Buffer {
  if (answer instanceof Uint8Array) return Buffer.from(answer.buffer, answer.byteOffset, answer.length);
  throw new WebhookError(answer.message, answer);
}

const failureOf = ({ message, status }: WebhookError): WebhookFailure => ({ message, ...(status !== undefined && { status }) });

/** Makes the attributes of a call in traces, as in 1.32. */
function callOf(
  { configuration, name }: Webhook,
  { resource, subresource, operation }: AdmissionAttributes,
  { uid }: { uid: string },
): TraceAttributes {
  const { group, version } = resource.groupVersion;
  return {
    configuration,
    webhook: name,
    resource: `${group}/${version}, Resource=${resource.data.name}`,
    subresource,
    operation: operation.toUpperCase(),
    UID: uid,
  };
}

/** A client that is closed when it is asked no longer. */
class CountedClient {
  readonly #client: WebhookClient;
  #asked = 0;
  #isRetired = false;

  constructor(client: WebhookClient) {
    this.#client = client;
  }

  async post(json: string, limits: QuestionLimits): Promise<Buffer> {
    this.#asked++;
    try {
      return await this.#client.post(json, limits);
    } finally {
      this.#asked--;
      this.#closeUnused();
    }
  }

  retire(): void {
    this.#isRetired = true;
    this.#closeUnused();
  }

  #closeUnused(): void {
    if (this.#isRetired && this.#asked === 0) this.#client.close();
  }
}

/**
 * What is left of the request's time, where that is no more than the webhook may take: it is told how long anybody waits, and the request's end is what ends
 * it.
 */
function timeFor(
  { spec: { timeoutSeconds = DEFAULT_SECONDS } }: Webhook,
  deadline = Number.POSITIVE_INFINITY,
): Pick<QuestionLimits, 'seconds' | 'endsBySignal'> {
  const left = (deadline - performance.now()) / 1_000;
  return left > timeoutSeconds ? { seconds: timeoutSeconds } : { seconds: Math.max(1, Math.ceil(left)), endsBySignal: true };
}

/** What is none of a webhook's faults is left as it is, such as the end of the request's time. */
function callErrorOf(error: unknown, webhook: string): unknown {
  if (error instanceof AnswerError) return new CallError(webhook, `received invalid webhook response: ${error.message}`);
  if (error instanceof WebhookError) return new CallError(webhook, `failed to call webhook: ${error.message}`, error.status);
  if (error instanceof ReviewError) return new CallError(webhook, `failed to call webhook: ${error.message}`);
  return error;
}
