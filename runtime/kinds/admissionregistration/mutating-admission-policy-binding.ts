import type { KindRules } from '../../contract/kind.ts';
import { validateBinding } from './policies.ts';

export const rules: KindRules = {
  validate: ({ spec }) => validateBinding(spec, 'spec'),
};
