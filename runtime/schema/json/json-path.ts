/**
 * Paths into JSON values as printer columns have them: a part of JSONPath (RFC 9535), in the spelling of kubectl, which takes `\.` for a dot
 * within a name.
 *
 *   .name  ['name']  ["name"]    a member
 *   [0]  [-1]                    an element, counted from the end where it is negative
 *   [*]  .*                      all elements, or all members
 *   [?(@.a=="b" && @.c)]         those for which the comparisons hold; a path alone asks whether something is there
 *   @                            the value itself, before the others
 */

export type PathStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly conditions: readonly PathCondition[] };

/** A condition on an element or member; all of a filter's conditions must hold. */
export interface PathCondition {
  readonly path: readonly PathStep[];
  /** absent: the condition is that the path has a value */
  readonly operator?: '==' | '!=';
  readonly value?: PathLiteral;
}

export type PathLiteral = string | number | boolean | null;

/** A part of a text with values, such as `{.kind}/{.name}`: a text or a path. */
export type TemplatePart = string | readonly PathStep[];

export class PathError extends Error {
  /** @param rest the part that cannot be read */
  constructor(text: string, rest: string) {
    super(`${JSON.stringify(text)} is no path: ${rest === '' ? 'it ends too early' : `cannot read ${JSON.stringify(rest)}`}`);
  }
}

/** Whether a text is a path and not a template. */
export function isPath(text: string): boolean {
  return text.startsWith('.') || text.startsWith('@');
}

/** Whether the path may have more than one value. */
export function isPlural(path: readonly PathStep[]): boolean {
  return path.some(({ kind }) => kind === 'all' || kind === 'filter');
}

/** @throws PathError */
export function parsePath(text: string): readonly PathStep[] {
  const reader = new PathReader(text);
  const path = reader.path();
  if (!reader.isAtEnd) throw reader.error();
  return path;
}

/** @throws PathError for a brace that holds no path; `${name}` is an identity placeholder and counts as text */
export function parseTemplate(text: string): readonly TemplatePart[] {
  return text
    .split(/((?<!\$)\{[^}]*\}?)/)
    .map((part, index) => (index % 2 === 0 ? part : parseHole(part)))
    .filter((part) => part !== '');
}

function parseHole(hole: string): readonly PathStep[] {
  if (!hole.endsWith('}')) throw new PathError(hole, '');
  return parsePath(hole.slice(1, -1));
}

/** Names may have any characters except those that end a step; those must be escaped. */
const MEMBER = /\.((?:[^.[\]()'"\\\s@*?=!&|]|\\.)+)/y;
const QUOTED_MEMBER = /\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/y;
const ELEMENT = /\[\s*(-?\d+)\s*\]/y;
const ALL = /\.\*|\[\s*\*\s*\]/y;
const FILTER = /\[\s*\?\s*\(\s*/y;
const FILTER_END = /\s*\)\s*\]/y;
const AND = /\s*&&\s*/y;
const OPERATOR = /\s*(==|!=)\s*/y;
const TEXT = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y;
const WORD = /true|false|null|-?\d+(?:\.\d+)?/y;

class PathReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  error(): PathError {
    return new PathError(this.#text, this.#text.slice(this.#at));
  }

  path(): PathStep[] {
    const isRelative = this.#text[this.#at] === '@';
    if (isRelative) this.#at++;
    const steps: PathStep[] = [];
    for (let step = this.#step(); step !== undefined; step = this.#step()) steps.push(step);
    if (steps.length === 0 && !isRelative) throw this.error();
    return steps;
  }

  #step(): PathStep | undefined {
    const member = this.#take(MEMBER) ?? this.#take(QUOTED_MEMBER);
    if (member !== undefined) return { kind: 'member', name: unescaped(member[1] ?? member[2] ?? '') };
    const element = this.#take(ELEMENT);
    if (element !== undefined) return { kind: 'element', index: Number(element[1]) };
    if (this.#take(ALL) !== undefined) return { kind: 'all' };
    return this.#take(FILTER) === undefined ? undefined : { kind: 'filter', conditions: this.#conditions() };
  }

  #conditions(): PathCondition[] {
    const conditions = [this.#condition()];
    while (this.#take(AND) !== undefined) conditions.push(this.#condition());
    if (this.#take(FILTER_END) === undefined) throw this.error();
    return conditions;
  }

  #condition(): PathCondition {
    if (this.#text[this.#at] !== '@') throw this.error();
    const path = this.path();
    const operator = this.#take(OPERATOR)?.[1];
    return operator === undefined ? { path } : { path, operator: operator as '==' | '!=', value: this.#literal() };
  }

  #literal(): PathLiteral {
    const text = this.#take(TEXT);
    if (text !== undefined) return unescaped(text[1] ?? text[2] ?? '');
    const word = this.#take(WORD);
    if (word === undefined) throw this.error();
    return JSON.parse(word[0]);
  }

  #take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text);
    if (found === null) return undefined;
    this.#at = token.lastIndex;
    return found;
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, '$1');
}
