/** Asks another service, by posting it a SubjectAccessReview (specification: Authorization, mode Webhook). */

import type { TraceParent } from '../../contract/trace.ts';
import { AskedService } from '../../outbound/asked-service.ts';
import type { CountRequest } from '../../outbound/delegated-requests.ts';
import { type ExchangeAnswer, ExchangeTimeout, type Peer } from '../../outbound/exchange.ts';
import { KeptAnswers } from '../../outbound/kept-answers.ts';
import { type Retries, WEBHOOK_RETRIES, withRetries } from '../../outbound/retries.ts';
import { SharedAnswer, type Waiting } from '../../outbound/shared-answer.ts';
import { answerBody } from '../../outbound/webhook-failure.ts';
import { type MemberPlace, parsedReview, reviewMember } from '../../outbound/webhook-review.ts';
import { isLong } from '../../registry/stored-objects/long-value.ts';
import type { AccessAttributes, Authorizer, Decision } from '../authorizer.ts';
import type { UserRules } from '../user-rules.ts';
import type { MatchConditions } from './match-conditions.ts';
import { type ReviewSpec, reviewSpec, specOfVersion } from './review.ts';
import type { CallResult, WebhookMetrics } from './webhook-metrics.ts';

export interface WebhookAuthorizerOptions {
  /** name of the webhook in errors and metrics */
  readonly name: string;
  readonly peer: Peer;
  /** group of the reviews that are sent */
  readonly group: string;
  readonly version: 'v1' | 'v1beta1';
  /** milliseconds for which answers are cached */
  readonly authorizedTtl: number;
  readonly unauthorizedTtl: number;
  /** milliseconds for one attempt */
  readonly timeout: number;
  /** the decision if the service does not answer, or a condition fails */
  readonly failureDecision: 'deny' | 'noOpinion';
  /** decide which requests the service is asked about; absent: all */
  readonly conditions?: MatchConditions;
  readonly retries?: Retries;
  readonly metrics: WebhookMetrics;
  /** counts answers in addition to `metrics`; absent: nothing does */
  readonly count?: CountRequest;
  /** called with failures, for the log */
  readonly failed: (error: unknown) => void;
}

/** Bytes of an answer at most: a decision with its reason is a few hundred. */
const MAX_BYTES = 128 * 1024;
/** Most cached decisions, as in 1.32. */
const MAX_DECISIONS = 8_192;
/** Most characters of a question and the reason in its answer that are cached. Longer ones are asked each time, so that nobody can fill the memory with them. */
const MAX_KEPT = 10_000;
const NOT_ASKED: Decision = { decision: 'noOpinion', reason: '' };

