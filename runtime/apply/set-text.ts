/**
 * Remembers sets of fields with their JSON texts. Controllers write many objects with the same fields, and most writes leave most sets
 * unchanged: the same text returns the same set, and the same set the same text.
 */

import { writeJson } from '../contract/json-writer.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { type FieldSet, SELF } from './field-set.ts';

/** the empty set */
export const NOTHING_TEXT = '{}';
/** the member that says that the field itself is owned */
export const SELF_TEXT = `"${SELF}":${NOTHING_TEXT}`;

/** The limit of characters of all remembered texts. */
const MAX_REMEMBERED = 2 * 1024 * 1024;
/** Longer texts are not remembered. */
const MAX_TEXT = 64 * 1024;

const sets = new Map<string, FieldSet>();
let remembered = 0;
const texts = new WeakMap<FieldSet, string>();

/** @param text of a set in canonical form; the returned set must not be changed */
export function setOfText(text: string): FieldSet {
  const known = sets.get(text);
  if (known !== undefined) return known;
  const set = parseNativeJson(text) as FieldSet;
  texts.set(set, text);
  if (text.length > MAX_TEXT) return set;
  remembered += text.length;
  if (remembered > MAX_REMEMBERED) {
    sets.clear();
    remembered = text.length;
  }
  sets.set(text, set);
  return set;
}

export function textOfSet(set: FieldSet): string {
  let text = texts.get(set);
  if (text === undefined) {
    text = writeJson(set);
    texts.set(set, text);
  }
  return text;
}
