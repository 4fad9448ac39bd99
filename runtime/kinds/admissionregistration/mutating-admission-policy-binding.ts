import type { KindRules } from '../../contract/kind.ts';
import { age } from '../cells/age.ts';
import { paramRefCell, validateBinding } from './policies.ts';

export const rules: KindRules = {
  validate: ({ spec }) => validateBinding(spec, 'spec'),
  cells: (binding, now) => [
    binding.metadata.name,
    binding.spec.policyName ?? '',
    paramRefCell(binding),
    age(binding.metadata.creationTimestamp, now),
  ],
};
