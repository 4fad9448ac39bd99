import type { ApiObject } from '../../contract/object.ts';

/** Whether a validated object is being created: one that is updated has the resourceVersion of what it replaces by then. */
export function isNew({ metadata }: ApiObject): boolean {
  return ['', '0'].includes(metadata.resourceVersion ?? '');
}
