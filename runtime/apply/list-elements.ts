/** Identifies the elements of lists that have owners of their own. */
import { isObject } from '../schema/json/member.ts';
import { compareElements, isPlainText, keyElement, plainTextKeyElement, valueElement } from './path-element.ts';
import type { KeyedShape, SetShape } from './shape.ts';

/** An element of such a list. */
export interface ListItem {
  readonly element: string;
  readonly value: unknown;
  /** the value of the only key, if it is a text that can be compared quickly, in the order of elements */
  readonly text: string | undefined;
}

/** @throws ElementError for a value that cannot be identified */
function itemOf(shape: KeyedShape | SetShape, value: unknown): ListItem {
  if (shape.kind === 'keyed' && shape.keys.length === 1 && isObject(value)) {
    const [key] = shape.keys as readonly [string];
    const text = value[key];
    if (typeof text === 'string' && isPlainText(text)) return { element: plainTextKeyElement(key, text), value, text };
  }
  return { element: shape.kind === 'set' ? setElement(value) : keyedElement(shape, value), value, text: undefined };
}

function setElement(value: unknown): string {
  if (value === null) throw new ElementError("associative list without keys has an element that's an explicit null");
  if (isObject(value)) throw new ElementError("associative list without keys has an element that's a map type");
  if (Array.isArray(value)) throw new ElementError('not supported: associative list with lists as elements');
  return valueElement(value);
}

function keyedElement({ keys, defaults }: KeyedShape, value: unknown): string {
  if (value === null) throw new ElementError('associative list with keys may not have a null element');
  if (!isObject(value)) throw new ElementError('associative list with keys may not have non-map elements');
  const values = keys.map((key, index) => (value[key] === undefined ? defaults[index] : value[key]));
  const missing = values.indexOf(undefined);
  if (missing !== -1)
    throw new ElementError(
      `associative list with keys has an element that omits key field ${JSON.stringify(keys[missing])} (and doesn't have default value)`,
    );
  return keyElement(keys, values);
}

/** The type does not allow the object, so that its fields cannot be identified. */
export class ElementError extends Error {}

/** @throws ElementError for a list or an object */
export function requireScalar(value: unknown): void {
  if (Array.isArray(value) || isObject(value)) throw new ElementError('expected any scalar');
}

/**
 * The path element of an element of a list.
 * @throws ElementError for a value that cannot be identified
 */
export function elementOf(shape: KeyedShape | SetShape, value: unknown): string {
  return itemOf(shape, value).element;
}

/** Sorts items in the order of sets; items with the same key, which an update may have stored, are adjacent. @throws ElementError */
export function sortedItems(shape: KeyedShape | SetShape, list: readonly unknown[]): ListItem[] {
  const items = list.map((value) => itemOf(shape, value));
  return items.length > 1 ? items.sort(compareItems) : items;
}

function compareItems(a: ListItem, b: ListItem): number {
  if (a.text === undefined || b.text === undefined) return compareElements(a.element, b.element);
  if (a.text === b.text) return 0;
  return a.text < b.text ? -1 : 1;
}

/** The values of a list by path element. There are several if an update has stored the same key more than once. @throws ElementError */
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
