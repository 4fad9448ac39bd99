import type { DeploymentStrategy } from '../../../generated/apps/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goAddress, unsupportedShown } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { nameWarnings } from '../core/name-warnings.ts';
import { ROLLBACK } from './field-annotations.ts';
import { templateWarnings } from './workload.ts';

const STRATEGIES: readonly string[] = ['Recreate', 'RollingUpdate'];

export function knownStrategy({ type, rollingUpdate }: DeploymentStrategy): readonly FieldError[] {
  if (STRATEGIES.includes(type ?? '')) return NONE;
  const parameters = rollingUpdate === undefined ? 'nil' : goAddress();
  const text = `apps.DeploymentStrategy{Type:${goQuote(type ?? '')}, RollingUpdate:(*apps.RollingUpdateDeployment)(${parameters})}`;
  return [unsupportedShown('', text, STRATEGIES)];
}

export const rules: KindRules = {
  /** Labels stay as they were: besides the status, only annotations go in through it. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
  },
  fieldAnnotations: [ROLLBACK],
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
};
