/**
 * Adapts validators of today to objects of an earlier release: errors of members that the release did not have are dropped, and newer
 * values are unknown.
 */
import type { StructType, Type } from '../../contract/descriptor.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindValidators, Validator } from '../../contract/kind.ts';
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
  const isKept = ({ field }: FieldError): boolean => hasMember(type, field) || !hasMember(whole, field);
  const within = (validator: Validator | undefined): Validator | undefined =>
    validator &&
    ((value, old, context, scope, out) => {
      const from = out.length;
      validator(missing.hidden(whole, value, old), old, context, scope, out);
      if (out.length > from)
        out.push(
          ...out
            .splice(from)
            .filter(isKept)
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
  let at: Type | undefined = type;
  for (const [, name] of path.matchAll(STEP)) {
    if (at.kind === 'list') at = at.element;
    if (at.kind === 'map') at = at.value;
    else if (at.kind !== 'struct') return true;
    else if (name !== undefined) {
      const member: Type | undefined = memberOf(at, name);
      if (member === undefined) return false;
      at = member;
    }
  }
  return true;
}

/** The type of a member; members of inline structs belong to the outer struct. */
function memberOf({ fields }: StructType, name: string): Type | undefined {
  for (const { name: own, type, go } of fields) {
    if (go?.inline !== true) {
      if (own === name) return type;
      continue;
    }
    const member = type.kind === 'struct' ? memberOf(type, name) : undefined;
    if (member !== undefined) return member;
  }
  return undefined;
}
