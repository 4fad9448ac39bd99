/** Validators of today for objects of an earlier release: nobody is told of members that the release does not have, and values that came later are none. */
import type { StructType, Type } from '../../contract/descriptor.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindValidators, Validator } from '../../contract/kind.ts';
import type { MissingValues } from './missing-values.ts';

/**
 * @param type what the kind was in that release
 * @param whole the kind that is validated
 * @param missing values that the release does not have
 */
export function validatorsWithin(
  type: StructType,
  whole: StructType,
  { object, changes, status, ...others }: KindValidators,
  missing: MissingValues,
): KindValidators {
  // some paths are reported by names that no type has
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

/** A member, an element or an entry of a path such as `.spec.ports[0].name`. */
const STEP = /\.([^.[\]]+)|\[[^\]]*\]/g;

/** @param path from the object on; what no type says is of any type */
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

/** Those of inline structs stand among those of the struct that has it. */
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
