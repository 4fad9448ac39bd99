import type { KindRules } from '../../contract/kind.ts';
import { defaultFromTemplate } from '../extensions/template-defaults.ts';

export const rules: KindRules = {
  defaults(object) {
    const spec = defaultFromTemplate(object);
    const { type = 'OnDelete', rollingUpdate } = spec.updateStrategy ?? {};
    spec.updateStrategy = { type, ...(rollingUpdate !== undefined && { rollingUpdate }) };
    if (type === 'RollingUpdate' && rollingUpdate !== undefined) spec.updateStrategy.rollingUpdate = { partition: 0, ...rollingUpdate };
  },
};
