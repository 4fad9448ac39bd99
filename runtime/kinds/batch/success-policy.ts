/** When an indexed job succeeds before all of its indexes have. */
import { type FieldError, invalid, required, tooLong, tooMany } from '../../contract/field-error.ts';
import { eachItem } from '../core/findings.ts';
import { notNegative } from '../core/numbers.ts';
import type { Struct } from '../struct.ts';
import { countIndexes } from './indexes.ts';

const MAX_RULES = 20;
const MAX_INDEXES_LENGTH = 64 * 1024;

/** @param spec of an indexed job that has a policy @param path of the policy */
export function validateSuccessPolicy(spec: Struct, path: string): FieldError[] {
  const rules: readonly Struct[] = spec.successPolicy.rules ?? [];
  const at = `${path}.rules`;
  return [
    ...(rules.length === 0 ? [required(at, 'at least one rules must be specified when the successPolicy is specified')] : []),
    ...(rules.length > MAX_RULES ? [tooMany(at, rules.length, MAX_RULES)] : []),
    ...eachItem(rules, at, (rule, rulePath) => validateRule(rule, spec.completions ?? 0, rulePath)),
  ];
}

function validateRule({ succeededIndexes, succeededCount }: Struct, completions: number, path: string): FieldError[] {
  if (succeededCount === undefined && succeededIndexes === undefined)
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  const counted = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions);
  return [
    ...(succeededIndexes === undefined ? [] : validateIndexes(succeededIndexes, counted, `${path}.succeededIndexes`)),
    ...(succeededCount === undefined ? [] : validateCount(succeededCount, completions, counted, `${path}.succeededCount`)),
  ];
}

function validateIndexes(indexes: string, counted: number | string | undefined, path: string): FieldError[] {
  return [
    ...(Buffer.byteLength(indexes) > MAX_INDEXES_LENGTH ? [tooLong(path, MAX_INDEXES_LENGTH)] : []),
    ...(typeof counted === 'string' ? [invalid(path, indexes, `error parsing succeededIndexes: ${counted}`)] : []),
  ];
}

/** @param counted indexes named beside the count; a text where they cannot be read, which counts as none */
function validateCount(count: number, completions: number, counted: number | string | undefined, path: string): FieldError[] {
  const indexes = typeof counted === 'string' ? 0 : counted;
  const most = (limit: number, what: string): string => `must be less than or equal to ${limit} (the number of ${what})`;
  return [
    ...notNegative(count, path),
    ...(count > completions ? [invalid(path, count, most(completions, 'specified completions'))] : []),
    ...(indexes !== undefined && count > indexes
      ? [invalid(path, count, most(indexes, 'indexes in the specified succeededIndexes field'))]
      : []),
  ];
}
