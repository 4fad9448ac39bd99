/** Leaves the lists of values out of a document, where the feature gate OpenAPIEnums is off: as in 1.32 nothing but these documents changes. */

/** A keyword with a list of texts; a member of that name has a schema behind it, and text has its quotation marks escaped. */
const LIST = String.raw`"enum":\s*\[(?:\s*"(?:[^"\\]|\\.)*"\s*,?)*\s*\]`;
const BEHIND_OTHERS = new RegExp(String.raw`,\s*${LIST}`, 'g');
const FIRST = new RegExp(String.raw`${LIST}\s*,?`, 'g');

/** @param text a generated document, as JSON text */
export const withoutEnums = (text: string): string => text.replaceAll(BEHIND_OTHERS, '').replaceAll(FIRST, '');
