/** The functions of patterns that Kubernetes adds to the language. */
import type { FunctionDeclaration, Library } from '../environment/declarations.ts';
import { INT, listOf, STRING } from '../types/type.ts';
import { ArrayList, ErrorValue, type Value } from '../values/value.ts';
import { declared, member } from './overloads.ts';
import { compilePattern } from './patterns.ts';
import { matchUnits } from './standard/costs.ts';

const TEXTS = listOf(STRING);

const illegal = ({ message }: ErrorValue): ErrorValue => new ErrorValue(`Illegal regex: ${message}`);

function find(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern);
  if (compiled instanceof ErrorValue) return illegal(compiled);
  const matcher = compiled.matcher(text);
  return matcher.find() ? text.slice(matcher.start(), matcher.end()) : '';
}

/** @param limit how many at most; all for a negative one */
function findAll(text: string, pattern: string, limit = -1n): Value {
  const compiled = compilePattern(pattern);
  if (compiled instanceof ErrorValue) return illegal(compiled);
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  let [from, previousEnd] = [0, -1];
  while (found.length < most && from <= text.length && matcher.find(from)) {
    const [start, end] = [matcher.start(), matcher.end()];
    // an empty match right behind another match is none
    if (start < end || start !== previousEnd) found.push(text.slice(start, end));
    from = end > from ? end : end + widthAt(text, end);
    previousEnd = end;
  }
  return new ArrayList(found);
}

const widthAt = (text: string, unit: number): number => ((text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1);

const matched: FunctionDeclaration['cost'] = ([text, pattern]) => matchUnits(text, pattern);

export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  since: 0,
  functions: [
    declared('find', [member('string_find_string', [STRING, STRING], STRING, find)], matched),
    declared(
      'findAll',
      [
        member('string_find_all_string', [STRING, STRING], TEXTS, (text: string, pattern: string) => findAll(text, pattern)),
        member('string_find_all_string_int', [STRING, STRING, INT], TEXTS, findAll),
      ],
      matched,
    ),
  ],
};
