/** Asks validating webhooks. Loaded with the first one that a request is for. */
import { newInternalErrorOf } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { Candidate, Webhook } from './configured-webhooks.ts';
import type { DispatcherParts } from './dispatcher-parts.ts';
import { CallError, isFailure } from './refusals.ts';
import { VersionedObjects } from './versioned-objects.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { WebhookCredentials } from './webhook-credentials.ts';
import { type Invocation, WebhookMatcher } from './webhook-matcher.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.${groupDomain}';

export class ValidatingDispatcher {
  readonly #parts: DispatcherParts;
  readonly #caller: WebhookCaller;
  readonly #matcher: WebhookMatcher;
  readonly #metrics: WebhookMetrics;
  readonly #failedOpen: string;

  /** @param credentials with which webhooks are asked; absent: as nobody */
  constructor(parts: DispatcherParts, credentials: WebhookCredentials | undefined) {
    this.#parts = parts;
    this.#caller = new WebhookCaller({ ...parts, credentials }, false);
    this.#metrics = new WebhookMetrics(parts.metrics, false);
    this.#matcher = new WebhookMatcher(parts, this.#metrics);
    this.#failedOpen = parts.identity.text(FAILED_OPEN);
  }

  /** Closes the connections to where none of these webhooks is. */
  keep(webhooks: readonly Webhook[]): void {
    this.#caller.keep(webhooks);
  }

  async dispatch(candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void> {
    const versions = new VersionedObjects(attributes);
    const invocations: Invocation[] = [];
    for (const candidate of candidates) {
      if (!this.#matcher.selects(candidate, attributes)) continue;
      const invocation = await this.#matcher.invocationOf(candidate, attributes, versions);
      if (invocation !== undefined) invocations.push(invocation);
    }
    if (invocations.length === 0) return;
    const began = performance.now();
    // as in 1.32, clients are told of the first one to refuse, in time
    const refusals: unknown[] = [];
    const asking = invocations.map((invocation, index) =>
      this.#ask(invocation, attributes, index).catch((error) => void refusals.push(error)),
    );
    await Promise.all(asking);
    attributes.request.took('validating-webhook', performance.now() - began);
    attributes.request.throwIfOver();
    if (refusals.length > 0) throw refusals[0];
  }

  async #ask({ webhook, facts, versioned }: Invocation, attributes: AdmissionAttributes, index: number): Promise<void> {
    try {
      await this.#metrics.counted(webhook, attributes, () => this.#caller.ask(webhook, attributes, facts, versioned));
    } catch (error) {
      if (webhook.failsOpen && isFailure(error)) attributes.request.annotate(`${this.#failedOpen}/round_0_index_${index}`, webhook.name);
      if (!(error instanceof CallError)) throw error;
      if (!webhook.failsOpen) throw newInternalErrorOf(error.message);
      this.#parts.log.warn({ problem: error.message }, 'a validating webhook that may fail has not been asked');
    }
  }
}
