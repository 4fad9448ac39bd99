/**
 * Objects of custom kinds as webhooks and policies have made them. As in 1.32 they keep what their schemas do not know, and null, until they are stored: validation, and
 * whoever else is asked about them, sees that.
 */
import type { ApiObject } from '../contract/object.ts';
import type { Kind } from './kinds/kind.ts';

const UNSETTLED = new WeakSet<ApiObject>();

/** Says that a webhook or policy has made the object. */
export function leaveUnsettled(object: ApiObject, { compiled }: Kind): void {
  if (!compiled.isGo) UNSETTLED.add(object);
}

/** Makes the object what a reader finds when it is stored. */
export function settle(object: ApiObject, kind: Kind): void {
  if (!UNSETTLED.delete(object)) return;
  const settled = kind.decode({ ...object }, { dropsInvalidMetadata: true }).object;
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, settled);
}
