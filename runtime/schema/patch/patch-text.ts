/** The text of a patched document. */
import { writeJson } from '../../contract/json-writer.ts';
import { isObject, type JsonObject, sortedNames } from '../json/member.ts';

/**
 * The JSON text of a patched document: objects that the patch has changed have their members sorted by name, others keep their order.
 * @param value shares with the document what the patch has not changed
 * @param document undefined: every object has changed
 */
export function patchedText(value: unknown, document: unknown): string {
  return writeJson(byName(value, document));
}

function byName(value: unknown, document: unknown): unknown {
  if (value === document) return value;
  if (Array.isArray(value)) return value.map((item) => byName(item, undefined));
  if (!isObject(value)) return value;
  const before: JsonObject = isObject(document) ? document : {};
  return Object.fromEntries(sortedNames(Object.keys(value)).map((name) => [name, byName(value[name], before[name])]));
}
