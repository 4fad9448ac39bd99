import type { KindRules } from '../../contract/kind.ts';
import { defaultFromTemplate } from './template-defaults.ts';

export const rules: KindRules = {
  defaults(object) {
    defaultFromTemplate(object);
  },
};
