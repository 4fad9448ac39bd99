import type { ObjectMeta } from '../../contract/object.ts';

/** True on create. An update is checked as a whole beside the object that it replaces, since some limits spare what was stored before. */
export function isNew({ resourceVersion = '' }: ObjectMeta): boolean {
  return resourceVersion === '';
}
