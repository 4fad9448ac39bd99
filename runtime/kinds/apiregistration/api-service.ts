import type { APIService } from '../../../generated/apiregistration/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { goQuote } from '../../go-text/quote.ts';
import { NONE } from '../../validation/joined.ts';
import { keepMetadata } from '../metadata/status-update.ts';

const AVAILABLE = 'Available';

/** A group version that this server answers itself is available from the start; of others a controller tells. */
function prepareForCreate(object: APIService, context: RuleContext): void {
  if (object.spec?.service !== undefined) return;
  const lastTransitionTime = `${new Date(context.now()).toISOString().slice(0, 19)}Z`;
  object.status = {
    conditions: [
      { type: AVAILABLE, status: 'True', lastTransitionTime, reason: 'Local', message: 'Local APIServices are always available' },
    ],
  };
}

export function namedAfterVersion({ metadata, spec }: APIService): readonly FieldError[] {
  const name = `${spec?.version ?? ''}.${spec?.group ?? ''}`;
  if (metadata.name === name) return NONE;
  return [invalid('.metadata.name', metadata.name, `must be \`spec.version+"."+spec.group\`: ${goQuote(name)}`)];
}

/** Without a service there is nobody to trust. */
export function bundleOfNobody(bundle: string): readonly FieldError[] {
  return [invalid('', `${Buffer.from(bundle, 'base64').length} bytes`, 'local APIServices may not have a caBundle')];
}

export const rules: KindRules<APIService> = { prepareForCreate, prepareForStatusUpdate: keepMetadata };
