/** An object on its way from one version to another. */
import type { ApiObject } from '../../runtime/contract/object.ts';
import type { Kind } from '../../runtime/registry/kind.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import type { JsonObject } from '../../runtime/schema/member.ts';

/** The forms that an object has on its way. None is changed any more. */
export interface Conversion {
  readonly from: Kind;
  readonly to: Kind;
  /** as it was read */
  readonly written: JsonObject;
  /** in its own version, with the defaults of that */
  readonly before: ApiObject;
  /** in the other version, with what its own version has set */
  readonly after: ApiObject;
  /** `after`, with the defaults that the other version adds */
  readonly meant: ApiObject;
  /** in the other version, without what its own version would have set, with the defaults of the other */
  readonly bare: ApiObject;
  readonly unknownFields: readonly string[];
}

/** Both kinds have the same hub. @param object not changed */
export function through(from: Kind, to: Kind, object: ApiObject): ApiObject {
  return to.fromHub(from.toHub(copyValue(object)));
}
