/** Webhooks of both kinds of configurations. What an older release let pass stays allowed where the stored object has it already. */
import type { MutatingWebhook, ValidatingWebhook } from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, notSupported, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { newUnder } from './expressions/admission-environments.ts';
import type { ExpressionScope } from './expressions/expression-rules.ts';
import { PolicyExpressions } from './expressions/policy-expressions.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

type Webhook = ValidatingWebhook | MutatingWebhook;
interface Configuration {
  readonly webhooks?: readonly Webhook[];
}

/** What the webhooks of one configuration are held to. */
interface Strictness extends ExpressionScope {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  /** names that were there before; undefined: names may repeat */
  readonly names: Set<string> | undefined;
}

/** New configurations in v1beta1, which release 1.22 removed, are held to less. */
export function strictness(_configuration: Configuration, old: Configuration | undefined, context: RuleContext): Strictness {
  const before = old?.webhooks ?? [];
  const isLax = old === undefined && context.request.version.endsWith('/v1beta1');
  return {
    noSideEffects: !isLax && before.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects ?? '')),
    knownReviewVersion: before.every(({ admissionReviewVersions }) => namesKnownVersion(admissionReviewVersions ?? [])),
    names: isLax || new Set(before.map(({ name }) => name)).size !== before.length ? undefined : new Set(),
    expressions: new PolicyExpressions({}, newUnder(context), before),
  };
}

function namesKnownVersion(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version));
}

/** Called for each webhook in turn. */
export function isNewName(name: string, _old: unknown, _context: RuleContext, { names }: Strictness): boolean {
  const isNew = names?.has(name) !== true;
  names?.add(name);
  return isNew;
}

export function sideEffects(
  { sideEffects: value }: Webhook,
  _old: unknown,
  _context: RuleContext,
  { noSideEffects }: Strictness,
): readonly FieldError[] {
  const allowed = noSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS;
  if (value === undefined || value === null) return [required('.sideEffects', `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(value) ? NONE : [notSupported('.sideEffects', value, allowed)];
}

export function knownReviewVersion(
  versions: readonly string[],
  _old: unknown,
  _context: RuleContext,
  { knownReviewVersion: isNeeded }: Strictness,
): readonly FieldError[] {
  if (!isNeeded || namesKnownVersion(versions)) return NONE;
  return [invalidShown('', goStrings(versions), `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}
