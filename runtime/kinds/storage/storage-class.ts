import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { oneOf } from '../core/findings.ts';
import { deprecatedLabelWarning } from '../core/node-labels.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';
import { validateDriver, validateParameters } from './parameters.ts';
import { validateTopologies } from './topologies.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

function validate({ provisioner = '', parameters, reclaimPolicy, volumeBindingMode, allowedTopologies }: ApiObject): FieldError[] {
  return [
    ...validateDriver(provisioner, 'provisioner'),
    ...validateParameters(parameters, 'parameters'),
    ...(reclaimPolicy ? oneOf(reclaimPolicy, 'reclaimPolicy', RECLAIM_POLICIES) : []),
    ...oneOf(volumeBindingMode, 'volumeBindingMode', BINDING_MODES),
    ...validateTopologies(allowedTopologies, 'allowedTopologies'),
  ];
}

const FIXED = ['parameters', 'provisioner', 'reclaimPolicy'];

function validateUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  return [
    ...FIXED.filter((member) => !deepEqual(object[member], old[member])).map((member) =>
      forbidden(member, `updates to ${member} are forbidden.`),
    ),
    ...unchanged(object.volumeBindingMode, old.volumeBindingMode, 'volumeBindingMode'),
  ];
}

function warnings({ allowedTopologies }: ApiObject, _old: ApiObject | undefined, context: RuleContext): string[] {
  return ((allowedTopologies ?? []) as Struct[]).flatMap((term, i) =>
    ((term.matchLabelExpressions ?? []) as Struct[]).flatMap(({ key = '' }, j) =>
      deprecatedLabelWarning(key, `allowedTopologies[${i}].matchLabelExpressions[${j}].key: `, context),
    ),
  );
}

export const rules: KindRules = { validate, validateUpdate, warnings };
