/** YAML text to JSON values, as 1.32 reads it: version 1.1 of the language, the first of several documents. */
import type { Document, LineCounter } from 'yaml';
import { type ParsedJson, parseJson } from './json-text.ts';
import { JsonSyntaxError } from './json-walk.ts';
import { rawNumber } from './raw-number.ts';
import { yamlLibrary } from './yaml-library.ts';
import { scalarTags } from './yaml-tags.ts';

export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

export interface ParsedYaml extends ParsedJson {
  /** sentences for strict validation that name no path of the object: keys that stand twice, of which the last counts */
  readonly problems: readonly string[];
  /** documents in the text that hold something: 0, 1, or 2 for more of them */
  readonly documents: number;
}

/** Aliases at most: enough for hand-written documents, too few for a bomb. */
const MAX_ALIASES = 100;
/** Collections within each other at most: what the recursion of the parser has room for. */
const MAX_NESTING = 500;
/** The first counts, another tells that there are several; nobody needs to know how many. */
const MAX_DOCUMENTS = 2;

/**
 * Every digit of an integer survives, as in JSON.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep and for aliases that multiply
 * @throws JsonSyntaxError for what JSON cannot say
 */
export function parseYaml(text: string): ParsedYaml {
  const { Document, LineCounter } = yamlLibrary();
  try {
    const lines = new LineCounter();
    const documents = firstDocuments(text, lines);
    const document = documents[0] ?? new Document(null);
    const problem = document.errors[0];
    if (problem !== undefined) throw new YamlSyntaxError(`${problem.message} at ${place(problem.pos[0], lines)}`);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const parsed = parseJson(JSON.stringify(value, bigIntegers) ?? 'null');
    return { ...parsed, problems: repeatedKeys(document, lines), documents: Math.min(documents.filter(isFilled).length, MAX_DOCUMENTS) };
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError) throw error;
    throw new YamlSyntaxError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws YamlSyntaxError for nesting that is too deep, before the parser meets it */
function firstDocuments(text: string, lines: LineCounter): Document.Parsed[] {
  const { Composer, Lexer, Parser } = yamlLibrary();
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({ uniqueKeys: false, version: '1.1', intAsBigInt: true, customTags: scalarTags });
  const nesting = new Nesting();
  const documents: Document.Parsed[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    nesting.add(lexeme);
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (documents.length >= MAX_DOCUMENTS) return documents;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return documents;
}

/** Counts collections that are open, as far as a short text can open many: in brackets, or with several marks on one line. */
class Nesting {
  #flow = 0;
  #line = 0;
  #beforeScalar = false;

  add(lexeme: string): void {
    const isScalar = this.#beforeScalar;
    this.#beforeScalar = lexeme === SCALAR;
    if (isScalar) return;
    if (lexeme === '[' || lexeme === '{') this.#flow++;
    else if (lexeme === ']' || lexeme === '}') this.#flow--;
    else if (lexeme === '-' || lexeme === '?') this.#line++;
    else if (lexeme === '\n' || lexeme === '\r\n') this.#line = 0;
    if (this.#flow + this.#line > MAX_NESTING) throw new YamlSyntaxError(`exceeded max depth of ${MAX_NESTING}`);
  }
}

/** What the lexer says before the text of a scalar. */
const SCALAR = '\u001f';

function isFilled({ contents }: Document.Parsed): boolean {
  return contents !== null && !(yamlLibrary().isScalar(contents) && contents.value === null);
}

function place(position: number, lines: LineCounter): string {
  const { line, col } = lines.linePos(position);
  return `line ${line}, column ${col}`;
}

function repeatedKeys(document: Document, lines: LineCounter): string[] {
  const { isScalar, visit } = yamlLibrary();
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

/** @throws JsonSyntaxError for infinities and what is no number */
function bigIntegers(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonSyntaxError(`json: unsupported value: ${value}`);
  return typeof value === 'bigint' ? rawNumber(value.toString()) : value;
}
