/** Selectors of nodes: by labels and by fields, with one operator more than label selectors have. */
import type { NodeSelector, NodeSelectorRequirement } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { labelValue } from '../../formats/labels.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem, invalidAs } from '../findings.ts';
import { validateLabelName, validateOperator } from '../metadata/labels.ts';

type Requirement = Partial<NodeSelectorRequirement>;

/** Of selectors whose place is not stated by a schema. Their values have the syntax of labels' values. */
export function validateNodeSelector({ nodeSelectorTerms: terms }: Partial<NodeSelector>, path: string): readonly FieldError[] {
  const at = `${path}.nodeSelectorTerms`;
  if ((terms ?? NONE).length === 0) return [required(at, 'must have at least one node selector term')];
  return eachItem(terms, at, (term, termPath) =>
    joined(
      eachItem(term?.matchExpressions, `${termPath}.matchExpressions`, validateRequirement),
      eachItem(term?.matchFields, `${termPath}.matchFields`, validateFieldRequirement),
    ),
  );
}

function validateRequirement(requirement: Requirement, path: string): readonly FieldError[] {
  const { key = '', values } = requirement;
  return joined(
    comparesNumbers(requirement) ? validateSingle(values, `${path}.values`, ONE_NUMBER) : validateOperator(requirement, path),
    validateLabelName(key, `${path}.key`),
    eachItem(values, `${path}.values`, (value, at) => invalidAs(labelValue(value), at, value)),
  );
}

const ONE_NUMBER = "must be specified single value when `operator` is 'Lt' or 'Gt'";
const ONE_NAME = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";

function validateSingle(values: Requirement['values'], path: string, detail: string): readonly FieldError[] {
  return values?.length === 1 ? NONE : [required(path, detail)];
}

const comparesNumbers = ({ operator }: Requirement): boolean => operator === 'Gt' || operator === 'Lt';

function validateFieldRequirement({ key = '', operator, values }: Requirement, path: string): readonly FieldError[] {
  return joined(
    operator === 'In' || operator === 'NotIn'
      ? validateSingle(values, `${path}.values`, ONE_NAME)
      : [invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator')],
    key === 'metadata.name'
      ? eachItem(values, `${path}.values`, (value, at) => invalidAs(dnsSubdomain(value), at, value))
      : [invalid(`${path}.key`, key, 'not a valid field selector key')],
  );
}
