import type { Toleration } from '../../../generated/core/v1/types.ts';
import type { RuntimeClass } from '../../../generated/node/v1/types.ts';
import { duplicate, type FieldError, Notation } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goAddress, goStructure } from '../../go-text/values.ts';
import { foundInEach, NONE } from '../../validation/joined.ts';
import { deprecatedLabelWarning } from '../core/scheduling/node-labels.ts';

/** No two tolerate the same, for however long. */
export function differentTolerations(tolerations: readonly Toleration[]): readonly FieldError[] {
  const seen = new Set<string>();
  return foundInEach(tolerations, (toleration, index) => {
    const { key, operator, value, effect } = toleration;
    const identity = JSON.stringify([key || '', operator || '', value || '', effect || '']);
    if (seen.has(identity)) return [duplicate(`[${index}]`, new Notation(goToleration(toleration)))];
    seen.add(identity);
    return NONE;
  });
}

function goToleration({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  return goStructure('core.Toleration', {
    Key: goQuote(key ?? ''),
    Operator: goQuote(operator ?? ''),
    Value: goQuote(value ?? ''),
    Effect: goQuote(effect ?? ''),
    TolerationSeconds: `(*int64)(${tolerationSeconds === undefined ? 'nil' : goAddress()})`,
  });
}

export const rules: KindRules<RuntimeClass> = {
  warnings: ({ scheduling }, _old, context) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => deprecatedLabelWarning(key, 'scheduling.nodeSelector: ', context)),
};
