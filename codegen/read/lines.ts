/** Finds the line of a schema file on which something stands that a diagnostic names by its path. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** The nodes of a YAML document, with the positions of its lines. */
export interface ParsedFile {
  readonly root: unknown;
  readonly lines: LineCounter;
}

/** Finds lines in the files of one tree. Each file is read once, so changes after the first question are not seen. */
export class SchemaLines {
  readonly #root: string;
  readonly #files = new Map<string, ParsedFile | undefined>();

  /** @param root the root of the tree */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * @param file path from the root, with slashes
   * @param place such as `components.schemas.PodSpec.properties.hostname` or `flags.secure-port`; elements of lists go by their `name` or their index
   * @returns the line, counted from 1, of the deepest part of the place that the file has; undefined if there is no such YAML file
   */
  lineOf(file: string, place: string): number | undefined {
    const parsed = this.#read(file);
    if (parsed === undefined) return undefined;
    return lineIn(parsed, place);
  }

  #read(file: string): ParsedFile | undefined {
    if (this.#files.has(file)) return this.#files.get(file);
    const absolute = path.join(this.#root, file);
    const parsed = existsSync(absolute) && /\.ya?ml$/.test(file) ? parse(readFileSync(absolute, 'utf8')) : undefined;
    this.#files.set(file, parsed);
    return parsed;
  }
}

function parse(text: string): ParsedFile {
  const lines = new LineCounter();
  return { root: parseDocument(text, { lineCounter: lines, logLevel: 'silent' }).contents, lines };
}

/** Does the same as `SchemaLines.lineOf` for one document. */
export function lineIn({ root, lines }: ParsedFile, place: string): number {
  return lines.linePos(offsetOf(root, place)).line;
}

/** Names may hold dots, so of the keys that the rest of the place begins with the longest one is taken. */
function offsetOf(root: unknown, place: string): number {
  let at = root;
  let offset = 0;
  for (let rest = place; rest !== ''; ) {
    const step = stepInto(at, rest);
    if (step === undefined) break;
    offset = step.offset;
    at = step.value;
    rest = rest.slice(step.length + 1);
  }
  return offset;
}

interface Step {
  readonly value: unknown;
  readonly offset: number;
  /** Number of characters of the place that the step stands for. */
  readonly length: number;
}

function stepInto(at: unknown, place: string): Step | undefined {
  const fits = (name: string): boolean => place === name || place.startsWith(`${name}.`);
  const longest = (steps: readonly Step[]): Step | undefined => steps.toSorted((a, b) => b.length - a.length)[0];
  if (isMap(at))
    return longest(
      at.items.flatMap(({ key, value }) =>
        isScalar(key) && fits(String(key.value)) ? [{ value, offset: startOf(key), length: String(key.value).length }] : [],
      ),
    );
  if (!isSeq(at)) return undefined;
  return longest(
    at.items.flatMap((item, index) => {
      const name = isMap(item) ? String(item.get('name') ?? index) : String(index);
      const known = [name, String(index)].find(fits);
      return known === undefined ? [] : [{ value: item, offset: startOf(item as Node), length: known.length }];
    }),
  );
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
