/** YAML text to JSON values, as 1.32 reads it: version 1.1 of the language, the first of several documents. */
import type { Document, LineCounter, Node } from 'yaml';
import { type ParsedJson, parseJson } from './json-text.ts';
import { JsonSyntaxError } from './json-walk.ts';
import { rawNumber } from './scalar/raw-number.ts';
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

/** Aliases of one node at most: enough for hand-written documents. */
const MAX_ALIASES_OF_NODE = 100;
/** Aliases and anchors of all nodes: each alias is looked for among all of them. */
const MAX_ALIASES = 1_000;
/** Characters of all texts, and as many values, once each alias is what it stands for. */
const MAX_EXPANDED = 8 * 1024 * 1024;
/** Collections within each other at most: what the recursion of the parser has room for. */
const MAX_NESTING = 500;
/**
 * Lexemes at most: a line of a manifest has about eight, each takes some microseconds of the only thread. Definitions with the descriptions that
 * people write come to 1.5 MB with a third of that, a text in a block is one.
 */
const MAX_LEXEMES = 500_000;
/** The first counts, another tells that there are several; nobody needs to know how many. */
const MAX_DOCUMENTS = 2;

/**
 * Every digit of an integer survives, as in JSON.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep, for too many lexemes and for aliases that multiply
 * @throws JsonSyntaxError for what JSON cannot say
 */
export function parseYaml(text: string): ParsedYaml {
  const { Document, LineCounter } = yamlLibrary();
  try {
    const lines = new LineCounter();
    const { documents, aliases } = firstDocuments(text, lines);
    const document = documents[0] ?? new Document(null);
    const problem = document.errors[0];
    if (problem !== undefined) throw new YamlSyntaxError(`${problem.message} at ${place(problem.pos[0], lines)}`);
    if (aliases > 0 && expandedSize(document.contents, new Map()) > MAX_EXPANDED)
      throw new YamlSyntaxError('document contains excessive aliasing');
    const problems = repeatedKeys(document, lines);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES_OF_NODE });
    const parsed = parseJson(JSON.stringify(value, bigIntegers) ?? 'null');
    return { ...parsed, problems, documents: Math.min(documents.filter(isFilled).length, MAX_DOCUMENTS) };
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError) throw error;
    throw new YamlSyntaxError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws YamlSyntaxError for nesting that is too deep and for too many lexemes, before the parser meets them */
function firstDocuments(text: string, lines: LineCounter): { documents: Document.Parsed[]; aliases: number } {
  const { Composer, Lexer, Parser } = yamlLibrary();
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({ uniqueKeys: false, version: '1.1', intAsBigInt: true, customTags: scalarTags });
  const nesting = new Nesting();
  const aliases = new Aliases();
  const documents: Document.Parsed[] = [];
  let lexemes = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++lexemes > MAX_LEXEMES) throw new YamlSyntaxError(`exceeded max of ${MAX_LEXEMES} tokens, of which JSON may have more`);
    nesting.add(lexeme);
    aliases.add(lexeme);
    let isWrong = false;
    for (const token of parser.next(lexeme)) {
      isWrong ||= token.type === 'error';
      documents.push(...composer.next(token));
    }
    if (documents.length >= MAX_DOCUMENTS) return { documents, aliases: aliases.count };
    // what follows it would only be more of them
    if (isWrong) break;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return { documents, aliases: aliases.count };
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

/** Counts nodes that others may stand for, and those that stand for them. */
class Aliases {
  count = 0;
  #beforeScalar = false;

  add(lexeme: string): void {
    const isScalar = this.#beforeScalar;
    this.#beforeScalar = lexeme === SCALAR;
    if (isScalar || (lexeme[0] !== '*' && lexeme[0] !== '&')) return;
    if (++this.count > MAX_ALIASES) throw new YamlSyntaxError(`exceeded max of ${MAX_ALIASES} anchors and aliases`);
  }
}

/** The size of a node that is still being measured. */
const OPEN = -1;

/**
 * @param anchors sizes of the nodes before this one, by their anchors; those of this one are added
 * @throws YamlSyntaxError for a node that holds itself
 */
function expandedSize(node: unknown, anchors: Map<string, number>): number {
  const { isAlias, isCollection, isPair, isScalar } = yamlLibrary();
  if (isAlias(node)) {
    const size = anchors.get(node.source) ?? 0;
    if (size === OPEN) throw new YamlSyntaxError(`anchor '${node.source}' value contains itself`);
    return size;
  }
  if (isPair(node)) return expandedSize(node.key, anchors) + expandedSize(node.value, anchors);
  const anchor = (node as { anchor?: string } | null)?.anchor;
  if (anchor !== undefined) anchors.set(anchor, OPEN);
  let size = 1;
  if (isScalar(node)) size += node.source?.length ?? 0;
  else if (isCollection(node)) for (const item of node.items) size += expandedSize(item, anchors);
  else return 0;
  if (anchor !== undefined) anchors.set(anchor, size);
  return size;
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

/** @throws YamlSyntaxError for a key that no JSON object may have: nothing, a list or a map */
function repeatedKeys(document: Document, lines: LineCounter): string[] {
  const { isAlias, isScalar, visit } = yamlLibrary();
  const problems: string[] = [];
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key: written } of map.items) {
        const key = isAlias(written) ? written.resolve(document) : written;
        if (!isScalar(key) || key.value === null)
          throw new YamlSyntaxError(`unsupported map key at ${place((written as Node | null)?.range?.[0] ?? map.range?.[0] ?? 0, lines)}`);
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
