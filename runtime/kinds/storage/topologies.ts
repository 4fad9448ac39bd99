/** Where in the cluster volumes of a class may be made. */
import { duplicate, type FieldError, required } from '../../contract/field-error.ts';
import { deepEqual } from '../../schema/equal.ts';
import { eachItem } from '../core/findings.ts';
import { validateLabelName } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

/** Values by key, in an order that does not depend on how the term is written. */
type Term = Readonly<Record<string, readonly string[]>>;

export function validateTopologies(terms: readonly Struct[] | undefined, path: string): FieldError[] {
  // 1.32 compares each term with as many empty ones as there are terms, too: an empty term is a duplicate of all of these.
  const seen: Term[] = (terms ?? []).map(() => ({}));
  return eachItem(terms, path, (term, at) => {
    const expressions = `${at}.matchLabelExpressions`;
    const parsed = parse(term);
    const errors = [
      ...validateExpressions(term.matchLabelExpressions, expressions),
      ...seen.filter((other) => deepEqual(parsed, other)).map(() => duplicate(expressions, '')),
    ];
    seen.push(parsed);
    return errors;
  });
}

function parse(term: Struct): Term {
  return Object.fromEntries(((term.matchLabelExpressions ?? []) as Struct[]).map(({ key, values }) => [key, [...new Set(values)].sort()]));
}

function validateExpressions(expressions: readonly Struct[] | undefined, path: string): FieldError[] {
  const keys = new Set<string>();
  return eachItem(expressions, path, ({ key = '', values }, at) => {
    const errors = [...validateValues(values ?? [], `${at}.values`), ...validateLabelName(key, `${at}.key`)];
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
    return errors;
  });
}

function validateValues(values: readonly string[], path: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  return eachItem(values, path, (value, at, index) => (values.indexOf(value) < index ? [duplicate(at, value)] : []));
}
