/**
 * Adapts validators of today to objects of an earlier release: errors of members that the release did not have are dropped, also those that miss a member
 * whose default is not set as its gate is off, and newer values are unknown.
 */
import type { Field, StructType, Type } from '../../contract/descriptor.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindValidators, Validator } from '../../contract/kind.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { MissingValues } from './missing-values.ts';

/**
 * @param type form of the kind in that release
 * @param whole the kind that is validated
 * @param missing values that the release did not have
 */
export function validatorsWithin(
  type: StructType,
  whole: StructType,
  { object, changes, status, ...others }: KindValidators,
  missing: MissingValues,
): KindValidators {
  // some errors have paths with names that no type has
  const isKnown = ({ field }: FieldError): boolean => hasMember(type, field) || !hasMember(whole, field);
  const isKept = (finding: FieldError, { featureEnabled }: RuleContext): boolean =>
    isKnown(finding) && !(finding.reason === 'FieldValueRequired' && lacksDefault(whole, finding.field, featureEnabled));
  const within = (validator: Validator | undefined): Validator | undefined =>
    validator &&
    ((value, old, context, scope, out) => {
      const from = out.length;
      validator(missing.hidden(whole, value, old), old, context, scope, out);
      if (out.length > from)
        out.push(
          ...out
            .splice(from)
            .filter((finding) => isKept(finding, context))
            .map((finding) => missing.told(whole, finding)),
        );
    });
  const [ofObject, ofChanges, ofStatus] = [within(object), within(changes), within(status)];
  return {
    ...others,
    ...(ofObject && { object: ofObject }),
    ...(ofChanges && { changes: ofChanges }),
    ...(ofStatus && { status: ofStatus }),
  };
}

/** Matches a member, element or entry in a path such as `.spec.ports[0].name`. */
const STEP = /\.([^.[\]]+)|\[[^\]]*\]/g;

/** @param path from the object on; whatever the types do not describe counts as present */
function hasMember(type: Type, path: string): boolean {
  return fieldAt(type, path) !== 'absent';
}

/** Whether a member that rules count on has not got its default, as its gate is off. */
function lacksDefault(type: Type, path: string, featureEnabled: RuleContext['featureEnabled']): boolean {
  const field = fieldAt(type, path);
  if (field === undefined || field === 'absent' || field.default === undefined) return false;
  return field.featureGate !== undefined && !featureEnabled(field.featureGate);
}

/** The field at the end of a path, or the last one whose type is described; undefined: there is none. */
function fieldAt(type: Type, path: string): Field | 'absent' | undefined {
  let at: Type = type;
  let field: Field | undefined;
  for (const [, name] of path.matchAll(STEP)) {
    if (at.kind === 'list') at = at.element;
    if (at.kind === 'map') at = at.value;
    else if (at.kind !== 'struct') return field;
    else if (name !== undefined) {
      field = fieldOf(at, name);
      if (field === undefined) return 'absent';
      at = field.type;
    }
  }
  return field;
}

/** A member; those of inline structs belong to the outer struct. */
function fieldOf({ fields }: StructType, name: string): Field | undefined {
  for (const field of fields) {
    const { type, go } = field;
    if (go?.inline !== true) {
      if (field.name === name) return field;
      continue;
    }
    const member = type.kind === 'struct' ? fieldOf(type, name) : undefined;
    if (member !== undefined) return member;
  }
  return undefined;
}
