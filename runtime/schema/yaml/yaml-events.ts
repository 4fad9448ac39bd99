/** Parses a YAML text to events: collections, scalars and aliases in the order of the text. */
import type { Event } from 'js-yaml';
import { yamlLibrary } from './yaml-library.ts';
import { newYamlSyntaxError, YamlSyntaxError } from './yaml-syntax-error.ts';

/** Limit of nested collections, which fits into the stack of the recursive parser. */
const MAX_NESTING = 500;
/**
 * Limit of keys, values and elements (an element of a block counts twice), each of which takes about a microsecond. A manifest of three
 * megabytes has fewer; a block of text counts as one.
 */
const MAX_NODES = 500_000;
const TOO_DEEP = /^nesting exceeded maxDepth/;
/** The error of the library for a line within brackets or quotes that is indented no more than the enclosing block. */
const TOO_SHALLOW = 'deficient indentation';

/**
 * Replaces the exported function by which the library throws errors while it parses. 1.32 allows brackets and quotes to go on in any column
 * (`a: {`, and `}` at the beginning of a line). Also, errors of the library contain a picture of the surrounding lines, which is slow for a
 * text of a million lines.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep, and as soon as there are too many nodes
 */
export function yamlEvents(text: string): Event[] {
  const { parseEvents, YAMLException } = yamlLibrary();
  const { throwAt } = YAMLException;
  YAMLException.throwAt = throwProblem as typeof throwAt;
  try {
    const events = parseEvents(text, { maxDepth: new CountingLimit() as unknown as number });
    if (events.length > 2 * MAX_NODES) throw tooManyNodes();
    return events;
  } finally {
    YAMLException.throwAt = throwAt;
  }
}

/** Counts nodes. The library offers no other way, but it compares its depth with this limit at the beginning of each node. */
class CountingLimit {
  #nodes = 0;

  valueOf(): number {
    if (++this.#nodes > MAX_NODES) throw tooManyNodes();
    // scalars are compared too, so the limit is one higher
    return MAX_NESTING + 1;
  }
}

function tooManyNodes(): YamlSyntaxError {
  return new YamlSyntaxError(`exceeded max of ${MAX_NODES} nodes, of which JSON may have more`);
}

function throwProblem(text: string, position: number, problem: string): void {
  if (problem === TOO_SHALLOW) return;
  if (TOO_DEEP.test(problem)) throw new YamlSyntaxError(`exceeded max depth of ${MAX_NESTING}`);
  throw newYamlSyntaxError(problem, text, position);
}
