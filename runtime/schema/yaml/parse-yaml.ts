/** Parses YAML text to JSON values as 1.32 does: version 1.1 of the language, and the first of several documents. */

import { type ParsedJson, parseJson } from '../json/json-text.ts';
import { JsonSyntaxError } from '../json/json-walk.ts';
import { composeYaml } from './compose-yaml.ts';
import { hasContent } from './yaml-documents.ts';
import { firstDocument } from './yaml-events.ts';

export { InexpressibleValueError, YamlSyntaxError } from './yaml-syntax-error.ts';

export interface ParsedYaml extends ParsedJson {
  /** errors of strict validation that have no path: repeated keys, the last of which counts */
  readonly problems: readonly string[];
  /** number of documents in the text that have content: 0, 1, or 2 for more than one */
  readonly documents: number;
}

/**
 * Integers keep every digit, as in JSON. The time is linear in the length of the text with expanded aliases.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep and for excessive aliases
 * @throws JsonSyntaxError for values that JSON cannot express
 */
export function parseYaml(text: string): ParsedYaml {
  const { events, end } = firstDocument(text);
  const { value, problems } = composeYaml(events);
  return {
    value: parseJson(jsonText(value)).value,
    duplicates: [],
    problems,
    documents: Number(value !== null) + Number(hasContent(text.slice(end))),
  };
}

/** Aliases of nested lists may be nested deeper than the text is. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw new JsonSyntaxError('exceeded max depth');
    throw error;
  }
}
