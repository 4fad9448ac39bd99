/** Whether the parts of an object have the names of the fields in which they stand: nothing else holds expressions to the types of objects. */
import { PartialObject } from '../../expressions/libraries/patch-types.ts';
import { ListValue, MapValue, type Value } from '../../expressions/values/value.ts';

/** Sentences that are told at most. */
const MAX_SENTENCES = 10;

/** @param object has bounded JSON. @returns a sentence for each part of another name; undefined where there is none */
export function wrongTypeNames(object: PartialObject): string | undefined {
  const found: string[] = [];
  check(object, object.type.name, found);
  return found.length === 0 ? undefined : found.slice(0, MAX_SENTENCES).join('\n');
}

/** @param expected the name of the field, from the root. Lists and maps have no names of their own. */
function check(value: Value, expected: string, found: string[]): void {
  if (found.length >= MAX_SENTENCES) return;
  if (value instanceof PartialObject) {
    const { name } = value.type;
    if (name !== expected)
      found.push(`unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`);
    for (const field of value.fields()) check(value.member(field) as Value, `${expected}.${field}`, found);
  }
  if (value instanceof ListValue) for (const item of value) check(item, expected, found);
  if (value instanceof MapValue) for (const key of value.keys()) check(value.find(key) as Value, expected, found);
}
