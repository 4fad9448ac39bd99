/** Webhooks of both kinds of configurations. What an older release let pass stays allowed where the stored object has it already. */
import { duplicate, type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { dns1035Label, dnsSubdomain } from '../../formats/names.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { eachItem, oneOf } from '../core/findings.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { validateClientConfig } from './client-config.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { FAILURE_POLICIES, MATCH_POLICIES, validateRuleWithOperations } from './resource-rules.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

interface Strictness {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
}

const STRICT: Strictness = { noSideEffects: true, knownReviewVersion: true, uniqueNames: true };

export const webhookConfigurationRules: KindRules = {
  validateCreate: ({ webhooks }) => validateWebhooks(webhooks, STRICT),
  validateUpdate: ({ webhooks }, old) => validateWebhooks(webhooks, strictnessAfter(old.webhooks ?? [])),
};

function strictnessAfter(old: readonly Struct[]): Strictness {
  return {
    noSideEffects: old.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects)),
    knownReviewVersion: old.every(({ admissionReviewVersions }) => namesKnownVersion(admissionReviewVersions ?? [])),
    uniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
  };
}

function namesKnownVersion(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version));
}

function validateWebhooks(webhooks: readonly Struct[] | undefined, strictness: Strictness): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(webhooks, 'webhooks', (webhook, path) => {
    const again = strictness.uniqueNames && webhook.name !== '' && seen.has(webhook.name);
    seen.add(webhook.name);
    return [
      ...validateWebhook(webhook, path, strictness),
      ...validateReviewVersions(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`, strictness.knownReviewVersion),
      ...(again ? [duplicate(`${path}.name`, webhook.name)] : []),
    ];
  });
}

function validateWebhook(webhook: Struct, path: string, strictness: Strictness): readonly FieldError[] {
  const { timeoutSeconds } = webhook;
  return [
    ...validateWebhookName(webhook.name, `${path}.name`),
    ...eachItem<Struct>(webhook.rules, `${path}.rules`, validateRuleWithOperations),
    ...oneOf(webhook.failurePolicy, `${path}.failurePolicy`, FAILURE_POLICIES),
    ...oneOf(webhook.matchPolicy, `${path}.matchPolicy`, MATCH_POLICIES),
    ...validateSideEffects(webhook.sideEffects, `${path}.sideEffects`, strictness.noSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS),
    ...(timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)
      ? [invalid(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`),
    ...oneOf(webhook.reinvocationPolicy, `${path}.reinvocationPolicy`, REINVOCATION_POLICIES),
    ...validateClientConfig(webhook.clientConfig, `${path}.clientConfig`),
    ...validateMatchConditions(webhook.matchConditions, `${path}.matchConditions`),
  ];
}

/** A domain of three labels or more, so that webhooks of different owners cannot meet. */
function validateWebhookName(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path)];
  const problems = dnsSubdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  return name.split('.').length < 3 ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')] : [];
}

function validateSideEffects(value: string | null | undefined, path: string, allowed: readonly string[]): readonly FieldError[] {
  if (value === undefined || value === null) return [required(path, `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}

function validateReviewVersions(versions: readonly string[], path: string, needsKnown: boolean): readonly FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  return reviewVersionErrors(versions, path, needsKnown && !namesKnownVersion(versions));
}

/** @param noneKnown whether to report that no version is known to the server */
export function reviewVersionErrors(versions: readonly string[], path: string, noneKnown: boolean): readonly FieldError[] {
  const seen = new Set<string>();
  const errors = eachItem(versions, path, (version, at) => {
    if (seen.has(version)) return [invalid(at, version, 'duplicate version')];
    seen.add(version);
    return dns1035Label(version).map((message) => invalid(at, version, message));
  });
  if (!noneKnown) return errors;
  return [...errors, invalidShown(path, goStrings(versions), `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}
