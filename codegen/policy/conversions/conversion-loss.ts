/** Finds what an object loses when it is converted to other versions and back. */
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';

/**
 * Takes an object through its hub, and through every other version of its kind, back to its own version.
 * @param object is not changed
 * @param versions all versions with the same hub
 * @returns the first difference, with the way on which it arises; undefined if there is none
 */
export function conversionLoss(kind: Kind, object: ApiObject, versions: readonly Kind[]): string | undefined {
  const own = JSON.stringify(object);
  const difference = textDifference(own, kind.fromHub(kind.toHub(copyValue(object))));
  if (difference !== undefined) return `through ${kind.hub.apiVersion}: ${difference}`;
  for (const other of versions) {
    if (other === kind) continue;
    const there = parseJson(JSON.stringify(other.fromHub(kind.toHub(copyValue(object))))).value as ApiObject;
    const lost = textDifference(own, kind.fromHub(other.toHub(there)));
    if (lost !== undefined) return `through ${other.apiVersion}: ${lost}`;
  }
  return undefined;
}

/**
 * Parses the texts only if they differ.
 * @param expected the JSON text of the value that is expected
 * @returns the first difference; undefined if there is none
 */
export function textDifference(expected: string, got: object): string | undefined {
  const text = JSON.stringify(got);
  return text === expected ? undefined : jsonDifference(JSON.parse(expected), JSON.parse(text));
}

/** @returns the first difference of two JSON values, with its path, in the order in which the members are written; undefined if there is none */
export function jsonDifference(expected: unknown, got: unknown, path = ''): string | undefined {
  const [before, after] = [JSON.stringify(expected), JSON.stringify(got)];
  if (before === after) return undefined;
  if (!isContainer(expected) || !isContainer(got) || Array.isArray(expected) !== Array.isArray(got))
    return `${path}: ${before} became ${after}`;
  for (const name of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const difference = jsonDifference(member(expected, name), member(got, name), `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return `${path}: members in another order, ${Object.keys(expected)} became ${Object.keys(got)}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('rawJSON' in value);
}

function member(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * Takes an object through all versions of its kind once. Hand-written conversions set what the other version requires, and order lists as it can tell them.
 * After that nothing may change any more.
 */
export function settled(kind: Kind, object: ApiObject, versions: readonly Kind[]): ApiObject {
  let at = object;
  for (const other of versions) at = kind.fromHub(other.toHub(other.fromHub(kind.toHub(at))));
  return at;
}
