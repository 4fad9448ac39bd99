import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
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

/** Members of the gate CoordinatedLeaderElection: while it is off nobody can begin to use them. */
const GATED = ['strategy', 'preferredHolder'];

function dropGated({ spec }: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
  if (context.featureEnabled('CoordinatedLeaderElection')) return;
  for (const member of GATED) if (old?.spec[member] === undefined) delete spec[member];
}

export const rules: KindRules = {
  prepareForCreate: (object, context) => dropGated(object, undefined, context),
  prepareForUpdate: dropGated,
  validate,
};
