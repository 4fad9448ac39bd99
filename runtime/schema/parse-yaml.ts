/** YAML text to JSON values, as 1.32 reads it: version 1.1 of the language, the first of several documents. */
import { composeYaml } from './compose-yaml.ts';
import { type ParsedJson, parseJson } from './json-text.ts';
import { JsonSyntaxError } from './json-walk.ts';
import { firstDocument } from './yaml-documents.ts';
import { yamlEvents } from './yaml-events.ts';

export { YamlSyntaxError } from './yaml-syntax-error.ts';

export interface ParsedYaml extends ParsedJson {
  /** sentences for strict validation that name no path of the object: keys that stand twice, of which the last counts */
  readonly problems: readonly string[];
  /** documents in the text that hold something: 0, 1, or 2 for more of them */
  readonly documents: number;
}

/**
 * Every digit of an integer survives, as in JSON. Each text takes time in proportion to its length, and so does what its aliases stand for.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep and for aliases that multiply
 * @throws JsonSyntaxError for what JSON cannot say
 */
export function parseYaml(text: string): ParsedYaml {
  const document = firstDocument(text);
  const { value, problems } = composeYaml(document.text, yamlEvents(document.text));
  const parsed = parseJson(jsonText(value));
  return { ...parsed, problems, documents: Number(value !== null) + Number(document.hasMore) };
}

/** Aliases of lists within lists are deeper than the text. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw new JsonSyntaxError('exceeded max depth');
    throw error;
  }
}
