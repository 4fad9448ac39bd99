/** ValidatingAdmissionWebhook: all webhooks that a request is for are asked at the same time, and one that refuses is enough. */
import { newInternalErrorOf } from '../status/status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import { type Candidate, ConfiguredWebhooks } from './webhooks/configured-webhooks.ts';
import { CallError } from './webhooks/refusals.ts';
import { VersionedObjects } from './webhooks/versioned-objects.ts';
import { WebhookCaller } from './webhooks/webhook-caller.ts';
import type { WebhookCredentials } from './webhooks/webhook-credentials.ts';
import { type Invocation, WebhookMatcher } from './webhooks/webhook-matcher.ts';

const NAME = 'ValidatingAdmissionWebhook';
const FAILED_OPEN = 'failed-open.validating.webhook.admission.${groupDomain}';

export function validatingWebhooks(parts: PluginParts): AdmissionPlugin {
  const { identity, followed, log, configuration } = parts;
  const caller = new WebhookCaller({ ...parts, credentials: configuration(NAME) as WebhookCredentials | undefined }, false);
  const configured = new ConfiguredWebhooks(followed('validatingwebhookconfigurations'), (webhooks) => caller.keep(webhooks));
  const matcher = new WebhookMatcher(parts);
  const failedOpen = identity.text(FAILED_OPEN);

  const ask = async ({ webhook, facts, versioned }: Invocation, attributes: AdmissionAttributes, index: number): Promise<void> => {
    try {
      await caller.ask(webhook, attributes, facts, versioned);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (!webhook.failsOpen) throw newInternalErrorOf(error.message);
      attributes.request.annotate(`${failedOpen}/round_0_index_${index}`, webhook.name);
      log.warn({ err: error }, 'a validating webhook that may fail has not been asked');
    }
  };

  const askAll = async (candidates: readonly Candidate[], attributes: AdmissionAttributes): Promise<void> => {
    const versions = new VersionedObjects(attributes);
    const invocations: Invocation[] = [];
    for (const candidate of candidates) {
      const invocation = await matcher.invocationOf(candidate, attributes, versions);
      if (invocation !== undefined) invocations.push(invocation);
    }
    const outcomes = await Promise.allSettled(invocations.map((invocation, index) => ask(invocation, attributes, index)));
    attributes.request.throwIfOver();
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
  };

  return {
    validate(attributes) {
      const candidates = configured.candidates(attributes);
      if (candidates.length > 0) return askAll(candidates, attributes);
    },
    close: () => caller.keep([]),
  };
}
