/** Which webhooks a request is shown to, and what each sees of it. */
import type { MatchCondition } from '../../../generated/admissionregistration/v1/types.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Identity } from '../../contract/identity.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { newForbidden, newInternalErrorOf, StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { type RequestFacts, requestFacts } from './admission-review.ts';
import type { Candidate, Webhook } from './configured-webhooks.ts';
import type { MatchConditions } from './match-conditions.ts';
import { isSelectedByNamespace, isSelectedByObject } from './selectors.ts';
import type { Versioned, VersionedObjects } from './versioned-objects.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

export interface MatcherParts {
  readonly identity: Pick<Identity, 'text'>;
  readonly authorizer: Authorizer;
  readonly objects: Pick<ObjectLookup, 'shared'>;
  readonly featureEnabled: (gate: string) => boolean;
}

/** A webhook that is to be asked. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly facts: RequestFacts;
  readonly versioned: Versioned;
}

export class WebhookMatcher {
  readonly #parts: MatcherParts;
  readonly #conditions = new WeakMap<Webhook, Promise<MatchConditions>>();

  readonly #metrics: WebhookMetrics;

  constructor(parts: MatcherParts, metrics: WebhookMetrics) {
    this.#parts = parts;
    this.#metrics = metrics;
  }

  /** Whether the object and its namespace have the labels that the webhook wants. @throws StatusError where there is no such namespace */
  selects({ webhook: { spec } }: Candidate, attributes: AdmissionAttributes): boolean {
    const selected = isSelectedByNamespace(spec.namespaceSelector, attributes, this.#parts.objects);
    if (selected === false || !isSelectedByObject(spec.objectSelector, attributes)) return false;
    if (selected !== true) throw selected;
    return true;
  }

  /**
   * @param candidate one that is selected
   * @returns undefined for a webhook that does not want to see the request
   * @throws StatusError where that cannot be said: conditions that fail, objects that cannot be converted
   */
  async invocationOf(candidate: Candidate, attributes: AdmissionAttributes, versions: VersionedObjects): Promise<Invocation | undefined> {
    const { webhook } = candidate;
    const facts = requestFacts(attributes, candidate, this.#parts.identity);
    const versioned = await versionedFor(candidate, versions, attributes);
    const isMet = await this.#meetsConditions(webhook, attributes, facts, versioned);
    return isMet ? { webhook, facts, versioned } : undefined;
  }

  async #meetsConditions(webhook: Webhook, attributes: AdmissionAttributes, facts: RequestFacts, versioned: Versioned): Promise<boolean> {
    const { matchConditions = [] } = webhook.spec;
    const { authorizer, featureEnabled } = this.#parts;
    if (matchConditions === null || matchConditions.length === 0) return true;
    let conditions = this.#conditions.get(webhook);
    if (conditions === undefined) {
      conditions = loadConditions(matchConditions, featureEnabled);
      this.#conditions.set(webhook, conditions);
    }
    const loaded = await conditions;
    const began = performance.now();
    const outcome = await loaded.match({ attributes, facts, versioned, authorizer }, webhook.failsOpen);
    this.#metrics.recordConditions(webhook, attributes, began, outcome);
    if (typeof outcome === 'boolean') return outcome;
    throw newForbidden(attributes.resource.groupResource, attributes.name, outcome.error);
  }
}

/** Most servers never need what evaluates expressions. */
async function loadConditions(
  conditions: readonly MatchCondition[],
  featureEnabled: MatcherParts['featureEnabled'],
): Promise<MatchConditions> {
  const [loaded, { gatesOf }] = await Promise.all([import('./match-conditions.ts'), import('../expressions/compiled-expressions.ts')]);
  return new loaded.MatchConditions(conditions, gatesOf(featureEnabled, 'Webhooks'));
}

async function versionedFor({ kind }: Candidate, versions: VersionedObjects, { request }: AdmissionAttributes): Promise<Versioned> {
  try {
    return await versions.of(kind);
  } catch (error) {
    request.throwIfOver();
    if (error instanceof LongObject) throw error;
    throw newInternalErrorOf(error instanceof StatusError || error instanceof Error ? error.message : String(error));
  }
}
