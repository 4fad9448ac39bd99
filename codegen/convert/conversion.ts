/** An object on its way from one version to another. */
import type { ApiObject } from '../../runtime/contract/object.ts';
import type { Kind } from '../../runtime/registry/kinds/kind.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import type { JsonObject } from '../../runtime/schema/json/member.ts';

/** The forms that an object has on its way. Nothing changes them once they are here. */
export interface Conversion {
  readonly from: Kind;
  readonly to: Kind;
  /** As it was read from the file. */
  readonly written: JsonObject;
  /** In its own version, with that version's defaults. */
  readonly before: ApiObject;
  /** `before` in the other version, so with the defaults of its own version. */
  readonly after: ApiObject;
  /** `after`, with the defaults that the other version adds. */
  readonly meant: ApiObject;
  /** In the other version, with only that version's defaults and not those of its own version. */
  readonly bare: ApiObject;
  readonly unknownFields: readonly string[];
}

/**
 * Converts an object to another kind with the same hub.
 * @param object is not changed
 */
export function through(from: Kind, to: Kind, object: ApiObject): ApiObject {
  return to.fromHub(from.toHub(copyValue(object)));
}
