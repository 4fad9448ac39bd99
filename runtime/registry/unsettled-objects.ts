/**
 * Objects of custom kinds as webhooks, policies and writes of `scale` have made them. As in 1.32 they keep what their schemas do not know, and null, and lack defaults for
 * what came with that, until they are stored: validation, and whoever else is asked about them, sees that.
 */
import type { ApiObject } from '../contract/object.ts';
import { copyValue } from '../schema/copy.ts';
import type { Kind } from './kinds/kind.ts';

const UNSETTLED = new WeakSet<ApiObject>();

/** Says that it was not decoded from what a client has sent of it. */
export function leaveUnsettled(object: ApiObject, { compiled }: Kind): void {
  if (!compiled.isGo) UNSETTLED.add(object);
}

/** Copies an object, which is unsettled where the other is. */
export function copyObject(object: ApiObject): ApiObject {
  const copy = copyValue(object);
  if (UNSETTLED.has(object)) UNSETTLED.add(copy);
  return copy;
}

/** Makes the object what a reader finds when it is stored. */
export function settle(object: ApiObject, kind: Kind): void {
  if (!UNSETTLED.delete(object)) return;
  const settled = kind.decode({ ...object }, { dropsInvalidMetadata: true }).object;
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, settled);
}
