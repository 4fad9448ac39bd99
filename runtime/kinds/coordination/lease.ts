import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { notNegative } from '../core/numbers.ts';
import { validateStrategy } from './strategy.ts';

function validate({ spec }: ApiObject): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  const errors: FieldError[] = [];
  if (leaseDurationSeconds <= 0) errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  errors.push(...notNegative(leaseTransitions, 'spec.leaseTransitions'));
  if (strategy !== undefined) errors.push(...validateStrategy(strategy, 'spec.strategy'));
  if (preferredHolder && !strategy) errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  return errors;
}

export const rules: KindRules = {
  validate,
};
