/** YAML text to JSON values, as 1.32 reads it: version 1.1 of the language, the first of several documents. */
import { Document, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';
import { type ParsedJson, parseJson } from './json-text.ts';
import { JsonSyntaxError } from './json-walk.ts';
import { rawNumber } from './raw-number.ts';

export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

export interface ParsedYaml extends ParsedJson {
  /** sentences for strict validation that name no path of the object: keys that stand twice, of which the last counts */
  readonly problems: readonly string[];
  /** documents in the text that hold something */
  readonly documents: number;
}

/** Aliases at most: enough for hand-written documents, too few for a bomb. */
const MAX_ALIASES = 100;

/**
 * Every digit of an integer survives, as in JSON.
 * @throws YamlSyntaxError for invalid syntax and for aliases that multiply
 * @throws JsonSyntaxError for what JSON cannot say, such as nesting that is too deep
 */
export function parseYaml(text: string): ParsedYaml {
  try {
    const lines = new LineCounter();
    const documents = [...parseAllDocuments(text, { uniqueKeys: false, version: '1.1', intAsBigInt: true, lineCounter: lines })];
    const document = documents[0] ?? new Document(null);
    const problem = document.errors[0];
    if (problem !== undefined) throw new YamlSyntaxError(problem.message.split('\n', 1)[0]);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const parsed = parseJson(JSON.stringify(value, bigIntegers) ?? 'null');
    const filled = documents.filter(({ contents }) => contents !== null && !(isScalar(contents) && contents.value === null));
    return { ...parsed, problems: repeatedKeys(document, lines), documents: filled.length };
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError) throw error;
    throw new YamlSyntaxError(error instanceof Error ? error.message : String(error));
  }
}

function repeatedKeys(document: Document, lines: LineCounter): string[] {
  const problems: string[] = [];
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          problems.push(`line ${lines.linePos(key.range?.[0] ?? 0).line}: key ${JSON.stringify(key.value)} already set in map`);
        seen.add(key.value);
      }
    },
  });
  return problems;
}

function bigIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawNumber(value.toString()) : value;
}
