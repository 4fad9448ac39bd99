/** What a text in YAML consists of: collections, scalars, aliases, in the order of the text. */
import type { Event } from 'js-yaml';
import { yamlLibrary } from './yaml-library.ts';
import { newYamlSyntaxError, YamlSyntaxError } from './yaml-syntax-error.ts';

/** Collections within each other at most: what the recursion of the parser has room for. */
const MAX_NESTING = 500;
/**
 * Keys, values and elements at most (an element of a block counts twice), each of which takes about a microsecond. A manifest of three megabytes
 * has fewer, a text in a block is one.
 */
const MAX_NODES = 500_000;
const TOO_DEEP = /^nesting exceeded maxDepth/;
/** Of a line within brackets or quotes that stands no deeper than the block around them. */
const TOO_SHALLOW = 'deficient indentation';

/**
 * The library throws what it finds by a method that it exports, and which is another one while it parses here: 1.32 lets brackets and quotes
 * go on in any column (`a: {`, and `}` at the begin of a line), and the errors of the library come with a picture of the lines around them,
 * which takes longer than the rest where there are a million lines.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep, and for too many nodes, as soon as there are that many
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

/** The library compares its depth with this limit when a node begins that is written, and has no other way to count nodes. */
class CountingLimit {
  #nodes = 0;

  valueOf(): number {
    if (++this.#nodes > MAX_NODES) throw tooManyNodes();
    // a scalar counts as well
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
