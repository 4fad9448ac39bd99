import type { DeviceClass } from '../../../generated/resource/v1beta1/types.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { DataScope } from './device-configuration.ts';

/**
 * 1.32 looks at an updated class twice: as at a new one, and as at one whose settings were stored before where they are as they were.
 * @param outer the scope of the updated class itself, when it is looked at for the second time
 */
export function deviceClass(
  { spec }: DeviceClass,
  old: DeviceClass | undefined,
  _context: RuleContext,
  outer: DataScope | undefined,
): DataScope {
  return { isStored: outer !== undefined && deepEqual(spec.config, old?.spec.config) };
}
