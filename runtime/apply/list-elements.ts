/** The elements of lists that are owned one by one. */
import { isObject } from '../schema/member.ts';
import { keyElement, valueElement } from './path-element.ts';
import type { KeyedShape, SetShape } from './shape.ts';

/**
 * The path element of one element of such a list.
 * @throws ElementError for one that has none
 */
export function elementOf(shape: KeyedShape | SetShape, value: unknown): string {
  if (shape.kind === 'set') {
    if (value === null) throw new ElementError("associative list without keys has an element that's an explicit null");
    if (isObject(value)) throw new ElementError("associative list without keys has an element that's a map type");
    if (Array.isArray(value)) throw new ElementError('not supported: associative list with lists as elements');
    return valueElement(value);
  }
  if (value === null) throw new ElementError('associative list with keys may not have a null element');
  if (!isObject(value)) throw new ElementError('associative list with keys may not have non-map elements');
  const { keys, defaults } = shape;
  const values = keys.map((key, index) => (value[key] === undefined ? defaults[index] : value[key]));
  if (values.every((each) => each === undefined))
    throw new ElementError(
      `associative list with keys has an element that omits all key fields ${JSON.stringify(keys)} (and doesn't have default values for any key fields)`,
    );
  return keyElement(keys, values);
}

export class ElementError extends Error {}

/** The values of a list by their path elements, in the order of the list; several where an update stored the same key twice. */
export function groupElements(shape: KeyedShape | SetShape, list: readonly unknown[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const value of list) {
    const element = elementOf(shape, value);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [value]);
    else group.push(value);
  }
  return groups;
}
