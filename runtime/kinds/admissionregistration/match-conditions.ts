import { duplicate, type FieldError, invalid, required, tooMany } from '../../contract/field-error.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const MOST = 64;

/** Named expressions that must all hold. Their text is compiled by the caller that knows the variables. */
export function validateMatchConditions(conditions: readonly Struct[] | undefined, path: string): FieldError[] {
  const seen = new Set<string>();
  const count = conditions?.length ?? 0;
  return [
    ...(count > MOST ? [tooMany(path, count, MOST)] : []),
    ...eachItem(conditions, path, (condition, at) => {
      const errors = condition.expression.trim() === '' ? [required(`${at}.expression`)] : [];
      const { name } = condition;
      if (name === '') return [...errors, required(`${at}.name`)];
      const problems = qualifiedName(name);
      if (problems.length > 0) errors.push(invalid(`${at}.name`, name, problems.join(',')));
      if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
      seen.add(name);
      return errors;
    }),
  ];
}
