/** Who decides about requests: what a file given with --authorization-config must fulfil. Expressions are compiled by whoever evaluates them. */
import path from 'node:path';
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import { eachItem, neededOneOf } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const SPECIFIED_TYPES = ['Node', 'RBAC', 'Webhook'];
const TYPES = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', ...SPECIFIED_TYPES];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const FAILURE_POLICIES = ['NoOpinion', 'Deny'];
const FILE_CONNECTION = 'KubeConfigFile';
const CONNECTIONS = ['InClusterConfig', FILE_CONNECTION];
/** the same as a connection by file, in the words of the specification */
const SPECIFIED_FILE_CONNECTION = 'KubeConfig';
const MOST_CONDITIONS = 64;
const LONGEST_TIMEOUT = 30_000_000_000n;

/** What differs between the specification and the release. */
interface Strictness {
  readonly types: readonly string[];
  readonly conditionVersionAlways: boolean;
}

export function rules({ authorizationFileAsSpecified: asSpecified }: Identity): KindRules {
  const strictness = { types: asSpecified ? SPECIFIED_TYPES : TYPES, conditionVersionAlways: asSpecified };
  return {
    ...(asSpecified && { defaults: ({ authorizers }) => (authorizers ?? []).forEach(nameFileConnection) }),
    validate: ({ authorizers }) => validateAuthorizers(authorizers ?? [], strictness),
  };
}

function nameFileConnection({ webhook }: Struct): void {
  if (webhook?.connectionInfo.type === SPECIFIED_FILE_CONNECTION) webhook.connectionInfo.type = FILE_CONNECTION;
}

function validateAuthorizers(authorizers: readonly Struct[], strictness: Strictness): readonly FieldError[] {
  const names = new Set<string>();
  const types = new Set<string>();
  return [
    ...(authorizers.length === 0 ? [required('authorizers', 'at least one authorization mode must be defined')] : []),
    ...eachItem(authorizers, 'authorizers', (authorizer, at) => [
      ...validateType(authorizer.type, `${at}.type`, types, strictness),
      ...validateName(authorizer.name, `${at}.name`, names),
      ...validateParts(authorizer, at, strictness),
    ]),
  ];
}

/** @param seen types of those before; only services may be there more than once */
function validateType(type: string, at: string, seen: Set<string>, { types }: Strictness): readonly FieldError[] {
  const errors = neededOneOf(type, at, types);
  if (errors.length > 0) return errors;
  if (type !== 'Webhook' && seen.has(type)) return [duplicate(at, type)];
  seen.add(type);
  return [];
}

function validateName(name: string, at: string, seen: Set<string>): readonly FieldError[] {
  if (name === '') return [required(at)];
  if (seen.has(name)) return [duplicate(at, name)];
  seen.add(name);
  const problems = dnsSubdomain(name);
  return problems.length > 0 ? [invalid(at, name, `authorizer name is invalid: ${problems.join(', ')}`)] : [];
}

function validateParts({ type, webhook }: Struct, at: string, strictness: Strictness): readonly FieldError[] {
  if (type === 'Webhook')
    return webhook === undefined
      ? [required(`${at}.webhook`, 'required when type=Webhook')]
      : validateWebhook(webhook, `${at}.webhook`, strictness);
  return webhook === undefined ? [] : [invalid(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook')];
}

function validateWebhook(webhook: Struct, at: string, { conditionVersionAlways }: Strictness): readonly FieldError[] {
  const conditions: readonly Struct[] = webhook.matchConditions ?? [];
  return [
    ...validateTimeout(webhook.timeout, `${at}.timeout`),
    ...validateTimeToLive(webhook.authorizedTTL, `${at}.authorizedTTL`),
    ...validateTimeToLive(webhook.unauthorizedTTL, `${at}.unauthorizedTTL`),
    ...neededOneOf(webhook.subjectAccessReviewVersion, `${at}.subjectAccessReviewVersion`, REVIEW_VERSIONS),
    ...validateConditionVersion(
      webhook.matchConditionSubjectAccessReviewVersion,
      `${at}.matchConditionSubjectAccessReviewVersion`,
      conditionVersionAlways || conditions.length > 0,
    ),
    ...neededOneOf(webhook.failurePolicy, `${at}.failurePolicy`, FAILURE_POLICIES),
    ...validateConnection(webhook.connectionInfo, `${at}.connectionInfo`),
    ...validateConditions(conditions, `${at}.matchConditions`),
  ];
}

function validateTimeout(timeout: string, at: string): readonly FieldError[] {
  const nanoseconds = parseDuration(timeout) ?? 0n;
  if (nanoseconds === 0n) return [required(at)];
  return nanoseconds > LONGEST_TIMEOUT || nanoseconds < 0n ? [invalid(at, timeout, 'must be > 0s and <= 30s')] : [];
}

/** What is not there, or nothing, has got its default by now. */
function validateTimeToLive(duration: string, at: string): readonly FieldError[] {
  return (parseDuration(duration) ?? 0n) < 0n ? [invalid(at, duration, 'must be > 0s')] : [];
}

function validateConditionVersion(version: string, at: string, isNeeded: boolean): readonly FieldError[] {
  if (version === '') return isNeeded ? [required(at, 'required if match conditions are specified')] : [];
  return version === 'v1' ? [] : [notSupported(at, version, ['v1'])];
}

function validateConnection({ type, kubeConfigFile }: Struct, at: string): readonly FieldError[] {
  const errors = neededOneOf(type, `${at}.type`, CONNECTIONS);
  if (errors.length > 0) return errors;
  const file = `${at}.kubeConfigFile`;
  const isThere = kubeConfigFile !== undefined && kubeConfigFile !== null;
  if (type !== FILE_CONNECTION) return isThere ? [invalid(file, kubeConfigFile, `can only be set when type=${FILE_CONNECTION}`)] : [];
  if (!kubeConfigFile) return [required(file)];
  return path.isAbsolute(kubeConfigFile) ? [] : [invalid(file, kubeConfigFile, 'must be an absolute path')];
}

function validateConditions(conditions: readonly Struct[], at: string): readonly FieldError[] {
  if (conditions.length > MOST_CONDITIONS) return [tooMany(at, conditions.length, MOST_CONDITIONS)];
  const seen = new Set<string>();
  return eachItem(conditions, at, ({ expression }, condition) => {
    if (expression.trim() === '') return [required(`${condition}.expression`)];
    if (seen.has(expression)) return [duplicate(`${condition}.expression`, expression)];
    seen.add(expression);
    return [];
  });
}
