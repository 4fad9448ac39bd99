import type { StorageVersionMigration } from '../../../generated/storagemigration/v1alpha1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { integerProblem } from '../../formats/integers.ts';
import { goQuote } from '../../go-text/quote.ts';
import { parseInt64 } from '../../schema/scalar/raw-number.ts';
import { NONE } from '../../validation/joined.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** Of a resource version, which is read as Go reads a number of 64 bits. */
export function wholeNumber(text: string): readonly FieldError[] {
  if (text === '') return NONE;
  const value = parseInt64(text);
  if (value === undefined) return [invalid('', text, `failed to parse resource version ${goQuote(text)}: ${integerProblem(text)}`)];
  return value < 0n ? [invalid('', Number(value), 'must be greater than or equal to 0')] : NONE;
}

/** The first condition of a type counts. */
function holds(migration: StorageVersionMigration | undefined, type: string): boolean {
  return (migration?.status?.conditions ?? []).find((condition) => condition.type === type)?.status === 'True';
}

/** A migration runs, then succeeds or fails, for good. */
export function oneOutcome(migration: StorageVersionMigration, old: StorageVersionMigration | undefined): readonly FieldError[] {
  const [running, succeeded, failed] = ['Running', 'Succeeded', 'Failed'].map((type) => holds(migration, type));
  const conflicts = [
    ...(succeeded && failed ? ['Both success and failed conditions cannot be true at the same time'] : []),
    ...(succeeded && running ? ['Running condition cannot be true when success condition is true'] : []),
    ...(failed && running ? ['Running condition cannot be true when failed condition is true'] : []),
    ...(holds(old, 'Succeeded') && !succeeded ? ['Success condition cannot be set to false once it is true'] : []),
    ...(holds(old, 'Failed') && !failed ? ['Failed condition cannot be set to false once it is true'] : []),
  ];
  return conflicts.map((detail) => invalid('.status.conditions', migration.status?.conditions ?? null, detail));
}

export const rules: KindRules<StorageVersionMigration> = { prepareForStatusUpdate: keepMetadata };
