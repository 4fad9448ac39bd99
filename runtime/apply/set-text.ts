/**
 * Sets of fields and their JSON texts. Controllers write many objects that have the same fields, and most writes leave most sets as they were:
 * a text that comes again is the set that it was, a set that is written again is the text that it was.
 */

import { parseNativeJson } from '../schema/native-json.ts';
import { type FieldSet, SELF } from './field-set.ts';

/** A set of nothing. */
export const NOTHING_TEXT = '{}';
/** The member that says that the field itself is owned. */
export const SELF_TEXT = `"${SELF}":${NOTHING_TEXT}`;

/** Characters of the texts that are remembered with their sets. */
const MAX_REMEMBERED = 2 * 1024 * 1024;
/** A longer one is parsed each time. */
const MAX_TEXT = 64 * 1024;

const sets = new Map<string, FieldSet>();
let remembered = 0;
const texts = new WeakMap<FieldSet, string>();

/** @param text of a set in our form; the set must not be changed */
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
    text = JSON.stringify(set);
    texts.set(set, text);
  }
  return text;
}
