import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';
import { validatePolicyRule } from './flow-schema-rules.ts';
import { EXEMPT, validateMandatorySchema } from './mandatory-specs.ts';
import { validateStatus } from './status.ts';

const MAX_PRECEDENCE = 10_000;
/** in the order in which 1.32 shows them */
const DISTINGUISHER_METHODS = ['ByNamespace', 'ByUser'];

function validate(schema: ApiObject): readonly FieldError[] {
  return [...validateSpec(schema), ...validateMandatorySchema(schema), ...validateStatus(schema)];
}

function validateSpec({ metadata, spec }: ApiObject): readonly FieldError[] {
  const { matchingPrecedence: precedence, distinguisherMethod: method } = spec;
  return [
    ...validatePrecedence(precedence, metadata.name, 'spec.matchingPrecedence'),
    ...(method !== undefined && !DISTINGUISHER_METHODS.includes(method.type)
      ? [notSupported('spec.distinguisherMethod.type', method, DISTINGUISHER_METHODS)]
      : []),
    ...validateLevelName(spec.priorityLevelConfiguration.name ?? '', 'spec.priorityLevelConfiguration.name'),
    ...eachItem(spec.rules as readonly Struct[] | undefined, 'spec.rules', validatePolicyRule),
  ];
}

function validatePrecedence(precedence: number, name: string | undefined, path: string): readonly FieldError[] {
  if (precedence <= 0) return [invalid(path, precedence, 'must be a positive value')];
  if (precedence > MAX_PRECEDENCE) return [invalid(path, precedence, `must not be greater than ${MAX_PRECEDENCE}`)];
  return precedence === 1 && name !== EXEMPT
    ? [invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
    : [];
}

function validateLevelName(name: string, path: string): readonly FieldError[] {
  return name === '' ? [required(path, 'must reference a priority level')] : invalidAs(dnsSubdomain(name), path, name);
}

/** In the order in which requests meet them. */
function compareRows(a: ApiObject, b: ApiObject): number {
  const [first = '', second = ''] = [a.metadata.name, b.metadata.name];
  return (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0) || (first < second ? -1 : first > second ? 1 : 0);
}

export const rules: KindRules = {
  prepareForStatusUpdate: keepMetadata,
  validate,
  validateStatusUpdate: validateStatus,
  compareRows,
};