export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions;
  readonly #service: AskedService;
  readonly #decisions = new KeptAnswers<Decision>(MAX_DECISIONS);
  /** questions under way; whoever asks the same meanwhile shares the answer */
  readonly #asked = new Map<string, SharedAnswer<Decision>>();

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options;
    this.#service = new AskedService(options.peer, options.timeout);
  }

  async authorize(attributes: AccessAttributes, waiting?: Waiting): Promise<Decision> {
    const spec = reviewSpec(attributes);
    const { conditions } = this.#options;
    if (conditions !== undefined) {
      const outcome = this.#match(conditions, spec);
      if (outcome === 'no') return NOT_ASKED;
      if (outcome !== 'yes') return this.#failure(outcome.error);
    }
    const key = JSON.stringify(spec);
    const kept = this.#decisions.get(key);
    if (kept !== undefined) return kept;
    let asking = this.#asked.get(key);
    if (asking === undefined || asking.isGivenUp) {
      const asked: SharedAnswer<Decision> = new SharedAnswer((signal) =>
        this.#ask(spec, key, signal, waiting?.traceParent).finally(() => this.#forget(key, asked)),
      );
      this.#asked.set(key, asked);
      asking = asked;
    }
    return asking.wait(waiting);
  }

  /** Removes the question, unless another one has replaced it after it was given up. */
  #forget(key: string, asked: SharedAnswer<Decision>): void {
    if (this.#asked.get(key) === asked) this.#asked.delete(key);
  }

  rules(): UserRules {
    return {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: 'webhook authorizer does not support user rule resolution',
    };
  }

  #match(conditions: MatchConditions, spec: ReviewSpec): ReturnType<MatchConditions['match']> {
    const { metrics, name } = this.#options;
    const labels = { type: 'Webhook', name };
    const begun = performance.now();
    const outcome = conditions.match(spec);
    metrics.conditionSeconds.with(labels).observe((performance.now() - begun) / 1000);
    if (outcome === 'no') metrics.exclusions.inc(labels);
    else if (outcome !== 'yes') metrics.conditionErrors.inc(labels);
    return outcome;
  }

  /** Closes connections that are kept. */
  close(): void {
    this.#service.close();
  }

  /** @throws the reason of the signal */
  async #ask(spec: ReviewSpec, key: string, signal: AbortSignal, parent: TraceParent | undefined): Promise<Decision> {
    const { group, version, retries = WEBHOOK_RETRIES, authorizedTtl, unauthorizedTtl } = this.#options;
    const body = {
      kind: 'SubjectAccessReview',
      apiVersion: `${group}/${version}`,
      metadata: { creationTimestamp: null },
      spec: specOfVersion(spec, version),
      status: { allowed: false },
    };
    const attempt = () => this.#counted(this.#service.post({ body, maxBytes: MAX_BYTES, signal, parent }));
    try {
      const decision = this.#decisionOf(await withRetries(attempt, retries, signal));
      const ttl = decision.decision === 'allow' ? authorizedTtl : unauthorizedTtl;
      if (key.length + decision.reason.length <= MAX_KEPT) this.#decisions.set(key, decision, ttl);
      return decision;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { metrics, name, failureDecision } = this.#options;
      if (failureDecision === 'noOpinion') metrics.failedOpen.inc({ name, result: failureOf(error) });
      const failure = this.#service.failure(error);
      return this.#failure(failure instanceof Error ? failure.message : String(failure));
    }
  }

  async #counted(exchange: Promise<ExchangeAnswer>): Promise<ExchangeAnswer> {
    const { metrics, name, count } = this.#options;
    const begun = performance.now();
    const record = (result: CallResult): void => {
      metrics.evaluations.inc({ name, result });
      metrics.duration.with({ name, result }).observe((performance.now() - begun) / 1000);
    };
    try {
      const answer = await (count === undefined ? exchange : count(exchange));
      record(this.#isReview(answer) ? 'success' : 'error');
      return answer;
    } catch (error) {
      record(failureOf(error));
      throw error;
    }
  }

  #isReview(answer: ExchangeAnswer): boolean {
    try {
      this.#decisionOf(answer);
      return true;
    } catch {
      return false;
    }
  }

  /** @throws Error if the answer is no review */
  #decisionOf(answer: ExchangeAnswer): Decision {
    const { group, version } = this.#options;
    const { allowed, denied, reason } = reviewStatus(answerBody(answer), group, version);
    if (denied && allowed)
      return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' };
    return { decision: denied ? 'deny' : allowed ? 'allow' : 'noOpinion', reason };
  }

  #failure(error: string): Decision {
    this.#options.failed(new Error(`authorizer ${this.#options.name}: ${error}`));
    return { decision: this.#options.failureDecision, reason: '', error };
  }
}

function failureOf(error: unknown): CallResult {
  return error instanceof ExchangeTimeout ? 'timeout' : 'error';
}

interface ReviewStatus {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

const KIND = 'SubjectAccessReview';

/**
 * As in 1.32, what an answer does not have is taken for no, so that one without a status has no opinion.
 * @throws Error if the answer is another thing than the review, or has a member of a wrong type, because a decision that is only half understood could mean the opposite
 */
function reviewStatus(body: Buffer, group: string, version: string): ReviewStatus {
  if (isLong(body, 'answer')) throw new Error('the webhook answers more than is read of a decision');
  const review = parsedReview(body, { kind: KIND, group, version });
  const status = reviewMember(review, 'status', 'object', { path: `${KIND}.status`, type: `${version}.${KIND}Status` }) ?? {};
  const place = (member: string, type: string): MemberPlace => ({ path: `${KIND}Status.status.${member}`, type });
  reviewMember(status, 'evaluationError', 'string', place('evaluationError', 'string'));
  return {
    allowed: reviewMember(status, 'allowed', 'bool', place('allowed', 'bool')) ?? false,
    denied: reviewMember(status, 'denied', 'bool', place('denied', 'bool')) ?? false,
    reason: reviewMember(status, 'reason', 'string', place('reason', 'string')) ?? '',
  };
}
