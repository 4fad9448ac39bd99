/** Where in the cluster volumes of a class may be made. */
import { duplicate, type FieldError, required } from '../../contract/field-error.ts';
import { eachItem, eachRepeated } from '../core/findings.ts';
import { validateLabelName } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

/** Each term may be a duplicate of all others: what is told of them may not grow with their square. */
const MAX_DUPLICATES = 10_000;

export function validateTopologies(terms: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  // 1.32 compares each term with as many empty ones as there are terms, too: an empty term is a duplicate of all of these.
  const seen = new Map([[termText({}), terms?.length ?? 0]]);
  let left = MAX_DUPLICATES;
  return eachItem(terms, path, (term, at) => {
    const expressions = `${at}.matchLabelExpressions`;
    const text = termText(term);
    const alike = seen.get(text) ?? 0;
    seen.set(text, alike + 1);
    const told = Math.min(alike, left);
    left -= told;
    return [
      ...validateExpressions(term.matchLabelExpressions, expressions),
      ...Array.from({ length: told }, () => duplicate(expressions, '')),
    ];
  });
}

/** The same for terms that say the same; of expressions with the same key the last counts. */
function termText({ matchLabelExpressions }: Struct): string {
  const values = new Map(((matchLabelExpressions ?? []) as Struct[]).map((each) => [each.key ?? '', [...new Set(each.values)].sort()]));
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validateExpressions(expressions: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  const keys = new Set<string>();
  return eachItem(expressions, path, ({ key = '', values }, at) => {
    const errors = [...validateValues(values ?? [], `${at}.values`), ...validateLabelName(key, `${at}.key`)];
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
    return errors;
  });
}

function validateValues(values: readonly string[], path: string): readonly FieldError[] {
  return values.length === 0 ? [required(path)] : eachRepeated(values, path);
}
