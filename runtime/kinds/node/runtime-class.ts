import { duplicate, type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';
import { overhead as overheadErrors } from '../core/container-resources.ts';
import { atPath } from '../core/findings.ts';
import { deprecatedLabelWarning } from '../core/node-labels.ts';
import { validateTolerations } from '../core/scheduling.ts';
import { unchanged } from '../immutable.ts';
import { validateLabels } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

function validate({ handler = '', overhead, scheduling }: ApiObject, context: RuleContext): FieldError[] {
  return [
    ...dnsLabel(handler).map((message) => invalid('handler', handler, message)),
    // An overhead is judged like the limits of a container, and its errors stand there.
    ...(overhead === undefined ? [] : atPath(overheadErrors(overhead.podFixed, undefined, context), 'overhead')),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling, 'scheduling')),
  ];
}

/** 1.32 reports single tolerations one level too deep. */
function validateScheduling({ nodeSelector, tolerations }: Struct, path: string): FieldError[] {
  return [
    ...validateLabels(nodeSelector, `${path}.nodeSelector`),
    ...validateTolerations(tolerations, `${path}.tolerations.tolerations`),
    ...validateUnique(tolerations, `${path}.tolerations`),
  ];
}

function validateUnique(tolerations: readonly Struct[] | undefined, path: string): FieldError[] {
  const seen = new Set<string>();
  return (tolerations ?? []).flatMap((toleration, index) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity)) return [duplicate(`${path}[${index}]`, toleration)];
    seen.add(identity);
    return [];
  });
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.handler, old.handler, 'handler'),
  warnings: ({ scheduling }, _old, context) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => deprecatedLabelWarning(key, 'scheduling.nodeSelector: ', context)),
};
