/** Determines how much a process logs: in general by the flag -v, and more for single source files by --vmodule. Both can change while it runs. */

export interface LogLevels {
  /** the value of the flag -v: 0 logs warnings and errors, 1 also what the server does, 3 also every request and details for developers */
  readonly verbosity: number;
  /** the value of --vmodule; the first pattern that matches a file counts for it */
  readonly modules: readonly ModuleLevel[];
}

export interface ModuleLevel {
  /**
   * Matches names of source files without their extension, or, if it contains a slash, the ends of their paths. `*` stands for any characters but slashes, `?`
   * for one, `[a-z]` for one of these, `[^a-z]` for any other one.
   */
  readonly pattern: string;
  /** the level for these files, with the meaning of the flag -v */
  readonly verbosity: number;
}

/** The highest level that 1.32 accepts. */
const MOST = 2 ** 31 - 1;

/**
 * Reads the value of --vmodule.
 * @param items the items of the list, each `PATTERN=N`; empty ones are ignored
 * @throws Error in the words of 1.32 if an item is malformed
 */
export function parseModuleLevels(items: readonly string[]): ModuleLevel[] {
  return items.filter((item) => item !== '').map(parseItem);
}

function parseItem(item: string): ModuleLevel {
  const [pattern = '', verbosity = '', ...more] = item.split('=');
  if (pattern === '' || verbosity === '' || more.length > 0) throw new Error(`${JSON.stringify(item)} does not have the pattern=N format`);
  if (!/^\d+$/.test(verbosity) || Number(verbosity) > MOST)
    throw new Error(`parsing verbosity in ${JSON.stringify(item)}: a whole number up to ${MOST} is needed`);
  readPattern(pattern);
  return { pattern, verbosity: Number(verbosity) };
}

/** Tells how much each source file logs. */
export class ModuleFilter {
  readonly #modules: readonly (ModuleLevel & { readonly parts: readonly Part[]; readonly segments: number })[];
  readonly #known = new Map<string, number>();

  constructor(modules: readonly ModuleLevel[]) {
    this.#modules = modules.map((module) => ({
      ...module,
      parts: readPattern(module.pattern),
      segments: module.pattern.split('/').length,
    }));
  }

  /** @param file the path or URL of a source file. @returns its level; 0 if no pattern matches it */
  of(file: string): number {
    let verbosity = this.#known.get(file);
    if (verbosity === undefined) {
      const path = file.replace(/\.[^./]*$/, '').split('/');
      const found = this.#modules.find(({ parts, segments }) => fits(parts, path.slice(-segments).join('/')));
      verbosity = found?.verbosity ?? 0;
      this.#known.set(file, verbosity);
    }
    return verbosity;
  }
}

/** A part of a pattern: a function that tells whether it matches a character; undefined stands for `*`. */
type Part = ((character: string) => boolean) | undefined;

const PART = /\*|\?|\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|[^[\\]/gsuy;

/** @throws Error if the pattern is malformed, such as one with an open bracket */
function readPattern(pattern: string): Part[] {
  const parts: Part[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < pattern.length) {
    const match = PART.exec(pattern);
    if (match === null) throw new Error(`syntax error in pattern ${JSON.stringify(pattern)}`);
    parts.push(partOf(match));
  }
  return parts;
}

function partOf([text, escaped, not, set]: RegExpExecArray): Part {
  if (text === '*') return undefined;
  if (text === '?') return (character) => character !== '/';
  if (set === undefined) return (character) => character === (escaped ?? text);
  const ranges = [...set.matchAll(/(\\.|[^\\])(?:-(\\.|[^\\]))?/gsu)].map(
    ([, low = '', high = low]) => [low.at(-1), high.at(-1)] as [string, string],
  );
  const isNegated = not === '^';
  return (character) => character !== '/' && ranges.some(([low, high]) => low <= character && character <= high) !== isNegated;
}

/** Matches in time of at most the product of both lengths: after a mismatch, only the last `*` takes one more character. */
function fits(parts: readonly Part[], text: string): boolean {
  const characters = [...text];
  let [part, at] = [0, 0];
  let [star, taken] = [-1, 0];
  while (at < characters.length) {
    const character = characters[at] as string;
    if (part < parts.length && parts[part] === undefined) [star, taken] = [part++, at];
    else if (part < parts.length && (parts[part] as NonNullable<Part>)(character)) [part, at] = [part + 1, at + 1];
    else if (star >= 0 && characters[taken] !== '/') [part, at] = [star + 1, ++taken];
    else return false;
  }
  return parts.slice(part).every((rest) => rest === undefined);
}
