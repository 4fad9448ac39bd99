/** What is wrong with an object of a kind: what its schema constrains, then what its own rules find. */
import type { FieldError } from '../contract/field-error.ts';
import type { KindData, Validator } from '../contract/kind.ts';
import type { KindRules, RuleContext, UpdateContext } from '../contract/kind-rules.ts';
import type { ApiObject } from '../contract/object.ts';
import { ofObject } from './findings.ts';

/** A kind in the version that is stored. */
interface ValidatedKind {
  readonly data: Pick<KindData, 'validators'>;
  readonly rules: Pick<KindRules, 'validate' | 'validateUpdate' | 'validateStatusUpdate'>;
}

/** @param old the stored object; undefined where the object is new */
export function objectErrors(
  { data, rules }: ValidatedKind,
  object: ApiObject,
  old: ApiObject | undefined,
  context: RuleContext,
): readonly FieldError[] {
  return joined(found(data.validators?.object, object, old, context), rules.validate?.(object, context, old));
}

/** Besides those of the object, on updates. */
export function changeErrors(
  { data, rules }: ValidatedKind,
  object: ApiObject,
  old: ApiObject,
  context: UpdateContext,
): readonly FieldError[] {
  return joined(found(data.validators?.changes, object, old, context), rules.validateUpdate?.(object, old, context));
}

/** On updates of the status, instead of those of the object. */
export function statusErrors(
  { data, rules }: ValidatedKind,
  object: ApiObject,
  old: ApiObject,
  context: RuleContext,
): readonly FieldError[] {
  return joined(found(data.validators?.status, object, old, context), rules.validateStatusUpdate?.(object, old, context));
}

const NONE: readonly FieldError[] = [];

function found(
  validator: Validator | undefined,
  object: ApiObject,
  old: ApiObject | undefined,
  context: RuleContext,
): readonly FieldError[] {
  if (validator === undefined) return NONE;
  const out: FieldError[] = [];
  validator(object, old, context, undefined, out);
  return out.length === 0 ? NONE : ofObject(out);
}

function joined(stated: readonly FieldError[], own: readonly FieldError[] = NONE): readonly FieldError[] {
  if (stated.length === 0) return own;
  return own.length === 0 ? stated : [...stated, ...own];
}
