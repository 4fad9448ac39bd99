/** The functions of patterns that Kubernetes adds to CEL. */
import type { RE2JS } from 're2js';
import type { FunctionDeclaration, Library, Overload } from '../environment/declarations.ts';
import { INT, listOf, STRING, type Type } from '../types/type.ts';
import { ArrayList, ErrorValue, type Value } from '../values/value.ts';
import { declared, member } from './overloads.ts';
import { compilePattern, statedPattern } from './patterns.ts';
import { matchUnits } from './standard/costs.ts';

const TEXTS = listOf(STRING);

const illegal = ({ message }: ErrorValue): ErrorValue => new ErrorValue(`Illegal regex: ${message}`);

type Find = (pattern: RE2JS, text: string, limit?: bigint) => Value;

const find: Find = (pattern, text) => {
  const matcher = pattern.matcher(text);
  return matcher.find() ? text.slice(matcher.start(), matcher.end()) : '';
};

/**
 * A time limit of `findAll`: each match may read the whole text, so that all of them take quadratic time, as `(?:.*b|a)` does in a text of
 * many `a`.
 */
const MAX_MILLISECONDS = 5_000;
/** Matches between two reads of the clock. */
const CLOCK_MATCHES = 16;

/** @param limit the most matches; negative: all */
const findAll: Find = (pattern, text, limit = -1n) => {
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const matcher = pattern.matcher(text);
  const found: string[] = [];
  const end = performance.now() + MAX_MILLISECONDS;
  let [from, previousEnd] = [0, -1];
  while (found.length < most && from <= text.length && matcher.find(from)) {
    const [start, stop] = [matcher.start(), matcher.end()];
    // like Go, ignores an empty match directly after another match
    if (start < stop || start !== previousEnd) found.push(text.slice(start, stop));
    from = stop > from ? stop : stop + widthAt(text, stop);
    if (found.length % CLOCK_MATCHES === 0 && performance.now() > end) return new ErrorValue('operation interrupted');
    previousEnd = stop;
  }
  return new ArrayList(found);
};

const overload = (id: string, result: Type, run: Find, ...limit: readonly Type[]): Overload => ({
  ...member(id, [STRING, STRING, ...limit], result, (text: string, pattern: string, most?: bigint) => {
    const compiled = compilePattern(pattern);
    return compiled instanceof ErrorValue ? illegal(compiled) : run(compiled, text, most);
  }),
  specialize: statedPattern((compiled) => (text: string, _pattern: string, most?: bigint) => run(compiled, text, most)),
});

const widthAt = (text: string, unit: number): number => ((text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1);

const matched: FunctionDeclaration['cost'] = ([text, pattern]) => matchUnits(text, pattern);

export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  since: 0,
  functions: [
    declared('find', [overload('string_find_string', STRING, find)], matched),
    declared(
      'findAll',
      [overload('string_find_all_string', TEXTS, findAll), overload('string_find_all_string_int', TEXTS, findAll, INT)],
      matched,
    ),
  ],
};
