/** What asking webhooks takes, and what comes of it; counted under the names of 1.32. */
import type { Metrics } from '../../observability/metrics.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import { NOBODY_WAITS } from '../../status/nobody-waits.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { Webhook } from './configured-webhooks.ts';
import { CallError, Denial, isFailure } from './refusals.ts';

const PREFIX = 'apiserver_admission';
/** Codes beyond count as this one, so that nobody makes any number of figures. */
const MAX_CODE = 600;
const [OK, UNAVAILABLE] = [200, 503];

type Counting = Pick<Metrics, 'counter' | 'histogram'>;
type Asked = Pick<AdmissionAttributes, 'operation'>;

/** The metrics of all webhooks of one kind. */
export class WebhookMetrics {
  readonly #type: string;
  readonly #figures: ReturnType<typeof figuresOf>;

  /** @param mutates whether the webhooks may change objects */
  constructor(metrics: Counting, mutates: boolean) {
    this.#type = mutates ? 'admit' : 'validating';
    this.#figures = figuresOf(metrics);
  }

  /** Counts one question, and what it comes to. @throws what `ask` throws */
  async counted<T>(webhook: Webhook, attributes: Asked, ask: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const answer = await ask();
      this.#record(webhook, attributes, began, { code: OK, rejects: false });
      return answer;
    } catch (error) {
      // where another thread does the request anew, nothing has come of it yet
      if (!(error instanceof LongObject)) this.#record(webhook, attributes, began, outcomeOf(error, webhook.failsOpen));
      throw error;
    }
  }

  #record({ name }: Webhook, asked: Asked, began: number, { code: of, rejects, error, isClientGone = false }: Outcome): void {
    const { seconds, requests, rejections, failedOpen } = this.#figures;
    const [type, operation, rejected, code] = [this.#type, asked.operation.toUpperCase(), String(rejects), String(of)];
    seconds.with({ name, operation, rejected, type }).observe((performance.now() - began) / 1_000);
    requests.inc({ code, name, operation, rejected, type });
    if (isClientGone) return;
    if (rejects) rejections.inc({ error_type: error ?? 'no_error', name, operation, rejection_code: code, type });
    else if (error !== undefined) failedOpen.inc({ name, type });
  }

  /** @param began of `performance.now()`. @param outcome whether the conditions of a webhook are met, or that they cannot be evaluated */
  recordConditions({ name }: Webhook, { operation }: Asked, began: number, outcome: boolean | object): void {
    const { conditionSeconds, exclusions, conditionErrors } = this.#figures;
    const labels = { kind: 'webhook', name, operation: operation.toUpperCase(), type: this.#type };
    conditionSeconds.with(labels).observe((performance.now() - began) / 1_000);
    if (outcome === false) exclusions.inc(labels);
    else if (outcome !== true) conditionErrors.inc(labels);
  }
}

function figuresOf(metrics: Counting) {
  return {
    seconds: metrics.histogram(`${PREFIX}_webhook_admission_duration_seconds`),
    requests: metrics.counter(`${PREFIX}_webhook_request_total`),
    rejections: metrics.counter(`${PREFIX}_webhook_rejection_count`),
    failedOpen: metrics.counter(`${PREFIX}_webhook_fail_open_count`),
    conditionSeconds: metrics.histogram(`${PREFIX}_match_condition_evaluation_seconds`),
    exclusions: metrics.counter(`${PREFIX}_match_condition_exclusions_total`),
    conditionErrors: metrics.counter(`${PREFIX}_match_condition_evaluation_errors_total`),
  };
}

interface Outcome {
  readonly code: number;
  readonly rejects: boolean;
  /** absent: the webhook has answered */
  readonly error?: 'calling_webhook_error' | 'apiserver_internal_error';
  /** true: nobody was refused anything, nor let through; default false */
  readonly isClientGone?: boolean;
}

function outcomeOf(error: unknown, failsOpen: boolean): Outcome {
  if (error instanceof Denial) return { code: Math.min(error.code, MAX_CODE), rejects: true };
  if (error === NOBODY_WAITS) return { code: UNAVAILABLE, rejects: !failsOpen, isClientGone: true };
  if (isFailure(error))
    return { code: error instanceof CallError ? error.code : UNAVAILABLE, rejects: !failsOpen, error: 'calling_webhook_error' };
  return { code: 0, rejects: true, error: 'apiserver_internal_error' };
}
