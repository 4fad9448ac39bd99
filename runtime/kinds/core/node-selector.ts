/** Selectors of nodes: by labels and by fields, with one operator more than label selectors have. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { labelValue } from '../../formats/labels.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { validateLabelName } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs } from './findings.ts';

const NO_OPERATOR = 'not a valid selector operator';

/** @param checkValues whether values must have the syntax of labels' values: in a pod's affinity 1.32 lets others through */
export function validateNodeSelector(selector: Struct, path: string, checkValues: boolean): readonly FieldError[] {
  const terms: readonly Struct[] = selector.nodeSelectorTerms ?? [];
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return eachItem(terms, at, (term, termPath) => validateNodeSelectorTerm(term, termPath, checkValues));
}

export function validateNodeSelectorTerm(term: Struct, path: string, checkValues: boolean): readonly FieldError[] {
  return [
    ...eachItem(term?.matchExpressions as readonly Struct[] | undefined, `${path}.matchExpressions`, (requirement, at) =>
      validateRequirement(requirement, at, checkValues),
    ),
    ...eachItem(term?.matchFields as readonly Struct[] | undefined, `${path}.matchFields`, validateFieldRequirement),
  ];
}

function validateRequirement({ key = '', operator = '', values }: Struct, path: string, checkValues: boolean): readonly FieldError[] {
  return [
    ...validateOperator(operator, (values ?? []).length, path),
    ...validateLabelName(key, `${path}.key`),
    ...(checkValues
      ? eachItem(values as readonly string[] | undefined, `${path}.values`, (value, at) => invalidAs(labelValue(value), at, value))
      : []),
  ];
}

/** @param count of values */
function validateOperator(operator: string, count: number, path: string): readonly FieldError[] {
  const at = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? [] : [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, NO_OPERATOR)];
  }
}

function validateFieldRequirement({ key = '', operator = '', values }: Struct, path: string): readonly FieldError[] {
  const given: readonly string[] = values ?? [];
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') errors.push(invalid(`${path}.operator`, operator, NO_OPERATOR));
  else if (given.length !== 1)
    errors.push(required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  if (key !== 'metadata.name') return [...errors, invalid(`${path}.key`, key, 'not a valid field selector key')];
  return [...errors, ...eachItem(given, `${path}.values`, (value, at) => invalidAs(dnsSubdomain(value), at, value))];
}
