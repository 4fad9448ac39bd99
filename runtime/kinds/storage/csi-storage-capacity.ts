import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { invalidAs } from '../core/findings.ts';
import { deprecatedLabelWarning } from '../core/node-labels.ts';
import { signOf } from '../core/quantities.ts';
import { unchanged } from '../immutable.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

function validate({ nodeTopology, storageClassName = '', capacity }: ApiObject): FieldError[] {
  return [
    ...validateLabelSelector(nodeTopology, 'nodeTopology'),
    ...invalidAs(dnsSubdomain(storageClassName), 'storageClassName', storageClassName),
    ...(capacity !== undefined && signOf(capacity) < 0 ? [invalid('capacity', capacity, 'must be greater than or equal to 0')] : []),
  ];
}

function warnings({ nodeTopology }: ApiObject, _old: ApiObject | undefined, context: RuleContext): string[] {
  const warn = (key: string, path: string): string[] => deprecatedLabelWarning(key, `nodeTopology.${path}: `, context);
  return [
    ...((nodeTopology?.matchExpressions ?? []) as Struct[]).flatMap(({ key = '' }, index) => warn(key, `matchExpressions[${index}].key`)),
    ...Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((key) => warn(key, `matchLabels.${key}`)),
  ];
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => [
    ...unchanged(object.nodeTopology, old.nodeTopology, 'nodeTopology'),
    ...unchanged(object.storageClassName, old.storageClassName, 'storageClassName'),
  ],
  warnings,
};
