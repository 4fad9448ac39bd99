import type { FlowSchema } from '../../../generated/flowcontrol/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** In the order in which requests meet them. */
function compareRows(a: FlowSchema, b: FlowSchema): number {
  const [first = '', second = ''] = [a.metadata.name, b.metadata.name];
  return (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0) || (first < second ? -1 : first > second ? 1 : 0);
}

export const rules: KindRules<FlowSchema> = { prepareForStatusUpdate: keepMetadata, compareRows };
