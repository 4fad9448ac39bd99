/** Webhooks of both kinds of configurations. What an older release let pass stays allowed where the stored object has it already. */
import type { MutatingWebhook, ValidatingWebhook } from '../../../generated/admissionregistration/v1/types.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { dns1035Label } from '../../formats/names.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { eachItem } from '../core/findings.ts';
import { NONE } from '../joined.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

type Webhook = ValidatingWebhook | MutatingWebhook;
interface Configuration {
  readonly webhooks?: readonly Webhook[];
}

/** What the webhooks of one configuration are held to. */
interface Strictness {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  /** names that were there before; undefined: names may repeat */
  readonly names: Set<string> | undefined;
}

export function strictness(_configuration: Configuration, old: Configuration | undefined): Strictness {
  const before = old?.webhooks ?? [];
  return {
    noSideEffects: before.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects ?? '')),
    knownReviewVersion: before.every(({ admissionReviewVersions }) => namesKnownVersion(admissionReviewVersions ?? [])),
    names: new Set(before.map(({ name }) => name)).size === before.length ? new Set() : undefined,
  };
}

function namesKnownVersion(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version));
}

export function distinctName({ name }: Webhook, _old: unknown, _context: RuleContext, { names }: Strictness): readonly FieldError[] {
  const again = name !== '' && names?.has(name) === true;
  names?.add(name);
  return again ? [duplicate('.name', name)] : NONE;
}

/** A domain of three labels or more, so that webhooks of different owners cannot meet. */
export function threeSegments(name: string): readonly FieldError[] {
  return name.split('.').length < 3 ? [invalid('', name, 'should be a domain with at least three segments separated by dots')] : NONE;
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

export function reviewVersions(
  { admissionReviewVersions }: Webhook,
  _old: unknown,
  _context: RuleContext,
  { knownReviewVersion }: Strictness,
): readonly FieldError[] {
  const versions = admissionReviewVersions ?? [];
  const path = '.admissionReviewVersions';
  if (versions.length === 0) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  return reviewVersionErrors(versions, path, knownReviewVersion && !namesKnownVersion(versions));
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
