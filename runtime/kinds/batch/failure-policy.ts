/** What a job does about failed pods, by their exit codes and conditions. */
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../contract/field-error.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { invalidWithoutValue, validValues } from './findings.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_PATTERNS = 20;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** @param spec of the job; it has a policy @param path of the policy */
export function validatePodFailurePolicy(spec: Struct, path: string): FieldError[] {
  const rules: readonly Struct[] = spec.podFailurePolicy.rules ?? [];
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set<string>([...(containers ?? []), ...(initContainers ?? [])].map((container: Struct) => container.name ?? ''));
  return [
    ...(rules.length > MAX_RULES ? [tooMany(`${path}.rules`, rules.length, MAX_RULES)] : []),
    ...eachItem(rules, `${path}.rules`, (rule, at) => validateRule(rule, spec, names, at)),
  ];
}

function validateRule(rule: Struct, spec: Struct, names: ReadonlySet<string>, path: string): FieldError[] {
  const { onExitCodes, onPodConditions = [] } = rule;
  const byCondition = (onPodConditions ?? []).length > 0;
  return [
    ...validateAction(rule.action ?? '', spec, `${path}.action`),
    ...(onExitCodes === undefined ? [] : validateExitCodes(onExitCodes, names, `${path}.onExitCodes`)),
    ...(byCondition ? validatePatterns(onPodConditions, `${path}.onPodConditions`) : []),
    ...(onExitCodes !== undefined && byCondition
      ? [invalidWithoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(onExitCodes === undefined && !byCondition
      ? [invalidWithoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : []),
  ];
}

function validateAction(action: string, spec: Struct, path: string): FieldError[] {
  if (action === 'FailIndex')
    return spec.backoffLimitPerIndex === undefined ? [invalid(path, action, 'requires the backoffLimitPerIndex to be set')] : [];
  return choice(action, path, ACTIONS);
}

/** An error where a value is missing, or none of those that there are. @param supported sorted */
function choice(value: string, path: string, supported: readonly string[]): FieldError[] {
  if (value === '') return [required(path, validValues(supported))];
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

function validateExitCodes(requirement: Struct, names: ReadonlySet<string>, path: string): FieldError[] {
  const { operator = '', containerName } = requirement;
  const values: readonly number[] = requirement.values ?? [];
  return [
    ...choice(operator, `${path}.operator`, OPERATORS),
    ...(containerName !== undefined && !names.has(containerName)
      ? [invalid(`${path}.containerName`, containerName, 'must be one of the container or initContainer names in the pod template')]
      : []),
    ...validateExitCodeList(values, operator, `${path}.values`),
  ];
}

function validateExitCodeList(values: readonly number[], operator: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (values.length === 0) errors.push(invalidList(path, values, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(path, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (operator === 'In' && value === 0) errors.push(invalid(`${path}[${index}]`, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(`${path}[${index}]`, value));
    seen.add(value);
  }
  if (values.some((value, index) => index > 0 && (values[index - 1] as number) > value))
    errors.push(invalidList(path, values, 'must be ordered'));
  return errors;
}

/** 1.32 shows a list of numbers in its own notation. */
function invalidList(field: string, values: readonly number[], detail: string): FieldError {
  const shown = values.length === 0 ? '[]int32(nil)' : `[]int32{${values.join(', ')}}`;
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${detail}` };
}

function validatePatterns(patterns: readonly Struct[], path: string): FieldError[] {
  return [
    ...(patterns.length > MAX_PATTERNS ? [tooMany(path, patterns.length, MAX_PATTERNS)] : []),
    ...eachItem(patterns, path, ({ type = '', status = '' }, at) => [
      ...invalidAs(qualifiedName(type), `${at}.type`, type),
      ...choice(status, `${at}.status`, STATUSES),
    ]),
  ];
}
