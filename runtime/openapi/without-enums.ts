/**
 * Removes the lists of enum values from a document if the feature gate OpenAPIEnums is off. As in 1.32, that changes nothing but these
 * documents.
 */

/**
 * The keyword with a list of texts. It cannot match a member named `enum`, whose value is a schema, nor a text, whose quotes are escaped.
 */
const LIST = String.raw`"enum":\s*\[(?:\s*"(?:[^"\\]|\\.)*"\s*,?)*\s*\]`;
const BEHIND_OTHERS = new RegExp(String.raw`,\s*${LIST}`, 'g');
const FIRST = new RegExp(String.raw`${LIST}\s*,?`, 'g');

/** @param text a generated document as JSON */
export const withoutEnums = (text: string): string => text.replaceAll(BEHIND_OTHERS, '').replaceAll(FIRST, '');
