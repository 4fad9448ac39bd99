import type { KindRules } from '../../contract/kind.ts';
import { defaultFromTemplate } from './template-defaults.ts';

export const rules: KindRules = {
  defaults(object) {
    const spec = defaultFromTemplate(object);
    const { type = 'OnDelete', rollingUpdate } = spec.updateStrategy ?? {};
    spec.updateStrategy = { type, ...(rollingUpdate !== undefined && { rollingUpdate }) };
    if (type !== 'RollingUpdate') return;
    const { maxUnavailable = 1, maxSurge = 0 } = rollingUpdate ?? {};
    spec.updateStrategy.rollingUpdate = { maxUnavailable, maxSurge };
  },
};
