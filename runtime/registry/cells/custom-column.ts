/** Cells of columns that definitions of custom resources have: the first value that their JSONPath finds, as the type of the column shows it. */
import type { Now, TableColumn } from '../../contract/table.ts';
import { age } from '../../go-text/age.ts';
import { parseColumnPath, type TemplateList } from '../../schema/json/json-path-template.ts';
import { goFloat } from '../../schema/scalar/go-float.ts';
import { integerOf, isRawNumber, untypedNumber } from '../../schema/scalar/raw-number.ts';
import { ScalarError } from '../../schema/scalar/scalar-error.ts';
import { canonicalTime } from '../../schema/scalar/time.ts';
import { goJson } from '../../schema/structural/go-json.ts';
import { jsonValueOf, plainMember, resultsOf } from './json-path-results.ts';

/**
 * @param path that `parseColumnPath` reads
 * @returns a function that gives null where there is nothing to show
 */
export function compileCustomColumn(path: string, type: TableColumn['type']): (object: unknown, now: Now) => unknown {
  const find = finderOf(parseColumnPath(path) ?? []);
  return (object, now) => {
    const found = find(object);
    if (found.length === 0) return null;
    const value = jsonValueOf(found[0]);
    if (type === 'string') return printed(value);
    return value === null || value === undefined ? null : cellOf(value, type, now);
  };
}

function finderOf(actions: readonly TemplateList[]): (object: unknown) => readonly unknown[] {
  const [first, ...others] = actions;
  if (first === undefined) return () => [];
  const plain = others.length === 0 ? plainMember(first) : undefined;
  if (plain !== undefined) return plain;
  const [find, ...checks] = [first, ...others].map(resultsOf);
  return (object) => {
    const results = find?.([object]);
    const failed = results?.failed || checks.some((check) => check([object]).failed);
    return results === undefined || failed ? [] : results.values;
  };
}

function cellOf(value: unknown, type: TableColumn['type'], now: Now): unknown {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return numberOf(value, type === 'integer');
  }
}

function numberOf(value: unknown, isInteger: boolean): unknown {
  const number = isRawNumber(value) ? untypedNumber(value) : value;
  if (isRawNumber(number)) return isInteger ? number : Number(number.rawJSON);
  if (typeof number !== 'number') return null;
  return isInteger ? integerIn64Bits(number) : number;
}

/** As in 1.32, what 64 bits do not hold is the least that they do. */
function integerIn64Bits(number: number): unknown {
  return integerOf(Math.abs(number) < 2 ** 63 ? BigInt(Math.trunc(number)) : -(2n ** 63n));
}

function ageOf(text: string, now: Now): string {
  if (text === '' || text === 'null') return age(undefined, now);
  try {
    return age(canonicalTime(text), now);
  } catch (error) {
    if (error instanceof ScalarError) return '<invalid>';
    throw error;
  }
}

/** Prints a value as client-go does, which prints objects and lists as JSON. */
function printed(value: unknown): string {
  if (value === null || value === undefined) return '<no value>';
  if (typeof value === 'string') return value;
  const number = isRawNumber(value) ? untypedNumber(value) : value;
  if (typeof number === 'number') return Number.isSafeInteger(number) ? String(number) : goFloat(number);
  if (isRawNumber(number)) return number.rawJSON;
  return typeof value === 'object' ? goJson(value) : String(value);
}
