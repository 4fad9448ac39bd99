/** What the status of flow schemas and of priority levels has in common: conditions, and an update that changes nothing else. */
import { duplicate, type FieldError } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { eachItem, needed } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

export function validateStatus({ status }: ApiObject): readonly FieldError[] {
  const types = new Set<string>();
  return eachItem(status?.conditions as readonly Struct[] | undefined, 'status.conditions', ({ type = '' }, at) => {
    const repeated = types.has(type);
    types.add(type);
    return [...(repeated ? [duplicate(`${at}.type`, type)] : []), ...needed(type, `${at}.type`, 'must not be empty')];
  });
}
